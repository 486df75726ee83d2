// Parts that refresh themselves stay still while nobody looks, and while somebody is inside with the keyboard.
document.addEventListener("htmx:beforeRequest", (event) => {
  const part = event.detail.elt;
  if (document.hidden || (part.hasAttribute("data-refresh") && part.contains(document.activeElement))) {
    event.preventDefault();
  }
});

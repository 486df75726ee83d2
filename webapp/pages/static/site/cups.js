// A tournament's page renews itself: what a reader has opened, closed or moved aside stays as it was.
const moved = (page) => page.querySelectorAll(".bracket[id], .scroll[id]");

let kept = null;

document.addEventListener("htmx:beforeSwap", (event) => {
  const page = event.detail.target;
  kept = {
    open: new Map([...page.querySelectorAll("details[id]")].map((one) => [one.id, one.open])),
    left: new Map([...moved(page)].map((one) => [one.id, one.scrollLeft])),
    round: page.querySelector("details[data-playing]")?.id,
  };
});

document.addEventListener("htmx:afterSettle", () => {
  const page = document.querySelector(".cup-page");
  if (kept === null || page === null) return;
  for (const one of page.querySelectorAll("details[id]")) {
    // a round that has just ended closes by itself
    if (kept.open.has(one.id) && (one.id !== kept.round || one.dataset.playing !== undefined)) one.open = kept.open.get(one.id);
  }
  for (const one of moved(page)) one.scrollLeft = kept.left.get(one.id) ?? one.scrollLeft;
  kept = null;
});

// A bracket that is wider than the screen begins with the stage that is being played.
for (const now of document.querySelectorAll(".bracket li.now")) {
  const box = now.closest(".bracket");
  if (box.scrollLeft === 0) box.scrollLeft = now.offsetLeft - box.querySelector("li").offsetLeft;
}

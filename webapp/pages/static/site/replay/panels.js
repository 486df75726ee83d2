// The help about keys, and what one may share.
(() => {
  "use strict";
  const root = document.getElementById("replay");
  if (!root?.player) return;

  const help = root.querySelector("dialog.keys");
  const open = () => help && !help.open && help.showModal();
  root.addEventListener("replay:help", open);
  root.querySelector("[data-keys]")?.addEventListener("click", open);
  help?.addEventListener("click", (event) => {
    if (event.target === help || event.target.closest("[data-close]")) help.close();
  });
  help?.addEventListener("keydown", (event) => {
    if (event.key === "?") help.close();
  });

  // ---- addresses of this step

  const place = /step\/\d+\/\?as=\w+/;
  root.addEventListener("replay:shown", ({ detail: { step, viewer } }) => {
    const now = `step/${step}/?as=${viewer}`;
    for (const field of root.querySelectorAll('[data-share="step"], [data-share="embed"]')) {
      if (field.matches("a")) field.href = field.href.replace(place, now);
      else field.value = field.value.replace(place, now);
    }
  });

  root.addEventListener("click", async (event) => {
    const field = event.target.closest("[data-share]");
    if (field && !field.matches("a")) field.select();
    const button = event.target.closest("[data-copy], [data-copy-field]");
    if (!button) return;
    const named = root.querySelector(`[data-share="${button.dataset.copyField}"]`);
    try {
      await navigator.clipboard.writeText(button.dataset.copy ?? named.value);
    } catch {
      named?.select(); // without https there is no clipboard: it can be copied by hand
      return;
    }
    const said = button.textContent;
    button.textContent = button.dataset.copied;
    window.setTimeout(() => (button.textContent = said), 1500);
  });
})();

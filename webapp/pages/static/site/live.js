// Follows the channel that the page names in data-live: the picture of a table is put in its place, and the part marked
// data-refresh is fetched anew when something on it has changed. Where nothing streams, the page looks now and then. Seconds:
// data-rest lie at least between two looks, and after data-anyway a page looks that tells of silence, too.
(() => {
  "use strict";
  const root = document.querySelector("[data-live]");
  if (!root) return;

  const spread = 1000; // milliseconds: spectators do not ask all at the same moment
  const lookAnyway = 10000;
  const rest = 1000 * Number(root.dataset.rest || 0);
  const anyway = root.dataset.live ? 1000 * Number(root.dataset.anyway || 0) : lookAnyway;
  let source = null;
  let place = ""; // the number of the last message
  let wait = 0;
  let asking = 0;
  let stale = false;

  const look = () => {
    const part = root.querySelector("[data-refresh]");
    asking = 0;
    if (!part) return;
    stale = document.hidden || part.contains(document.activeElement);
    if (!stale) window.htmx.trigger(part, "live");
  };
  const changed = () => {
    if (!asking) asking = setTimeout(look, rest + Math.random() * spread);
  };

  const put = (html) => {
    const box = root.querySelector("[data-table]");
    if (!box) return;
    const made = document.createElement("template");
    made.innerHTML = html;
    for (const part of made.content.querySelectorAll("[data-part]")) {
      const old = box.querySelector(`[data-part="${part.dataset.part}"]`);
      if (!old) box.append(part);
      else if (old.outerHTML !== part.outerHTML) {
        old.innerHTML = part.innerHTML;
        old.className = part.className;
      }
    }
    box.hidden = false;
    const story = box.querySelector(".story");
    if (story) story.scrollTop = story.scrollHeight;
  };

  const close = () => {
    if (source) source.close();
    source = null;
  };
  const open = () => {
    if (source || document.hidden) return;
    const address = new URL(root.dataset.live, location.href);
    address.searchParams.set("language", document.documentElement.lang);
    if (place) address.searchParams.set("after", place);
    source = new EventSource(address);
    const hear = (kind, act) =>
      source.addEventListener(kind, (event) => {
        place = event.lastEventId || place;
        act(event.data);
      });
    hear("table", put);
    hear("changed", changed);
    hear("gap", changed);
    source.addEventListener("open", () => (wait = 0));
    source.addEventListener("error", () => {
      // the browser comes back by itself, unless it was refused
      if (source && source.readyState !== EventSource.CLOSED) return;
      close();
      wait = Math.min(8000, wait * 2 + 1000);
      setTimeout(open, wait * (0.5 + Math.random()));
      changed();
    });
  };

  document.addEventListener("focusout", () => stale && changed());
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else if (root.dataset.live) open();
    if (!document.hidden) changed();
  });
  if (root.dataset.live) open();
  if (anyway) setInterval(changed, anyway);
})();

// A table at which somebody sits. Without this file the page is a form that works; with it the table renews itself,
// the clock runs, and digits and arrows choose. Only whole parts of the page come from the server, drawn for this seat.
(() => {
  "use strict";
  const root = document.getElementById("table");
  if (!root) return;

  const often = 1000; // milliseconds between two looks whether there is anything new,
  const seldom = 10; // of which so many are left out while the stream tells it
  const still = 350; // so long after a change a click is the second half of a double click, and meant for what was there
  let shown = performance.now();
  let clock = 0;
  let busy = false;
  let missed = false; // something was told while the page was being fetched
  let source = null;
  let beats = 0;
  let typed = "";
  let typedAt = 0;

  const part = () => root.querySelector("[data-table]");
  const buttons = () => [...root.querySelectorAll("button.choice")];

  const put = (html) => {
    const inside = root.contains(document.activeElement);
    const opened = root.querySelector("details[open]") !== null;
    root.innerHTML = html;
    shown = performance.now();
    if (opened) root.querySelector("details")?.setAttribute("open", "");
    document.title = `${root.querySelector("h1").textContent.trim()} · Bluff Arena`;
    if (inside) root.querySelector("h1").focus({ preventScroll: true });
    start();
  };

  const ask = async (address, options) => {
    if (busy) return;
    busy = true;
    root.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address, { ...options, headers: { "HX-Request": "true" }, credentials: "same-origin" });
      if (!answer.ok) throw new Error(String(answer.status));
      put(await answer.text());
    } catch {
      // the connection is away for a moment, or the page is too old: what it shows may not be true any more
      window.setTimeout(() => window.location.assign(part().dataset.here), 2000);
    } finally {
      busy = false;
      root.removeAttribute("aria-busy");
    }
    if (missed) look();
  };

  const words = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

  const start = () => {
    window.clearInterval(clock);
    const line = root.querySelector("[data-clock]");
    if (!line) return;
    const end = performance.now() + 1000 * Number(line.dataset.seconds);
    const bar = line.querySelector("progress");
    const text = line.querySelector("span");
    const tick = () => {
      const left = Math.max(0, (end - performance.now()) / 1000);
      bar.value = left;
      text.textContent = words(left);
      line.classList.toggle("clock-short", left < 10);
      if (!left) {
        window.clearInterval(clock);
        root.querySelectorAll("button.choice").forEach((button) => button.setAttribute("disabled", ""));
        window.setTimeout(() => ask(part().dataset.here), 200);
      }
    };
    tick();
    clock = window.setInterval(tick, 250);
  };

  const look = async () => {
    const now = part();
    missed = busy;
    if (busy || !now || ["over", "broken"].includes(now.dataset.state)) return;
    try {
      const answer = await fetch(now.dataset.now, { credentials: "same-origin" });
      if (!answer.ok) return;
      const found = await answer.json();
      const moving = found.state === "playing" || found.state === "waiting";
      if (String(found.written) !== now.dataset.written || !moving) await ask(now.dataset.here);
    } catch {
      // looked for again in a second
    }
  };

  root.addEventListener("submit", (event) => {
    const form = event.target.closest("[data-decision]");
    if (!form) return;
    event.preventDefault();
    const chosen = event.submitter;
    if (!chosen || performance.now() - shown < still) return;
    const body = new FormData(form);
    body.set(chosen.name, chosen.value);
    ask(form.action, { method: "POST", body });
  });

  root.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-part]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    history.replaceState(null, "", link.href);
    ask(link.href);
  });

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select, textarea")) return;
    const all = buttons();
    if (!all.length) return;
    const at = all.indexOf(document.activeElement);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) {
      if (at < 0 && event.target.closest(".story")) return; // the story scrolls
      event.preventDefault();
      all[at < 0 ? 0 : (at + step + all.length) % all.length].focus();
    } else if (/^[0-9]$/.test(event.key)) {
      typed = performance.now() - typedAt < 900 ? typed + event.key : event.key;
      typedAt = performance.now();
      const named = (text) => all.find((button) => button.querySelector("b").textContent.trim() === text);
      (named(typed) || named(event.key))?.focus();
    }
  });

  const listen = () => {
    const address = part()?.dataset.live;
    if (!address || source || document.hidden) return;
    source = new EventSource(address);
    source.addEventListener("changed", look);
    source.addEventListener("gap", look);
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) source = null;
    });
  };

  document.addEventListener("visibilitychange", look);
  window.setInterval(() => {
    beats += 1;
    if (document.hidden) return;
    const streaming = source && source.readyState === EventSource.OPEN;
    if (!streaming || beats % seldom === 0) look();
    if (!source && beats % seldom === 0) listen();
  }, often);
  listen();
  start();
})();

// A replay without full reloads. Every control is a link that works without this file too; here the links of
// #replay are fetched and swapped, and the address follows. Playing is pressing "next" again and again.
(() => {
  "use strict";
  const root = document.getElementById("replay");
  if (!root) return;
  const embedded = "embedded" in root.dataset; // a small part of another page, which keeps its title and its keys

  const beat = 1200; // milliseconds a step at normal speed
  const parts = new Map(); // address -> promise of its html
  let timer = 0;
  let speed = 1;
  let latest = 0;

  const link = (name) => root.querySelector(`a[data-go="${name}"][href]`);

  const load = (address) => {
    if (!parts.has(address)) {
      if (parts.size > 60) parts.delete(parts.keys().next().value);
      const part = fetch(address, { headers: { "HX-Request": "true" }, credentials: "same-origin" }).then((answer) => {
        if (!answer.ok) throw new Error(String(answer.status));
        return answer.text();
      });
      part.catch(() => parts.delete(address));
      parts.set(address, part);
    }
    return parts.get(address);
  };

  const revealLine = () => {
    const story = root.querySelector(".story");
    const line = story && story.querySelector("a.step[aria-current]");
    if (!line || story.scrollHeight <= story.clientHeight) return;
    const top = line.offsetTop - story.offsetTop;
    story.scrollTop = top - story.clientHeight / 3;
  };

  const dress = () => {
    root.querySelectorAll("[data-script]").forEach((element) => element.removeAttribute("hidden"));
    const play = root.querySelector("[data-play]");
    if (play) {
      play.textContent = timer ? play.dataset.pause : play.dataset.play;
      play.setAttribute("aria-pressed", String(Boolean(timer)));
    }
    const choice = root.querySelector("[data-speed]");
    if (choice) choice.value = String(speed);
    revealLine();
    const next = link("next");
    if (next) load(next.href).catch(() => {});
  };

  const show = async (address, push) => {
    const turn = ++latest;
    let html;
    try {
      html = await load(address);
    } catch {
      window.location.assign(address);
      return;
    }
    if (turn !== latest) return;
    const focused = document.activeElement && root.contains(document.activeElement) ? document.activeElement : null;
    const key = focused && (focused.dataset.go || (focused.hasAttribute("data-play") ? "play" : focused.dataset.keep));
    const open = [...root.querySelectorAll("details[open]")].map((element) => element.id);
    root.innerHTML = html;
    open.forEach((id) => document.getElementById(id)?.setAttribute("open", ""));
    const heading = root.querySelector("h1");
    if (heading && !embedded) document.title = `${heading.textContent.trim()} · Bluff Arena`;
    if (push && !embedded) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
    dress();
    if (key) root.querySelector(`[data-go="${key}"], [data-keep="${key}"]`)?.focus({ preventScroll: true });
    if (key === "play") root.querySelector("[data-play]")?.focus({ preventScroll: true });
  };

  const pause = () => {
    window.clearTimeout(timer);
    timer = 0;
    dress();
  };

  const tick = async () => {
    const next = link("next");
    if (!next) return pause();
    await show(next.href, false);
    if (timer) timer = window.setTimeout(tick, beat / speed);
  };

  const play = async () => {
    timer = window.setTimeout(tick, beat / speed);
    if (!link("next") && link("first")) await show(link("first").href, true);
    dress();
  };

  root.addEventListener("click", (event) => {
    if (event.target.closest("[data-play]")) {
      if (timer) pause();
      else play();
      return;
    }
    const target = event.target.closest("a[data-go]");
    if (!target || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    if (!target.hasAttribute("href")) return;
    if (timer) pause();
    show(target.href, true);
  });

  root.addEventListener("input", (event) => {
    if (event.target.matches("[data-scrub]")) {
      if (timer) pause();
      show(event.target.dataset.scrub.replace("STEP", event.target.value), false);
    }
  });

  root.addEventListener("change", (event) => {
    if (event.target.matches("[data-speed]")) speed = Number(event.target.value) || 1;
  });

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select, textarea")) return;
    if (embedded && !root.contains(event.target)) return;
    const name = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" }[event.key];
    if (name) {
      event.preventDefault();
      if (timer) pause();
      const target = link(name);
      if (target) show(target.href, false);
    } else if (event.key === " " && !event.target.closest("a, button, summary")) {
      event.preventDefault();
      if (timer) pause();
      else play();
    }
  });

  window.addEventListener("popstate", () => show(window.location.href, false));
  dress();
})();

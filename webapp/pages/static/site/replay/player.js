// A replay without reloading. Every control is a link that works without this file too; here the parts of #replay that
// change with the step are swapped, and the address follows. Hands (keys, touch, full screen) and panels are files of
// their own: they use root.player, and hear of each step by the event "replay:shown".
(() => {
  "use strict";
  const root = document.getElementById("replay");
  if (!root) return;
  const alone = "alone" in root.dataset; // embedded in somebody else's page
  const guest = alone || "embedded" in root.dataset; // a part of another page, which keeps its title, keys and history
  const blind = "blind" in root.dataset;
  const beat = 1200; // milliseconds a step at normal speed
  const speeds = [0.5, 1, 2, 4];
  const frames = window.replayFrames(root);
  const rounds = root.dataset.rounds.trim().split(/\s+/).map(Number);
  const last = Number(root.dataset.last);
  const shown = new Map(); // part -> its html
  let step = Number(root.dataset.step);
  let aim = step; // where we are going: the same, but while a chunk is on its way
  let viewer = root.dataset.viewer;
  let timer = 0;
  let playing = false;
  let latest = 0;

  const address = (at, as = viewer) => root.dataset.before + at + root.dataset.between + as + root.dataset.after;
  const find = (selector) => root.querySelectorAll(selector);

  // ---- speed, remembered but where we are a guest of somebody else

  const remembered = () => {
    try {
      return alone ? 1 : Number(localStorage.getItem("replay-speed"));
    } catch {
      return 1;
    }
  };
  let speed = speeds.includes(remembered()) ? remembered() : 1;
  const setSpeed = (wanted) => {
    speed = speeds.includes(wanted) ? wanted : 1;
    try {
      if (!alone) localStorage.setItem("replay-speed", String(speed));
    } catch {
      // a browser may keep nothing
    }
    dress();
  };
  const faster = (by) => setSpeed(speeds[Math.min(speeds.length - 1, Math.max(0, speeds.indexOf(speed) + by))]);

  // ---- where the controls lead

  const marks = () => [...find(".marks a[data-step]")].map((mark) => Number(mark.dataset.step)).sort((a, b) => a - b);
  const before = (steps) => steps.findLast((one) => one < aim);
  const after = (steps) => steps.find((one) => one > aim);
  const targets = {
    first: () => (aim ? 0 : undefined),
    previous: () => (aim ? aim - 1 : undefined),
    next: () => (aim < last ? aim + 1 : undefined),
    last: () => (aim < last ? last : undefined),
    "round-before": () => before(rounds),
    "round-after": () => after([...rounds, last]),
    "mark-before": () => before(marks()),
    "mark-after": () => after(marks()),
  };

  const link = (element, to) => {
    if (to === undefined) {
      element.removeAttribute("href");
      element.setAttribute("role", "link");
      element.setAttribute("aria-disabled", "true");
    } else {
      element.removeAttribute("aria-disabled");
      element.removeAttribute("role");
      element.setAttribute("href", to);
    }
  };

  const revealLine = () => {
    const story = root.querySelector(".story");
    const line = story?.querySelector("a.step[aria-current]");
    if (!line || story.scrollHeight <= story.clientHeight) return;
    story.scrollTop = line.offsetTop - story.offsetTop - story.clientHeight / 3;
  };

  const dress = () => {
    for (const [name, target] of Object.entries(targets)) {
      const to = target();
      find(`[data-go="${name}"]`).forEach((element) => link(element, to === undefined ? undefined : address(to)));
    }
    for (const one of find("a[data-step]")) one.setAttribute("href", address(one.dataset.step));
    for (const one of find("[data-viewer]")) {
      one.setAttribute("href", address(step, one.dataset.viewer));
      if (one.dataset.viewer === viewer) one.setAttribute("aria-current", "true");
      else one.removeAttribute("aria-current");
    }
    for (const play of find("[data-play]")) {
      play.textContent = playing ? play.dataset.pause : play.dataset.play;
      play.setAttribute("aria-pressed", String(playing));
    }
    for (const choice of find("[data-speed]")) choice.value = String(speed);
  };

  // ---- the address: browsers refuse more than some hundred changes in half a minute

  let noted = 0;
  let waiting = 0;
  const note = (push) => {
    window.clearTimeout(waiting);
    const write = () => {
      noted = Date.now();
      history[push && !guest ? "pushState" : "replaceState"]({ step, viewer }, "", address(step));
    };
    const rest = 350 - (Date.now() - noted);
    if (push || rest <= 0) write();
    else waiting = window.setTimeout(write, rest);
  };

  // ---- what is not in the chunks: who may see it, or where it leads, is not the same for all

  let resting = 0;
  const rest = () => {
    window.clearTimeout(resting);
    const open = (viewer === "everything" && !blind) || step === last;
    const places = root.querySelector('[data-rest="places"]');
    if (places && !open) places.replaceChildren();
    const stale = root.querySelector('[data-rest="logs"]')?.childElementCount;
    if (!stale && !(places && open && !places.childElementCount)) return;
    const turn = latest;
    resting = window.setTimeout(async () => {
      const answer = await fetch(address(step), { credentials: "same-origin" }).catch(() => undefined);
      if (!answer?.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (turn !== latest) return;
      for (const element of find("[data-rest]")) {
        const fresh = page.querySelector(`[data-rest="${element.dataset.rest}"]`);
        if (fresh) element.replaceChildren(...fresh.childNodes);
      }
    }, 250);
  };

  // ---- showing

  const show = async (to, { as = viewer, push = false, write = true, played = false } = {}) => {
    const turn = ++latest;
    aim = to;
    let parts = frames.here(as, to);
    if (!parts) {
      try {
        parts = await frames.get(as, to);
      } catch {
        window.location.assign(address(to, as));
        return false;
      }
      if (turn !== latest) return false;
      if (played && !playing) {
        aim = step; // a pause was asked for while it was on its way
        return false;
      }
    }
    // only what happened moves: the next step does, a jump does not
    root.classList.toggle("still", to !== step + 1 || as !== viewer);
    step = to;
    viewer = as;
    for (const element of find("[data-part]")) {
      const html = parts[element.dataset.part];
      if (html === undefined || shown.get(element) === html) continue;
      const focused = element.contains(document.activeElement) && document.activeElement.closest("a.step, a.round");
      element.innerHTML = html;
      shown.set(element, html);
      if (focused) element.querySelector("a[aria-current]")?.focus({ preventScroll: true });
    }
    const title = root.querySelector('h1[data-part="title"]');
    if (title && !guest) document.title = `${title.textContent.trim()} · Bluff Arena`;
    // only now, and not while something newer is on its way: the slider is where the finger has dragged it
    for (const scrub of find("[data-scrub]")) if (Number(scrub.value) !== step) scrub.value = String(step);
    dress();
    revealLine();
    if (write) note(push);
    rest();
    frames.prepare(viewer, step);
    root.dispatchEvent(new CustomEvent("replay:shown", { detail: { step, viewer } }));
    return true;
  };

  const pause = () => {
    window.clearTimeout(timer);
    playing = false;
    dress();
  };

  const tick = async () => {
    if (step >= last) return pause();
    await show(step + 1, { played: true });
    window.clearTimeout(timer); // of who has paused and played on meanwhile
    if (playing && step < last) timer = window.setTimeout(tick, beat / speed);
    else if (playing) pause();
  };

  const play = async () => {
    playing = true;
    if (step === last) await show(0);
    if (!playing) return;
    timer = window.setTimeout(tick, beat / speed);
    dress();
  };

  const toggle = () => (playing ? pause() : play());

  const go = (name, push = false) => {
    pause();
    const to = targets[name]();
    if (to !== undefined) show(to, { push });
  };

  const to = (at) => {
    pause();
    show(Math.min(last, Math.max(0, Math.round(at))));
  };

  root.addEventListener("click", (event) => {
    if (event.target.closest("[data-play]")) return void toggle();
    const target = event.target.closest("a[data-go], a[data-step], a[data-viewer]");
    if (!target || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    if (target.dataset.go) go(target.dataset.go, true);
    else if (target.dataset.viewer) show(aim, { as: target.dataset.viewer, push: true });
    else {
      pause();
      show(Number(target.dataset.step), { push: true });
    }
  });

  root.addEventListener("change", (event) => {
    if (event.target.matches("[data-speed]")) setSpeed(Number(event.target.value));
  });

  window.addEventListener("popstate", (event) => {
    if (!event.state || !("step" in event.state)) return;
    pause();
    show(event.state.step, { as: event.state.viewer, write: false });
  });

  root.player = { go, to, toggle, faster, address, last };
  document.querySelectorAll("[data-script]").forEach((element) => element.removeAttribute("hidden"));
  history.replaceState({ step, viewer }, "");
  dress();
  revealLine();
  // the first view is there: now what comes next
  const idle = window.requestIdleCallback ?? ((call) => window.setTimeout(call, 200));
  window.addEventListener("load", () => idle(() => frames.prepare(viewer, step)));
})();

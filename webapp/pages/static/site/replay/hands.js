// Keys, touch and full screen of a replay.
(() => {
  "use strict";
  const root = document.getElementById("replay");
  const player = root?.player;
  if (!player) return;
  const embedded = "embedded" in root.dataset; // a small part of a page: its keys are the page's

  // ---- keys

  const keys = {
    ArrowLeft: () => player.go("previous"),
    ArrowRight: () => player.go("next"),
    Home: () => player.go("first"),
    End: () => player.go("last"),
    f: () => full(),
    "+": () => player.faster(1),
    "=": () => player.faster(1),
    "-": () => player.faster(-1),
    m: () => player.go("mark-after"),
    M: () => player.go("mark-before"),
    "?": () => root.dispatchEvent(new CustomEvent("replay:help")),
    " ": () => player.toggle(),
  };
  const shifted = {
    ArrowLeft: () => player.go("round-before"),
    ArrowRight: () => player.go("round-after"),
  };

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    const at = event.target;
    if (at.matches("input:not([type=range]), select, textarea") || document.querySelector("dialog[open]")) return;
    if (embedded && !root.contains(at)) return;
    if (event.key === " " && at.closest("a, button, summary")) return; // it presses them
    if (at.matches("[type=range]") && !event.shiftKey && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    const act = (event.shiftKey && shifted[event.key]) || keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  // ---- the bar: the slider itself, and the marks above it

  const bar = root.querySelector(".bar");
  const slider = root.querySelector("[data-scrub]");
  root.addEventListener("input", (event) => {
    if (event.target === slider) player.to(Number(slider.value));
  });
  const drag = (event) => {
    const inner = slider.getBoundingClientRect();
    const thumb = inner.height / 2; // its middle is never nearer to an edge
    player.to(((event.clientX - inner.left - thumb) / (inner.width - 2 * thumb)) * player.last);
  };
  bar?.addEventListener("pointerdown", (event) => {
    if (event.button || event.target === slider || event.target.closest("a")) return;
    bar.setPointerCapture(event.pointerId);
    drag(event);
  });
  bar?.addEventListener("pointermove", (event) => {
    if (bar.hasPointerCapture(event.pointerId)) drag(event);
  });

  // ---- a swipe over the table is a step

  const felt = root.querySelector(".felt");
  let began = null;
  felt?.addEventListener("pointerdown", (event) => {
    began = event.pointerType === "mouse" || !event.isPrimary ? null : { x: event.clientX, y: event.clientY };
  });
  felt?.addEventListener("pointerup", (event) => {
    if (!began) return;
    const across = event.clientX - began.x;
    const down = event.clientY - began.y;
    began = null;
    if (Math.abs(across) > 40 && Math.abs(across) > 1.5 * Math.abs(down)) player.go(across < 0 ? "next" : "previous");
  });
  felt?.addEventListener("pointercancel", () => (began = null));

  // ---- full screen; where a browser has none for parts of pages (iPhone), the replay fills the window

  const button = root.querySelector("[data-full]");
  const filled = () => document.fullscreenElement === root || root.classList.contains("filled");
  const told = () => button?.setAttribute("aria-pressed", String(filled()));
  const full = async () => {
    if (document.fullscreenElement) await document.exitFullscreen();
    else if (root.classList.contains("filled")) root.classList.remove("filled");
    else {
      try {
        await root.requestFullscreen();
      } catch {
        root.classList.add("filled");
      }
    }
    told();
  };
  button?.addEventListener("click", full);
  document.addEventListener("fullscreenchange", told);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && root.classList.contains("filled")) {
      root.classList.remove("filled");
      told();
    }
  });
})();

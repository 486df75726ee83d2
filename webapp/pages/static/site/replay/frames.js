// The steps of a replay, fetched in chunks: so playing asks for nothing from step to step, and what was fetched is kept.
// window.replayFrames(root) gives them for the replay in #replay.
"use strict";
window.replayFrames = (root) => {
  const size = Number(root.dataset.size);
  const last = Number(root.dataset.last);
  const most = 24; // chunks in memory
  const chunks = new Map(); // "viewer/number" -> promise of the parts of its steps
  const arrived = new Map(); // the same, once they are here

  const load = (viewer, number) => {
    const name = `${viewer}/${number}`;
    if (!chunks.has(name)) {
      if (chunks.size >= most) {
        const oldest = chunks.keys().next().value;
        chunks.delete(oldest);
        arrived.delete(oldest);
      }
      const address = root.dataset.frames.replace("/KEY/0.json", `/${viewer}/${number}.json`);
      // what is embedded in somebody else's page sends no cookie, even where it could
      const credentials = "alone" in root.dataset ? "omit" : "same-origin";
      const chunk = fetch(address, { credentials })
        .then((answer) => {
          if (!answer.ok) throw new Error(String(answer.status));
          return answer.json();
        })
        .then(({ steps }) => {
          // a step names only the parts that differ from the step before
          let parts = {};
          const whole = steps.map((step) => (parts = { ...parts, ...step }));
          arrived.set(name, whole);
          return whole;
        });
      chunk.catch(() => chunks.delete(name));
      chunks.set(name, chunk);
    }
    return chunks.get(name);
  };

  return {
    // The parts of a step if they are here already.
    here: (viewer, step) => arrived.get(`${viewer}/${Math.floor(step / size)}`)?.[step % size],
    get: async (viewer, step) => (await load(viewer, Math.floor(step / size)))[step % size],
    // Fetch what will be wanted next.
    prepare: (viewer, step) => {
      const number = Math.floor(step / size);
      load(viewer, number).catch(() => {});
      if (step % size >= size / 2 && (number + 1) * size <= last) load(viewer, number + 1).catch(() => {});
    },
  };
};

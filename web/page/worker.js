// The library on a thread of its own, so that the page answers while it computes. Studies stay here; the page has their numbers.

const loaded = import("./core/index.js");
const studies = new Map();

function opened(study) {
  const key = studies.size + 1;
  studies.set(key, study);
  const { title, question, takes, notes } = study;
  return { key, title, question, takes, notes };
}

const calls = {
  arena: (core, votes, options) => core.arena(votes, options),
  create: (core, definition, options) => opened(new core.Study(definition, options)),
  restore: (core, log) => opened(core.Study.restore(log)),
  study: (_, key, method, ...args) => studies.get(key)[method](...args),
};

addEventListener("message", async ({ data: { id, call, args } }) => {
  try {
    postMessage({ id, ok: await calls[call](await loaded, ...args) });
  } catch (error) {
    postMessage({ id, error: error.message });
  }
});

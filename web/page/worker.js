// The library on a thread of its own, so that the page answers while it computes. Studies stay here; the page has their numbers.

const loaded = import("./core/index.js");
const studies = new Map();

/** So many votes run the inner loops often enough that the browser compiles them once more, for speed. */
const WARM_UP = 2000;

/** Ranks votes of nobody's, so that the first call of somebody's is as fast as the next ones. */
function warmUp(core) {
  const vote = (_, i) => `{"model_a":"${i % 7}","model_b":"${7 + (i % 11)}","winner":"${i % 3 ? "model_a" : "model_b"}"}`;
  core.arena(Array.from({ length: WARM_UP }, vote).join("\n"), { name: "votes.jsonl" });
}

// What goes wrong here goes wrong again when somebody calls, and is told then.
loaded.then(warmUp).catch(() => {});

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

// Calls of the library, which computes in a worker.

const worker = new Worker("worker.js", { type: "module" });
const waiting = new Map();
let last = 0;

worker.addEventListener("message", ({ data: { id, ok, error } }) => {
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) resolve(ok);
  else reject(new Error(error));
});
worker.addEventListener("error", () => {
  for (const { reject } of waiting.values()) reject(new Error("the library could not be loaded; reload the page"));
  waiting.clear();
});

/** Calls a function of `worker.js`. */
export function call(name, ...args) {
  const id = ++last;
  const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  worker.postMessage({ id, call: name, args });
  return answer;
}

// A study that is open: each change is kept before it is acknowledged.

import { call } from "./core.js";
import { find, keep } from "./keep.js";

const open = new Map();

/** Makes a study and keeps it. Its files are blobs by item. */
export async function create(definition, name, files = {}) {
  const made = await call("create", definition, { name });
  const log = await call("study", made.key, "export", "jsonl");
  const wanted = definition.stop?.answers;
  return keep({ title: definition.title ?? "", question: made.question, log, files, wanted });
}

/** Takes up a study from its log and keeps it. */
export async function take(log) {
  const made = await call("restore", log);
  const { definition } = JSON.parse(log.slice(0, log.indexOf("\n")));
  return keep({ title: made.title, question: made.question, log, files: {}, wanted: definition.stop?.answers ?? undefined });
}

/** The study that is kept under a number: what is kept, and the methods of a study. */
export async function session(id) {
  if (!open.has(id)) open.set(id, start(id));
  return open.get(id);
}

async function start(id) {
  const study = await find(id);
  if (!study) throw new Error("there is no such study in this browser");
  const { key, takes } = await call("restore", study.log);
  const of = (method, ...args) => call("study", key, method, ...args);
  const recorded = async (method, ...args) => {
    const done = await of(method, ...args);
    study.log = await of("export", "jsonl");
    await keep(study);
    return done;
  };
  return {
    study,
    takes,
    ask: () => recorded("ask"),
    tell: (answer, comparison) => recorded("tell", answer, comparison),
    undo: () => recorded("undo"),
    recommend: () => of("recommend"),
  };
}

/** Forgets a study that was removed. */
export const forget = (id) => open.delete(id);

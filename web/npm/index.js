// Preference learning in JavaScript: leaderboards, fits and studies, computed by the Rust library in WebAssembly.

import { toml } from "./toml.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

async function compile() {
  const url = new URL("./rather.wasm", import.meta.url);
  if (url.protocol !== "file:") return WebAssembly.compile(await (await fetch(url)).arrayBuffer());
  const { readFile } = await import("node:fs/promises");
  return WebAssembly.compile(await readFile(url));
}

const program = await compile();
let library = (await WebAssembly.instantiate(program)).exports;

/** A mistake that whoever calls can mend, in one sentence. */
export class RatherError extends Error {
  name = "RatherError";
}

/** A table as bytes: text, bytes, or rows as objects. */
function bytes(table) {
  if (typeof table === "string") return encoder.encode(table);
  if (table instanceof Uint8Array) return table;
  if (table instanceof ArrayBuffer) return new Uint8Array(table);
  if (Array.isArray(table)) return encoder.encode(table.map((row) => `${JSON.stringify(row)}\n`).join(""));
  throw new RatherError("a table is text, bytes, or an array of objects");
}

/** Calls the library with a request and the bytes of a file. */
function request(call, fields, file = new Uint8Array()) {
  const head = encoder.encode(`${JSON.stringify({ call, ...fields })}\n`);
  let reply;
  try {
    const at = library.rather_request(head.length + file.length);
    const room = new Uint8Array(library.memory.buffer, at, head.length + file.length);
    room.set(head);
    room.set(file, head.length);
    const length = library.rather_call();
    reply = decoder.decode(new Uint8Array(library.memory.buffer, library.rather_reply(), length));
  } catch (error) {
    // What is left of its memory is of no use any more.
    library = new WebAssembly.Instance(program).exports;
    throw new Error("the library ran out of memory or failed; studies must be opened again from their logs", { cause: error });
  }
  const { ok, error } = JSON.parse(reply);
  if (error !== undefined) throw new RatherError(error);
  return ok;
}

/** The version of the library. */
export const version = request("version");

/** A leaderboard from votes. */
export function arena(votes, { name = "votes", seed = 0, since, columns = {}, style = [], ...options } = {}) {
  const asked = { ...options, style: [style].flat(), columns: Object.entries(columns) };
  return request("arena", { name, seed, since, options: asked }, bytes(votes));
}

/** Utilities of items from answers of any kind. */
export function fit(answers, { name = "answers", items, kernel, ard, positionBias, link, ties } = {}) {
  const text = items === undefined ? undefined : decoder.decode(bytes(items));
  const how = { ard, position_bias: positionBias, logistic: link === "logistic", drop_ties: ties === "drop" };
  return request("fit", { name, items: text, kernel, ...how }, bytes(answers));
}

/** A study: ask, tell, undo, recommend. */
export class Study {
  #number;

  /** Makes a study of a definition, as an object or in TOML. */
  constructor(definition, { name = "study", participant } = {}) {
    const opened =
      definition instanceof Opened
        ? definition.study
        : request("study-new", { name, definition: typeof definition === "string" ? definition : toml(definition), now: Date.now() });
    this.#number = opened.study;
    this.participant = participant;
    Object.assign(this, { name: opened.name, title: opened.title, question: opened.question, takes: opened.takes, notes: opened.notes });
  }

  /** Takes up a study from its log. */
  static restore(log, { participant } = {}) {
    return new Study(new Opened(request("study-restore", { now: Date.now() }, bytes(log))), { participant });
  }

  #request(call, fields = {}, file) {
    return request(call, { study: this.#number, participant: this.participant, now: Date.now(), ...fields }, file);
  }

  /** The comparison to answer; the same until it is answered. */
  ask() {
    return this.#request("study-ask");
  }

  /** Records an answer to the open comparison, or to the one of a number. */
  tell(answer, comparison) {
    return this.#request("study-tell", { answer, comparison });
  }

  /** Undoes the last answer. */
  undo() {
    return this.#request("study-undo");
  }

  /** What the answers recommend, and how sure that is. */
  recommend() {
    return this.#request("study-recommend");
  }

  /** The answers as text: `jsonl` is the log, with the definition. */
  export(format = "jsonl") {
    return this.#request("study-export", { format });
  }

  /** Adds the answers of a file of this name. */
  import(file, name = "answers.jsonl") {
    return this.#request("study-import", { name }, bytes(file));
  }

  /** Forgets the study. */
  close() {
    return this.#request("study-close");
  }
}

/** What opening a study gives, for the constructor alone. */
class Opened {
  constructor(study) {
    this.study = study;
  }
}

// The package as its users have it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { RatherError, Study, arena, fit, version } from "../npm/index.js";
import { toml } from "../npm/toml.js";

test("the library is small", () => {
  const bytes = gzipSync(readFileSync(new URL("../npm/rather.wasm", import.meta.url)), { level: 9 }).length;
  assert.ok(bytes < 2_000_000, `${bytes} bytes`);
  assert.equal(version, JSON.parse(readFileSync(new URL("../npm/package.json", import.meta.url))).version);
});

test("votes may be text, bytes or objects", () => {
  const csv = "winner,loser\nx,y\nx,y\ny,z\nx,z\n";
  const objects = csv.trim().split("\n").slice(1).map((line) => line.split(",")).map(([winner, loser]) => ({ winner, loser }));
  const boards = [csv, new TextEncoder().encode(csv), objects, gzipSync(csv)].map((votes, i) => arena(votes, { name: i === 3 ? "v.csv.gz" : "v" }).board);
  for (const board of boards) assert.deepEqual(board, boards[0]);
  assert.deepEqual(boards[0].map((line) => line.item), ["x", "y", "z"]);
});

test("10,000 votes on 50 models are ranked", (t) => {
  let state = 1;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const votes = Array.from({ length: 10_000 }, () => {
    const [a, b] = [Math.floor(50 * random()), Math.floor(50 * random())];
    return { model_a: `m${a}`, model_b: `m${a === b ? (b + 1) % 50 : b}`, winner: random() < 1 / (1 + Math.exp((a - b) / 10)) ? "model_a" : "model_b" };
  });
  const start = process.cpuUsage();
  const report = arena(votes);
  const { user } = process.cpuUsage(start);
  t.diagnostic(`10,000 votes on 50 models: ${(user / 1000).toFixed(0)} ms of a processor`);
  assert.equal(report.board.length, 50);
});

test("mistakes are sentences", () => {
  const sentence = (work) => {
    try {
      work();
    } catch (error) {
      assert.ok(error instanceof RatherError, String(error));
      return error.message;
    }
    assert.fail("no mistake");
  };
  assert.match(sentence(() => arena("x1,x2\n1,2\n")), /^votes has no columns that are votes/);
  assert.match(sentence(() => arena("")), /is empty/);
  assert.match(sentence(() => arena("winner,loser\nx,y\n", { units: "stars" })), /unknown variant `stars`/);
  assert.match(sentence(() => arena("winner,loser\nx,y\n", { since: "yesterday" })), /write a date as 2026-01-31/);
  assert.match(sentence(() => fit("winner,loser\nx,y\n", { kernel: "se[" })), /kernel expression/);
  assert.match(sentence(() => new Study({})), /what is to be compared is missing/);
  assert.match(sentence(() => new Study({ items: ["x", "x"] })), /twice/);
  const study = new Study({ items: ["x", "y", "z"], answers: "sides" });
  assert.match(sentence(() => study.tell("left")), /no open comparison/);
  assert.match(sentence(() => study.recommend()), /no answers yet/);
  study.ask();
  assert.match(sentence(() => study.tell("tie")), /not an answer of this study/);
  assert.match(sentence(() => Study.restore("{}\n")), /log, line 1: this is not the first line of a study's log/);
  study.close();
  assert.match(sentence(() => study.ask()), /closed/);
});

test("a study goes on from its log", () => {
  const study = new Study({ question: "Which tea?", items: ["Assam", "Oolong", "Sencha"], stop: { answers: 3 } }, { participant: "ann" });
  assert.equal(study.question, "Which tea?");
  const first = study.ask();
  assert.deepEqual([first.comparison, first.options.length, first.again, study.ask().again], [1, 2, false, true]);
  study.tell("left", 1);
  study.ask();
  study.tell("skip");
  study.undo();
  const log = study.export();
  const later = Study.restore(log, { participant: "ann" });
  assert.equal(later.export(), log);
  for (const one of [study, later]) {
    while (!one.ask().finished) one.tell("right");
    assert.equal(one.recommend().stop, "finished");
  }
  assert.deepEqual(later.recommend(), study.recommend());
  const other = new Study({ items: ["Assam", "Oolong", "Sencha"] }, { participant: "ann" });
  assert.equal(other.import(study.export("csv"), "answers.csv").answers, 3);
});

test("a set of options is asked for its best", () => {
  const study = new Study({ items: ["a", "b", "c", "d", "e"], options: 3 });
  assert.equal(study.ask().options.length, 3);
  assert.equal(study.tell("best 2").answer, "best 2");
});

test("definitions are written as TOML", () => {
  assert.equal(toml({ 'a "b"': [1, "x\n", true], c: { d: 0.5 }, e: undefined }), '"a \\"b\\"" = [1, "x\\n", true]\n"c" = { "d" = 0.5 }\n');
  assert.throws(() => toml({ a: NaN }), /a is NaN/);
});

test("the examples of the pages run", async () => {
  const memory = new Map();
  globalThis.localStorage = { setItem: (key, value) => memory.set(key, value), getItem: (key) => memory.get(key) };
  for (const page of ["../npm/README.md", "../../docs/src/guide/browser.md"]) {
    const blocks = readFileSync(new URL(page, import.meta.url), "utf8").split("```js\n").slice(1).map((rest) => rest.split("```")[0])
      // Those of the plugin have a test beside it.
      .filter((block) => !block.includes("jspsych"));
    assert.equal(blocks.length, 1, page);
    const code = blocks[0].replace('"@rather/core"', JSON.stringify(new URL("../npm/index.js", import.meta.url).href));
    await import(`data:text/javascript,${encodeURIComponent(code)}`);
  }
});

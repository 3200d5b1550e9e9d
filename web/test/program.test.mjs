// The library in WebAssembly says what the program says.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Study, arena, fit } from "../npm/index.js";
import { example, inFolder, rather, same, text } from "./compare.mjs";

/** What checks found, but for numbers of simulations: these follow from a factor of a covariance, whose pivots rounding may exchange. */
const withoutDraws = ({ check, concern, sentence }) => ({ check, concern, sentence: ["cycles", "repeated pairs"].includes(check) ? "" : sentence });

const read = (name) => readFileSync(example(name));

test("leaderboards are those of the program", () => {
  const asked = [
    ["votes.jsonl", [], {}],
    ["votes.jsonl", ["--units", "win-rate", "--style", "tokens", "--by", "language"], { units: "win-rate", style: "tokens", by: "language" }],
    ["arena.jsonl", ["--since", "2025-01-01", "--units", "jod"], { since: "2025-01-01", units: "jod" }],
    ["votes.csv", [], {}],
    ["judged.csv", [], {}],
  ];
  let compared = 0;
  for (const [name, flags, options] of asked) {
    let expected;
    try {
      expected = rather("arena", `examples/${name}`, ...flags);
    } catch (error) {
      // What the program refuses is refused here with the same sentence.
      const sentence = error.stderr.replace(/^(rather: )?error: /, "").trim();
      assert.throws(() => arena(read(name), { name: `examples/${name}`, ...options }), (found) => sentence.includes(found.message));
      continue;
    }
    const found = arena(read(name), { name: `examples/${name}`, ...options });
    for (const report of [found, expected]) report.audit = report.audit.map(withoutDraws);
    same(found, expected);
    compared += 1;
  }
  assert.ok(compared >= 3);
});

test("fits are those of the program", () => {
  const asked = [
    [["examples/teas.csv", "examples/tastings.csv"], { items: "teas.csv" }],
    [["examples/tastings.csv"], {}],
    [["examples/teas.csv", "examples/graded.csv", "--kernel", "se + white"], { items: "teas.csv", kernel: "se + white" }],
  ];
  let compared = 0;
  for (const [args, { items, ...options }] of asked) {
    const { items: number, kernel, hyperparameters, log_evidence, converged, ranking, ...rest } = rather("fit", ...args);
    const name = args.filter((arg) => arg.endsWith(".csv")).at(-1);
    const found = fit(readFileSync(join(example(".."), name)), { name, items: items && read(items), ...options });
    assert.ok(rest.comparisons >= 0);
    const named = Object.fromEntries(found.hyperparameters);
    same({ ...found, hyperparameters: named, warnings: [] }, { items: number, kernel, hyperparameters, log_evidence, converged, ranking, warnings: [] }, ["label"]);
    compared += 1;
  }
  assert.equal(compared, asked.length);
});

const DEFINITIONS = {
  items: `
seed = 7
items = ["Assam", "Ceylon", "Darjeeling", "Keemun", "Lapsang", "Oolong", "Sencha", "Yunnan"]
time_limit = 600
`,
  features: `
seed = 3
items = [
  { name = "a", price = 2, kind = "green" }, { name = "b", price = 3, kind = "black" }, { name = "c", price = 5, kind = "green" },
  { name = "d", price = 8, kind = "black" }, { name = "e", price = 13, kind = "green" },
]
answers = "sides"
time_limit = 600
`,
  parameters: `
seed = 11
time_limit = 600
[parameters]
gain = { type = "float", low = 0, high = 20 }
taps = { type = "integer", low = 1, high = 8 }
mode = { type = "categorical", choices = ["soft", "hard"] }
`,
};

/** Somebody who likes what comes first in the alphabet, or a gain of 7, four taps, hard; ties where both are nearly as good. */
function prefer([left, right], takes) {
  const utility = (x) => (typeof x === "string" ? -x.charCodeAt(0) : -(((x.gain - 7) / 3) ** 2) - Math.abs(x.taps - 4) / 2 + (x.mode === "hard"));
  const difference = utility(left) - utility(right);
  if (takes.includes("tie") && Math.abs(difference) < 0.2) return "tie";
  return difference > 0 ? "left" : "right";
}

/** An option as the program prints it is an object with the features of an item. */
const plain = (option) => option.item ?? option;

for (const [kind, definition] of Object.entries(DEFINITIONS)) {
  test(`a study of ${kind} asks, records and recommends as the program`, () => {
    inFolder((folder) => {
      writeFileSync(join(folder, "d.toml"), definition);
      const file = join(folder, "s.study");
      rather("study", "new", file, "--from", join(folder, "d.toml"), "--study", "study");
      let study = new Study(definition);
      let choices = 0;
      for (let i = 0; i < 20; i += 1) {
        const expected = rather("study", "ask", file, "--no-ahead");
        let found = study.ask();
        if (kind === "items" && plain(expected.options[0]) + plain(expected.options[1]) !== found.options.join("")) {
          // Items without features that were not compared yet are worth the same but for rounding; go on with the program's choice.
          const worth = (log) => JSON.parse(log.trim().split("\n").at(-1)).note.score;
          const log = text("study", "export", file, "--format", "jsonl");
          same(worth(study.export()), worth(log));
          study.close();
          study = Study.restore(log);
          found = study.ask();
          choices += 1;
        }
        assert.deepEqual(found.options, expected.options.map(plain), `comparison ${i + 1}`);
        assert.deepEqual(study.takes, expected.takes);
        const answer = i === 4 ? "skip" : prefer(found.options, study.takes);
        if (answer === "skip") rather("study", "skip", file);
        else rather("study", "tell", file, answer);
        study.tell(answer, found.comparison);
        if (i === 9) {
          rather("study", "undo", file);
          study.undo();
          rather("study", "tell", file, answer);
          study.tell(answer);
        }
      }
      const best = rather("study", "best", file, "--top", "100");
      const { recommended, ranking, ...advice } = study.recommend();
      assert.deepEqual(recommended, plain(best.recommended));
      same(advice, Object.fromEntries(Object.keys(advice).map((key) => [key, best[key]])));
      same(ranking.map((line) => line.utility), best.ranking.map((line) => line.utility));
      // Each had the program's score; how many there are depends on rounding.
      assert.ok(choices <= 10, `${choices} choices`);
      // The log is the same but for the times, and the last digits of what a comparison is worth.
      const lines = (log) => log.trim().split("\n").map((line) => JSON.parse(line));
      const log = study.export();
      same(lines(log), lines(text("study", "export", file, "--format", "jsonl")), ["time"]);
      // Each takes the other's.
      writeFileSync(join(folder, "log.jsonl"), log);
      rather("study", "new", join(folder, "t.study"), "--from", join(folder, "d.toml"));
      const imported = rather("study", "import", join(folder, "t.study"), join(folder, "log.jsonl"));
      assert.equal(imported.answers, 19);
      const restored = Study.restore(text("study", "export", file, "--format", "jsonl"));
      assert.deepEqual(restored.ask().options, rather("study", "ask", file, "--no-ahead").options.map(plain));
    });
  });
}

// The plugin of jsPsych, with a study and as much of jsPsych and of a document as it uses.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import RatherPlugin, { comparisons } from "../jspsych/index.js";

/** As much of an element as the plugin uses. */
class Element {
  constructor(tag, ownerDocument) {
    Object.assign(this, { tag, ownerDocument, className: "", dataset: {}, children: [], listeners: {} });
  }
  append(...more) {
    this.children.push(...more);
  }
  replaceChildren(...all) {
    this.children = all;
  }
  addEventListener(kind, listener) {
    this.listeners[kind] = listener;
  }
  find(answer) {
    const inside = this.children.filter((child) => child instanceof Element);
    return inside.find((child) => child.dataset.answer === answer) ?? inside.map((child) => child.find(answer)).find(Boolean);
  }
  get text() {
    return this.children.map((child) => (child instanceof Element ? child.text : child)).join(" ");
  }
}

const document = { createElement: (tag) => new Element(tag, document) };

/** A study that asks the same pair until it has so many answers. */
function study({ stop = 3, takes = ["left", "right", "tie"], options = ["Assam", { grams: 4 }] } = {}) {
  const told = [];
  return {
    takes,
    told,
    question: "Which tea?",
    ask: () => (told.length < stop ? { finished: false, comparison: told.length + 1, options, answers: told.length } : { finished: true, answers: told.length }),
    tell: (answer, comparison) => ({ answers: told.push([comparison, answer]) }),
  };
}

function run(asked, parameters = {}) {
  const display = new Element("div", document);
  const found = { display, data: null, keys: null, cancelled: 0 };
  const jsPsych = {
    finishTrial: (data) => (found.data = data),
    pluginAPI: { getKeyboardResponse: (keys) => (found.keys = keys), cancelKeyboardResponse: () => (found.cancelled += 1) },
  };
  const defaults = Object.fromEntries(Object.entries(RatherPlugin.info.parameters).map(([name, { default: value }]) => [name, value]));
  new RatherPlugin(jsPsych).trial(display, { ...defaults, study: asked, ...parameters });
  return found;
}

test("a click answers, and is the data of the trial", () => {
  const asked = study();
  const { display, data, ...found } = run(asked);
  assert.equal(data, null);
  assert.equal(display.text, "Which tea? Assam grams = 4 No preference");
  const after = run(asked);
  after.display.find("right").listeners.click();
  assert.deepEqual(asked.told, [[1, "right"]]);
  const { rt, ...rest } = after.data;
  assert.ok(rt >= 0);
  assert.deepEqual(rest, { comparison: 1, options: ["Assam", { grams: 4 }], answer: "right", answers: 1, finished: false });
  assert.equal(after.display.children.length, 0);
  assert.equal(after.cancelled, 1);
  assert.deepEqual(found.keys.valid_responses, ["arrowleft", "arrowright", "arrowdown"]);
});

test("a key answers, if the study takes it", () => {
  const asked = study({ takes: ["left", "right"] });
  const found = run(asked);
  assert.equal(found.display.find("tie"), undefined);
  assert.deepEqual(found.keys.valid_responses, ["arrowleft", "arrowright"]);
  found.keys.callback_function({ key: "ArrowLeft" });
  assert.equal(found.data.answer, "left");
  assert.equal(run(asked, { keys: "NO_KEYS" }).keys, null);
});

test("options of a set are chosen by their numbers", () => {
  const asked = study({ takes: ["best"], options: ["a", "b", "c"] });
  const found = run(asked, { show: (option, element) => element.append(`<${option}>`), prompt: "Best?" });
  assert.equal(found.display.text, "Best? <a> <b> <c>");
  found.keys.callback_function({ key: "3" });
  assert.deepEqual(asked.told, [[1, "best 3"]]);
});

test("a timeline goes on until the study ends, or for so many answers", () => {
  const goesOn = (node, data) => node.loop_function({ values: () => [data] });
  const asked = study({ stop: 2 });
  const node = comparisons(asked, { prompt: "Now?" });
  assert.equal(node.timeline[0].type, RatherPlugin);
  assert.equal(node.timeline[0].prompt, "Now?");
  asked.tell("left", 1);
  assert.equal(goesOn(node, { finished: false, answers: 1 }), true);
  assert.equal(goesOn(comparisons(asked, { n: 1 }), { finished: false, answers: 1 }), false);
  asked.tell("left", 2);
  assert.equal(goesOn(node, { finished: false, answers: 2 }), false);
  assert.deepEqual(run(asked).data, { finished: true, answers: 2 });
});

test("its version is that of the package, which has what it names", () => {
  const at = (name) => readFileSync(new URL(`../jspsych/${name}`, import.meta.url), "utf8");
  const { version, files } = JSON.parse(at("package.json"));
  assert.equal(RatherPlugin.info.version, version);
  files.forEach((name) => assert.ok(at(name).length > 0));
  assert.match(at("example.html"), /from "@rather\/jspsych"/);
});

test("the example of the page runs", async () => {
  const page = readFileSync(new URL("../../docs/src/guide/browser.md", import.meta.url), "utf8");
  const [code] = page.split("```js\n").map((rest) => rest.split("```")[0]).filter((block) => block.includes('"jspsych"'));
  const file = (path) => JSON.stringify(new URL(path, import.meta.url).href);
  // In the place of jsPsych, which is not needed to see what it is given.
  const jspsych = "export const initJsPsych = () => ({ run: (timeline) => { globalThis.timeline = timeline; } });";
  const runs = code
    .replace('"jspsych"', `"data:text/javascript,${encodeURIComponent(jspsych)}"`)
    .replace('"@rather/core"', file("../npm/index.js"))
    .replace('"@rather/jspsych"', file("../jspsych/index.js"));
  await import(`data:text/javascript,${encodeURIComponent(runs)}`);
  assert.equal(globalThis.timeline.length, 1);
});

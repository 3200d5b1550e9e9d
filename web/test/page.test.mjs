// The page in a real browser: a leaderboard, a study by keys, without a network, on a telephone, by the rules of axe-core.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Study } from "../npm/index.js";
import { example, root } from "./compare.mjs";
import { Browser, serve } from "./webdriver.mjs";

const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const axe = process.env.RATHER_AXE && readFileSync(process.env.RATHER_AXE, "utf8");
const [LEFT, RIGHT, DOWN] = ["\ue012", "\ue014", "\ue015"];

let site, browser;
before(async () => {
  site = await serve(join(target, "page"));
  browser = await Browser.start();
  const required = process.env.RATHER_REQUIRE ?? "";
  if (!browser || !axe) assert.ok(!required.includes("browser") && required !== "1", "needs chromium, chromedriver and RATHER_AXE");
});
after(async () => {
  await browser?.stop();
  site.stop();
});

/** The page at an address after `#`, with nothing of the test before. */
async function open(hash = "") {
  await browser.go(`${site.url}${hash}`);
  await browser.until("document.querySelector('.view:not([hidden])')");
}

/** Nothing is wider than a telephone, no rule of axe-core is broken, in light and dark; with pictures. */
async function check(name) {
  for (const [width, dark] of [[390, false], [390, true], [1280, false], [1280, true]]) {
    await browser.look(width, dark);
    // What is still fading in has no contrast yet.
    await browser.script("await Promise.allSettled(document.getAnimations().map((animation) => animation.finished))");
    const beyond = await browser.script("return document.scrollingElement.scrollWidth - document.documentElement.clientWidth");
    assert.equal(beyond, 0, `${name} at ${width} pixels`);
    if (axe) {
      const found = await browser.script(`${axe}; return (await axe.run(document, { resultTypes: ["violations"] })).violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html).join(" "))`);
      assert.deepEqual(found, [], `${name} at ${width} pixels${dark ? ", dark" : ""}`);
    }
    await browser.picture(join(target, "page-pictures", `${name}-${width}${dark ? "-dark" : ""}.png`));
  }
}

const skip = (t) => !browser && (t.skip("no browser"), true);

test("votes become a leaderboard", async (t) => {
  if (skip(t)) return;
  await open();
  await check("empty");
  await browser.type("#votes-file", example("votes.jsonl"));
  await browser.until("!document.getElementById('board').hidden");
  const items = "return [...document.querySelectorAll('.board-table tbody th')].map((e) => e.textContent)";
  assert.deepEqual(await browser.script(items), ["aster", "briar", "cedar", "dahlia", "elder", "fern", "gorse", "hazel", "iris"]);
  await check("leaderboard");
  await browser.script("document.querySelector('#votes-form details').open = true");
  await browser.type("#by", "tongue");
  await browser.click("#rank");
  await browser.until("!document.getElementById('votes-trouble').hidden");
  const sentence = await browser.script("return document.getElementById('votes-trouble').textContent");
  assert.match(sentence, /“A board for each value of” tongue: votes\.jsonl has no column tongue\./);
  assert.deepEqual(await browser.errors(), []);
});

test("10,000 votes on 50 models are ranked", async (t) => {
  if (skip(t)) return;
  await open();
  // Twice: the first call here may wait for the library to be loaded and warmed up.
  const script = `
    const { call } = await import("./core.js");
    let state = 1;
    const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
    const lines = Array.from({ length: 10000 }, () => {
      const a = Math.floor(50 * random()), b = Math.floor(50 * random());
      return JSON.stringify({ model_a: "m" + a, model_b: "m" + (a === b ? (b + 1) % 50 : b), winner: random() < 1 / (1 + Math.exp((a - b) / 10)) ? "model_a" : "model_b" });
    });
    const took = [];
    for (let i = 0; i < 2; i += 1) {
      const start = performance.now();
      await call("arena", lines.join("\\n"), { name: "votes.jsonl" });
      took.push(performance.now() - start);
    }
    return took`;
  const took = await browser.script(script);
  // Figures belong to a quiet machine: here they are said, and only a wreck fails.
  t.diagnostic(`${took.map((ms) => `${ms.toFixed(0)} ms`).join(", then ")}`);
  assert.ok(took[1] < 30_000);
});

const TEXTS = ["amber", "blue", "cyan", "denim", "ebony", "fawn"];

/** Answers the open comparison by a key, as somebody who prefers what comes first in the alphabet. */
async function answer(number) {
  await browser.until(`document.getElementById("count").textContent === "Comparison ${number}"`);
  const shown = await browser.script("return [...document.querySelectorAll('.side .text')].map((e) => e.textContent)");
  await browser.press(shown[0] < shown[1] ? LEFT : RIGHT);
  return shown;
}

test("a study is answered by keys, and is kept", async (t) => {
  if (skip(t)) return;
  await open("#studies");
  await check("studies");
  await browser.type("#texts", TEXTS.join("\n"));
  await browser.script("document.querySelector('#study-form details').open = true");
  await browser.type("#wanted", "12");
  await browser.click("#study-form button.primary");
  // The same study in Node asks the same.
  const study = new Study({ items: TEXTS, stop: { answers: 12 }, answers: "ties", question: "Which do you prefer?", seed: 0, title: "" });
  // The comparison that was open when an answer was undone is not asked again, and has had its number.
  const number = (i) => (i > 5 ? i + 1 : i);
  for (let i = 1; i <= 12; i += 1) {
    const { options } = study.ask();
    assert.deepEqual(await answer(number(i)), options);
    study.tell(options[0] < options[1] ? "left" : "right");
    if (i === 3) await check("compare");
    if (i === 5) {
      await browser.until('document.getElementById("count").textContent === "Comparison 6"');
      await browser.press("u");
      await answer(5);
    }
    if (i === 7) {
      // What was answered is there after the page is loaded again.
      await browser.until('document.getElementById("count").textContent === "Comparison 9"');
      await browser.post("refresh");
    }
  }
  await browser.until("!document.getElementById('result').hidden && document.querySelector('#result .value')");
  assert.equal(await browser.script("return document.querySelector('#result .value').textContent"), study.recommend().recommended);
  await check("result");
  const log = await browser.script("const { kept } = await import('./keep.js'); return (await kept())[0].log");
  assert.deepEqual(Study.restore(log).recommend(), study.recommend());
  await browser.click(".top nav a[href='#studies']");
  await browser.until("document.querySelectorAll('#kept li').length === 1");
  assert.deepEqual(await browser.errors(), []);
});

test("parameters and pictures are compared by clicks", async (t) => {
  if (skip(t)) return;
  await open("#studies");
  await browser.click("input[value=parameters]");
  await browser.type("#parameters-text", "gain: 0 to 20\ntaps: 1 to 8 whole\nmode: soft, hard");
  await browser.click("#study-form button.primary");
  await browser.until("document.querySelectorAll('.side .parameters').length === 2");
  await browser.press(DOWN);
  await browser.until('document.getElementById("count").textContent === "Comparison 2"');
  await browser.click(".answer[data-answer=left]");
  await browser.until('document.getElementById("count").textContent === "Comparison 3"');
  await check("parameters");

  await open("?files#studies");
  await browser.click("input[value=files]");
  await browser.script(`
    const picture = async (name, colour) => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 320, height: 240 });
      const context = canvas.getContext("2d");
      context.fillStyle = colour;
      context.fillRect(0, 0, 320, 240);
      return new File([await new Promise((resolve) => canvas.toBlob(resolve))], name, { type: "image/png" });
    };
    const files = new DataTransfer();
    for (const colour of ["teal", "tomato", "gold"]) files.items.add(await picture(colour + ".png", colour));
    document.getElementById("files-drop").dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true }));`);
  await browser.click("#study-form button.primary");
  await browser.until("[...document.querySelectorAll('.side img')].filter((img) => img.naturalWidth === 320).length === 2");
  await check("pictures");
  await browser.click(".side[data-side=right]");
  await browser.until('document.getElementById("count").textContent === "Comparison 2"');
  assert.deepEqual(await browser.errors(), []);
});

test("the page works without a network", async (t) => {
  if (skip(t)) return;
  await open();
  await browser.until("(await navigator.serviceWorker.ready).active.state === 'activated'");
  // Nothing listens any more: what is shown comes from the browser.
  await browser.offline(true);
  site.stop();
  await browser.post("refresh");
  await browser.click("#votes-example");
  await browser.until("!document.getElementById('board').hidden");
  assert.equal(await browser.script("return document.querySelectorAll('.board-table tbody tr').length"), 9);
  const elsewhere = await browser.script("return performance.getEntriesByType('resource').map((e) => e.name).filter((name) => !name.startsWith(location.origin) && !name.startsWith('blob:'))");
  assert.deepEqual(elsewhere, []);
});

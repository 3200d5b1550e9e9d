// The view of a comparison: two options, answered by a click or a key.

import { byId, make, say, trouble } from "./elements.js";
import { display, nameOf } from "./display.js";
import { session } from "./session.js";

/** What is on the page: a session, its number, and the question. */
let shown;
let busy = false;

const LABELS = { left: "The left one", right: "The right one", tie: "No preference", "much left": "The left one, much", "much right": "The right one, much" };
const STRENGTHS = { "much left": 2, left: 1, tie: 0, right: -1, "much right": -2 };
const KEYS = { ArrowLeft: "left", ArrowRight: "right", ArrowDown: "tie", s: "skip", S: "skip", u: "undo", U: "undo" };

/** Shows the open comparison of a study. */
export async function showComparison(id) {
  shown = undefined;
  byId("pair").replaceChildren();
  byId("answers").replaceChildren();
  try {
    shown = { id, ...(await session(id)) };
    await next();
  } catch (error) {
    trouble(byId("compare-trouble"), error);
  }
}

/** Asks, and draws what is asked. */
async function next() {
  const question = await shown.ask();
  if (question.finished) {
    location.hash = `#result/${shown.id}`;
    return;
  }
  shown.question = question;
  const { study, takes, id } = shown;
  byId("question-shown").textContent = study.question;
  byId("compare-title").textContent = study.title;
  byId("count").textContent = `Comparison ${question.comparison}`;
  byId("progress").hidden = !study.wanted;
  if (study.wanted) Object.assign(byId("progress"), { max: study.wanted, value: question.answers });
  byId("undo").disabled = question.comparison === 1;
  byId("to-result").href = byId("advice-link").href = `#result/${id}`;
  byId("tie-key").hidden = !takes.includes("tie");
  byId("pair").replaceChildren(...question.options.map(side));
  const ofTwo = takes.filter((name) => strength(name) !== undefined);
  const answers = ofTwo.sort((a, b) => strength(b) - strength(a));
  byId("answers").dataset.count = answers.length;
  byId("answers").replaceChildren(...answers.map(button));
  say(`${question.options.map(nameOf).join(" or ")}?`);
  // Whoever has answered already does not wait for it.
  advise(shown);
}

function side(option, place) {
  const name = ["left", "right"][place];
  const section = make("section", { className: "side", "aria-label": `The ${name} one` });
  section.dataset.side = name;
  section.append(...display(option, shown.study.files));
  section.addEventListener("click", (event) => {
    if (!event.target.closest("audio, video")) answer(name);
  });
  return section;
}

/** By how much a side is better, of an answer that is a number: its side and the number. */
function numberOf(name) {
  return name.match(/^(left|right) by (\d+)$/)?.slice(1);
}

/** How much an answer prefers the left option; nothing of one that does not compare. */
function strength(name) {
  const [side, number] = numberOf(name) ?? [];
  return side ? (side === "left" ? 1 : -1) * Number(number) : STRENGTHS[name];
}

function labelOf(name) {
  const [side, number] = numberOf(name) ?? [];
  return side ? `${LABELS[side]}, by ${number}` : LABELS[name];
}

function button(name) {
  const element = make("button", { type: "button", className: "answer", onclick: () => answer(name) }, labelOf(name));
  element.dataset.answer = name;
  return element;
}

/** Says when it is good enough, unless something else is shown by then. */
async function advise(asked) {
  const { question } = asked;
  let advice;
  try {
    advice = question.answers > 0 ? await asked.recommend() : undefined;
  } catch {
    // Without a preference yet there is nothing to say.
  }
  if (shown?.question !== question) return;
  byId("advice").hidden = advice?.stop !== "good_enough";
  if (advice) byId("advice-text").textContent = `${nameOf(advice.recommended)} is good enough with a probability of ${(100 * advice.probability_good_enough).toFixed(0)} %; you may stop.`;
}

/** Records an answer, or undoes the last one, and asks on. */
async function answer(what) {
  if (busy || !shown?.question || (what === "undo" && byId("undo").disabled)) return;
  if (what !== "undo" && !shown.takes.includes(what)) return;
  busy = true;
  byId("compare").setAttribute("aria-busy", "true");
  trouble(byId("compare-trouble"));
  try {
    if (what === "undo") await shown.undo();
    else await shown.tell(what, shown.question.comparison);
    await next();
  } catch (error) {
    trouble(byId("compare-trouble"), error);
  } finally {
    busy = false;
    byId("compare").removeAttribute("aria-busy");
  }
}

addEventListener("keydown", (event) => {
  if (byId("compare").hidden || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select, audio, video")) return;
  const what = KEYS[event.key];
  if (!what) return;
  event.preventDefault();
  answer(what);
});
byId("skip").addEventListener("click", () => answer("skip"));
byId("undo").addEventListener("click", () => answer("undo"));

// The view of what a study has found.

import { display, nameOf } from "./display.js";
import { byId, make, percent, save } from "./elements.js";
import { session } from "./session.js";

/** Shows the recommendation of a study. */
export async function showResult(id) {
  const view = byId("result");
  view.replaceChildren();
  const go = make("a", { className: "button primary", href: `#compare/${id}` }, "Go on comparing");
  try {
    const { study, recommend } = await session(id);
    const log = make("button", { type: "button", onclick: () => save(study.log, `${study.title || "study"}.jsonl`, "application/jsonl") }, "Export the answers");
    const actions = make("div", { className: "actions" }, go, log);
    view.append(make("h1", { id: "result-title" }, study.title || study.question));
    const advice = await recommend();
    view.append(found(advice, study), make("section", {}, make("h2", {}, "Ranking"), ranking(advice)), actions);
  } catch (error) {
    if (!view.firstChild) view.append(make("h1", { id: "result-title" }, "Result"));
    view.append(make("p", { className: "lead" }, `${error.message}.`), make("div", { className: "actions" }, go));
  }
}

function found(advice, study) {
  const fact = (name, value) => make("div", {}, make("dt", {}, name), make("dd", {}, value));
  const { mean, low, high } = advice.utility;
  const facts = [
    advice.probability_best !== null && fact("The best with probability", percent(advice.probability_best)),
    fact("Good enough with probability", percent(advice.probability_good_enough)),
    fact("Utility above the average compared", `${mean.toFixed(2)} (95 %: ${low.toFixed(2)} to ${high.toFixed(2)})`),
    fact("Answers", String(advice.answers)),
  ];
  return make("div", { className: "head-pair" },
    make("section", { className: "best", "aria-label": "Recommendation" }, make("p", { className: "eyebrow" }, "Recommended"),
      make("p", { className: "value" }, nameOf(advice.recommended)), study.files[advice.recommended] && display(advice.recommended, study.files)[0]),
    make("section", { "aria-label": "How sure this is" }, make("p", { className: "sentence" }, advised(advice)), make("dl", { className: "stats" }, facts)));
}

function advised({ stop, more_answers: more, regret_at_most: most }) {
  if (stop === "good_enough" || more === 0) return `It is good enough to stop: with a probability of 90 % nothing is better by more than ${most.toFixed(2)}.`;
  const about = more === null ? "It would take hundreds of answers to be good enough." : `About ${more} more ${more === 1 ? "answer" : "answers"} would make it good enough.`;
  return stop === "finished" ? `All answers are given. ${about}` : about;
}

function ranking(advice) {
  const best = advice.ranking.some((line) => line.probability_best !== null);
  const heads = ["rank", "compared", "utility", "sd", ...(best ? ["best"] : []), "comparisons"];
  const cell = (text) => make("td", { className: "number" }, text);
  const row = (line, i) => make("tr", {},
    cell(String(i + 1)), make("th", { scope: "row" }, nameOf(line.alternative)), cell(line.utility.mean.toFixed(2)), cell(line.utility.sd.toFixed(2)),
    best && cell(percent(line.probability_best ?? 0)), cell(String(line.comparisons)));
  const head = heads.map((text) => make("th", { scope: "col", className: text === "compared" ? "" : "number" }, text));
  return make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Ranking" },
    make("table", {}, make("thead", {}, make("tr", {}, head)), make("tbody", {}, advice.ranking.map(row))));
}

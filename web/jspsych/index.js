// A plugin of jsPsych (version 8): trials whose comparisons a study of `@rather/core` chooses, the most informative next.

/** The types of parameters, as jsPsych numbers them: no dependency for three numbers. */
const [STRING, FUNCTION, OBJECT, KEYS] = [1, 4, 12, 6];

/** Keys and the answers that they give, where a study takes them. */
const KEYS_OF_SIDES = { left: "arrowleft", right: "arrowright", tie: "arrowdown" };

/** An alternative as text: the key of an item, or the values of a setting. */
const label = (alternative) =>
  typeof alternative === "string" ? alternative : Object.entries(alternative).map(([name, value]) => `${name} = ${value}`).join(", ");

/** Shows an alternative as text. */
const showText = (alternative, element) => element.append(label(alternative));

/** One comparison, or one question about a set of options. */
export default class RatherPlugin {
  static info = {
    name: "rather-comparison",
    version: "0.1.0",
    parameters: {
      /** A `Study` of `@rather/core`, or anything with its `ask`, `tell`, `takes` and `question`. */
      study: { type: OBJECT, default: undefined },
      /** Draws an alternative (an item's key, or a setting) into an element: text if not given. */
      show: { type: FUNCTION, default: showText },
      /** What stands above the options; the study's question if not given. */
      prompt: { type: STRING, default: null },
      /** What the button for no preference is called. */
      tie: { type: STRING, default: "No preference" },
      /** Keys of the answers; `"NO_KEYS"` for none. */
      keys: { type: KEYS, default: KEYS_OF_SIDES },
    },
    data: {
      /** The number of the comparison in the study. */
      comparison: { type: 2 },
      /** The alternatives, in the order in which they were shown. */
      options: { type: OBJECT, array: true },
      /** What was answered: `left`, `right`, `tie`, or `best 2` of a set. */
      answer: { type: STRING },
      /** Milliseconds. */
      rt: { type: 2 },
      /** How many answers the study has now. */
      answers: { type: 2 },
      /** Whether the study had no more to ask. */
      finished: { type: 0 },
    },
  };

  constructor(jsPsych) {
    this.jsPsych = jsPsych;
  }

  trial(display, trial) {
    const asked = trial.study.ask();
    if (asked.finished) {
      this.jsPsych.finishTrial({ finished: true, answers: asked.answers });
      return;
    }
    const start = performance.now();
    let listener = null;
    const answer = (given) => {
      if (listener) this.jsPsych.pluginAPI.cancelKeyboardResponse(listener);
      display.replaceChildren();
      const { comparison, options } = asked;
      const { answers } = trial.study.tell(given, comparison);
      this.jsPsych.finishTrial({ comparison, options, answer: given, rt: Math.round(performance.now() - start), answers, finished: false });
    };
    display.replaceChildren(...elements(display.ownerDocument, asked.options, trial, answer));
    listener = this.#listen(asked.options, trial, answer);
  }

  /** Takes keys for sides; options of a set have their numbers. */
  #listen(options, trial, answer) {
    if (trial.keys === "NO_KEYS") return null;
    const of = options.length > 2
      ? Object.fromEntries(options.map((_, at) => [String(at + 1), `best ${at + 1}`]))
      : Object.fromEntries(Object.entries(trial.keys).filter(([name]) => trial.study.takes.includes(name)).map(([name, key]) => [key, name]));
    return this.jsPsych.pluginAPI.getKeyboardResponse({
      callback_function: ({ key }) => answer(of[key.toLowerCase()]),
      valid_responses: Object.keys(of),
      rt_method: "performance",
      persist: false,
      allow_held_key: false,
    });
  }
}

/** The prompt, a button an option, and one for no preference where the study takes that. */
function elements(document, options, trial, answer) {
  const make = (tag, className) => Object.assign(document.createElement(tag), { className });
  const prompt = make("p", "rather-prompt");
  prompt.append(trial.prompt ?? trial.study.question);
  const row = make("div", "rather-options");
  const names = options.length > 2 ? options.map((_, at) => `best ${at + 1}`) : ["left", "right"];
  options.forEach((option, at) => {
    const button = make("button", "rather-option jspsych-btn");
    button.dataset.answer = names[at];
    trial.show(option, button);
    button.addEventListener("click", () => answer(names[at]), { once: true });
    row.append(button);
  });
  const found = [prompt, row];
  if (options.length === 2 && trial.study.takes.includes("tie")) {
    const button = make("button", "rather-tie jspsych-btn");
    button.dataset.answer = "tie";
    button.append(trial.tie);
    button.addEventListener("click", () => answer("tie"), { once: true });
    found.push(button);
  }
  return found;
}

/** A node of a timeline: comparisons of a study until it has no more to ask, or at most `n`; `trial` has more parameters of the plugin. */
export function comparisons(study, { n = Infinity, ...trial } = {}) {
  return {
    timeline: [{ type: RatherPlugin, study, ...trial }],
    loop_function: (data) => {
      const last = data.values().at(-1);
      return !last.finished && !study.ask().finished && last.answers < n;
    },
  };
}

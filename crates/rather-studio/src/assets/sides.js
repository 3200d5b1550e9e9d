// Draws the two sides of a duel, or the options of a set. It must agree with `sides` and `options` of the server's duel page.

import { word } from "./words.js";

/** An element with attributes and children. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

function hidden(name, attributes, text) {
  return element(name, { ...attributes, "aria-hidden": "true" }, text);
}

/** The big button that lets a side be heard. */
function hear(letter, arrow) {
  return element(
    "button",
    { type: "button", class: "hear", "aria-pressed": "false" },
    hidden("span", { class: "letter" }, letter),
    element(
      "span",
      { class: "hear-row" },
      hidden("span", { class: "bars" }, ""),
      element("span", { class: "hear-label" }, word("Hear {}", letter)),
      arrow ? hidden("kbd", {}, arrow) : null,
    ),
  );
}

/** A text that is not there yet; its `loading` resolves to whether it has come. */
function fetched(url) {
  const made = element("div", { class: "text" }, word("Loading …"));
  made.loading = fetch(url, { credentials: "same-origin" })
    .then(async (reply) => {
      if (reply.ok) made.textContent = await reply.text();
      return reply.ok;
    })
    .catch(() => false);
  return made;
}

function medium({ kind, url, text }, letter) {
  switch (kind) {
    case "image":
      return element("div", { class: "lens" }, element("img", { class: "picture", src: url, alt: letter, draggable: "false" }));
    case "audio":
      return element("audio", { controls: "", preload: "none", src: url, "aria-label": letter });
    case "video":
      return element("video", { class: "picture", controls: "", loop: "", playsinline: "", preload: "auto", src: url, "aria-label": letter });
    case "pdf":
      // As the server draws it: without the attribute, which keeps the browser's viewer away.
      return documentOf(url, letter);
    case "html":
      return element("iframe", { class: "document", src: url, title: letter, sandbox: "" });
    default:
      return text === null ? fetched(url) : element("div", { class: "text" }, text);
  }
}

/** A PDF file in a frame, and a way to look at it in a window of its own. */
function documentOf(url, letter) {
  const frame = element("iframe", { class: "document", src: `${url}#toolbar=0&view=FitH`, title: letter });
  const link = element("a", { class: "open-document", href: url, target: "_blank", rel: "noopener" }, word("Open {} in a window of its own", letter));
  const both = document.createDocumentFragment();
  both.append(frame, link);
  return both;
}

/** What both sides share: the name of a column, and its value or the file that it names. */
export function context({ name, value, unit, media }) {
  const what = media ? medium(media, name) : element("span", { class: "what" }, unit ? `${minus(value)}\u202f${unit}` : minus(value));
  return [element("span", { class: "of" }, name), what];
}

/** The reference; `inStep` if it is a sound that plays in step with both sides. */
export function reference({ media, parameters: values }, inStep) {
  if (inStep) return [hear(word("Reference"), "X")];
  const name = word("Reference");
  const all = element("div", { class: "exhibit" });
  if (media) all.append(medium(media, name));
  all.append(parameters(values) ?? "");
  return [element("h2", { class: "of" }, name, hidden("kbd", {}, "X")), all];
}

/** With a true minus sign in the place of a hyphen. */
function minus(value) {
  return value.replace(/^-(?=\d)/, "−");
}

function parameters(list) {
  if (list.length === 0) return null;
  const rows = list.map(({ name, value, unit }) => {
    const shown = element("dd", {}, minus(value));
    if (unit) shown.append(element("span", { class: "unit" }, `\u202f${unit}`));
    return element("div", {}, element("dt", {}, name), shown);
  });
  return element("dl", { class: "parameters" }, ...rows);
}

function side(letter, arrow, name, { label, media, parameters: values }) {
  const card = element("section", { class: "side", "data-side": name, "aria-label": letter });
  const sound = media?.kind === "audio";
  card.append(element("h2", { class: sound ? "sr-only" : "letter" }, letter));
  if (label && label !== letter) card.append(element("p", { class: "label" }, label));
  if (media) card.append(sound ? hear(letter, arrow) : medium(media, letter));
  card.append(parameters(values) ?? "");
  for (const bars of card.querySelectorAll(".bars")) {
    bars.append(element("i"), element("i"), element("i"));
  }
  return card;
}

/** What there is to see or hear; of a set, whose sounds are played one by one, `sounds`. */
export function kindOf(duel) {
  const kind = duel.left.media?.kind ?? "values";
  return kind === "audio" && duel.others.length > 0 ? "sounds" : kind;
}

/** The letter of the option of this number, from 1. */
export function letterOf(number) {
  return String.fromCharCode(64 + number);
}

function only(text) {
  return element("span", { class: "sr-only" }, text);
}

/** What makes an option the best: one button. */
function best(number, letter) {
  const name = element("span", {}, "Best", only(` is ${letter}`));
  const pressed = number < 10 ? hidden("kbd", {}, String(number)) : null;
  return element("button", { class: "answer", type: "submit", name: "action", value: `best ${number}` }, ...[name, pressed].filter(Boolean));
}

/** What makes an option the best or the worst: one of two circles. */
function radio(name, word, number, letter) {
  const input = element("input", { type: "radio", name, value: String(number) });
  return element("label", { class: "toggle" }, input, element("span", {}, word, only(` is ${letter}`)));
}

function option(number, { label, media, parameters: values }, asked) {
  const letter = letterOf(number);
  const card = element("section", { class: "side option", "data-option": String(number), "aria-label": letter });
  card.append(element("h2", { class: "letter" }, letter));
  if (label && label !== letter) card.append(element("p", { class: "label" }, label));
  if (media) card.append(medium(media, letter));
  card.append(parameters(values) ?? "");
  const both = [radio("best", "Best", number, letter), radio("worst", "Worst", number, letter)];
  card.append(element("div", { class: "pick" }, ...(asked === "best" ? [best(number, letter)] : both)));
  return card;
}

/** The options of a set, of which is asked what `asked` says, as elements. */
export function options(duel, asked) {
  return [duel.left, duel.right, ...duel.others].map((shown, i) => option(i + 1, shown, asked));
}

/** Both sides of a duel, as elements. */
export function sides(duel) {
  return [side("A", "←", "left", duel.left), side("B", "→", "right", duel.right)];
}

/** The best and another setting, which are told what they are. */
export function besides(best, other) {
  return [side("Best", "", "left", best), side("This", "", "right", other)];
}

// Draws the two sides of a duel. It must agree with `sides` of the server's duel page.

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
      element("span", { class: "hear-label" }, `Hear ${letter}`),
      hidden("kbd", {}, arrow),
    ),
  );
}

function medium({ kind, url, text }, letter) {
  switch (kind) {
    case "image":
      return element("img", { class: "picture", src: url, alt: letter });
    case "html":
      return element("iframe", { class: "document", src: url, title: letter, sandbox: "" });
    default:
      return element("div", { class: "text" }, text ?? "");
  }
}

function parameters(list) {
  if (list.length === 0) return null;
  const rows = list.map(({ name, value, unit }) => {
    const shown = element("dd", {}, value);
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

/** What there is to see or hear. */
export function kindOf(duel) {
  return duel.left.media?.kind ?? "values";
}

/** Both sides of a duel, as elements. */
export function sides(duel) {
  return [side("A", "←", "left", duel.left), side("B", "→", "right", duel.right)];
}

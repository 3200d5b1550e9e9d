// Elements of the page.

/** The element of this id. */
export const byId = (id) => document.getElementById(id);

/** An element with attributes and what it holds: elements and texts. */
export function make(name, attributes = {}, ...held) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...held.flat().filter((one) => one !== undefined && one !== null && one !== false));
  return element;
}

/** A list of sentences. */
export const bullets = (sentences) => make("ul", { className: "bullets" }, sentences.map((sentence) => make("li", {}, sentence)));

/** Says something to who does not see it. */
export function say(text) {
  byId("status").textContent = text;
}

/** Shows what went wrong in a box, or nothing. */
export function trouble(box, error) {
  box.hidden = !error;
  box.textContent = error ? `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.` : "";
}

/** Lets files be dropped on an element. */
export function drops(element, take) {
  const over = (on) => (event) => {
    event.preventDefault();
    element.classList.toggle("over", on);
  };
  element.addEventListener("dragover", over(true));
  element.addEventListener("dragleave", over(false));
  element.addEventListener("drop", (event) => {
    over(false)(event);
    if (event.dataTransfer.files.length) take([...event.dataTransfer.files]);
  });
}

/** Saves text as a file. */
export function save(text, name, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A probability; of one that is nearly 0 or 1 no more than that. */
export function percent(p) {
  if (p > 0 && p < 0.005) return "<1 %";
  if (p > 0.995 && p < 1) return ">99 %";
  return `${(100 * p).toFixed(0)} %`;
}

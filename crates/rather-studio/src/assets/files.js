// Files that are chosen or dropped: a list with a picture or a player each, and what is wrong with one beside it.

const byId = (id) => document.getElementById(id);
const drop = byId("drop");
const input = byId("media_files");
const list = byId("files");
const form = byId("study");
const megabytes = (bytes) => `${Math.floor(bytes / 2 ** 20)} MB`;
/** So much of a text is shown. */
const BEGINNING = 90;

let chosen = [];

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** What is seen or heard of a file before it is sent. */
function preview(file) {
  const [kind] = file.type.split("/");
  if (kind === "image") return element("img", { src: URL.createObjectURL(file), alt: "" });
  if (kind === "audio") return element("audio", { controls: "", preload: "none", src: URL.createObjectURL(file), "aria-label": file.name });
  if (kind === "video") return element("video", { preload: "metadata", src: URL.createObjectURL(file), "aria-label": file.name });
  const text = element("p", { class: "hint" });
  if (kind === "text") file.slice(0, 4 * BEGINNING).text().then((beginning) => (text.textContent = beginning.slice(0, BEGINNING)));
  return text;
}

function row(file) {
  const remove = element("button", { type: "button", class: "small quiet" }, "Remove", element("span", { class: "sr-only" }, ` ${file.name}`));
  remove.addEventListener("click", () => {
    chosen = chosen.filter((other) => other !== file);
    draw();
    input.focus();
  });
  const row = element("li", {}, preview(file), element("span", { class: "name" }, file.name), remove);
  row.dataset.file = file.name;
  return row;
}

function draw() {
  const transfer = new DataTransfer();
  for (const file of chosen) transfer.items.add(file);
  input.files = transfer.files;
  list.replaceChildren(...chosen.map(row));
  for (const { file, error } of problems()) if (file) showProblem(file, error);
}

function add(files) {
  const known = (file) => chosen.some((other) => other.name === file.name && other.size === file.size);
  chosen = [...chosen, ...[...files].filter((file) => !known(file))];
  draw();
}

/** Writes what is wrong with a file beside it; whether it is in the list. */
export function showProblem(name, error) {
  const row = [...list.children].find((row) => row.dataset.file === name);
  row?.append(element("p", { class: "error" }, error));
  return Boolean(row);
}

/** What can be told to be wrong without sending anything. */
export function problems() {
  if (!byId("drop").checkVisibility() && chosen.length === 0) return [];
  const [largest, together] = [Number(drop.dataset.largest), Number(drop.dataset.together)];
  const wrong = (file, error) => ({ field: "media_files", file: file.name, error: `"${file.name}" ${error}` });
  const found = chosen.flatMap((file) => {
    if (file.size === 0) return [wrong(file, "is empty; choose another file")];
    return file.size > largest ? [wrong(file, `has more than ${megabytes(largest)}; choose a smaller file`)] : [];
  });
  const all = chosen.reduce((sum, file) => sum + file.size, 0);
  if (all > together) found.push({ field: "media_files", error: `The files have more than ${megabytes(together)} together; remove some.` });
  return found;
}

input.addEventListener("change", () => add(input.files));
for (const kind of ["dragenter", "dragover"]) {
  drop.addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
}
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  add(event.dataTransfer.files);
});

/** Files of which kinds the dialog offers. */
function offer() {
  const endings = drop.querySelector(`[data-endings="${form.elements.subject.value}"]`);
  if (endings) input.accept = endings.value;
}
form.addEventListener("change", (event) => event.target.name === "subject" && offer());

drop.querySelector(".drop-here").hidden = false;
offer();

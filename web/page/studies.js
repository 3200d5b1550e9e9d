// The view of all studies, and the form of a new one.

import { byId, drops, make, trouble } from "./elements.js";
import { kept, remove } from "./keep.js";
import { readParameters } from "./parameters.js";
import { create, forget, take } from "./session.js";

let files = [];

/** Draws the list of studies. */
export async function showStudies() {
  let studies = [];
  try {
    studies = await kept();
  } catch (error) {
    trouble(byId("study-trouble"), error);
  }
  byId("kept-section").hidden = studies.length === 0;
  byId("kept").replaceChildren(...studies.map(entry));
}

function entry({ id, title, question, log }) {
  const answers = log.split("\n").filter((line) => line.includes('"kind":"answered"')).length;
  const name = title || question;
  const discard = async () => {
    if (!confirm(`Remove “${name}” with its answers?`)) return;
    await remove(id);
    forget(id);
    showStudies();
  };
  return make("li", {},
    make("div", { className: "study-name" }, make("a", { href: `#compare/${id}` }, name), make("p", {}, `${title ? `${question} · ` : ""}${answers} ${answers === 1 ? "answer" : "answers"}`)),
    make("div", { className: "actions" },
      make("a", { className: "button small", href: `#result/${id}` }, "Result", make("span", { className: "sr-only" }, ` of ${name}`)),
      make("button", { type: "button", className: "quiet small", onclick: discard }, "Remove", make("span", { className: "sr-only" }, ` ${name}`))));
}

const kind = () => byId("study-form").elements.kind.value;

function showKind() {
  for (const part of document.querySelectorAll("[data-kind]")) if (part.closest("form")) part.hidden = part.dataset.kind !== kind();
}

function choose(chosen) {
  files = chosen;
  byId("files-chosen").textContent = `${files.length} chosen: ${files.map((file) => file.name).join(", ")}`;
}

/** What the form compares: a part of a definition, and the files of items. */
function subject() {
  if (kind() === "parameters") return [{ parameters: readParameters(byId("parameters-text").value) }, {}];
  if (kind() === "files") return [{ items: files.map((file) => file.name) }, Object.fromEntries(files.map((file) => [file.name, file]))];
  const lines = byId("texts").value.split("\n").map((line) => line.trim());
  return [{ items: lines.filter(Boolean) }, {}];
}

async function start() {
  const [compared, blobs] = subject();
  const title = byId("title").value.trim();
  const answers = byId("wanted").valueAsNumber;
  const definition = {
    title,
    question: byId("question").value.trim(),
    seed: byId("seed").valueAsNumber || 0,
    answers: byId("ties").checked ? "ties" : "sides",
    ...compared,
    ...(answers > 0 ? { stop: { answers } } : {}),
  };
  location.hash = `#compare/${await create(definition, title || "study", blobs)}`;
}

/** Does something, and says what went wrong. */
async function attempt(work) {
  trouble(byId("study-trouble"));
  try {
    await work();
  } catch (error) {
    trouble(byId("study-trouble"), error);
  }
}

byId("study-form").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(start);
});
byId("study-form").addEventListener("change", showKind);
byId("files").addEventListener("change", ({ target }) => choose([...target.files]));
byId("log-file").addEventListener("change", ({ target }) =>
  attempt(async () => {
    location.hash = `#compare/${await take(await target.files[0].text())}`;
  }));
drops(byId("files-drop"), choose);
showKind();

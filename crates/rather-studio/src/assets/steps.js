// The form of a new study, one step at a time. It is sent from here, so that all that was typed and chosen stays when something is wrong.

import { problems, showProblem } from "./files.js";

const byId = (id) => document.getElementById(id);
const form = byId("study");
const steps = [...form.querySelectorAll(".step")];
const places = [...byId("steps").querySelectorAll("button")];
let at = 0;

const isToml = () => form.elements.how.value === "toml";
const isLast = () => isToml() || at === steps.length - 1;

function say(text) {
  byId("status").textContent = text;
}

/** Shows a step, and what leads on from it. */
function show(step) {
  at = step;
  for (const [i, section] of steps.entries()) section.hidden = i !== at;
  for (const [i, place] of places.entries()) {
    if (i === at) place.setAttribute("aria-current", "step");
    else place.removeAttribute("aria-current");
  }
  byId("back").hidden = isToml() || at === 0;
  byId("continue").hidden = isLast();
  byId("create").hidden = !isLast();
  byId("as-toml").hidden = isToml() || !isLast();
}

function go(step) {
  show(step);
  byId(`step-${step}`).focus();
}

/* What is wrong. */

function clear() {
  for (const error of form.querySelectorAll(".error")) error.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  byId("summary").replaceChildren();
}

function text(name, content) {
  const made = document.createElement(name);
  made.textContent = content;
  return made;
}

/** Writes an error beside its field. */
function beside({ field, error, file }) {
  const control = byId(field);
  if (!control) return;
  control.closest("details")?.setAttribute("open", "");
  if (file && showProblem(file, error)) return;
  const line = text("p", error);
  line.className = "error";
  line.id = `${field}-error`;
  control.before(line);
  control.setAttribute("aria-invalid", "true");
  control.setAttribute("aria-describedby", [byId(`${field}-hint`)?.id, line.id].filter(Boolean).join(" "));
}

/** The step in which a field stands. */
function stepOf(field) {
  return steps.findIndex((step) => step.contains(byId(field)));
}

function link({ field, error }) {
  const item = document.createElement("li");
  if (!byId(field)) {
    item.textContent = error;
    return item;
  }
  const made = text("a", error);
  made.href = `#${field}`;
  made.addEventListener("click", (event) => {
    event.preventDefault();
    if (stepOf(field) >= 0) show(stepOf(field));
    byId(field).focus();
  });
  item.append(made);
  return item;
}

/** Says all that is wrong, and opens the first step with something wrong in it. */
function complain(errors) {
  clear();
  errors.forEach(beside);
  const box = document.createElement("div");
  box.className = "trouble";
  box.setAttribute("role", "alert");
  const list = document.createElement("ul");
  list.append(...errors.map(link));
  box.append(text("p", "The study was not created yet:"), list);
  byId("summary").replaceChildren(box);
  const wrong = errors.map(({ field }) => stepOf(field)).filter((step) => step >= 0);
  if (wrong.length > 0) show(Math.min(...wrong));
  const first = errors.find(({ field }) => stepOf(field) === at || isToml());
  (byId(first?.field) ?? box).focus();
  box.scrollIntoView({ block: "nearest" });
}

/* Sending. */

/** A token for the session that there is now. */
async function token() {
  const page = await fetch("/studies/new", { credentials: "same-origin" });
  const parsed = new DOMParser().parseFromString(await page.text(), "text/html");
  return parsed.querySelector('meta[name="csrf"]').content;
}

/** Sends the form as it stands; what is wrong is said, and nothing is returned then. */
async function send(path, more = {}) {
  const local = problems();
  if (local.length > 0) return complain(local);
  const body = new FormData(form);
  for (const [name, value] of Object.entries(more)) body.set(name, value);
  const post = () => fetch(path, { method: "POST", body, credentials: "same-origin", headers: { accept: "application/json" } });
  form.setAttribute("aria-busy", "true");
  try {
    let reply = await post();
    if (reply.status === 403) {
      // The session is another one than when the page was loaded.
      body.set("csrf", await token());
      reply = await post();
    }
    return await accepted(reply);
  } catch {
    return complain([{ field: "", error: "The studio did not answer. All that you typed is still here; try again." }]);
  } finally {
    form.removeAttribute("aria-busy");
  }
}

async function accepted(reply) {
  if (reply.redirected) return ended();
  if (reply.ok) return reply;
  if (reply.status === 422) return complain((await reply.json()).errors);
  const error = reply.status === 413 ? "This is too much at once; remove some files." : `The studio refused it (${reply.status}). All that you typed is still here.`;
  return complain([{ field: "", error }]);
}

/** The session has ended: one signs in beside this page. */
function ended() {
  complain([{ field: "", error: "Your session has ended. All that you typed is still here." }]);
  const way = text("a", "Sign in in another window");
  way.href = "/sign-in";
  way.target = "_blank";
  const line = text("p", ", then send the form again.");
  line.prepend(way);
  byId("summary").firstElementChild.append(line);
}

async function create() {
  const reply = await send("/studies/new");
  if (reply) location.assign((await reply.json()).page);
}

async function writeToml() {
  const reply = await send("/studies/new/toml");
  if (!reply) return;
  byId("toml").value = await reply.text();
  form.querySelector('[name="how"][value="toml"]').click();
  byId("toml").focus();
  say("The same study as TOML.");
}

/** Shows what the renderer makes. */
async function tryIt(button) {
  byId("tried").textContent = "Rendering …";
  const reply = await send("/studies/new/try", { at: button.value });
  if (!reply) return byId("tried").replaceChildren();
  const blob = await reply.blob();
  byId("tried").replaceChildren(text("p", `${button.textContent}:`), await medium(blob, button.textContent));
}

async function medium(blob, name) {
  const [kind] = blob.type.split("/");
  if (kind === "audio" || kind === "image") {
    const made = document.createElement(kind === "audio" ? "audio" : "img");
    if (kind === "audio") made.controls = made.autoplay = true;
    else made.alt = name;
    made.className = kind === "audio" ? "" : "picture";
    made.setAttribute("aria-label", name);
    made.src = URL.createObjectURL(blob);
    return made;
  }
  if (blob.type.startsWith("text/html")) return text("p", `A page of ${Math.ceil(blob.size / 1000)} kB.`);
  return text("pre", (await blob.text()).slice(0, 2000));
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (form.hasAttribute("aria-busy")) return;
  const { submitter } = event;
  if (submitter?.id === "as-toml") writeToml();
  else if (submitter?.name === "at") tryIt(submitter);
  else if (isLast()) create();
  else go(at + 1);
});
byId("continue").addEventListener("click", () => go(at + 1));
byId("back").addEventListener("click", () => go(at - 1));
for (const [i, place] of places.entries()) place.addEventListener("click", () => go(i));
form.addEventListener("change", (event) => event.target.name === "how" && show(at));

byId("steps").hidden = false;
const first = steps.findIndex((step) => step.querySelector("[aria-invalid]"));
show(Math.max(0, first));

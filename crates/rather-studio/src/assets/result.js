// The result page: stays up to date while others answer, and copies what is worth keeping.

const byId = (id) => document.getElementById(id);
/** How often a window that is seen asks whether there is something new, and how long it waits after a failure. */
const EVERY = 1000;
const LATER = 10_000;

function say(text) {
  byId("status").textContent = text;
}

/* Copying. */

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Only secure origins have a clipboard: the old way.
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

/** The best sound, which without scripts has the browser's own controls. */
function soundOfBest() {
  return document.querySelector(".best audio");
}

document.addEventListener("click", (event) => {
  const sound = event.target.id === "hear-best" ? soundOfBest() : null;
  if (!sound) return;
  if (sound.paused) sound.play().catch(() => say("The sound could not be played."));
  else sound.pause();
});

/** Shows on the button whether the sound is heard. */
function heard(event) {
  const button = byId("hear-best");
  if (!button || event.target !== soundOfBest()) return;
  const playing = !event.target.paused;
  button.setAttribute("aria-pressed", String(playing));
  button.textContent = playing ? "Pause" : "Hear the best";
}
for (const kind of ["play", "pause", "ended"]) document.addEventListener(kind, heard, true);

/** What only works with scripts is hidden without them. */
function reveal() {
  if (soundOfBest()) soundOfBest().hidden = true;
  for (const hidden of document.querySelectorAll("button.copy, #hear-best")) hidden.hidden = false;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button.copy");
  if (!button) return;
  const { copy: text, copyLink: link } = button.dataset;
  await copy(text ?? new URL(link, location.href).href);
  button.focus();
  say("Copied.");
  button.dataset.label ??= button.firstChild.data;
  button.firstChild.data = "Copied";
  setTimeout(() => (button.firstChild.data = button.dataset.label), 1500);
});

/* Live. */

/** A new figure shows the old picture until its own has come. */
function keepPictures(fresh, old) {
  for (const figure of fresh.querySelectorAll("figure.figure")) {
    const same = [...old.querySelectorAll("figure.figure")].find((other) => other.className === figure.className && other.dataset.kind === figure.dataset.kind);
    if (!same) continue;
    const [from, to] = [figure, same].map((f) => [...f.querySelectorAll("source, img")]);
    for (const [i, element] of from.entries()) {
      for (const { name, value } of element.attributes) {
        if (to[i].getAttribute(name) !== value) to[i].setAttribute(name, value);
      }
    }
    figure.replaceWith(same);
  }
}

/** A way to find an element again in the next version of the page. */
function trail(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const siblings = [...element.parentElement.children];
  return `${trail(element.parentElement)} > :nth-child(${siblings.indexOf(element) + 1})`;
}

async function refresh() {
  const old = byId("result");
  const reply = await fetch(location.href, { credentials: "same-origin", headers: { accept: "text/html" } });
  if (!reply.ok) return;
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  const fresh = page.getElementById("result");
  if (!fresh || fresh.dataset.changes === old.dataset.changes) return;
  const focused = old.contains(document.activeElement) ? trail(document.activeElement) : null;
  const open = [...old.querySelectorAll("details[open][id]")].map((d) => d.id);
  keepPictures(fresh, old);
  old.replaceChildren(...fresh.childNodes);
  old.dataset.changes = fresh.dataset.changes;
  old.dataset.answers = fresh.dataset.answers;
  for (const id of open) byId(id)?.setAttribute("open", "");
  const people = page.querySelector("table.people");
  const before = document.querySelector("table.people");
  if (people && before && !before.contains(document.activeElement)) before.replaceWith(people);
  // What is hidden cannot have the focus.
  reveal();
  document.dispatchEvent(new Event("renewed"));
  if (focused) document.querySelector(focused)?.focus({ preventScroll: true });
  say(`Updated: ${old.dataset.answers} answers.`);
}

/** Asks whether there is something new; whether the studio answered. */
async function look() {
  const { news, changes } = byId("result").dataset;
  try {
    const reply = await fetch(news, { credentials: "same-origin", signal: AbortSignal.timeout(LATER) });
    if (!reply.ok) return false;
    if (String((await reply.json()).changes) !== changes) await refresh();
    return true;
  } catch {
    return false;
  }
}

/* A window that nobody sees asks nothing. No connection stays open: a browser has six for all its windows. */
let timer = null;
let looking = false;
async function watch() {
  clearTimeout(timer);
  if (looking || document.hidden) return;
  looking = true;
  const answered = await look();
  looking = false;
  timer = setTimeout(watch, answered ? EVERY : LATER);
}

/** What the address points at is unfolded. */
const target = location.hash ? byId(location.hash.slice(1)) : null;
if (target?.matches("details")) target.open = true;

reveal();
document.addEventListener("visibilitychange", watch);
addEventListener("online", watch);
watch();

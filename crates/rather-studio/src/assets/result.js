// The result page: stays up to date while others answer, and copies what is worth keeping.

const byId = (id) => document.getElementById(id);
/** Answers that come close together make one update. */
const GATHER = 250;

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

function reveal() {
  for (const button of document.querySelectorAll("button.copy")) button.hidden = false;
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
  for (const figure of fresh.querySelectorAll("figure")) {
    const same = [...old.querySelectorAll("figure")].find((other) => other.className === figure.className && other.dataset.kind === figure.dataset.kind);
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
  if (!fresh || fresh.dataset.answers === old.dataset.answers) return;
  const focused = old.contains(document.activeElement) ? trail(document.activeElement) : null;
  const open = [...old.querySelectorAll("details[open][id]")].map((d) => d.id);
  keepPictures(fresh, old);
  old.replaceChildren(...fresh.childNodes);
  old.dataset.answers = fresh.dataset.answers;
  for (const id of open) byId(id)?.setAttribute("open", "");
  const people = page.querySelector("ul.people");
  const before = document.querySelector("ul.people");
  if (people && before && !before.contains(document.activeElement)) before.replaceWith(people);
  // What is hidden cannot have the focus.
  reveal();
  if (focused) document.querySelector(focused)?.focus({ preventScroll: true });
  say(`Updated: ${old.dataset.answers} answers.`);
}

reveal();
let waiting = null;
let running = Promise.resolve();
const source = new EventSource(byId("result").dataset.events);
source.addEventListener("answer", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    running = running.then(refresh).catch(() => {});
  }, GATHER);
});
addEventListener("pagehide", () => source.close());

// The panel beside a comparison: what was learned so far, fetched anew after each answer. No answer waits for it.

import "./picture.js";

const byId = (id) => document.getElementById(id);
const panel = byId("panel");
const learned = byId("learned");
const toggle = byId("panel-toggle");
/** Milliseconds after a new pair: its sounds and pictures are asked for first. */
const AFTER = 100;
/** Windows in which the panel has a column of its own. */
const wide = matchMedia("(min-width: 1100px)");

let wanted = 0;
/** Fetches what was learned, if it is seen. */
async function renew() {
  const now = ++wanted;
  if (learned.hidden) return;
  try {
    const reply = await fetch(panel.dataset.from, { credentials: "same-origin", headers: { accept: "text/html" } });
    const text = await reply.text();
    if (now !== wanted) return;
    if (!reply.ok || reply.redirected) throw new Error(`the studio answered ${reply.status}`);
    learned.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
    byId("panel-trouble").hidden = true;
    document.dispatchEvent(new Event("renewed"));
  } catch (error) {
    if (now !== wanted) return;
    byId("panel-trouble").textContent = `What was learned could not be loaded (${error.message}). The next answer tries again.`;
    byId("panel-trouble").hidden = false;
  }
}

function open(on) {
  toggle.setAttribute("aria-expanded", String(on));
  learned.hidden = !on;
  document.body.classList.toggle("with-panel", on);
  renew();
}

/** Whether the panel is wanted where it has a column of its own. */
function kept() {
  try {
    return localStorage.getItem("rather:panel") !== "closed";
  } catch {
    return true;
  }
}

function keep(on) {
  try {
    localStorage.setItem("rather:panel", on ? "open" : "closed");
  } catch {
    // No storage: it is open the next time.
  }
}

toggle.addEventListener("click", () => {
  open(learned.hidden);
  if (wide.matches) keep(!learned.hidden);
});
wide.addEventListener("change", () => open(wide.matches && kept()));

let timer = null;
document.addEventListener("turned", () => {
  clearTimeout(timer);
  timer = setTimeout(renew, AFTER);
});

panel.hidden = false;
open(wide.matches && kept());

// The duel page: asks, shows, plays, and tells the answer.

import { Attention } from "./attention.js";
import { Outbox, Refused } from "./outbox.js";
import { Player } from "./player.js";
import { Picks } from "./picks.js";
import { Besides, REFERENCE } from "./reference.js";
import { kindOf, letterOf, options, sides } from "./sides.js";
import { word } from "./words.js";
import { Zoom } from "./zoom.js";

const byId = (id) => document.getElementById(id);
const page = JSON.parse(byId("page").textContent);
const main = byId("main");
const form = byId("duel");
const { answers, set } = page.style;

/** By how much a side is better. */
const BY = /^(left|right) by (\d+)$/;

/** An answer in words, for who does not see it. */
function said(answer) {
  if (answer === "tie") return word("No preference");
  const by = answer.match(BY);
  if (by) return word("{} is better by {}", by[1] === "left" ? "A" : "B", by[2]);
  const numbers = answer.match(/\d+/g);
  if (numbers) {
    const [best, worst] = numbers.map((number) => letterOf(Number(number)));
    return worst ? `${best} is the best and ${worst} the worst` : `${best} is the best`;
  }
  const side = answer.endsWith("left") ? "A" : "B";
  if (!answers.includes("much left")) return side;
  return word(answer.startsWith("much") ? "{}, much better" : "{}, a little better", side);
}

let turn = page.turn;
let busy = false;
/** Whether answers are locked: there is something that cannot be seen or heard, or not yet. */
let locked = true;
/** Milliseconds after a new pair during which an answer is one to the pair before, pressed twice. */
const DEAD = 300;
/** Whether these have not passed. */
let early = true;
/** Whether both sides must be heard first, and are not yet. */
let unheard = false;
/** Which duel is drawn: what was loaded for an earlier one comes too late. */
let drawn = 0;

function say(text) {
  byId("status").textContent = text;
}

function lock(on) {
  locked = on;
  settle();
}

/** Answers are open when all is there and was heard. */
function settle() {
  const shut = locked || unheard;
  form.toggleAttribute("data-open", !shut && !early);
  for (const button of form.querySelectorAll(".answer, .pick input")) button.disabled = shut;
  picks?.settle(shut);
}

const attention = new Attention();

/** All is there; `durations` are the seconds of sounds. */
function begin(durations) {
  const now = drawn;
  byId("wait").hidden = true;
  attention.begin(durations);
  setTimeout(() => {
    if (now !== drawn) return;
    early = false;
    settle();
  }, DEAD);
  lock(false);
}

/** Both sounds are there: what remains is to hear them. */
function ready(durations) {
  // The reference need not be heard.
  begin(durations.slice(0, REFERENCE));
  hearing();
}

/** What is heard now. */
function plays(side) {
  attention.turn(side === REFERENCE ? null : side);
  if (side !== null) besides.quiet();
  if (unheard) hearing();
}

/** Says what must still be heard before an answer. */
function hearing() {
  const missing = page.style.hear_both ? attention.missing : [];
  unheard = missing.length > 0;
  const text = missing.length === 2 ? word("Hear A and B to answer.") : word("Hear {}, too, to answer.", letterOf(missing[0] + 1));
  if (unheard && byId("unheard").textContent !== text) byId("unheard").textContent = text;
  byId("unheard").hidden = !unheard;
  settle();
}

/** Says why the duel cannot be answered; nothing if it can. */
function block(reason) {
  byId("blocked").hidden = !reason;
  byId("pair").hidden = Boolean(reason);
  byId("blocked-text").textContent = reason ?? "";
  if (reason) say(reason);
}

/** Says how long it takes until all is there, where that is more than a moment. */
function wait(seconds) {
  byId("wait").hidden = !seconds;
  byId("wait").textContent = seconds ? word("Others are waiting, too: it takes about {} seconds until both can be shown.", seconds) : "";
}

/** The best and the worst of a set, before they are sent. */
const picks = set === "best and worst" ? new Picks(form, byId("keep"), say) : null;
const player = new Player({ root: main, say, loudness: page.style.loudness, ready, plays, fails: inquire });
const besides = new Besides(player);
const zoom = new Zoom(byId("pair"), say);
const outbox = new Outbox({
  api: page.api,
  csrf: document.querySelector('meta[name="csrf"]').content,
  trouble(error, again) {
    const box = byId("trouble");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = word("Try now");
    button.addEventListener("click", again);
    const text = document.createElement("p");
    text.textContent = navigator.onLine
      ? word("Your answer is kept here but not yet on the server ({}). Trying again …", error.message)
      : word("You are offline. Your answer is kept here and sent when you are back.");
    const actions = document.createElement("div");
    actions.className = "actions";
    actions.append(button);
    // A failure is announced once; what follows is the same.
    if (box.hidden || box.title !== error.message) box.replaceChildren(text, actions);
    else box.querySelector("button").replaceWith(button);
    box.hidden = false;
    box.title = error.message;
  },
  clear() {
    byId("trouble").hidden = true;
    byId("trouble").replaceChildren();
  },
});

/** Draws where the participant stands; `playing` if sound was heard until now. */
function show(next, playing = false) {
  turn = next;
  const duel = turn.next;
  byId("compare").hidden = !duel;
  byId("end").hidden = Boolean(duel);
  byId("progress").hidden = !duel?.about_total;
  byId("progress").value = turn.answers;
  byId("undo").disabled = byId("end-undo").disabled = !turn.can_undo;
  byId("advice").hidden = !turn.advice;
  byId("advice-text").textContent = word(turn.advice ?? "");
  if (duel) draw(duel, playing);
  else finish();
  document.dispatchEvent(new Event("turned"));
  if (duel) lookAhead(drawn);
}

/** `Comparison 7 of about 15`. */
function place({ number, about_total: total, training }) {
  if (training) return word("Training {} of {}: this does not count", number, total);
  return total && number <= total ? word("Comparison {} of about {}", number, total) : word("Comparison {}", number);
}

function draw(duel, playing) {
  const now = ++drawn;
  const total = duel.about_total;
  byId("count").textContent = place(duel);
  document.body.classList.toggle("in-training", duel.training);
  besides.draw(duel);
  byId("progress").max = Math.max(1, total ?? 1);
  byId("question").textContent = duel.question;
  form.elements.duel.value = duel.duel;
  const kind = kindOf(duel);
  byId("pair").dataset.kind = kind;
  byId("pair").replaceChildren(...(set ? options(duel, set) : sides(duel)));
  document.body.classList.toggle("with-sound", kind === "audio");
  document.body.classList.toggle("with-sight", flips(kind));
  document.body.classList.toggle("with-pictures", kind === "image");
  zoom.offer(kind === "image" && !duel.blocked);
  byId("flip").hidden = !flips(kind);
  flip(byId("flip").getAttribute("aria-pressed") === "true" && flips(kind), 0);
  unheard = false;
  early = true;
  byId("unheard").hidden = true;
  lock(true);
  block(duel.blocked);
  wait(duel.wait);
  if (kind === "audio" && !duel.blocked) {
    player.load([duel.left.media.url, duel.right.media.url, ...besides.sounds], playing);
    return;
  }
  player.leave();
  byId("transport").hidden = byId("loading").hidden = true;
  const own = [...byId("pair").querySelectorAll("img, video, .text")].map((medium, i) => [medium, letterOf(i + 1)]);
  if (!duel.blocked) loaded([...own, ...besides.media], now);
}

/** From which state on a video shows its first picture. */
const HAS_PICTURE = 2;

/** Unlocks the answers when all pictures, videos and texts are there, or says that one is not. */
async function loaded(all, now) {
  const arrived = (medium) =>
    medium.loading ??
    new Promise((resolve) => {
      const video = medium.tagName === "VIDEO";
      const look = () => resolve(video ? medium.readyState >= HAS_PICTURE : medium.tagName !== "IMG" || medium.naturalWidth > 0);
      if (video ? medium.readyState >= HAS_PICTURE : (medium.complete ?? true)) look();
      for (const event of ["load", "loadeddata", "error"]) medium.addEventListener(event, look);
    });
  const there = await Promise.all(all.map(([medium]) => arrived(medium)));
  if (now !== drawn) return;
  const names = all.filter((_, i) => !there[i]).map(([, name]) => name);
  if (names.length === 0) seen();
  else if (!(await inquire())) block(word("{} could not be loaded.", listed(names)));
}

let inquired = 0;
/** What was to be shown did not come: asks the studio why, once for each pair; whether there is a new drawing. */
async function inquire() {
  if (inquired === turn.next?.duel) return false;
  inquired = turn.next?.duel;
  try {
    show(await outbox.post({ verb: "ask", body: { participant: page.participant } }));
    return true;
  } catch {
    return false;
  }
}

/** All is there to be looked at. */
function seen() {
  begin([]);
  if (byId("pair").classList.contains("single")) attention.turn(0);
}

/** Names in words. */
function listed(names) {
  const last = names.pop();
  return names.length > 0 ? `${names.join(", ")} and ${last}` : last;
}

function finish() {
  player.silence();
  byId("count").textContent = "";
  // At once: what is kept is on the disk.
  if (turn.finished && page.questions) location.assign(page.questions);
  else if (page.redirect && turn.finished) location.assign(page.redirect);
  const n = turn.answers;
  byId("end-title").textContent = word(turn.paused ? "Paused" : "Thank you");
  const none = turn.paused ? word("This study is paused. Come back later.") : word("There is nothing to compare here.");
  const some = n === 1 ? word("Your answer is kept.") : word("Your {} answers are kept.", n);
  byId("end-text").textContent = n === 0 ? none : some;
}

/** Milliseconds between two questions what may come next, and how many are asked. */
const [FIRST, LONGEST, MOST] = [250, 3000, 15];
const after = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** While somebody listens or looks, fetches what may be shown next, as soon as that is known. */
async function lookAhead(now) {
  for (let n = 0, wait = FIRST; n < MOST; n++, wait = Math.min(2 * wait, LONGEST)) {
    await after(wait);
    if (now !== drawn || busy) return;
    const next = await outbox.post({ verb: "ahead", body: { participant: page.participant } }).catch(() => null);
    if (now !== drawn || !turn.next) return;
    for (const url of next?.soon ?? []) prefetch(url);
    if (next?.complete) return;
  }
}

/** Fetches a medium of the kind that is shown now: what comes next is of the same. */
function prefetch(url) {
  const kind = kindOf(turn.next);
  if (kind === "audio") player.fetch(url).catch(() => {});
  else if (kind === "image") new Image().src = url;
  else if (kind !== "values") fetch(url, { credentials: "same-origin" }).catch(() => {});
}

/** Puts the focus where the next duel is read from, and the page at its top. */
function focus() {
  const heading = turn.next ? byId("question") : byId("end-title");
  heading.focus({ preventScroll: true });
  if (heading.getBoundingClientRect().top < 0) scrollTo({ top: 0 });
}

/** Where one stands, in words. */
function standing() {
  if (!turn.next) return word("No more comparisons. Thank you.");
  return `${byId("count").textContent}.${turn.advice ? ` ${word(turn.advice)}` : ""}`;
}

/** Sends `request` and shows what the server answers. */
async function exchange(request, before, playing) {
  busy = true;
  form.setAttribute("aria-busy", "true");
  try {
    show(await request(), playing);
    say(`${before} ${standing()}`);
  } catch (error) {
    await recover(error);
  } finally {
    busy = false;
    form.removeAttribute("aria-busy");
    focus();
  }
}

/** A refusal: says why, and asks what is to be answered now. */
async function recover(error) {
  if (!(error instanceof Refused)) throw error;
  if (error.status === 401) {
    const link = document.createElement("a");
    link.href = `/sign-in?next=${encodeURIComponent(location.pathname)}`;
    link.textContent = "Sign in again";
    byId("trouble").replaceChildren("Your session has ended; the answer is kept here. ", link, ".");
    byId("trouble").hidden = false;
    return;
  }
  // Seen as well as announced: the pair that is shown next is another one. It stays until the next answer is through.
  byId("trouble").textContent = error.message;
  byId("trouble").hidden = false;
  try {
    show(await outbox.post({ verb: "ask", body: { participant: page.participant } }));
    say(`${error.message} ${standing()}`);
  } catch {
    say(error.message);
  }
}

function act(action) {
  if (busy || (action === "undo" && !turn.can_undo) || (!turn.next && action !== "undo")) return;
  const answering = action !== "undo" && action !== "skip";
  if (answering && unheard) say(byId("unheard").textContent);
  if (answering && (locked || unheard)) return;
  if (!locked && early && action !== "undo") return;
  const { participant } = page;
  const duel = turn.next?.duel;
  const timing = locked ? undefined : attention.timing;
  const { playing } = player;
  player.silence();
  if (action === "undo") {
    exchange(() => outbox.send("undo", { participant }), word("Undone."), playing);
  } else if (action === "skip") {
    exchange(() => outbox.send("skip", { participant, duel, timing }), word("Skipped."), playing);
  } else {
    const answer = action === "extremes" ? picks.answer : action;
    if (!answer) return;
    for (const card of byId("pair").querySelectorAll(cards(answer))) card.classList.add("chosen");
    exchange(() => outbox.send("tell", { participant, duel, answer, timing }), word("{}, kept.", said(answer)), playing);
  }
}

/** Which cards an answer prefers, as a selector. */
function cards(answer) {
  if (answer === "tie") return ".side";
  if (set) return `.option[data-option="${answer.match(/\d+/)[0]}"]`;
  return `.side[data-side="${answer.includes("left") ? "left" : "right"}"]`;
}

/** An option of a set was chosen, by its number. */
function pick(number) {
  if (locked || unheard || busy || number > form.querySelectorAll(".option").length) return;
  if (picks) picks.pick(number);
  else act(`best ${number}`);
}

/* One at a time: both sides in the same place, to see what changes. */

function flips(kind) {
  return !set && ["image", "video", "html", "pdf", "text"].includes(kind);
}

function flip(on, side) {
  byId("flip").setAttribute("aria-pressed", String(on));
  byId("pair").classList.toggle("single", on);
  for (const [i, card] of [...byId("pair").querySelectorAll(".side")].entries()) {
    if (flips(byId("pair").dataset.kind)) card.classList.toggle("current", on && i === side);
  }
  if (!locked && flips(byId("pair").dataset.kind)) attention.turn(on ? side : null);
}

function turnTo(side) {
  if (set) return;
  if (kindOf(turn.next) === "audio") player.hear(side);
  else if (byId("pair").classList.contains("single")) flip(true, side);
  else return;
  say(side === 0 ? "A" : "B");
}

byId("again").addEventListener("click", (event) => {
  event.preventDefault();
  const { participant } = page;
  const ask = () =>
    outbox.post({ verb: "ask", body: { participant } }).catch((error) => {
      throw error instanceof Refused ? error : new Refused(0, { error: "The studio did not answer. Try again." });
    });
  if (!busy) exchange(ask, "Tried again.", false);
});

byId("flip").addEventListener("click", () => flip(byId("flip").getAttribute("aria-pressed") !== "true", 0));
byId("pair").addEventListener("click", (event) => {
  const card = event.target.closest(".side");
  if (!card) return;
  if (set) {
    // What has a meaning of its own keeps it.
    if (!event.target.closest("button, a, label, input, audio, video, iframe")) pick(Number(card.dataset.option));
    return;
  }
  const side = card.dataset.side === "left" ? 0 : 1;
  if (event.target.closest(".hear")) player.press(side);
  else if (byId("pair").classList.contains("single")) flip(true, 1 - side);
});

/* Keys. */

const shortcuts = byId("shortcuts");
try {
  shortcuts.checked = localStorage.getItem("rather:keys") !== "off";
} catch {
  // No storage: the keys are on.
}
function showKeys() {
  document.body.classList.toggle("no-keys", !shortcuts.checked);
}
showKeys();
shortcuts.addEventListener("change", () => {
  showKeys();
  try {
    localStorage.setItem("rather:keys", shortcuts.checked ? "on" : "off");
  } catch {
    // As above.
  }
});

function zoomBy(button) {
  if (!byId("zoom").hidden) byId(button).click();
}

const keys = {
  "=": () => answers.includes("tie") && act("tie"),
  u: () => act("undo"),
  s: () => act("skip"),
  r: () => byId("panel-toggle")?.click(),
  x: () => besides.press(),
  "+": () => zoomBy("zoom-in"),
  "-": () => zoomBy("zoom-out"),
  0: () => zoomBy("zoom-whole"),
  " ": () => kindOf(turn.next) === "audio" && player.toggle(),
  ArrowLeft: () => turnTo(0),
  ArrowRight: () => turnTo(1),
};
if (set) for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9]) keys[number] = () => pick(number);
else for (const button of form.querySelectorAll(".answer[data-key]")) keys[button.dataset.key] = () => act(button.value);
if (picks) keys.Enter = () => act("extremes");

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat || !shortcuts.checked) return;
  // The space bar presses what has the focus, arrows move a slider: these stay theirs.
  if ((key === " " || key === "Enter") && target.closest("button, a, summary, input, select, audio, video, .chart")) return;
  if (key.startsWith("Arrow") && target.closest("input, select, video, .chart")) return;
  // A sheet with another pair is open: the keys are not about this one.
  if (byId("beside")?.hidden === false) return;
  const name = key.length === 1 ? key.toLowerCase() : key;
  if (!Object.hasOwn(keys, name) || (!turn.next && name !== "u" && name !== "r")) return;
  event.preventDefault();
  keys[name]();
});

document.addEventListener("submit", (event) => {
  if (event.target !== form) return;
  event.preventDefault();
  act(event.submitter?.value);
});

// Of two players only one is heard.
document.addEventListener("besides", () => player.pause());

/* Begin. */

byId("restart").checked = page.style.restart;
show(turn);
const left = outbox.left;
if (left) exchange(() => outbox.deliver(left), word("Your last answer is kept now."), false);

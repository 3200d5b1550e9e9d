// What stands beside the sides of a comparison: what they share, and the reference, which is heard or seen and is no answer.

import { context, kindOf, reference } from "./sides.js";

const byId = (id) => document.getElementById(id);

/** Which of the sounds of a player the reference is. */
export const REFERENCE = 2;

export class Besides {
  /** `player` plays the reference in step with both sides, where all are sounds. */
  constructor(player) {
    Object.assign(this, { player, drawn: "", inStep: false });
    this.place = byId("reference");
    this.place.addEventListener("click", (event) => event.target.closest(".hear") && this.player.press(REFERENCE));
    // Of several players only one is heard.
    document.addEventListener("play", (event) => event.target.closest("#context, #reference") && this.player.pause(), { capture: true });
  }

  /** Draws what stands beside a comparison. What is the same as before stays: it may be playing. */
  draw(duel) {
    byId("context").hidden = !duel.context;
    const shared = JSON.stringify(duel.context);
    if (duel.context && shared !== this.shared) byId("context").replaceChildren(...context(duel.context));
    this.shared = shared;
    const { reference: shown } = duel;
    this.inStep = kindOf(duel) === "audio" && shown?.media?.kind === "audio";
    this.place.hidden = !shown;
    document.body.classList.toggle("with-reference", Boolean(shown));
    const now = JSON.stringify([shown, this.inStep]);
    if (shown && now !== this.drawn) this.place.replaceChildren(...reference(shown, this.inStep));
    this.place.classList.toggle("in-step", this.inStep);
    this.drawn = now;
  }

  /** The address of the sound that plays in step with both sides, if there is one. */
  get sounds() {
    return this.inStep ? [JSON.parse(this.drawn)[0].media.url] : [];
  }

  /** What must be there before an answer, each with its name. */
  get media() {
    const within = (id, name) => [...byId(id).querySelectorAll("img, video, .text")].map((medium) => [medium, name]);
    return [...within("context", byId("context").querySelector(".of")?.textContent), ...within("reference", this.place.getAttribute("aria-label"))];
  }

  /** The key: plays the reference, or shows or hides it. */
  press() {
    if (this.place.hidden) return;
    if (this.inStep) return this.player.hear(REFERENCE);
    const exhibit = this.place.querySelector(".exhibit");
    const sound = exhibit.querySelector("audio, video");
    if (sound) sound.paused ? sound.play() : sound.pause();
    else exhibit.hidden = !exhibit.hidden;
  }

  /** Both sides are heard: what plays beside them does not. */
  quiet() {
    for (const sound of document.querySelectorAll("#context :is(audio, video), #reference :is(audio, video)")) sound.pause();
  }
}

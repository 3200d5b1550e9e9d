// A sheet at the foot of a page: a setting beside the best one, to see or to hear.

import { Player } from "./player.js";
import { besides, kindOf } from "./sides.js";

const byId = (id) => document.getElementById(id);

export class Beside {
  /** `say` tells who does not see it. */
  constructor(say) {
    Object.assign(this, { say, sheet: byId("beside"), wanted: 0 });
    // What was clicked is what one wants to hear.
    this.player = new Player({ root: this.sheet, of: "beside-", say, loudness: false, ready: () => this.player.hear(1) });
    byId("beside-close").addEventListener("click", () => this.close());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.sheet.hidden) this.close();
    });
    // Another comparison is shown: what one listens to is that.
    document.addEventListener("turned", () => this.sheet.hidden || this.leave());
    byId("beside-pair").addEventListener("click", (event) => {
      const card = event.target.closest(".side");
      if (card && event.target.closest(".hear")) this.player.press(card.dataset.side === "left" ? 0 : 1);
    });
  }

  /** Shows `other` beside `best`; `known` is what is known of it, in words. */
  async show(best, other, known) {
    const turn = ++this.wanted;
    this.back ??= document.activeElement;
    this.player.leave();
    document.dispatchEvent(new Event("besides"));
    byId("beside-pair").replaceChildren();
    byId("beside-transport").hidden = byId("beside-trouble").hidden = true;
    byId("beside-known").textContent = known;
    byId("beside-loading").textContent = "Loading …";
    byId("beside-loading").hidden = this.sheet.hidden = false;
    document.body.classList.add("with-beside");
    try {
      const [left, right] = await this.fetch([best, other]);
      if (turn === this.wanted) this.draw(left, right);
    } catch (error) {
      if (turn !== this.wanted) return;
      byId("beside-loading").hidden = true;
      byId("beside-trouble").textContent = error.message;
      byId("beside-trouble").hidden = false;
    }
  }

  async fetch(alternatives) {
    const reply = await fetch(this.sheet.dataset.show, {
      method: "POST",
      credentials: "same-origin",
      headers: { "content-type": "application/json", "x-csrf-token": document.querySelector('meta[name="csrf"]').content },
      body: JSON.stringify({ alternatives }),
    });
    const shown = await reply.json();
    if (!reply.ok) throw new Error(shown.error);
    return shown.alternatives;
  }

  draw(left, right) {
    // Where its values stand, a setting needs no name.
    for (const side of [left, right]) if (side.parameters.length > 0) side.label = "";
    const kind = kindOf({ left, others: [] });
    byId("beside-pair").dataset.kind = kind;
    byId("beside-pair").replaceChildren(...besides(left, right));
    if (kind === "audio") this.player.load([left.media.url, right.media.url], false);
    else byId("beside-loading").hidden = true;
    this.say("Shown beside the best.");
  }

  leave() {
    this.wanted += 1;
    this.player.leave();
    this.sheet.hidden = true;
    document.body.classList.remove("with-beside");
  }

  close() {
    this.leave();
    this.back?.focus({ preventScroll: true });
    this.back = null;
  }
}

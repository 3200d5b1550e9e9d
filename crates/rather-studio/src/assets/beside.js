// A sheet at the foot of the result page: a setting beside the best one, to see or to hear.

import { Player } from "./player.js";
import { besides, kindOf } from "./sides.js";

const byId = (id) => document.getElementById(id);

export class Beside {
  /** `api` is the address that tells what there is to see or hear of settings, `say` tells who does not see it. */
  constructor(api, say) {
    Object.assign(this, { api, say, sheet: byId("beside"), wanted: 0 });
    // What was clicked is what one wants to hear.
    this.player = new Player({ root: this.sheet, say, loudness: false, ready: () => this.player.hear(1) });
    byId("beside-close").addEventListener("click", () => this.close());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.sheet.hidden) this.close();
    });
    byId("pair").addEventListener("click", (event) => {
      const card = event.target.closest(".side");
      if (card && event.target.closest(".hear")) this.player.press(card.dataset.side === "left" ? 0 : 1);
    });
  }

  /** Shows `other` beside `best`; `known` is what is known of it, in words. */
  async show(best, other, known) {
    const turn = ++this.wanted;
    this.back ??= document.activeElement;
    this.player.leave();
    byId("pair").replaceChildren();
    byId("transport").hidden = byId("beside-trouble").hidden = true;
    byId("beside-known").textContent = known;
    byId("loading").textContent = "Loading …";
    byId("loading").hidden = this.sheet.hidden = false;
    document.body.classList.add("with-beside");
    try {
      const [left, right] = await this.fetch([best, other]);
      if (turn === this.wanted) this.draw(left, right);
    } catch (error) {
      if (turn !== this.wanted) return;
      byId("loading").hidden = true;
      byId("beside-trouble").textContent = error.message;
      byId("beside-trouble").hidden = false;
    }
  }

  async fetch(alternatives) {
    const reply = await fetch(this.api, {
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
    byId("pair").dataset.kind = kind;
    byId("pair").replaceChildren(...besides(left, right));
    if (kind === "audio") this.player.load([left.media.url, right.media.url], false);
    else byId("loading").hidden = true;
    this.say("Shown beside the best.");
  }

  close() {
    this.wanted += 1;
    this.player.leave();
    this.sheet.hidden = true;
    document.body.classList.remove("with-beside");
    this.back?.focus({ preventScroll: true });
    this.back = null;
  }
}

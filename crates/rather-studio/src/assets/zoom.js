// Pictures that are looked at closely: all of them are enlarged and moved in step, so that the same place is seen in each.

import { word } from "./words.js";

const byId = (id) => document.getElementById(id);
/** The largest factor, and that of one step. */
const [LARGEST, STEP] = [16, 1.5];
/** Pixels that a finger may move and still have pressed. */
const STILL = 5;

const within = (x, most) => Math.min(most, Math.max(-most, x));

export class Zoom {
  /** `pair` holds the pictures, each in a lens; `say` tells who does not see it. */
  constructor(pair, say) {
    Object.assign(this, { pair, say, fingers: new Map(), dragged: false });
    this.reset();
    for (const [id, act] of [["zoom-in", () => this.step(STEP)], ["zoom-out", () => this.step(1 / STEP)], ["zoom-whole", () => this.whole()]]) {
      byId(id).addEventListener("click", act);
    }
    pair.addEventListener("wheel", (event) => this.turned(event), { passive: false });
    pair.addEventListener("pointerdown", (event) => this.down(event));
    pair.addEventListener("pointermove", (event) => this.moved(event));
    for (const kind of ["pointerup", "pointercancel"]) pair.addEventListener(kind, (event) => this.fingers.delete(event.pointerId));
    // What was dragged was not clicked.
    pair.addEventListener("click", (event) => this.dragged && event.target.closest(".lens") && event.stopPropagation(), { capture: true });
  }

  /** New pictures are whole. */
  reset() {
    Object.assign(this, { scale: 1, x: 0, y: 0 });
    this.fingers?.clear();
  }

  /** Shows what there is to do with pictures; `on` if there are some. */
  offer(on) {
    this.reset();
    byId("zoom").hidden = !on;
    this.draw();
  }

  whole() {
    this.reset();
    this.draw();
    this.say(word("Whole pictures."));
  }

  step(factor) {
    this.to(this.scale * factor, [0, 0]);
    this.say(word("Enlarged {} times.", this.scale.toFixed(1)));
  }

  /** Enlarges `scale` times; what is at this point of the lens, from its middle in parts of it, stays there. */
  to(scale, [x, y]) {
    const next = Math.min(LARGEST, Math.max(1, scale));
    const keep = (shift, at) => at / next - (at / this.scale - shift);
    this.move(next, keep(this.x, x), keep(this.y, y));
  }

  /** Pictures stay in their lenses. */
  move(scale, x, y) {
    const most = (scale - 1) / (2 * scale);
    Object.assign(this, { scale, x: within(x, most), y: within(y, most) });
    this.draw();
  }

  draw() {
    const { scale, x, y } = this;
    this.pair.classList.toggle("enlarged", scale > 1);
    for (const picture of this.pair.querySelectorAll(".lens > .picture")) {
      picture.style.transform = scale > 1 ? `scale(${scale}) translate(${100 * x}%, ${100 * y}%)` : "";
    }
    byId("zoom-out").disabled = byId("zoom-whole").disabled = scale === 1;
    byId("zoom-in").disabled = scale === LARGEST;
  }

  /** Where in its lens an event is, from the middle in parts of it. */
  place(lens, { clientX, clientY }) {
    const box = lens.getBoundingClientRect();
    return [(clientX - box.left) / box.width - 0.5, (clientY - box.top) / box.height - 0.5];
  }

  turned(event) {
    const lens = event.target.closest(".lens");
    // A wheel scrolls the page, as everywhere; with the control key, or where pictures are enlarged already, it is about them.
    if (!lens || (!event.ctrlKey && this.scale === 1)) return;
    event.preventDefault();
    this.to(this.scale * Math.exp(-event.deltaY / 300), this.place(lens, event));
  }

  down(event) {
    const lens = event.target.closest(".lens");
    if (!lens) return;
    this.dragged = false;
    this.fingers.set(event.pointerId, { lens, from: event, at: event });
    if (this.scale > 1) event.preventDefault();
  }

  moved(event) {
    const finger = this.fingers.get(event.pointerId);
    if (!finger) return;
    const { lens, at, from } = finger;
    if (Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) > STILL) this.dragged = true;
    const [other] = [...this.fingers.values()].filter((one) => one !== finger);
    if (other) {
      const apart = (one) => Math.hypot(one.clientX - other.at.clientX, one.clientY - other.at.clientY);
      this.to((this.scale * apart(event)) / Math.max(1, apart(at)), this.place(lens, event));
    } else if (this.scale > 1) {
      const box = lens.getBoundingClientRect();
      const [right, down] = [(event.clientX - at.clientX) / box.width, (event.clientY - at.clientY) / box.height];
      this.move(this.scale, this.x + right / this.scale, this.y + down / this.scale);
    }
    finger.at = event;
  }
}

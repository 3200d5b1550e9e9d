// The best and the worst of a set, while they are chosen: by the circles, by clicks on the options, by number keys.

import { letterOf } from "./sides.js";

export class Picks {
  /** `keep` is the button that sends both; `say` tells who does not see it. */
  constructor(form, keep, say) {
    Object.assign(this, { form, keep, say, locked: true });
    form.addEventListener("change", (event) => {
      if (event.target.matches(".pick input")) this.chose(event.target);
    });
  }

  /** The number that is called `name`, or 0. */
  of(name) {
    return Number(this.form.querySelector(`.pick input[name="${name}"]:checked`)?.value ?? 0);
  }

  /** What is answered, once both are chosen. */
  get answer() {
    const [best, worst] = [this.of("best"), this.of("worst")];
    return best && worst ? `best ${best}, worst ${worst}` : null;
  }

  /** Locks or unlocks the answer. */
  settle(locked = this.locked) {
    this.locked = locked;
    this.keep.disabled = locked || !this.answer;
    for (const card of this.form.querySelectorAll(".option")) {
      const number = Number(card.dataset.option);
      card.classList.toggle("best", number === this.of("best"));
      card.classList.toggle("worst", number === this.of("worst"));
    }
  }

  set(name, number) {
    for (const input of this.form.querySelectorAll(`.pick input[name="${name}"]`)) input.checked = Number(input.value) === number;
  }

  /** One circle was chosen: no option is both. */
  chose({ name, value }) {
    const other = name === "best" ? "worst" : "best";
    if (this.of(other) === Number(value)) this.set(other, 0);
    this.settle();
  }

  /** An option was chosen: as the best, then as the worst; once more takes it away. */
  pick(number) {
    const letter = letterOf(number);
    const chosen = ["best", "worst"].find((name) => this.of(name) === number);
    const name = chosen ?? (this.of("best") ? "worst" : "best");
    this.set(name, chosen ? 0 : number);
    this.settle();
    this.say(chosen ? `${letter} is not the ${name} any more` : `${letter} is the ${name}`);
  }
}

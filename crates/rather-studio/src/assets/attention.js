// What a person listens to or looks at between a pair being ready and the answer: how long each side, how many changes between them.

/** Seconds that a side must be heard, if it is that long. */
const ENOUGH = 0.5;

const now = () => performance.now() / 1000;

export class Attention {
  /** Begins for a pair that is ready; `durations` are the seconds of its sounds, if it has any: these must be heard. */
  begin(durations) {
    Object.assign(this, { durations, began: now(), since: now(), side: null, last: null, switches: 0, exposure: durations.map(() => 0) });
  }

  /** What has the attention from now on: a side, or null. */
  turn(side) {
    if (this.began === undefined) return;
    if (this.side !== null) this.exposure[this.side] = (this.exposure[this.side] ?? 0) + now() - this.since;
    this.since = now();
    if (side !== null && this.last !== null && side !== this.last) this.switches += 1;
    this.side = side;
    this.last = side ?? this.last;
  }

  /** Sides that were not heard long enough. */
  get missing() {
    return this.durations.map((duration, side) => (this.exposure[side] < Math.min(ENOUGH, duration) ? side : null)).filter((side) => side !== null);
  }

  /** As it is sent with the answer. */
  get timing() {
    const short = (x) => Math.round(1000 * x) / 1000;
    const timing = { seconds: short(now() - this.began) };
    if (this.last !== null) Object.assign(timing, { switches: this.switches, exposure: [0, 1].map((side) => short(this.exposure[side] ?? 0)) });
    return timing;
  }
}

// The player of a duel's two sounds, and of a reference to them: its buttons, its position, and what a screen reader is told.

import { Sound, equalGains, soften } from "./sound.js";
import { word } from "./words.js";

/** Where each sound is played: both sides, and a reference, if there is one. */
const SIDES = ["left", "right", "reference"];
const LETTERS = ["A", "B", "X"];
/** What the browser decodes: FLAC has the samples of WAV in fewer bytes. */
const ACCEPT = new Audio().canPlayType("audio/flac") ? "audio/flac, */*;q=0.5" : "*/*";
/** Decoded sounds that are kept: those of this duel, and of what may come next. */
const KEPT = 14;

export class Player {
  /** `root` holds the controls, whose names begin with `of`; `say` announces; `loudness` is true if both are to be equally loud. `ready` is called when two sounds are
   *  loaded, with their seconds; `plays` with what is heard (0, 1, or null) whenever it may have changed; `fails` when a sound could not be
   *  loaded, and resolves to true if something else is shown then. */
  constructor({ root, of = "", say, loudness, ready, plays = () => {}, fails = async () => false }) {
    Object.assign(this, { root, ready, loudness, say, plays, fails });
    this.sound = null;
    this.wanted = 0;
    this.cache = new Map();
    const part = (id) => root.querySelector(`#${of}${id}`);
    this.parts = Object.fromEntries(
      ["transport", "play", "play-label", "position", "clock", "restart", "loop", "loading", "pair", "reference"].map((id) => [id, part(id)]),
    );
    this.parts.play.addEventListener("click", () => this.toggle());
    this.parts.position.addEventListener("input", () => {
      this.sound?.seek(Number(this.parts.position.value) * this.sound.duration);
      this.tick();
    });
    this.parts.loop.addEventListener("change", () => this.sound?.setLoop(this.parts.loop.checked));
  }

  get context() {
    this.audio ??= new AudioContext({ latencyHint: "interactive" });
    return this.audio;
  }

  /** Fetches a sound and decodes it, once. */
  fetch(url) {
    if (!this.cache.has(url)) {
      const sound = fetch(url, { credentials: "same-origin", headers: { accept: ACCEPT } })
        .then((reply) => {
          if (!reply.ok) throw new Error(`the sound was not sent (${reply.status})`);
          return reply.arrayBuffer();
        })
        .then((bytes) => this.context.decodeAudioData(bytes))
        .then(soften);
      sound.catch(() => this.cache.delete(url));
      this.cache.set(url, sound);
      while (this.cache.size > KEPT) this.cache.delete(this.cache.keys().next().value);
    }
    return this.cache.get(url);
  }

  /** Takes two sounds, or three with a reference; goes on playing, with A from the beginning, if `playing`. */
  async load(urls, playing) {
    const turn = ++this.wanted;
    this.silence();
    this.parts.transport.hidden = true;
    this.parts.loading.hidden = false;
    this.parts.loading.textContent = word("Loading …");
    try {
      const buffers = await Promise.all(urls.map((url) => this.fetch(url)));
      if (turn !== this.wanted) return;
      const gains = this.loudness ? equalGains(buffers) : buffers.map(() => 1);
      this.sound = new Sound(this.context, buffers, gains, () => this.draw());
      this.sound.loop = this.parts.loop.checked;
      this.parts.loading.hidden = true;
      this.parts.transport.hidden = false;
      if (playing) this.sound.play(0, 0);
      this.ready(buffers.map((buffer) => buffer.duration));
      this.draw();
    } catch (error) {
      if (turn !== this.wanted || (await this.fails())) return;
      this.failed(urls, playing, error);
    }
  }

  failed(urls, playing, error) {
    const again = document.createElement("button");
    again.type = "button";
    again.className = "small";
    again.textContent = word("Try again");
    again.addEventListener("click", () => this.load(urls, playing));
    this.parts.loading.replaceChildren(`${word("The sounds could not be loaded: {}.", error.message)} `, again);
    this.say(word("The sounds could not be loaded."));
  }

  /** No sound, and none to come. */
  leave() {
    this.wanted += 1;
    this.silence();
  }

  /** No sound any more: another duel comes. */
  silence() {
    this.sound?.pause();
    this.sound = null;
    this.draw();
  }

  get playing() {
    return this.sound?.playing ?? false;
  }

  /** Play or pause. */
  toggle() {
    if (!this.sound) return;
    if (this.playing) this.sound.pause();
    else this.start(this.sound.side);
    this.draw();
  }

  /** Stops where it is. */
  pause() {
    if (this.playing) this.toggle();
  }

  /** Lets a side be heard: from the same position, or from the beginning. */
  hear(side) {
    const sound = this.sound;
    if (!sound) return;
    if (!this.playing) {
      this.start(side);
    } else if (side !== sound.side) {
      if (this.parts.restart.checked) sound.play(side, 0);
      else sound.switchTo(side);
    }
    this.draw();
  }

  /** What the button on a side does: hear it, or pause it. */
  press(side) {
    if (this.playing && this.sound.side === side) this.toggle();
    else this.hear(side);
  }

  start(side) {
    // Browsers let a page sound only after a key or a click: this is one.
    this.context.resume();
    const restart = this.parts.restart.checked && side !== this.sound.side;
    this.sound.play(side, restart ? 0 : this.sound.position);
  }

  draw() {
    const { sound } = this;
    this.plays(this.playing ? sound.side : null);
    for (const [i, name] of SIDES.entries()) {
      const card = name === "reference" ? this.parts.reference : this.parts.pair.querySelector(`.side[data-side="${name}"]`);
      if (!card?.querySelector(".hear")) continue;
      const current = sound !== null && sound.side === i;
      card.classList.toggle("current", current && this.playing);
      card.classList.toggle("playing", current && this.playing);
      card.querySelector(".hear").setAttribute("aria-pressed", String(current && this.playing));
      const letter = card.getAttribute("aria-label");
      card.querySelector(".hear-label").textContent = word(current && this.playing ? "Playing {}" : "Hear {}", letter);
    }
    this.root.dataset.playing = this.playing ? LETTERS[sound.side] : "";
    this.parts["play-label"].textContent = word(this.playing ? "Pause" : "Play");
    this.tick();
    cancelAnimationFrame(this.frame);
    const follow = () => {
      this.tick();
      this.plays(this.playing ? this.sound.side : null);
      if (this.playing) this.frame = requestAnimationFrame(follow);
    };
    if (this.playing) this.frame = requestAnimationFrame(follow);
  }

  /** Shows the position. */
  tick() {
    if (!this.sound) return;
    const { position, duration } = this.sound;
    const value = (position / duration).toFixed(2);
    if (this.parts.position.value !== value) {
      this.parts.position.value = value;
      const seconds = (t) => String(Math.floor(t));
      this.parts.position.setAttribute("aria-valuetext", word("{} of {} seconds", seconds(position), seconds(duration)));
    }
    const clock = `${Math.floor(position / 60)}:${String(Math.floor(position % 60)).padStart(2, "0")}`;
    if (this.parts.clock.textContent !== clock) this.parts.clock.textContent = clock;
  }
}

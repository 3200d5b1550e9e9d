// Sounds in step: all always run, one is heard. Switching is a short fade at the same position.
//
// The fade's weights add up to one: both sounds are versions of the same clip, so amplitudes add, not powers, and the level
// stays the same all through it.

import { loudness } from "./loudness.js";

/** Seconds of a fade. Too short to be heard as one, long enough not to click. */
export const FADE = 0.015;
/** Seconds at both ends of a sound that are faded, so that a loop has no click at its seam. */
const SEAM = 0.008;
const STEPS = 65;

const rise = Float32Array.from({ length: STEPS }, (_, i) => 0.5 - 0.5 * Math.cos((Math.PI * i) / (STEPS - 1)));
const fall = rise.map((weight) => 1 - weight);

/** Fades both ends of a decoded sound, in place. */
export function soften(buffer) {
  const n = Math.min(Math.round(SEAM * buffer.sampleRate), Math.floor(buffer.length / 2));
  for (let channel = 0; channel < buffer.numberOfChannels; channel++) {
    const samples = buffer.getChannelData(channel);
    for (let i = 0; i < n; i++) {
      const weight = 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / n);
      samples[i] *= weight;
      samples[samples.length - 1 - i] *= weight;
    }
  }
  return buffer;
}

/** How loud a decoded sound is, in LUFS. One channel is played by both loudspeakers. */
export function level(buffer) {
  const channels = Array.from({ length: buffer.numberOfChannels }, (_, i) => buffer.getChannelData(i));
  return loudness(channels.length === 1 ? [...channels, ...channels] : channels, buffer.sampleRate);
}

/** Factors that make sounds equally loud by turning the louder one down; nothing can clip. */
export function equalGains(buffers) {
  const levels = buffers.map(level);
  const softest = Math.min(...levels.filter(Number.isFinite));
  return levels.map((l) => (Number.isFinite(l) ? 10 ** ((softest - l) / 20) : 1));
}

/** Sounds of one length: shorter ones end in silence, so that both begin anew at the same moment. */
function inStep(context, buffers) {
  const longest = Math.max(...buffers.map((buffer) => buffer.duration));
  return buffers.map((buffer) => {
    const length = Math.round(longest * buffer.sampleRate);
    if (buffer.length >= length) return buffer;
    const padded = context.createBuffer(buffer.numberOfChannels, length, buffer.sampleRate);
    for (let i = 0; i < buffer.numberOfChannels; i++) padded.copyToChannel(buffer.getChannelData(i), i);
    return padded;
  });
}

/** Sounds on a context of Web Audio (an offline one too, for tests). */
export class Sound {
  /** `gains` are a factor each; `ended` is called when a sound that does not loop is over. */
  constructor(context, buffers, gains = [1, 1], ended = () => {}) {
    this.context = context;
    this.buffers = inStep(context, buffers);
    this.gains = gains;
    this.ended = ended;
    this.side = 0;
    this.offset = 0;
    this.voices = null;
    this.loop = true;
  }

  get playing() {
    return this.voices !== null;
  }

  /** Length of all sounds, in seconds. */
  get duration() {
    return this.buffers[this.side].duration;
  }

  /** Seconds from the beginning of the sound that is heard. */
  get position() {
    const passed = this.voices ? Math.max(0, this.context.currentTime - this.startedAt) : 0;
    const position = this.offset + passed;
    return this.loop ? position % this.duration : Math.min(position, this.duration);
  }

  /** Plays `side` from `position`, at context time `at`. */
  play(side, position = this.position, at = this.context.currentTime) {
    this.pause(at);
    this.side = side;
    this.offset = position;
    this.startedAt = at;
    const master = this.context.createGain();
    master.gain.setValueAtTime(0, at);
    master.gain.setValueCurveAtTime(rise, at, FADE);
    master.connect(this.context.destination);
    const lines = this.buffers.map((buffer, i) => {
      const source = this.context.createBufferSource();
      const gain = this.context.createGain();
      const trim = this.context.createGain();
      trim.gain.value = this.gains[i];
      source.buffer = buffer;
      source.loop = this.loop;
      gain.gain.setValueAtTime(i === side ? 1 : 0, at);
      source.connect(trim).connect(gain).connect(master);
      source.start(at, position % buffer.duration);
      return { source, gain };
    });
    this.voices = { master, lines };
    this.free = at + FADE;
    const voices = this.voices;
    for (const [i, { source }] of lines.entries()) {
      source.onended = () => {
        if (this.voices === voices && this.side === i) {
          this.voices = null;
          this.offset = 0;
          this.ended();
        }
      };
    }
  }

  /** Lets `side` be heard instead of the other, at the same position. */
  switchTo(side, at = this.context.currentTime) {
    if (side === this.side) return;
    if (this.voices) {
      // A fade that still runs ends first: automation must not overlap.
      const begin = Math.max(at, this.free);
      this.voices.lines[this.side].gain.gain.setValueCurveAtTime(fall, begin, FADE);
      this.voices.lines[side].gain.gain.setValueCurveAtTime(rise, begin, FADE);
      this.free = begin + FADE + 0.001;
    }
    this.side = side;
  }

  pause(at = this.context.currentTime) {
    if (!this.voices) return;
    this.offset = this.position;
    const { master, lines } = this.voices;
    this.voices = null;
    const begin = Math.max(at, this.free);
    master.gain.setValueCurveAtTime(fall, begin, FADE);
    for (const { source } of lines) source.stop(begin + FADE);
  }

  /** Goes to `position`. */
  seek(position) {
    if (this.playing) this.play(this.side, position);
    else this.offset = position;
  }

  /** Whether it starts anew at its end. */
  setLoop(loop) {
    this.offset = this.position;
    this.startedAt = this.context.currentTime;
    this.loop = loop;
    for (const { source } of this.voices?.lines ?? []) source.loop = loop;
  }
}

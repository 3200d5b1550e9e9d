// Before a listening test: a noise to set the volume by, and a test for headphones.
//
// The test is that of Woods, Siegel, Traer and McDermott (2017), "Headphone screening to facilitate web-based auditory experiments": of three low
// tones one is 6 dB softer, and one has its right channel inverted. In headphones that changes nothing; loudspeakers cancel the inverted one,
// so that it seems the softest.

import { word } from "./words.js";

const byId = (id) => document.getElementById(id);
const TRIALS = 6;
/** Right answers from which on somebody wears headphones. */
const ENOUGH = 5;
const FREQUENCY = 200;
const [SECONDS, PAUSE, FADE] = [0.8, 0.4, 0.08];
/** Amplitude of the noise and of the tones, and the factor of the softer one. */
const [LEVEL, SOFTER] = [0.2, 10 ** (-6 / 20)];

let audio = null;
/** Browsers let a page sound only after a click. */
function context() {
  audio ??= new AudioContext();
  audio.resume();
  return audio;
}

/* The noise. */

let noise = null;

/** Two seconds of white noise. */
function white(context) {
  const buffer = context.createBuffer(1, 2 * context.sampleRate, context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < samples.length; i++) samples[i] = LEVEL * (2 * Math.random() - 1);
  return buffer;
}

/** What makes it less sharp. */
function dull(context) {
  const filter = context.createBiquadFilter();
  filter.type = "lowpass";
  filter.frequency.value = 1500;
  return filter;
}

byId("noise").addEventListener("click", () => {
  if (noise) {
    noise.stop();
    noise = null;
  } else {
    noise = context().createBufferSource();
    noise.buffer = white(audio);
    noise.loop = true;
    noise.connect(dull(audio)).connect(audio.destination);
    noise.start();
  }
  byId("noise").setAttribute("aria-pressed", String(noise !== null));
  byId("noise").textContent = word(noise ? "Stop the noise" : "Play the noise");
});

/* The tones. */

let trial = 0;
let right = 0;
/** Which of the three is softer, from 1. */
let softest = 0;

/** One of three tones: in both channels, the right one inverted if it is to cancel. */
function tone(at, level, inverted) {
  const [source, gain, merger] = [audio.createOscillator(), audio.createGain(), audio.createChannelMerger(2)];
  const other = audio.createGain();
  other.gain.value = inverted ? -1 : 1;
  source.frequency.value = FREQUENCY;
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(level, at + FADE);
  gain.gain.setValueAtTime(level, at + SECONDS - FADE);
  gain.gain.linearRampToValueAtTime(0, at + SECONDS);
  source.connect(gain);
  gain.connect(merger, 0, 0);
  gain.connect(other).connect(merger, 0, 1);
  merger.connect(audio.destination);
  source.start(at);
  source.stop(at + SECONDS);
  return source;
}

function play() {
  if (noise) byId("noise").click();
  byId("tones").disabled = true;
  const order = [0, 1, 2].sort(() => Math.random() - 0.5);
  softest = 1 + order.indexOf(0);
  const start = context().currentTime + 0.05;
  const tones = order.map((kind, i) => tone(start + i * (SECONDS + PAUSE), kind === 0 ? LEVEL * SOFTER : LEVEL, kind === 1));
  tones[2].onended = () => {
    byId("which").hidden = false;
    byId("which").querySelector("button").focus();
  };
}

function answered(told) {
  if (told === softest) right += 1;
  trial += 1;
  byId("which").hidden = true;
  byId("tones").disabled = trial === TRIALS;
  byId("tones-count").textContent = word("{} of {}", trial, TRIALS);
  if (trial < TRIALS) {
    byId("tones").focus();
    return;
  }
  byId("headphones").value = String(right);
  byId("tones-said").textContent =
    right >= ENOUGH
      ? word("Thank you: you wear headphones, and they work.")
      : word("This sounded as if by loudspeakers. Put headphones on if you can, then go on; the result of this test is kept with your answers.");
}

byId("tones").addEventListener("click", play);
byId("which").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) answered(Number(button.dataset.tone));
});
byId("volume").hidden = false;

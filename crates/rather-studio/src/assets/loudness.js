// How loud a sound is: loudness in LUFS by Recommendation ITU-R BS.1770-5, of decoded samples.
//
// Each channel passes a filter for the head (a shelf) and one for the ear's insensitivity to low tones; the mean squares of blocks of 0.4 s are summed
// over channels, and blocks that are silent, or far softer than the rest, do not count.

/** The two filters at 48 kHz, as the recommendation has them: numerator and denominator, from the newest sample on. */
const AT_48_KHZ = [
  [[1.53512485958697, -2.69169618940638, 1.19839281085285], [1, -1.69065929318241, 0.73248077421585]],
  [[1, -2, 1], [1, -1.99004745483398, 0.99007225036621]],
];
/** Seconds of a block, and from one to the next. */
const [BLOCK, STEP] = [0.4, 0.1];
/** Blocks below this are silence; blocks so far below the mean of the others are pauses. */
const [SILENCE, PAUSE] = [-70, -10];
const OFFSET = -0.691;
/** What surround channels weigh, of left, right, centre, low frequencies, left and right surround. */
const SURROUND = [1, 1, 1, 0, 1.41, 1.41];

/** A filter of 48 kHz at another rate: its analogue filter by the bilinear transform, and that one back. */
function atRate([numerator, denominator], rate) {
  const ratio = 48000 / rate;
  // With s = (1 - 1/z) / (1 + 1/z), a polynomial in 1/z is one in s; s of one rate is s of the other times the ratio of rates.
  const there = ([a, b, c]) => [a + b + c, 2 * (a - c), a - b + c];
  const back = ([a, b, c]) => [a + b + c, 2 * (a - c), a - b + c];
  const scaled = ([a, b, c]) => [a, b / ratio, c / ratio ** 2];
  const [top, bottom] = [numerator, denominator].map((polynomial) => back(scaled(there(polynomial))));
  return [top.map((x) => x / bottom[0]), bottom.map((x) => x / bottom[0])];
}

/** Samples that passed a filter. */
function filtered(samples, [[b0, b1, b2], [, a1, a2]]) {
  const out = new Float64Array(samples.length);
  let [s1, s2] = [0, 0];
  for (let i = 0; i < samples.length; i++) {
    const x = samples[i];
    const y = b0 * x + s1;
    s1 = b1 * x - a1 * y + s2;
    s2 = b2 * x - a2 * y;
    out[i] = y;
  }
  return out;
}

/** Mean squares of the blocks of a channel. A sound shorter than a block is one. */
function powers(samples, rate) {
  const all = AT_48_KHZ.map((filter) => atRate(filter, rate)).reduce(filtered, samples);
  const length = Math.min(all.length, Math.round(BLOCK * rate));
  const step = Math.round(STEP * rate);
  const found = [];
  for (let at = 0; length > 0 && at + length <= all.length; at += step) {
    let sum = 0;
    for (let i = at; i < at + length; i++) sum += all[i] * all[i];
    found.push(sum / length);
  }
  return found;
}

const inLufs = (power) => OFFSET + 10 * Math.log10(power);
const mean = (values) => values.reduce((sum, x) => sum + x, 0) / values.length;

/** Loudness in LUFS of channels of samples at a rate; minus infinity for silence. */
export function loudness(channels, rate) {
  const weights = channels.length > 3 ? SURROUND : [1, 1, 1];
  const each = channels.map((samples) => powers(samples, rate));
  const blocks = (each[0] ?? []).map((_, k) => each.reduce((sum, of, i) => sum + (weights[i] ?? 1) * of[k], 0));
  const heard = blocks.filter((power) => inLufs(power) >= SILENCE);
  if (heard.length === 0) return -Infinity;
  const gate = inLufs(mean(heard)) + PAUSE;
  return inLufs(mean(heard.filter((power) => inLufs(power) >= gate)));
}

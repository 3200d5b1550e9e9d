//! Any sampling rate to 16 kHz, band-limited.

use crate::clip::SAMPLE_RATE;

/// Zero crossings of the sinc to each side.
const CROSSINGS: f64 = 64.0;
/// Shape of the Kaiser window: 90 dB of stop-band attenuation.
const KAISER: f64 = 8.96;
/// The middle of the transition band relative to half the lower rate: nothing is passed above it.
const CUTOFF: f64 = 0.955;
/// Kernels between two samples; linear interpolation between them is good to $(\pi/512)^2/8$, -106 dB.
const PHASES: usize = 512;

/// `samples` taken at `rate` Hz, as taken at 16 kHz: convolved with a sinc under a Kaiser window (Smith and
/// Gossett, "A flexible sampling-rate conversion method", 1984). Sounds above the lower half rate vanish;
/// outside there is silence.
///
/// A rate of 0 gives nothing.
///
/// # Examples
/// ```
/// use rather_audio::resample::to_sample_rate;
///
/// let tone = |rate: f64| move |n: usize| (n as f64 / rate * 1000.0 * std::f64::consts::TAU).sin();
/// let taken: Vec<f64> = (0..44_100).map(tone(44_100.0)).collect();
/// let here = to_sample_rate(&taken, 44_100);
/// assert_eq!(here.len(), 16_000);
/// assert!((1000..15_000).all(|n| (here[n] - tone(16_000.0)(n)).abs() < 1e-4));
/// ```
pub fn to_sample_rate(samples: &[f64], rate: u32) -> Vec<f64> {
    let (rate, here) = (rate as usize, SAMPLE_RATE);
    if rate == here || rate == 0 {
        return if rate == 0 { Vec::new() } else { samples.to_vec() };
    }
    let kernels = Kernels::new(rate);
    let length = (samples.len() as u128 * here as u128 / rate as u128) as usize;
    (0..length)
        .map(|n| {
            let position = n as u128 * rate as u128;
            let (whole, rest) = ((position / here as u128) as usize, (position % here as u128) as f64);
            kernels.convolve(samples, whole, rest / here as f64)
        })
        .collect()
}

/// The windowed sinc at [`PHASES`] + 1 offsets between two samples, each over the same taps.
struct Kernels {
    half: usize,
    taps: usize,
    values: Vec<f64>,
}

impl Kernels {
    fn new(rate: usize) -> Self {
        // In cycles a sample of the input.
        let cutoff = 0.5 * CUTOFF * (SAMPLE_RATE as f64 / rate as f64).min(1.0);
        let reach = CROSSINGS / (2.0 * cutoff);
        let half = reach.ceil() as usize;
        let taps = 2 * half;
        let values = (0..=PHASES)
            .flat_map(|phase| {
                let offset = phase as f64 / PHASES as f64;
                // Tap k lies at sample k - half + 1 from the one below the wanted moment.
                (0..taps).map(move |k| kernel(k as f64 - (half - 1) as f64 - offset, cutoff, reach))
            })
            .collect();
        Self { half, taps, values }
    }

    /// The sound `fraction` of a sample after sample `whole`.
    fn convolve(&self, samples: &[f64], whole: usize, fraction: f64) -> f64 {
        let phase = fraction * PHASES as f64;
        let (below, weight) = (phase.floor() as usize, phase.fract());
        let skip = (self.half - 1).saturating_sub(whole);
        let from = (whole + 1).saturating_sub(self.half).min(samples.len());
        let to = (whole + 1 + self.half).min(samples.len());
        let at = |phase: usize| {
            let kernel = &self.values[phase * self.taps + skip..(phase + 1) * self.taps];
            dot(&samples[from..to], kernel)
        };
        if weight == 0.0 { at(below) } else { (1.0 - weight) * at(below) + weight * at(below + 1) }
    }
}

/// The inner product, in eight sums that a processor takes side by side.
fn dot(samples: &[f64], kernel: &[f64]) -> f64 {
    let kernel = &kernel[..samples.len()];
    let mut sums = [0.0; 8];
    let (mut x, mut h) = (samples.chunks_exact(8), kernel.chunks_exact(8));
    for (x, h) in x.by_ref().zip(h.by_ref()) {
        (0..8).for_each(|i| sums[i] += x[i] * h[i]);
    }
    let rest: f64 = x.remainder().iter().zip(h.remainder()).map(|(x, h)| x * h).sum();
    sums.iter().sum::<f64>() + rest
}

/// The sinc with a cutoff in cycles a sample, under a Kaiser window of half width `reach`, `t` samples from
/// its middle.
fn kernel(t: f64, cutoff: f64, reach: f64) -> f64 {
    let inside = 1.0 - (t / reach).powi(2);
    if inside <= 0.0 {
        return 0.0;
    }
    let x = 2.0 * std::f64::consts::PI * cutoff * t;
    let sinc = if x.abs() < 1e-8 { 1.0 } else { x.sin() / x };
    2.0 * cutoff * sinc * bessel_i0(KAISER * inside.sqrt()) / bessel_i0(KAISER)
}

/// The modified Bessel function of order 0, by its series.
fn bessel_i0(x: f64) -> f64 {
    let quarter = 0.25 * x * x;
    let (mut term, mut sum, mut k) = (1.0, 1.0, 1.0);
    while term > 1e-17 * sum {
        term *= quarter / (k * k);
        sum += term;
        k += 1.0;
    }
    sum
}

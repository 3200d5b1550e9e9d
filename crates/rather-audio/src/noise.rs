//! Synthetic noises: white, shaped like the long-term spectrum of speech, and amplitude-modulated.

use crate::clip::SAMPLE_RATE;
use rand_chacha::ChaCha8Rng;
use rather_numerics::random;

/// Pole of the filter $1/(1-0.85z^{-1})$: the spectrum falls from 400 Hz on.
const POLE: f64 = 0.85;
/// How often a swelling noise comes, in Hz.
const SWELL: f64 = 0.7;
/// How far it swells and sinks: amplitudes from 0.5 to 1.5, 9.5 dB apart.
const DEPTH: f64 = 0.5;

/// A kind of noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Noise {
    /// All frequencies alike: a hiss.
    White,
    /// White noise through $1/(1-0.85z^{-1})$: a rush, strong where speech is strong.
    Shaped,
    /// Shaped noise whose amplitude swings at 0.7 Hz, so that the noise power must be tracked: surf.
    Modulated,
}

impl Noise {
    /// `samples` samples of expected power near 1.
    ///
    /// # Examples
    /// ```
    /// use rather_audio::noise::Noise;
    ///
    /// let noise = Noise::Shaped.samples(16_000, &mut rather_numerics::random::stream(1, 0));
    /// let power = noise.iter().map(|x| x * x).sum::<f64>() / 16_000.0;
    /// assert!((power - 1.0).abs() < 0.1);
    /// ```
    pub fn samples(self, samples: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let white = random::normals(samples, rng);
        match self {
            Self::White => white,
            Self::Shaped => shape(&white),
            Self::Modulated => swell(&shape(&white)),
        }
    }
}

/// First-order shaping, scaled to the power it had.
fn shape(white: &[f64]) -> Vec<f64> {
    let scale = (1.0 - POLE * POLE).sqrt();
    white
        .iter()
        .scan(0.0, |state, x| {
            *state = POLE * *state + scale * x;
            Some(*state)
        })
        .collect()
}

/// Slow modulation, scaled to the mean power it had.
fn swell(noise: &[f64]) -> Vec<f64> {
    let scale = (1.0 + 0.5 * DEPTH * DEPTH).sqrt().recip();
    let step = std::f64::consts::TAU * SWELL / SAMPLE_RATE as f64;
    noise.iter().enumerate().map(|(n, x)| x * scale * (1.0 + DEPTH * (n as f64 * step).sin())).collect()
}

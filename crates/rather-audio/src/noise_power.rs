//! The power of the noise under speech, tracked frame by frame.
//!
//! Gerkmann and Hendriks, "Unbiased MMSE-based noise power estimation with low complexity and low tracking delay"
//! (IEEE Transactions on Audio, Speech, and Language Processing, 2012): the periodogram counts as noise with the
//! probability that no speech is there, judged at a fixed signal-to-noise ratio.

use crate::stft::BINS;

/// Frames that the noise is first learned from: the clip's first 0.19 s, which must hold noise alone.
pub const OPENING: usize = 12;

/// The signal-to-noise ratio of speech where there is some: 15 dB.
const SPEECH_SNR: f64 = 31.622_776_601_683_793;
/// How much of the old noise power stays in a frame.
const MEMORY: f64 = 0.8;
/// How much of the old mean presence stays in a frame.
const PRESENCE_MEMORY: f64 = 0.9;
/// Presence that has been this high for long is a noise grown louder: the tracker must be able to leave it.
const STUCK: f64 = 0.99;
/// Beyond this exponent presence is certain.
const CERTAIN: f64 = 200.0;
/// Keeps digital silence apart from zero.
const LEAST: f64 = 1e-12;
/// Where long digital silence ends: the power would decay to zero and ratios to it to no number.
const VANISHED: f64 = 1e-24;

/// The noise power of each bin, and how surely speech has lately been there.
#[derive(Debug, Clone)]
pub struct NoisePower {
    power: Vec<f64>,
    presence: Vec<f64>,
}

impl NoisePower {
    /// Starts at the mean of the first [`OPENING`] periodograms ([`BINS`] values each), which must hold noise
    /// alone.
    pub fn from_opening(powers: &[f64]) -> Self {
        let frames = (powers.len() / BINS).min(OPENING);
        let mut power = vec![0.0; BINS];
        for frame in powers.chunks_exact(BINS).take(frames) {
            power.iter_mut().zip(frame).for_each(|(sum, p)| *sum += p);
        }
        power.iter_mut().for_each(|sum| *sum = *sum / frames.max(1) as f64 + LEAST);
        Self { power, presence: vec![0.5; BINS] }
    }

    /// Takes the next periodogram $P$ into account and returns the noise power $\lambda$ of each bin.
    ///
    /// Presence $p=[1+(1+\xi_1)\exp(-\tfrac P\lambda\tfrac{\xi_1}{1+\xi_1})]^{-1}$ with $\xi_1=10^{1.5}$ (the
    /// paper's Eq. 18 with equal priors), held back where it has stuck (Eqs. 23 and 24), then
    /// $\lambda\leftarrow0.8\lambda+0.2[(1-p)P+p\lambda]$ (Eqs. 22 and 8).
    pub fn update(&mut self, frame: &[f64]) -> &[f64] {
        for ((power, mean), p) in self.power.iter_mut().zip(&mut self.presence).zip(frame) {
            let presence = presence(p / *power);
            *mean = PRESENCE_MEMORY * *mean + (1.0 - PRESENCE_MEMORY) * presence;
            let presence = if *mean > STUCK { presence.min(STUCK) } else { presence };
            let noise = (1.0 - presence) * p + presence * *power;
            *power = (MEMORY * *power + (1.0 - MEMORY) * noise).max(VANISHED);
        }
        &self.power
    }
}

/// The probability of speech where the periodogram is `ratio` times the noise power.
fn presence(ratio: f64) -> f64 {
    let exponent = (ratio * (SPEECH_SNR / (1.0 + SPEECH_SNR))).min(CERTAIN);
    1.0 / (1.0 + (1.0 + SPEECH_SNR) * (-exponent).exp())
}

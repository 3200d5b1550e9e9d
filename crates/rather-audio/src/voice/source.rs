//! What the vocal folds send into the tract.

use super::resonator::Resonator;
use crate::clip::SAMPLE_RATE;

/// No harmonic above this, so that none folds back at half the sampling rate.
const HIGHEST: f64 = 7_600.0;
/// Folds that close softly: a first-order low-pass at 3 kHz.
const SOFTNESS: f64 = 0.7;
/// Brings an open vowel to a power near 1.
const LEVEL: f64 = 7.5;

/// A band-limited pulse train (the Dirichlet kernel: all harmonics up to the highest, alike), falling by 12 dB an
/// octave from 300 Hz on as the flow through the folds does.
#[derive(Debug, Clone)]
pub(super) struct Folds {
    phase: f64,
    slope: Resonator,
    tilt: f64,
}

impl Folds {
    pub(super) fn new() -> Self {
        Self { phase: 0.0, slope: Resonator::at(0.0, 300.0), tilt: 0.0 }
    }

    /// One sample at a pitch in Hz.
    pub(super) fn step(&mut self, pitch: f64) -> f64 {
        self.phase = (self.phase + pitch / SAMPLE_RATE as f64).fract();
        let pulse = pulse(std::f64::consts::TAU * self.phase, HIGHEST / pitch);
        // A lower voice has more harmonics: the same power for all pitches.
        let flow = self.slope.step(LEVEL * pulse * (pitch / 100.0));
        self.tilt += SOFTNESS * (flow - self.tilt);
        self.tilt
    }

    /// How far through its cycle the glottis is, 0 to 1.
    pub(super) fn phase(&self) -> f64 {
        self.phase
    }
}

/// $\sum_{k\le n}\cos k\varphi$ with the next harmonic faded in as `harmonics` $=n$ + fraction grows.
fn pulse(phase: f64, harmonics: f64) -> f64 {
    let (whole, faded) = (harmonics.floor(), harmonics.fract());
    let half = (0.5 * phase).sin();
    let sum = if half.abs() < 1e-9 { whole } else { 0.5 * (((whole + 0.5) * phase).sin() / half - 1.0) };
    sum + faded * ((whole + 1.0) * phase).cos()
}

#[cfg(test)]
mod tests {
    /// The closed form against the sum of cosines.
    #[test]
    fn pulse_is_the_sum_of_its_harmonics() {
        for phase in [0.0, 1e-12, 0.3, 3.1, 6.2] {
            let sum: f64 =
                (1..=40).map(|k| (f64::from(k) * phase).cos()).sum::<f64>() + 0.25 * (41.0 * phase).cos();
            // Near a multiple of the period the quotient loses digits, by 40 harmonics over the distance.
            assert!((super::pulse(phase, 40.25) - sum).abs() < 1e-10);
        }
    }
}

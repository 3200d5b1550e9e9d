//! Second-order filters: a formant, and a band of noise.

use crate::clip::SAMPLE_RATE;

const PERIOD: f64 = 1.0 / SAMPLE_RATE as f64;

/// A digital resonator (Klatt 1980, Eqs. 1 and 2) with unit gain at 0 Hz.
#[derive(Debug, Clone, Default)]
pub(super) struct Resonator {
    input: f64,
    feedback: [f64; 2],
    state: [f64; 2],
}

impl Resonator {
    /// A resonator that stays at a centre and bandwidth in Hz.
    pub(super) fn at(centre: f64, width: f64) -> Self {
        let mut resonator = Self::default();
        resonator.tune(centre, width);
        resonator
    }

    /// Moves to a centre and bandwidth in Hz; what rings on keeps ringing.
    pub(super) fn tune(&mut self, centre: f64, width: f64) {
        let radius = (-std::f64::consts::PI * width * PERIOD).exp();
        let second = -radius * radius;
        let first = 2.0 * radius * (std::f64::consts::TAU * centre * PERIOD).cos();
        self.feedback = [first, second];
        self.input = 1.0 - first - second;
    }

    /// One sample through the filter.
    pub(super) fn step(&mut self, x: f64) -> f64 {
        let y = self.input * x + self.feedback[0] * self.state[0] + self.feedback[1] * self.state[1];
        self.state = [y, self.state[0]];
        y
    }
}

/// A band-pass with unit gain at its centre (two poles, zeros at 0 Hz and at half the sampling rate).
#[derive(Debug, Clone, Default)]
pub(super) struct BandPass {
    input: f64,
    feedback: [f64; 2],
    past: [f64; 2],
    state: [f64; 2],
}

impl BandPass {
    /// Moves to a centre and bandwidth in Hz.
    pub(super) fn tune(&mut self, centre: f64, width: f64) {
        let angle = std::f64::consts::TAU * centre * PERIOD;
        let alpha = (std::f64::consts::PI * width * PERIOD).tan().min(4.0) * angle.sin().abs().max(0.1);
        self.input = alpha / (1.0 + alpha);
        self.feedback = [2.0 * angle.cos() / (1.0 + alpha), (alpha - 1.0) / (1.0 + alpha)];
    }

    /// One sample through the filter.
    pub(super) fn step(&mut self, x: f64) -> f64 {
        let y = self.input * (x - self.past[1])
            + self.feedback[0] * self.state[0]
            + self.feedback[1] * self.state[1];
        self.past = [x, self.past[0]];
        self.state = [y, self.state[0]];
        y
    }
}

//! How noisy a person is.

use super::Fit;
use crate::Error;
use crate::analysis::answered;
use crate::learner::{Learner, Record};
use rather::design::Thresholds;
use serde::Serialize;

/// The person's noise, as a multiple of the noise that the study's prior assumes: below 1 their preferences are clearer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Noise {
    /// Median of its posterior.
    pub factor: f64,
    /// The end below which it lies with probability 2.5 %.
    pub low: f64,
    /// The end above which it lies with probability 2.5 %.
    pub high: f64,
}

/// Fewer answers say next to nothing.
const FEWEST: usize = 5;
/// Steps of the grid on each side of 1, a factor of 2^(1/2) each: from 1/16 to 16.
const STEPS: i32 = 8;
/// Standard deviation of the logarithm of the factor before the first answer: mostly between 1/7 and 7.
const PRIOR_SD: f64 = 1.0;

impl Noise {
    /// # Formula
    /// $p(c)\propto Z(c \sigma) N(\ln c\mid0,1)$ on a grid in $\ln c$, $Z$ the evidence by expectation propagation.
    pub(super) fn of(
        learner: &Learner,
        record: &Record,
        thresholds: &Thresholds,
    ) -> Result<Option<Self>, Error> {
        if answered(record).count() < FEWEST {
            return Ok(None);
        }
        let mut grid = Vec::new();
        for step in -STEPS..=STEPS {
            let log_factor = f64::from(step) * 0.5 * std::f64::consts::LN_2;
            let log_evidence = Fit::new(learner, record, thresholds, log_factor.exp())?.log_evidence();
            grid.push((log_factor, log_evidence - 0.5 * (log_factor / PRIOR_SD).powi(2)));
        }
        let [low, factor, high] = quantiles(&grid, [0.025, 0.5, 0.975]).map(f64::exp);
        Ok(Some(Self { factor, low, high }))
    }

    pub(super) fn sentence(&self) -> String {
        let judged = if self.high < 1.0 {
            "clearer than assumed"
        } else if self.low > 1.0 {
            "noisier than assumed"
        } else {
            "as assumed"
        };
        format!(
            "noise: {:.2} times what the study assumes (95 %: {:.2} to {:.2}), {judged}",
            self.factor, self.low, self.high
        )
    }
}

/// Quantiles of the density whose logarithm is given at equally spaced places and linear in between.
fn quantiles<const N: usize>(log_density: &[(f64, f64)], shares: [f64; N]) -> [f64; N] {
    const PARTS: usize = 64;
    let top = log_density.iter().map(|p| p.1).fold(f64::MIN, f64::max);
    let mut places = Vec::new();
    for ends in log_density.windows(2) {
        for part in 0..PARTS {
            let t = (part as f64 + 0.5) / PARTS as f64;
            let at = |get: fn(&(f64, f64)) -> f64| get(&ends[0]) + t * (get(&ends[1]) - get(&ends[0]));
            places.push((at(|p| p.0), (at(|p| p.1) - top).exp()));
        }
    }
    let total: f64 = places.iter().map(|p| p.1).sum();
    shares.map(|share| {
        let mut sum = 0.0;
        let found = places.iter().find(|(_, density)| {
            sum += density / total;
            sum >= share
        });
        found.or(places.last()).map_or(0.0, |p| p.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_a_normal() {
        let grid: Vec<(f64, f64)> =
            (-20..=20).map(|i| f64::from(i) * 0.3).map(|x| (x, -0.5 * x * x)).collect();
        let [low, middle, high] = quantiles(&grid, [0.025, 0.5, 0.975]);
        // A grid of 0.3 with straight lines between makes the normal a little wider.
        assert!(
            (low + 1.96).abs() < 0.03 && middle.abs() < 0.01 && (high - 1.96).abs() < 0.03,
            "{low} {middle} {high}"
        );
    }
}

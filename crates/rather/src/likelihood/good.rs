//! Whether an item is good at all, against a learned threshold.

use super::Interval;
use super::choice::between;
use super::response::{AnswerOption, Kind, Reply, Response, ResponseLikelihood, Setting, Survey};
use crate::parameter::Hyperparameter;

/// "Good", or "bad": a noisy utility is above or below a threshold $c$ (`good`) that everybody has in common. "Both are good" and "both are
/// bad", said of two items, are two of these: comparisons tell no more than differences of utilities, and this where they are.
///
/// # Formula
/// With an item's noise $\sigma$: good is $\Phi((f-c)/\sigma)$, bad is $\Phi((c-f)/\sigma)$.
///
/// # References
/// Thurstone and Jones, *The rational origin for measuring subjective
/// values* (1957), Journal of the American Statistical Association 52, for the zero of a scale from comparisons.
#[derive(Debug, Clone, Copy)]
pub struct Good;

/// The name of the parameter $c$.
const THRESHOLD: &str = "good";
/// Standard deviation of the threshold, in those of the noise of an item.
const THRESHOLD_SD: f64 = 3.0;

impl Reply {
    /// "Good", or "bad".
    pub fn good(is_good: bool) -> Self {
        Self::new(Kind(&Good), f64::from(u8::from(is_good)))
    }
}

impl Response for Good {
    fn name(&self) -> &'static str {
        "good"
    }

    fn accepts(&self, datum: f64) -> bool {
        [0.0, 1.0].contains(&datum)
    }

    fn parameters(&self, survey: &Survey<'_>) -> Vec<Hyperparameter> {
        vec![Hyperparameter::real(THRESHOLD, 0.0, THRESHOLD_SD * survey.noise)]
    }

    fn likelihood(&self, said: &Reply, at: &Setting<'_>) -> ResponseLikelihood {
        let threshold = at.find(THRESHOLD);
        let c = threshold.map_or(0.0, |c| c.value);
        let (lower, upper, slot) = match said.datum == 1.0 {
            true => (c, f64::INFINITY, Interval::LOWER),
            false => (f64::NEG_INFINITY, c, Interval::UPPER),
        };
        let likelihood = between(lower, upper, at.item_noise(), at.response_model.link);
        let out = ResponseLikelihood::noisy(likelihood, at);
        threshold.into_iter().fold(out, |out, c| out.on(slot, c, 1.0))
    }

    fn options(&self, _survey: &Survey<'_>) -> Vec<AnswerOption> {
        [1.0, 0.0].map(|datum| AnswerOption { datum, sign: 1.0 }).to_vec()
    }
}

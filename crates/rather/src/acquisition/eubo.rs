//! Expected utility of the best option, of two.

use super::improvement;
use super::{AcquisitionFunction, AnswerModel, Contrast, Goal, Score};

/// The expected utility of the better of the two items, $\mathbb E\max(f(x),f(x'))$: the opponent's mean plus the expected
/// improvement on it. With the opponent fixed it ranks challengers as [`improvement`] does.
///
/// # References
/// Lin, Astudillo, Frazier and Bakshy, *Preference exploration for efficient Bayesian optimization with multiple outcomes*
/// (2022), AISTATS.
pub fn score(contrast: &Contrast) -> Score {
    let improvement = improvement::score(contrast);
    Score { value: contrast.base + improvement.value, d_base: 1.0, ..improvement }
}

/// `eubo`: [`score`].
#[derive(Debug)]
pub struct ExpectedUtilityOfBest;

impl AcquisitionFunction for ExpectedUtilityOfBest {
    fn name(&self) -> &'static str {
        "eubo"
    }

    fn title(&self) -> &'static str {
        "best of the two (EUBO)"
    }

    fn meaning(&self) -> &'static str {
        "the expected utility of the better of the two, relative to the prior's mean, in units of utility"
    }

    fn goal(&self) -> Goal {
        Goal::Best
    }

    fn score(&self, contrast: &Contrast, _answers: &AnswerModel, _setting: f64) -> Option<Score> {
        Some(score(contrast))
    }
}

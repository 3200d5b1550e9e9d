//! The hallucination believer.

use std::borrow::Cow;

use super::{Acquisition, AcquisitionFunction, AnswerModel, Contrast, Goal, Score, improvement};
use crate::Error;
use crate::posterior::Posterior;

/// The posterior under which `acquisition` is evaluated: for a function that
/// [conditions on a draw](AcquisitionFunction::conditions_on_a_draw) the Gaussian given one draw of the
/// noisy differences behind the comparisons from their exact posterior ([`Posterior::given_a_draw`]), as if that draw had
/// been observed; for all others `posterior` as it is. To the resulting Gaussian a standard acquisition function is
/// applied, here expected improvement on the opponent. The randomness of the draw explores.
///
/// # Errors
/// As [`Posterior::given_a_draw`].
///
/// # References
/// Takeno, Nomura and Karasuyama, *Towards practical preferential Bayesian optimization with skew Gaussian processes*
/// (2023), arXiv:2302.01513, section 4.
pub fn posterior<'a>(
    acquisition: &Acquisition,
    posterior: &'a Posterior,
    seed: u64,
) -> Result<Cow<'a, Posterior>, Error> {
    if acquisition.conditions_on_a_draw() {
        posterior.given_a_draw(seed).map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(posterior))
    }
}

/// `believer`: expected improvement under the posterior given a draw.
#[derive(Debug)]
pub struct HallucinationBeliever;

impl AcquisitionFunction for HallucinationBeliever {
    fn name(&self) -> &'static str {
        "believer"
    }

    fn title(&self) -> &'static str {
        "likely to improve, if a draw were true"
    }

    fn meaning(&self) -> &'static str {
        "expected improvement of the right item over the left one, in units of utility"
    }

    fn goal(&self) -> Goal {
        Goal::Best
    }

    fn needs_opponent(&self) -> bool {
        true
    }

    fn conditions_on_a_draw(&self) -> bool {
        true
    }

    fn score(&self, contrast: &Contrast, _answers: &AnswerModel, _setting: f64) -> Option<Score> {
        Some(improvement::score(contrast))
    }
}

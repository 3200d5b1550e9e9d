//! The hallucination believer.

use std::borrow::Cow;

use super::{Acquisition, AcquisitionFunction, AnswerModel, Contrast, Goal, Score, improvement};
use crate::Error;
use crate::posterior::Posterior;
use rather_numerics::random::{stream, uniform};

/// What `acquisition` looks at of an average over `components`: all of them; for a function that
/// [conditions on a draw](AcquisitionFunction::conditions_on_a_draw) one that is drawn by the weights, given one draw of the
/// noisy differences behind the comparisons from its exact posterior ([`Posterior::given_a_draw`]), as if that draw had
/// been observed. To the resulting Gaussian a standard acquisition function is
/// applied, here expected improvement on the opponent. The randomness of the draw explores.
///
/// # Errors
/// As [`Posterior::given_a_draw`].
///
/// # References
/// Takeno, Nomura and Karasuyama, *Towards practical preferential Bayesian optimization with skew Gaussian processes*
/// (2023), arXiv:2302.01513, section 4.
pub fn components<'a>(
    acquisition: &Acquisition,
    components: &[(f64, &'a Posterior)],
    seed: u64,
) -> Result<Vec<(f64, Cow<'a, Posterior>)>, Error> {
    if !acquisition.conditions_on_a_draw() {
        return Ok(components
            .iter()
            .map(|&(weight, posterior)| (weight, Cow::Borrowed(posterior)))
            .collect());
    }
    let mut left = uniform(&mut stream(seed, 5));
    let found = components.iter().find(|(weight, _)| {
        left -= weight;
        left < 0.0
    });
    let Some((_, drawn)) = found.or(components.last()) else { return Ok(Vec::new()) };
    Ok(vec![(1.0, Cow::Owned(drawn.given_a_draw(seed)?))])
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

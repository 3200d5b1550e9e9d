//! Expected improvement.

use super::{AcquisitionFunction, AnswerModel, Contrast, Goal, Score};
use rather_numerics::special::normal::{cdf, pdf};

/// The expected improvement on the opponent, $\mathbb E\max(z,0)=m \Phi(m/\sqrt v)+\sqrt v \phi(m/\sqrt v)$.
///
/// # References
/// Jones, Schonlau and Welch, *Efficient global optimization of expensive black-box functions* (1998), Journal of Global
/// Optimization 13, equation 15, with the variance of the difference for that of the utility.
pub fn score(contrast: &Contrast) -> Score {
    let Contrast { mean, variance, .. } = *contrast;
    let sd = variance.sqrt();
    if sd == 0.0 {
        return Score { value: mean.max(0.0), d_mean: f64::from(u8::from(mean > 0.0)), ..Score::default() };
    }
    let u = mean / sd;
    let (p, density) = (cdf(u), pdf(u));
    Score { value: mean * p + sd * density, d_mean: p, d_variance: 0.5 * density / sd, d_base: 0.0 }
}

/// `improvement`: [`score`].
#[derive(Debug)]
pub struct ExpectedImprovement;

impl AcquisitionFunction for ExpectedImprovement {
    fn name(&self) -> &'static str {
        "improvement"
    }

    fn title(&self) -> &'static str {
        "likely to improve (EI)"
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

    fn score(&self, contrast: &Contrast, _answers: &AnswerModel, _setting: f64) -> Option<Score> {
        Some(score(contrast))
    }
}

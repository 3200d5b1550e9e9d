//! The maximally uncertain challenger.

use super::{AcquisitionFunction, AnswerModel, Average, Contrast, Goal, PairBelief, Score, entropy};
use rather_numerics::special::normal::{cdf, pdf};
use rather_numerics::special::owen::{t, t_by_a, t_by_h};

/// The variance of the probability that the challenger is preferred, for what is not known of the utilities, where one must be chosen.
///
/// # Formula
/// With $M=m/s$, $V=v/s^2$, $u=M/\sqrt{1+V}$, $a=1/\sqrt{1+2V}$ and Owen's function $T$
/// $$ \operatorname{var}\Phi(z/s)=\Phi(u) \Phi(-u)-2 T(u,a). $$
///
/// # References
/// Fauvel and Chalk, *Efficient exploration in binary and preferential Bayesian optimization* (2021), arXiv:2110.09361,
/// "maximally uncertain challenge".
pub fn score(contrast: &Contrast, s: f64) -> Score {
    let (total, v) = (s * s + contrast.variance, contrast.variance / (s * s));
    let (u, a) = (contrast.mean / total.sqrt(), 1.0 / (1.0 + 2.0 * v).sqrt());
    let value = cdf(u) * cdf(-u) - 2.0 * t(u, a);
    let by_u = pdf(u) * (cdf(-u) - cdf(u)) - 2.0 * t_by_h(u, a);
    // da/dV = -a^3.
    let by_variance = 2.0 * t_by_a(u, a) * a.powi(3) / (s * s);
    let through_u = Score::of_standardised(contrast, s, value.max(0.0), by_u);
    Score { d_variance: through_u.d_variance + by_variance, ..through_u }
}

/// The same for one of several answers: half the sum of the variances of their probabilities,
/// $\frac12\big(\mathbb E\sum_yp_y(z)^2-\sum_yP_y^2\big)$ with $P_y=\mathbb Ep_y(z)$. Of two answers both have the same variance.
pub fn of_answers(contrast: &Contrast, answers: &AnswerModel) -> Score {
    let averages = answers.averages(contrast.mean, contrast.variance);
    let mut out = Score::of_average(&averages.squares);
    for p in &averages.answers {
        out.value -= p.value * p.value;
        out.d_mean -= 2.0 * p.value * p.d_mean;
        out.d_variance -= 2.0 * p.value * p.d_variance;
    }
    let Score { value, d_mean, d_variance, d_base } = out;
    Score { value: 0.5 * value.max(0.0), d_mean: 0.5 * d_mean, d_variance: 0.5 * d_variance, d_base }
}

/// `uncertain`: [`score`] of a plain choice, [`of_answers`] of any other answer.
#[derive(Debug)]
pub struct VarianceOfProbability;

impl AcquisitionFunction for VarianceOfProbability {
    fn name(&self) -> &'static str {
        "uncertain"
    }

    fn title(&self) -> &'static str {
        "least certain probability"
    }

    fn meaning(&self) -> &'static str {
        "the variance of the probability that the right item is preferred (with more than two answers, half the sum of their variances)"
    }

    fn goal(&self) -> Goal {
        Goal::Utilities
    }

    fn score(&self, contrast: &Contrast, answers: &AnswerModel, _setting: f64) -> Option<Score> {
        Some(answers.closed_form().map_or_else(|| of_answers(contrast, answers), |s| score(contrast, s)))
    }

    /// The average of the variances, and the variance of what the parts predict.
    fn scores_of_mixture(&self, parts: &[PairBelief<'_>], setting: f64) -> Vec<Score> {
        let predicted: Vec<Vec<Average>> = parts.iter().map(PairBelief::predicted).collect();
        let mean = entropy::mean_probabilities(parts, &predicted);
        let one = |(part, predicted): (&PairBelief<'_>, &Vec<Average>)| {
            let mut out = self.score(&part.contrast, part.answers, setting).unwrap_or(Score::NOTHING);
            for (p, mean) in predicted.iter().zip(&mean) {
                let off = p.value - mean;
                out.value += 0.5 * off * off;
                out.d_mean += off * p.d_mean;
                out.d_variance += off * p.d_variance;
            }
            out.times(part.weight)
        };
        parts.iter().zip(&predicted).map(one).collect()
    }
}

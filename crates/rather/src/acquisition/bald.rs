//! Bayesian active learning by disagreement: how much the answer tells about the utilities.

use std::f64::consts::{LN_2, PI};

use super::entropy;
use super::{AcquisitionFunction, AnswerModel, Contrast, Goal, PairBelief, Score};
use rather_numerics::special::hermite::GaussHermite;
use rather_numerics::special::normal::{cdf, log_cdf};
use rather_numerics::special::probit::probit_moments;

/// $C^2=\pi\ln2/2$: $h(\Phi(t))\approx e^{-t^2/2C^2}$.
const C2: f64 = PI * LN_2 / 2.0;

/// The mutual information between the answer and the utilities, in bits, in closed form: of a plain choice ([`of_answers`] of any other answer).
///
/// # Formula
/// $$ I=h\Big(\Phi\Big(\frac m{\sqrt{s^2+v}}\Big)\Big)-\frac C{\sqrt{C^2+v/s^2}}
///      \exp\Big(-\frac{m^2/s^2}{2(C^2+v/s^2)}\Big),\qquad C^2=\frac{\pi\ln2}2 : $$
/// the entropy of the answer less the entropy that is left once the utilities are known, averaged over them with
/// $h(\Phi(t))\approx e^{-t^2/2C^2}$. The approximation's error is below 0.003 bits, so values of that size mean nothing (and can
/// be negative); [`quadrature`] has no such limit.
///
/// # References
/// Houlsby, Huszár, Ghahramani and Hernández-Lobato, *Collaborative Gaussian processes for preference learning* (2012),
/// NIPS 25, section 3; Houlsby, Huszár, Ghahramani and Lengyel, *Bayesian active learning for classification and
/// preference learning* (2011), arXiv:1112.5745, section 3.
pub fn score(contrast: &Contrast, s: f64) -> Score {
    entropy::score(contrast, s).minus(gaussian_noise(contrast, s))
}

/// The Gaussian part $A=\frac C{\sqrt{C^2+V}}e^{-M^2/2(C^2+V)}$ of the expected entropy, $M=m/s$, $V=v/s^2$.
pub(super) fn gaussian_noise(contrast: &Contrast, s: f64) -> Score {
    let (m, v) = (contrast.mean / s, contrast.variance / (s * s));
    let total = C2 + v;
    let value = (C2 / total).sqrt() * (-0.5 * m * m / total).exp();
    let d_variance = 0.5 * value * (m * m / total - 1.0) / total;
    Score { value, d_mean: -value * m / total / s, d_variance: d_variance / (s * s), d_base: 0.0 }
}

/// As [`score`], by Gauss-Hermite quadrature: to about 1e-9 bits.
///
/// # Formula
/// The Gaussian $e^{-t^2/2C^2}$ is taken out of the integrand and into the weight:
/// $$ \mathbb E_{t\sim N(M,V)} h(\Phi(t))=A \mathbb E_{t\sim N(M',V')}\big[h(\Phi(t)) e^{t^2/2C^2}\big],\qquad
///    V'=\frac{VC^2}{V+C^2},\ M'=\frac{MC^2}{V+C^2}, $$
/// where $A$ is the closed form, and what is left in the brackets is smooth and near 1, so that a few nodes suffice for any
/// variance. The derivatives in $M$ and $V$ are those of the integral, with $h(\Phi)'$ and $\frac12h(\Phi)''$ in the place of
/// $h(\Phi)$.
pub fn quadrature(contrast: &Contrast, s: f64) -> Score {
    entropy::score(contrast, s).minus(standard_noise(contrast, s))
}

/// The entropy left once the utilities are known, on average, by a rule of any number of points.
pub fn noise(contrast: &Contrast, s: f64, rule: &GaussHermite) -> Score {
    let (m, v) = (contrast.mean / s, contrast.variance / (s * s));
    let share = C2 / (v + C2);
    let (centre, spread) = (m * share, (v * share).sqrt());
    let leading = gaussian_noise(contrast, s).value;
    let mut out = Score::default();
    for (x, w) in rule.iter() {
        let Ratios { value, first, second } = ratios(centre + spread * x);
        out.value += w * value;
        out.d_mean += w * first;
        out.d_variance += w * second;
    }
    Score {
        value: leading * out.value,
        d_mean: leading * out.d_mean / s,
        d_variance: 0.5 * leading * out.d_variance / (s * s),
        d_base: 0.0,
    }
}

/// [`noise`] by the standard rule.
fn standard_noise(contrast: &Contrast, s: f64) -> Score {
    noise(contrast, s, GaussHermite::standard())
}

fn sum(scores: &[Score]) -> f64 {
    scores.iter().map(|score| score.value).sum()
}

/// The mutual information between one of several answers and the utilities, in bits, by a model's own likelihood:
/// $$ I=-\sum_yP_y\log_2P_y+\mathbb E\sum_yp_y(z)\log_2p_y(z),\qquad P_y=\mathbb Ep_y(z),\quad z\sim\mathcal N(m,v), $$
/// by one-dimensional integrals ([`AnswerModel::averages`]).
pub fn of_answers(contrast: &Contrast, answers: &AnswerModel) -> Score {
    let averages = answers.averages(contrast.mean, contrast.variance);
    entropy::of_answers(&averages.answers).minus(Score::of_average(&averages.entropy))
}

/// What a mixture of beliefs makes of it, where the entropy that is left of a plain choice once the utilities are known is `noise`: the
/// information about the utilities and about which of the beliefs is right, $H(\sum_kw_kP_k)-\sum_kw_k\mathbb E_kH$, one score a part.
pub(super) fn of_mixture(parts: &[PairBelief<'_>], noise: fn(&Contrast, f64) -> Score) -> Vec<Score> {
    let one = |part: &PairBelief<'_>| {
        let PairBelief { weight, contrast, answers } = part;
        let (left, predicted) = match answers.closed_form() {
            Some(s) => (noise(contrast, s), part.predicted()),
            None => {
                let averages = answers.averages(contrast.mean, contrast.variance);
                (Score::of_average(&averages.entropy), averages.answers)
            }
        };
        (left.times(*weight), predicted)
    };
    let (left, predicted): (Vec<Score>, Vec<_>) = parts.iter().map(one).unzip();
    entropy::of_mixture(parts, &predicted).into_iter().zip(left).map(|(all, left)| all.minus(left)).collect()
}

/// The sum of the values of [`of_mixture`] where all answers are plain choices: without derivatives, for pools of many pairs.
fn value_of_plain_mixture(parts: &[PairBelief<'_>], noise: fn(&Contrast, f64) -> Score) -> Option<f64> {
    let (mut right, mut left, mut known) = (0.0, 0.0, 0.0);
    for PairBelief { weight, contrast, answers } in parts {
        let s = answers.closed_form()?;
        let u = contrast.mean / (s * s + contrast.variance).sqrt();
        right += weight * cdf(u);
        left += weight * cdf(-u);
        known += weight * noise(contrast, s).value;
    }
    Some(entropy::of_shares([right, left].into_iter()) - known)
}

/// $h(\Phi(t))$ and its two derivatives, all times $e^{t^2/2C^2}$.
struct Ratios {
    value: f64,
    first: f64,
    second: f64,
}

fn ratios(t: f64) -> Ratios {
    let (near, far) = (probit_moments(t.abs()), probit_moments(-t.abs()));
    // With q the smaller probability and p the larger: h = q (-log q - (p/q) log p), where the last term goes to 1.
    let q = far.log_cdf.exp();
    let rest = if q > 0.0 { -(1.0 - q) * near.log_cdf / q } else { 1.0 };
    let value = (far.log_cdf + 0.5 * t * t / C2).exp() * (rest - far.log_cdf) / LN_2;
    let density = (0.5 * t * t * (1.0 / C2 - 1.0)).exp() / (2.0 * PI).sqrt();
    // log2 of Phi(-t) / Phi(t).
    let log_odds = t.signum() * (far.log_cdf - log_cdf(t.abs())) / LN_2;
    Ratios { value, first: density * log_odds, second: -density * (t * log_odds + (near.r + far.r) / LN_2) }
}

/// `bald`: [`score`] of a plain choice, [`of_answers`] of any other answer.
#[derive(Debug)]
pub struct Bald;

impl AcquisitionFunction for Bald {
    fn name(&self) -> &'static str {
        "bald"
    }

    fn title(&self) -> &'static str {
        "most informative (BALD)"
    }

    fn meaning(&self) -> &'static str {
        "expected information gain of the answer about the utilities (mutual information), in bits"
    }

    fn goal(&self) -> Goal {
        Goal::Utilities
    }

    fn score(&self, contrast: &Contrast, answers: &AnswerModel, _setting: f64) -> Option<Score> {
        Some(answers.closed_form().map_or_else(|| of_answers(contrast, answers), |s| score(contrast, s)))
    }

    fn scores_of_mixture(&self, parts: &[PairBelief<'_>], _setting: f64) -> Vec<Score> {
        of_mixture(parts, gaussian_noise)
    }

    fn value_of_mixture(&self, parts: &[PairBelief<'_>], _setting: f64) -> f64 {
        value_of_plain_mixture(parts, gaussian_noise)
            .unwrap_or_else(|| sum(&of_mixture(parts, gaussian_noise)))
    }
}

/// `bald-quadrature`: [`quadrature`] of a plain choice, [`of_answers`] of any other answer.
#[derive(Debug)]
pub struct BaldQuadrature;

impl AcquisitionFunction for BaldQuadrature {
    fn name(&self) -> &'static str {
        "bald-quadrature"
    }

    fn title(&self) -> &'static str {
        "most informative (BALD by quadrature)"
    }

    fn meaning(&self) -> &'static str {
        "expected information gain of the answer about the utilities (mutual information), in bits"
    }

    fn goal(&self) -> Goal {
        Goal::Utilities
    }

    fn score(&self, contrast: &Contrast, answers: &AnswerModel, _setting: f64) -> Option<Score> {
        Some(answers.closed_form().map_or_else(|| of_answers(contrast, answers), |s| quadrature(contrast, s)))
    }

    fn scores_of_mixture(&self, parts: &[PairBelief<'_>], _setting: f64) -> Vec<Score> {
        of_mixture(parts, standard_noise)
    }

    fn value_of_mixture(&self, parts: &[PairBelief<'_>], _setting: f64) -> f64 {
        value_of_plain_mixture(parts, standard_noise)
            .unwrap_or_else(|| sum(&of_mixture(parts, standard_noise)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Rounding of sums of probabilities and logs of them.
        #[test]
        fn the_value_of_a_mixture_is_the_sum_of_its_scores(
            parts in prop::collection::vec((0.1..1.0_f64, -4.0..4.0_f64, 0.0..9.0_f64, 0.3..2.0_f64), 1..6),
        ) {
            let total: f64 = parts.iter().map(|part| part.0).sum();
            let answers: Vec<AnswerModel> = parts.iter().map(|part| AnswerModel::probit(part.3)).collect();
            let beliefs: Vec<PairBelief<'_>> = parts
                .iter()
                .zip(&answers)
                .map(|(&(weight, mean, variance, _), answers)| {
                    let contrast = Contrast { mean, variance, base: 0.0 };
                    PairBelief { weight: weight / total, contrast, answers }
                })
                .collect();
            for function in [&Bald as &dyn AcquisitionFunction, &BaldQuadrature] {
                let (value, scores) =
                    (function.value_of_mixture(&beliefs, 0.0), sum(&function.scores_of_mixture(&beliefs, 0.0)));
                prop_assert!((value - scores).abs() < 1e-13, "{value} {scores}");
            }
        }
    }
}

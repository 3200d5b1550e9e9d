//! Maximum entropy sampling: the entropy of the answer.

use std::f64::consts::LN_2;

use super::{AcquisitionFunction, AnswerModel, Average, Contrast, Goal, PairBelief, Score};
use rather_numerics::special::normal::{log_cdf, pdf};

/// The entropy of a plain answer in bits, $h\big(\Phi(u)\big)$ with $u=m/\sqrt{s^2+v}$ and the binary entropy
/// $h(p)=-p\log_2p-(1-p)\log_2(1-p)$. It is largest where the answer is least predictable, be it for want of knowledge or for
/// noise.
///
/// # References
/// Sebastiani and Wynn, *Maximum entropy sampling and optimal Bayesian experimental design* (2000), Journal of the Royal
/// Statistical Society B 62; Houlsby et al. (2012), supplement, section 5.
pub fn score(contrast: &Contrast, s: f64) -> Score {
    let u = contrast.mean / (s * s + contrast.variance).sqrt();
    let logs = (log_cdf(u), log_cdf(-u));
    Score::of_standardised(contrast, s, of_logs(logs), slope(u, logs))
}

/// The entropy of one of several answers, $-\sum_yP_y\log_2P_y$ in bits, from their probabilities $P_y=\mathbb Ep_y(z)$.
pub(super) fn of_answers(answers: &[Average]) -> Score {
    let mut out = Score::default();
    for p in answers.iter().filter(|p| p.value > 0.0) {
        let log = p.value.log2();
        out.value -= p.value * log;
        // The derivatives of all probabilities add up to 0.
        out.d_mean -= p.d_mean * log;
        out.d_variance -= p.d_variance * log;
    }
    out
}

/// The same under a mixture of beliefs, one score a part ([`AcquisitionFunction::scores_of_mixture`]):
/// $-w_k\sum_yP_{ky}\log_2\bar P_y$ with $\bar P_y=\sum_kw_kP_{ky}$.
pub(super) fn of_mixture(parts: &[PairBelief<'_>], predicted: &[Vec<Average>]) -> Vec<Score> {
    let logs: Vec<f64> = mean_probabilities(parts, predicted).into_iter().map(f64::log2).collect();
    let one = |(part, predicted): (&PairBelief<'_>, &Vec<Average>)| {
        let mut out = Score::default();
        for (p, &log) in predicted.iter().zip(&logs) {
            out.value -= weight(p.value, log);
            // The derivatives of all probabilities add up to 0.
            out.d_mean -= weight(p.d_mean, log);
            out.d_variance -= weight(p.d_variance, log);
        }
        out.times(part.weight)
    };
    parts.iter().zip(predicted).map(one).collect()
}

/// The probability of each answer under a mixture of beliefs.
pub(super) fn mean_probabilities(parts: &[PairBelief<'_>], predicted: &[Vec<Average>]) -> Vec<f64> {
    let mut all = vec![0.0; predicted.first().map_or(0, Vec::len)];
    for (part, predicted) in parts.iter().zip(predicted) {
        all.iter_mut().zip(predicted).for_each(|(sum, p)| *sum += part.weight * p.value);
    }
    all
}

/// $h(\Phi(u))$ in bits.
pub fn of_answer(u: f64) -> f64 {
    of_logs((log_cdf(u), log_cdf(-u)))
}

/// The same from $\log\Phi(u)$ and $\log\Phi(-u)$.
fn of_logs((right, left): (f64, f64)) -> f64 {
    -(weighted(right) + weighted(left)) / LN_2
}

/// $dh(\Phi(u))/du=\phi(u)\log_2\frac{\Phi(-u)}{\Phi(u)}$.
fn slope(u: f64, (right, left): (f64, f64)) -> f64 {
    weight(pdf(u), left - right) / LN_2
}

/// $p\log p$ from $\log p$.
fn weighted(log_p: f64) -> f64 {
    weight(log_p.exp(), log_p)
}

/// A product in which 0 wins over infinity.
fn weight(p: f64, x: f64) -> f64 {
    if p == 0.0 { 0.0 } else { p * x }
}

/// The entropy of shares that add up to 1, in bits.
pub(super) fn of_shares(shares: impl Iterator<Item = f64>) -> f64 {
    -shares.map(|p| weight(p, p.ln())).sum::<f64>() / LN_2
}

/// `entropy`: the entropy of the answer by the model's own likelihood; [`score`] of a plain choice.
#[derive(Debug)]
pub struct AnswerEntropy;

impl AcquisitionFunction for AnswerEntropy {
    fn name(&self) -> &'static str {
        "entropy"
    }

    fn title(&self) -> &'static str {
        "least predictable (entropy)"
    }

    fn meaning(&self) -> &'static str {
        "entropy of the predicted answer, in bits"
    }

    fn goal(&self) -> Goal {
        Goal::Utilities
    }

    fn score(&self, contrast: &Contrast, answers: &AnswerModel, _setting: f64) -> Option<Score> {
        Some(match answers.closed_form() {
            Some(s) => score(contrast, s),
            None => of_answers(&answers.averages(contrast.mean, contrast.variance).answers),
        })
    }

    /// Of the answer that the mixture predicts.
    fn scores_of_mixture(&self, parts: &[PairBelief<'_>], _setting: f64) -> Vec<Score> {
        let predicted: Vec<_> = parts.iter().map(PairBelief::predicted).collect();
        of_mixture(parts, &predicted)
    }
}

//! The informative vector machine: how much the answer narrows the difference it is about.

use std::f64::consts::LN_2;

use super::{AcquisitionFunction, AnswerModel, Average, Contrast, Goal, Score};
use rather_numerics::special::normal::pdf;
use rather_numerics::special::probit::{ProbitMoments, probit_moments};

/// The expected fall of the differential entropy of $z$, in bits, over both answers of a plain choice.
///
/// # Formula
/// An answer leaves $z$ (by matched moments) the share $1-aw(\pm u)$ of its variance, with $a=v/(s^2+v)$,
/// $u=m/\sqrt{s^2+v}$ and $w$ minus the second derivative of $\log\Phi$:
/// $$ \Delta=-\tfrac12\sum_\pm\Phi(\pm u)\log_2\big(1-a w(\pm u)\big). $$
///
/// # References
/// Lawrence, Seeger and Herbrich, *Fast sparse Gaussian process methods: the informative vector machine* (2002), NIPS 15,
/// where the answer is known ([`after`]); Houlsby et al. (2012), supplement, section 5.
pub fn score(contrast: &Contrast, s: f64) -> Score {
    let view = View::new(contrast, s);
    let (right, left) = (view.side(1.0), view.side(-1.0));
    let p = [probit_moments(view.u).log_cdf.exp(), probit_moments(-view.u).log_cdf.exp()];
    let by_u = pdf(view.u) * (right.fall - left.fall) + p[0] * right.by_u + p[1] * left.by_u;
    let by_a = p[0] * right.by_a + p[1] * left.by_a;
    view.score(p[0] * right.fall + p[1] * left.fall, by_u, by_a)
}

/// The same over one of several answers: the answer $y$ leaves $z$ by matched moments the share $L_y=1-v b_y$ of its variance, where
/// $b_y=-\partial_m^2\log P_y$ and $P_y=\mathbb Ep_y(z)$, and $\Delta=-\frac12\sum_yP_y\log_2L_y$.
pub fn of_answers(contrast: &Contrast, answers: &AnswerModel) -> Score {
    let &Contrast { mean, variance: v, .. } = contrast;
    let mut out = Score::default();
    for p in answers.averages_and_curvatures(mean, v).answers.iter().filter(|p| p.value > NEVER) {
        let Average { value, d_mean, d_variance, third, fourth } = *p;
        // Derivatives of log P in the mean: the first, the second, the third, and the fourth times the variance.
        let (first, second, third, fourth) =
            (d_mean / value, 2.0 * d_variance / value, third / value, fourth / value);
        let b = first * first - second;
        let left = (1.0 - v * b).max(LEAST);
        let fall = -0.5 * left.log2();
        let by_mean = 2.0 * first * (second - first * first) - third + first * second;
        // Of b, times v: the slope of P in the variance is half its curvature in the mean.
        let by_variance = v * (first * (third - first * second) + 0.5 * second * second) - 0.5 * fourth;
        let slope = 0.5 / (left * std::f64::consts::LN_2);
        out.value += value * fall;
        out.d_mean += d_mean * fall + value * slope * v * by_mean;
        out.d_variance += d_variance * fall + value * slope * (b + by_variance);
    }
    out
}

/// $\bar b=\sum_yP_yb_y$: by matched moments an answer leaves $v-\bar bv^2$ of the difference's variance, on average over what it may be. It is
/// $\frac{\Phi(u)w(u)+\Phi(-u)w(-u)}{s^2+v}$ for a plain choice.
pub(super) fn expected_curvature(mean: f64, variance: f64, answers: &AnswerModel) -> f64 {
    if let Some(s) = answers.closed_form() {
        let total = s * s + variance;
        let u = mean / total.sqrt();
        let (right, left) = (probit_moments(u), probit_moments(-u));
        return (right.log_cdf.exp() * right.w + left.log_cdf.exp() * left.w) / total;
    }
    // The curvatures of all P add up to 0.
    let answers = answers.averages(mean, variance).answers;
    answers.iter().filter(|p| p.value > NEVER).map(|p| p.d_mean * p.d_mean / p.value).sum::<f64>()
}

/// The probability below which an answer does not count: it is known to 1e-8.
const NEVER: f64 = 1e-7;
/// The least share of a variance that an answer is taken to leave.
const LEAST: f64 = 1e-12;

/// The fall for one answer, as published: for choosing among data whose answers are known. `positive` says that $x$ was
/// preferred.
pub fn after(contrast: &Contrast, s: f64, positive: bool) -> Score {
    let view = View::new(contrast, s);
    let Side { fall, by_u, by_a } = view.side(if positive { 1.0 } else { -1.0 });
    view.score(fall, by_u, by_a)
}

struct View {
    u: f64,
    /// $v/(s^2+v)$, and what is left to 1.
    a: f64,
    rest: f64,
    total: f64,
}

/// $-\frac12\log_2(1-aw(\pm u))$ with its derivatives.
struct Side {
    fall: f64,
    by_u: f64,
    by_a: f64,
}

impl View {
    fn new(contrast: &Contrast, s: f64) -> Self {
        let total = s * s + contrast.variance;
        Self { u: contrast.mean / total.sqrt(), a: contrast.variance / total, rest: s * s / total, total }
    }

    fn side(&self, sign: f64) -> Side {
        let ProbitMoments { r, t, w, q, .. } = probit_moments(sign * self.u);
        let left = self.rest + self.a * q;
        let d_w = sign * (r * q - w * t);
        Side {
            fall: -0.5 * left.ln() / LN_2,
            by_u: 0.5 * self.a * d_w / (left * LN_2),
            by_a: 0.5 * w / (left * LN_2),
        }
    }

    fn score(&self, value: f64, by_u: f64, by_a: f64) -> Score {
        let d_variance = -0.5 * by_u * self.u / self.total + by_a * self.rest / self.total;
        Score { value, d_mean: by_u / self.total.sqrt(), d_variance, d_base: 0.0 }
    }
}

/// `ivm`: [`score`] of a plain choice, [`of_answers`] of any other answer.
#[derive(Debug)]
pub struct InformativeVectorMachine;

impl AcquisitionFunction for InformativeVectorMachine {
    fn name(&self) -> &'static str {
        "ivm"
    }

    fn title(&self) -> &'static str {
        "narrows the difference most (IVM)"
    }

    fn meaning(&self) -> &'static str {
        "expected decrease of the entropy of the difference by the answer, in bits"
    }

    fn goal(&self) -> Goal {
        Goal::Utilities
    }

    fn score(&self, contrast: &Contrast, answers: &AnswerModel, _setting: f64) -> Option<Score> {
        Some(answers.closed_form().map_or_else(|| of_answers(contrast, answers), |s| score(contrast, s)))
    }
}

//! The informative vector machine: how much the answer narrows the difference it is about.

use std::f64::consts::LN_2;

use super::{AcquisitionFunction, Contrast, Goal, Score};
use rather_numerics::special::normal::pdf;
use rather_numerics::special::probit::{ProbitMoments, probit_moments};

/// The expected fall of the differential entropy of $z$, in bits, over both answers.
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

/// `ivm`: [`score`].
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

    fn score(&self, contrast: &Contrast, s: f64, _setting: f64) -> Option<Score> {
        Some(score(contrast, s))
    }
}

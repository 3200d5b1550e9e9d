//! The periodic kernel.

use std::f64::consts::PI;

use super::active::capped_square;
use super::atom::{Covariance, Pairs};
use super::{Active, AtomKind, Domain, Parameter, Role};
use rather_numerics::linalg::Matrix;
use rather_numerics::simd::vectorised;
use rather_numerics::special::exponential::exp_minus;

/// A kernel that repeats itself along every active column.
///
/// # Formula
/// $$ k=\exp\Big(-2\sum_c\frac{\sin^2(\pi d_c/p)}{l_c^2}\Big),\qquad d_c=x_c-x'_c, $$
/// $$ \frac{\partial k}{\partial\log l_c}=4k \frac{\sin^2(\pi d_c/p)}{l_c^2},\qquad
///    \frac{\partial k}{\partial\log p}=2\pi k\sum_c\frac{(d_c/p)\sin(2\pi d_c/p)}{l_c^2},\qquad
///    \frac{\partial k}{\partial x'_c}=\frac{2\pi}p k \frac{\sin(2\pi d_c/p)}{l_c^2}. $$
/// One period $p$ in units of the columns; the lengthscales have no unit.
///
/// # References
/// MacKay, *Introduction to Gaussian processes* (1998), equation 47; Rasmussen and Williams (2006), equation 4.31.
#[derive(Debug, Clone)]
pub(super) struct Periodic {
    /// The active columns and their lengthscales.
    pub(crate) active: Active,
    /// The period.
    pub(super) period: f64,
}

impl Periodic {
    /// Number of periods between two values, kept finite.
    fn turns(&self, difference: f64) -> f64 {
        (difference / self.period).clamp(-f64::MAX, f64::MAX)
    }

    /// $-\log k$.
    fn exponents(&self, pairs: &Pairs<'_>, out: &mut [f64]) {
        out.fill(0.0);
        for (dim, inverse) in self.active.inverse_scales() {
            let (xs, other) = pairs.feature(dim);
            for (sum, x) in out.iter_mut().zip(xs) {
                let phase = PI * fraction(self.turns(x - other));
                *sum += 2.0 * capped_square(phase.sin() * inverse);
            }
        }
    }
}

/// What is left of a number of turns after whole turns, in -1/2 to 1/2: exact, so that far items keep their phase.
fn fraction(turns: f64) -> f64 {
    turns - turns.round()
}

impl Covariance for Periodic {
    fn name(&self) -> &'static str {
        "periodic"
    }

    fn boxed(&self) -> Box<dyn Covariance> {
        Box::new(self.clone())
    }

    fn active(&self) -> Option<&Active> {
        Some(&self.active)
    }

    fn parameters(&self) -> Vec<Parameter> {
        let dim = if let [dim] = self.active.dims[..] { Some(dim) } else { None };
        let period = Parameter { name: "period".into(), value: self.period, role: Role::Period, dim };
        self.active.parameters().into_iter().chain([period]).collect()
    }

    fn parameters_mut(&mut self) -> Vec<&mut f64> {
        self.active.parameters_mut().into_iter().chain([&mut self.period]).collect()
    }

    fn values(&self, pairs: &Pairs<'_>, out: &mut [f64]) {
        self.exponents(pairs, out);
        vectorised(
            #[inline(always)]
            || out.iter_mut().for_each(|v| *v = exp_minus(*v)),
        );
    }

    fn contract(&self, pairs: &Pairs<'_>, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let mut weighted = vec![0.0; weights.len()];
        self.values(pairs, &mut weighted);
        weighted.iter_mut().zip(weights).for_each(|(value, w)| *value *= w);
        let (scales, period) = gradient.split_at_mut(self.active.lengthscales.len());
        let mut by_period = 0.0;
        let parts = self.active.inverse_scales().map(|(dim, inverse)| {
            let (xs, other) = pairs.feature(dim);
            let mut by_scale = 0.0;
            // A weight of 0 is skipped: what it multiplies can be enormous.
            for (wk, x) in weighted.iter().zip(xs).filter(|(wk, _)| **wk != 0.0) {
                let turns = self.turns(x - other);
                let (sin, cos) = (PI * fraction(turns)).sin_cos();
                by_scale += wk * 4.0 * capped_square(sin * inverse);
                by_period += wk * 4.0 * PI * turns * (sin * inverse) * (cos * inverse);
            }
            by_scale
        });
        scales.fill(0.0);
        self.active.add_gradient(parts, scales);
        period[0] = by_period;
        weighted.iter().sum()
    }

    fn add_input_gradient(&self, pairs: &Pairs<'_>, weights: &[f64], out: &mut Matrix) {
        let mut weighted = vec![0.0; weights.len()];
        self.values(pairs, &mut weighted);
        weighted.iter_mut().zip(weights).for_each(|(value, w)| *value *= w);
        for (dim, inverse) in self.active.inverse_scales() {
            let (xs, other) = pairs.feature(dim);
            for (i, (wk, x)) in weighted.iter().zip(xs).enumerate().filter(|(_, (wk, _))| **wk != 0.0) {
                let (sin, cos) = (PI * fraction(self.turns(x - other))).sin_cos();
                out[(dim, i)] += wk * 4.0 * PI / self.period * (sin * inverse) * (cos * inverse);
            }
        }
    }
}

pub(super) static ATOM: AtomKind = AtomKind {
    name: "periodic",
    aliases: &[],
    key: "periodic",
    domain: Domain::Differences,
    meaning: "functions that repeat themselves",
    make: |active| Box::new(Periodic { active, period: 1.0 }),
};

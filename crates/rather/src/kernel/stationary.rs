//! The family of kernels that depend on the scaled distance of two items only.

use std::fmt;

use super::active::capped_square;
use super::atom::{Covariance, Pairs};
use super::process::Process;
use super::{Active, Latent, Parameter, Role};
use rather_numerics::linalg::{Matrix, dot};
use rather_numerics::simd::vectorised;

/// The shape of a stationary kernel: a function of the squared distance $r^2$, with $k(0)=1$.
pub trait Profile: Clone + fmt::Debug + Send + Sync + 'static {
    /// Its name in a kernel expression.
    const NAME: &'static str;

    /// The Markov process that has this covariance in one dimension, if there is one.
    #[doc(hidden)]
    const PROCESS: Option<Process> = None;

    /// $k(r^2)$ and its slope $dk/d(r^2)$; a slope that is infinite at 0 is given as 0 there.
    fn evaluate(&self, r2: f64) -> (f64, f64);

    /// The shape parameter $\alpha$, if there is one.
    fn alpha(&self) -> Option<f64> {
        None
    }

    /// Its place.
    fn alpha_mut(&mut self) -> Option<&mut f64> {
        None
    }

    /// $\partial k/\partial\log\alpha$, given $k$.
    fn alpha_derivative(&self, _r2: f64, _value: f64) -> f64 {
        0.0
    }
}

/// A kernel $k(r^2)$ of the scaled squared distance.
///
/// # Formula
/// $$ r^2=\sum_c\frac{(x_c-x'_c)^2}{l_c^2},\qquad
///    \frac{\partial k}{\partial\log l_c}=-2 \frac{dk}{d(r^2)} \frac{(x_c-x'_c)^2}{l_c^2},\qquad
///    \frac{\partial k}{\partial x'_c}=2 \frac{dk}{d(r^2)} \frac{x'_c-x_c}{l_c^2} $$
/// over the active columns $c$. Differences are taken directly, so identical items have $r=0$ exactly, where the
/// gradient is 0 for every profile.
///
/// # References
/// Rasmussen and Williams, *Gaussian Processes for Machine Learning* (2006), section 4.2.1.
#[derive(Debug, Clone)]
pub struct Stationary<P> {
    /// The active columns and their lengthscales.
    pub active: Active,
    /// The function of the distance.
    pub profile: P,
}

impl<P: Profile> Stationary<P> {
    /// The kernel with this profile on these columns.
    pub fn new(active: Active, profile: P) -> Self {
        Self { active, profile }
    }

    #[inline(always)]
    fn squared_distances(&self, pairs: &Pairs<'_>, out: &mut [f64]) {
        out.fill(0.0);
        for (dim, inverse) in self.active.inverse_scales() {
            let (xs, other) = pairs.feature(dim);
            for (r2, x) in out.iter_mut().zip(xs) {
                *r2 += capped_square((x - other) * inverse);
            }
        }
    }
}

impl<P: Profile> Stationary<P> {
    /// [`Covariance::contract`] over at most [`BLOCK`] pairs, added to `gradient`.
    fn add_contraction(&self, pairs: &Pairs<'_>, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let [mut r2, mut values, mut slopes] = [[0.0; BLOCK]; 3];
        let [r2, values, slopes] = [&mut r2, &mut values, &mut slopes].map(|of| &mut of[..weights.len()]);
        vectorised(
            #[inline(always)]
            || {
                self.squared_distances(pairs, r2);
                for (((value, slope), w), &r2) in
                    values.iter_mut().zip(slopes.iter_mut()).zip(weights).zip(r2.iter())
                {
                    let (at, derivative) = self.profile.evaluate(r2);
                    (*value, *slope) = (at, -2.0 * w * derivative);
                }
            },
        );
        let (scales, shape) = gradient.split_at_mut(self.active.lengthscales.len());
        if let [by_alpha] = shape {
            let of = |((w, &r2), &value): ((&f64, &f64), &f64)| w * self.profile.alpha_derivative(r2, value);
            *by_alpha += weights.iter().zip(r2.iter()).zip(values.iter()).map(of).sum::<f64>();
        }
        let sum = dot(weights, values);
        if let [isotropic] = scales {
            *isotropic += dot(slopes, r2);
            return sum;
        }
        let parts = self.active.inverse_scales().map(|(dim, inverse)| {
            let (xs, other) = pairs.feature(dim);
            vectorised(
                #[inline(always)]
                || {
                    r2.iter_mut().zip(xs).for_each(|(r2, x)| *r2 = capped_square((x - other) * inverse));
                },
            );
            dot(slopes, r2)
        });
        self.active.add_gradient(parts, scales);
        sum
    }
}

/// Pairs that are contracted at a time, on the stack.
const BLOCK: usize = 128;

impl<P: Profile> Covariance for Stationary<P> {
    fn name(&self) -> &'static str {
        P::NAME
    }

    fn boxed(&self) -> Box<dyn Covariance> {
        Box::new(self.clone())
    }

    fn active(&self) -> Option<&Active> {
        Some(&self.active)
    }

    fn parameters(&self) -> Vec<Parameter> {
        let shape = |value| Parameter { name: "alpha".into(), value, role: Role::Shape, dim: None };
        self.active.parameters().into_iter().chain(self.profile.alpha().map(shape)).collect()
    }

    fn parameters_mut(&mut self) -> Vec<&mut f64> {
        self.active.parameters_mut().into_iter().chain(self.profile.alpha_mut()).collect()
    }

    fn latent(&self) -> Option<Latent> {
        let [column] = self.active.dims[..] else { return None };
        P::PROCESS.map(|process| Latent::Process { process, column, start: None })
    }

    fn values(&self, pairs: &Pairs<'_>, out: &mut [f64]) {
        vectorised(
            #[inline(always)]
            || {
                self.squared_distances(pairs, out);
                out.iter_mut().for_each(|v| *v = self.profile.evaluate(*v).0);
            },
        );
    }

    fn contract(&self, pairs: &Pairs<'_>, weights: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let block = |(k, weights): (usize, &[f64])| {
            let first = k * BLOCK;
            self.add_contraction(&pairs.part(first..first + weights.len()), weights, gradient)
        };
        weights.chunks(BLOCK).enumerate().map(block).sum()
    }

    fn add_input_gradient(&self, pairs: &Pairs<'_>, weights: &[f64], out: &mut Matrix) {
        let mut slopes = vec![0.0; weights.len()];
        vectorised(
            #[inline(always)]
            || {
                self.squared_distances(pairs, &mut slopes);
                for (slope, w) in slopes.iter_mut().zip(weights) {
                    *slope = 2.0 * w * self.profile.evaluate(*slope).1;
                }
            },
        );
        for (dim, inverse) in self.active.inverse_scales() {
            let (xs, other) = pairs.feature(dim);
            // A slope of 0 is skipped: what it multiplies can be enormous.
            for (i, (slope, x)) in slopes.iter().zip(xs).enumerate().filter(|(_, (slope, _))| **slope != 0.0)
            {
                out[(dim, i)] += slope * ((other - x) * inverse) * inverse;
            }
        }
    }
}

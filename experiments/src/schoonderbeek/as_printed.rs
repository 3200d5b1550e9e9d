//! The recursion for answers as the thesis prints it, and half corrected: to show what it does, for nothing else.
//!
//! Schoonderbeek (2014), section V-B, messages 5 and 6, equations 26 to 29. The prior of the latent value is taken as
//! `N(J mu, D)`, which leaves out the uncertainty `J Sigma J'` that is to be learned; and the posterior goes back as if it
//! were an observation, which counts the prediction as data. As `D` goes to 0 the mean never moves and the variance collapses.

use rather::likelihood::Probit;
use rather::points::Points;
use rather::streaming::Basis;
use rather_graph::{Approximation, Message, Node, Response};
use rather_numerics::linalg::{Matrix, axpy, dot};
use std::sync::Arc;

use super::world::NOISE;

/// Which of the errors are left in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    /// Prior variance `D`, posterior sent back.
    AsPrinted,
    /// The right prior variance, but the posterior sent back.
    NotDivided,
    /// The right prior variance, and the prediction divided out: Laplace, one answer at a time.
    Laplace,
}

/// Mean and covariance of the basis values, updated by one variant.
pub(super) struct Recursion {
    variant: Variant,
    basis: Basis,
    pub(super) mean: Vec<f64>,
    pub(super) covariance: Matrix,
    response: Response,
}

impl Recursion {
    pub(super) fn new(basis: Basis, variant: Variant) -> Self {
        let response = Response::new("t", Arc::new(Probit::comparison(NOISE)), true, Approximation::Laplace);
        Self { variant, mean: vec![0.0; basis.len()], covariance: basis.covariance(), basis, response }
    }

    /// "`winner` rather than `loser`".
    pub(super) fn answer(&mut self, items: &Points, winner: usize, loser: usize) {
        let pair = items.select(&[winner, loser]);
        let (weights, residual) = (self.basis.weights(&pair), self.basis.residual(&pair));
        let j: Vec<f64> = (0..self.basis.len()).map(|k| weights[(0, k)] - weights[(1, k)]).collect();
        let d = (residual[(0, 0)] + residual[(1, 1)] - 2.0 * residual[(0, 1)]).max(0.0);
        let h = self.covariance.times(&j);
        let (m, u) = (dot(&j, &self.mean), dot(&j, &h));
        let prior = if self.variant == Variant::AsPrinted { d } else { u + d };
        // The mode and the curvature under that prior.
        let Ok(message) = Message::scalar(m, prior) else { return };
        let Ok(site) = self.response.send(0, &[&message]).and_then(|site| site.to_information()) else {
            return;
        };
        let (tau, nu) = (site.precision()[(0, 0)], site.shift()[0]);
        let (observed, noise) = match self.variant {
            Variant::Laplace => (nu / tau, 1.0 / tau),
            // N(mode, (1/prior + W)^-1), the posterior itself.
            _ => {
                let variance = prior / (1.0 + prior * tau);
                ((m + prior * nu) / (1.0 + prior * tau), variance)
            }
        };
        let s = u + d + noise;
        if s <= 0.0 || !observed.is_finite() {
            return;
        }
        axpy((observed - m) / s, &h, &mut self.mean);
        for (k, hk) in h.iter().enumerate() {
            axpy(-hk / s, &h, self.covariance.col_mut(k));
        }
    }

    /// Mean and covariance of the utilities of `points`.
    pub(super) fn utilities(&self, points: &Points) -> (Vec<f64>, Matrix) {
        super::world::through(&self.basis, points, &self.mean, &self.covariance)
    }
}

/// Equations 21 to 25 with `J = k K_b` instead of `k K_b^-1`, as section V and Table IV print them: the means at `test`, and
/// the largest negative "variance" `D` on the way.
pub(super) fn regression_without_inverse(
    basis: &Basis,
    (inputs, values, noise): (&Points, &[f64], f64),
    test: &Points,
) -> (Vec<f64>, f64) {
    let k = basis.covariance();
    let rows = |points: &Points| {
        let cross = basis.kernel().cross(basis.points(), points);
        (0..points.len()).map(|i| (k.times(cross.col(i)), cross.col(i).to_vec())).collect::<Vec<_>>()
    };
    let (mut mean, mut covariance) = (vec![0.0; basis.len()], k.clone());
    let mut lowest = 0.0_f64;
    for ((j, cross), y) in rows(inputs).into_iter().zip(values) {
        let d = basis.kernel().diagonal(&inputs.select(&[0]))[0] - dot(&j, &cross);
        lowest = lowest.min(d);
        let h = covariance.times(&j);
        let s = dot(&j, &h) + d + noise;
        axpy((y - dot(&j, &mean)) / s, &h, &mut mean);
        for (i, hi) in h.iter().enumerate() {
            axpy(-hi / s, &h, covariance.col_mut(i));
        }
    }
    (rows(test).iter().map(|(j, _)| dot(j, &mean)).collect(), lowest)
}

//! Expectation propagation's evidence of the answers kept, and its gradient in the kernel's parameters.

use super::model::StreamingModel;
use super::rebase::Said;
use super::smooth::{self, Smoothed};
use crate::points::Points;
use rather_numerics::linalg::{Matrix, dot, product, solve_lower_transposed};

impl StreamingModel {
    /// The gradient of the log evidence of the answers kept, in the logarithms of the kernel's parameters, with the sites at
    /// rest (where their own change does not matter).
    ///
    /// # Formula
    /// With $p=L^{-1}c$, $D=k-p^\top p$, and at each answer the moments given all of them,
    /// $$ q=\nu_u\mu-\tau_u(\Sigma+\mu\mu^\top)p,\qquad
    ///    \delta=\tfrac12\big[(\nu_u-\tau_um)^2+\tau_u^2v-\tau_u\big] $$
    /// are the derivatives in $p$ and $D$. As any square root of the covariance does, $dL=\tfrac12 dK L^{-\top}$ may be taken;
    /// so with $g=q-2\delta p$ and $J=L^{-\top}p$ the derivatives are $L^{-\top}g$ in $c$, $\delta$ in $k$, and
    /// $-\tfrac12\operatorname{sym}\sum L^{-\top}gJ^\top$ in $K_b$. (Of an answer of weight $w$ the site is that of $t^w$, seen through $D/w$.) What was said by answers no longer kept, $(\xi,\Upsilon)$, adds
    /// $\tfrac12\operatorname{sym}L^{-\top}(\mu\xi^\top-(\Sigma+\mu\mu^\top)\Upsilon)L^{-1}$.
    pub(super) fn evidence_gradient(&self, said: Option<&Said>) -> Option<Vec<f64>> {
        let smoothed = smooth::run(self)?;
        let (m, n) = (self.basis.len(), self.answers.len());
        let (mut pulls, mut weights) = (Matrix::zeros(m, n), Matrix::zeros(m, n));
        let mut by_residual = self.slopes_of_sets(&smoothed)?;
        for (a, at) in smoothed.answers.iter().enumerate() {
            let (kept, site, weight) = (self.answers.get(a), self.site(a), self.weight(a));
            let error = site.nu - site.tau * at.along.mean;
            // A residual that is clipped at 0 stays there.
            if kept.kind.set().is_some() {
                by_residual[a] = if kept.residual > 0.0 { by_residual[a] } else { 0.0 };
            } else if kept.residual > 0.0 {
                let slope = error * error + site.tau * site.tau * at.along.variance - site.tau;
                by_residual[a] = 0.5 * slope / weight;
            }
            let p = self.answers.features(a);
            weights.col_mut(a).copy_from_slice(p);
            for (i, pull) in pulls.col_mut(a).iter_mut().enumerate() {
                *pull = error * at.mean[i] - site.tau * at.spread[i] - 2.0 * by_residual[a] * p[i];
            }
        }
        solve_lower_transposed(self.basis.factor(), &mut pulls);
        solve_lower_transposed(self.basis.factor(), &mut weights);
        let mut in_basis = symmetric_product(&pulls, &weights, -0.5);
        if let Some(said) = said {
            let mut second = smoothed.base.covariance.clone();
            let mean = &smoothed.base.mean;
            let mut left = Matrix::zeros(m, m);
            for j in 0..m {
                for i in 0..m {
                    second[(i, j)] += mean[i] * mean[j];
                    left[(i, j)] = mean[i] * said.shift[j];
                }
            }
            let taken = product(&second, &said.precision);
            left.data_mut().iter_mut().zip(taken.data()).for_each(|(l, t)| *l -= t);
            // L^-T (left) L^-1, one side after the other.
            solve_lower_transposed(self.basis.factor(), &mut left);
            let mut other = Matrix::from_fn(m, m, |i, j| left[(j, i)]);
            solve_lower_transposed(self.basis.factor(), &mut other);
            for j in 0..m {
                for i in 0..m {
                    in_basis[(i, j)] += 0.25 * (other[(i, j)] + other[(j, i)]);
                }
            }
        }
        Some(self.through_kernel(&in_basis, &pulls, &by_residual))
    }

    /// The derivative in what the basis leaves open of each pair of a set; nought for other answers.
    fn slopes_of_sets(&self, smoothed: &Smoothed) -> Option<Vec<f64>> {
        let mut out = vec![0.0; self.answers.len()];
        for of_answer in self.answers.each() {
            if self.answers.get(of_answer.start).kind.set().is_some() {
                let revisited = self.revisit_set(of_answer.clone(), |n| smoothed.answers[n].along)?;
                of_answer.zip(revisited).for_each(|(n, revisited)| out[n] = revisited.d_residual);
            }
        }
        Some(out)
    }

    /// The kernel's gradient from the derivatives in $K_b$, in each $c$ and in each $k$.
    fn through_kernel(&self, in_basis: &Matrix, pulls: &Matrix, by_residual: &[f64]) -> Vec<f64> {
        let (m, n) = (self.basis.len(), self.answers.len());
        let points = self.basis.points();
        let mut ids: Vec<u64> = (0..m).map(|i| points.id(i)).collect();
        let mut values: Vec<f64> = (0..m).flat_map(|i| points.row(i)).copied().collect();
        let mut all = Matrix::zeros(m + 2 * n, m + 2 * n);
        for j in 0..m {
            all.col_mut(j)[..m].copy_from_slice(in_basis.col(j));
        }
        let jitter = self.basis.jitter() * (0..m).map(|i| in_basis[(i, i)]).sum::<f64>() / m as f64;
        (0..m).for_each(|i| all[(i, i)] += jitter);
        for (a, &by_residual) in by_residual.iter().enumerate() {
            let kept = self.answers.get(a);
            ids.extend(kept.ids);
            self.answers.rows(a).iter().for_each(|row| values.extend_from_slice(row));
            let (first, second) = (m + 2 * a, m + 2 * a + 1);
            // Only the lower triangle is read, which stands for both.
            for i in 0..m {
                all[(first, i)] = 0.5 * pulls[(i, a)];
            }
            all[(first, first)] = by_residual;
            if kept.kind.is_pair() {
                for i in 0..m {
                    all[(second, i)] = -0.5 * pulls[(i, a)];
                }
                all[(second, second)] = by_residual;
                all[(second, first)] = -by_residual;
            }
        }
        self.kernel().gradient(&Points::new(ids, points.dims(), values), &all)
    }
}

/// `scale * (A B' + B A') / 2`.
fn symmetric_product(a: &Matrix, b: &Matrix, scale: f64) -> Matrix {
    let rows = |m: &Matrix| Matrix::from_fn(m.cols(), m.rows(), |i, j| m[(j, i)]);
    let (a, b) = (rows(a), rows(b));
    Matrix::from_fn(a.cols(), a.cols(), |i, j| {
        0.5 * scale * (dot(a.col(i), b.col(j)) + dot(b.col(i), a.col(j)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::answers::Answer;
    use crate::inference::observations::Observations;
    use crate::kernel::{Schema, parse};
    use crate::likelihood::{AnswerIndex, ResponseModel, Responses};
    use crate::streaming::{Basis, Forgetting, Settings};
    use rather_numerics::random::{stream, uniform};

    fn told(forgetting: Forgetting, memory: usize, sets: bool) -> StreamingModel {
        let schema = Schema { names: vec!["a".into(), "b".into()], categorical: vec![false; 2], context: 0 };
        let mut kernel = parse("se[a] + matern52[b]", &schema, false).unwrap();
        kernel.set_parameters(&[3.0, 0.4, 1.0, 0.8]).unwrap();
        let rng = &mut stream(11, 0);
        let mut random =
            |n: usize| Points::new((0..n as u64).collect(), 2, (0..2 * n).map(|_| uniform(rng)).collect());
        let (basis, items) = (random(7), random(12));
        let settings = Settings { forgetting, memory, lapse: 0.05, ..Settings::default() };
        let (of_set, all) = responses();
        let noise = settings.noise.into();
        let mut model = StreamingModel::new(kernel, basis, settings).unwrap().with_responses(all, noise);
        for n in 0..30 {
            match n % 5 {
                0 if sets => model
                    .observe_set(&items, &[n % 12, (n + 5) % 12, (n + 7) % 12, (n + 3) % 12], of_set)
                    .unwrap(),
                3 => model.label(&items, n % 12, n % 2 == 0).unwrap(),
                4 => model.measure(&items, n % 12, (n as f64).sin(), 0.4).unwrap(),
                _ => model.answer(&items, n % 12, (5 * n + 1) % 12).unwrap(),
            };
        }
        model
    }

    /// Those of best and worst answers about four.
    fn responses() -> (AnswerIndex, Arc<Responses>) {
        let answers = [Answer::ordered(&[0, 1, 2, 3], 1, 1).unwrap()];
        let all = Observations::of(&answers.as_slice().into(), &[], ResponseModel::default()).responses;
        (AnswerIndex(all.replies.len() as u32 - 1), all)
    }

    /// Against differences of the evidence at rest, with answers no longer kept, with a taste that walks and with a half-life.
    #[test]
    fn the_gradient_equals_differences() {
        let half_life = 25.0;
        let all = [
            (Forgetting::Never, false),
            (Forgetting::Drift { half_life }, false),
            (Forgetting::Power { half_life }, false),
            (Forgetting::Never, true),
            (Forgetting::Drift { half_life }, true),
        ];
        for ((forgetting, sets), memory) in all.into_iter().flat_map(|f| [(f, 60), (f, 18)]) {
            let model = told(forgetting, memory, sets);
            let said = model.said_before();
            assert_eq!(said.is_some(), memory < 30);
            let logs: Vec<f64> = model.kernel().parameters().iter().map(|p| p.value.ln()).collect();
            let at = |x: &[f64]| {
                let mut kernel = model.kernel().clone();
                kernel.set_parameters(&x.iter().map(|x| x.exp()).collect::<Vec<_>>()).unwrap();
                let basis = Basis::new(kernel, model.basis().points().clone()).unwrap();
                let (mut there, base) = model.with_kernel_of(basis, said.as_ref()).unwrap();
                assert!(there.refine(300).residual < 1e-9);
                (there.expectation_propagation_evidence().unwrap() + base, there)
            };
            let (_, there) = at(&logs);
            let said = said.as_ref().and_then(|_| there.said_before());
            let said = said.map(|said| said.times(there.weight_of_base()));
            let gradient = there.evidence_gradient(said.as_ref()).unwrap();
            for (k, g) in gradient.iter().enumerate() {
                let step = 1e-4;
                let [up, down] = [step, -step].map(|step| {
                    let mut x = logs.clone();
                    x[k] += step;
                    at(&x).0
                });
                let difference = (up - down) / (2.0 * step);
                // Differences of numbers of size 20 at rest to 1e-9 have six digits.
                let close = (g - difference).abs() < 2e-5 * (1.0 + g.abs());
                assert!(
                    close,
                    "{forgetting:?}, sets {sets}, {memory} kept, parameter {k}: {g}, not {difference}"
                );
            }
        }
    }
}

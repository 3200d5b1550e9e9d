//! Anderson acceleration of expectation propagation's parallel sweeps.

use super::sites::Sites;
use super::sparse::graph::sum;
use rather_numerics::parallel;

/// Extrapolates a fixpoint iteration `x <- g(x)` over sites from its last few steps (Anderson 1965; Walker and Ni 2011):
/// the next point is the combination of past points whose steps `g(x) - x` cancel best in a weighted norm.
///
/// With a history of `depth` differences it holds `depth + 1` pairs of [`Sites`]: 32 bytes a site each.
#[derive(Debug, Clone)]
pub struct Anderson {
    depth: usize,
    /// The last point and the step that was found there.
    previous: Option<(Sites, Sites)>,
    /// Differences of successive points, and of their steps.
    differences: Vec<(Sites, Sites)>,
}

impl Anderson {
    /// Remembers at most `depth` steps.
    pub fn new(depth: usize) -> Self {
        Self { depth, previous: None, differences: Vec::with_capacity(depth) }
    }

    /// Forgets all steps.
    pub fn restart(&mut self) {
        self.previous = None;
        self.differences.clear();
    }

    /// Forgets all steps; returns the last point, if there is one.
    pub fn back(&mut self) -> Option<Sites> {
        let last = self.previous.take().map(|(x, _)| x);
        self.restart();
        last
    }

    /// The next point from `x` and its `step = g(x) - x`, of which the share `damping` is taken. A step is measured relative to the
    /// marginal moments: its square is `sum_m n_m^2 ((v_m dtau_m)^2 + v_m dnu_m^2)` with `v_m` the variance of site `m`'s projection and `n_m` its
    /// copies, which `measure` tells. A site whose precision would become negative takes the plain step `damping * step`.
    pub fn next(
        &mut self,
        x: Sites,
        step: Sites,
        measure: impl Fn(usize) -> (f64, f64) + Sync,
        damping: f64,
    ) -> Sites {
        if let Some((mut last_x, mut last_step)) = self.previous.take() {
            if self.differences.len() == self.depth {
                self.differences.remove(0);
            }
            last_x.set_to_difference(&x);
            last_step.set_to_difference(&step);
            self.differences.push((last_x, last_step));
        }
        let history: Vec<(f64, &(Sites, Sites))> =
            self.coefficients(&step, measure).into_iter().zip(&self.differences).collect();
        let extrapolated = |x: f64, step: f64, of: &dyn Fn(&Sites) -> f64| {
            let plain = x + damping * step;
            let next = history
                .iter()
                .fold(plain, |next, (gamma, (dx, ds))| next - gamma * (of(dx) + damping * of(ds)));
            (plain, next)
        };
        let mut next = Sites::empty(x.tau.len());
        parallel::for_each_pair(&mut next.tau, &mut next.nu, MANY, |m, tau, nu| {
            let (plain_tau, next_tau) = extrapolated(x.tau[m], step.tau[m], &|sites| sites.tau[m]);
            let (plain_nu, next_nu) = extrapolated(x.nu[m], step.nu[m], &|sites| sites.nu[m]);
            (*tau, *nu) =
                if next_tau < 0.0 && plain_tau >= 0.0 { (plain_tau, plain_nu) } else { (next_tau, next_nu) };
        });
        self.previous = Some((x, step));
        next
    }

    /// Least squares: `gamma` minimising `|step - sum gamma_j ds_j|` by its (slightly regularised) normal
    /// equations, which are at most `depth x depth`.
    fn coefficients(&self, step: &Sites, measure: impl Fn(usize) -> (f64, f64) + Sync) -> Vec<f64> {
        let k = self.differences.len();
        let inner = |a: &Sites, b: &Sites| -> f64 {
            sum(a.tau.len(), |m| {
                let (v, copies) = measure(m);
                copies * copies * v * (v * a.tau[m] * b.tau[m] + a.nu[m] * b.nu[m])
            })
        };
        let system = (0..k)
            .map(|i| {
                let own = &self.differences[i].1;
                let mut row: Vec<f64> = self.differences.iter().map(|(_, ds)| inner(own, ds)).collect();
                row[i] *= 1.0 + 1e-10;
                row.push(inner(own, step));
                row
            })
            .collect();
        solve_positive(system).unwrap_or_else(|| vec![0.0; k])
    }
}

/// Sites that a thread is worth waking up for.
const MANY: usize = 4096;

impl Sites {
    /// `self <- newer - self`.
    fn set_to_difference(&mut self, newer: &Self) {
        for (old, new) in [(&mut self.tau, &newer.tau), (&mut self.nu, &newer.nu)] {
            parallel::for_each_chunk(old, MANY, |chunk, old| {
                let new = &new[chunk * MANY..];
                old.iter_mut().zip(new).for_each(|(old, new)| *old = new - *old);
            });
        }
    }
}

/// Gaussian elimination of a small positive definite system given as rows with the right side last.
fn solve_positive(mut a: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let k = a.len();
    for p in 0..k {
        if !(a[p][p] > 0.0 && a[p][p].is_finite()) {
            return None;
        }
        let (above, below) = a.split_at_mut(p + 1);
        let pivot = &above[p];
        for row in below {
            let ratio = row[p] / pivot[p];
            row.iter_mut().zip(pivot).for_each(|(x, y)| *x -= ratio * y);
        }
    }
    let mut x = vec![0.0; k];
    for p in (0..k).rev() {
        let known: f64 = (p + 1..k).map(|j| a[p][j] * x[j]).sum();
        x[p] = (a[p][k] - known) / a[p][p];
    }
    x.iter().all(|v| v.is_finite()).then_some(x)
}

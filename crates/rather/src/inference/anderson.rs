//! Anderson acceleration of a fixpoint iteration.

/// Extrapolates a fixpoint iteration `x <- g(x)` from its last few steps (Anderson 1965; Walker and Ni 2011):
/// the next point is the combination of past points whose steps `g(x) - x` cancel best in a weighted norm.
#[derive(Debug, Clone)]
pub struct Anderson {
    depth: usize,
    previous: Option<(Vec<f64>, Vec<f64>)>,
    differences: Vec<(Vec<f64>, Vec<f64>)>,
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

    /// The next point from `x` and its `step = g(x) - x`, of which the share `damping` is taken; the norm
    /// of a step is `sum_i (scale_i step_i)^2`.
    pub fn next(&mut self, x: Vec<f64>, step: Vec<f64>, scale: &[f64], damping: f64) -> Vec<f64> {
        if let Some((last_x, last_step)) = self.previous.take() {
            if self.differences.len() == self.depth {
                self.differences.remove(0);
            }
            let minus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
            self.differences.push((minus(&x, &last_x), minus(&step, &last_step)));
        }
        let mut next: Vec<f64> = x.iter().zip(&step).map(|(x, s)| x + damping * s).collect();
        for (gamma, (dx, ds)) in self.coefficients(&step, scale).into_iter().zip(&self.differences) {
            for ((n, dx), ds) in next.iter_mut().zip(dx).zip(ds) {
                *n -= gamma * (dx + damping * ds);
            }
        }
        self.previous = Some((x, step));
        next
    }

    /// Least squares: `gamma` minimising `|step - sum gamma_j ds_j|` by its (slightly regularised) normal
    /// equations, which are at most `depth x depth`.
    fn coefficients(&self, step: &[f64], scale: &[f64]) -> Vec<f64> {
        let k = self.differences.len();
        let inner = |a: &[f64], b: &[f64]| -> f64 {
            a.iter().zip(b).zip(scale).map(|((a, b), s)| a * b * s * s).sum()
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

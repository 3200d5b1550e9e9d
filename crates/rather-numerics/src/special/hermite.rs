//! Gauss-Hermite quadrature: averages over a normal distribution.

use std::sync::OnceLock;

/// Nodes and weights with which $\sum_kw_kg(x_k)$ is the average of $g$ over a standard normal distribution, exact for
/// polynomials of a degree below $2n$.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussHermite {
    /// Nodes, in increasing order, symmetric around 0.
    pub nodes: Vec<f64>,
    /// Weights, positive, of sum 1.
    pub weights: Vec<f64>,
}

impl GaussHermite {
    /// The rule of `n` points, for `n` up to 200.
    ///
    /// # Formula
    /// The nodes are the roots of the orthonormal polynomial $h_n$, where
    /// $\sqrt{k+1} h_{k+1}=x h_k-\sqrt k h_{k-1}$ and $h_0=1$, and the weights $1/(n h_{n-1}(x)^2)$. Roots interlace with those of
    /// $h_{n-1}$, so each is found by bisection between two of them, then polished by Newton's method with
    /// $h_n'=\sqrt n h_{n-1}$.
    ///
    /// # References
    /// Golub and Welsch, *Calculation of Gauss quadrature rules* (1969), Mathematics of Computation 23.
    pub fn new(n: usize) -> Self {
        let mut nodes: Vec<f64> = Vec::new();
        for degree in 1..=n {
            // All roots lie within 2 sqrt(degree).
            let edge = 2.0 * (degree as f64).sqrt() + 1.0;
            let ends: Vec<f64> = std::iter::once(-edge).chain(nodes).chain([edge]).collect();
            nodes = ends.windows(2).map(|w| root(degree, w[0], w[1])).collect();
        }
        let weights = nodes.iter().map(|&x| 1.0 / (n as f64 * last_two(n, x).1.powi(2))).collect();
        Self { nodes, weights }
    }

    /// The rule of 24 points, made once.
    pub fn standard() -> &'static Self {
        static RULE: OnceLock<GaussHermite> = OnceLock::new();
        RULE.get_or_init(|| Self::new(24))
    }

    /// Nodes with their weights.
    pub fn iter(&self) -> impl Iterator<Item = (f64, f64)> {
        self.nodes.iter().copied().zip(self.weights.iter().copied())
    }
}

/// $h_n(x)$ and $h_{n-1}(x)$.
fn last_two(n: usize, x: f64) -> (f64, f64) {
    let (mut here, mut before) = (1.0, 0.0);
    for k in 0..n {
        let next = (x * here - (k as f64).sqrt() * before) / ((k + 1) as f64).sqrt();
        (here, before) = (next, here);
    }
    (here, before)
}

fn root(n: usize, mut low: f64, mut high: f64) -> f64 {
    let rising = last_two(n, high).0 > 0.0;
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        if (last_two(n, middle).0 > 0.0) == rising {
            high = middle;
        } else {
            low = middle;
        }
    }
    let mut x = 0.5 * (low + high);
    for _ in 0..3 {
        let (value, before) = last_two(n, x);
        x -= value / ((n as f64).sqrt() * before);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Even moments of the normal distribution are 1, 1, 3, 15, ...; a rule of n points has them up to 2n - 2.
    #[test]
    fn moments_are_exact() {
        for n in [1, 2, 5, 24, 64] {
            let rule = GaussHermite::new(n);
            let mut moment = 1.0;
            for k in 0..n.min(8) {
                let found: f64 = rule.iter().map(|(x, w)| w * x.powi(2 * k as i32)).sum();
                assert!(
                    (found / moment - 1.0).abs() < 1e-11,
                    "{n} points, moment {}: {found} for {moment}",
                    2 * k
                );
                moment *= (2 * k + 1) as f64;
            }
            let mean: f64 = rule.iter().map(|(x, w)| w * x).sum();
            assert!(mean.abs() < 1e-13);
        }
    }
}

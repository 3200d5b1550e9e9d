//! What an answer tells about the order of all items: for sorting.

use super::{AcquisitionFunction, Candidates, Component, Goal, PairBelief, PairScore};
use crate::Error;
use crate::posterior::Joint;
use rather_numerics::linalg::{Matrix, product};
use rather_numerics::special::normal::pdf;

/// Differences of utilities that vary by less than this share of the utilities themselves are taken as known: their variances are rounding errors.
const KNOWN: f64 = 1e-8;

/// The matrix $\Sigma L\Sigma$ of [`OrderVariance`].
fn sensitivity(joint: &Joint) -> Matrix {
    let n = joint.len();
    let mut laplacian = Matrix::zeros(n, n);
    for b in 0..n {
        for a in 0..b {
            let weight = weight(joint, a, b);
            laplacian[(a, b)] = -weight;
            laplacian[(b, a)] = -weight;
            laplacian[(a, a)] += weight;
            laplacian[(b, b)] += weight;
        }
    }
    product(&joint.covariance, &product(&laplacian, &joint.covariance))
}

/// $w_{ab}=\varphi(m_{ab}/\sqrt{v_{ab}})^2/v_{ab}$.
fn weight(joint: &Joint, a: usize, b: usize) -> f64 {
    let (mean, variance) = joint.difference(a, b);
    let c = &joint.covariance;
    if variance <= KNOWN * (c[(a, a)] + c[(b, b)]) {
        return 0.0;
    }
    pdf(mean / variance.sqrt()).powi(2) / variance
}

/// `order`: by how much an answer is expected to lower the posterior variance of the order, the sum over all pairs of items of $P_{ab}(1-P_{ab})$ with
/// $P_{ab}=\Pr(f_a>f_b)$, which are the variances of the indicators of $f_a>f_b$.
///
/// # Formula
/// To first order in the share of a variance that the answer to $i$ against $j$ takes away,
/// $$ \sum_yP_y\Big(\frac{\partial\log P_y}{\partial m_{ij}}\Big)^2\cdot(e_i-e_j)^\top\Sigma L\Sigma(e_i-e_j),\qquad
///    L=\sum_{a<b}\frac{\varphi(m_{ab}/\sqrt{v_{ab}})^2}{v_{ab}}(e_a-e_b)(e_a-e_b)^\top, $$
/// for differences of utilities $f_a-f_b\sim\mathcal N(m_{ab},v_{ab})$ and answers $y$ of probability $P_y$: by the answer the mean of $f_a-f_b$ moves with
/// variance $r=\operatorname{cov}(f_a-f_b,f_i-f_j)^2\sum_yP_y(\partial\log P_y/\partial m_{ij})^2$, and $P_{ab}$ with variance
/// $\varphi(m_{ab}/\sqrt{v_{ab}})^2r/v_{ab}+O(r^2)$. Of an average over kernels and hyperparameters it is the average.
///
/// # References
/// Cohn, Ghahramani and Jordan, *Active learning with statistical models* (1996), Journal of Artificial Intelligence Research 4: the expected variance of
/// what is to be known, after the answer.
#[derive(Debug)]
pub struct OrderVariance;

impl AcquisitionFunction for OrderVariance {
    fn name(&self) -> &'static str {
        "order"
    }

    fn title(&self) -> &'static str {
        "most telling about the order"
    }

    fn meaning(&self) -> &'static str {
        "expected decrease of the variance of the order, summed over all pairs of items"
    }

    fn goal(&self) -> Goal {
        Goal::Utilities
    }

    fn prepare<'a>(&'a self, candidates: &Candidates<'a>) -> Result<PairScore<'a>, Error> {
        let parts: Vec<(&Component<'_>, Matrix)> =
            candidates.components.iter().map(|c| (c, sensitivity(&c.joint()))).collect();
        Ok(Box::new(move |i, j| {
            let one = |(component, m): &(&Component<'_>, Matrix)| {
                let belief = component.of_pair(i, j, false);
                belief.weight * information(&belief) * (m[(i, i)] + m[(j, j)] - m[(i, j)] - m[(j, i)])
            };
            parts.iter().map(one).sum::<f64>().max(0.0)
        }))
    }
}

/// $\sum_yP_y(\partial\log P_y/\partial m)^2$: the Fisher information of an answer about the mean of the difference.
fn information(belief: &PairBelief<'_>) -> f64 {
    let of = |value: f64, slope: f64| if value > 0.0 { slope * slope / value } else { 0.0 };
    belief.predicted().iter().map(|p| of(p.value, p.d_mean)).sum()
}

#[cfg(test)]
mod tests {
    use super::super::Acquisition;
    use super::super::Prepared;
    use super::*;
    use crate::likelihood::AnswerModel;
    use rather_numerics::random::{normal, stream};
    use rather_numerics::special::normal::cdf;

    /// The sum over all pairs of the variance of their order.
    fn variance_of_order(joint: &Joint) -> f64 {
        let pairs = (0..joint.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let one = |(a, b): (usize, usize)| {
            let (mean, variance) = joint.difference(a, b);
            cdf(mean / variance.sqrt()) * cdf(-mean / variance.sqrt())
        };
        pairs.map(one).sum()
    }

    /// By the definition: the answer's two posteriors by matched moments, one after the other.
    fn by_definition(joint: &Joint, s: f64, (i, j): (usize, usize)) -> f64 {
        let (mean, variance) = joint.difference(i, j);
        let total = (s * s + variance).sqrt();
        let covariance: Vec<f64> =
            (0..joint.len()).map(|k| joint.covariance[(k, i)] - joint.covariance[(k, j)]).collect();
        let after = |sign: f64| {
            let u = sign * mean / total;
            let ratio = pdf(u) / cdf(u);
            let mut after = joint.clone();
            after.mean.iter_mut().zip(&covariance).for_each(|(m, c)| *m += c * sign * ratio / total);
            after.shrink(i, j, ratio * (ratio + u) / (total * total));
            cdf(u) * variance_of_order(&after)
        };
        variance_of_order(joint) - after(1.0) - after(-1.0)
    }

    #[test]
    fn it_is_the_expected_decrease_where_answers_tell_little() {
        let mut rng = stream(3, 0);
        let n = 6;
        let roots = Matrix::from_fn(n, n, |_, _| normal(&mut rng));
        let mut covariance = product(&roots, &Matrix::from_fn(n, n, |i, j| roots[(j, i)]));
        covariance.add_diagonal(0.1);
        let joint = Joint { mean: (0..n).map(|_| normal(&mut rng)).collect(), covariance };
        // What is left out is of second order in v / s^2, about 1 / 1000 here.
        let s = 100.0;
        let components = [Component::new(joint.clone(), AnswerModel::probit(s))];
        let prepared = Prepared::new(Acquisition::new(&OrderVariance), &components, 0).unwrap();
        for (i, j) in [(0, 1), (2, 5), (4, 3)] {
            let (found, exact) = (prepared.challenge(i, j), by_definition(&joint, s, (i, j)));
            assert!((found / exact - 1.0).abs() < 0.01, "{found} {exact}");
        }
    }

    #[test]
    fn what_is_known_tells_nothing() {
        // Two items that are one, and a third.
        let covariance = Matrix::from_fn(3, 3, |i, j| f64::from(u8::from((i < 2) == (j < 2))));
        let joint = Joint { mean: vec![0.0; 3], covariance };
        let components = [Component::new(joint, AnswerModel::probit(1.0))];
        let prepared = Prepared::new(Acquisition::new(&OrderVariance), &components, 0).unwrap();
        assert!(prepared.challenge(0, 1).abs() < 1e-12);
        assert!(prepared.challenge(0, 2) > 0.01);
    }
}

//! What the recommendation is expected to gain by an answer.

use super::best::arg_max;
use super::{AcquisitionFunction, Average, Candidates, Component, Goal, PairScore};
use crate::Error;
use rather_numerics::linalg::axpy;

/// `knowledge-gradient`: by how much the largest mean utility of all candidates, which is that of the recommended one, is expected to rise by the
/// answer.
///
/// # Formula
/// $$ \sum_y\max_x\sum_kw_k\big(P_{ky}\mu_k(x)+c_k(x)\tfrac{\partial P_{ky}}{\partial m_k}\big)-\max_x\sum_kw_k\mu_k(x),\qquad
///    c_k=\Sigma_k(e_i-e_j), $$
/// for a mixture of Gaussians $\mathcal N(\mu_k,\Sigma_k)$ of weights $w_k$, under which the difference $f_i-f_j$ has the mean $m_k$ and the answer $y$ the
/// probability $P_{ky}$. It is exact: given the answer, the mean of a Gaussian is $\mu_k+c_k\,\partial\log P_{ky}/\partial m_k$, and the weight of
/// a part in proportion to $w_kP_{ky}$.
///
/// # References
/// Frazier, Powell and Dayanik, *The knowledge-gradient policy for correlated normal beliefs* (2009), INFORMS Journal on Computing 21.
#[derive(Debug)]
pub struct KnowledgeGradient;

impl AcquisitionFunction for KnowledgeGradient {
    fn name(&self) -> &'static str {
        "knowledge-gradient"
    }

    fn title(&self) -> &'static str {
        "best for the recommendation (knowledge gradient)"
    }

    fn meaning(&self) -> &'static str {
        "expected gain in utility of the recommended item by the answer"
    }

    fn goal(&self) -> Goal {
        Goal::Best
    }

    fn prepare<'a>(&'a self, candidates: &Candidates<'a>) -> Result<PairScore<'a>, Error> {
        let components = candidates.components;
        let before = largest(&mixed(components, |_| 1.0));
        Ok(Box::new(move |i, j| after(components, i, j) - before))
    }
}

/// The sum over all answers to $i$ against $j$ of the largest mean after it, times its probability.
fn after(components: &[Component<'_>], i: usize, j: usize) -> f64 {
    let predicted: Vec<Vec<Average>> =
        components.iter().map(|c| c.of_pair(i, j, false).predicted()).collect();
    let answers = predicted.first().map_or(0, Vec::len);
    let with = |y: usize| {
        let mut means = mixed(components, |k| predicted[k][y].value);
        for (component, answers) in components.iter().zip(&predicted) {
            let step = component.weight * answers[y].d_mean;
            let joint = component.joint();
            let covariance = &joint.covariance;
            axpy(step, covariance.col(i), &mut means);
            axpy(-step, covariance.col(j), &mut means);
        }
        largest(&means)
    };
    (0..answers).map(with).sum()
}

/// $\sum_kw_ks_k\mu_k$, for shares $s_k$.
fn mixed(components: &[Component<'_>], share: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut out = vec![0.0; components.first().map_or(0, |c| c.len())];
    for (k, component) in components.iter().enumerate() {
        axpy(component.weight * share(k), component.mean(), &mut out);
    }
    out
}

fn largest(means: &[f64]) -> f64 {
    arg_max(means).map_or(f64::NAN, |at| means[at])
}

#[cfg(test)]
mod tests {
    use super::super::{Acquisition, Prepared};
    use super::*;
    use crate::likelihood::AnswerModel;
    use crate::posterior::Joint;
    use rather_numerics::linalg::{Matrix, product};
    use rather_numerics::random::{normal, stream};
    use rather_numerics::special::normal::{cdf, pdf};

    fn joint(n: usize, seed: u64) -> Joint {
        let mut rng = stream(seed, 0);
        let roots = Matrix::from_fn(n, n, |_, _| normal(&mut rng));
        let covariance = product(&roots, &Matrix::from_fn(n, n, |i, j| roots[(j, i)]));
        Joint { mean: (0..n).map(|_| normal(&mut rng)).collect(), covariance }
    }

    /// By the definition: Bayes' rule over a fine grid of what the difference is, for each part and answer, and the mean of every item given it.
    fn by_definition(parts: &[(f64, Joint)], s: f64, (i, j): (usize, usize)) -> f64 {
        let items = parts[0].1.len();
        let best = |means: Vec<f64>| means.into_iter().fold(f64::MIN, f64::max);
        let mean_of = |x: usize| parts.iter().map(|(w, joint)| w * joint.mean[x]).sum::<f64>();
        let after = |sign: f64| {
            let mut sums = vec![0.0; items];
            for (weight, joint) in parts {
                let (m, v) = joint.difference(i, j);
                let sd = v.sqrt();
                let step = 0.005;
                for k in -1_600..=1_600 {
                    let u = step * f64::from(k);
                    let z = m + sd * u;
                    let share = weight * step * pdf(u) * cdf(sign * z / s);
                    for (x, sum) in sums.iter_mut().enumerate() {
                        let c = joint.covariance[(x, i)] - joint.covariance[(x, j)];
                        *sum += share * (joint.mean[x] + c / v * (z - m));
                    }
                }
            }
            best(sums)
        };
        after(1.0) + after(-1.0) - best((0..items).map(mean_of).collect())
    }

    #[test]
    fn it_is_the_expected_rise_of_the_largest_mean() {
        let parts = [(0.3, joint(5, 1)), (0.7, joint(5, 2))];
        let s = 0.8;
        let component = |(weight, joint): &(f64, Joint)| {
            let mut component = Component::new(joint.clone(), AnswerModel::probit(s));
            component.weight = *weight;
            component
        };
        let components: Vec<Component<'_>> = parts.iter().map(component).collect();
        let prepared = Prepared::new(Acquisition::new(&KnowledgeGradient), &components, 0).unwrap();
        let mut largest = 0.0_f64;
        for (i, j) in [(0, 1), (3, 2), (4, 0), (1, 3)] {
            let (found, exact) = (prepared.challenge(i, j), by_definition(&parts, s, (i, j)));
            // The rule of equal steps is exact to rounding for smooth functions that vanish at its ends.
            assert!((found - exact).abs() < 1e-10, "{found} {exact}");
            assert!((found - prepared.challenge(j, i)).abs() < 1e-12);
            largest = largest.max(found);
        }
        assert!(largest > 0.05, "{largest}");
    }

    #[test]
    fn an_answer_that_changes_no_recommendation_is_worth_nothing() {
        // The first is the best beyond doubt, whatever is said of the others.
        let covariance = Matrix::from_fn(3, 3, |i, j| if i == j { 0.01 } else { 0.0 });
        let components =
            [Component::new(Joint { mean: vec![10.0, 0.0, 0.0], covariance }, AnswerModel::probit(1.0))];
        let prepared = Prepared::new(Acquisition::new(&KnowledgeGradient), &components, 0).unwrap();
        assert!(prepared.challenge(1, 2).abs() < 1e-12);
    }
}

//! How far the users' common prior is shrunk towards that of the kernel.
//!
//! A mean and a covariance of as many dimensions as items have features, from a few users with a few answers each, are known badly: taken as they are
//! (maximum likelihood), they make every user's posterior too narrow. They have a normal-inverse-Wishart prior, which is conjugate, around what the
//! kernel says (Gelman et al., *Bayesian Data Analysis*, section 3.6).

use serde::{Deserialize, Serialize};

use super::answers::UserAnswers;
use super::common_prior::CommonPrior;
use super::hierarchical::{HierarchicalSettings, expected};
use super::per_user::PerUser;
use super::shares::Summary;
use crate::Error;
use crate::inference::Settings as Inference;
use crate::many::items::Items;
use rather_numerics::linalg::Matrix;
use rather_numerics::watch;

/// The prior of what users have in common. With weights of the items' features scaled so that the kernel's own prior is `N(0, I)`:
///
/// $$ \mathrm{mean}\sim N(0, C/\kappa),\qquad \mathbb E C=(1-\rho)I,\qquad \kappa=(1-\rho)/\rho, $$
///
/// with $C$ inverse-Wishart, so that somebody of whom nothing is known has the kernel's variance: $\rho$ of it is common to all users.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Shrinkage {
    /// Users that the prior of the covariance counts for; positive.
    pub strength: f64,
    /// $\rho$: the part of the variance that is common to all users, above 0 and below 1.
    pub common: f64,
}

/// Where the choice begins, and between what. A prior that counts for fewer users foresees other users no worse, but leaves those it was learned from
/// overconfident: their answers are in the prior and are counted again.
const STRENGTHS: [f64; 4] = [20.0, 80.0, 320.0, 1280.0];
const COMMON: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];
const START: (usize, usize) = (0, 2);
/// EM iterations of a choice: the evidence of a few is enough to tell them apart.
const ITERATIONS: usize = 8;
/// How near inference comes to its fixpoint meanwhile: settings differ by nats.
const TOLERANCE: f64 = 1e-4;
/// Parts of the users, each of which is foreseen from the others.
const PARTS: usize = 3;

impl Default for Shrinkage {
    fn default() -> Self {
        Self { strength: STRENGTHS[START.0], common: COMMON[START.1] }
    }
}

impl Shrinkage {
    /// # Errors
    /// [`Error::Parameter`] for a strength that is not positive and finite, or a part that is not between 0 and 1.
    pub fn new(strength: f64, common: f64) -> Result<Self, Error> {
        let wrong = |name, value: f64, requirement| {
            Err(Error::Parameter { name: String::from(name), value, requirement })
        };
        if !(strength.is_finite() && strength > 0.0) {
            return wrong("users.strength", strength, "it must be positive and finite");
        }
        if !(common > 0.0 && common < 1.0) {
            return wrong("users.common", common, "it must be between 0 and 1, neither of them");
        }
        Ok(Self { strength, common })
    }

    /// Mean and covariance that a user is expected to have, who may be any: with $U$ users, their sums $\sum\mu$ and $\sum(\mu\mu'+\Sigma)$, and
    /// $\kappa_U=\kappa+U$,
    ///
    /// $$ m=\frac{\sum\mu}{\kappa_U},\qquad
    ///    C=\frac{s(1-\rho)I+\sum(\mu\mu'+\Sigma)-\kappa_U mm'}{s+U}\Big(1+\frac1{\kappa_U}\Big), $$
    ///
    /// the posterior expectations of the mean and the covariance, and what is not known of the mean.
    pub fn expected(&self, sums: &Summary) -> (Vec<f64>, Matrix) {
        let Self { strength, common } = *self;
        let known = (1.0 - common) / common + sums.users;
        let mean: Vec<f64> = sums.mean.iter().map(|m| m / known).collect();
        let widened = (1.0 + 1.0 / known) / (strength + sums.users);
        let covariance = Matrix::from_fn(mean.len(), mean.len(), |i, j| {
            let prior = if i == j { strength * (1.0 - common) } else { 0.0 };
            widened * (prior + sums.second[(i, j)] - known * mean[i] * mean[j])
        });
        (mean, covariance)
    }

    /// The prior that foresees users best from others: the sum of the log evidences of each part of the users under what is expected after a fit to
    /// the others. (That of all users under a prior learned from them is the larger the weaker the prior.) The default if there are too few users to
    /// tell.
    ///
    /// # Errors
    /// Those of expectation propagation.
    pub(super) fn choose(
        items: &Items,
        answers: &UserAnswers,
        settings: &HierarchicalSettings,
    ) -> Result<Self, Error> {
        let parts = parts(answers)?;
        if parts.is_empty() {
            return Ok(Self::default());
        }
        let of = |(s, c): (usize, usize)| Self { strength: STRENGTHS[s], common: COMMON[c] };
        let inference =
            Inference { tolerance: settings.inference.tolerance.max(TOLERANCE), ..settings.inference };
        let evidence = |at: (usize, usize)| -> Result<f64, Error> {
            let shrinkage = Some(of(at));
            foreseen(
                items,
                &parts,
                &HierarchicalSettings { iterations: ITERATIONS, shrinkage, inference, ..settings.clone() },
            )
        };
        let mut at = START;
        let mut best = evidence(at)?;
        let mut tried = vec![at];
        loop {
            watch::check()?;
            let (s, c) = at;
            let near = [(s, c + 1), (s, c.wrapping_sub(1)), (s + 1, c), (s.wrapping_sub(1), c)];
            for next in near {
                if next.0 >= STRENGTHS.len() || next.1 >= COMMON.len() || tried.contains(&next) {
                    continue;
                }
                tried.push(next);
                let value = evidence(next)?;
                if value > best {
                    (at, best) = (next, value);
                }
            }
            if at == (s, c) {
                return Ok(of(at));
            }
        }
    }
}

/// The sum of the log evidences of all users' answers, each part of the users under what is expected after a fit to the others.
fn foreseen(
    items: &Items,
    parts: &[[UserAnswers; 2]],
    settings: &HierarchicalSettings,
) -> Result<f64, Error> {
    let one = |[part, others]: &[UserAnswers; 2]| -> Result<f64, Error> {
        let fitted = expected(items.clone(), others, settings)?;
        let (mean, covariance) = Summary::of(&fitted)?.expected(settings.shrinkage.as_ref());
        let prior = CommonPrior::new(items, mean, covariance)?;
        let HierarchicalSettings { values, inference, .. } = settings;
        Ok(PerUser::under(prior, items.clone(), part, values, &[], inference)?.report.log_evidence)
    };
    parts.iter().map(one).sum()
}

/// Parts of the users who said something, each with all others.
fn parts(answers: &UserAnswers) -> Result<Vec<[UserAnswers; 2]>, Error> {
    let said: Vec<usize> = (0..answers.users()).filter(|&u| !answers.of_user(u).is_empty()).collect();
    let part = |k: usize| {
        let of = |own: bool| {
            let chosen = said.iter().enumerate().filter(|(n, _)| (n % PARTS == k) == own);
            answers.select(&chosen.map(|(_, &u)| u).collect::<Vec<usize>>())
        };
        Ok([of(true)?, of(false)?])
    };
    if said.len() < PARTS { Ok(Vec::new()) } else { (0..PARTS).map(part).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without users there is the kernel's prior; with very many their own moments.
    #[test]
    fn between_the_kernel_and_the_users() {
        let shrinkage = Shrinkage { strength: 20.0, common: 0.25 };
        let (mean, covariance) = shrinkage.expected(&Summary::nobody(2));
        assert_eq!(mean, [0.0, 0.0]);
        assert!((covariance[(0, 0)] - 1.0).abs() < 1e-12 && covariance[(0, 1)] == 0.0);
        let users = 1e9;
        // Mean (1, 0), covariance [[2, .5], [.5, 1]].
        let second = Matrix::from_fn(2, 2, |i, j| users * [[3.0, 0.5], [0.5, 1.0]][i][j]);
        let sums = Summary { users, mean: vec![users, 0.0], second, ..Summary::nobody(2) };
        let (mean, covariance) = shrinkage.expected(&sums);
        assert!((mean[0] - 1.0).abs() < 1e-6 && mean[1].abs() < 1e-6);
        for (i, j, expected) in [(0, 0, 2.0), (0, 1, 0.5), (1, 1, 1.0)] {
            assert!((covariance[(i, j)] - expected).abs() < 1e-6);
        }
    }
}

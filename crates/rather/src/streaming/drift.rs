//! A taste that moves: what happens to the belief between two answers.

use serde::{Deserialize, Serialize};

use super::belief::Belief;
use crate::Error;

/// How the utility changes from one answer to the next, as a random walk on the basis.
///
/// # Formula
/// On the whitened values, $w_{n+1}=a\,w_n+e$ with $e\sim\mathcal N(0,qI)$: on the basis values the walk's steps have the
/// covariance $qK_b$, smooth as the utility itself.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Drift {
    /// The taste stays ($a=1$, $q=0$).
    #[default]
    Still,
    /// A walk without end: $a=1$, and each answer adds the share $q$ = `rate` of the prior variance.
    Walk {
        /// The share.
        rate: f64,
    },
    /// A walk that returns: $a=2^{-1/h}$, $q=1-a^2$. A utility's correlation with what it was halves in $h$ = `half_life` answers,
    /// and what is never asked again fades back to the prior. Where utilities differ by much more than the noise, what one answer said is
    /// forgotten sooner than that: the walk soon outgrows it.
    Fade {
        /// Number of answers.
        half_life: f64,
    },
}

impl Drift {
    /// $(a,q)$.
    pub(super) fn step(self) -> (f64, f64) {
        match self {
            Self::Still => (1.0, 0.0),
            Self::Walk { rate } => (1.0, rate),
            Self::Fade { half_life } => {
                let a = (-std::f64::consts::LN_2 / half_life).exp();
                (a, -(-2.0 * std::f64::consts::LN_2 / half_life).exp_m1())
            }
        }
    }

    /// The prior variance of a whitened value after `answers` answers.
    pub(super) fn prior_variance(self, answers: u64) -> f64 {
        match self {
            Self::Walk { rate } => 1.0 + rate * answers as f64,
            Self::Still | Self::Fade { .. } => 1.0,
        }
    }

    /// One step of the walk.
    pub(super) fn advance(self, belief: &mut Belief) {
        let (a, q) = self.step();
        if a != 1.0 {
            belief.mean.iter_mut().for_each(|m| *m *= a);
            belief.covariance.data_mut().iter_mut().for_each(|c| *c *= a * a);
        }
        if q != 0.0 {
            belief.covariance.add_diagonal(q);
        }
    }

    pub(super) fn check(self) -> Result<(), Error> {
        let (name, value, requirement) = match self {
            Self::Still => return Ok(()),
            Self::Walk { rate } => ("drift rate", rate, "it must be positive and at most 1"),
            Self::Fade { half_life } => ("half-life", half_life, "it must be a positive number of answers"),
        };
        let good = value > 0.0 && value.is_finite() && (!matches!(self, Self::Walk { .. }) || value <= 1.0);
        if good { Ok(()) } else { Err(Error::Parameter { name: name.into(), value, requirement }) }
    }
}

//! A taste that moves: what happens to the belief between two answers.

use serde::{Deserialize, Serialize};

use super::belief::Belief;
use crate::Error;

/// How the utility changes from one answer to the next, as a random walk on the basis.
///
/// # Formula
/// On the whitened values, $w_{n+1}=a w_n+e$ with $e\sim\mathcal N(0,qI)$: on the basis values the walk's steps have the
/// covariance $qK_b$, smooth as the utility itself.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Drift {
    /// The taste stays ($a=1$, $q=0$).
    #[default]
    Still,
    /// A walk that returns: $a=2^{-1/h}$, $q=1-a^2$. A utility's correlation with what it was halves in $h$ = `half_life` answers,
    /// and what is never asked again fades back to the prior. Where utilities differ by much more than the noise, what one answer said is
    /// forgotten sooner than that: the walk soon outgrows it.
    Fade {
        /// Number of answers.
        half_life: f64,
    },
}

impl Drift {
    /// $a$.
    pub(super) fn decay(self) -> f64 {
        match self {
            Self::Still => 1.0,
            Self::Fade { half_life } => (-std::f64::consts::LN_2 / half_life).exp(),
        }
    }

    /// One step of the walk.
    pub(super) fn advance(self, belief: &mut Belief) {
        let Self::Fade { half_life } = self else { return };
        let a = self.decay();
        belief.mean.iter_mut().for_each(|m| *m *= a);
        belief.covariance.data_mut().iter_mut().for_each(|c| *c *= a * a);
        // 1 - a^2, right for long half-lives too.
        belief.covariance.add_diagonal(-(-2.0 * std::f64::consts::LN_2 / half_life).exp_m1());
    }

    pub(super) fn check(self) -> Result<(), Error> {
        match self {
            Self::Fade { half_life } if !(half_life > 0.0 && half_life.is_finite()) => {
                Err(Error::Parameter {
                    name: "half-life".into(),
                    value: half_life,
                    requirement: "it must be a positive number of answers",
                })
            }
            Self::Still | Self::Fade { .. } => Ok(()),
        }
    }
}

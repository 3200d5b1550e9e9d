//! What happens to the belief between two answers: nothing, a step of a walk, or older answers come to count for less.

use serde::{Deserialize, Serialize};

use super::belief::Belief;
use crate::{Error, half_life};

/// How older answers lose their effect.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forgetting {
    /// They keep it.
    #[default]
    #[serde(rename = "still")]
    Never,
    /// The taste itself walks, as an Ornstein-Uhlenbeck process: the correlation of a utility with what it was halves in `half_life` answers, and
    /// what is never asked again fades back to the prior. Where utilities differ by much more than the noise, what one answer said is
    /// forgotten much sooner than that: the walk soon outgrows it.
    ///
    /// # Formula
    /// On the whitened values, $w_{n+1}=a w_n+e$ with $a=2^{-1/h}$ and $e\sim\mathcal N(0,(1-a^2)I)$: on the basis values the walk's
    /// steps have the covariance $(1-a^2)K_b$, smooth as the utility itself, and the prior is the same at all times.
    #[serde(rename = "fade")]
    Drift {
        /// Number of answers.
        half_life: f64,
    },
    /// Exponential forgetting: an answer counts $2^{-a/h}$ once $a$ others were given after it.
    ///
    /// # Formula
    /// Before every answer, what was said so far, the belief over the prior $\mathcal N(0,I)$, is raised to the power $r=2^{-1/h}$:
    /// $\Sigma^{-1}\leftarrow r\Sigma^{-1}+(1-r)I$, $\Sigma^{-1}\mu\leftarrow r\Sigma^{-1}\mu$. An answer then takes $O(M^3)$.
    ///
    /// # References
    /// Kulhavý and Zarrop, *On a general concept of forgetting* (1993).
    Power {
        /// Number of answers.
        half_life: f64,
    },
}

impl Forgetting {
    /// With a half-life of answers, or none.
    pub fn of(half_life: Option<f64>) -> Self {
        half_life.map_or(Self::Never, |half_life| Self::Power { half_life })
    }

    /// The half-life of answers, if they have one.
    pub fn half_life(self) -> Option<f64> {
        match self {
            Self::Power { half_life } => Some(half_life),
            Self::Never | Self::Drift { .. } => None,
        }
    }

    /// How much an answer counts after so many others.
    pub(super) fn weight(self, age: usize) -> f64 {
        self.half_life().map_or(1.0, |half_life| half_life::weight(age as f64, half_life))
    }

    /// From one answer to the next; `false`, and nothing is changed, if the numbers break down.
    #[must_use]
    pub(super) fn advance(self, belief: &mut Belief) -> bool {
        match self {
            Self::Never => true,
            Self::Power { .. } => belief.raise(self.weight(1)),
            Self::Drift { half_life } => {
                let a = decay(half_life);
                belief.mean.iter_mut().for_each(|m| *m *= a);
                belief.covariance.data_mut().iter_mut().for_each(|c| *c *= a * a);
                // 1 - a^2, right for long half-lives too.
                belief.covariance.add_diagonal(-(-2.0 * std::f64::consts::LN_2 / half_life).exp_m1());
                true
            }
        }
    }

    pub(super) fn check(self) -> Result<(), Error> {
        match self {
            Self::Never => Ok(()),
            Self::Power { half_life } => half_life::check(half_life),
            Self::Drift { half_life } if half_life > 0.0 && half_life.is_finite() => Ok(()),
            Self::Drift { half_life } => Err(Error::Parameter {
                name: "drift".into(),
                value: half_life,
                requirement: "it must be a positive number of answers",
            }),
        }
    }
}

/// $a$ of the walk.
pub(super) fn decay(half_life: f64) -> f64 {
    (-std::f64::consts::LN_2 / half_life).exp()
}

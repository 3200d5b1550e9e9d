//! What an acquisition function is.

use std::fmt;

use smallvec::SmallVec;

use super::{AnswerModel, Component, Contrast, PairBelief, Score, component};
use crate::Error;
use crate::posterior::Sampler;

/// How much a comparison is worth before its answer is known.
///
/// It implements either [`score`](Self::score), a function of the moments of the difference and of what may be answered, or
/// [`prepare`](Self::prepare), for anything else, such as averages over joint draws of the candidates' utilities. Functions of the first sort are
/// maximised over continuous features by their gradients.
///
/// # Examples
/// ```
/// use rather::acquisition::{Acquisition, AcquisitionFunction, AnswerModel, Contrast, Goal, Score};
///
/// /// The probability that the challenger's utility is larger, without the noise of an answer.
/// #[derive(Debug)]
/// struct ProbabilityOfImprovement;
///
/// impl AcquisitionFunction for ProbabilityOfImprovement {
///     fn name(&self) -> &'static str {
///         "probability"
///     }
///     fn title(&self) -> &'static str {
///         "likely to be better"
///     }
///     fn meaning(&self) -> &'static str {
///         "probability that the right item has the larger utility"
///     }
///     fn goal(&self) -> Goal {
///         Goal::Best
///     }
///     fn needs_opponent(&self) -> bool {
///         true
///     }
///     fn score(&self, contrast: &Contrast, answers: &AnswerModel, _setting: f64) -> Option<Score> {
///         // With as little noise as this the answer is the sign of the difference.
///         let sd = contrast.variance.sqrt().max(1e-9 * answers.s());
///         let u = contrast.mean / sd;
///         let slope = rather_numerics::special::normal::pdf(u);
///         let value = rather_numerics::special::normal::cdf(u);
///         Some(Score { value, d_mean: slope / sd, d_variance: -0.5 * slope * u / (sd * sd), d_base: 0.0 })
///     }
/// }
///
/// let acquisition = Acquisition::new(&ProbabilityOfImprovement);
/// assert!(acquisition.is_closed_form() && acquisition.needs_opponent());
/// assert_eq!(acquisition.to_string(), "probability");
/// ```
pub trait AcquisitionFunction: fmt::Debug + Send + Sync {
    /// Its name, which no other has: lower case, without a colon.
    fn name(&self) -> &'static str;

    /// The next comparison in a few words, for a list: "most informative (BALD)".
    fn title(&self) -> &'static str;

    /// What the value of a comparison is, with its unit, as the end of a sentence. The right item is the challenger, the left one the opponent.
    fn meaning(&self) -> &'static str;

    /// What it is for.
    fn goal(&self) -> Goal;

    /// The number behind its name, if it takes one.
    fn setting(&self) -> Setting {
        Setting::Nothing
    }

    /// Whether it scores a challenger of a given opponent, so that over all pairs it means nothing.
    fn needs_opponent(&self) -> bool {
        false
    }

    /// Whether a pair has the same value in either order. Of one that does not the better order counts.
    fn is_symmetric(&self) -> bool {
        !self.needs_opponent()
    }

    /// The number of items that one question is about, at a setting: a comparison has two.
    fn items(&self, _setting: f64) -> usize {
        2
    }

    /// Whether [`score`](Self::score) takes the variance of the challenger's own utility instead of the difference's.
    fn is_absolute(&self) -> bool {
        false
    }

    /// Whether it looks at the posterior given one exact draw of the noisy differences behind plain comparisons
    /// ([`Posterior::given_a_draw`](crate::posterior::Posterior::given_a_draw)), instead of at the posterior itself.
    fn conditions_on_a_draw(&self) -> bool {
        false
    }

    /// The value of a comparison as a function of the difference's moments, with derivatives; `None` if it is no such function. `answers` has
    /// what may be answered where the challenger is shown on the right, with its probabilities.
    fn score(&self, _contrast: &Contrast, _answers: &AnswerModel, _setting: f64) -> Option<Score> {
        None
    }

    /// The value of a comparison where what is believed is a mixture of Gaussians, as [`score`](Self::score) has it for one: one score a part, whose
    /// values add up to it, with its derivatives in the moments of that part. The average, which is right for whatever is an expectation, unless
    /// the function says otherwise.
    fn scores_of_mixture(&self, parts: &[PairBelief<'_>], setting: f64) -> Vec<Score> {
        let one = |part: &PairBelief<'_>| {
            let score = self.score(&part.contrast, part.answers, setting);
            score.unwrap_or(Score::NOTHING).times(part.weight)
        };
        parts.iter().map(one).collect()
    }

    /// The sum of the values of [`scores_of_mixture`](Self::scores_of_mixture), for a function that has it in less time than its derivatives.
    fn value_of_mixture(&self, parts: &[PairBelief<'_>], setting: f64) -> f64 {
        self.scores_of_mixture(parts, setting).iter().map(|score| score.value).sum()
    }

    /// Whether it is a function of the difference's moments once draws of by how much the best of all is better than the opponent are given
    /// ([`scores_given_gains`](Self::scores_given_gains)).
    fn needs_gains(&self) -> bool {
        false
    }

    /// As [`scores_of_mixture`](Self::scores_of_mixture), for a function that [needs gains](Self::needs_gains): those drawn from each part.
    fn scores_given_gains(&self, parts: &[PairBelief<'_>], _gains: &[Vec<f64>], setting: f64) -> Vec<Score> {
        self.scores_of_mixture(parts, setting)
    }

    /// The function over pairs (challenger, opponent) of the candidates, by their positions. Without a [`score`](Self::score) it must be
    /// implemented; a value that is not a number is never chosen.
    ///
    /// # Errors
    /// [`Error::Covariance`] if draws are needed and the covariance holds something that is not a number.
    fn prepare<'a>(&'a self, candidates: &Candidates<'a>) -> Result<PairScore<'a>, Error> {
        let &Candidates { components, setting, .. } = candidates;
        let absolute = self.is_absolute();
        Ok(Box::new(move |challenger, opponent| {
            if let [alone] = components {
                let PairBelief { contrast, answers, .. } = alone.of_pair(challenger, opponent, absolute);
                return self.score(&contrast, answers, setting).map_or(f64::NAN, |score| score.value);
            }
            let parts: SmallVec<[PairBelief<'_>; 8]> =
                components.iter().map(|c| c.of_pair(challenger, opponent, absolute)).collect();
            self.value_of_mixture(&parts, setting)
        }))
    }
}

/// The value of a challenger against an opponent; several threads ask.
pub type PairScore<'a> = Box<dyn Fn(usize, usize) -> f64 + Sync + 'a>;

/// The candidates of a comparison, as an acquisition function sees them.
#[derive(Debug, Clone, Copy)]
pub struct Candidates<'a> {
    /// What is believed of their utilities: a Gaussian, or several.
    pub components: &'a [Component<'a>],
    /// The function's setting; 0 if it has none.
    pub setting: f64,
    /// Seed of everything drawn.
    pub seed: u64,
}

impl<'a> Candidates<'a> {
    /// Draws of the candidates' utilities.
    ///
    /// # Errors
    /// [`Error::Covariance`] if a covariance holds something that is not a number.
    pub fn sampler(&self) -> Result<Sampler, Error> {
        component::sampler(self.components)
    }
}

/// What an acquisition function is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Goal {
    /// To learn all utilities.
    Utilities,
    /// To find the best item.
    Best,
    /// To be compared with, not to be used.
    Baseline,
}

/// The number behind the name of an acquisition function.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Setting {
    /// There is none.
    Nothing,
    /// A whole number.
    Integer {
        /// What is taken if none is given.
        default: u32,
        /// The smallest.
        least: u32,
        /// The largest.
        most: u32,
    },
    /// A finite number from 0.
    Number {
        /// What is taken if none is given.
        default: f64,
    },
}

impl Setting {
    /// What is taken if none is given.
    pub(super) fn default(&self) -> f64 {
        match *self {
            Self::Nothing => 0.0,
            Self::Integer { default, .. } => default.into(),
            Self::Number { default } => default,
        }
    }

    /// The setting that `text` stands for.
    pub(super) fn parse(&self, text: &str) -> Option<f64> {
        match *self {
            Self::Nothing => None,
            Self::Integer { least, most, .. } => {
                text.parse().ok().filter(|n| (least..=most).contains(n)).map(f64::from)
            }
            Self::Number { .. } => text.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0),
        }
    }

    /// What may be given for the function called `name`.
    pub(super) fn expected(&self, name: &str) -> String {
        match self {
            Self::Nothing => format!("nothing: {name} has no setting"),
            Self::Integer { least, most, .. } => format!("a whole number from {least} to {most}"),
            Self::Number { .. } => "a number from 0".into(),
        }
    }
}

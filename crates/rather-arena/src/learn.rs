//! A model of votes.

use crate::read::Votes;
use crate::{Error, Options};
use rather::answers::{Answer, Answers};
use rather::arena;
use rather::model::Model;

/// A model, and the votes that it was learned from.
#[derive(Debug)]
pub struct Learned {
    /// The model.
    pub model: Model,
    pub(crate) votes: Votes,
    /// Whether the noise of each judge was learned.
    pub(crate) by_judge: bool,
}

/// Judges up to whom each has a noise of their own; more than these are a sample of voters.
const JUDGES: usize = 19;
/// Votes that a judge must have on average for that.
const OF_A_JUDGE: usize = 30;

impl Learned {
    /// Learns from votes.
    ///
    /// # Errors
    /// If they cannot be learned from.
    pub fn of(mut votes: Votes, options: &Options) -> Result<Self, Error> {
        let judges = votes.voters.len();
        let by_judge = (2..=JUDGES).contains(&judges)
            && votes.by.len() >= OF_A_JUDGE * judges
            && votes.by.iter().all(|&voter| (voter as usize) < judges);
        if by_judge {
            let by = |(answer, &voter): (Answer, &u32)| answer.by(voter as usize);
            votes.answers = votes.answers.iter().zip(&votes.by).map(by).collect::<Answers>();
        }
        // A saved board has its judges.
        let of_judges = votes.answers.distinct().any(|answer| answer.user().is_some());
        let expression = match &votes.before {
            Some(model) => model.kernel_expression(),
            None => arena::kernel(votes.sided, &votes.style, options.by.as_deref()),
        };
        let settings = arena::settings(expression, &votes.answers);
        let users = if of_judges { votes.voters.as_slice() } else { &[] };
        let answers = votes.answers.clone();
        let model = match &votes.sides {
            Some(sides) => Model::fit_in_context(&votes.items, sides, answers, users, &settings, &|_| ())?,
            None => Model::fit_given(&votes.items, answers, users, &settings, &|_| ())?,
        };
        if !model.report().trustworthy {
            let sentence = "inference found no reliable posterior for these votes; are there items that nobody compares with others?";
            return Err(Error::Unreliable(sentence.to_owned()));
        }
        let model = model.with_naming(votes.naming.clone())?;
        Ok(Self { model, votes, by_judge: of_judges })
    }
}

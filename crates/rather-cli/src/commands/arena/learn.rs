//! A model of votes.

use super::read::Votes;
use crate::args::ArenaArgs;
use crate::failure::Failure;
use crate::follow::finish_on_ctrl_c;
use crate::output::Output;
use rather::answers::{Answer, Answers};
use rather::arena;
use rather::learn::Units;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::{Lapses, Link, ResponseModel};
use rather::model::{Ep, FitSettings, Inference, Integration, Model, PairEffect};

/// A model, and the votes that it was learned from.
pub(super) struct Learned {
    pub(super) model: Model,
    pub(super) votes: Votes,
    /// Whether the noise of each judge was learned.
    pub(super) by_judge: bool,
}

/// Judges up to whom each has a noise of their own; more than these are a sample of voters.
const JUDGES: usize = 19;
/// Votes that a judge must have on average for that.
const OF_A_JUDGE: usize = 30;
/// Votes from which on the hyperparameters are known so well that averaging over them changes nothing.
const MANY: f64 = 20_000.0;

/// Learns from votes.
pub(super) fn learn(mut votes: Votes, args: &ArenaArgs, out: &Output) -> Result<Learned, Failure> {
    let judges = votes.voters.len();
    let by_judge = (2..=JUDGES).contains(&judges)
        && votes.by.len() >= OF_A_JUDGE * judges
        && votes.by.iter().all(|&voter| (voter as usize) < judges);
    if by_judge {
        let by = |(answer, &voter): (Answer, &u32)| answer.by(voter as usize);
        votes.answers = votes.answers.iter().zip(&votes.by).map(by).collect::<Answers>();
    }
    let of_judges = by_judge || votes.answers.distinct().any(|answer| answer.user().is_some());
    let expression = match &votes.before {
        Some(model) => model.kernel_expression(),
        None => arena::kernel(votes.sided, &votes.style, args.by.as_deref()),
    };
    let total: f64 = votes.answers.iter().map(|answer| answer.count).sum();
    let integration = if total > MANY { Integration::Off } else { Integration::Auto };
    let settings = FitSettings {
        kernel: KernelChoice::Given(KernelSpec { expression, ard: false }),
        inference: Inference::Ep(Ep { integration, pair_effect: PairEffect::Off, ..Ep::default() }),
        units: Units::ItemNoise,
        response_model: ResponseModel {
            link: Link::Logistic,
            user_noise: of_judges,
            lapses: if of_judges { Lapses::ByUser } else { Lapses::Never },
            ..ResponseModel::default()
        },
        ..FitSettings::default()
    };
    let users = if of_judges { votes.voters.as_slice() } else { &[] };
    finish_on_ctrl_c(out.watch().clone());
    let answers = votes.answers.clone();
    let model = match &votes.sides {
        Some(sides) => Model::fit_in_context(&votes.items, sides, answers, users, &settings, &|_| ())?,
        None => Model::fit_given(&votes.items, answers, users, &settings, &|_| ())?,
    };
    if !model.report().trustworthy {
        let sentence = "inference found no reliable posterior for these votes; are there items that nobody compares with others?";
        return Err(Failure::Internal(sentence.to_owned()));
    }
    let model = model.with_naming(votes.naming.clone())?;
    Ok(Learned { model, votes, by_judge: of_judges })
}

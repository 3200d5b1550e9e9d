//! Policies: which two items meet next.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Proposal, Request, Trial};
use crate::Error;
use crate::acquisition::pool::Scored;
use crate::acquisition::{Acquisition, bald::Bald, bald_improvement::BaldImprovement};
use rather_numerics::random::{stream, uniform};

/// Who the challenger is set against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Opponent {
    /// The winner of the last answered duel stays.
    Winner,
    /// The item with the largest mean utility.
    Best,
    /// Nobody in particular: both items are chosen.
    Any,
}

impl fmt::Display for Opponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Winner => "winner",
            Self::Best => "best",
            Self::Any => "any",
        })
    }
}

impl FromStr for Opponent {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.trim().to_ascii_lowercase().as_str() {
            "winner" => Ok(Self::Winner),
            "best" => Ok(Self::Best),
            "any" => Ok(Self::Any),
            _ => Err(Error::UnknownOpponent { name: text.into() }),
        }
    }
}

/// How duels are chosen.
///
/// The default: the winner stays, and its challenger is the item whose duel with it tells most about the utilities (BALD on the difference), times
/// how probable it is at most that it is better. Where both items are chosen, it is BALD alone.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Policy {
    /// The value of a duel.
    pub acquisition: Acquisition,
    /// Which duels are considered.
    pub opponent: Opponent,
    /// Number of answers at the beginning to questions that only fill space, at least one; if not given one, or, in a domain of four
    /// dimensions and more, one for each, at most ten.
    pub initial: Option<usize>,
}

/// The number of dimensions from which an initial design has a question for each, if no other number is asked for, and the largest number then.
const MANY: usize = 4;
const MOST_INITIAL: usize = 10;

impl Default for Policy {
    fn default() -> Self {
        Self { acquisition: Acquisition::new(&BaldImprovement), opponent: Opponent::Winner, initial: None }
    }
}

impl Policy {
    /// The number of answers to questions that only fill space, in a domain of so many dimensions (none of a pool). What a prior is most uncertain about
    /// are the corners of a domain: of many dimensions there are many, far from each other and from the optimum, and comparisons of them are hardly
    /// information about scales and lengthscales.
    fn initial(&self, dims: usize) -> usize {
        let usual = if dims < MANY { 1 } else { dims.min(MOST_INITIAL) };
        self.initial.unwrap_or(usual).max(1)
    }

    /// This policy against another opponent. The default acquisition function weighs a duel by the chance to beat an opponent, so without one it
    /// gives way to BALD alone; any other stays.
    #[must_use]
    pub fn with_opponent(self, opponent: Opponent) -> Self {
        let gives_way = opponent == Opponent::Any && self.acquisition == Self::default().acquisition;
        let acquisition = if gives_way { Acquisition::new(&Bald) } else { self.acquisition };
        Self { acquisition, opponent, ..self }
    }

    /// Checks that the acquisition function can choose duels, and that it has an opponent if it needs one.
    ///
    /// # Errors
    /// [`Error::ChoiceOfTwo`], [`Error::NeedsOpponent`].
    pub fn check(&self) -> Result<(), Error> {
        self.acquisition.check(self.opponent != Opponent::Any)
    }
}

/// What the next duel is chosen among.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Two items that fill space.
    Fill,
    /// All pairs.
    Any,
    /// Challengers of this item.
    Winner(usize),
    /// Challengers of the best item.
    Best,
}

/// The step that the policy takes next, in a domain of so many dimensions (none of a pool). Space is filled until there are as many answers as the
/// policy wants.
pub(super) fn step(request: &Request<'_>, dims: usize) -> Result<Step, Error> {
    request.policy.check()?;
    let answered = || request.trials.iter().filter(|d| d.answer.is_some());
    if answered().count() < request.policy.initial(dims) {
        return Ok(Step::Fill);
    }
    let winner = request.trials.iter().rev().find_map(Trial::winner);
    Ok(match (request.policy.opponent, winner) {
        (Opponent::Any, _) => Step::Any,
        (Opponent::Winner, Some(winner)) => Step::Winner(winner),
        (Opponent::Winner | Opponent::Best, _) => Step::Best,
    })
}

/// Pairs, smaller number first, that must not be asked next: that of the last duel, and those without an answer since the
/// last answered one.
pub(super) fn forbidden(duels: &[Trial]) -> Vec<(usize, usize)> {
    let open = duels.iter().rev().take_while(|d| d.answer.is_none()).count();
    let recent = duels.iter().rev().take(open.max(1));
    recent.map(|d| (d.left.min(d.right), d.left.max(d.right))).collect()
}

/// Sets, in increasing order, that must not be asked next, for the same reasons.
pub(super) fn forbidden_sets(trials: &[Trial]) -> Vec<Vec<usize>> {
    let open = trials.iter().rev().take_while(|trial| trial.answer.is_none()).count();
    let sorted = |trial: &Trial| {
        let mut items: Vec<usize> = trial.items().collect();
        items.sort_unstable();
        items
    };
    trials.iter().rev().take(open.max(1)).map(sorted).collect()
}

/// The seed of everything drawn for duel number `duel`.
pub(super) fn draw_seed(seed: u64, duel: usize) -> u64 {
    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(duel as u64)
}

/// Puts the next duel's items on their sides.
pub(super) fn sides(request: &Request<'_>, pair: Scored) -> Proposal<usize> {
    let score = Some(pair.score).filter(|s| !s.is_nan());
    sides_of(request.seed, request.trials.len(), pair.challenger, pair.opponent, score)
}

/// Puts the items of duel number `duel` on their sides.
pub(super) fn sides_of<T>(
    seed: u64,
    duel: usize,
    challenger: T,
    opponent: T,
    score: Option<f64>,
) -> Proposal<T> {
    if challenger_left(seed, duel) {
        Proposal { left: challenger, right: opponent, score }
    } else {
        Proposal { left: opponent, right: challenger, score }
    }
}

/// The items of question number `trial` in the order in which they are shown, drawn anew, so that no place gives anything away.
pub(super) fn shown(seed: u64, trial: usize, mut items: Vec<usize>) -> Vec<usize> {
    let mut rng = stream(seed, u64::MAX - trial as u64);
    for last in (1..items.len()).rev() {
        let place = (uniform(&mut rng) * (last + 1) as f64) as usize;
        items.swap(last, place.min(last));
    }
    items
}

/// Whether the challenger of duel number `duel` stands on the left: two of every four do, in an order drawn anew, so that
/// neither position nor number gives it away.
pub(super) fn challenger_left(seed: u64, duel: usize) -> bool {
    const ORDERS: [[bool; 4]; 6] = [
        [true, true, false, false],
        [true, false, true, false],
        [true, false, false, true],
        [false, true, true, false],
        [false, true, false, true],
        [false, false, true, true],
    ];
    let mut rng = stream(seed, u64::MAX - (duel / 4) as u64);
    let order = (uniform(&mut rng) * ORDERS.len() as f64) as usize;
    ORDERS[order][duel % 4]
}

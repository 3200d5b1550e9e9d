//! What the answers say: the best alternative, when to stop, and whether they fit together.

pub mod advice;
pub mod agreement;
pub mod connectivity;
pub mod consistency;

use crate::learner::Record;
use rather::design::Trial;

/// The duels of a record that were answered.
pub(crate) fn answered(record: &Record) -> impl Iterator<Item = &Trial> {
    record.duels.iter().filter(|duel| duel.answer.is_some())
}

/// The comparisons that the answers of a record tell: those of two, and of a set those of the best and of the worst option with the others.
pub(crate) fn comparisons(record: &Record) -> impl Iterator<Item = Trial> {
    answered(record).flat_map(Trial::comparisons)
}

/// Winner and loser of a duel, unless it has none; a set has its [`comparisons`].
pub(crate) fn outcome(duel: &Trial) -> Option<(usize, usize)> {
    let winner = duel.winner().filter(|_| !duel.is_of_set())?;
    Some((winner, duel.left + duel.right - winner))
}

/// The two sides of a duel, the smaller number first.
pub(crate) fn pair(duel: &Trial) -> (usize, usize) {
    (duel.left.min(duel.right), duel.left.max(duel.right))
}

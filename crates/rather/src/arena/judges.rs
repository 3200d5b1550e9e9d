//! What is known of each judge.

use super::Cast;
use rather_numerics::order;
use rustc_hash::FxHashMap;

/// How a judge votes.
#[derive(Debug, Clone, PartialEq)]
pub struct Judge {
    /// Who, as numbered among voters.
    pub voter: usize,
    /// Votes about two items.
    pub votes: f64,
    /// The share of decisive votes that are for the item of the larger utility.
    pub agreement: f64,
    /// What the model expects of it.
    pub expected_agreement: f64,
    /// The share of decisive votes for the item on the left, beyond what the model expects, with its standard error; `None` if sides are not known.
    pub left: Option<(f64, f64)>,
    /// The share of ties.
    pub ties: f64,
    /// Pairs that were voted on in both orders, and how many of them changed their winner with the side.
    pub swapped: (usize, usize),
}

/// How the voters of the most votes about two items vote, `most` of them at most, those of the most votes first.
pub fn judges(cast: &Cast<'_>, most: usize) -> Vec<Judge> {
    let is_of_two = |cell: u32| cast.cells[cell as usize].items.1.is_some();
    let votes = |own: &[(u32, f32)]| -> f64 {
        own.iter().filter(|(cell, _)| is_of_two(*cell)).map(|(_, count)| f64::from(*count)).sum()
    };
    let counted = cast.by_voter().enumerate().map(|(voter, own)| (voter, own, votes(own)));
    let mut all: Vec<_> = counted.filter(|(.., votes)| *votes > 0.0).collect();
    order::sort_descending(&mut all, |(.., votes)| *votes);
    all.iter().take(most).map(|&(voter, own, _)| judge(cast, voter, own)).collect()
}

fn judge(cast: &Cast<'_>, voter: usize, votes: &[(u32, f32)]) -> Judge {
    let (mut all, mut tied, mut decisive, mut agreed, mut expected) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let (mut left, mut left_variance, mut sided) = (0.0, 0.0, 0.0);
    // Votes for the smaller item minus those for the larger, by which of them was on the left.
    let mut pairs: FxHashMap<(usize, usize), [f64; 2]> = FxHashMap::default();
    for &(cell, count) in votes {
        let cell = &cast.cells[cell as usize];
        let (first, Some(second)) = cell.items else { continue };
        let count = f64::from(count);
        all += count;
        if cell.tie {
            tied += count;
            continue;
        }
        // Of votes that have a winner.
        let p = cell.chances[0] / (cell.chances[0] + cell.chances[2]).max(f64::MIN_POSITIVE);
        decisive += count;
        agreed += if p > 0.5 { count } else { 0.0 };
        expected += count * p.max(1.0 - p);
        if let Some(first_left) = cell.first_left {
            let (on_left, of_left) = if first_left { (1.0, p) } else { (0.0, 1.0 - p) };
            left += count * (on_left - of_left);
            left_variance += count * p * (1.0 - p);
            sided += count;
            let smaller_left = (first < second) == first_left;
            let sign = if first < second { count } else { -count };
            pairs.entry((first.min(second), first.max(second))).or_default()[usize::from(smaller_left)] +=
                sign;
        }
    }
    let both: Vec<&[f64; 2]> = pairs.values().filter(|of| of[0] != 0.0 && of[1] != 0.0).collect();
    let flipped = both.iter().filter(|of| (of[0] > 0.0) != (of[1] > 0.0)).count();
    let share = |x: f64, of: f64| if of > 0.0 { x / of } else { f64::NAN };
    Judge {
        voter,
        votes: all,
        agreement: share(agreed, decisive),
        expected_agreement: share(expected, decisive),
        left: (sided > 0.0).then(|| (left / sided, left_variance.sqrt() / sided)),
        ties: share(tied, all),
        swapped: (both.len(), flipped),
    }
}

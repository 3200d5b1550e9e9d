//! Voters who do not vote as others do.

use super::Cast;
use rather_numerics::order;
use rather_numerics::special::normal;

/// Whom the votes are from.
#[derive(Debug, Clone, PartialEq)]
pub struct Voters {
    /// Votes about two items, of voters who are known, and of each of them.
    pub votes: Vec<f64>,
    /// Those who vote otherwise than the model expects, the most improbable first.
    pub suspicious: Vec<(usize, Suspicion)>,
}

/// Why a voter is looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Suspicion {
    /// What was voted is less probable than the model expects, by so many standard deviations of the log probability: at random, or against the others.
    Improbable(f64),
    /// The same side more often than utilities explain, by so many standard deviations; positive for the left.
    Sided(f64),
}

impl Suspicion {
    /// By how many standard deviations.
    pub fn z(&self) -> f64 {
        match self {
            Self::Improbable(z) | Self::Sided(z) => *z,
        }
    }
}

/// Votes from which on a voter is judged at all.
const FEWEST: f64 = 10.0;
/// The probability with which an honest arena has a suspicious voter, in all its voters together.
const FALSE_ALARM: f64 = 0.01;

/// Whom the votes are from, and who votes otherwise than the model expects.
///
/// # Formula
/// Of a voter's votes, $\sum(\log p(y)-\mathbb E\log p(y))$ over its standard deviation, and $\sum(l-\mathbb E l)$ with $l=1$ for a vote for the left; a normal limit, by
/// which one voter of an honest arena is suspicious with a probability of 1 % altogether (Bonferroni).
pub fn voters(cast: &Cast<'_>) -> Voters {
    let voters = cast.by_voter().len();
    let limit = -normal::quantile(FALSE_ALARM / (3 * voters.max(1)) as f64);
    // Of each cell: log probability minus its mean, and its variance; left minus its mean, and its variance.
    let moments: Vec<[f64; 4]> = cast.cells.iter().map(moments).collect();
    let (mut votes, mut suspicious) = (Vec::with_capacity(voters), Vec::new());
    for (voter, own) in cast.by_voter().enumerate() {
        let (mut sum, mut all) = ([0.0; 4], 0.0);
        for &(cell, count) in own {
            let (cell, count) = (cell as usize, f64::from(count));
            if cast.cells[cell].items.1.is_some() {
                all += count;
                sum.iter_mut().zip(&moments[cell]).for_each(|(sum, x)| *sum += count * x);
            }
        }
        votes.push(all);
        if all < FEWEST {
            continue;
        }
        let z = |sum: f64, variance: f64| if variance > 0.0 { sum / variance.sqrt() } else { 0.0 };
        let (improbable, sided) = (-z(sum[0], sum[1]), z(sum[2], sum[3]));
        if sided.abs() > limit && sided.abs() > improbable {
            suspicious.push((voter, Suspicion::Sided(sided)));
        } else if improbable > limit {
            suspicious.push((voter, Suspicion::Improbable(improbable)));
        }
    }
    order::sort_descending(&mut suspicious, |(_, suspicion)| suspicion.z().abs());
    Voters { votes, suspicious }
}

fn moments(cell: &super::Cell) -> [f64; 4] {
    let logs = cell.chances.map(|p| if p > 0.0 { p.ln() } else { 0.0 });
    let mean: f64 = cell.chances.iter().zip(logs).map(|(p, log)| p * log).sum();
    let square: f64 = cell.chances.iter().zip(logs).map(|(p, log)| p * log * log).sum();
    let [first, _, second] = cell.chances;
    let (of_left, on_left) = match (cell.first_left, cell.tie) {
        (None, _) => {
            return [cell.probability().max(f64::MIN_POSITIVE).ln() - mean, square - mean * mean, 0.0, 0.0];
        }
        (Some(true), tie) => (first, if tie { 0.0 } else { 1.0 }),
        (Some(false), _) => (second, 0.0),
    };
    let log = cell.probability().max(f64::MIN_POSITIVE).ln();
    [log - mean, square - mean * mean, on_left - of_left, of_left * (1.0 - of_left)]
}

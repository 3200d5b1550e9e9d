//! The best pairs of a finite set of candidates.

use super::Prepared;
use rather_numerics::watch::{self, Steps};

/// Which pairs are considered.
#[derive(Debug, Clone, Copy)]
pub enum Pairs<'a> {
    /// All pairs of two different candidates.
    All,
    /// These.
    Given(&'a [(usize, usize)]),
    /// Every candidate against this one.
    Against(usize),
}

/// A pair with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// The one candidate.
    pub challenger: usize,
    /// The other, which is the given one of [`Pairs::Against`].
    pub opponent: usize,
    /// The acquisition function's value.
    pub score: f64,
}

/// Pairs between two looks at the clock.
const BLOCK: usize = 4_096;

/// The `n` best of `pairs` that are `allowed`, best first; of equal ones that with the smaller numbers. No pair is kept in
/// memory but these. Once `stop` says so the search ends with what it has, though not before the first few thousand pairs.
/// A candidate is never paired with itself; scores that are not numbers are passed over.
pub fn best_pairs(
    prepared: &Prepared<'_>,
    pairs: &Pairs<'_>,
    allowed: &dyn Fn(usize, usize) -> bool,
    n: usize,
    stop: &dyn Fn() -> bool,
) -> Vec<Scored> {
    let items = prepared.items();
    let count = match *pairs {
        Pairs::All => items * items.saturating_sub(1) / 2,
        Pairs::Given(pairs) => pairs.len(),
        Pairs::Against(_) => items,
    };
    let steps = Steps::start("comparing pairs", count);
    let mut best = Best { kept: Vec::with_capacity(n.min(BLOCK)), n, seen: 0, stop, steps };
    let pair = |i: usize, j: usize| prepared.pair(i, j);
    match *pairs {
        Pairs::All => {
            for i in 0..items {
                if !(i + 1..items).all(|j| best.take(i, j, allowed, pair)) {
                    break;
                }
            }
        }
        Pairs::Given(pairs) => {
            let _ = pairs.iter().all(|&(i, j)| best.take(i, j, allowed, pair));
        }
        Pairs::Against(opponent) => {
            let challenge =
                |i: usize, j: usize| Scored { challenger: i, opponent: j, score: prepared.challenge(i, j) };
            let _ = (0..items).all(|i| best.take(i, opponent, allowed, challenge));
        }
    }
    best.kept
}

/// The best so far.
struct Best<'a> {
    kept: Vec<Scored>,
    n: usize,
    seen: usize,
    stop: &'a dyn Fn() -> bool,
    steps: Steps,
}

impl Best<'_> {
    /// Looks at one pair; `false` to end the search.
    fn take(
        &mut self,
        i: usize,
        j: usize,
        allowed: &dyn Fn(usize, usize) -> bool,
        score: impl Fn(usize, usize) -> Scored,
    ) -> bool {
        if i != j && allowed(i, j) {
            self.insert(score(i, j));
        }
        self.seen += 1;
        if !self.seen.is_multiple_of(BLOCK) {
            return true;
        }
        self.steps.add(BLOCK);
        !(watch::ends() || (!self.kept.is_empty() && (self.stop)()))
    }

    fn insert(&mut self, pair: Scored) {
        let full = self.kept.len() >= self.n;
        if pair.score.is_nan() || (full && self.kept.last().is_none_or(|worst| !before(&pair, worst))) {
            return;
        }
        let place = self.kept.partition_point(|other| before(other, &pair));
        self.kept.insert(place, pair);
        self.kept.truncate(self.n);
    }
}

/// Whether `a` comes before `b`.
fn before(a: &Scored, b: &Scored) -> bool {
    let numbers = |x: &Scored| (x.challenger, x.opponent);
    b.score.total_cmp(&a.score).then(numbers(a).cmp(&numbers(b))).is_lt()
}

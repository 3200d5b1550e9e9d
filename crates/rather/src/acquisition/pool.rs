//! The best pairs of a finite set of candidates.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::Prepared;
use rather_numerics::parallel;
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

/// Pairs that one task looks at, between two looks at the clock.
const BLOCK: usize = 4_096;

/// The `n` best of `pairs` that are `allowed`, best first; of equal ones that with the smaller numbers. No pair is kept in
/// memory but these. Several threads look at blocks of pairs; what is found does not depend on their number. Once `stop` says
/// so the search ends with what it has, though not before the first few thousand pairs. A candidate is never paired with
/// itself; scores that are not numbers are passed over.
pub fn best_pairs(
    prepared: &Prepared<'_>,
    pairs: &Pairs<'_>,
    allowed: &(dyn Fn(usize, usize) -> bool + Sync),
    n: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<Scored> {
    let items = prepared.items();
    let count = pairs.number(items);
    let steps = Steps::start("comparing pairs", count);
    let found = AtomicBool::new(false);
    let best_of = |block: usize| {
        let mut best = Best::new(n);
        if watch::ends() || (found.load(Relaxed) && stop()) {
            return best;
        }
        let numbers = block * BLOCK..count.min((block + 1) * BLOCK);
        let done = numbers.len();
        pairs.for_each(items, numbers, |i, j| {
            if i != j && allowed(i, j) {
                best.insert(match pairs {
                    Pairs::All | Pairs::Given(_) => prepared.pair(i, j),
                    Pairs::Against(_) => {
                        Scored { challenger: i, opponent: j, score: prepared.challenge(i, j) }
                    }
                });
            }
        });
        steps.add(done);
        found.fetch_or(!best.kept.is_empty(), Relaxed);
        best
    };
    let mut best = Best::new(n);
    let blocks = parallel::map(count.div_ceil(BLOCK), 1, best_of);
    blocks.into_iter().flat_map(|block| block.kept).for_each(|pair| best.insert(pair));
    best.kept
}

impl Pairs<'_> {
    /// How many there are of so many items.
    fn number(&self, items: usize) -> usize {
        match *self {
            Self::All => items * items.saturating_sub(1) / 2,
            Self::Given(pairs) => pairs.len(),
            Self::Against(_) => items,
        }
    }

    /// Calls `look` with those of these numbers; of all pairs the first item's come first, then those of the second with later ones,
    /// and so on.
    fn for_each(&self, items: usize, numbers: Range<usize>, mut look: impl FnMut(usize, usize)) {
        match *self {
            Self::All => {
                let before = |i: usize| i * (2 * items - i - 1) / 2;
                let mut i = last_below(items, |i| before(i) <= numbers.start);
                let mut j = i + 1 + numbers.start - before(i);
                for _ in numbers {
                    if j == items {
                        i += 1;
                        j = i + 1;
                    }
                    look(i, j);
                    j += 1;
                }
            }
            Self::Given(pairs) => pairs[numbers].iter().for_each(|&(i, j)| look(i, j)),
            Self::Against(opponent) => numbers.for_each(|i| look(i, opponent)),
        }
    }
}

/// The last number below `n` of which `is` holds, where it holds of 0 and of none after one of which it does not.
fn last_below(n: usize, is: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, n);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if is(middle) { low = middle } else { high = middle }
    }
    low
}

/// The best so far.
struct Best {
    kept: Vec<Scored>,
    n: usize,
}

impl Best {
    fn new(n: usize) -> Self {
        Self { kept: Vec::new(), n }
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

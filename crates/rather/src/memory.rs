//! How many bytes a fit takes at its peak: everything that is held at the same time, tables and answers included, but not the program
//! itself with its threads, each of which has a few megabytes to multiply matrices in.
//!
//! Every figure is what the data structures take, counted where they are largest at the same time; `tests/memory.rs` holds the sums against
//! counted allocations. An estimate depends on the size of the problem alone, so that the same data are always held in the same way.

use crate::Error;
use crate::inference::sparse::graph;
use crate::inference::{ep, sweep};

/// What the memory and the representation of a fit depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// Compared items.
    pub items: usize,
    /// Distinct pairs that were compared.
    pub pairs: usize,
    /// Items of the table, compared or not.
    pub table: usize,
    /// Sides of comparisons that have columns, of which `items` are compared then; none where items are compared without a context.
    pub sides: usize,
    /// Features of an item, or of a side.
    pub columns: usize,
    /// Components of the states in time that a side depends on.
    pub states: usize,
    /// Answers as they were given, each counted once however often it was given.
    pub answers: usize,
    /// Distinct answers.
    pub merged: usize,
    /// Noisy differences behind the answers, repeated ones counted, and draws of exact inference, if that is asked for.
    pub draws: Option<(usize, usize)>,
    /// Whether the items are known by name only: no features, or a kernel that looks at none.
    pub by_name: bool,
    /// Whether the whole covariance is needed: for Laplace, exact inference, and other answers than plain ones about items by name.
    pub needs_full: bool,
    /// Settings of kernel and hyperparameters that predictions average over besides the best.
    pub others: usize,
}

impl Size {
    /// So many items, all of them compared, and so many distinct answers, each about a pair of its own.
    pub fn new(items: usize, pairs: usize) -> Self {
        Self { items, pairs, table: items, answers: pairs, merged: pairs, ..Self::default() }
    }
}

/// A number.
pub(crate) const NUMBER: u64 = 8;
/// An item's name, in the table, in the index by name, and in the ranking that is printed.
pub(crate) const NAME: u64 = 320;
/// A feature of an item: in the table, as text while it is read, encoded, and encoded for the compared items.
pub(crate) const FEATURE: u64 = 64;
/// A side of a comparison that has columns: its item as it was given, and with its columns its identity and while they are joined.
const SIDE: u64 = 40;
/// A column of a side: as it was given, encoded, and joined with the item's features.
const COLUMN: u64 = 24;
/// A latent variable that a side depends on: its factor in the rows of all comparisons.
const VARIABLE: u64 = 24;
/// A component of a state in time: its precision and covariance with the one before, its messages, and the pairs while the pattern is gathered.
const STATE: u64 = 640;
/// An answer as it was given, and what it is sorted by while answers are merged.
const ANSWER: u64 = 32;
/// A distinct answer as it is kept.
const MERGED: u64 = 16;
/// A distinct pair as it is kept.
pub(crate) const PAIR: u64 = 8;
/// A site: two numbers.
pub(crate) const SITE: u64 = 2 * NUMBER;
/// Matrices of the size items x items, or features x items, that a fit holds at its peak, with its gradient.
pub(crate) const MATRICES: u64 = 6;
/// Those that a posterior keeps: the features, what makes features of others, and the factor of the precision.
const MATRICES_OF_A_POSTERIOR: u64 = 3;
/// A pair of a prior by features: projections over nodes and over items, the prior mean, what the features leave, and the pair in the lists of
/// its two nodes.
pub(crate) const FEATURES_OF_A_PAIR: u64 = 2 * PAIR + 2 * NUMBER + 2 * 40;

/// Tables and merged answers: held from the beginning to the end.
fn kept(size: &Size) -> u64 {
    let columns = size.columns as u64;
    let features = if size.sides == 0 { FEATURE * columns } else { 0 };
    size.table as u64 * (NAME + features)
        + size.sides as u64 * (SIDE + COLUMN * columns)
        + size.merged as u64 * MERGED
        + size.pairs as u64 * PAIR
}

/// Expectation propagation, whatever the prior: sites of the best setting and of this one, the history of their acceleration; sites summed by
/// pair, means and variances of the pairs; and the updates that a sweep holds at a time.
fn sweeps(size: &Size) -> u64 {
    let history = 2 * SITE * (ep::depth(size.merged) as u64 + 1);
    size.merged as u64 * (2 * SITE + history)
        + size.pairs as u64 * (SITE + 2 * NUMBER)
        + sweep::held(size.merged) as u64
}

/// The larger of merging the answers and of what `fit` takes afterwards, with what is always held.
fn peak(size: &Size, fit: u64) -> u64 {
    kept(size) + fit.max(size.answers as u64 * ANSWER)
}

/// Bytes of a fit with the whole covariance.
pub fn full(size: &Size) -> u64 {
    let (items, pairs) = (size.items as u64, size.pairs as u64);
    let nodes = items.min(pairs);
    let covariance = if nodes < items { items * items } else { 0 };
    // The best one, and what the last of the others is made of, are no more than a fit holds at its peak.
    let others = size.others as u64 * MATRICES_OF_A_POSTERIOR * nodes * items;
    let matrices = NUMBER * (MATRICES * nodes * nodes + covariance + others);
    let fit = matrices + sweeps(size) + pairs * FEATURES_OF_A_PAIR;
    peak(size, fit + size.draws.map_or(0, |draws| drawn(size, draws)))
}

/// The draws of exact inference: of the noisy differences, of their sums by pair, twice while they are saved, and of the weights that
/// follow; and the covariance of the differences with its factor.
fn drawn(size: &Size, (answers, draws): (usize, usize)) -> u64 {
    let (answers, pairs) = (answers as u64, size.pairs as u64);
    let rank = (size.items as u64).min(pairs);
    NUMBER * (draws as u64 * (answers + 2 * pairs + rank) + 3 * answers * answers)
}

/// Bytes of a fit with so many features of low rank.
pub fn low_rank(size: &Size, features: usize) -> u64 {
    let features = features.min(size.items);
    let matrices = NUMBER * MATRICES * (size.items * features) as u64;
    peak(size, matrices + sweeps(size) + size.pairs as u64 * FEATURES_OF_A_PAIR)
}

/// Bytes of a fit with a sparse precision whose variances come by messages: the graph, the precision, two messages a pair, sums over blocks
/// of pairs, and the vectors of conjugate gradients.
pub fn messages(size: &Size) -> u64 {
    if size.sides > 0 {
        let states = STATE * (size.states * size.states) as u64;
        let of_a_side = 2 * NUMBER + VARIABLE * (1 + size.columns as u64) + states;
        return peak(size, size.items as u64 * of_a_side + sweeps(size));
    }
    let (items, pairs) = (size.items as u64, size.pairs as u64);
    let blocks = graph::blocks(size.items, size.pairs) as u64;
    let fit = pairs * (PAIR + NUMBER + 2 * NUMBER) + items * NUMBER * (2 * blocks + 12);
    peak(size, fit + sweeps(size))
}

/// Bytes that a sparse Cholesky factor of so many entries takes besides: the entries of the factor and of the inverse, a dense front, and the
/// pattern of the matrix.
pub fn factor(size: &Size, entries: usize) -> u64 {
    // The variables behind sides are what is joined, not the sides: no more than the factor has entries.
    let nodes = if size.sides == 0 { size.items } else { size.items.min(entries) };
    let pairs = if size.sides == 0 { size.pairs } else { size.pairs.min(entries) };
    let pattern = pairs as u64 * 7 * NUMBER + nodes as u64 * 12 * NUMBER;
    3 * NUMBER * entries as u64 + pattern
}

/// Bytes of a streaming model with so many basis points and answers kept: the comparisons in their order, the belief and what changes with it,
/// the kept answers' features and what learning makes of them.
pub fn streaming(size: &Size, basis: usize, keep: usize) -> u64 {
    let (basis, keep) = (basis.min(size.items) as u64, keep.min(size.answers.max(size.merged)) as u64);
    let comparisons = 4 * NUMBER * size.answers as u64;
    let features = size.columns as u64 * NUMBER * size.items as u64;
    peak(size, comparisons + features + NUMBER * (22 * basis * basis + keep * (4 * basis + 5 * keep + 32)))
}

/// An error if that is more than is allowed.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn allow(needed: u64, allowed: u64) -> Result<(), Error> {
    if needed > allowed { Err(Error::Memory { needed, allowed }) } else { Ok(()) }
}

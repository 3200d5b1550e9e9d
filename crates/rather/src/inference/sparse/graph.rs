//! Items as the nodes of a graph, and who is joined with whom.

use std::sync::Arc;

use crate::linalg::sparse::SparsePattern;
use crate::parallel;

/// What a sparse Cholesky factorisation may cost before message passing takes its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Floating-point operations of a sweep.
    pub work: f64,
    /// Bytes of the factor and of the inverse's entries.
    pub bytes: usize,
}

impl Limits {
    /// Nothing is factorised: messages are passed whatever the graph.
    pub const MESSAGES: Self = Self { work: 0.0, bytes: 0 };

    /// The usual ones, and no more than a quarter of what a fit may take.
    pub fn within(memory: u64) -> Self {
        let usual = Self::default();
        Self { bytes: usual.bytes.min(usize::try_from(memory / 4).unwrap_or(usize::MAX)), ..usual }
    }
}

impl Default for Limits {
    /// About two seconds and half a gigabyte.
    fn default() -> Self {
        Self { work: 3e10, bytes: 1 << 29 }
    }
}

/// A graph over nodes, each edge once, with the means to solve for precisions that live on it.
#[derive(Debug)]
pub struct Graph {
    /// The two ends of each edge.
    pub(super) ends: Vec<(usize, usize)>,
    /// The slots of node `i` are `start[i]..start[i + 1]`.
    pub(super) start: Vec<usize>,
    /// One a node and edge of it.
    pub(super) slots: Vec<Slot>,
    /// The two slots of each edge, in the order of its ends.
    pub(super) slots_of: Vec<(u32, u32)>,
    /// How to factorise, if that is within the limits.
    pub(super) pattern: Option<Arc<SparsePattern>>,
    /// Entries of the Cholesky factor, whether within the limits or not; 0 if nobody asked.
    entries: usize,
}

/// One end of an edge, as its node sees it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slot {
    /// The node at the other end.
    pub(super) other: u32,
    /// The edge.
    pub(super) edge: u32,
    /// The other end's slot.
    pub(super) back: u32,
}

/// Nodes or edges that a thread is worth waking up for.
const MANY: usize = 2048;
/// Terms that are added up in one go, so that a sum does not depend on the number of threads.
const BLOCK: usize = 8192;

impl Graph {
    /// The graph of `nodes` nodes with the given edges. `None` if it has more of either than 32 bits count.
    pub fn new(nodes: usize, ends: Vec<(usize, usize)>, limits: &Limits) -> Option<Self> {
        u32::try_from(nodes).ok()?;
        u32::try_from(2 * ends.len()).ok()?;
        let mut start = vec![0; nodes + 1];
        for &(i, j) in &ends {
            start[i + 1] += 1;
            start[j + 1] += 1;
        }
        (0..nodes).for_each(|i| start[i + 1] += start[i]);
        let mut next = start.clone();
        let mut take = |i: usize| {
            next[i] += 1;
            next[i] - 1
        };
        let mut slots = vec![Slot::default(); 2 * ends.len()];
        let mut slots_of = Vec::with_capacity(ends.len());
        for (e, &(i, j)) in ends.iter().enumerate() {
            let (at_i, at_j) = (take(i), take(j));
            slots[at_i] = Slot { other: j as u32, edge: e as u32, back: at_j as u32 };
            slots[at_j] = Slot { other: i as u32, edge: e as u32, back: at_i as u32 };
            slots_of.push((at_i as u32, at_j as u32));
        }
        // Finding the pattern of a large factor takes seconds.
        let pattern = if limits.bytes == 0 { None } else { SparsePattern::new(nodes, &ends) };
        let entries = pattern.as_ref().map_or(0, SparsePattern::entries);
        let within = |p: &SparsePattern| {
            p.entries() <= limits.bytes / (2 * size_of::<f64>()) && p.work() <= limits.work
        };
        Some(Self { pattern: pattern.filter(within).map(Arc::new), ends, start, slots, slots_of, entries })
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.start.len() - 1
    }

    /// The edge between two nodes, if there is one.
    pub fn edge(&self, i: usize, j: usize) -> Option<usize> {
        let of = |i: usize| &self.slots[self.start[i]..self.start[i + 1]];
        let (from, to) = if of(i).len() <= of(j).len() { (i, j) } else { (j, i) };
        of(from).iter().find(|slot| slot.other as usize == to).map(|slot| slot.edge as usize)
    }

    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.ends.len()
    }

    /// Whether precisions on this graph are factorised; else messages are passed.
    pub fn is_exact(&self) -> bool {
        self.pattern.is_some()
    }

    /// Number of entries that a Cholesky factor has or would have; 0 under [`Limits::MESSAGES`].
    pub fn entries(&self) -> usize {
        self.entries
    }

    /// The values of edges, one a slot.
    pub(super) fn at_slots(&self, of_edges: &[f64]) -> Vec<f64> {
        each(self.slots.len(), |s| of_edges[self.slots[s].edge as usize])
    }

    /// A value for every node.
    pub(super) fn each_node(&self, f: impl Fn(usize) -> f64 + Send + Sync) -> Vec<f64> {
        each(self.nodes(), f)
    }

    /// A value for every edge.
    pub(super) fn each_edge(&self, f: impl Fn(usize) -> f64 + Send + Sync) -> Vec<f64> {
        each(self.edges(), f)
    }
}

/// `f` of the numbers below `n`.
pub(super) fn each(n: usize, f: impl Fn(usize) -> f64 + Send + Sync) -> Vec<f64> {
    parallel::map(n, MANY, f)
}

/// The sum of `f` over the numbers below `n`, the same for any number of threads.
pub(super) fn sum(n: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    let block = |b: usize| (b * BLOCK..n.min((b + 1) * BLOCK)).map(&f).sum::<f64>();
    parallel::map(n.div_ceil(BLOCK), 1, block).iter().sum()
}

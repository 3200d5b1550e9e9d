//! Items as the nodes of a graph, and who is joined with whom.

use std::sync::Arc;

use rather_numerics::linalg::sparse::SparsePattern;
use rather_numerics::parallel;
use rather_numerics::random::{stream, uniform};

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

    /// The usual ones, in `memory` bytes that nothing else takes: two thirds of them for the factor and the inverse, the rest for the dense
    /// front ([`memory::factor`](crate::memory::factor)).
    pub fn within(memory: u64) -> Self {
        let usual = Self::default();
        let bytes = usize::try_from(memory / 3 * 2).unwrap_or(usize::MAX);
        if bytes == 0 { Self::MESSAGES } else { Self { bytes: usual.bytes.min(bytes), ..usual } }
    }
}

impl Default for Limits {
    /// About two seconds and half a gigabyte.
    fn default() -> Self {
        Self { work: 3e10, bytes: 1 << 29 }
    }
}

/// A graph over nodes, each edge once, with the means to solve for precisions that live on it. It holds eight bytes an edge: what belongs
/// to the nodes is summed over blocks of edges, so that no list of a node's edges is needed.
#[derive(Debug)]
pub struct Graph {
    nodes: usize,
    /// The two ends of each edge, in increasing order.
    pub(super) ends: Vec<(u32, u32)>,
    /// How to factorise, if that is within the limits.
    pub(super) pattern: Option<Arc<SparsePattern>>,
    /// Entries of the Cholesky factor, whether within the limits or not; 0 if nobody asked.
    entries: usize,
}

/// Pairs of edges at one node that are looked at for triangles, and the share of them that are few.
const WEDGES: usize = 256;
const FEW_CLOSED: usize = 20;
/// Nodes or edges that a thread is worth waking up for.
const MANY: usize = 2048;
/// Terms that are added up in one go, so that a sum does not depend on the number of threads.
const BLOCK: usize = 8192;
/// Blocks of edges whose sums over nodes are held at a time: each has two numbers a node.
const BLOCKS: usize = 16;

impl Graph {
    /// The graph of `nodes` nodes with the given edges, in increasing order. `None` if they are not, or there are more of either than 32
    /// bits count.
    pub fn new(nodes: usize, ends: Vec<(u32, u32)>, limits: &Limits) -> Option<Self> {
        u32::try_from(nodes).ok()?;
        u32::try_from(ends.len()).ok()?;
        let below = |&(i, j): &(u32, u32)| i != j && (i.max(j) as usize) < nodes;
        if !(ends.is_sorted_by(|a, b| a < b) && ends.iter().all(below)) {
            return None;
        }
        // Finding the pattern of a large factor takes seconds.
        let pattern = if limits.bytes == 0 { None } else { SparsePattern::new(nodes, &ends) };
        let entries = pattern.as_ref().map_or(0, SparsePattern::entries);
        let within = |p: &SparsePattern| {
            p.entries() <= limits.bytes / (2 * size_of::<f64>()) && p.work() <= limits.work
        };
        Some(Self { nodes, pattern: pattern.filter(within).map(Arc::new), ends, entries })
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The edge between two nodes, if there is one.
    pub fn edge(&self, i: usize, j: usize) -> Option<usize> {
        let [i, j] = [i, j].map(|i| u32::try_from(i).ok());
        let (i, j) = (i?, j?);
        self.ends.binary_search(&(i, j)).or_else(|_| self.ends.binary_search(&(j, i))).ok()
    }

    /// Whether two nodes that are joined with a third one are hardly ever joined with each other, by a sample drawn under `seed`; `false` if there are hardly
    /// any such.
    pub(crate) fn has_few_triangles(&self, seed: u64) -> bool {
        let mut rng = stream(seed, 2);
        let mut below = |n: usize| (uniform(&mut rng) * n as f64) as usize;
        let (mut open, mut closed) = (0, 0);
        for _ in 0..WEDGES {
            let (i, j) = self.ends[below(self.edges())];
            let first = self.ends.partition_point(|e| e.0 < i);
            let of_first = self.ends[first..].partition_point(|e| e.0 == i);
            let (_, k) = self.ends[first + below(of_first)];
            if k != j {
                *(if self.edge(j as usize, k as usize).is_some() { &mut closed } else { &mut open }) += 1;
            }
        }
        open >= WEDGES / 2 && closed <= open / FEW_CLOSED
    }

    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.ends.len()
    }

    /// The two ends of an edge.
    pub(super) fn ends_of(&self, edge: usize) -> (usize, usize) {
        let (i, j) = self.ends[edge];
        (i as usize, j as usize)
    }

    /// Whether precisions on this graph are factorised; else messages are passed.
    pub fn is_exact(&self) -> bool {
        self.pattern.is_some()
    }

    /// Floating-point operations of a sweep by the factor; 0 where messages are passed.
    pub(crate) fn work(&self) -> f64 {
        self.pattern.as_ref().map_or(0.0, |pattern| pattern.work())
    }

    /// Whether a factor takes many operations for each of its entries: not of a tree.
    pub(crate) fn is_wide(&self) -> bool {
        self.pattern.as_ref().is_some_and(|pattern| pattern.is_wide())
    }

    /// The same graph, on which messages are passed.
    pub(super) fn by_messages(&self) -> Self {
        Self { nodes: self.nodes, ends: self.ends.clone(), pattern: None, entries: self.entries }
    }

    /// Number of entries that a Cholesky factor has or would have; 0 under [`Limits::MESSAGES`].
    pub fn entries(&self) -> usize {
        self.entries
    }

    /// A value for every node.
    pub(super) fn each_node(&self, f: impl Fn(usize) -> f64 + Send + Sync) -> Vec<f64> {
        each(self.nodes(), f)
    }

    /// Edges of a block. It depends on the graph alone, and so does the order in which anything is summed: not on the threads. As few
    /// blocks as nodes allow: together they hold no more numbers than there are edges.
    pub(super) fn block(&self) -> usize {
        self.edges().div_ceil(blocks(self.nodes, self.edges())).max(BLOCK)
    }

    /// What every node has of its own, and gets through its edges: `add` tells for an edge what its first end gets and what its second.
    pub(super) fn gather(
        &self,
        own: impl Fn(usize) -> f64 + Send + Sync,
        add: impl Fn(usize) -> (f64, f64) + Sync,
    ) -> Vec<f64> {
        self.gather_beside(&vec![0.0; self.nodes], own, |e, _, _| add(e))
    }

    /// As [`Graph::gather`], where what an edge gives depends on the numbers of its two ends.
    pub(super) fn gather_beside(
        &self,
        values: &[f64],
        own: impl Fn(usize) -> f64 + Send + Sync,
        add: impl Fn(usize, f64, f64) -> (f64, f64) + Sync,
    ) -> Vec<f64> {
        let block = self.block();
        let sums = parallel::map(self.edges().div_ceil(block), 1, |b| {
            let mut nodes = Beside::new(values);
            let until = self.edges().min((b + 1) * block);
            let mut next = b * block;
            // Edges stand in the order of their first ends, whose sums stay in a register.
            for edges in self.ends[next..until].chunk_by(|a, b| a.0 == b.0) {
                let i = edges[0].0 as usize;
                let (of_first, mut sum) = (nodes.value(i), 0.0);
                for (e, &(_, j)) in (next..).zip(edges) {
                    let (first, second) = add(e, of_first, nodes.value(j as usize));
                    sum += first;
                    nodes.add(j as usize, second);
                }
                nodes.add(i, sum);
                next += edges.len();
            }
            nodes
        });
        self.added(own, &sums)
    }

    /// What every node has of its own, and the sums of the blocks.
    pub(super) fn added(&self, own: impl Fn(usize) -> f64 + Send + Sync, blocks: &[Beside]) -> Vec<f64> {
        self.each_node(|i| own(i) + blocks.iter().map(|nodes| nodes.0[i][1]).sum::<f64>())
    }
}

/// A number of each node, and beside it the sum of what edges give: where nodes are more than fit into a near cache, both come with one look.
pub(super) struct Beside(Vec<[f64; 2]>);

impl Beside {
    /// These numbers, and no sums.
    pub(super) fn new(values: &[f64]) -> Self {
        Self(values.iter().map(|&value| [value, 0.0]).collect())
    }

    /// The number of a node.
    #[inline]
    pub(super) fn value(&self, node: usize) -> f64 {
        self.0[node][0]
    }

    /// Adds to the sum of a node.
    #[inline]
    pub(super) fn add(&mut self, node: usize, amount: f64) {
        self.0[node][1] += amount;
    }
}

/// Blocks of the edges of a graph, at most.
pub(crate) fn blocks(nodes: usize, edges: usize) -> usize {
    (edges / nodes.max(1) / 2).clamp(2, BLOCKS)
}

/// `f` of the numbers below `n`.
pub(super) fn each(n: usize, f: impl Fn(usize) -> f64 + Send + Sync) -> Vec<f64> {
    each_into(Vec::new(), n, f)
}

/// As [`each`], in memory that is there.
pub(super) fn each_into(out: Vec<f64>, n: usize, f: impl Fn(usize) -> f64 + Send + Sync) -> Vec<f64> {
    parallel::map_into(out, n, MANY, f)
}

/// The sum of `f` over the numbers below `n`, the same for any number of threads.
pub(in crate::inference) fn sum(n: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    let block = |b: usize| (b * BLOCK..n.min((b + 1) * BLOCK)).map(&f).sum::<f64>();
    parallel::map(n.div_ceil(BLOCK), 1, block).iter().sum()
}

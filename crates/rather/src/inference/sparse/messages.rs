//! Gaussian belief propagation: marginal variances and the log determinant of a precision on a graph, by messages along edges.
//!
//! An edge of weight `w` is a spring between its ends. What node `i` tells `j` through it is a precision,
//! `w p / (w + p)` with `p` all that holds `i` besides this edge. For `Q = diag(d) + Laplacian` with `d > 0` the messages
//! converge whatever the graph, for `Q` is diagonally dominant (walk-summable: Malioutov, Johnson and Willsky 2006). On a tree the
//! marginals are exact; with loops they are those of the tree of all walks from a node, so that long loops hardly matter.

use super::graph::{Graph, sum};
use crate::{parallel, watch};

/// Messages that have settled: `at[s]` is the precision that slot `s` hears from its other end.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Messages {
    at: Vec<f64>,
    /// `P_i`: the marginal precision of each node.
    node: Vec<f64>,
}

/// The largest relative change of a message that counts as none.
const TOLERANCE: f64 = 1e-12;
/// Rounds after which messages are taken as they are: along chains longer than this they have hardly any effect.
const ROUNDS: usize = 1000;
/// Messages that one thread passes at a time.
const CHUNK: usize = 4096;

impl Messages {
    /// The messages for `Q = diag(d) + sum_e w_e (u_i - u_j)(u_i - u_j)'`, starting from earlier ones. `diagonal` must be
    /// positive, `at_slot` (the weights, one a slot) not negative.
    pub(super) fn settle(graph: &Graph, diagonal: &[f64], at_slot: &[f64], earlier: Option<Self>) -> Self {
        let start = earlier.map_or(Vec::new(), |m| m.at);
        let mut at = if start.len() == at_slot.len() { start } else { vec![0.0; at_slot.len()] };
        let mut next = vec![0.0; at_slot.len()];
        let mut node = precisions(graph, diagonal, &at);
        for _ in 0..ROUNDS {
            let change = |s: usize, new: &mut f64| {
                let slot = graph.slots[s];
                let held = node[slot.other as usize] - at[slot.back as usize];
                let w = at_slot[s];
                *new = if w > 0.0 { w * held / (w + held) } else { 0.0 };
                (*new - at[s]).abs() / new.max(f64::MIN_POSITIVE)
            };
            let chunk = |chunk: usize, new: &mut [f64]| {
                let each = new.iter_mut().zip(chunk * CHUNK..).map(|(new, s)| change(s, new));
                each.fold(0.0, f64::max)
            };
            let largest = parallel::map_chunks(&mut next, CHUNK, chunk).into_iter().fold(0.0, f64::max);
            std::mem::swap(&mut at, &mut next);
            node = precisions(graph, diagonal, &at);
            if largest <= TOLERANCE || watch::ends() {
                break;
            }
        }
        Self { at, node }
    }

    /// The marginal variance of each node, `1 / P_i`.
    pub fn node_variances(&self) -> Vec<f64> {
        self.node.iter().map(|p| 1.0 / p).collect()
    }

    /// The marginal variance of the difference along each edge: with `r = 1/a + 1/b`, `r / (1 + w r)`, for the precisions `a`, `b`
    /// that its ends have without it.
    pub(super) fn edge_variances(&self, graph: &Graph, weights: &[f64]) -> Vec<f64> {
        graph.each_edge(|e| {
            let (a, b) = self.without(graph, e);
            let r = 1.0 / a + 1.0 / b;
            r / (1.0 + weights[e] * r)
        })
    }

    /// The Bethe approximation of `log |Q|`, exact on trees:
    /// `sum_i log P_i + sum_e [log(1 + w_e (1/a_e + 1/b_e)) + log(a_e / P_i) + log(b_e / P_j)]`.
    ///
    /// It is stationary in the messages, so its derivatives in `d` and `w` are the marginal variances.
    pub(super) fn log_det(&self, graph: &Graph, weights: &[f64]) -> f64 {
        let edge = |e: usize| {
            let (a, b) = self.without(graph, e);
            let (i, j) = graph.ends[e];
            (weights[e] * (1.0 / a + 1.0 / b)).ln_1p() + (a / self.node[i] * (b / self.node[j])).ln()
        };
        sum(graph.nodes(), |i| self.node[i].ln()) + sum(graph.edges(), edge)
    }

    /// The precisions of the two ends of edge `e` but for what they hear through it.
    fn without(&self, graph: &Graph, e: usize) -> (f64, f64) {
        let ((i, j), (at_i, at_j)) = (graph.ends[e], graph.slots_of[e]);
        (self.node[i] - self.at[at_i as usize], self.node[j] - self.at[at_j as usize])
    }
}

fn precisions(graph: &Graph, diagonal: &[f64], at: &[f64]) -> Vec<f64> {
    graph.each_node(|i| diagonal[i] + at[graph.start[i]..graph.start[i + 1]].iter().sum::<f64>())
}

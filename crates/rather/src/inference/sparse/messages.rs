//! Gaussian belief propagation: marginal variances and the log determinant of a precision on a graph, by messages along edges.
//!
//! An edge of weight `w` is a spring between its ends. What node `i` tells `j` through it is a precision,
//! `w p / (w + p)` with `p` all that holds `i` besides this edge. For `Q = diag(d) + Laplacian` with `d > 0` the messages
//! converge whatever the graph, for `Q` is diagonally dominant (walk-summable: Malioutov, Johnson and Willsky 2006). On a tree the
//! marginals are exact; with loops they are those of the tree of all walks from a node, so that long loops hardly matter.

use super::graph::{Beside, Graph, each_into, sum};
use rather_numerics::{parallel, watch};

/// Messages that have settled.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Messages {
    /// The precisions that the two ends of each edge hear through it, in their order.
    at: Vec<[f64; 2]>,
    /// `P_i`: the marginal precision of each node.
    node: Vec<f64>,
}

/// The largest relative change of a message that counts as none; and the share of the first round's change, from earlier messages, that is as good as none:
/// what is left is this much of what the messages were off.
const TOLERANCE: f64 = 1e-10;
const SHARE: f64 = 1e-3;
/// Edges whose shares of the determinant are multiplied before a logarithm is taken.
const FACTORS: usize = 8;
/// Rounds after which messages are taken as they are: along chains longer than this they have hardly any effect.
const ROUNDS: usize = 1000;

impl Messages {
    /// The messages for `Q = diag(d) + sum_e w_e (u_i - u_j)(u_i - u_j)'`, starting from earlier ones. `diagonal` must be
    /// positive, `weights` not negative.
    ///
    /// All messages of a round are those that follow from the last one's. The two along an edge depend on each other and on the sums at its
    /// ends only, so that new ones stand where the old ones did.
    pub(super) fn settle(graph: &Graph, diagonal: &[f64], weights: &[f64], earlier: Option<Self>) -> Self {
        let start = earlier.map_or(Vec::new(), |m| m.at);
        let is_cold = start.len() != weights.len();
        let mut at = if is_cold { vec![[0.0; 2]; weights.len()] } else { start };
        let mut node = graph.gather(|i| diagonal[i], |e| (at[e][0], at[e][1]));
        let block = graph.block();
        let mut enough = if is_cold { Some(TOLERANCE) } else { None };
        for _ in 0..ROUNDS {
            let round = parallel::map_chunks(&mut at, block, |b, at| {
                let mut moved = 0.0_f64;
                let mut nodes = Beside::new(&node);
                let first = b * block;
                let ends = &graph.ends[first..first + at.len()];
                let (mut at, mut weights) = (at, &weights[first..]);
                // Edges stand in the order of their first ends, whose sums stay in a register.
                for edges in ends.chunk_by(|a, b| a.0 == b.0) {
                    let i = edges[0].0 as usize;
                    let (of_first, mut sum) = (nodes.value(i), 0.0);
                    let (told, others) = std::mem::take(&mut at).split_at_mut(edges.len());
                    for (at, (&(_, j), &w)) in told.iter_mut().zip(edges.iter().zip(weights)) {
                        let through = |held: f64| if w > 0.0 { w * held / (w + held) } else { 0.0 };
                        let new = [through(nodes.value(j as usize) - at[1]), through(of_first - at[0])];
                        for (new, old) in new.iter().zip(&*at) {
                            let (change, size) = ((new - old).abs(), new.max(*old));
                            // Divided where it is the largest so far alone.
                            if change > moved * size {
                                moved = change / size;
                            }
                        }
                        *at = new;
                        sum += new[0];
                        nodes.add(j as usize, new[1]);
                    }
                    nodes.add(i, sum);
                    (at, weights) = (others, &weights[edges.len()..]);
                }
                (nodes, moved)
            });
            let (sums, moved): (Vec<Beside>, Vec<f64>) = round.into_iter().unzip();
            node = graph.added(|i| diagonal[i], &sums);
            let moved = moved.into_iter().fold(0.0, f64::max);
            if moved <= *enough.get_or_insert((SHARE * moved).max(TOLERANCE)) || watch::ends() {
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
    pub(super) fn edge_variances(&self, graph: &Graph, weights: &[f64], memory: Vec<f64>) -> Vec<f64> {
        each_into(memory, graph.edges(), |e| {
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
            let (i, j) = graph.ends_of(e);
            (a * b + weights[e] * (a + b)) / (self.node[i] * self.node[j])
        };
        // An edge's share is 1 + w^2 / (ab + wa + wb) where messages have settled, so that a few may be multiplied before the logarithm is taken.
        let few =
            |k: usize| (k * FACTORS..graph.edges().min((k + 1) * FACTORS)).map(edge).product::<f64>().ln();
        sum(graph.nodes(), |i| self.node[i].ln()) + sum(graph.edges().div_ceil(FACTORS), few)
    }

    /// The precisions of the two ends of edge `e` but for what they hear through it.
    fn without(&self, graph: &Graph, e: usize) -> (f64, f64) {
        let (i, j) = graph.ends_of(e);
        (self.node[i] - self.at[e][0], self.node[j] - self.at[e][1])
    }
}

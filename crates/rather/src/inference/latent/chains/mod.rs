//! Latent variables by messages: each item is smoothed along its own times, and comparisons exchange messages.
//!
//! The approximate posterior is a product of one Gaussian Markov chain an item, and one of what all items share. A comparison sees the marginals
//! of its sides without itself as independent, and answers each with a Gaussian message: Gaussian belief propagation on the graph of chains, exact
//! where that graph is a tree. A sweep goes through the comparisons in the order of their times and back, so that all that is known at a time is
//! there when it is needed; it costs a few small products a comparison. Absorbing new comparisons forwards only is filtering.
//!
//! # References
//! Dangauthier, Herbrich, Minka and Graepel, *TrueSkill through time* (2008); Maystre, Kristof and Grossglauser, *Pairwise comparisons with flexible
//! time-dynamics* (2019), section 3.

mod evidence;
mod filter;
mod level;
mod predict;
mod sweep;

pub use evidence::{Settled, begins};
pub use filter::Filter;
pub use sweep::Messages;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::joint::values;
use super::small;
use crate::inference::observations::Edge;
use crate::kernel::{Carrier, Kernel, Term};
use crate::points::Points;
use rather_numerics::linalg::Matrix;
use rather_numerics::order;

/// The chains behind the points of a fit, and which comparison touches which.
#[derive(Debug, Clone)]
pub struct Chains {
    shape: Arc<Shape>,
}

#[derive(Debug)]
struct Shape {
    terms: Vec<Term>,
    chains: Vec<Chain>,
    of_item: HashMap<u64, u32>,
    /// The chain of what does not depend on the item, if there is such a thing.
    shared: Option<u32>,
    /// The chain of each node, its time, and where its mean and its covariance stand.
    chain_of: Vec<u32>,
    times: Vec<f64>,
    means: Vec<usize>,
    covariances: Vec<usize>,
    touches: Touches,
    /// The touches of each node, one node after the other.
    node_begins: Vec<usize>,
    of_node: Vec<u32>,
    /// The projections in the order of their times.
    order: Vec<u32>,
}

/// Where projections touch chains.
#[derive(Debug)]
struct Touches {
    /// Those of each projection, one after the other.
    begins: Vec<usize>,
    node: Vec<u32>,
    /// Where the factors of each touch begin: the utility's difference is their product with the node's state.
    at: Vec<usize>,
    factors: Vec<f64>,
}

/// The states of an item, or of what is shared, at its times.
#[derive(Debug, Clone)]
struct Chain {
    nodes: Range<usize>,
    dim: usize,
    parts: Vec<Part>,
}

/// A group of a term in a chain.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    term: usize,
    levels: Vec<u64>,
    /// Its place in the state.
    offset: usize,
    /// Where its process starts, if it does.
    start: f64,
}

/// The chains at one setting of the kernel's parameters.
#[derive(Debug, Clone)]
pub struct ChainsPrior {
    chains: Chains,
    parameters: Vec<f64>,
    /// The transition to each node, and the covariance of what is new there.
    transitions: Vec<f64>,
    noises: Vec<f64>,
}

impl Touches {
    fn of(&self, edge: usize) -> Range<usize> {
        self.begins[edge]..self.begins[edge + 1]
    }

    fn factors(&self, touch: usize) -> &[f64] {
        &self.factors[self.at[touch]..self.at[touch + 1]]
    }
}

/// Chains while they are built: the times of each, and its parts.
#[derive(Default)]
struct Draft {
    times: Vec<f64>,
    parts: Vec<Part>,
    dim: usize,
}

impl Draft {
    /// The part of a term's group, a new one if it is new.
    fn part(&mut self, term: usize, levels: Vec<u64>, start: f64, order: usize) -> usize {
        let known = self.parts.iter().position(|part| part.term == term && part.levels == levels);
        known.unwrap_or_else(|| {
            self.parts.push(Part { term, levels, offset: self.dim, start });
            self.dim += order;
            self.parts.len() - 1
        })
    }
}

impl Chains {
    /// The comparisons `edges` between `points`; `None` if the kernel has no such form: with processes along more than one column, or comparisons
    /// of one item at two times, or of teams.
    pub fn new(kernel: &Kernel, points: &Points, edges: &[Edge]) -> Option<Self> {
        if points.are_teams() {
            return None;
        }
        let terms = kernel.latent()?;
        let (own, column) = time_column(&terms, true)?;
        let (common, other) = time_column(&terms, false)?;
        if column.is_some() && other.is_some() && column != other {
            return None;
        }
        let mut of_item: HashMap<u64, u32> = HashMap::new();
        let mut drafts: Vec<Draft> = Vec::new();
        let mut item_chain = vec![u32::MAX; if own { points.len() } else { 0 }];
        for (i, chain) in item_chain.iter_mut().enumerate() {
            let next = drafts.len() as u32;
            *chain = *of_item.entry(points.id(i)).or_insert(next);
            if *chain == next {
                drafts.push(Draft::default());
            }
        }
        let shared = common.then_some(drafts.len() as u32);
        drafts.extend(common.then(Draft::default));
        // Only parts of points that are compared are there.
        for i in 0..points.len() {
            for (t, term) in terms.iter().enumerate() {
                let chain = if term.by_item { item_chain[i] } else { shared? };
                let draft = &mut drafts[chain as usize];
                draft.part(t, term.level_bits(points, i), term.start(points, i), term.order());
            }
            if let Some(column) = column {
                drafts[item_chain[i] as usize].times.push(points.row(i)[column]);
            }
            if let (Some(column), Some(shared)) = (other, shared) {
                drafts[shared as usize].times.push(points.row(i)[column]);
            }
        }
        let mut shape = Shape {
            terms,
            chains: Vec::new(),
            of_item,
            shared,
            chain_of: Vec::new(),
            times: Vec::new(),
            means: vec![0],
            covariances: vec![0],
            touches: Touches { begins: vec![0], node: Vec::new(), at: vec![0], factors: Vec::new() },
            node_begins: Vec::new(),
            of_node: Vec::new(),
            order: Vec::new(),
        };
        drafts.into_iter().for_each(|draft| shape.add_chain(draft));
        for edge in edges {
            shape.add_touches(points, edge)?;
        }
        shape.index_nodes();
        let time = |e: &u32| {
            let edge = &edges[*e as usize];
            column.or(other).map_or(0.0, |column| points.row(edge.plus())[column])
        };
        shape.order = (0..edges.len() as u32).collect();
        order::sort_ascending(&mut shape.order, time);
        shape.is_in_order().then(|| Self { shape: Arc::new(shape) })
    }

    /// The chains under a kernel of the same form.
    pub fn prior(&self, kernel: &Kernel) -> Option<ChainsPrior> {
        let shape = &self.shape;
        let parameters = values(kernel);
        let size = shape.covariances[shape.chain_of.len()];
        let (mut transitions, mut noises) = (vec![0.0; size], vec![0.0; size]);
        for chain in &shape.chains {
            for n in chain.nodes.clone() {
                let before = (n > chain.nodes.start).then(|| shape.times[n - 1]);
                let at = shape.covariances[n]..shape.covariances[n + 1];
                let (a, q) = (&mut transitions[at.clone()], &mut noises[at]);
                shape.step(chain, &parameters, before, shape.times[n], a, q);
            }
        }
        let finite = noises.iter().all(|x| x.is_finite());
        finite.then(|| ChainsPrior { chains: self.clone(), parameters, transitions, noises })
    }
}

impl Term {
    /// The levels of a point in the columns of the term.
    fn level_bits(&self, points: &Points, i: usize) -> Vec<u64> {
        let row = points.row(i);
        self.levels.iter().map(|&column| row[column].to_bits()).collect()
    }

    fn start(&self, points: &Points, i: usize) -> f64 {
        self.time(points, i).map_or(f64::NEG_INFINITY, |(_, start)| start)
    }
}

/// Whether there are terms of items (or of what they share), and along which column they move. `None` for more than one.
fn time_column(terms: &[Term], by_item: bool) -> Option<(bool, Option<usize>)> {
    let of_kind = || terms.iter().filter(|term| term.by_item == by_item);
    let mut columns = of_kind().filter_map(|term| match term.carrier {
        Carrier::Process { column, .. } => Some(column),
        _ => None,
    });
    let first = columns.next();
    columns.all(|column| Some(column) == first).then(|| (of_kind().next().is_some(), first))
}

impl Shape {
    fn add_chain(&mut self, Draft { mut times, parts, dim }: Draft) {
        times.sort_by(f64::total_cmp);
        times.dedup();
        if times.is_empty() {
            times.push(0.0);
        }
        let first = self.chain_of.len();
        for time in &times {
            self.chain_of.push(self.chains.len() as u32);
            self.times.push(*time);
            self.means.push(self.means[self.means.len() - 1] + dim);
            self.covariances.push(self.covariances[self.covariances.len() - 1] + dim * dim);
        }
        self.chains.push(Chain { nodes: first..first + times.len(), dim, parts });
    }

    /// The chains that a point is of, each with the point's factors and its time there.
    fn states_of(&self, points: &Points, i: usize) -> impl Iterator<Item = (u32, Vec<f64>, f64)> {
        let item = self.of_item.get(&points.id(i)).copied().map(|chain| (chain, true));
        let chains = [item, self.shared.map(|chain| (chain, false))].into_iter().flatten();
        let states: Vec<_> = chains
            .map(|(chain, by_item)| {
                let Chain { dim, parts, .. } = &self.chains[chain as usize];
                let (mut factors, mut time) = (vec![0.0; *dim], 0.0);
                for (t, term) in self.terms.iter().enumerate().filter(|(_, term)| term.by_item == by_item) {
                    let levels = term.level_bits(points, i);
                    let part = parts.iter().find(|part| part.term == t && part.levels == levels);
                    if let Carrier::Process { column, .. } = term.carrier {
                        time = points.row(i)[column];
                    }
                    let Some(part) = part else { continue };
                    term.factors(points, i, &mut factors[part.offset..]);
                }
                (chain, factors, time)
            })
            .collect();
        states.into_iter()
    }

    fn node_at(&self, chain: u32, time: f64) -> Option<usize> {
        let nodes = self.chains[chain as usize].nodes.clone();
        if nodes.len() == 1 && self.is_still(chain) {
            return Some(nodes.start);
        }
        let at = self.times[nodes.clone()].partition_point(|&known| known < time);
        (at < nodes.len() && self.times[nodes.start + at] == time).then_some(nodes.start + at)
    }

    /// Whether nothing in a chain moves.
    fn is_still(&self, chain: u32) -> bool {
        let parts = &self.chains[chain as usize].parts;
        parts.iter().all(|part| !matches!(self.terms[part.term].carrier, Carrier::Process { .. }))
    }

    fn add_touches(&mut self, points: &Points, edge: &Edge) -> Option<()> {
        let mut touched: Vec<(usize, Vec<f64>)> = Vec::new();
        let ends = [Some((edge.plus(), 1.0)), edge.minus().map(|minus| (minus, -1.0))];
        for (i, sign) in ends.into_iter().flatten() {
            for (chain, factors, time) in self.states_of(points, i) {
                let node = self.node_at(chain, time)?;
                match touched.iter_mut().find(|(known, _)| *known == node) {
                    Some((_, sum)) => sum.iter_mut().zip(&factors).for_each(|(s, f)| *s += sign * f),
                    None => touched.push((node, factors.iter().map(|f| sign * f).collect())),
                }
            }
        }
        touched.retain(|(_, factors)| factors.iter().any(|f| *f != 0.0));
        let chains: Vec<u32> = touched.iter().map(|(node, _)| self.chain_of[*node]).collect();
        if (1..chains.len()).any(|k| chains[..k].contains(&chains[k])) {
            return None;
        }
        for (node, factors) in touched {
            self.touches.node.push(node as u32);
            self.touches.factors.extend(factors);
            self.touches.at.push(self.touches.factors.len());
        }
        self.touches.begins.push(self.touches.node.len());
        Some(())
    }

    fn index_nodes(&mut self) {
        let nodes = self.chain_of.len();
        let mut begins = vec![0; nodes + 1];
        self.touches.node.iter().for_each(|&n| begins[n as usize + 1] += 1);
        (0..nodes).for_each(|n| begins[n + 1] += begins[n]);
        let mut next = begins.clone();
        self.of_node = vec![0; self.touches.node.len()];
        for (touch, &n) in self.touches.node.iter().enumerate() {
            self.of_node[next[n as usize]] = touch as u32;
            next[n as usize] += 1;
        }
        self.node_begins = begins;
    }

    /// Whether no chain is touched at an earlier time after a later one.
    fn is_in_order(&self) -> bool {
        let mut latest = vec![0; self.chains.len()];
        self.order.iter().all(|&e| {
            self.touches.of(e as usize).all(|touch| {
                let node = self.touches.node[touch] as usize;
                let last = &mut latest[self.chain_of[node] as usize];
                std::mem::replace(last, node) <= node
            })
        })
    }

    fn touches_of(&self, node: usize) -> &[u32] {
        &self.of_node[self.node_begins[node]..self.node_begins[node + 1]]
    }

    fn chain(&self, node: usize) -> &Chain {
        &self.chains[self.chain_of[node] as usize]
    }

    /// The transition of a chain from one time to another and the covariance of what is new; without a time before, the covariance at the start.
    fn step(
        &self,
        chain: &Chain,
        parameters: &[f64],
        before: Option<f64>,
        time: f64,
        transition: &mut [f64],
        noise: &mut [f64],
    ) {
        let d = chain.dim;
        transition.fill(0.0);
        noise.fill(0.0);
        for part in &chain.parts {
            let term = &self.terms[part.term];
            match (term.dynamics(parameters), before) {
                (Some(dynamics), Some(before)) => {
                    // A process that has not started yet stays where it is.
                    let dt = time.max(part.start) - before.max(part.start);
                    put(transition, d, part.offset, &dynamics.transition(dt));
                    put(noise, d, part.offset, &dynamics.noise(dt));
                }
                (Some(dynamics), None) => {
                    put(noise, d, part.offset, &dynamics.initial((time - part.start).max(0.0)));
                }
                (None, before) => {
                    for (k, variance) in term.variances(parameters).into_iter().enumerate() {
                        let at = (part.offset + k) * (d + 1);
                        let (place, value) = if before.is_some() {
                            (&mut transition[at], 1.0)
                        } else {
                            (&mut noise[at], variance)
                        };
                        *place = value;
                    }
                }
            }
        }
    }
}

impl Term {
    /// What multiplies the variables of a point's group.
    fn factors(&self, points: &Points, i: usize, out: &mut [f64]) {
        match &self.carrier {
            Carrier::One | Carrier::Process { .. } => out[0] = 1.0,
            Carrier::Weights { columns, .. } => {
                out.iter_mut().zip(columns).for_each(|(f, &column)| *f = points.row(i)[column]);
            }
        }
    }
}

/// Writes a block onto the diagonal of a `d` x `d` matrix.
fn put(to: &mut [f64], d: usize, offset: usize, block: &Matrix) {
    for i in 0..block.rows() {
        for j in 0..block.rows() {
            to[(offset + i) * d + offset + j] = block[(i, j)];
        }
    }
}

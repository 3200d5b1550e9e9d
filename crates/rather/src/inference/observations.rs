//! Observations: answers merged, and the items they are about.
//!
//! Only items that occur in an answer enter inference; the others are predictions. Comparisons of the
//! same two items share a projection ([`Edge`]), so do labels of the same item, and identical answers share one site with
//! a count.

use std::collections::HashMap;

use crate::likelihood::Answer;
use crate::{Comparison, Label};

/// A projection of the nodes' values: `f[plus] - f[minus]`, or `f[plus]` alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The node that counts positively.
    pub plus: usize,
    /// The node that counts negatively, if any.
    pub minus: Option<usize>,
}

/// One merged answer: a factor on `sign * z[edge]`, `count` times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// Index of the projection.
    pub edge: usize,
    /// 1 or -1.
    pub sign: f64,
    /// Number of identical answers that this observation stands for.
    pub count: f64,
    /// What kind of answer it is.
    pub answer: Answer,
}

/// The answers of one fit: which items they touch, the distinct projections, the merged observations.
#[derive(Debug, Clone, PartialEq)]
pub struct Observations {
    /// The items that answers are about, as numbered in their table, in increasing order.
    pub items: Vec<usize>,
    /// The distinct projections, as positions in `items`: pairs, then single items.
    pub edges: Vec<Edge>,
    /// The merged answers: comparisons, then labels.
    pub merged: Vec<Observation>,
}

impl Observations {
    /// Merges comparisons. The order of the result depends on the set of comparisons only, not on theirs.
    pub fn new(comparisons: &[Comparison]) -> Self {
        Self::mixed(comparisons, &[])
    }

    /// Merges class labels, as [`Observations::new`].
    pub fn labels(labels: &[Label]) -> Self {
        Self::mixed(&[], labels)
    }

    /// Merges comparisons and class labels of the same items.
    pub fn mixed(comparisons: &[Comparison], labels: &[Label]) -> Self {
        let duels = comparisons.iter().map(|c| ((c.winner, c.loser), c.count));
        let mut duels = counted(duels);
        duels.sort_unstable_by_key(|&((winner, loser), _)| (winner.min(loser), winner.max(loser), winner));
        let mut labels = counted(labels.iter().map(|l| ((l.item, l.positive), l.count)));
        labels.sort_unstable_by_key(|&(label, _)| label);

        let compared = duels.iter().flat_map(|&((winner, loser), _)| [winner, loser]);
        let mut items: Vec<usize> = compared.chain(labels.iter().map(|&((item, _), _)| item)).collect();
        items.sort_unstable();
        items.dedup();
        let position = |item: usize| items.partition_point(|&x| x < item);

        let duels = duels.into_iter().map(|((winner, loser), count)| {
            let edge = Edge { plus: position(winner.min(loser)), minus: Some(position(winner.max(loser))) };
            (edge, winner < loser, count, Answer::Duel)
        });
        let labels = labels.into_iter().map(|((item, positive), count)| {
            (Edge { plus: position(item), minus: None }, positive, count, Answer::Label)
        });
        let mut edges: Vec<Edge> = Vec::new();
        let mut merged = Vec::with_capacity(duels.len() + labels.len());
        for (edge, positive, count, answer) in duels.chain(labels) {
            if edges.last() != Some(&edge) {
                edges.push(edge);
            }
            let sign = if positive { 1.0 } else { -1.0 };
            merged.push(Observation { edge: edges.len() - 1, sign, count, answer });
        }
        Self { items, edges, merged }
    }

    /// Winner and loser of merged comparison `m`, as numbered in the table; the item of a label stands for both.
    pub fn ends(&self, m: usize) -> (usize, usize) {
        let Observation { edge, sign, .. } = self.merged[m];
        let Edge { plus, minus } = self.edges[edge];
        let (low, high) = (self.items[plus], self.items[minus.unwrap_or(plus)]);
        if sign > 0.0 { (low, high) } else { (high, low) }
    }

    /// Number of answers, repeated ones counted.
    pub fn total(&self) -> f64 {
        self.merged.iter().map(|o| o.count).sum()
    }

    /// Number of groups of items that no chain of comparisons joins.
    pub fn groups(&self) -> usize {
        let mut parent: Vec<usize> = (0..self.items.len()).collect();
        fn root(parent: &mut [usize], mut i: usize) -> usize {
            while parent[i] != i {
                parent[i] = parent[parent[i]];
                i = parent[i];
            }
            i
        }
        for edge in &self.edges {
            let (a, b) = (root(&mut parent, edge.plus), root(&mut parent, edge.minus.unwrap_or(edge.plus)));
            parent[a] = b;
        }
        (0..parent.len()).filter(|&i| parent[i] == i).count()
    }
}

/// How often each answer was given.
fn counted<T: Eq + std::hash::Hash>(answers: impl Iterator<Item = (T, u32)>) -> Vec<(T, f64)> {
    let mut counts: HashMap<T, f64> = HashMap::new();
    for (answer, count) in answers {
        *counts.entry(answer).or_default() += f64::from(count);
    }
    counts.into_iter().collect()
}

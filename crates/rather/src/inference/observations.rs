//! Observations: comparisons merged, and the items they are about.
//!
//! Only items that occur in a comparison enter inference; the others are predictions. Comparisons of the
//! same two items share a projection ([`Edge`]), and identical comparisons share one site with a count.

use std::collections::HashMap;

use crate::Comparison;

/// A projection of the nodes' values: `f[plus] - f[minus]`, or `f[plus]` alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The node that counts positively.
    pub plus: usize,
    /// The node that counts negatively, if any.
    pub minus: Option<usize>,
}

/// One merged comparison: a factor on `sign * z[edge]`, `count` times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// Index of the projection.
    pub edge: usize,
    /// 1 or -1.
    pub sign: f64,
    /// Number of identical comparisons that this observation stands for.
    pub count: f64,
}

/// The comparisons of one fit: which items they touch, the distinct pairs, the merged observations.
#[derive(Debug, Clone, PartialEq)]
pub struct Observations {
    /// The compared items, as numbered in their table, in increasing order.
    pub items: Vec<usize>,
    /// The distinct pairs, as positions in `items`.
    pub edges: Vec<Edge>,
    /// The merged comparisons.
    pub merged: Vec<Observation>,
}

impl Observations {
    /// Merges comparisons. The order of the result depends on the set of comparisons only, not on theirs.
    pub fn new(comparisons: &[Comparison]) -> Self {
        let mut counts: HashMap<(usize, usize), f64> = HashMap::new();
        for c in comparisons {
            *counts.entry((c.winner, c.loser)).or_default() += f64::from(c.count);
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_unstable_by_key(|&((winner, loser), _)| (winner.min(loser), winner.max(loser), winner));

        let mut items: Vec<usize> = counts.iter().flat_map(|&((w, l), _)| [w, l]).collect();
        items.sort_unstable();
        items.dedup();
        let position = |item: usize| items.partition_point(|&x| x < item);

        let mut edges: Vec<Edge> = Vec::new();
        let mut merged = Vec::with_capacity(counts.len());
        for ((winner, loser), count) in counts {
            let edge = Edge { plus: position(winner.min(loser)), minus: Some(position(winner.max(loser))) };
            if edges.last() != Some(&edge) {
                edges.push(edge);
            }
            let sign = if winner < loser { 1.0 } else { -1.0 };
            merged.push(Observation { edge: edges.len() - 1, sign, count });
        }
        Self { items, edges, merged }
    }

    /// Winner and loser of merged comparison `m`, as numbered in the table.
    pub fn ends(&self, m: usize) -> (usize, usize) {
        let Observation { edge, sign, .. } = self.merged[m];
        let Edge { plus, minus } = self.edges[edge];
        let (low, high) = (self.items[plus], self.items[minus.unwrap_or(plus)]);
        if sign > 0.0 { (low, high) } else { (high, low) }
    }

    /// Number of comparisons, repeated ones counted.
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

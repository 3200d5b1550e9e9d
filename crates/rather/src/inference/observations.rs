//! Observations: answers merged, and the items they are about.
//!
//! Only items that occur in an answer enter inference; the others are predictions. Comparisons of the
//! same two items share a projection ([`Edge`]), so do labels of the same item, and identical answers share one site with
//! a count.

use std::collections::HashMap;

use crate::answers::{Opinion, Standing};
use crate::likelihood::{Answer, Manner, Responses, Said};
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
    /// What was said.
    pub answer: Answer,
}

/// The answers of one fit: which items they touch, the distinct projections, the merged observations.
#[derive(Debug, Clone, PartialEq)]
pub struct Observations {
    /// The items that answers are about, as numbered in their table, in increasing order.
    pub items: Vec<usize>,
    /// The distinct projections, as positions in `items`: pairs, then single items.
    pub edges: Vec<Edge>,
    /// The merged answers: comparisons, then what was said of single items.
    pub merged: Vec<Observation>,
    /// What was said, and how people answer.
    pub responses: Responses,
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
        let duels = comparisons.iter().map(|c| Opinion::rather(c.winner, c.loser).times(c.count));
        let labels = labels.iter().map(|l| Opinion::labelled(l.item, l.positive).times(l.count));
        Self::of(&duels.chain(labels).collect::<Vec<_>>(), &[], Manner::default())
    }

    /// Merges answers of any kinds, by `users`, who answer in a `manner`. What does not matter in that manner is forgotten: users, if
    /// nothing depends on them, and sides without a bias to learn.
    pub fn of(opinions: &[Opinion], users: &[String], manner: Manner) -> Self {
        let mut counts: HashMap<Key, (Said, f64)> = HashMap::new();
        for opinion in opinions {
            let Standing { items, positive, said } = opinion.standing(&manner);
            let key = Key { items, last: positive != items.1.is_some(), said: said.key() };
            counts.entry(key).or_insert((said, 0.0)).1 += f64::from(opinion.count);
        }
        let mut counted: Vec<(Key, (Said, f64))> = counts.into_iter().collect();
        counted.sort_unstable_by_key(|&(key, _)| (key.items.1.is_none(), key));

        let mut items: Vec<usize> =
            counted.iter().flat_map(|(key, _)| [key.items.0, key.items.1.unwrap_or(key.items.0)]).collect();
        items.sort_unstable();
        items.dedup();
        let position = |item: usize| items.partition_point(|&x| x < item);

        let mut said: Vec<(Said, f64)> = vec![(Said::DUEL, 0.0), (Said::LABEL, 0.0)];
        let mut numbers: HashMap<_, usize> =
            said.iter().enumerate().map(|(n, (s, _))| (s.key(), n)).collect();
        let mut edges: Vec<Edge> = Vec::new();
        let mut merged = Vec::with_capacity(counted.len());
        for (Key { items: (plus, minus), last, .. }, (what, count)) in counted {
            let edge = Edge { plus: position(plus), minus: minus.map(position) };
            if edges.last() != Some(&edge) {
                edges.push(edge);
            }
            let number = *numbers.entry(what.key()).or_insert_with(|| {
                said.push((what, 0.0));
                said.len() - 1
            });
            said[number].1 += count;
            let sign = if last != minus.is_some() { 1.0 } else { -1.0 };
            merged.push(Observation { edge: edges.len() - 1, sign, count, answer: Answer(number as u32) });
        }
        let (said, counts) = said.into_iter().unzip();
        let responses = Responses { said, counts, users: users.to_vec(), manner };
        Self { items, edges, merged, responses }
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

/// What tells merged answers apart, in their order: of the answers about two items those for the first come first, of those about one
/// item those against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Key {
    items: (usize, Option<usize>),
    last: bool,
    said: (&'static str, u64, i8, Option<u32>, u64),
}

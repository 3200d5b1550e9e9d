//! Whether the comparisons hang together.
//!
//! Utilities of items that no chain of comparisons joins are compared by the prior alone: by features if there are any,
//! else by nothing.

use super::answered;
use crate::alternative::Alternative;
use crate::learner::{Arena, Learner, Record};
use rather_numerics::order;
use serde::Serialize;

/// How the graph whose nodes are alternatives and whose edges are answered duels hangs together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Connectivity {
    /// Number of alternatives that were compared.
    pub compared: usize,
    /// Number of items of the list that were never compared; 0 for parameters, whose settings cannot be counted.
    pub never_compared: usize,
    /// Alternatives that chains of comparisons join, the largest group first.
    pub groups: Vec<Vec<Alternative>>,
    /// Whether features say something about alternatives of different groups.
    pub features: bool,
}

impl Connectivity {
    pub(crate) fn of(learner: &Learner, record: &Record) -> Self {
        let nodes = match &learner.subject {
            Arena::Pool { keys, .. } => keys.len(),
            Arena::Domain { .. } => record.settings.len(),
        };
        let mut forest = Forest::new(nodes);
        let mut compared = vec![false; nodes];
        for duel in answered(record) {
            for item in duel.items() {
                forest.join(duel.left, item);
                compared[item] = true;
            }
        }
        let mut groups: Vec<Vec<usize>> = vec![Vec::new(); nodes];
        for node in (0..nodes).filter(|&node| compared[node]) {
            groups[forest.root(node)].push(node);
        }
        groups.retain(|group| !group.is_empty());
        order::sort_descending(&mut groups, |group| group.len() as f64);
        let count = compared.iter().filter(|&&c| c).count();
        let name =
            |group: Vec<usize>| group.into_iter().map(|node| learner.alternative(record, node)).collect();
        Self {
            compared: count,
            never_compared: match &learner.subject {
                Arena::Pool { .. } => nodes - count,
                Arena::Domain { .. } => 0,
            },
            groups: groups.into_iter().map(name).collect(),
            features: !learner.columns().is_empty(),
        }
    }

    /// Whether all comparisons hang together.
    pub fn is_connected(&self) -> bool {
        self.groups.len() <= 1
    }

    /// The same as a sentence.
    pub fn sentence(&self) -> String {
        let rest = match self.never_compared {
            0 => String::new(),
            1 => "; 1 item was never compared".to_owned(),
            n => format!("; {n} items were never compared"),
        };
        if self.compared == 0 {
            return "nothing was compared yet".to_owned();
        }
        if self.is_connected() {
            return format!("the graph of comparisons is connected ({} alternatives){rest}", self.compared);
        }
        let shown: Vec<String> = self.groups.iter().take(3).map(|group| describe(group)).collect();
        let more = if self.groups.len() > 3 { " and others" } else { "" };
        let between = if self.features { "only features show" } else { "nothing shows" };
        format!(
            "the graph of comparisons has {} components ({}{more}): {between} which of two from different components is \
             better{rest}",
            self.groups.len(),
            shown.join(", "),
        )
    }
}

fn describe(group: &[Alternative]) -> String {
    let first = rather_io::quote(&group[0].to_string());
    match group.len() {
        1 => first,
        n => format!("{first} and {} more", n - 1),
    }
}

/// Nodes in trees, one tree a group.
pub(crate) struct Forest(Vec<usize>);

impl Forest {
    pub(crate) fn new(nodes: usize) -> Self {
        Self((0..nodes).collect())
    }

    fn root(&mut self, mut node: usize) -> usize {
        while self.0[node] != node {
            self.0[node] = self.0[self.0[node]];
            node = self.0[node];
        }
        node
    }

    /// Makes the groups of two nodes one; whether they were two.
    pub(crate) fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
        a != b
    }
}

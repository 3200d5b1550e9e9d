//! Plain comparisons, and the projections that answers are about.

use serde::{Deserialize, Serialize};

use rather_numerics::linalg::Matrix;

/// "`winner` rather than `loser`", said `count` times. Items are numbered as in their table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The preferred item.
    pub winner: usize,
    /// The other item.
    pub loser: usize,
    /// How many times the same answer was given; a fraction counts for less.
    pub count: f64,
}

/// A projection of the nodes' values: `f[plus] - f[minus]`, or `f[plus]` alone. Eight bytes, for there may be ten million of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Edge {
    plus: u32,
    /// [`Edge::ALONE`] if there is no second node.
    minus: u32,
}

impl Edge {
    /// In the place of a second node: none.
    const ALONE: u32 = u32::MAX;

    /// The difference of the values of two nodes.
    ///
    /// # Panics
    /// If a number of a node does not fit into 32 bits.
    pub fn between(plus: usize, minus: usize) -> Self {
        Self { plus: node(plus), minus: node(minus) }
    }

    /// The value of one node.
    ///
    /// # Panics
    /// As [`Edge::between`].
    pub fn alone(plus: usize) -> Self {
        Self { plus: node(plus), minus: Self::ALONE }
    }

    /// [`Edge::between`], or [`Edge::alone`] without a second node.
    ///
    /// # Panics
    /// As [`Edge::between`].
    pub fn new(plus: usize, minus: Option<usize>) -> Self {
        minus.map_or_else(|| Self::alone(plus), |minus| Self::between(plus, minus))
    }

    /// The difference of two columns of `features`, one a node, or one of them.
    pub(crate) fn project(&self, features: &Matrix) -> Vec<f64> {
        let plus = features.col(self.plus());
        match self.minus() {
            Some(minus) => plus.iter().zip(features.col(minus)).map(|(a, b)| a - b).collect(),
            None => plus.to_vec(),
        }
    }

    /// The node that counts positively.
    pub fn plus(&self) -> usize {
        self.plus as usize
    }

    /// The node at the other end of `node`; itself if there is no second node.
    pub(crate) fn other(&self, node: usize) -> usize {
        if node == self.plus() { self.minus().unwrap_or(node) } else { self.plus() }
    }

    /// The node that counts negatively, if any.
    pub fn minus(&self) -> Option<usize> {
        (self.minus != Self::ALONE).then_some(self.minus as usize)
    }
}

fn node(i: usize) -> u32 {
    u32::try_from(i).ok().filter(|&i| i != Edge::ALONE).expect("nodes are numbered with 32 bits")
}

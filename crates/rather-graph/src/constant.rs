//! The constant node: an edge whose value is known.

use crate::error::Problem;
use crate::message::Message;
use crate::node::{Node, named};

/// A value known for certain: an observation, a setting.
///
/// # Formula
/// It sends $(c,0)$, a covariance of zero. Its precision is infinite, so the message has no information form.
///
/// # References
/// Schoonderbeek (2014), section V-A, message 5.
#[derive(Debug, Clone, PartialEq)]
pub struct Constant {
    name: String,
    value: Vec<f64>,
}

impl Constant {
    /// The node of a value, named as it is drawn.
    pub fn new(name: &str, value: &[f64]) -> Self {
        Self { name: name.into(), value: value.to_vec() }
    }
}

impl Node for Constant {
    fn symbol(&self) -> String {
        self.name.clone()
    }

    fn ports(&self) -> Vec<String> {
        named(["x"])
    }

    fn points_out(&self, _port: usize) -> bool {
        true
    }

    fn lengths(&self, _given: &[usize]) -> Vec<usize> {
        vec![self.value.len()]
    }

    fn send(&self, _port: usize, _incoming: &[&Message]) -> Result<Message, Problem> {
        Ok(Message::constant(&self.value))
    }
}

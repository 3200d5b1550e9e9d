//! The prior node: a Gaussian factor of one edge.

use crate::error::Problem;
use crate::message::Message;
use crate::node::{Node, named};

/// A Gaussian known beforehand: a prior, or the noise that an addition node adds.
///
/// # Formula
/// It sends its own message, whatever comes in: $(\mu,\Sigma)$ or $(\xi,\Upsilon)$.
///
/// # References
/// Schoonderbeek (2014), Table I row 6.
#[derive(Debug, Clone, PartialEq)]
pub struct Prior {
    name: String,
    message: Message,
}

impl Prior {
    /// The node that sends `message`, named as it is drawn.
    pub fn new(name: &str, message: Message) -> Self {
        Self { name: name.into(), message }
    }
}

impl Node for Prior {
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
        vec![self.message.len()]
    }

    fn send(&self, _port: usize, _incoming: &[&Message]) -> Result<Message, Problem> {
        Ok(self.message.clone())
    }
}

//! The open half-edge: nothing is known there.

use crate::error::Problem;
use crate::message::Message;
use crate::node::{Node, named};

/// The end of an edge about which nothing is said, as at the last state of a chain.
///
/// # Formula
/// It sends $\xi=0$, $\Upsilon=0$. An edge that is left with one end is the same without the box.
///
/// # References
/// Loeliger (2004), section 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Open;

impl Node for Open {
    fn symbol(&self) -> String {
        "1".into()
    }

    fn ports(&self) -> Vec<String> {
        named(["x"])
    }

    fn points_out(&self, _port: usize) -> bool {
        false
    }

    fn lengths(&self, given: &[usize]) -> Vec<usize> {
        given.to_vec()
    }

    fn send(&self, _port: usize, incoming: &[&Message]) -> Result<Message, Problem> {
        Ok(Message::flat(incoming[0].len()))
    }
}

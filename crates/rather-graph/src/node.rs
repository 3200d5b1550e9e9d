//! What a node must be able to do.

use crate::error::Problem;
use crate::message::Message;

/// A factor of a graph: it turns the messages that come in on its edges into one that goes out.
///
/// A node of one's own needs no more than this trait: the graph, the schedules and the drawing know nothing else of it.
pub trait Node: std::fmt::Debug + Send + Sync {
    /// What stands in its box when it is drawn: `=`, `+`, `A`.
    fn symbol(&self) -> String;

    /// The names of its ports, in order; an edge is joined to each.
    fn ports(&self) -> Vec<String>;

    /// Whether the arrow on a port's edge points out of the node. Arrows tell forward from backward messages and decide
    /// nothing else.
    fn points_out(&self, port: usize) -> bool;

    /// The lengths that the ports' vectors must have, given those of the edges joined to them.
    fn lengths(&self, given: &[usize]) -> Vec<usize>;

    /// The message out on `port`, given those in on all ports. A node that is a plain factor ignores the one that comes in
    /// on `port` itself.
    ///
    /// # Errors
    /// [`Problem`]: why there is no such message.
    fn send(&self, port: usize, incoming: &[&Message]) -> Result<Message, Problem>;

    /// Whether its message depends on the one that comes in on the same edge: a non-linear factor, whose message is the best
    /// Gaussian only near what the rest of the graph believes.
    fn listens_to_reply(&self) -> bool {
        false
    }
}

/// Port names as the trait wants them.
pub(crate) fn named<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(String::from).to_vec()
}

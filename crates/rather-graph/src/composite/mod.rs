//! Composite nodes: a graph in a box, with named outside edges.

mod experiment_design;
mod gp_prediction;
mod kalman_section;

pub use experiment_design::{ArgMax, Scores, experiment_design};
pub use gp_prediction::gp_prediction;
pub use kalman_section::kalman_section;

use crate::error::{GraphError, Problem};
use crate::message::Message;
use crate::node::Node;
use crate::schedule::Schedule;
use crate::state::Messages;
use crate::structure::{EdgeId, Graph};

/// A graph used as a node: its outside edges are half-edges of the graph inside.
///
/// A message out is computed by setting what comes in on the half-edges and passing all messages inside towards the port.
///
/// # References
/// Loeliger (2004), section 5 ("Kalman filtering as message passing"); Schoonderbeek (2014), section III-B.
#[derive(Debug, Clone)]
pub struct Composite {
    name: String,
    graph: Graph,
    outside: Vec<EdgeId>,
    /// The messages towards each port.
    towards: Vec<Schedule>,
}

impl Composite {
    /// The node of a graph whose half-edges `outside` are its ports, in that order, under their own names.
    ///
    /// # Errors
    /// [`GraphError::NotOpen`] for an edge with two ends; those of [`Schedule::forward`].
    pub fn new(name: &str, graph: Graph, outside: &[EdgeId]) -> Result<Self, GraphError> {
        for &edge in outside {
            let e = graph.known_edge(edge)?;
            if e.tail.is_some() == e.head.is_some() {
                return Err(GraphError::NotOpen { node: name.into(), edge: e.name.clone() });
            }
        }
        let towards =
            outside.iter().map(|&edge| Schedule::forward(&graph, edge)).collect::<Result<_, _>>()?;
        Ok(Self { name: name.into(), graph, outside: outside.to_vec(), towards })
    }

    /// The graph inside.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The half-edges of the graph inside that are its ports.
    pub fn outside(&self) -> &[EdgeId] {
        &self.outside
    }
}

impl Node for Composite {
    fn symbol(&self) -> String {
        self.name.clone()
    }

    fn ports(&self) -> Vec<String> {
        self.outside.iter().map(|&edge| self.graph.edge_name(edge).into()).collect()
    }

    fn points_out(&self, port: usize) -> bool {
        self.graph.ends(self.outside[port]).0.is_some()
    }

    fn lengths(&self, _given: &[usize]) -> Vec<usize> {
        self.outside.iter().map(|edge| self.graph.edges[edge.0].length).collect()
    }

    fn send(&self, port: usize, incoming: &[&Message]) -> Result<Message, Problem> {
        let inside = |error| Problem::Inside(Box::new(error));
        let mut messages = Messages::new(&self.graph);
        for (&edge, &message) in self.outside.iter().zip(incoming) {
            messages.from_outside(&self.graph, edge, message.clone()).map_err(inside)?;
        }
        self.towards[port].run(&self.graph, &mut messages).map_err(inside)?;
        messages.to_outside(&self.graph, self.outside[port]).cloned().map_err(inside)
    }

    fn listens_to_reply(&self) -> bool {
        self.graph.nodes.iter().any(|n| n.node.listens_to_reply())
    }
}

//! The messages of a graph at one moment.

use crate::equality;
use crate::error::{GraphError, Problem};
use crate::message::Message;
use crate::schedule::Step;
use crate::structure::{EdgeId, Graph};

/// The latest message on every edge, in both directions. One that has not been sent yet says nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Messages {
    /// Along the arrows.
    forward: Vec<Message>,
    /// Against them.
    backward: Vec<Message>,
}

impl Messages {
    /// No message has been sent.
    pub fn new(graph: &Graph) -> Self {
        let flat: Vec<Message> = graph.edges.iter().map(|e| Message::flat(e.length)).collect();
        Self { forward: flat.clone(), backward: flat }
    }

    /// The latest message along an edge's arrow.
    ///
    /// # Errors
    /// [`GraphError::Unknown`].
    pub fn forward(&self, edge: EdgeId) -> Result<&Message, GraphError> {
        self.forward.get(edge.0).ok_or(GraphError::Unknown { what: "edge", number: edge.0 })
    }

    /// The latest message against an edge's arrow.
    ///
    /// # Errors
    /// [`GraphError::Unknown`].
    pub fn backward(&self, edge: EdgeId) -> Result<&Message, GraphError> {
        self.backward.get(edge.0).ok_or(GraphError::Unknown { what: "edge", number: edge.0 })
    }

    /// What the whole graph says about an edge: the product of its two messages.
    ///
    /// # Errors
    /// [`GraphError::Marginal`] if the two contradict each other.
    pub fn marginal(&self, graph: &Graph, edge: EdgeId) -> Result<Message, GraphError> {
        let name = graph.known_edge(edge)?.name.clone();
        equality::both(self.forward(edge)?, self.backward(edge)?)
            .map_err(|problem| GraphError::Marginal { edge: name, problem })
    }

    /// Sets what comes from outside on a half-edge.
    ///
    /// # Errors
    /// [`GraphError::NotOpen`] if the edge has two ends, [`GraphError::Shape`] if the message has another length.
    pub fn from_outside(&mut self, graph: &Graph, edge: EdgeId, message: Message) -> Result<(), GraphError> {
        let e = graph.known_edge(edge)?;
        let outside = || "outside".to_string();
        if e.length != message.len() {
            let (expected, found) = (message.len(), e.length);
            return Err(GraphError::Shape { node: outside(), edge: e.name.clone(), expected, found });
        }
        match (e.tail, e.head) {
            (None, _) => self.forward[edge.0] = message,
            (_, None) => self.backward[edge.0] = message,
            _ => return Err(GraphError::NotOpen { node: outside(), edge: e.name.clone() }),
        }
        Ok(())
    }

    /// What a half-edge tells the outside.
    ///
    /// # Errors
    /// [`GraphError::NotOpen`] if the edge has two ends.
    pub fn to_outside(&self, graph: &Graph, edge: EdgeId) -> Result<&Message, GraphError> {
        let e = graph.known_edge(edge)?;
        match (e.tail, e.head) {
            (None, _) => self.backward(edge),
            (_, None) => self.forward(edge),
            _ => Err(GraphError::NotOpen { node: "outside".into(), edge: e.name.clone() }),
        }
    }

    /// Lets a node send on one of its edges; returns how far the message is from the one before
    /// ([`Message::distance`]).
    ///
    /// # Errors
    /// [`GraphError::NotThere`]; [`GraphError::Rule`] if the node has no message to send.
    pub fn send(&mut self, graph: &Graph, step: Step) -> Result<f64, GraphError> {
        let placed = graph.known_node(step.node)?;
        let edge = graph.known_edge(step.edge)?;
        let port = placed
            .edges
            .iter()
            .position(|&e| e == step.edge.0)
            .ok_or_else(|| GraphError::NotThere { node: placed.name.clone(), edge: edge.name.clone() })?;
        let incoming: Vec<&Message> = placed
            .edges
            .iter()
            .map(|&e| {
                let into = graph.edges[e].head.is_some_and(|end| end.node == step.node.0);
                if into { &self.forward[e] } else { &self.backward[e] }
            })
            .collect();
        let refuse = |problem: Problem| GraphError::Rule {
            node: placed.name.clone(),
            edge: edge.name.clone(),
            problem,
        };
        let message = placed.node.send(port, &incoming).map_err(refuse)?;
        let along = edge.tail.is_some_and(|end| end.node == step.node.0);
        let place = if along { &mut self.forward[step.edge.0] } else { &mut self.backward[step.edge.0] };
        let change = place.distance(&message);
        *place = message;
        Ok(change)
    }
}

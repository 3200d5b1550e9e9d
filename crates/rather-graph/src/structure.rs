//! A graph: nodes joined by edges.

use std::collections::HashSet;
use std::sync::Arc;

use crate::error::GraphError;
use crate::node::Node;

/// A node of a [`Graph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) usize);

/// An edge of a [`Graph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EdgeId(pub(crate) usize);

impl NodeId {
    /// Its number, from 0 in the order in which nodes were added.
    pub fn index(self) -> usize {
        self.0
    }
}

impl EdgeId {
    /// Its number, from 0 in the order in which edges were added.
    pub fn index(self) -> usize {
        self.0
    }
}

/// Where an edge is joined to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) node: usize,
    pub(crate) port: usize,
}

#[derive(Debug, Clone)]
pub(crate) struct Edge {
    pub(crate) name: String,
    pub(crate) length: usize,
    /// The end that the arrow comes from.
    pub(crate) tail: Option<End>,
    /// The end that the arrow points to.
    pub(crate) head: Option<End>,
}

#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub(crate) name: String,
    pub(crate) node: Arc<dyn Node>,
    /// The edges on its ports.
    pub(crate) edges: Vec<usize>,
}

/// A Forney-style factor graph: a node for each factor, an edge for each variable.
///
/// A variable in more than two factors is cloned by equality nodes, so an edge has at most two ends; with one it is a
/// half-edge, about which the outside says nothing. Lengths are checked as nodes are added.
///
/// # References
/// Forney (2001); Loeliger (2004); Schoonderbeek (2014), section II.
///
/// # Examples
/// ```
/// use rather_graph::{Addition, Graph, Message, Messages, Prior, Schedule};
///
/// let mut graph = Graph::new();
/// let [x, y, z] = [graph.edge("x", 1)?, graph.edge("y", 1)?, graph.edge("z", 1)?];
/// graph.node("skill", Prior::new("N", Message::scalar(0.7, 1.3)?), &[x])?;
/// graph.node("luck", Prior::new("N", Message::scalar(-1.1, 0.6)?), &[y])?;
/// graph.node("sum", Addition, &[x, y, z])?;
///
/// let mut messages = Messages::new(&graph);
/// Schedule::forward(&graph, z)?.run(&graph, &mut messages)?;
/// let sum = messages.marginal(&graph, z)?.to_moment()?;
/// assert!((sum.mean()[0] + 0.4).abs() < 1e-15 && (sum.covariance()[(0, 0)] - 1.9).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Graph {
    pub(crate) nodes: Vec<Placed>,
    pub(crate) edges: Vec<Edge>,
    names: HashSet<(bool, String)>,
}

impl Graph {
    /// A graph without nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a variable of `length` numbers.
    ///
    /// # Errors
    /// [`GraphError::Repeated`], [`GraphError::Empty`].
    pub fn edge(&mut self, name: &str, length: usize) -> Result<EdgeId, GraphError> {
        if length == 0 {
            return Err(GraphError::Empty { edge: name.into() });
        }
        self.take_name("edges", name)?;
        self.edges.push(Edge { name: name.into(), length, tail: None, head: None });
        Ok(EdgeId(self.edges.len() - 1))
    }

    /// Adds a factor and joins `edges` to its ports, in their order.
    ///
    /// # Errors
    /// [`GraphError::Repeated`], [`GraphError::Ports`], [`GraphError::Shape`], [`GraphError::ThreeEnds`],
    /// [`GraphError::Unknown`]; the graph is then as it was.
    pub fn node(
        &mut self,
        name: &str,
        node: impl Node + 'static,
        edges: &[EdgeId],
    ) -> Result<NodeId, GraphError> {
        self.shared_node(name, Arc::new(node), edges)
    }

    /// As [`Graph::node`], for a node that several graphs share.
    ///
    /// # Errors
    /// As [`Graph::node`].
    pub fn shared_node(
        &mut self,
        name: &str,
        node: Arc<dyn Node>,
        edges: &[EdgeId],
    ) -> Result<NodeId, GraphError> {
        self.check_joints(name, node.as_ref(), edges)?;
        self.take_name("nodes", name)?;
        for (port, edge) in edges.iter().enumerate() {
            let end = Some(End { node: self.nodes.len(), port });
            let out = node.points_out(port);
            let edge = &mut self.edges[edge.0];
            // The first end takes the side it asks for, the second the side that is left.
            match (edge.tail, edge.head) {
                (None, None) if out => edge.tail = end,
                (None, None) => edge.head = end,
                (Some(first), None) if out && !self.nodes[first.node].node.points_out(first.port) => {
                    (edge.tail, edge.head) = (end, Some(first));
                }
                (Some(_), _) => edge.head = end,
                (None, Some(_)) => edge.tail = end,
            }
        }
        let edges = edges.iter().map(|e| e.0).collect();
        self.nodes.push(Placed { name: name.into(), node, edges });
        Ok(NodeId(self.nodes.len() - 1))
    }

    fn check_joints(&self, name: &str, node: &dyn Node, edges: &[EdgeId]) -> Result<(), GraphError> {
        let ports = node.ports();
        if ports.len() != edges.len() {
            return Err(GraphError::Ports {
                node: name.into(),
                ports: ports.join(", "),
                expected: ports.len(),
                found: edges.len(),
            });
        }
        let mut given = Vec::with_capacity(edges.len());
        for (i, &id) in edges.iter().enumerate() {
            let edge = self.known_edge(id)?;
            let here = edges[..i].iter().filter(|&&other| other == id).count();
            let ends: Vec<End> = [edge.tail, edge.head].into_iter().flatten().collect();
            if ends.len() + here > 1 {
                let end = |k: usize| ends.get(k).map_or(name.into(), |e| self.nodes[e.node].name.clone());
                let (first, second) = (end(0), end(1));
                return Err(GraphError::ThreeEnds {
                    edge: edge.name.clone(),
                    first,
                    second,
                    node: name.into(),
                });
            }
            given.push(edge.length);
        }
        for (&id, expected) in edges.iter().zip(node.lengths(&given)) {
            let Edge { name: edge, length: found, .. } = &self.edges[id.0];
            if *found != expected {
                return Err(GraphError::Shape {
                    node: name.into(),
                    edge: edge.clone(),
                    expected,
                    found: *found,
                });
            }
        }
        Ok(())
    }

    fn take_name(&mut self, what: &'static str, name: &str) -> Result<(), GraphError> {
        if self.names.insert((what == "nodes", name.into())) {
            Ok(())
        } else {
            Err(GraphError::Repeated { what, name: name.into() })
        }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    /// A node by its number.
    pub fn node_at(&self, index: usize) -> Option<NodeId> {
        (index < self.nodes.len()).then_some(NodeId(index))
    }

    /// An edge by its number.
    pub fn edge_at(&self, index: usize) -> Option<EdgeId> {
        (index < self.edges.len()).then_some(EdgeId(index))
    }

    /// The name of a node; of another graph's node perhaps nothing.
    pub fn node_name(&self, node: NodeId) -> &str {
        self.nodes.get(node.0).map_or("", |n| &n.name)
    }

    /// What stands in a node's box.
    pub fn node_symbol(&self, node: NodeId) -> String {
        self.nodes.get(node.0).map_or(String::new(), |n| n.node.symbol())
    }

    /// The name of an edge.
    pub fn edge_name(&self, edge: EdgeId) -> &str {
        self.edges.get(edge.0).map_or("", |e| &e.name)
    }

    /// The nodes at the two ends of an edge: where its arrow comes from, and where it points to.
    pub fn ends(&self, edge: EdgeId) -> (Option<NodeId>, Option<NodeId>) {
        let end = |end: Option<End>| end.map(|e| NodeId(e.node));
        self.edges.get(edge.0).map_or((None, None), |e| (end(e.tail), end(e.head)))
    }

    pub(crate) fn known_edge(&self, edge: EdgeId) -> Result<&Edge, GraphError> {
        self.edges.get(edge.0).ok_or(GraphError::Unknown { what: "edge", number: edge.0 })
    }

    pub(crate) fn known_node(&self, node: NodeId) -> Result<&Placed, GraphError> {
        self.nodes.get(node.0).ok_or(GraphError::Unknown { what: "node", number: node.0 })
    }
}

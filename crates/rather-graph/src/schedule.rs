//! The order in which messages are sent.

use crate::error::GraphError;
use crate::state::Messages;
use crate::structure::{Edge, EdgeId, End, Graph, NodeId};

/// One message: `node` sends on `edge`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Step {
    /// Who sends.
    pub node: NodeId,
    /// Where.
    pub edge: EdgeId,
}

/// An order of messages.
///
/// On a tree of Gaussian factors one [`Schedule::forward`] pass to any edge and one [`Schedule::backward`] pass from it give
/// every marginal exactly: for a chain, the filter and the smoother. Where a factor is not Gaussian (a response node), the
/// forward pass goes down each branch first and then back, which is assumed-density filtering; passes back and forth until
/// nothing changes are expectation propagation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Schedule {
    steps: Vec<Step>,
}

/// How a run to convergence ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settled {
    /// Rounds made.
    pub rounds: usize,
    /// The largest change of a message in the last round.
    pub change: f64,
    /// Whether that is within the tolerance.
    pub converged: bool,
}

impl Schedule {
    /// The messages in an order of one's own.
    pub fn given(steps: Vec<Step>) -> Self {
        Self { steps }
    }

    /// All messages that flow towards `edge`, leaves first: afterwards its marginal holds what the tree says.
    ///
    /// A branch that an arrow leads into and that ends in a factor which listens is sent its prediction first, with what
    /// is known by then, and asked afterwards: messages 1 to 7 of Schoonderbeek (2014), Figure 11.
    ///
    /// # Errors
    /// [`GraphError::Cycle`] if the part of the graph around `edge` is no tree; [`GraphError::Unknown`].
    pub fn forward(graph: &Graph, edge: EdgeId) -> Result<Self, GraphError> {
        let tree = Tree::around(graph, edge)?;
        let steps = tree.ends(edge.0).into_iter().flat_map(|end| tree.steps(Task::Inward(end, edge.0)));
        Ok(Self { steps: steps.collect() })
    }

    /// All messages that flow away from `edge`; a branch that listens is predicted and asked again on the way.
    ///
    /// # Errors
    /// As [`Schedule::forward`].
    pub fn backward(graph: &Graph, edge: EdgeId) -> Result<Self, GraphError> {
        let tree = Tree::around(graph, edge)?;
        let steps = tree.ends(edge.0).into_iter().flat_map(|end| tree.steps(Task::Outward(end, edge.0)));
        Ok(Self { steps: steps.collect() })
    }

    /// Every node sends on all its edges, in the order in which nodes were added: for graphs with cycles, to be repeated.
    pub fn every(graph: &Graph) -> Self {
        let of = |(n, placed): (usize, &crate::structure::Placed)| {
            placed.edges.iter().map(|&e| Step { node: NodeId(n), edge: EdgeId(e) }).collect::<Vec<_>>()
        };
        Self { steps: graph.nodes.iter().enumerate().flat_map(of).collect() }
    }

    /// This order, then another.
    #[must_use]
    pub fn then(mut self, next: &Self) -> Self {
        self.steps.extend_from_slice(&next.steps);
        self
    }

    /// The messages in their order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Sends all messages once; returns the largest change of one.
    ///
    /// # Errors
    /// As [`Messages::send`].
    pub fn run(&self, graph: &Graph, messages: &mut Messages) -> Result<f64, GraphError> {
        self.steps.iter().try_fold(0.0, |change: f64, &step| Ok(change.max(messages.send(graph, step)?)))
    }

    /// Repeats the order until no message changes by more than `tolerance`, at most `rounds` times.
    ///
    /// # Errors
    /// As [`Messages::send`].
    pub fn settle(
        &self,
        graph: &Graph,
        messages: &mut Messages,
        tolerance: f64,
        rounds: usize,
    ) -> Result<Settled, GraphError> {
        let mut settled = Settled { rounds: 0, change: f64::INFINITY, converged: false };
        while settled.rounds < rounds && !settled.converged {
            settled.rounds += 1;
            settled.change = self.run(graph, messages)?;
            settled.converged = settled.change <= tolerance;
        }
        Ok(settled)
    }
}

/// The part of a graph that hangs together with an edge, known to be a tree.
struct Tree<'a> {
    graph: &'a Graph,
    /// For each node: whether it, or a node beyond it as seen from the root edge, listens to the reply.
    listens: Vec<bool>,
}

/// Work left to do.
#[derive(Clone, Copy)]
enum Task {
    /// All messages from the subtree at the end of an edge towards the edge.
    Inward(End, usize),
    /// All messages from the edge into the subtree.
    Outward(End, usize),
    /// A node sends on an edge.
    Send(usize, usize),
}

/// An edge that leads on from a node.
#[derive(Clone, Copy)]
struct Onward {
    edge: usize,
    /// The node beyond, unless the edge is a half-edge.
    next: Option<End>,
    /// Whether the arrow points there.
    downstream: bool,
    /// Whether something beyond listens.
    listens: bool,
}

impl<'a> Tree<'a> {
    fn around(graph: &'a Graph, root: EdgeId) -> Result<Self, GraphError> {
        graph.known_edge(root)?;
        let mut tree = Self { graph, listens: vec![false; graph.nodes.len()] };
        let mut seen = vec![false; graph.nodes.len()];
        for end in tree.ends(root.0) {
            tree.visit(end, root.0, &mut seen)?;
        }
        Ok(tree)
    }

    fn ends(&self, edge: usize) -> Vec<End> {
        let edge = &self.graph.edges[edge];
        [edge.tail, edge.head].into_iter().flatten().collect()
    }

    /// The other edges of the node at `end` than that of its port, in the order of the ports.
    fn onward(&self, end: End) -> Vec<Onward> {
        let edges = self.graph.nodes[end.node].edges.iter().enumerate().filter(|&(port, _)| port != end.port);
        edges
            .map(|(port, &edge)| {
                let here = End { node: end.node, port };
                let Edge { tail, head, .. } = self.graph.edges[edge];
                let downstream = tail == Some(here);
                let next = if downstream { head } else { tail };
                Onward { edge, next, downstream, listens: next.is_some_and(|n| self.listens[n.node]) }
            })
            .collect()
    }

    /// Finds cycles, and the nodes behind which something listens. Without recursion: a chain may have any length.
    fn visit(&mut self, root: End, from: usize, seen: &mut [bool]) -> Result<(), GraphError> {
        let mut order = Vec::new();
        let mut stack = vec![(root, from, None::<usize>)];
        while let Some((end, from, parent)) = stack.pop() {
            if std::mem::replace(&mut seen[end.node], true) {
                return Err(GraphError::Cycle { edge: self.graph.edges[from].name.clone() });
            }
            order.push((end.node, parent));
            stack.extend(self.onward(end).iter().filter_map(|o| Some((o.next?, o.edge, Some(end.node)))));
        }
        for (node, parent) in order.into_iter().rev() {
            self.listens[node] |= self.graph.nodes[node].node.listens_to_reply();
            if let Some(parent) = parent {
                self.listens[parent] |= self.listens[node];
            }
        }
        Ok(())
    }

    /// The steps of a task.
    fn steps(&self, task: Task) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut stack = vec![task];
        while let Some(task) = stack.pop() {
            match task {
                Task::Send(node, edge) => steps.push(Step { node: NodeId(node), edge: EdgeId(edge) }),
                Task::Inward(end, edge) => stack.extend(self.inward(end, edge).into_iter().rev()),
                Task::Outward(end, edge) => stack.extend(self.outward(end, edge).into_iter().rev()),
            }
        }
        steps
    }

    fn inward(&self, end: End, edge: usize) -> Vec<Task> {
        let (mut first, mut then) = (Vec::new(), Vec::new());
        for o in self.onward(end) {
            let Some(next) = o.next else { continue };
            if !o.downstream {
                first.push(Task::Inward(next, o.edge));
                continue;
            }
            if o.listens {
                then.push(Task::Send(end.node, o.edge));
            }
            then.push(Task::Inward(next, o.edge));
        }
        first.extend(then);
        first.push(Task::Send(end.node, edge));
        first
    }

    fn outward(&self, end: End, edge: usize) -> Vec<Task> {
        let (mut first, mut then) = (Vec::new(), Vec::new());
        if self.graph.nodes[end.node].node.listens_to_reply() {
            first.push(Task::Send(end.node, edge));
        }
        for o in self.onward(end) {
            let send = Task::Send(end.node, o.edge);
            match o.next {
                Some(next) if o.downstream && o.listens => first.extend([send, Task::Inward(next, o.edge)]),
                Some(next) => then.extend([send, Task::Outward(next, o.edge)]),
                None => then.push(send),
            }
        }
        first.extend(then);
        first
    }
}

//! What can be wrong with a factor graph, named by node and edge.

/// An error of a factor graph.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// What a graph is made from is wrong: items, answers, a noise.
    #[error(transparent)]
    Input(#[from] rather::Error),
    /// A name is given twice.
    #[error("there are two {what} called \"{name}\"; give each a name of its own")]
    Repeated {
        /// `nodes` or `edges`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A node or an edge is not one of this graph.
    #[error("the graph has no {what} number {number}; take the ones that it gave out itself")]
    Unknown {
        /// `node` or `edge`.
        what: &'static str,
        /// Its number.
        number: usize,
    },
    /// An edge would have three ends.
    #[error(
        "edge \"{edge}\" already joins \"{first}\" and \"{second}\", so \"{node}\" cannot be on it too; put an equality \
         node between"
    )]
    ThreeEnds {
        /// The edge.
        edge: String,
        /// The node it comes from.
        first: String,
        /// The node it goes to.
        second: String,
        /// The node to be joined.
        node: String,
    },
    /// A node is given the wrong number of edges.
    #[error("node \"{node}\" has {expected} edges ({ports}), but {found} were given")]
    Ports {
        /// The node.
        node: String,
        /// The names of its ports, joined by commas.
        ports: String,
        /// How many there are.
        expected: usize,
        /// How many edges were given.
        found: usize,
    },
    /// An edge carries a vector of another length than the node's port.
    #[error("edge \"{edge}\" carries {found} numbers, but node \"{node}\" needs {expected} there")]
    Shape {
        /// The node.
        node: String,
        /// The edge.
        edge: String,
        /// The length the node needs.
        expected: usize,
        /// The length of the edge.
        found: usize,
    },
    /// An edge carries nothing.
    #[error("edge \"{edge}\" carries no numbers; give it a length of at least 1")]
    Empty {
        /// The edge.
        edge: String,
    },
    /// A composite node may show only edges that have one end free.
    #[error("edge \"{edge}\" is not a half-edge, so it cannot be an outside edge of the node \"{node}\"")]
    NotOpen {
        /// The composite node.
        node: String,
        /// The edge.
        edge: String,
    },
    /// The graph has a cycle, where a tree is needed.
    #[error(
        "the graph has a cycle through edge \"{edge}\"; passes from leaf to root need a tree, so give the order of the \
         messages yourself"
    )]
    Cycle {
        /// An edge of the cycle.
        edge: String,
    },
    /// A node that a schedule wants to speak is not on that edge.
    #[error("node \"{node}\" is not on edge \"{edge}\", so it cannot send a message there")]
    NotThere {
        /// The node.
        node: String,
        /// The edge.
        edge: String,
    },
    /// A node cannot compute the message asked for.
    #[error("node \"{node}\" cannot send a message on edge \"{edge}\": {problem}")]
    Rule {
        /// The node.
        node: String,
        /// The edge.
        edge: String,
        /// Why not.
        problem: Problem,
    },
    /// The two messages of an edge cannot be multiplied.
    #[error("edge \"{edge}\" has no marginal: {problem}")]
    Marginal {
        /// The edge.
        edge: String,
        /// Why not.
        problem: Problem,
    },
    /// A message that a caller made is none.
    #[error("this is not a Gaussian message: {problem}")]
    Message {
        /// What is wrong.
        problem: &'static str,
    },
    /// The parts of a model given as matrices do not fit together.
    #[error("the {what} has {found} where {expected} are needed")]
    Model {
        /// Which part.
        what: &'static str,
        /// What it must have.
        expected: String,
        /// What it has.
        found: String,
    },
}

/// Why a rule gives no message.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A precision is singular where a mean and a covariance are needed.
    #[error("the message on {port} says nothing in some direction, so it has no mean and covariance")]
    Improper {
        /// Where the message comes from.
        port: &'static str,
    },
    /// A covariance is singular where a precision is needed.
    #[error("the message on {port} is exact in some direction, so it has no precision")]
    Exact {
        /// Where the message comes from.
        port: &'static str,
    },
    /// The result is exact in one direction and says nothing in another.
    #[error(
        "the message would be exact in one direction and say nothing in another, which neither form can hold; join the \
         nodes into an equality-multiplication or addition-multiplication node"
    )]
    NoForm,
    /// Two messages that are exact do not agree.
    #[error("two exact messages contradict each other by {by:e}")]
    Contradiction {
        /// The largest difference, in units of the variable.
        by: f64,
    },
    /// The rule is not defined in this direction.
    #[error("a {kind} node sends no message there; it works in the other direction only")]
    OneWay {
        /// The node's kind.
        kind: &'static str,
    },
    /// Numbers overflowed or are no numbers.
    #[error("the numbers are no longer finite")]
    NotFinite,
    /// Something inside a composite node.
    #[error("inside, {0}")]
    Inside(Box<GraphError>),
}

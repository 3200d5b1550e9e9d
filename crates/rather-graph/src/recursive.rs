//! Recursive Gaussian processes: regression, classification and preference learning, as a chain of messages.

use std::sync::Arc;

use crate::algebra::congruence;
use crate::error::GraphError;
use crate::message::{Message, Moment};
use crate::schedule::Schedule;
use crate::state::Messages;
use crate::structure::{EdgeId, Graph};
use crate::{Addition, Approximation, Constant, EqualityMultiplication, Prior, Response};
use rather::Error;
use rather::answers::Answer;
use rather::likelihood::Likelihood;
use rather::points::Points;
use rather::streaming::Basis;
use rather_numerics::linalg::{Matrix, product};

/// A Gaussian process on a basis, to which data come one after the other.
///
/// The graph is a chain of equality nodes for the basis values $g^b$; from each hangs a branch $J\to+\mathcal N(0,D)\to$ datum.
/// There are no cycles. One forward pass is the recursion: a Kalman correction for each measured value, assumed-density
/// filtering (or one Laplace step) for each answer. Passes back and forth are expectation propagation.
///
/// For Gaussian data this equals FITC, and the exact Gaussian process if the basis holds all inputs.
///
/// # References
/// Huber (2013); Schoonderbeek (2014), section V, with $J=k(x,X_b)K_b^{-1}$, the prediction's whole variance
/// $J\Sigma J^\top+D$, and the prediction divided out of the message that goes back.
///
/// # Examples
/// ```
/// use rather_graph::RecursiveGp;
/// use rather::kernel::{Schema, parse};
/// use rather::points::Points;
/// use rather::streaming::Basis;
///
/// let kernel = parse("se", &Schema { names: vec!["x".into()], categorical: vec![false], context: 0 }, false)?;
/// let inputs = Points::from_rows(&[[0.0], [1.0]]);
/// let basis = Basis::new(kernel, inputs.clone())?;
/// let mut gp = RecursiveGp::new(basis)?;
/// gp.value(&inputs, 0, 0.5, 1e-2)?;
/// let belief = gp.posterior(1)?;
/// assert!((belief.mean()[0] - 0.5 / 1.01).abs() < 1e-9); // variance 1, noise 0.01
/// # Ok::<(), rather_graph::GraphError>(())
/// ```
#[derive(Debug)]
pub struct RecursiveGp {
    basis: Basis,
    graph: Graph,
    state: EdgeId,
    data: usize,
}

impl RecursiveGp {
    /// The process before any datum: $g^b\sim\mathcal N(0,K_b)$.
    ///
    /// # Errors
    /// [`GraphError`].
    pub fn new(basis: Basis) -> Result<Self, GraphError> {
        let mut graph = Graph::new();
        let state = graph.edge("g0", basis.len())?;
        let prior = Message::moment(vec![0.0; basis.len()], basis.covariance())?;
        graph.node("prior", Prior::new("K", prior), &[state])?;
        Ok(Self { basis, graph, state, data: 0 })
    }

    /// The value of an item was measured as `y`, with noise of variance `noise`: $y=g(x)+w$.
    ///
    /// # Errors
    /// [`Error::UnknownItem`], [`Error::Parameter`] for a noise that is none.
    pub fn value(&mut self, items: &Points, item: usize, y: f64, noise: f64) -> Result<(), GraphError> {
        if !(noise.is_finite() && noise >= 0.0 && y.is_finite()) {
            let (name, requirement) =
                ("noise".into(), "a measurement and its variance must be finite, the variance not negative");
            return Err(Error::Parameter { name, value: noise, requirement }.into());
        }
        let f = self.branch(items, item, None)?;
        let n = self.data;
        let error = self.graph.edge(&format!("w{n}"), 1)?;
        let measured = self.graph.edge(&format!("y{n}"), 1)?;
        self.graph.node(&format!("noise {n}"), Prior::new("R", Message::scalar(0.0, noise)?), &[error])?;
        self.graph.node(&format!("measure {n}"), Addition, &[f, error, measured])?;
        self.graph.node(&format!("value {n}"), Constant::new("y", &[y]), &[measured])?;
        Ok(())
    }

    /// An item was said to be of the positive class, or not: the factor is `likelihood` on $\pm g(x)$.
    ///
    /// # Errors
    /// [`Error::UnknownItem`].
    pub fn label(
        &mut self,
        items: &Points,
        item: usize,
        positive: bool,
        likelihood: Arc<dyn Likelihood>,
        approximation: Approximation,
    ) -> Result<(), GraphError> {
        let f = self.branch(items, item, None)?;
        self.answer(f, Response::new("t", likelihood, positive, approximation))
    }

    /// An item was preferred to another: the factor is `likelihood` on $g(\text{winner})-g(\text{loser})$.
    ///
    /// # Errors
    /// [`Error::UnknownItem`], [`Error::SelfComparison`].
    pub fn duel(
        &mut self,
        items: &Points,
        (winner, loser): (usize, usize),
        likelihood: Arc<dyn Likelihood>,
        approximation: Approximation,
    ) -> Result<(), GraphError> {
        Answer::rather(winner, loser).check(self.data, items.len())?;
        let f = self.branch(items, winner, Some(loser))?;
        self.answer(f, Response::new("t", likelihood, true, approximation))
    }

    fn answer(&mut self, f: EdgeId, response: Response) -> Result<(), GraphError> {
        self.graph.node(&format!("answer {}", self.data), response, &[f])?;
        Ok(())
    }

    /// A further section of the chain; returns the edge of the new latent value, $g(x)$ or $g(x)-g(x')$.
    fn branch(&mut self, items: &Points, item: usize, other: Option<usize>) -> Result<EdgeId, GraphError> {
        Answer::labelled(item, true).check(self.data, items.len())?;
        let about: Vec<usize> = [Some(item), other].into_iter().flatten().collect();
        let at = items.select(&about);
        let contrast = Matrix::from_fn(1, about.len(), |_, i| if i == 0 { 1.0 } else { -1.0 });
        let j = product(&contrast, &self.basis.weights(&at));
        let rest = congruence(&contrast, &self.basis.residual(&at))[(0, 0)].max(0.0);

        self.data += 1;
        let n = self.data;
        let graph = &mut self.graph;
        let after = graph.edge(&format!("g{n}"), self.basis.len())?;
        let seen = graph.edge(&format!("u{n}"), 1)?;
        let left = graph.edge(&format!("e{n}"), 1)?;
        let f = graph.edge(&format!("f{n}"), 1)?;
        graph.node(
            &format!("weights {n}"),
            EqualityMultiplication::new("J", j)?,
            &[self.state, seen, after],
        )?;
        graph.node(&format!("residual {n}"), Prior::new("D", Message::scalar(0.0, rest)?), &[left])?;
        graph.node(&format!("sum {n}"), Addition, &[seen, left, f])?;
        self.state = after;
        Ok(f)
    }

    /// The belief about the basis values $g^b$ after `sweeps` passes over all data; the first is the recursion.
    ///
    /// # Errors
    /// [`GraphError`]: what a node could not do.
    pub fn posterior(&self, sweeps: usize) -> Result<Moment, GraphError> {
        let mut messages = Messages::new(&self.graph);
        let forward = Schedule::forward(&self.graph, self.state)?;
        forward.run(&self.graph, &mut messages)?;
        let back_and_forth = Schedule::backward(&self.graph, self.state)?.then(&forward);
        for _ in 1..sweeps {
            back_and_forth.run(&self.graph, &mut messages)?;
        }
        self.belief(&messages)
    }

    fn belief(&self, messages: &Messages) -> Result<Moment, GraphError> {
        let marginal = messages.marginal(&self.graph, self.state)?;
        marginal.to_moment().map_err(|problem| {
            let edge = self.graph.edge_name(self.state).to_string();
            GraphError::Marginal { edge, problem }
        })
    }

    /// The graph, for running and drawing it in another way.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The edge of the basis values after the last datum.
    pub fn state(&self) -> EdgeId {
        self.state
    }
}

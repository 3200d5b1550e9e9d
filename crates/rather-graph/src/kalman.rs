//! The Kalman filter and smoother, as messages on a chain.

use crate::composite::kalman_section;
use crate::error::GraphError;
use crate::message::Message;
use crate::schedule::Schedule;
use crate::state::Messages;
use crate::structure::{EdgeId, Graph};
use crate::{Constant, Prior};
use rather_numerics::linalg::Matrix;

/// $x_k=Ax_{k-1}+Bu_k$, $z_k=Cx_k+w_k$ with $u\sim\mathcal N(0,Q)$, $w\sim\mathcal N(0,R)$.
///
/// # References
/// Schoonderbeek (2014), section II-D; Loeliger (2004), section 5.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearGaussian {
    pub(crate) a: Matrix,
    pub(crate) b: Matrix,
    pub(crate) c: Matrix,
    pub(crate) q: Matrix,
    pub(crate) r: Matrix,
}

impl LinearGaussian {
    /// The model of `n` states, `i` inputs and `o` outputs: `a` is n x n, `b` n x i, `c` o x n, `q` i x i, `r` o x o.
    ///
    /// # Errors
    /// [`GraphError::Model`] if the shapes do not fit together.
    pub fn new(a: Matrix, b: Matrix, c: Matrix, q: Matrix, r: Matrix) -> Result<Self, GraphError> {
        let (n, inputs, outputs) = (a.rows(), b.cols(), c.rows());
        let shapes = [
            ("transition A", &a, (n, n)),
            ("input matrix B", &b, (n, inputs)),
            ("output matrix C", &c, (outputs, n)),
            ("input noise Q", &q, (inputs, inputs)),
            ("output noise R", &r, (outputs, outputs)),
        ];
        for (what, matrix, (rows, cols)) in shapes {
            if (matrix.rows(), matrix.cols()) != (rows, cols) {
                let expected = format!("{rows} x {cols} numbers");
                let found = format!("{} x {}", matrix.rows(), matrix.cols());
                return Err(GraphError::Model { what, expected, found });
            }
        }
        Ok(Self { a, b, c, q, r })
    }

    /// The belief about every state from the observations up to it, `None` where nothing was observed.
    ///
    /// # Errors
    /// [`GraphError::Shape`] for an observation of another length; those of the rules.
    ///
    /// # Examples
    /// ```
    /// use rather_graph::{LinearGaussian, Message};
    /// use rather_numerics::linalg::Matrix;
    ///
    /// let one = |x: f64| Matrix::from_fn(1, 1, |_, _| x);
    /// let walk = LinearGaussian::new(one(1.0), one(1.0), one(1.0), one(0.1), one(0.5))?;
    /// let states = walk.filter(&Message::scalar(0.0, 1.0)?, &[Some(vec![1.0]), None])?;
    /// assert!(states[1].to_moment()?.covariance()[(0, 0)] > states[0].to_moment()?.covariance()[(0, 0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn filter(
        &self,
        initial: &Message,
        observed: &[Option<Vec<f64>>],
    ) -> Result<Vec<Message>, GraphError> {
        let chain = Chain::new(self, initial, observed)?;
        let mut messages = Messages::new(&chain.graph);
        Schedule::forward(&chain.graph, chain.last())?.run(&chain.graph, &mut messages)?;
        chain.states[1..].iter().map(|&state| messages.forward(state).cloned()).collect()
    }

    /// The belief about every state from all observations.
    ///
    /// # Errors
    /// As [`LinearGaussian::filter`].
    pub fn smooth(
        &self,
        initial: &Message,
        observed: &[Option<Vec<f64>>],
    ) -> Result<Vec<Message>, GraphError> {
        let chain = Chain::new(self, initial, observed)?;
        let mut messages = Messages::new(&chain.graph);
        Schedule::forward(&chain.graph, chain.last())?.run(&chain.graph, &mut messages)?;
        Schedule::backward(&chain.graph, chain.last())?.run(&chain.graph, &mut messages)?;
        chain.states[1..].iter().map(|&state| messages.marginal(&chain.graph, state)).collect()
    }
}

/// Kalman sections one after the other, an open half-edge at the end.
struct Chain {
    graph: Graph,
    states: Vec<EdgeId>,
}

impl Chain {
    fn new(
        model: &LinearGaussian,
        initial: &Message,
        observed: &[Option<Vec<f64>>],
    ) -> Result<Self, GraphError> {
        let section = std::sync::Arc::new(kalman_section("section", model)?);
        let mut graph = Graph::new();
        let mut states = vec![graph.edge("x0", model.a.rows())?];
        graph.node("initial state", Prior::new("N", initial.clone()), &states)?;
        for (k, z) in observed.iter().enumerate() {
            let k = k + 1;
            let state = graph.edge(&format!("x{k}"), model.a.rows())?;
            let output = graph.edge(&format!("z{k}"), model.c.rows())?;
            let edges = [states[k - 1], state, output];
            graph.shared_node(&format!("section {k}"), section.clone(), &edges)?;
            if let Some(z) = z {
                graph.node(&format!("observation {k}"), Constant::new("z", z), &[output])?;
            }
            states.push(state);
        }
        Ok(Self { graph, states })
    }

    fn last(&self) -> EdgeId {
        self.states[self.states.len() - 1]
    }
}

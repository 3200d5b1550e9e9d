//! One time step of a linear state-space model.

use super::Composite;
use crate::error::GraphError;
use crate::kalman::LinearGaussian;
use crate::message::Message;
use crate::structure::Graph;
use crate::{Addition, AdditionMultiplication, EqualityMultiplication, Multiplication, Prior};

/// $x_k=Ax_{k-1}+Bu_k$, $z_k=Cx_k+w_k$ with $u\sim\mathcal N(0,Q)$ and $w\sim\mathcal N(0,R)$.
///
/// Outside edges: `before` ($x_{k-1}$), `after` ($x_k$), `observed` ($z_k$).
///
/// # Errors
/// Those of the nodes inside; [`LinearGaussian::new`] checks the shapes.
///
/// # References
/// Schoonderbeek (2014), Figure 5 and section II-D; equations 9 and 10 put the state's own uncertainty into the factors, where
/// the noise alone belongs: it enters with the message.
pub fn kalman_section(name: &str, model: &LinearGaussian) -> Result<Composite, GraphError> {
    let (n, inputs, outputs) = (model.a.rows(), model.b.cols(), model.c.rows());
    let noise = |covariance: &rather_numerics::linalg::Matrix| {
        Message::moment(vec![0.0; covariance.rows()], covariance.clone())
    };
    let mut graph = Graph::new();
    let before = graph.edge("before", n)?;
    let moved = graph.edge("moved", n)?;
    let driven = graph.edge("driven", n)?;
    let after = graph.edge("after", n)?;
    let input = graph.edge("input", inputs)?;
    let output = graph.edge("output", outputs)?;
    let error = graph.edge("error", outputs)?;
    let observed = graph.edge("observed", outputs)?;
    graph.node("transition", Multiplication::new("A", model.a.clone())?, &[before, moved])?;
    graph.node("input noise", Prior::new("Q", noise(&model.q)?), &[input])?;
    let b = AdditionMultiplication::new("B", model.b.clone())?;
    graph.node("drive", b, &[moved, input, driven])?;
    let c = EqualityMultiplication::new("C", model.c.clone())?;
    graph.node("look", c, &[driven, output, after])?;
    graph.node("output noise", Prior::new("R", noise(&model.r)?), &[error])?;
    graph.node("measure", Addition, &[output, error, observed])?;
    Composite::new(name, graph, &[before, after, observed])
}

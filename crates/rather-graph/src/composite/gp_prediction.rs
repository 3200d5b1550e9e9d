//! Prediction by a Gaussian process from its values at basis points.

use super::Composite;
use crate::error::GraphError;
use crate::message::Message;
use crate::structure::Graph;
use crate::{Addition, Multiplication, Prior};
use rather_numerics::linalg::Matrix;

/// $f=Jg^b+e$ with $e\sim\mathcal N(0,D)$: values $f$ of a Gaussian process from its values $g^b$ at basis points.
///
/// Outside edges: `basis` ($M$ numbers), `value` ($N$ numbers). `weights` is $J=k(x,X_b)K_b^{-1}$, $N\times M$; `residual` is
/// $D=k(x,x)-Jk(X_b,x)$, $N\times N$. Forward from $\mathcal N(\mu,\Sigma)$ it gives $\mathcal N(J\mu,J\Sigma J^\top+D)$; backward it adds
/// $D$ to what is said about $f$ and passes it through $J$. One value at a time is FITC; many at once with a full $D$ is PITC, a
/// different model.
///
/// # Errors
/// [`GraphError::Model`] if the shapes do not fit together, [`GraphError::Message`] if the residual is no covariance.
///
/// # References
/// Schoonderbeek (2014), equations 16 and 17 and Figure 8, with $J$'s inverse, which section V leaves out.
pub fn gp_prediction(name: &str, weights: Matrix, residual: Matrix) -> Result<Composite, GraphError> {
    let (n, m) = (weights.rows(), weights.cols());
    if residual.rows() != n || residual.cols() != n {
        return Err(GraphError::Model {
            what: "residual covariance of a prediction",
            expected: format!("{n} x {n} numbers"),
            found: format!("{} x {}", residual.rows(), residual.cols()),
        });
    }
    let mut graph = Graph::new();
    let basis = graph.edge("basis", m)?;
    let mean = graph.edge("mean", n)?;
    let rest = graph.edge("rest", n)?;
    let value = graph.edge("value", n)?;
    graph.node("weights", Multiplication::new("J", weights)?, &[basis, mean])?;
    graph.node("residual", Prior::new("D", Message::moment(vec![0.0; n], residual)?), &[rest])?;
    graph.node("sum", Addition, &[mean, rest, value])?;
    Composite::new(name, graph, &[basis, value])
}

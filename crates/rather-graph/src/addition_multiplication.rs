//! The addition-multiplication node: a sum, one part of which comes through a matrix.

use crate::addition::{difference, sum};
use crate::algebra::{add, complement, congruence, congruence_transposed, generalised_inverse, minus, plus};
use crate::error::{GraphError, Problem};
use crate::message::{Information, Message};
use crate::multiplication::Multiplication;
use crate::node::{Node, named};
use rather_numerics::linalg::{Matrix, product};

/// $Z=X+AY$, the dual of the equality-multiplication node: it adds in information form what a tall matrix lets through.
///
/// # Formula
/// To $Z$: $\mu_Z=\mu_X+A\mu_Y$, $\Sigma_Z=\Sigma_X+A\Sigma_YA^\top$, or with $H=(\Upsilon_Y+A^\top\Upsilon_XA)^{+}$
/// $$ \Upsilon_Z=\Upsilon_X-\Upsilon_XAHA^\top\Upsilon_X,\qquad \xi_Z=\xi_X+\Upsilon_XAH(\xi_Y-A^\top\xi_X). $$
/// To $X$: the same with $Z$ for $X$ and $-A$ for $A$. To $Y$: $AY=Z-X$, then backward through $A$.
///
/// # References
/// Loeliger (2004), Table 4; not in Schoonderbeek (2014).
#[derive(Debug, Clone, PartialEq)]
pub struct AdditionMultiplication {
    branch: Multiplication,
    negative: Multiplication,
}

impl AdditionMultiplication {
    /// The node of a matrix, named as it is drawn.
    ///
    /// # Errors
    /// As [`Multiplication::new`].
    pub fn new(name: &str, a: Matrix) -> Result<Self, GraphError> {
        let minus_a = Matrix::from_fn(a.rows(), a.cols(), |i, j| -a[(i, j)]);
        Ok(Self { branch: Multiplication::new(name, a)?, negative: Multiplication::new(name, minus_a)? })
    }
}

/// The message about `X + A Y`.
fn total(x: &Message, y: &Message, branch: &Multiplication) -> Result<Message, Problem> {
    if let (Message::Information(x), Message::Information(y)) = (x, y) {
        return dual(x, y, branch.matrix());
    }
    match (branch.forward(y), x, y) {
        (Ok(through), _, _) => sum(x, &through),
        (Err(Problem::NoForm), Message::Moment(_), Message::Information(y)) => {
            dual(&x.information_on("port x").map_err(|_| Problem::NoForm)?, y, branch.matrix())
        }
        (Err(problem), _, _) => Err(problem),
    }
}

/// The rule in information form.
fn dual(x: &Information, y: &Information, a: &Matrix) -> Result<Message, Problem> {
    let h = generalised_inverse(&add(&y.precision, &congruence_transposed(a, &x.precision)))
        .ok_or(Problem::NotFinite)?
        .matrix;
    let through = product(&x.precision, a);
    let pull = minus(&y.shift, &a.transpose_times(&x.shift));
    let shift = plus(&x.shift, &through.times(&h.times(&pull)));
    let (shift, precision) =
        complement(shift, &x.precision, &congruence(&through, &h)).ok_or(Problem::NotFinite)?;
    Message::of_information(shift, precision)
}

impl Node for AdditionMultiplication {
    fn symbol(&self) -> String {
        format!("+ {}", self.branch.symbol())
    }

    fn ports(&self) -> Vec<String> {
        named(["x", "y", "z"])
    }

    fn points_out(&self, port: usize) -> bool {
        port == 2
    }

    fn lengths(&self, _given: &[usize]) -> Vec<usize> {
        let a = self.branch.matrix();
        vec![a.rows(), a.cols(), a.rows()]
    }

    fn send(&self, port: usize, incoming: &[&Message]) -> Result<Message, Problem> {
        match port {
            0 => total(incoming[2], incoming[1], &self.negative),
            1 => self.branch.backward(&difference(incoming[2], incoming[0])?),
            _ => total(incoming[0], incoming[1], &self.branch),
        }
    }
}

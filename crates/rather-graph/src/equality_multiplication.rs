//! The equality-multiplication node: a variable, seen through a matrix.

use crate::algebra::{
    add, congruence, finite, generalised_inverse, identity, left_of, minus, plus, subtract, transpose,
};
use crate::equality::{both, updated};
use crate::error::{GraphError, Problem};
use crate::message::{Message, Moment, agree};
use crate::multiplication::Multiplication;
use crate::node::{Node, named};
use rather_numerics::linalg::{Matrix, product};

/// $X=Z$ with a branch $Y=AX$: an equality node whose third edge goes through a matrix.
///
/// The matrix may be a single row, as the weights $J$ of a Gaussian process are: the branch alone then has no covariance, and
/// only the two nodes together have a moment form, which is the Kalman filter's correction.
///
/// # Formula
/// From $X$ and $Y$ to $Z$ (and the same from $Z$ and $Y$ to $X$), with $G=(\Sigma_Y+A\Sigma_XA^\top)^{+}$:
/// $$ \mu_Z=\mu_X+\Sigma_XA^\top G(\mu_Y-A\mu_X),\qquad \Sigma_Z=\Sigma_X-\Sigma_XA^\top GA\Sigma_X, $$
/// or $\xi_Z=\xi_X+A^\top\xi_Y$, $\Upsilon_Z=\Upsilon_X+A^\top\Upsilon_YA$. To $Y$: the equality of $X$ and $Z$, then $A$. The covariance
/// is computed in Joseph's form, $(I-KA)\Sigma_X(I-KA)^\top+K\Sigma_YK^\top$ with $K=\Sigma_XA^\top G$.
///
/// # References
/// Schoonderbeek (2014), Table I row 5.
#[derive(Debug, Clone, PartialEq)]
pub struct EqualityMultiplication {
    branch: Multiplication,
}

impl EqualityMultiplication {
    /// The node of a matrix, named as it is drawn.
    ///
    /// # Errors
    /// As [`Multiplication::new`].
    pub fn new(name: &str, a: Matrix) -> Result<Self, GraphError> {
        Ok(Self { branch: Multiplication::new(name, a)? })
    }

    fn along(&self, x: &Message, y: &Message) -> Result<Message, Problem> {
        let a = self.branch.matrix();
        match (x, y) {
            (Message::Moment(x), Message::Moment(y)) => conditioned(x, y, a).map(Message::from),
            (Message::Moment(x), Message::Information(y)) => updated(x, &y.through(a)),
            (Message::Information(_), Message::Information(y)) => both(x, &y.through(a).into()),
            (Message::Information(x), Message::Moment(exact)) => match y.information_on("port y") {
                Ok(y) => both(&x.clone().into(), &y.through(a).into()),
                Err(_) => {
                    let x = Message::from(x.clone()).moment_on("port x").map_err(|_| Problem::NoForm)?;
                    conditioned(&x, exact, a).map(Message::from)
                }
            },
        }
    }
}

/// Row 5 in moment form.
pub(crate) fn conditioned(x: &Moment, y: &Moment, a: &Matrix) -> Result<Moment, Problem> {
    let seen = x.times(a);
    let g = generalised_inverse(&add(&y.covariance, &seen.covariance)).ok_or(Problem::NotFinite)?;
    let innovation = minus(&y.mean, &seen.mean);
    agree(&g, &innovation, [x.size(), y.size(), seen.size()])?;
    let gain = product(&product(&x.covariance, &transpose(a)), &g.matrix);
    let left = subtract(&identity(x.mean.len()), &product(&gain, a));
    let covariance = add(&congruence(&left, &x.covariance), &congruence(&gain, &y.covariance));
    let mean = plus(&x.mean, &gain.times(&innovation));
    let covariance = left_of(&x.covariance, &y.covariance, covariance).ok_or(Problem::NotFinite)?;
    if !finite(&mean, &covariance) {
        return Err(Problem::NotFinite);
    }
    Ok(Moment { mean, covariance })
}

impl Node for EqualityMultiplication {
    fn symbol(&self) -> String {
        format!("= {}", self.branch.symbol())
    }

    fn ports(&self) -> Vec<String> {
        named(["x", "y", "z"])
    }

    fn points_out(&self, port: usize) -> bool {
        port > 0
    }

    fn lengths(&self, _given: &[usize]) -> Vec<usize> {
        let a = self.branch.matrix();
        vec![a.cols(), a.rows(), a.cols()]
    }

    fn send(&self, port: usize, incoming: &[&Message]) -> Result<Message, Problem> {
        match port {
            0 => self.along(incoming[2], incoming[1]),
            1 => self.branch.forward(&both(incoming[0], incoming[2])?),
            _ => self.along(incoming[0], incoming[1]),
        }
    }
}

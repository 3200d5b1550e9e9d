//! The equality node: one variable on three edges.

use crate::algebra::{
    Shrunk, add, congruence, generalised_inverse, identity, left_of, minus, plus, root, subtract,
};
use crate::error::Problem;
use crate::message::{Information, Message, Moment, agree};
use crate::node::{Node, named};
use rather_numerics::linalg::product;

/// $X=Y=Z$: what two edges say, said together on the third.
///
/// # Formula
/// With both messages in information form, $\xi_Z=\xi_X+\xi_Y$ and $\Upsilon_Z=\Upsilon_X+\Upsilon_Y$. In moment form, for any
/// covariances, singular ones too,
/// $$ \mu_Z=\mu_X+\Sigma_X(\Sigma_X+\Sigma_Y)^{+}(\mu_Y-\mu_X),\qquad
///    \Sigma_Z=\Sigma_X(\Sigma_X+\Sigma_Y)^{+}\Sigma_Y, $$
/// where $\mu_Y-\mu_X$ must be in the range of $\Sigma_X+\Sigma_Y$: else both are exact and contradict each other. (The
/// covariance is computed in Joseph's form, which rounding cannot make negative.) With
/// one of each form, where neither needs an inverse, $\Sigma_Z=F(I+F^\top\Upsilon_YF)^{-1}F^\top$ with $\Sigma_X=FF^\top$ and
/// $\mu_Z=\mu_X+\Sigma_Z(\xi_Y-\Upsilon_Y\mu_X)$.
///
/// # References
/// Schoonderbeek (2014), Table I row 1 (its mean holds for invertible covariances only); Loeliger (2004), Table 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Equality;

impl Node for Equality {
    fn symbol(&self) -> String {
        "=".into()
    }

    fn ports(&self) -> Vec<String> {
        named(["x", "y", "z"])
    }

    fn points_out(&self, port: usize) -> bool {
        port > 0
    }

    fn lengths(&self, given: &[usize]) -> Vec<usize> {
        vec![given[0]; 3]
    }

    fn send(&self, port: usize, incoming: &[&Message]) -> Result<Message, Problem> {
        both(incoming[(port + 1) % 3], incoming[(port + 2) % 3])
    }
}

/// The product of two messages about the same variable.
pub(crate) fn both(x: &Message, y: &Message) -> Result<Message, Problem> {
    match (x, y) {
        (Message::Information(x), Message::Information(y)) => {
            Message::of_information(plus(&x.shift, &y.shift), add(&x.precision, &y.precision))
        }
        (Message::Moment(x), Message::Moment(y)) => of_moments(x, y),
        (Message::Moment(x), Message::Information(y)) | (Message::Information(y), Message::Moment(x)) => {
            updated(x, y)
        }
    }
}

fn of_moments(x: &Moment, y: &Moment) -> Result<Message, Problem> {
    let sum = generalised_inverse(&add(&x.covariance, &y.covariance)).ok_or(Problem::NotFinite)?;
    let innovation = minus(&y.mean, &x.mean);
    agree(&sum, &innovation, [x.size(), y.size(), 0.0])?;
    let gain = product(&x.covariance, &sum.matrix);
    let left = subtract(&identity(innovation.len()), &gain);
    let covariance = add(&congruence(&left, &x.covariance), &congruence(&gain, &y.covariance));
    let covariance = left_of(&x.covariance, &y.covariance, covariance).ok_or(Problem::NotFinite)?;
    Message::of_moments(plus(&x.mean, &gain.times(&innovation)), covariance)
}

/// A message in moment form times one in information form: always in moment form, and without any inverse of either.
pub(crate) fn updated(x: &Moment, y: &Information) -> Result<Message, Problem> {
    let root = root(&x.covariance).ok_or(Problem::NotFinite)?;
    let covariance = Shrunk::new(&root.matrix, &y.precision).ok_or(Problem::NotFinite)?.matrix();
    let pull = minus(&y.shift, &y.precision.times(&x.mean));
    Message::of_moments(plus(&x.mean, &covariance.times(&pull)), covariance)
}

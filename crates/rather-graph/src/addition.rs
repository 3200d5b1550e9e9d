//! The addition node: a sum of two vectors.

use crate::algebra::{Shrunk, add, generalised_inverse, minus, parallel_of, plus, root, subtract};
use crate::error::Problem;
use crate::message::{Information, Message, Moment};
use crate::node::{Node, named};
use rather_numerics::linalg::{Matrix, product};

/// $Z=X+Y$.
///
/// # Formula
/// The message to $Z$ is the convolution of those of $X$ and $Y$: in moment form $\mu_Z=\mu_X+\mu_Y$,
/// $\Sigma_Z=\Sigma_X+\Sigma_Y$; in information form, singular precisions included,
/// $$ \Upsilon_Z=\Upsilon_X(\Upsilon_X+\Upsilon_Y)^{+}\Upsilon_Y,\qquad
///    \xi_Z=\Upsilon_Y(\Upsilon_X+\Upsilon_Y)^{+}\xi_X+\Upsilon_X(\Upsilon_X+\Upsilon_Y)^{+}\xi_Y . $$
/// With one of each form, $\Upsilon_Z=R(I+R^\top\Sigma_XR)^{-1}R^\top$ with $\Upsilon_Y=RR^\top$. Backward, $X=Z-Y$: the same with
/// $Z$ for $X$ and the mean of $Y$ negated.
///
/// # References
/// Schoonderbeek (2014), equation 6, its message 2, and Table I row 2 with the shift put right; the last line of
/// equation 5 prints a sum of densities where the convolution belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Addition;

impl Node for Addition {
    fn symbol(&self) -> String {
        "+".into()
    }

    fn ports(&self) -> Vec<String> {
        named(["x", "y", "z"])
    }

    fn points_out(&self, port: usize) -> bool {
        port == 2
    }

    fn lengths(&self, given: &[usize]) -> Vec<usize> {
        vec![given[0]; 3]
    }

    fn send(&self, port: usize, incoming: &[&Message]) -> Result<Message, Problem> {
        match port {
            0 => difference(incoming[2], incoming[1]),
            1 => difference(incoming[2], incoming[0]),
            _ => sum(incoming[0], incoming[1]),
        }
    }
}

/// The message about `X + Y`.
pub(crate) fn sum(x: &Message, y: &Message) -> Result<Message, Problem> {
    match (x, y) {
        (Message::Moment(x), Message::Moment(y)) => {
            Message::of_moments(plus(&x.mean, &y.mean), add(&x.covariance, &y.covariance))
        }
        (Message::Information(x), Message::Information(y)) => {
            let s = generalised_inverse(&add(&x.precision, &y.precision)).ok_or(Problem::NotFinite)?.matrix;
            let shift = plus(&y.precision.times(&s.times(&x.shift)), &x.precision.times(&s.times(&y.shift)));
            let precision = product(&product(&x.precision, &s), &y.precision);
            let (shift, precision) =
                parallel_of([&x.precision, &y.precision], shift, precision).ok_or(Problem::NotFinite)?;
            Message::of_information(shift, precision)
        }
        (Message::Moment(x), Message::Information(y)) | (Message::Information(y), Message::Moment(x)) => {
            widened(x, y)
        }
    }
}

/// The message about `Z - Y`.
pub(crate) fn difference(z: &Message, y: &Message) -> Result<Message, Problem> {
    let negated = match y {
        Message::Moment(y) => y.negated().into(),
        Message::Information(y) => y.negated().into(),
    };
    sum(z, &negated)
}

/// A message in moment form added to one in information form: always in information form.
fn widened(x: &Moment, y: &Information) -> Result<Message, Problem> {
    let root_y = root(&y.precision).ok_or(Problem::NotFinite)?;
    if root_y.indefinite {
        return widened_indefinite(x, y);
    }
    let shrunk = Shrunk::new(&root_y.matrix, &x.covariance).ok_or(Problem::NotFinite)?;
    let precision = shrunk.matrix();
    let from_y = shrunk.times(root_y.solver.transpose_times(&y.shift));
    Message::of_information(plus(&from_y, &precision.times(&x.mean)), precision)
}

/// The same where the site of a factor that is not log-concave has a negative precision:
/// $\Upsilon_Z=\Upsilon_Y-\Upsilon_YF(I+F^\top\Upsilon_YF)^{-1}F^\top\Upsilon_Y$ with $\Sigma_X=FF^\top$.
fn widened_indefinite(x: &Moment, y: &Information) -> Result<Message, Problem> {
    let root_x = root(&x.covariance).ok_or(Problem::NotFinite)?;
    let taken = Shrunk::new(&root_x.matrix, &y.precision).ok_or(Problem::NotFinite)?.matrix();
    let lost: Matrix = product(&y.precision, &taken);
    let precision = subtract(&y.precision, &product(&lost, &y.precision));
    let from_y = minus(&y.shift, &lost.times(&y.shift));
    Message::of_information(plus(&from_y, &precision.times(&x.mean)), precision)
}

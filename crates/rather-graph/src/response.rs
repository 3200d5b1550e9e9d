//! The response node: a person's answer, or any factor that is not Gaussian.

use std::fmt;
use std::sync::Arc;

use crate::error::Problem;
use crate::message::{Information, Message};
use crate::node::{Node, named};
use rather::likelihood::Likelihood;
use rather::likelihood::quadrature::mode;
use rather_numerics::linalg::Matrix;

/// How a factor that is not Gaussian is turned into a message that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Approximation {
    /// By matching mean and variance: assumed-density filtering in one pass, expectation propagation at rest.
    #[default]
    Moments,
    /// By mode and curvature: Laplace, one answer at a time; at rest it is the batch Laplace approximation.
    Laplace,
}

/// An answer $t(\pm f)$ about one number $f$, with any likelihood of the engine.
///
/// # Formula
/// The message into the node is $\mathcal N(m,v)$, the prediction with all its uncertainty: $m=J\mu$, $v=J\Sigma J^\top+D$. The
/// message out is *the approximate posterior divided by the message in*, in information form. By moments it is the
/// likelihood's own site; by Laplace, with the mode $\hat f=\arg\max\log t(f)-(f-m)^2/2v$ and $W=-\nabla^2\log t(\hat f)$,
/// $$ \tau=W,\qquad \nu=W\hat f+\nabla\log t(\hat f). $$
///
/// # References
/// Schoonderbeek (2014), section V-B, messages 3 to 5, put right: equations 26 to 29 and 39 to 46 take $D$ for $v$, which
/// leaves out what is to be learned, and send the posterior itself back, which counts the prediction twice.
#[derive(Clone)]
pub struct Response {
    name: String,
    likelihood: Arc<dyn Likelihood>,
    sign: f64,
    approximation: Approximation,
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("name", &self.name)
            .field("sign", &self.sign)
            .field("approximation", &self.approximation)
            .finish_non_exhaustive()
    }
}

impl Response {
    /// The node of the answer "yes" (`positive`) with the factor $t(f)$, or "no" with $t(-f)$.
    pub fn new(
        name: &str,
        likelihood: Arc<dyn Likelihood>,
        positive: bool,
        approximation: Approximation,
    ) -> Self {
        Self { name: name.into(), likelihood, sign: if positive { 1.0 } else { -1.0 }, approximation }
    }

    /// The site `(tau, nu)` in the answer's own sign, for `f ~ N(mean, variance)` in that sign.
    fn site(&self, mean: f64, variance: f64) -> Option<(f64, f64)> {
        match self.approximation {
            Approximation::Moments => {
                let site = self.likelihood.tilt(mean, variance);
                Some((site.tau, site.nu))
            }
            Approximation::Laplace => {
                let mode = mode(self.likelihood.as_ref(), mean, variance)?;
                let at = self.likelihood.log_density(mode);
                Some((at.precision, at.precision * mode + at.first))
            }
        }
    }
}

impl Node for Response {
    fn symbol(&self) -> String {
        self.name.clone()
    }

    fn ports(&self) -> Vec<String> {
        named(["f"])
    }

    fn points_out(&self, _port: usize) -> bool {
        false
    }

    fn lengths(&self, _given: &[usize]) -> Vec<usize> {
        vec![1]
    }

    fn send(&self, _port: usize, incoming: &[&Message]) -> Result<Message, Problem> {
        let prediction = incoming[0].moment_on("port f")?;
        let (mean, variance) = (prediction.mean[0], prediction.covariance[(0, 0)]);
        let (tau, nu) = self.site(self.sign * mean, variance).ok_or(Problem::NotFinite)?;
        let Information { shift, precision } =
            Information { shift: vec![self.sign * nu], precision: Matrix::from_fn(1, 1, |_, _| tau) };
        Message::of_information(shift, precision)
    }

    fn listens_to_reply(&self) -> bool {
        true
    }
}

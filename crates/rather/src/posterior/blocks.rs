//! The posterior that blocks of comparisons found together: of the answers nothing is left but what they say about the features.

use super::{Moments, Posterior};
use crate::Error;
use crate::evidence::{Evidence, Problem};
use crate::inference::blocks::Belief;
use crate::inference::observations::Observations;
use crate::inference::prior::{Absorbed, Prior};
use crate::inference::sites::Sites;
use crate::inference::{Method, Outcome, Status};
use crate::kernel::Kernel;
use crate::points::Points;
use crate::posterior::Joint;
use rather_numerics::linalg::Matrix;

/// A Gaussian over the utilities of any items, from a [`Belief`] about the features of inducing items.
///
/// # Examples
/// ```
/// use rather::inference::blocks::{Belief, Block, Natural};
/// use rather::kernel::{Schema, parse};
/// use rather::points::Points;
/// use rather::posterior::BlocksPosterior;
/// use rather::Comparison;
///
/// let kernel = parse("se", &Schema { names: vec!["x".into()], categorical: vec![false], context: 0 }, false)?;
/// let items = Points::from_rows(&[[0.0], [0.5], [1.0]]);
/// let inducing = items.select(&[0, 2]);
/// let mut block = Block::new(&kernel, 0.5, &inducing, &items, &[Comparison { winner: 0, loser: 2, count: 3.0 }])?;
/// for _ in 0..20 {
///     let belief = Belief::new(&block.natural())?;
///     block.sweep(&belief, 1.0);
/// }
/// let posterior = BlocksPosterior::new(&kernel, 0.5, &inducing, &Belief::new(&block.natural())?)?;
/// assert!(posterior.probabilities(&items, &[(0, 2)])[0] > 0.8);
/// # Ok::<(), rather::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BlocksPosterior(Posterior);

impl BlocksPosterior {
    /// What `belief` says of utilities: `kernel`, `noise` and the items `inducing` are those of the blocks.
    ///
    /// # Errors
    /// [`Error::Covariance`] if the kernel gives something that is not a number; [`Error::Length`] if the belief is about another number
    /// of features.
    pub fn new(kernel: &Kernel, noise: f64, inducing: &Points, belief: &Belief) -> Result<Self, Error> {
        let all: Vec<usize> = (0..inducing.len()).collect();
        let prior = Prior::low_rank(kernel, inducing, &[], &all).ok_or(Error::Covariance)?;
        let (expected, found) = (prior.rank(), belief.weights.len());
        if expected != found {
            return Err(Error::Length { what: "the belief about the features", expected, found });
        }
        let log_det = 2.0 * (0..found).map(|i| belief.factor[(i, i)].ln()).sum::<f64>();
        let posterior = Absorbed {
            factor: belief.factor.clone(),
            weights: belief.weights.clone(),
            log_det,
            ..Absorbed::default()
        };
        let outcome = Outcome {
            log_evidence: belief.log_evidence,
            d_values: Vec::new(),
            status: Status::Converged,
            residual: 0.0,
            clipped: 0,
            trustworthy: true,
            sweeps: 0,
            sites: Sites::default(),
            posterior,
            implicit: None,
            d_rest: Vec::new(),
        };
        let observations = Observations::new(&[]);
        let problem = Problem {
            points: inducing,
            observations: &observations,
            method: Method::Ep,
            space: None,
            inducing: Some(&all),
        };
        Ok(Self(Posterior::new(&problem, kernel.clone(), noise, Evidence { prior, outcome })))
    }

    /// As [`Posterior::utilities`].
    pub fn utilities(&self, points: &Points) -> Moments {
        self.0.utilities(points)
    }

    /// As [`Posterior::relative_utilities`].
    pub fn relative_utilities(&self, points: &Points, reference: &Points) -> Moments {
        self.0.relative_utilities(points, reference)
    }

    /// As [`Posterior::covariance`].
    pub fn covariance(&self, points: &Points) -> Matrix {
        self.0.covariance(points)
    }

    /// As [`Posterior::differences`].
    pub fn differences(&self, points: &Points, pairs: &[(usize, usize)]) -> Moments {
        self.0.differences(points, pairs)
    }

    /// As [`Posterior::probabilities`].
    pub fn probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        self.0.probabilities(points, pairs)
    }

    /// As [`Posterior::joint`].
    pub fn joint(&self, points: &Points) -> Joint {
        self.0.joint(points)
    }
}

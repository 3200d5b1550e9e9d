//! Expectation propagation with features of low rank, block of comparisons by block: what a cluster runs.
//!
//! With sites `(tau, nu)` and projections `p = phi(x) - phi(x')`, all that blocks need of each other are the sums `sum tau p p'` and
//! `sum nu p` ([`Natural`]), `R^2 + R` numbers whatever the number of comparisons. A driver adds them up to a [`Belief`] of the
//! features' weights and hands it round; each [`Block`] then moves its own sites and says its new sums. A block that is lost starts again from
//! empty sites, and the fixpoint is the same: that of a site an answer ([`Factors::Answer`]), wherever the answers about a pair are.

use super::Factors;
use super::gradient::residual_shift;
use super::low_rank_gradient::{self, Fixpoint};
use super::observations::{Edge, Observation, Observations};
use super::prior::{Absorbed, GaussianPrior, Prior};
use super::sites::{Sites, Update};
use super::sweep::update_each;
use crate::answers::Answers;
use crate::kernel::Kernel;
use crate::likelihood::ResponseModel;
use crate::likelihood::{LOG_NOISE, Likelihoods};
use crate::points::Points;
use crate::{Comparison, Error};
use rather_numerics::linalg::{self, Matrix, dot, solve_lower_transposed_vec, solve_lower_vec};

/// What the sites of some comparisons say about the weights of the features.
#[derive(Debug, Clone, PartialEq)]
pub struct Natural {
    /// `sum tau p p'`, its lower triangle (`R x R`; the upper one is 0).
    pub precision: Matrix,
    /// `sum nu p`.
    pub shift: Vec<f64>,
}

impl Natural {
    /// Nothing said.
    pub fn nothing(features: usize) -> Self {
        Self { precision: Matrix::zeros(features, features), shift: vec![0.0; features] }
    }

    /// Adds what others say.
    ///
    /// # Errors
    /// [`Error::Length`] if they have another number of features.
    pub fn add(&mut self, other: &Self) -> Result<(), Error> {
        let (expected, found) = (self.shift.len(), other.shift.len());
        if expected != found || other.precision.rows() != expected || other.precision.cols() != expected {
            return Err(Error::Length { what: "a block's sums", expected, found });
        }
        linalg::axpy(1.0, other.precision.data(), self.precision.data_mut());
        linalg::axpy(1.0, &other.shift, &mut self.shift);
        Ok(())
    }
}

/// What is believed of the weights of the features, `w ~ N(B^-1 shift, B^-1)` with `B = I + precision`.
#[derive(Debug, Clone, PartialEq)]
pub struct Belief {
    /// Cholesky factor of `B` (lower triangle; the upper one is 0).
    pub factor: Matrix,
    /// `B^-1 shift`.
    pub weights: Vec<f64>,
    /// `shift' B^-1 shift / 2 - log |B| / 2`: the part of the log evidence that is nobody's own.
    pub log_evidence: f64,
}

impl Belief {
    /// The belief that follows from all blocks' sums.
    ///
    /// # Errors
    /// [`Error::Inference`] if they hold something that is not a number, or no precision.
    pub fn new(sum: &Natural) -> Result<Self, Error> {
        let rank = sum.shift.len();
        let mut factor = sum.precision.clone();
        factor.add_diagonal(1.0);
        if !linalg::cholesky(&mut factor) || sum.shift.iter().any(|x| !x.is_finite()) {
            return Err(Error::Inference);
        }
        for j in 0..rank {
            factor.col_mut(j)[..j].fill(0.0);
        }
        let log_det = 2.0 * (0..rank).map(|i| factor[(i, i)].ln()).sum::<f64>();
        let mut weights = sum.shift.clone();
        solve_lower_vec(&factor, &mut weights);
        solve_lower_transposed_vec(&factor, &mut weights);
        let log_evidence = 0.5 * dot(&sum.shift, &weights) - 0.5 * log_det;
        Ok(Self { factor, weights, log_evidence })
    }
}

/// What a block's sites were like before they moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Swept {
    /// The largest mismatch of tilted and marginal moments ([`super::Outcome::residual`]).
    pub residual: f64,
    /// The block's part of the log evidence.
    pub log_evidence: f64,
    /// Its part of the derivative in the log of the noise.
    pub d_log_noise: f64,
}

/// Some of the comparisons, with their sites.
#[derive(Debug, Clone)]
pub struct Block {
    /// The inducing items, then the items that this block compares.
    points: Points,
    inducing: usize,
    prior: Prior,
    observations: Vec<Observation>,
    likelihoods: Likelihoods,
    kernel: Kernel,
    sites: Sites,
}

impl Block {
    /// `comparisons` of `items`, with empty sites, in the features of the items `inducing` (the same for all blocks); `noise` is the
    /// standard deviation per item.
    ///
    /// # Errors
    /// [`Error::NoComparisons`], [`Error::UnknownItem`] and [`Error::SelfComparison`] for comparisons that are none; [`Error::Covariance`] if
    /// the kernel gives something that is not a number.
    ///
    /// # Examples
    /// ```
    /// use rather::inference::blocks::{Belief, Block, Natural};
    /// use rather::kernel::{Schema, parse};
    /// use rather::points::Points;
    /// use rather::Comparison;
    ///
    /// let kernel = parse("se", &Schema { names: vec!["x".into()], categorical: vec![false], context: 0 }, false)?;
    /// let items = Points::from_rows(&[[0.0], [0.5], [1.0]]);
    /// let duel = |winner, loser| [Comparison { winner, loser, count: 1.0 }];
    /// let block = |duels: &[Comparison]| Block::new(&kernel, 0.5, &items.select(&[0, 2]), &items, duels);
    /// let mut blocks = [block(&duel(0, 1))?, block(&duel(1, 2))?];
    /// let mut residual = f64::INFINITY;
    /// while residual > 1e-10 {
    ///     let mut sum = Natural::nothing(blocks[0].features());
    ///     blocks.iter().try_for_each(|block| sum.add(&block.natural()))?;
    ///     let belief = Belief::new(&sum)?;
    ///     let swept = blocks.each_mut().map(|block| block.sweep(&belief, 1.0).residual);
    ///     residual = swept.into_iter().fold(0.0, f64::max);
    /// }
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn new(
        kernel: &Kernel,
        noise: f64,
        inducing: &Points,
        items: &Points,
        comparisons: &[Comparison],
    ) -> Result<Self, Error> {
        let answers = Answers::from(comparisons);
        answers.check(items.len())?;
        let observations = Observations::of(&answers, &[], ResponseModel::default());
        let points = inducing.followed_by(&items.select(&observations.items));
        let first = inducing.len();
        let moved = |edge: &Edge| Edge::new(first + edge.plus(), edge.minus().map(|minus| first + minus));
        let edges: Vec<Edge> = observations.edges.iter().map(moved).collect();
        let chosen: Vec<usize> = (0..first).collect();
        let prior = Prior::low_rank(kernel, &points, &edges, &chosen).ok_or(Error::Covariance)?;
        let sites = Sites::empty(observations.merged.len());
        let likelihoods = Likelihoods::new(noise);
        Ok(Self {
            points,
            inducing: first,
            prior,
            observations: observations.merged,
            likelihoods,
            kernel: kernel.clone(),
            sites,
        })
    }

    /// The same comparisons with the same sites under another setting of the hyperparameters.
    ///
    /// # Errors
    /// [`Error::Covariance`] if the kernel gives something that is not a number.
    pub fn at(self, kernel: &Kernel, noise: f64) -> Result<Self, Error> {
        let chosen: Vec<usize> = (0..self.inducing).collect();
        let edges = &self.prior.item_edges;
        let prior = Prior::low_rank(kernel, &self.points, edges, &chosen).ok_or(Error::Covariance)?;
        Ok(Self { prior, kernel: kernel.clone(), likelihoods: Likelihoods::new(noise), ..self })
    }

    /// Number of features: at most that of the inducing items.
    pub fn features(&self) -> usize {
        self.prior.rank()
    }

    /// What this block's sites say about the features' weights.
    pub fn natural(&self) -> Natural {
        let rank = self.features();
        let (tau, nu) = self.sites.by_edge(&self.observations, self.prior.edges.len());
        let (mut precision, mut buffer) =
            (Matrix::zeros(rank, rank), Matrix::zeros(rank, self.prior.order.len()));
        self.prior.precision(&tau, &mut buffer, &mut precision);
        for j in 0..rank {
            precision.col_mut(j)[..j].fill(0.0);
        }
        precision.add_diagonal(-1.0);
        Natural { precision, shift: self.prior.features.times(&self.prior.scatter(&nu)) }
    }

    /// The moments of this block's projections under a belief.
    fn moments(&self, belief: &Belief) -> Absorbed {
        let mut half = self.prior.features.clone();
        linalg::solve_lower_trapezoid(&belief.factor, &mut half, self.prior.triangular);
        let nodes = self.prior.features.transpose_times(&belief.weights);
        let mean = self.prior.project(&nodes);
        let variance = self.prior.variances(&half);
        Absorbed { mean, variance, ..Absorbed::default() }
    }

    /// The updates of this block's sites, one an answer: a block does not know what others hold of a pair, and what is found must not depend on who holds
    /// what. Returns the largest mismatch.
    fn updates(&self, posterior: &Absorbed, take: impl FnMut(&Observation, &Update)) -> f64 {
        let Self { likelihoods, observations, sites, .. } = self;
        update_each(likelihoods, observations, Factors::Answer, sites, posterior, self.prior.rest(), take)
            .residual
    }

    /// Moves this block's sites by `step` (1 is all the way) towards those that match the moments under `belief`.
    pub fn sweep(&mut self, belief: &Belief, step: f64) -> Swept {
        let posterior = self.moments(belief);
        let mut swept = Swept { residual: 0.0, log_evidence: 0.0, d_log_noise: 0.0 };
        let mut target = Sites::with_capacity(self.observations.len());
        swept.residual = self.updates(&posterior, |o, update| {
            swept.log_evidence += o.count() * update.log_evidence;
            swept.d_log_noise += o.count() * update.d[LOG_NOISE];
            target.tau.push(update.tau);
            target.nu.push(update.nu);
        });
        let move_to = |site: &mut f64, target: f64| *site += step * (target - *site);
        self.sites.tau.iter_mut().zip(target.tau).for_each(|(site, target)| move_to(site, target));
        self.sites.nu.iter_mut().zip(target.nu).for_each(|(site, target)| move_to(site, target));
        swept
    }

    /// This block's part of the gradient of the log evidence in the logarithms of the kernel's parameters, at the fixpoint.
    pub fn gradient(&self, belief: &Belief) -> Vec<f64> {
        let (tau, nu) = self.sites.by_edge(&self.observations, self.prior.edges.len());
        let posterior = self.moments(belief);
        let mut left = vec![0.0; self.prior.edges.len()];
        self.updates(&posterior, |o, update| left[o.edge()] += o.count() * update.d_rest);
        let b = residual_shift(&nu, &tau, &posterior.mean);
        let at = Fixpoint { factor: &belief.factor, weights: &belief.weights, tau, b, left: &left };
        low_rank_gradient::in_kernel(&self.kernel, &self.points, &self.prior, &at)
    }
}

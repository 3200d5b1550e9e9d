//! The EP-VB scheme as published (Houlsby et al. 2012, supplement, section 4), with its misprints corrected.
//!
//! `q` is a product of univariate Gaussians over all pair values `h`, weights `w` and answers `g`; four approximate
//! factors are refined in turn: `f4` (prior of `h`), `f3` (prior of `w`), `f2` (`g = w'h`, by variational Bayes), `f1`
//! (probit). Its fixpoints are those of the merged form, which reaches them in tens of cycles where this one is still
//! moving after a thousand; and as its damping anneals to nothing, its steps get small whether it has converged or not.
//!
//! Corrected against print: the site of a factor is the marginal less the *other* factor's site, in natural parameters
//! (23, 27, 31 to 36); a site whose precision would be negative keeps its old value; `K_users` in (29); the unit noise
//! in (39, 40).

use super::sides::Half;
use super::state::{Problem, State, UserWeights, log_integral};
use super::vb::{Factor, Product};
use crate::inference::sites::{Sites, update};
use rather_numerics::watch;

/// How the factor of the product is refined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ascent {
    /// Coordinate ascent, one user's weights or one pair's values at a time: monotone, no step size.
    #[default]
    Block,
    /// The gradient method of Raiko et al. (2007), which the paper takes; the same optimum.
    Raiko,
}

/// Choices of the published scheme.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PublishedScheme {
    /// Damping at the start: 1 in the paper, 0.5 in the authors' programs.
    pub damping: f64,
    /// The factor on it after every cycle: 0.95 in the paper.
    pub annealing: f64,
    /// The change of any `E g` that counts as none: 1e-2 in the paper. It shrinks with the damping.
    pub tolerance: f64,
    /// Largest number of cycles.
    pub cycles: usize,
    /// How the factor of the product is refined.
    pub ascent: Ascent,
}

impl Default for PublishedScheme {
    fn default() -> Self {
        Self { damping: 0.5, annealing: 0.95, tolerance: 1e-2, cycles: 300, ascent: Ascent::Block }
    }
}

/// Where a published run ended.
pub(super) struct Ended {
    pub(super) state: State,
    pub(super) log_evidence: f64,
    pub(super) residual: f64,
    pub(super) cycles: usize,
    pub(super) converged: bool,
}

/// The approximate factors.
struct Scheme<'a, 'b> {
    problem: &'b Problem<'a>,
    /// `f1` and `f2` on every answer.
    f1: Sites,
    f2: Sites,
    /// `f2` on weights and pair values, a latent function an entry.
    f2_users: Vec<Sites>,
    f2_items: Vec<Sites>,
    /// `f3` on weights with its normalisers, `f4` on pair values with its own.
    f3: Vec<Sites>,
    f4: Vec<Sites>,
    log_normalisers: f64,
    product: Product<'a, 'b>,
    mean: Vec<f64>,
    skipped: usize,
}

/// Runs the scheme from the guess that `start` holds.
pub(super) fn run(problem: &Problem<'_>, start: &State, choices: &PublishedScheme) -> Option<Ended> {
    let mut scheme = Scheme::new(problem, start)?;
    let (mut damping, mut residual, mut cycles) = (choices.damping, f64::INFINITY, 0);
    while residual > choices.tolerance && cycles < choices.cycles && !watch::ends() {
        residual = scheme.cycle(damping, choices.ascent)?;
        damping *= choices.annealing;
        cycles += 1;
    }
    let log_evidence = scheme.log_evidence()?;
    let converged = residual <= choices.tolerance;
    Some(Ended { state: scheme.into_state(start)?, log_evidence, residual, cycles, converged })
}

impl<'a, 'b> Scheme<'a, 'b> {
    /// Uniform sites but for `f1`, which `start` has made from the prior moments; the means of `start` break the
    /// symmetry.
    fn new(problem: &'b Problem<'a>, start: &State) -> Option<Self> {
        let (users, pairs) = (problem.answers.users(), problem.answers.edges().len());
        let functions = start.items.len();
        let n = problem.answers.records().len();
        let factor = |halves: &[Half]| Factor {
            mean: halves.iter().map(|h| h.posterior.mean.clone()).collect(),
            variance: halves.iter().map(|h| h.posterior.variance.clone()).collect(),
        };
        let mut out = Self {
            problem,
            f1: start.sites.clone(),
            f2: start.cavities.clone(),
            f2_users: vec![Sites::empty(users); functions],
            f2_items: vec![Sites::empty(pairs); functions],
            f3: vec![Sites::empty(users); functions],
            f4: vec![Sites::empty(pairs); functions],
            log_normalisers: 0.0,
            product: Product {
                problem,
                users: factor(start.weights.per_function()),
                items: factor(&start.items),
            },
            mean: vec![0.0; n],
            skipped: 0,
        };
        out.priors(1.0)?;
        Some(out)
    }

    /// One cycle in the paper's order; returns the largest change of any `E g`.
    fn cycle(&mut self, damping: f64, ascent: Ascent) -> Option<f64> {
        self.priors(damping)?;
        match ascent {
            Ascent::Block => self.product.block_ascent(&self.f1, &self.f3, &self.f4)?,
            Ascent::Raiko => self.product.raiko(&self.f1, &self.f3, &self.f4)?,
        }
        let (mean, variance) = self.product.moments();
        self.skipped += refine(&mut self.f2, &mean, &variance, &self.f1, damping);
        for d in 0..self.f3.len() {
            let Product { users, items, .. } = &self.product;
            let (w, vw, h, vh) = (&users.mean[d], &users.variance[d], &items.mean[d], &items.variance[d]);
            self.skipped += refine(&mut self.f2_users[d], w, vw, &self.f3[d], damping);
            self.skipped += refine(&mut self.f2_items[d], h, vh, &self.f4[d], damping);
        }
        self.probit(damping);
        let moved = |(a, b): (&f64, &f64)| (a - b).abs();
        let change = mean.iter().zip(&self.mean).map(moved).fold(0.0, f64::max);
        self.mean = mean;
        change.is_finite().then_some(change)
    }

    /// `f4` and `f3`: the exact marginals of prior times the other factor's sites ((22) to (29)).
    fn priors(&mut self, damping: f64) -> Option<()> {
        self.log_normalisers = 0.0;
        for d in 0..self.f3.len() {
            let sites = self.f2_items[d].clone();
            let half = Half::of_items(self.problem.items, sites.tau, sites.nu)?.posterior;
            self.log_normalisers += half.log_normaliser;
            self.skipped += refine(&mut self.f4[d], &half.mean, &half.variance, &self.f2_items[d], damping);
            let sites = self.f2_users[d].clone();
            let half = Half::of_users(self.problem.users, sites.tau, sites.nu)?.posterior;
            self.log_normalisers += half.log_normaliser;
            self.skipped += refine(&mut self.f3[d], &half.mean, &half.variance, &self.f2_users[d], damping);
        }
        Some(())
    }

    /// `f1`: the probit, from the cavity that is `f2`'s site.
    fn probit(&mut self, damping: f64) {
        for (n, r) in self.problem.answers.records().iter().enumerate() {
            let (tau, nu) = (self.f2.tau[n], self.f2.nu[n]);
            // An empty site and the cavity as marginal: the update is the plain tilted one.
            let new =
                update(self.problem.likelihoods.of(r.answer), 0.0, 0.0, r.sign * nu / tau, 1.0 / tau, 0.0);
            self.f1.tau[n] += damping * (new.tau - self.f1.tau[n]);
            self.f1.nu[n] += damping * (r.sign * new.nu - self.f1.nu[n]);
        }
    }

    /// (44) to (52), corrected, in natural parameters: the four factors' normalisers less one integral a variable.
    fn log_evidence(&mut self) -> Option<f64> {
        self.priors(0.0)?;
        let mut sum = self.product.bound(&self.f1, &self.f3, &self.f4) + self.log_normalisers;
        for (n, r) in self.problem.answers.records().iter().enumerate() {
            let (t1, n1, t2, n2) = (self.f1.tau[n], self.f1.nu[n], self.f2.tau[n], self.f2.nu[n]);
            let log_z = self.problem.likelihoods.of(r.answer).tilt(r.sign * n2 / t2, 1.0 / t2).log_z;
            sum += r.count * (log_z + log_integral(t2, n2) - log_integral(t1 + t2, n1 + n2));
        }
        // The constants log(2 pi) / 2 of `bound`, one a variable, cancel against those of these integrals.
        let both = |a: &[Sites], b: &[Sites]| -> f64 {
            let one = |(a, b): (&Sites, &Sites)| -> f64 {
                (0..a.tau.len()).map(|i| log_integral(a.tau[i] + b.tau[i], a.nu[i] + b.nu[i])).sum()
            };
            a.iter().zip(b).map(one).sum()
        };
        Some(sum - both(&self.f2_users, &self.f3) - both(&self.f2_items, &self.f4))
    }

    /// The same `q` with full covariances: priors times the sites of `f2`.
    fn into_state(self, start: &State) -> Option<State> {
        let mut out = start.clone();
        let of_users = |sites: Sites| Half::of_users(self.problem.users, sites.tau, sites.nu);
        out.weights =
            UserWeights::PerFunction(self.f2_users.into_iter().map(of_users).collect::<Option<_>>()?);
        for (half, sites) in out.items.iter_mut().zip(self.f2_items) {
            *half = Half::of_items(self.problem.items, sites.tau, sites.nu)?;
        }
        (out.sites, out.cavities, out.skipped) = (self.f1, self.f2, self.skipped);
        out.refresh_moments(self.problem);
        Some(out)
    }
}

/// The site that turns the other factor's site into the marginal (`mean`, `variance`), damped; where its precision
/// would not be positive the old site stays. Returns how many stayed.
fn refine(site: &mut Sites, mean: &[f64], variance: &[f64], other: &Sites, damping: f64) -> usize {
    let mut kept = 0;
    for i in 0..mean.len() {
        let tau = 1.0 / variance[i] - other.tau[i];
        // Where nothing was said, the marginal is the other factor's up to rounding: a uniform site, not a skip.
        let silent = tau.abs() <= 1e-12 / variance[i];
        if !(silent || tau > 0.0 && tau.is_finite()) {
            kept += 1;
            continue;
        }
        let (tau, nu) = if silent { (0.0, 0.0) } else { (tau, mean[i] / variance[i] - other.nu[i]) };
        site.tau[i] += damping * (tau - site.tau[i]);
        site.nu[i] += damping * (nu - site.nu[i]);
    }
    kept
}

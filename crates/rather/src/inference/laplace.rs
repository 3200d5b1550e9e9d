//! Laplace's approximation: a Gaussian at the posterior mode with the curvature there.
//!
//! Newton's method in feature space: the sites `tau = W(z)`, `nu = W(z) z + g(z)` (curvature `W`, slope `g` of
//! the log likelihood at `z`) give the next mode by the same [`GaussianPrior::absorb_into`] as EP's. Of an answer about a set of items
//! the curvature is a weighted Laplacian on them: sites on all its pairs, among which its slope is shared. Source: Chu and
//! Ghahramani (2005); Rasmussen and Williams (2006), section 3.4 and, for the gradient, 5.5.1.

use super::observations::Observation;
use super::prior::{Absorbed, GaussianPrior};
use super::sites::{Sites, each_factor};
use super::{Factors, Outcome, ROUNDING, Settings, Status, as_number, is_trustworthy, set_factor};
use crate::likelihood::{Likelihoods, LogDensity, Slopes};
use rather_numerics::linalg::dot;
use rather_numerics::watch;

/// The standard deviation of a projection, as a share of the widest one's, below which its steps are rounding: the root of the precision of
/// numbers, as variances are sums of squares.
const ALIKE: f64 = 1e-8;
/// Halvings of one Newton step before it is given up.
const HALVINGS: usize = 40;

/// Newton's steps that do not halve the residual, after which rounding is all that is left of a small one.
const IN_VAIN: usize = 10;

/// Finds the mode. `start` only serves as a first guess of it.
pub fn run(
    prior: &dyn GaussianPrior,
    observations: &[Observation],
    likelihoods: &Likelihoods,
    start: Sites,
    settings: &Settings,
) -> Option<Outcome> {
    let problem = Problem { prior, observations, likelihoods };
    let (tau, nu) = start.by_edge(observations, prior.projections());
    let nothing = vec![0.0; tau.len()];
    let first = prior
        .absorb_into(&tau, &nu, Absorbed::default())
        .or_else(|| prior.absorb_into(&nothing, &nothing, Absorbed::default()))?;
    let mut point = problem.point(first.weights.clone(), first.mean.clone());
    if settings.sweeps == 0 {
        // The sites are given, and so is the posterior, to the bit; not even a last step is taken from there.
        return Some(problem.finish(point, first, start, (0.0, 0, Status::Limit)));
    }
    let (mut posterior, mut residual, mut exact);
    let mut memory = first;
    let (mut steps, mut least, mut in_vain) = (0, f64::INFINITY, 0);
    let stalled;
    loop {
        if watch::ends() {
            return None;
        }
        (posterior, residual, exact) = problem.newton(&point, std::mem::take(&mut memory))?;
        if residual <= settings.tolerance || steps == settings.sweeps {
            stalled = !exact;
            break;
        }
        (least, in_vain) = if residual <= 0.5 * least { (residual, 0) } else { (least, in_vain + 1) };
        if in_vain == IN_VAIN && residual <= ROUNDING {
            stalled = true;
            break;
        }
        steps += 1;
        match problem.line_search(&point, &posterior) {
            Some(next) => (point, memory) = (next, posterior),
            None => {
                stalled = true;
                break;
            }
        }
    }
    let status = match residual {
        r if r <= settings.tolerance && exact => Status::Converged,
        r if stalled && exact && r <= ROUNDING => Status::Stalled,
        _ => Status::Limit,
    };
    // Those that the posterior has absorbed.
    let sites = problem.sites(&point, if exact { f64::NEG_INFINITY } else { 0.0 });
    Some(problem.finish(point, posterior, sites, (residual, steps, status)))
}

struct Problem<'a> {
    prior: &'a dyn GaussianPrior,
    observations: &'a [Observation],
    likelihoods: &'a Likelihoods,
}

/// A point in feature space, the projections there, and the log posterior up to a constant.
struct Point {
    weights: Vec<f64>,
    z: Vec<f64>,
    densities: Vec<LogDensity>,
    objective: f64,
}

impl Problem<'_> {
    fn point(&self, weights: Vec<f64>, z: Vec<f64>) -> Point {
        let densities = self.densities(&z);
        let log_likelihood: f64 =
            self.observations.iter().zip(&densities).map(|(o, d)| o.count() * d.value).sum();
        let objective = log_likelihood - 0.5 * dot(&weights, &weights);
        Point { weights, z, densities, objective }
    }

    /// The log densities of all observations where the projections are `z`; of an answer about a set the shares of its pairs.
    fn densities(&self, z: &[f64]) -> Vec<LogDensity> {
        let mut out = Vec::with_capacity(self.observations.len());
        for answer in self.answers() {
            let o = answer[0];
            match self.likelihoods.gumbel_set(o.answer) {
                None => out.push(self.likelihoods.of(o.answer).log_density(o.sign() * z[o.edge()])),
                Some(set) => {
                    let utilities = set_factor::utilities(answer, set.order().options(), z);
                    out.extend(set.log_densities(&utilities));
                }
            }
        }
        out
    }

    /// The observations of one answer after the other: there is one, or one a pair of a set.
    fn answers(&self) -> impl Iterator<Item = &[Observation]> {
        each_factor(self.likelihoods, self.observations, Factors::Answer)
    }

    /// The sites at `point`, with precisions of at least `least`.
    fn sites(&self, point: &Point, least: f64) -> Sites {
        let own = self.observations.iter().map(|o| o.sign() * point.z[o.edge()]);
        let tau: Vec<f64> = point.densities.iter().map(|d| d.precision.max(least)).collect();
        let nu = point.densities.iter().zip(&tau).zip(own).map(|((d, t), z)| t * z + d.first).collect();
        Sites { tau, nu }
    }

    /// The Gaussian whose mean is the full Newton step from `point`, that step's largest component in posterior standard deviations, and
    /// whether it has all of the curvature: away from the mode of factors that are not log-concave there may be no such Gaussian, and
    /// only the curvature that is positive is taken, which still leads uphill.
    fn newton(&self, point: &Point, memory: Absorbed) -> Option<(Absorbed, f64, bool)> {
        let of = |sites: Sites| sites.by_edge(self.observations, self.prior.projections());
        let (tau, nu) = of(self.sites(point, f64::NEG_INFINITY));
        let whole = self.prior.absorb_into(&tau, &nu, memory);
        let exact = whole.is_some();
        let posterior = whole.or_else(|| {
            let (tau, nu) = of(self.sites(point, 0.0));
            self.prior.absorb_into(&tau, &nu, Absorbed::default())
        })?;
        let widest = posterior.variance.iter().copied().fold(0.0, f64::max).sqrt();
        let residual = (0..point.z.len())
            .filter(|&e| posterior.variance[e] > 0.0)
            .map(|e| {
                // Rounding leaves a difference of equal items a variance, too.
                let sd = posterior.variance[e].sqrt().max(ALIKE * widest);
                (posterior.mean[e] - point.z[e]).abs() / sd
            })
            .fold(0.0, f64::max);
        Some((posterior, residual, exact))
    }

    fn line_search(&self, from: &Point, target: &Absorbed) -> Option<Point> {
        let blend = |step: f64, a: &[f64], b: &[f64]| -> Vec<f64> {
            a.iter().zip(b).map(|(a, b)| a + step * (b - a)).collect()
        };
        // Rounding of the objective, below which a step cannot be told from none.
        let slack = 1e-13 * from.objective.abs();
        (0..HALVINGS).map(|k| 0.5_f64.powi(k as i32)).find_map(|step| {
            let next =
                self.point(blend(step, &from.weights, &target.weights), blend(step, &from.z, &target.mean));
            (next.objective >= from.objective - slack).then_some(next)
        })
    }

    fn finish(
        &self,
        point: Point,
        posterior: Absorbed,
        sites: Sites,
        (residual, sweeps, status): (f64, usize, Status),
    ) -> Outcome {
        let implicit = self.pull_of_curvature(&point, &posterior);
        let log_evidence = point.objective - 0.5 * self.prior.log_det(&posterior);
        // Away from a mode of factors that are not log-concave there may be no Gaussian.
        let near = status != Status::Limit || residual <= ROUNDING;
        let Self { observations, likelihoods, .. } = *self;
        Outcome {
            trustworthy: near && is_trustworthy(residual, ROUNDING, log_evidence, observations, likelihoods),
            log_evidence: as_number(log_evidence),
            d_values: self.d_values(&point, &posterior, &implicit),
            status,
            residual: as_number(residual),
            clipped: 0,
            sweeps,
            sites,
            posterior: Absorbed { half: Default::default(), ..posterior },
            implicit: Some(implicit),
            d_rest: Vec::new(),
        }
    }

    /// The derivative of `-log|B| / 2` in each projection of the mode: moving the mode changes the curvature.
    fn pull_of_curvature(&self, point: &Point, posterior: &Absorbed) -> Vec<f64> {
        let mut pull = vec![0.0; self.prior.projections()];
        for (o, d) in self.observations.iter().zip(&point.densities) {
            pull[o.edge()] += 0.5 * o.count() * o.sign() * posterior.variance[o.edge()] * d.third;
        }
        for answer in self.answers() {
            let Some(set) = self.likelihoods.gumbel_set(answer[0].answer) else { continue };
            let n = set.order().options();
            let variances: Vec<f64> = answer.iter().map(|o| posterior.variance[o.edge()]).collect();
            let of_items = set.pull(&set_factor::utilities(answer, n, &point.z), &variances);
            for (o, (a, b)) in answer.iter().zip(set.order().each_pair()) {
                pull[o.edge()] += o.count() * o.sign() * (of_items[a] - of_items[b]) / n as f64;
            }
        }
        pull
    }

    /// The derivatives in the likelihoods' values: of the objective and the curvature at the mode, and of the mode, which moves.
    fn d_values(&self, point: &Point, posterior: &Absorbed, pull: &[f64]) -> Vec<f64> {
        let values = self.likelihoods.values();
        let mut explicit = vec![0.0; values];
        for (o, d) in self.observations.iter().zip(&point.densities) {
            let variance = posterior.variance[o.edge()];
            let slopes: Slopes = std::array::from_fn(|k| d.value_d[k] - 0.5 * variance * d.precision_d[k]);
            self.likelihoods.add_slopes(o.answer, &slopes, o.count(), &mut explicit);
        }
        // With x = B^-1-moved pull, the mode's part is x times the slopes: one solve for all values.
        let moved = self.prior.shift(posterior, pull);
        for (o, d) in self.observations.iter().zip(&point.densities) {
            let weight = o.count() * o.sign() * moved[o.edge()];
            self.likelihoods.add_slopes(o.answer, &d.first_d, weight, &mut explicit);
        }
        explicit
    }
}

//! Expectation propagation by messages, its evidence and gradient.

use super::super::steps::Dynamics;
use super::level::Level;
use super::small;
use super::sweep::{Messages, NARROWEST, Sweeper, with, without};
use super::{Chain, ChainsPrior};
use crate::inference::anderson::Anderson;
use crate::inference::observations::Observation;
use crate::inference::prior::Absorbed;
use crate::inference::sites::{Sites, of_factor, update_factor};
use crate::inference::{Outcome, ROUNDING, Settings, Status, as_number, is_trustworthy};
use crate::kernel::Carrier;
use crate::likelihood::Likelihoods;
use rather_numerics::watch;

/// What the chains are at a fixpoint, or near one.
#[derive(Debug, Clone)]
pub struct Settled {
    /// Evidence, sites, status; the posterior holds the means and variances of the projections.
    pub outcome: Outcome,
    /// The gradient of the log evidence in the logarithms of the kernel's parameters.
    pub gradient: Vec<f64>,
    /// What was said.
    pub messages: Messages,
}

/// The slopes of the log evidence in a step: the mean's, and twice the covariance's.
struct Pull {
    r: Vec<f64>,
    curvature: Vec<f64>,
}

impl ChainsPrior {
    /// Expectation propagation by messages, from earlier ones or from none. `None` if it was ended.
    pub fn run(
        &self,
        observations: &[Observation],
        likelihoods: &Likelihoods,
        start: Option<Messages>,
        settings: &Settings,
    ) -> Option<Settled> {
        let begins = begins(observations, self.chains.shape.order.len());
        let messages = start.unwrap_or_else(|| Messages::empty(&self.chains.shape, observations.len()));
        let mut sweeper =
            Sweeper::new(self, (observations, &begins), likelihoods, settings.factors, messages);
        let all = 0..self.chains.shape.order.len();
        let tolerance = settings.tolerance;
        let (mut sweeps, mut residual, mut best);
        (sweeps, best) = (0, f64::INFINITY);
        let mut anderson = Anderson::new(DEPTH);
        let level = Level::new(self);
        loop {
            if watch::ends() {
                return None;
            }
            let before = sweeper.messages.said();
            sweeper.pass(all.clone(), true);
            residual = sweeper.pass(all.clone(), false);
            sweeps += 1;
            if residual <= tolerance || sweeps >= settings.sweeps.max(1) {
                break;
            }
            if let Some(level) = &level {
                level.correct(&mut sweeper);
            }
            if residual > GROWTH * best {
                anderson.restart();
                best = residual;
                sweeper.look_back();
                continue;
            }
            best = best.min(residual);
            let step = sweeper.messages.said().minus(&before);
            sweeper.messages.say(anderson.next(before, step, |_| (1.0, 1.0), 1.0));
            sweeper.look_back();
        }
        let status = if residual <= tolerance { Status::Converged } else { Status::Limit };
        Some(sweeper.finish(status, sweeps))
    }

    /// The messages that belong to known sites.
    pub fn settle(
        &self,
        observations: &[Observation],
        likelihoods: &Likelihoods,
        sites: Sites,
        settings: &Settings,
    ) -> Option<Settled> {
        let begins = begins(observations, self.chains.shape.order.len());
        let messages = Messages { sites, ..Messages::empty(&self.chains.shape, 0) };
        let mut sweeper =
            Sweeper::new(self, (observations, &begins), likelihoods, settings.factors, messages);
        sweeper.fixed = true;
        let level = Level::new(self);
        let all = 0..self.chains.shape.order.len();
        let mut sweeps = 0;
        loop {
            let before = sweeper.messages.said.clone();
            sweeper.pass(all.clone(), true);
            sweeper.pass(all.clone(), false);
            if let Some(level) = &level {
                level.correct(&mut sweeper);
                sweeper.look_back();
            }
            sweeps += 1;
            let change = |(a, b): (&(f64, f64), &(f64, f64))| {
                ((a.0 - b.0).abs() / b.0.abs().max(1e-300))
                    .max((a.1 - b.1).abs() / (b.1.abs() + b.0.abs().sqrt()).max(1e-300))
            };
            let moved = before.iter().zip(&sweeper.messages.said).map(change).fold(0.0, f64::max);
            if moved <= settings.tolerance || sweeps >= SETTLING || watch::ends() {
                break;
            }
        }
        sweeper.fixed = false;
        Some(sweeper.finish(Status::Converged, sweeps))
    }
}

/// Sweeps that acceleration remembers.
const DEPTH: usize = 8;
/// Growth of the residual over its best at which acceleration starts anew.
const GROWTH: f64 = 3.0;
/// Sweeps after which messages between known sites are taken as they are.
const SETTLING: usize = 100;

/// Where the observations of each of so many projections begin.
pub fn begins(observations: &[Observation], edges: usize) -> Vec<usize> {
    let mut begins = vec![0; edges + 1];
    let of_edges = observations.chunk_by(|a, b| a.edge() == b.edge());
    of_edges.for_each(|of| begins[of[0].edge() + 1] = of.len());
    (0..edges).for_each(|e| begins[e + 1] += begins[e]);
    begins
}

impl Sweeper<'_> {
    /// The evidence, its gradient, and the marginals of the projections, at the messages that there are.
    ///
    /// Bethe's approximation: $\sum_c\log Z_c+\sum_m\log Z_m$ less what each message was counted twice, for the chains $c$ with all messages, and the
    /// comparisons $m$ with the cavities of their sides. It is stationary in the messages, so its gradient is that of the chains' normalisers.
    fn finish(mut self, status: Status, sweeps: usize) -> Settled {
        let shape = self.shape;
        let edges = shape.order.len();
        let mut gradient = vec![0.0; self.prior.parameters.len()];
        let mut log_evidence = 0.0;
        let mut marginals = vec![(0.0, 0.0); shape.touches.node.len()];
        for chain in &shape.chains {
            log_evidence += self.smooth(chain, &mut marginals, &mut gradient);
        }
        let mut d_values = vec![0.0; self.likelihoods.values()];
        let mut residual = 0.0_f64;
        let mut clipped = 0;
        let (mut means, mut variances) = (Vec::with_capacity(edges), Vec::with_capacity(edges));
        for edge in 0..edges {
            let (mut mean, mut variance) = (0.0, 0.0);
            for touch in shape.touches.of(edge) {
                let said = self.messages.said[touch];
                let cavity = without(marginals[touch], said);
                log_evidence -= small::log_integral(said, cavity);
                mean += cavity.0;
                variance += cavity.1;
            }
            let own = self.begins[edge]..self.begins[edge + 1];
            let factor = &self.observations[own.clone()];
            let sites = &self.messages.sites;
            let site = of_factor(factor, &sites.tau[own.clone()], &sites.nu[own]);
            let marginal = with((mean, variance), site);
            let updated = update_factor(self.likelihoods, factor, self.factors, site, marginal, 0.0);
            log_evidence += small::log_integral(site, (mean, variance));
            let mismatch = updated.first.mismatch;
            residual = if mismatch.is_nan() { f64::INFINITY } else { residual.max(mismatch) };
            clipped += usize::from(updated.first.left < NARROWEST);
            for (o, update) in factor.iter().zip(updated.each()) {
                log_evidence += o.count() * update.log_evidence;
                self.likelihoods.add_slopes(o.answer, &update.d, o.count(), &mut d_values);
            }
            means.push(marginal.0);
            variances.push(marginal.1);
        }
        let trustworthy =
            is_trustworthy(residual, ROUNDING, log_evidence, self.observations, self.likelihoods);
        let outcome = Outcome {
            log_evidence: as_number(log_evidence),
            d_values,
            status: if trustworthy { status } else { Status::Limit },
            residual: as_number(residual),
            trustworthy,
            clipped,
            sweeps,
            sites: self.messages.sites.clone(),
            posterior: Absorbed { mean: means, variance: variances, ..Absorbed::default() },
            implicit: None,
            d_rest: Vec::new(),
        };
        Settled { outcome, gradient, messages: self.messages }
    }

    /// Smooths one chain with the messages that there are: the marginals of its touches, the gradient of its normaliser, and that normaliser.
    fn smooth(&mut self, chain: &Chain, marginals: &mut [(f64, f64)], gradient: &mut [f64]) -> f64 {
        let shape = self.shape;
        let d = chain.dim;
        chain.nodes.clone().for_each(|node| self.look_ahead_to(node));
        chain.nodes.clone().rev().for_each(|node| self.look_back_to(node));
        let (mut mean, mut covariance) = (vec![0.0; d], vec![0.0; d * d]);
        let mut log_integral = 0.0;
        for node in chain.nodes.clone() {
            let vector = shape.means[node]..shape.means[node + 1];
            let square = shape.covariances[node]..shape.covariances[node + 1];
            self.bring_all(node);
            let (r, curvature) = small::slopes(
                &self.messages.means[vector.clone()],
                &self.messages.covariances[square.clone()],
                &self.shift,
                &self.precision,
                &mut self.scratch,
            );
            // Before this node `mean` and `covariance` are what is known of the node before it, with what was said there.
            let filtered = (node > chain.nodes.start).then_some((mean.as_slice(), covariance.as_slice()));
            self.prior.pull(chain, node, filtered, &Pull { r, curvature }, gradient);
            mean.copy_from_slice(&self.messages.means[vector.clone()]);
            covariance.copy_from_slice(&self.messages.covariances[square.clone()]);
            for &touch in shape.touches_of(node) {
                let (factors, said) =
                    (shape.touches.factors(touch as usize), self.messages.said[touch as usize]);
                log_integral += small::log_integral(said, small::along(factors, &mean, &covariance));
                small::multiply(&mut mean, &mut covariance, factors, said, &mut self.scratch);
            }
            let (mut whole, mut spread) = (mean.clone(), covariance.clone());
            small::combine(
                &mut whole,
                &mut spread,
                &self.messages.shifts[vector],
                &self.messages.precisions[square],
                &mut self.scratch,
            );
            for &touch in shape.touches_of(node) {
                marginals[touch as usize] =
                    small::along(shape.touches.factors(touch as usize), &whole, &spread);
            }
        }
        log_integral
    }
}

impl ChainsPrior {
    /// Adds what the step to a node contributes to the gradient: $r^\top dA\,m+\mathrm{tr}(G\,dA\,PA^\top)+\mathrm{tr}(G\,dQ)/2$ for the mean $m$ and the
    /// covariance $P$ before the step, and $G$ the pull on the covariance.
    fn pull(
        &self,
        chain: &Chain,
        node: usize,
        filtered: Option<(&[f64], &[f64])>,
        Pull { r, curvature }: &Pull,
        gradient: &mut [f64],
    ) {
        let shape = &self.chains.shape;
        let d = chain.dim;
        let square = shape.covariances[node]..shape.covariances[node + 1];
        let (transition, noise) = (&self.transitions[square.clone()], &self.noises[square]);
        for part in &chain.parts {
            let term = &shape.terms[part.term];
            let each = part.offset..part.offset + term.order();
            let half_trace =
                |k: usize| each.clone().map(|j| curvature[k * d + j] * noise[k * d + j]).sum::<f64>() / 2.0;
            let of_rows: Vec<f64> = each.clone().map(half_trace).collect();
            term.variances.iter().for_each(|&place| gradient[place] += of_rows.iter().sum::<f64>());
            match &term.carrier {
                Carrier::Weights { lengthscales, .. } => {
                    for (k, slope) in of_rows.iter().enumerate() {
                        if let Some(&place) = lengthscales.get(k.min(lengthscales.len().saturating_sub(1))) {
                            gradient[place] -= 2.0 * slope;
                        }
                    }
                }
                Carrier::Process { lengthscale: Some(place), .. } => {
                    let (Some((mean, covariance)), Some(dynamics)) =
                        (filtered, term.dynamics(&self.parameters))
                    else {
                        continue;
                    };
                    let dt = shape.times[node] - shape.times[node - 1];
                    gradient[*place] -=
                        by_rate(&dynamics, dt, part.offset, (transition, mean, covariance), (r, curvature));
                }
                _ => (),
            }
        }
    }
}

/// The slope in the logarithm of the rate of one process, whose states stand from `offset` on.
fn by_rate(
    dynamics: &Dynamics,
    dt: f64,
    offset: usize,
    (transition, mean, covariance): (&[f64], &[f64], &[f64]),
    (r, curvature): (&[f64], &[f64]),
) -> f64 {
    let d = mean.len();
    let s = dynamics.rate * dt;
    let (d_a, d_q) = (dynamics.process.transition_slope(s), dynamics.process.noise_slope(s));
    let n = d_a.rows();
    let mut sum = 0.0;
    for i in 0..n {
        for j in 0..n {
            let (row, column) = (offset + i, offset + j);
            // (P A' G)_ji over all components, for G is that of the whole state.
            let spread: f64 = (0..d)
                .map(|k| {
                    let carried: f64 =
                        (0..d).map(|l| covariance[column * d + l] * transition[k * d + l]).sum();
                    carried * curvature[k * d + row]
                })
                .sum();
            sum += d_a[(i, j)] * (r[row] * mean[column] + spread);
            sum += 0.5 * dynamics.variance * curvature[row * d + column] * d_q[(i, j)];
        }
    }
    sum
}

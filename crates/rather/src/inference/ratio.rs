//! The likelihoods over the sites that stand for them: what a Gaussian approximation leaves out of the posterior.

use super::observations::Observation;
use super::prior::Prior;
use super::sites::{Sites, product};
use crate::likelihood::Likelihoods;

/// The log of the exact posterior over its Gaussian approximation, but for a constant, where the projections are `z`. Not of answers about sets, which have
/// no closed density.
///
/// # Formula
/// $\sum_mk_m\big[\log t_m(z_m)-\tilde\nu_mz_m+\tfrac12\tilde\tau_mz_m^2\big]$; where pairs have random effects these are integrated out, and $t$ is of all
/// answers about a pair.
pub(crate) fn log_ratio(
    prior: &Prior,
    sites: &Sites,
    observations: &[Observation],
    likelihoods: &Likelihoods,
    z: &[f64],
) -> f64 {
    if !prior.rest.is_empty() {
        return of_pairs(prior, sites, observations, likelihoods, z);
    }
    let term = |(o, (tau, nu)): (&Observation, (&f64, &f64))| {
        let z = o.sign() * z[o.edge()];
        o.count() * (likelihoods.of(o.answer).log_density(z).value + z * (0.5 * tau * z - nu))
    };
    observations.iter().zip(sites.tau.iter().zip(&sites.nu)).map(term).sum()
}

fn of_pairs(
    prior: &Prior,
    sites: &Sites,
    observations: &[Observation],
    likelihoods: &Likelihoods,
    z: &[f64],
) -> f64 {
    let (tau, nu) = sites.by_edge(observations, prior.edges.len());
    let term = |factor: &[Observation]| {
        let e = factor[0].edge();
        let likelihood = product(likelihoods, factor).tilt(z[e], prior.rest[e]).0.log_z;
        likelihood + z[e] * (0.5 * tau[e] * z[e] - nu[e])
    };
    observations.chunk_by(|a, b| a.edge() == b.edge()).map(term).sum()
}

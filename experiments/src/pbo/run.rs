//! One run of one policy.

use anyhow::Result;
use rather::design::{
    Column, Outcome, Policy, Prior, Request, Trial, fit, never, next_in_domain, recommend_in_domain,
};
use rather::search::Domain;
use rather_numerics::random::{normal, stream};

use super::functions::Standardised;
use crate::tuning::number;

/// The standard deviation of a comparison's noise, in units of the function's.
pub(super) const NOISE: f64 = 0.1;

/// The regret of the setting that `policy` recommends after `comparisons` of `function`. Runs with the same seed have the same noise.
pub(super) fn regret(
    policy: &Policy,
    prior: &Prior,
    function: &Standardised,
    comparisons: usize,
    seed: u64,
) -> Result<f64> {
    let domain = Domain::unit_box(function.dims());
    let columns = Column::of_domain(&domain);
    let mut noise = stream(seed, 0);
    let mut settings: Vec<Vec<f64>> = Vec::new();
    let mut trials: Vec<Trial> = Vec::new();
    for _ in 0..comparisons {
        let posterior = fit(&domain.points(&settings), &columns, &trials, prior)?;
        let request = Request { posterior: &posterior, trials: &trials, policy, seed, stop: &never };
        let next = next_in_domain(&request, &domain, &settings)?;
        let difference = function.at(&next.left) - function.at(&next.right) + NOISE * normal(&mut noise);
        let answer = if difference > 0.0 { Outcome::Left } else { Outcome::Right };
        let (left, right) = (number(&mut settings, next.left), number(&mut settings, next.right));
        trials.push(Trial::pair(left, right, Some(answer)));
    }
    let posterior = fit(&domain.points(&settings), &columns, &trials, prior)?;
    Ok(function.regret(&recommend_in_domain(&posterior, &domain, &settings, seed)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pbo::functions::FUNCTIONS;

    /// A setting at random has the regret of the mean on average, which is many times that of a run.
    #[test]
    fn a_run_finds_better_than_the_mean_and_the_same_again() {
        let branin = Standardised::new(&FUNCTIONS[0]);
        let run = || regret(&Policy::default(), &Prior::default(), &branin, 12, 1).unwrap();
        let regret = run();
        let of_mean = branin.regret(&[0.5, 0.5]) + branin.at(&[0.5, 0.5]);
        assert!((-1e-9..0.5 * of_mean).contains(&regret), "{regret} of {of_mean}");
        assert_eq!(regret.to_bits(), run().to_bits());
    }
}

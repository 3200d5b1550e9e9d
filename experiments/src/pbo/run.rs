//! Policies by name, and one run of one of them.

use std::str::FromStr;

use anyhow::Result;
use rather::acquisition::Acquisition;
use rather::design::{
    Column, Opponent, Outcome, Policy, Prior, Request, Trial, fit, never, next_in_domain, recommend_in_domain,
};
use rather::search::Domain;
use rather_numerics::random::{normal, stream};

use super::functions::Standardised;
use crate::tuning::number;

/// The standard deviation of a comparison's noise, in units of the function's.
pub(super) const NOISE: f64 = 0.1;

/// The name of the policy that studies have.
pub(super) const DEFAULT: &str = "default";

/// A policy and what it is called: `default`, or `ACQUISITION[@OPPONENT]`.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) name: String,
    policy: Policy,
}

impl FromStr for Named {
    type Err = rather::Error;

    /// Without an opponent the winner stays where the acquisition function needs one, else both settings are chosen.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let policy = if name == DEFAULT {
            Policy::default()
        } else {
            let (acquisition, opponent) = name
                .split_once('@')
                .map_or((name, None), |(acquisition, opponent)| (acquisition, Some(opponent)));
            let acquisition: Acquisition = acquisition.parse()?;
            let usual = if acquisition.needs_opponent() { Opponent::Winner } else { Opponent::Any };
            let opponent = opponent.map_or(Ok(usual), str::parse)?;
            Policy { acquisition, opponent, ..Policy::default() }
        };
        policy.check()?;
        Ok(Self { name: name.to_owned(), policy })
    }
}

impl Named {
    /// The regret of the setting that is recommended after `comparisons` of `function`. Runs with the same seed have the same noise.
    pub(super) fn regret(&self, function: &Standardised, comparisons: usize, seed: u64) -> Result<f64> {
        let domain = Domain::unit_box(function.dims());
        let (columns, prior) = (Column::of_domain(&domain), Prior::default());
        let mut noise = stream(seed, 0);
        let mut settings: Vec<Vec<f64>> = Vec::new();
        let mut trials: Vec<Trial> = Vec::new();
        for _ in 0..comparisons {
            let posterior = fit(&domain.points(&settings), &columns, &trials, &prior)?;
            let request =
                Request { posterior: &posterior, trials: &trials, policy: &self.policy, seed, stop: &never };
            let next = next_in_domain(&request, &domain, &settings)?;
            let difference = function.at(&next.left) - function.at(&next.right) + NOISE * normal(&mut noise);
            let answer = if difference > 0.0 { Outcome::Left } else { Outcome::Right };
            let (left, right) = (number(&mut settings, next.left), number(&mut settings, next.right));
            trials.push(Trial::pair(left, right, Some(answer)));
        }
        let posterior = fit(&domain.points(&settings), &columns, &trials, &prior)?;
        Ok(function.regret(&recommend_in_domain(&posterior, &domain, &settings, seed)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pbo::functions::FUNCTIONS;

    #[test]
    fn a_policy_is_parsed_with_the_opponent_it_needs() {
        let parsed =
            |name: &str| name.parse::<Named>().map(|n| (n.policy.acquisition.to_string(), n.policy.opponent));
        assert_eq!(parsed("believer").unwrap().1, Opponent::Winner);
        assert_eq!(parsed("eubo").unwrap().1, Opponent::Any);
        assert_eq!(parsed("thompson@best").unwrap().1, Opponent::Best);
        assert_eq!("default".parse::<Named>().unwrap().policy, Policy::default());
        for name in ["", "nothing", "eubo@nobody", "ucb:2@any"] {
            assert!(parsed(name).is_err(), "{name}");
        }
    }

    /// A setting at random has the regret of the mean on average, which is many times that of a run.
    #[test]
    fn a_run_finds_better_than_the_mean_and_the_same_again() {
        let branin = Standardised::new(&FUNCTIONS[0]);
        let policy: Named = DEFAULT.parse().unwrap();
        let regret = policy.regret(&branin, 12, 1).unwrap();
        let of_mean = branin.regret(&[0.5, 0.5]) + branin.at(&[0.5, 0.5]);
        assert!((-1e-9..0.5 * of_mean).contains(&regret), "{regret} of {of_mean}");
        assert_eq!(regret.to_bits(), policy.regret(&branin, 12, 1).unwrap().to_bits());
    }
}

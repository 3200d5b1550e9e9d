//! Policies by name, and the prior of studies with other values.

use std::str::FromStr;

use rather::acquisition::Acquisition;
use rather::design::{Family, Opponent, Policy, Prior};

/// The name of the policy that studies have.
pub(crate) const DEFAULT: &str = "default";

/// A policy and what it is called: `default`, or `ACQUISITION[@OPPONENT]`.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) policy: Policy,
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

/// The prior of studies, with other values.
#[derive(clap::Args)]
pub(crate) struct PriorOptions {
    /// Believe with the prior's hyperparameters instead of learning them.
    #[arg(long)]
    fixed: bool,
    /// Median of the prior of the standard deviation of utilities.
    #[arg(long, default_value_t = Prior::default().sd)]
    sd: f64,
    /// Median of the prior of the lengthscale.
    #[arg(long, default_value_t = Prior::default().lengthscale)]
    pub(crate) lengthscale: f64,
    /// The kernel on numbers: auto, se, multiscale, matern12, matern32 or matern52.
    #[arg(long, default_value_t = Prior::default().family)]
    family: Family,
    /// No main effects of numbers and categories beside their interaction.
    #[arg(long)]
    interaction_alone: bool,
}

impl Default for PriorOptions {
    fn default() -> Self {
        let Prior { family, lengthscale, sd, learn, .. } = Prior::default();
        Self { fixed: !learn, sd, lengthscale, family, interaction_alone: false }
    }
}

impl PriorOptions {
    pub(crate) fn prior(&self) -> Prior {
        let &Self { lengthscale, sd, family, .. } = self;
        Prior { family, lengthscale, sd, learn: !self.fixed, additive: !self.interaction_alone }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}

//! What a model is compared with, on the same folds.

use super::conclusion::Against;
use super::scores::Numbers;
pub(super) use crate::args::BaselineName as Name;
use crate::output::Output;
use rather::Error;
use rather::answers::Answers;
use rather::evaluate::{OfGames, Paired, Tested, base_rates, davidson, elo, linear, without_features};
use rather::model::FitSettings;
use serde::Serialize;

impl Name {
    /// The settings of those that are models of the library, for a model of these settings.
    fn settings(self, settings: &FitSettings, answers: &Answers) -> Option<FitSettings> {
        match self {
            Self::Names => Some(without_features(settings)),
            Self::Linear => Some(linear(settings)),
            Self::BaseRates => Some(base_rates(settings, answers)),
            Self::Davidson | Self::Elo => None,
        }
    }

    /// What those learn that take answers for games.
    pub(super) fn of_games(self) -> Option<OfGames> {
        match self {
            Self::Davidson => Some(davidson),
            Self::Elo => Some(elo),
            Self::Names | Self::Linear | Self::BaseRates => None,
        }
    }

    /// In a sentence, in the plural.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::BaseRates => "base rates",
            Self::Names => "names only",
            Self::Linear => "weights of the features alone",
            Self::Davidson => "Davidson's strengths",
            Self::Elo => "Elo's ratings",
        }
    }

    /// Over a column.
    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::BaseRates => "base rates",
            Self::Names => "no features",
            Self::Linear => "linear",
            Self::Davidson => "Davidson",
            Self::Elo => "Elo",
        }
    }

    /// What to do where it is better.
    pub(super) fn advice(self) -> &'static str {
        match self {
            Self::BaseRates => "Do not use this model",
            Self::Names => "Leave the features out",
            Self::Linear => "Take --kernel linear",
            Self::Davidson => "Take --kernel white --link logistic",
            Self::Elo => "Let utilities change over time (wiener[date] in --kernel)",
        }
    }
}

/// What a baseline predicted, by fold.
pub(super) type Found = (Name, Vec<Vec<Tested>>);

/// Those of `wanted` that are models of the library, in their order.
pub(super) fn of_library(
    wanted: &[Name],
    settings: &FitSettings,
    (answers, has_features): (&Answers, bool),
) -> Vec<(Name, FitSettings)> {
    let fits = |name: &Name| *name != Name::Linear || has_features;
    let of = |&name: &Name| Some((name, name.settings(settings, answers)?));
    wanted.iter().filter(|name| fits(name)).filter_map(of).collect()
}

/// Tests them all; one that cannot be fitted says nothing about the model, and is left out.
pub(super) fn test(
    all: Vec<(Name, FitSettings)>,
    tested: impl Fn(&FitSettings) -> Result<Vec<Vec<Tested>>, Error>,
    out: &mut Output,
) -> Result<Vec<Found>, Error> {
    let mut found = Vec::new();
    for (name, settings) in all {
        match tested(&settings) {
            Ok(predicted) => found.push((name, predicted)),
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(error) => out.warn(format!("the baseline of {} is left out: {error}", name.in_words())),
        }
    }
    Ok(found)
}

/// The scores of a baseline, and its log loss against the model's.
#[derive(Serialize)]
pub(super) struct Baseline {
    pub(super) name: Name,
    #[serde(flatten)]
    pub(super) numbers: Numbers,
    /// Log loss above the model's.
    pub(super) difference: f64,
    /// Its standard error, by clusters; null of a single cluster.
    pub(super) difference_error: Option<f64>,
}

impl Baseline {
    /// Of what it predicted and the model predicted of the same answers, each in a cluster.
    pub(super) fn new<K: Ord + Clone>(
        name: Name,
        found: &[Tested],
        model: &[Tested],
        clusters: &[K],
    ) -> Self {
        // Densities and probabilities have no common average.
        let are_listed = model.iter().any(|t| t.given.is_some());
        let counts = |k: &usize| !are_listed || model[*k].given.is_some();
        let rows: Vec<usize> = (0..model.len()).filter(counts).collect();
        let select = |all: &[Tested]| rows.iter().map(|&k| all[k].clone()).collect::<Vec<_>>();
        let clusters: Vec<K> = rows.iter().map(|&k| clusters[k].clone()).collect();
        let Paired { difference, error } = Paired::new(&select(model), &select(found), &clusters);
        let difference_error = error.is_finite().then_some(error);
        Self { name, numbers: Numbers::new(found), difference, difference_error }
    }

    pub(super) fn against(&self) -> Against {
        Against {
            name: self.name,
            log_loss: self.numbers.log_loss,
            difference: self.difference,
            error: self.difference_error.unwrap_or(f64::INFINITY),
        }
    }
}

//! How well a model predicts comparisons that it has not learned from.

mod calibration;
mod folds;
mod scores;
mod tested;

pub use calibration::{Bin, Calibration};
pub use folds::{By, Fold, compared, folds, pairs, split, split_by};
pub use scores::Scores;
pub use tested::Tested;

use crate::features::Encoder;
use crate::learn::choice::{KernelChoice, KernelSpec};
use crate::model::{FitSettings, Items, Model};
use crate::representation::Representation;
use crate::{Comparison, Error};

/// Learns from `training` and tests on `test`.
///
/// # Errors
/// As [`Model::fit`]; [`Error::NoComparisons`] also for `test`; [`Error::Inference`] if the model is not to be trusted.
pub fn hold_out(
    items: &Items,
    training: &[Comparison],
    test: &[Comparison],
    settings: &FitSettings,
) -> Result<Vec<Tested>, Error> {
    if test.is_empty() {
        return Err(Error::NoComparisons);
    }
    let model = Model::fit(items, training, settings, &|_| ())?;
    if !model.report().trustworthy {
        return Err(Error::Inference);
    }
    let pairs: Vec<(usize, usize)> = test.iter().map(|c| (c.winner, c.loser)).collect();
    let probabilities = model.probabilities(model.points(), &pairs);
    Ok(test.iter().zip(probabilities).map(|(c, p)| Tested::new(c, p)).collect())
}

/// Tests each part of the comparisons on a model of others, its hyperparameters learned anew ([`By`] tells which).
/// `progress` hears of every part.
///
/// # Errors
/// Those of [`folds`]; [`Error::HoldOut`] if items without features are to be held out; and as [`Model::fit`].
pub fn cross_validate(
    items: &Items,
    comparisons: &[Comparison],
    by: By,
    parts: usize,
    seed: u64,
    settings: &FitSettings,
    progress: &dyn Fn(usize),
) -> Result<Vec<Tested>, Error> {
    if by == By::Items && Encoder::fit(&items.columns, settings.raw_features).0.features.is_empty() {
        return Err(Error::HoldOut);
    }
    let mut all = Vec::with_capacity(comparisons.len());
    for (at, fold) in folds(comparisons, by, parts, seed)?.iter().enumerate() {
        let [training, test] =
            [&fold.training, &fold.test].map(|rows| rows.iter().map(|&r| comparisons[r]).collect::<Vec<_>>());
        all.extend(hold_out(items, &training, &test, settings)?);
        progress(at);
    }
    Ok(all)
}

/// The settings of a baseline that knows items by name only (Bayesian Thurstone): the kernel `white`, and of the fixed
/// hyperparameters those it has, `noise` and `variance`.
pub fn without_features(settings: &FitSettings) -> FitSettings {
    let known = |(name, _): &&(String, f64)| ["noise", "variance"].contains(&name.to_lowercase().as_str());
    FitSettings {
        kernel: KernelChoice::Given(KernelSpec { expression: "white".into(), ard: false }),
        fixed: settings.fixed.iter().filter(known).cloned().collect(),
        representation: Representation::Auto,
        ..settings.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_predicted_from_the_other_parts() {
        let items = Items { keys: (0..5).map(|i| i.to_string()).collect(), columns: vec![] };
        let comparisons: Vec<Comparison> = (0..5)
            .flat_map(|winner| (winner + 1..5).map(move |loser| Comparison { winner, loser, count: 2 }))
            .collect();
        let settings = without_features(&FitSettings::default());
        let validate = |by, parts| cross_validate(&items, &comparisons, by, parts, 0, &settings, &|_| ());
        let scores = Scores::of(&validate(By::Comparisons, 10).unwrap());
        assert_eq!(scores.comparisons, 20.0);
        assert!(scores.accuracy > 0.7 && scores.log_loss < Scores::GUESSING.log_loss, "{scores:?}");
        assert!(matches!(validate(By::Comparisons, 11), Err(Error::Parameter { .. })));
        assert_eq!(validate(By::Items, 2).unwrap_err(), Error::HoldOut);
    }
}

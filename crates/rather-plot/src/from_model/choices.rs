//! Probabilities of choices: items against each other, values of a feature against each other.

use rather::model::Model;

use super::section::Section;
use crate::{Along, Choice, ChoiceMap, ChoiceMatrix, Error};

/// So many values of a feature.
const SIDE: usize = 61;

/// The `top` best items against each other.
pub fn choices(model: &Model, top: usize) -> ChoiceMatrix {
    let all = model.rank(model.points());
    let left_out = all.len().saturating_sub(top);
    let best: Vec<usize> = all.iter().take(top).map(|r| r.item).collect();
    let mut place = vec![None; model.keys().len()];
    best.iter().enumerate().for_each(|(at, &item)| place[item] = Some(at));
    let probabilities = square(best.len(), |pairs| {
        let pairs: Vec<_> = pairs.iter().map(|&(a, b)| (best[a], best[b])).collect();
        model.probabilities(model.points(), &pairs)
    });
    let observations = model.observations();
    let made = |(m, _): (usize, _)| {
        let (winner, loser) = model.ends(m);
        Some(Choice { winner: place[winner]?, loser: place[loser]? })
    };
    ChoiceMatrix {
        names: best.iter().map(|&item| model.keys()[item].clone()).collect(),
        probabilities,
        made: observations.comparisons().filter_map(made).collect(),
        left_out,
    }
}

/// Values of `feature`, a number, against each other, the other features held at their mean or most common value.
///
/// # Errors
/// [`Error::NoFeatures`], [`Error::UnknownFeature`], [`Error::Categories`].
pub fn choice_map(model: &Model, feature: &str) -> Result<ChoiceMap, Error> {
    let section = Section::new(model)?;
    let feature = section.numeric(feature, "a map of choices")?;
    let encoded = section.range(&feature, SIDE);
    let items: Vec<_> = encoded.iter().map(|&value| vec![(feature.dim, value)]).collect();
    let points = section.points(&items);
    let values: Vec<f64> = encoded.iter().map(|&v| feature.decode(v)).collect();
    Ok(ChoiceMap {
        probabilities: square(values.len(), |pairs| model.probabilities(&points, pairs)),
        duels: section.duels(&feature, &Along::Numbers(Vec::new())),
        values,
        held: section.sentence(&[feature.dim]),
        feature: feature.name,
    })
}

/// A matrix of probabilities, from those above its diagonal: those below are the rest to 1.
fn square(n: usize, probabilities: impl Fn(&[(usize, usize)]) -> Vec<f64>) -> Vec<f64> {
    let pairs: Vec<(usize, usize)> = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
    let mut out = vec![0.5; n * n];
    for (&(a, b), p) in pairs.iter().zip(probabilities(&pairs)) {
        out[a * n + b] = p;
        out[b * n + a] = 1.0 - p;
    }
    out
}

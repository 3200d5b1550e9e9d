//! What one feature does.

use rather::Person;
use rather::explain::FeatureValue;

use super::utility_name;
use crate::text::{counted, number};
use crate::{Along, Effect, Error};

/// So many values of a number.
const POINTS: usize = 121;
/// So many held features are named.
const NAMED: usize = 5;

/// The difference of a person's utility to the one at a reference value of `feature`, the other features held at medians and most common categories.
///
/// # Errors
/// [`Error::NoFeatures`], [`Error::UnknownFeature`].
pub fn effect(person: &Person<'_>, feature: &str) -> Result<Effect, Error> {
    let features = &person.items().encoder().features;
    if features.is_empty() {
        return Err(Error::NoFeatures);
    }
    let found = person.effect(feature, Some(POINTS)).map_err(|_| {
        let known: Vec<String> = features.iter().map(|(known, _)| format!("\"{known}\"")).collect();
        Error::UnknownFeature { name: feature.to_owned(), known: known.join(", ") }
    })?;
    let numbers: Option<Vec<f64>> = found
        .values
        .iter()
        .map(|value| if let FeatureValue::Number(x) = value { Some(*x) } else { None })
        .collect();
    let along = match numbers {
        Some(numbers) if numbers.len() > 2 => Along::Numbers(numbers),
        _ => Along::Levels(found.values.iter().map(name).collect()),
    };
    let named: Vec<String> = found
        .others
        .iter()
        .take(NAMED)
        .map(|(feature, value)| format!("{feature}: {}", name(value)))
        .collect();
    let more = match found.others.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {}", counted(more, "more feature")),
    };
    Ok(Effect {
        reference: name(&found.reference),
        feature: found.feature,
        utility: utility_name(person.hyperparameters().noise()),
        along,
        sd: found.difference.variance.iter().map(|v| v.sqrt()).collect(),
        mean: found.difference.mean,
        held: if named.is_empty() {
            String::new()
        } else {
            format!("Others at their median or most common value ({}{more}).", named.join(", "))
        },
    })
}

fn name(value: &FeatureValue) -> String {
    match value {
        FeatureValue::Number(x) => number(*x, 3),
        FeatureValue::Category(name) => name.clone(),
    }
}

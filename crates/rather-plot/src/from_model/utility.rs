//! The utility along one feature.

use rather::model::Model;

use super::section::Section;
use super::utility_name;
use crate::{Error, Utility};

/// So many values of a number.
const POINTS: usize = 121;

/// The utility along `feature` over the range of the items, the other features held at their mean or most common value,
/// and the comparisons that the model was learned from.
///
/// # Errors
/// [`Error::NoFeatures`], [`Error::UnknownFeature`].
pub fn utility(model: &Model, feature: &str) -> Result<Utility, Error> {
    let section = Section::new(model)?;
    let feature = section.feature(feature)?;
    let (along, encoded) = section.along(&feature, POINTS);
    let items: Vec<_> = encoded.iter().map(|&value| vec![(feature.dim, value)]).collect();
    let moments = model.utilities(&section.points(&items));
    Ok(Utility {
        feature: feature.name.clone(),
        utility: utility_name(model.hyperparameters().noise()),
        duels: section.duels(&feature, &along),
        along,
        sd: moments.variance.iter().map(|v| v.sqrt()).collect(),
        mean: moments.mean,
        held: section.sentence(&[feature.dim]),
    })
}

//! The utility over two features.

use rather::model::Model;

use super::section::Section;
use super::{compared, utility_name};
use crate::{Error, Map, MapItem};

/// So many values of either feature.
const SIDE: usize = 61;

/// The utility over features `x` and `y`, both numbers, over the range of the items, the other features held at their mean
/// or most common value.
///
/// # Errors
/// [`Error::NoFeatures`], [`Error::UnknownFeature`], [`Error::Categories`], [`Error::SameFeature`].
pub fn map(model: &Model, x: &str, y: &str) -> Result<Map, Error> {
    let section = Section::new(model)?;
    let figure = "a map of the utility";
    let (x, y) = (section.numeric(x, figure)?, section.numeric(y, figure)?);
    if x.dim == y.dim {
        return Err(Error::SameFeature { name: x.name });
    }
    let (xs, ys) = (section.range(&x, SIDE), section.range(&y, SIDE));
    let items: Vec<_> =
        ys.iter().flat_map(|&v| xs.iter().map(move |&u| vec![(x.dim, u), (y.dim, v)])).collect();
    let moments = model.utilities(&section.points(&items));
    let known = compared(model.keys().len(), model.compared());
    let item = |(i, name): (usize, &String)| MapItem {
        name: name.clone(),
        x: section.value(&x, i),
        y: section.value(&y, i),
        compared: known[i],
    };
    let held = section.sentence(&[x.dim, y.dim]);
    let unit = utility_name(model.hyperparameters().noise()).replace("utility (", "").replace(')', "");
    Ok(Map {
        x: xs.iter().map(|&v| x.decode(v)).collect(),
        y: ys.iter().map(|&v| y.decode(v)).collect(),
        mean: moments.mean,
        sd: moments.variance.iter().map(|v| v.sqrt()).collect(),
        items: model.keys().iter().enumerate().map(item).collect(),
        note: format!("Utility {unit}; 0 is the average of the compared items. {held}").trim().to_owned(),
        x_name: x.name.clone(),
        y_name: y.name.clone(),
    })
}

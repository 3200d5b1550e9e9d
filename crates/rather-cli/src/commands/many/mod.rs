//! The commands on models of many users.

pub(crate) mod evaluate;
pub(crate) mod fit;
pub(crate) mod plot;
pub(crate) mod predict;
pub(crate) mod rank;
pub(crate) mod suggest;
mod tables;
mod who;

use crate::failure::Failure;
use crate::table::number;
use rather::many::Embedded;
use rather::many::Population;
use rather::model::Items;
use rather_io::ItemTable;
use std::path::Path;

/// The items that are spoken of: those of the model, or those of a table.
struct Pool {
    keys: Vec<String>,
    items: Embedded,
}

impl Pool {
    fn of_model(model: &Population) -> Self {
        Self { keys: model.items().keys().to_vec(), items: model.model().items().known() }
    }

    /// The items of the table at `path`, with the model's that are not among them if `both`.
    fn read(path: &Path, model: &Population, both: bool) -> Result<Self, Failure> {
        let ItemTable { mut keys, columns, .. } =
            crate::pool::read_new(path, model.items().encoder(), "the model")?;
        let mut points = model
            .items()
            .encode(&Items { keys: keys.clone(), columns })
            .map_err(|error| Failure::in_file(path, &error))?;
        if both {
            let new: std::collections::HashSet<&String> = keys.iter().collect();
            let rest: Vec<usize> = (0..model.items().keys().len())
                .filter(|&i| !new.contains(&model.items().keys()[i]))
                .collect();
            points = points.followed_by(&model.points().select(&rest));
            keys.extend(rest.iter().map(|&i| model.items().keys()[i].clone()));
        }
        Ok(Self { keys, items: model.model().items().embed(&points) })
    }
}

/// What utilities are measured in.
fn units(model: &Population) -> String {
    format!(
        "Utilities are relative to the average of the items. The standard deviation of the noise of one item is {}.",
        number(model.hyperparameters().noise())
    )
}

/// The sentence on a number that went wrong.
fn too_far(what: &str) -> Failure {
    Failure::User(format!(
        "{what} is not a finite number: its features are too far from those of the items learned from"
    ))
}

//! The items that are spoken of: those of the model, those of a table, or both.

use crate::data;
use crate::failure::Failure;
use rather::features::{Encoder, Encoding};
use rather::model::{Catalogue, Items};
use rather::points::Points;
use rather_io::{ItemOptions, ItemTable};
use std::collections::HashSet;
use std::path::Path;

/// Items by key, with their encoded features.
pub(crate) struct Pool {
    /// Their keys.
    pub(crate) keys: Vec<String>,
    /// Their features.
    pub(crate) points: Points,
}

impl Pool {
    /// The items that a model was learned from.
    pub(crate) fn of_model(known: &Catalogue) -> Self {
        Self { keys: known.keys().to_vec(), points: known.points().clone() }
    }

    /// The items of the table at `path`, or those of the model. One of the table that has the name of a known one is that one, with the
    /// features that the table gives.
    pub(crate) fn read(path: Option<&Path>, known: &Catalogue) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Self::of_model(known)) };
        let ItemTable { keys, columns, .. } = read_new(path, known.encoder(), "the model")?;
        let items = Items { keys, columns };
        let points = known.encode(&items).map_err(|error| Failure::in_file(path, &error))?;
        Ok(Self { keys: items.keys, points })
    }

    /// These items, and the model's that are not among them.
    pub(crate) fn with_model(mut self, known: &Catalogue) -> Self {
        let new: HashSet<&String> = self.keys.iter().collect();
        let rest: Vec<usize> = (0..known.keys().len()).filter(|&i| !new.contains(&known.keys()[i])).collect();
        self.points = self.points.followed_by(&known.points().select(&rest));
        self.keys.extend(rest.iter().map(|&i| known.keys()[i].clone()));
        self
    }
}

/// The sentence on a number that went wrong.
pub(crate) fn too_far(what: &str) -> Failure {
    Failure::User(format!(
        "{what} is not a finite number: its features are too far from those of the items learned from"
    ))
}

/// Reads the columns that `encoder`, that of `whose`, needs.
pub(crate) fn read_new(path: &Path, encoder: &Encoder, whose: &str) -> Result<ItemTable, Failure> {
    let table = rather_io::Table::open(path)?;
    let features = table.header().get(1..).unwrap_or_default();
    let needed: Vec<(&str, &Encoding)> =
        encoder.features.iter().map(|(name, e)| (e.column(name), e)).collect();
    for (name, _) in &needed {
        if !features.iter().any(|known| data::same(known, name)) {
            let known: Vec<String> = features.iter().map(|f| format!("\"{f}\"")).collect();
            let known = if known.is_empty() {
                "it has none".to_owned()
            } else {
                format!("its features are {}", known.join(", "))
            };
            return Err(Failure::User(format!(
                "{} has no column \"{name}\", a feature that {whose} was learned with; {known}",
                path.display()
            )));
        }
    }
    let categories = needed.iter().filter(|(_, e)| matches!(e, Encoding::Categorical { .. }));
    let categorical = categories.map(|(name, _)| (*name).to_owned()).collect();
    let wanted = |column: &str| needed.iter().any(|(name, _)| data::same(name, column));
    data::read_columns(table, wanted, ItemOptions { categorical, ..ItemOptions::default() })
}

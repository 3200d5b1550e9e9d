//! The model that a file holds, of one person or of many.

use crate::failure::Failure;
use crate::hint;
use crate::output::Output;
use rather::features::{ColumnValues, Encoding};
use rather::many::Population;
use rather::many::population::PopulationNotice;
use rather::model::{Catalogue, Model, Notice};
use rather_io::Saved;
use std::path::Path;

/// A model, and the file that it is from.
pub(crate) struct Fitted<'a> {
    /// The file.
    pub(crate) path: &'a Path,
    saved: Saved,
}

impl<'a> Fitted<'a> {
    /// Loads a model, and says if it is not to be trusted.
    pub(crate) fn open(path: &'a Path, out: &mut Output) -> Result<Self, Failure> {
        let saved = rather_io::load_saved(path)?;
        let doubts: Vec<String> = match &saved {
            Saved::Single(model) => doubts_of_one(model).collect(),
            Saved::Many(population) => doubts_of_many(population).collect(),
        };
        doubts.into_iter().for_each(|doubt| out.warn(format!("{}: {doubt}", path.display())));
        Ok(Self { path, saved })
    }

    /// Looks at items where columns of comparisons have these values, each written as NAME=VALUE.
    pub(crate) fn look_at(&mut self, values: &[(String, String)]) -> Result<(), Failure> {
        for (name, text) in values {
            let Saved::Single(model) = &mut self.saved else {
                return Err(Failure::User(
                    "--at is for models of one person whose comparisons have columns".to_owned(),
                ));
            };
            let context = model.items().context().ok_or_else(|| {
                Failure::User(
                    "--at needs a model whose kernel names columns of comparisons; this one names none"
                        .to_owned(),
                )
            })?;
            let same = |(known, _): &&(String, Encoding)| crate::data::same(known, name);
            let value = match context.encoder.features.iter().find(same) {
                Some((_, Encoding::Numeric { .. })) => ColumnValues::Numeric(vec![number(name, text)?]),
                // Of a column that is not there the model says so.
                _ => ColumnValues::Text(vec![text.clone()]),
            };
            model.look_at(name, &value)?;
        }
        Ok(())
    }

    /// The items that it was learned from.
    pub(crate) fn items(&self) -> &Catalogue {
        match &self.saved {
            Saved::Single(model) => model.items(),
            Saved::Many(population) => population.items(),
        }
    }

    /// The model of one person, for what only that can do.
    pub(crate) fn single(&self) -> Result<&Model, Failure> {
        match &self.saved {
            Saved::Single(model) => Ok(model),
            Saved::Many(_) => Err(rather_io::Error::ManyUsers { path: self.path.to_path_buf() }.into()),
        }
    }

    /// The model of many users, if it is one.
    pub(crate) fn many(&self) -> Option<&Population> {
        match &self.saved {
            Saved::Single(_) => None,
            Saved::Many(population) => Some(population),
        }
    }
}

fn doubts_of_one(model: &Model) -> impl Iterator<Item = String> {
    let doubtful = |notice: &&Notice| {
        matches!(notice, Notice::NotConverged { .. } | Notice::NotMixed { .. } | Notice::Rough { .. })
    };
    model.report().notices.iter().filter(doubtful).map(|notice| hint::with_flags(notice).to_string())
}

fn doubts_of_many(population: &Population) -> impl Iterator<Item = String> {
    use rather::many::Notice::NotConverged;
    let doubtful =
        |notice: &&PopulationNotice| matches!(notice, PopulationNotice::Fit { notice: NotConverged { .. } });
    population.notices().iter().filter(doubtful).map(PopulationNotice::to_string)
}

/// A number, or a date in days.
fn number(name: &str, text: &str) -> Result<f64, Failure> {
    let value = rather_io::days(text).or_else(|| text.parse().ok().filter(|value: &f64| value.is_finite()));
    value.ok_or_else(|| {
        Failure::User(format!(
            "--at {name}={text}: {text:?} is no number and no date; write 3.5, or 2026-01-31"
        ))
    })
}

/// Reads NAME=VALUE.
pub(crate) fn column_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write NAME=VALUE, such as date=2026-01-31".to_owned()),
    }
}

/// Reads `ROLE=COLUMN`.
pub(crate) fn role(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((role, column)) if !role.trim().is_empty() && !column.trim().is_empty() => {
            Ok((role.trim().to_owned(), column.trim().to_owned()))
        }
        _ => Err("write ROLE=COLUMN, such as winner=best".to_owned()),
    }
}

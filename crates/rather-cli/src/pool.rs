//! The items that `rank` and `predict` speak of: those of the model, and those of a table of new ones.

use crate::args::WhoArgs;
use crate::data;
use crate::failure::Failure;
use crate::hint;
use crate::output::Output;
use crate::table::{Side, Table, number};
use rather::features::{Encoder, Encoding};
use rather::many::Population;
use rather::many::population::PopulationNotice;
use rather::model::{Items, Model, Notice, Ranked};
use rather::points::Points;
use rather_io::{ItemTable, Saved};
use serde::Serialize;
use std::path::Path;

/// Half the width of a 95 % interval, in standard deviations.
const Z95: f64 = 1.959963984540054;

/// Items by key, with their encoded features.
pub(crate) struct Pool {
    /// Their keys.
    pub(crate) keys: Vec<String>,
    /// Their features.
    pub(crate) points: Points,
}

impl Pool {
    /// The items that the model was learned from.
    pub(crate) fn of_model(model: &Model) -> Self {
        Self { keys: model.keys().to_vec(), points: model.points().clone() }
    }

    /// The items of the table at `path`. One that has the name of a known one is that one, with the features that the
    /// table gives.
    pub(crate) fn read(path: &Path, model: &Model) -> Result<Self, Failure> {
        let ItemTable { keys, columns, .. } = read_new(path, model.encoder(), "the model")?;
        let items = Items { keys, columns };
        let points = model.encode(&items).map_err(|error| Failure::in_file(path, &error))?;
        Ok(Self { keys: items.keys, points })
    }

    /// These items, and the model's that are not among them.
    pub(crate) fn with_model(mut self, model: &Model) -> Self {
        let new: std::collections::HashSet<&String> = self.keys.iter().collect();
        let rest: Vec<usize> = (0..model.keys().len()).filter(|&i| !new.contains(&model.keys()[i])).collect();
        let all = [&self.points, &model.points().select(&rest)];
        let rows =
            || all.iter().flat_map(|points| (0..points.len()).map(move |i| (points.id(i), points.row(i))));
        let (ids, values) =
            (rows().map(|(id, _)| id).collect(), rows().flat_map(|(_, row)| row).copied().collect());
        self.points = Points::new(ids, model.points().dims(), values);
        self.keys.extend(rest.iter().map(|&i| model.keys()[i].clone()));
        self
    }
}

/// Reads the columns that `encoder`, that of `whose`, needs.
pub(crate) fn read_new(path: &Path, encoder: &Encoder, whose: &str) -> Result<ItemTable, Failure> {
    let header = rather_io::Table::open(path)?.header().to_vec();
    let features = header.get(1..).unwrap_or_default();
    let needed = &encoder.features;
    for (name, _) in needed {
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
    let categorical = |e: &Encoding| matches!(e, Encoding::Categorical { .. });
    let categories: Vec<String> =
        needed.iter().filter(|(_, e)| categorical(e)).map(|(name, _)| name.clone()).collect();
    let wanted = |column: &str| needed.iter().any(|(name, _)| data::same(name, column));
    data::read_columns(path, features, wanted, &categories)
}

/// Loads a model of one person or of many, and says if it is not to be trusted.
pub(crate) fn open(path: &Path, out: &mut Output) -> Result<Saved, Failure> {
    let saved = rather_io::load_saved(path)?;
    match &saved {
        Saved::Single(model) => {
            for notice in &model.report().notices {
                if matches!(
                    notice,
                    Notice::NotConverged { .. } | Notice::NotMixed { .. } | Notice::Rough { .. }
                ) {
                    out.warn(format!("{}: {}", path.display(), hint::with_flags(notice)));
                }
            }
        }
        Saved::Many(model) => warn_of(path, model, out),
    }
    Ok(saved)
}

fn warn_of(path: &Path, model: &Population, out: &mut Output) {
    for notice in model.notices() {
        if let PopulationNotice::Fit { notice: rather::many::Notice::NotConverged { .. } } = notice {
            out.warn(format!("{}: {notice}", path.display()));
        }
    }
}

/// Loads a model of one person, of whom `who` may not be asked, for what only such a model can do.
pub(crate) fn load(path: &Path, out: &mut Output) -> Result<Model, Failure> {
    match open(path, out)? {
        Saved::Single(model) => Ok(*model),
        Saved::Many(_) => Err(rather_io::Error::ManyUsers { path: path.to_path_buf() }.into()),
    }
}

/// Flags about users mean nothing to a model of one person.
pub(crate) fn check_single(path: &Path, who: &WhoArgs) -> Result<(), Failure> {
    match who.given() {
        Some(flag) => Err(Failure::User(format!(
            "{} is a model of one person and does not use {flag}; rather fit --model collaborative learns the preferences \
             of each user",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// One line of a ranking.
#[derive(Debug, Serialize)]
pub(crate) struct Line<'a> {
    pub(crate) item: &'a str,
    pub(crate) mean: f64,
    pub(crate) sd: f64,
    pub(crate) rank: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) label: Option<&'a str>,
}

impl<'a> Line<'a> {
    /// The columns of CSV.
    pub(crate) const HEADER: [&'static str; 4] = ["item", "mean", "sd", "rank"];

    /// A row of CSV.
    pub(crate) fn row(&self) -> [String; 4] {
        [self.item.to_owned(), self.mean.to_string(), self.sd.to_string(), self.rank.to_string()]
    }

    /// The item `key` at a place of a ranking.
    pub(crate) fn new(rank: usize, place: Ranked, key: &'a str, label: Option<&'a str>) -> Self {
        Self { item: key, mean: place.mean, sd: place.sd, rank, label }
    }

    /// Lines as a table for people.
    pub(crate) fn table(lines: &[Self]) -> String {
        let mut table = Table::new([
            ("rank", Side::Right),
            ("item", Side::Left),
            ("label", Side::Left),
            ("utility", Side::Right),
            ("± sd", Side::Left),
            ("95 % interval", Side::Left),
        ]);
        let decimals = decimals(lines);
        for Line { item, mean, sd, rank, label } in lines {
            let shown = |x: f64| decimal(x, decimals);
            table.push([
                rank.to_string(),
                (*item).to_owned(),
                label.unwrap_or_default().to_owned(),
                shown(*mean),
                format!("± {}", shown(*sd)),
                format!("{} to {}", shown(mean - Z95 * sd), shown(mean + Z95 * sd)),
            ]);
        }
        table.render()
    }

    /// What utilities are measured in.
    pub(crate) fn units(model: &Model) -> String {
        let noise = model.hyperparameters().noise();
        format!(
            "Utilities are relative to the average of the compared items. The standard deviation of the noise of one \
             item is {}.",
            number(noise)
        )
    }
}

/// `x` with so many decimals; powers of ten if it would be too long, and no minus before zero.
fn decimal(x: f64, decimals: usize) -> String {
    const LONG: f64 = 1e7;
    if x.abs() >= LONG {
        return number(x);
    }
    let text = format!("{x:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| matches!(c, '0' | '.')) => rest.to_owned(),
        _ => text,
    }
}

/// As many decimals as give the smallest standard deviation two digits.
fn decimals(lines: &[Line<'_>]) -> usize {
    const MOST: f64 = 12.0;
    let smallest = lines.iter().map(|line| line.sd).filter(|&sd| sd > 0.0).fold(f64::INFINITY, f64::min);
    if smallest.is_finite() { (1.0 - smallest.log10().floor()).clamp(0.0, MOST) as usize } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utilities_are_short() {
        for (x, text) in [(-0.04, "0.0"), (-0.06, "-0.1"), (12.34, "12.3"), (-4.2e150, "-4.200e150")] {
            assert_eq!(decimal(x, 1), text);
        }
    }

    #[test]
    fn the_smallest_deviation_has_two_digits() {
        let line = |sd| Line { item: "a", mean: 1.0, sd, rank: 1, label: None };
        for (sd, expected) in [(0.0084, 4), (0.5, 2), (3.0, 1), (250.0, 0), (0.0, 2)] {
            assert_eq!(decimals(&[line(sd)]), expected, "{sd}");
        }
        assert_eq!(decimals(&[line(0.0), line(0.5), line(0.03)]), 3);
    }
}

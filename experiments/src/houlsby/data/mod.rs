//! The paper's five data sets.

mod election;
mod impute;
mod jura;
mod movielens;
pub(super) mod sushi;
pub(super) mod synthetic;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// Which answers MovieLens, Election and Jura give.
///
/// The authors' scripts turn each user's ratings into ranks and then ask in which *place* of that list the numbers of the
/// two items stand, as for a list of items in order (which is what Sushi's file holds). So "item j" of their experiment is
/// "the item of rank j": a different problem, with the same difficulty for no model in particular.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Labels {
    /// The item with the larger rating wins.
    Items,
    /// As the authors' scripts have it.
    Scripts,
}

/// A data set: everyone's answers to all pairs.
#[derive(Debug, Clone)]
pub(super) struct DataSet {
    pub(super) name: &'static str,
    /// Features, one row an item.
    pub(super) items: Vec<Vec<f64>>,
    /// Features, one row a user.
    pub(super) users: Vec<Vec<f64>>,
    /// For each user, whether the first item of each pair of [`pairs`] wins.
    pub(super) first_wins: Vec<Vec<bool>>,
    /// Training pairs a user.
    pub(super) training: usize,
    /// Whether a split draws its own 100 users.
    pub(super) draws_users: bool,
}

/// The names, in the order of the paper's table.
pub(super) const NAMES: [&str; 5] = ["synthetic", "sushi", "movielens", "election", "jura"];

/// Those of [`NAMES`] for up to 1,000 users.
pub(super) fn read_large(name: &str, folder: &Path, labels: Labels) -> Result<DataSet> {
    if name == "synthetic" { synthetic::read(folder) } else { read(name, folder, labels) }
}

pub(super) fn read(name: &str, folder: &Path, labels: Labels) -> Result<DataSet> {
    match name {
        "synthetic" => Ok(synthetic::draw()),
        "sushi" => sushi::read(folder),
        "movielens" => movielens::read(folder, labels),
        "election" => election::read(folder, labels),
        _ => jura::read(folder, labels),
    }
}

/// All pairs of `items` items: (0, 1), (0, 2), ...
pub(super) fn pairs(items: usize) -> Vec<(usize, usize)> {
    (0..items).flat_map(|i| (i + 1..items).map(move |j| (i, j))).collect()
}

/// The answers that utilities give.
fn answers(utilities: &[f64]) -> Vec<bool> {
    pairs(utilities.len()).into_iter().map(|(i, j)| utilities[i] > utilities[j]).collect()
}

/// The answers that ratings give under either reading.
fn answers_to(ratings: &[f64], labels: Labels) -> Vec<bool> {
    match labels {
        Labels::Items => answers(ratings),
        Labels::Scripts => answers(&as_scripts(ratings)),
    }
}

/// The utilities that the authors' scripts effectively compare: item `j` stands where the item of rank `j` stands.
fn as_scripts(ratings: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ratings.len()).collect();
    order.sort_by(|&a, &b| ratings[a].total_cmp(&ratings[b]));
    order.into_iter().map(|place| -(place as f64)).collect()
}

fn one_hot(level: usize, levels: usize) -> impl Iterator<Item = f64> {
    (0..levels).map(move |l| f64::from(u8::from(l == level)))
}

/// A table of numbers separated by white space, or by `separator`; an empty field is missing.
fn numbers(path: &Path, separator: Option<char>) -> Result<Vec<Vec<Option<f64>>>> {
    let text = std::fs::read_to_string(path).with_context(|| missing(path))?;
    let field = |f: &str| -> Result<Option<f64>> {
        if f.trim().is_empty() {
            return Ok(None);
        }
        Ok(Some(f.trim().parse().with_context(|| format!("{}: {f} is no number", path.display()))?))
    };
    text.lines()
        .filter(|l| !l.trim().is_empty())
        .map(|l| match separator {
            Some(s) => l.split(s).map(field).collect(),
            None => l.split_whitespace().map(field).collect(),
        })
        .collect()
}

/// The same without missing fields.
fn full_numbers(path: &Path) -> Result<Vec<Vec<f64>>> {
    let rows = numbers(path, None)?;
    rows.into_iter().map(|r| r.into_iter().map(|x| x.context("a field is missing")).collect()).collect()
}

fn missing(path: &Path) -> String {
    format!("the experiment needs {}; name its folder with --data", path.display())
}

/// The rows of a CSV file as text, header left out; `.gz` by name.
fn csv_rows(path: &PathBuf) -> Result<Vec<Vec<String>>> {
    let file = std::fs::File::open(path).with_context(|| missing(path))?;
    let reader: Box<dyn std::io::Read> = if path.extension().is_some_and(|e| e == "gz") {
        Box::new(flate2::read::GzDecoder::new(file))
    } else {
        Box::new(file)
    };
    let mut rows = Vec::new();
    for record in csv::Reader::from_reader(reader).records() {
        rows.push(record?.iter().map(str::to_string).collect());
    }
    ensure!(!rows.is_empty(), "{} holds no rows", path.display());
    Ok(rows)
}

fn number<T: std::str::FromStr>(field: &str) -> Result<T> {
    field.parse().ok().with_context(|| format!("{field} is not the number it should be"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ratings 30, 10, 20: the items of ranks 1, 2, 3 are items 2, 3, 1. "Item 1 against item 2" is then place 2 against
    /// place 3, so 1 wins; 1 against 3 is place 2 against place 1.
    #[test]
    fn the_scripts_compare_places() {
        assert_eq!(answers_to(&[30.0, 10.0, 20.0], Labels::Scripts), [true, false, false]);
        assert_eq!(answers_to(&[30.0, 10.0, 20.0], Labels::Items), [true, true, false]);
    }
}

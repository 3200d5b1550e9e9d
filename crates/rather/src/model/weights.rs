//! What a unit of a column is worth: the weights of `linear`.

use super::Model;
use crate::catalogue::Catalogue;
use crate::kernel::{Carrier, Kernel};
use crate::points::Points;
use crate::posterior::Moments;

impl Model {
    /// The weights of the columns that only `linear` looks at: for each its name, and the posterior mean and standard deviation of the utility of one
    /// unit of it, in the units of the table. Where the weight differs by category (`linear[home] + linear[home]*white[tournament]`) there is one
    /// for every category, and one for a category that was not seen.
    ///
    /// It is the difference of one item to itself where the column is one unit larger, so that it holds for every way of inference and averages over what
    /// predictions average over.
    ///
    /// # Examples
    /// ```
    /// use rather::Comparison;
    /// use rather::features::{Column, ColumnValues};
    /// use rather::learn::choice::{KernelChoice, KernelSpec};
    /// use rather::model::{FitSettings, Items, Model};
    ///
    /// let price = Column { name: "price".into(), values: ColumnValues::Numeric(vec![1.0, 2.0, 4.0]) };
    /// let items = Items { keys: vec!["tea".into(), "coffee".into(), "wine".into()], columns: vec![price] };
    /// let cheaper = |winner, loser| Comparison { winner, loser, count: 5.0 };
    /// let kernel = KernelChoice::Given(KernelSpec { expression: "linear + white".into(), ard: false });
    /// let settings = FitSettings { kernel, ..FitSettings::default() };
    /// let model = Model::fit(&items, &[cheaper(0, 1), cheaper(1, 2)], &settings, &|_| ())?;
    /// let (name, mean, sd) = &model.weights()[0];
    /// assert!(name == "price" && *mean < 0.0 && *sd > 0.0);
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn weights(&self) -> Vec<(String, f64, f64)> {
        let kernel = &self.hyperparameters.kernel;
        weights(&self.items, kernel, &|points, pairs| self.belief.differences(points, pairs))
    }
}

/// What is believed about the differences of pairs of points.
type Differences<'a> = dyn Fn(&Points, &[(usize, usize)]) -> Moments + 'a;

/// As [`Model::weights`], of anybody whose `differences` these are.
pub(crate) fn weights(
    items: &Catalogue,
    kernel: &Kernel,
    differences: &Differences<'_>,
) -> Vec<(String, f64, f64)> {
    let schema = items.schema();
    let mut columns = Vec::new();
    for column in kernel.terms().iter().flat_map(|term| weighed(term).0) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let mut units = Vec::new();
    for column in columns {
        let name = &schema.names[column];
        let Some(by) = levels_of_weight(kernel, column) else { continue };
        match by {
            None => units.push(Unit { name: name.clone(), column, level: None }),
            Some((by, is_also_common)) => {
                let levels = items.levels(by);
                let at = |level: usize, said: &str| Unit {
                    name: format!("{name} where {} is {said}", schema.names[by]),
                    column,
                    level: Some((by, level as f64)),
                };
                units.extend(levels.iter().enumerate().map(|(level, said)| at(level, said)));
                units.extend(is_also_common.then(|| at(levels.len(), "another")));
            }
        }
    }
    let worth = worth_of(items, &units, differences);
    units.into_iter().zip(worth).map(|(unit, (mean, sd))| (unit.name, mean, sd)).collect()
}

/// Whether a column is looked at by weighted sums only, and then the column of categories by which its weight differs, if there is one, and
/// whether a part of the weight is common to all of these. `None` if it has no weight, or one that differs by several columns.
fn levels_of_weight(kernel: &Kernel, column: usize) -> Option<Option<(usize, bool)>> {
    let mut by = Vec::new();
    let mut is_also_common = false;
    for term in kernel.terms().iter().filter(|term| term.columns().contains(&column)) {
        let (columns, levels) = weighed(term);
        if !columns.contains(&column) {
            return None;
        }
        is_also_common |= levels.is_empty();
        by.extend(levels);
    }
    by.sort_unstable();
    by.dedup();
    match by[..] {
        [] => Some(None),
        [by] => Some(Some((by, is_also_common))),
        _ => None,
    }
}

/// The mean and standard deviation of what each adds to the utility.
fn worth_of(items: &Catalogue, units: &[Unit], differences: &Differences<'_>) -> Vec<(f64, f64)> {
    let (points, scales) = (items.points(), items.units());
    let mut rows = Vec::new();
    for unit in units {
        let mut less = points.row(0).to_vec();
        if let Some((column, level)) = unit.level {
            less[column] = level;
        }
        let mut more = less.clone();
        more[unit.column] += 1.0 / scales[unit.column];
        rows.extend(more.into_iter().chain(less));
    }
    let rows = Points::new(vec![points.id(0); 2 * units.len()], points.dims(), rows);
    let pairs: Vec<(usize, usize)> = (0..units.len()).map(|k| (2 * k, 2 * k + 1)).collect();
    let z = differences(&rows, &pairs);
    z.mean.iter().zip(&z.variance).map(|(&mean, variance)| (mean, variance.max(0.0).sqrt())).collect()
}

/// One unit of a column, where another column is at a level.
struct Unit {
    name: String,
    column: usize,
    level: Option<(usize, f64)>,
}

/// The columns of a term that is a weighted sum of them, the same for all items, and the columns of categories by which its weights differ.
fn weighed(term: &Kernel) -> (Vec<usize>, Vec<usize>) {
    match term.latent().as_deref() {
        Some([only]) if !only.by_item => match &only.carrier {
            Carrier::Weights { columns, .. } => (columns.clone(), only.levels.clone()),
            _ => Default::default(),
        },
        _ => Default::default(),
    }
}

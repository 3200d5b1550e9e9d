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
    let units = units_of(items, kernel);
    let rows = units.iter().map(|unit| unit.sides(items, None));
    let z = of_rows(items, rows, differences);
    let sd = z.variance.iter().map(|variance| variance.max(0.0).sqrt());
    units.into_iter().zip(z.mean).zip(sd).map(|((unit, mean), sd)| (unit.name, mean, sd)).collect()
}

/// How many units of the column `of` one unit of each other column is worth, with its 95 % interval; `None` if `of` has no weight.
pub(crate) fn exchanged(
    items: &Catalogue,
    kernel: &Kernel,
    of: &str,
    differences: &Differences<'_>,
) -> Option<Vec<Exchanged>> {
    let mut units = units_of(items, kernel);
    let price = units.remove(units.iter().position(|unit| unit.name.eq_ignore_ascii_case(of.trim()))?);
    let one = units.iter().map(|unit| unit.sides(items, None));
    let both = units.iter().map(|unit| unit.sides(items, Some(&price)));
    let z = of_rows(items, one.chain(both).chain([price.sides(items, None)]), differences);
    let n = units.len();
    let (mean_of_price, of_price) = (z.mean[2 * n], z.variance[2 * n]);
    let exchange = |(k, unit): (usize, Unit)| {
        let covariance = 0.5 * (z.variance[n + k] - z.variance[k] - of_price);
        let value = -z.mean[k] / mean_of_price;
        let interval = fieller([z.mean[k], mean_of_price], [z.variance[k], covariance, of_price]);
        Exchanged { name: unit.name, value, interval }
    };
    Some(units.into_iter().enumerate().map(exchange).collect())
}

/// What one unit of a column is worth in another one.
#[derive(Debug, Clone, PartialEq)]
#[doc(hidden)]
pub struct Exchanged {
    /// The column.
    pub name: String,
    /// So many units of the other one.
    pub value: f64,
    /// The 95 % interval; `None` if the weight of the other column may be zero, so that there is none.
    pub interval: Option<[f64; 2]>,
}

/// The 95 % interval of $-x/y$ of two Gaussians (Fieller 1954): those $r$ for which $x+ry$ may be zero, from means, and the variances of $x$ and $y$ with
/// their covariance between.
fn fieller([x, y]: [f64; 2], [xx, xy, yy]: [f64; 3]) -> Option<[f64; 2]> {
    const Z95: f64 = 1.959963984540054;
    let square = Z95 * Z95;
    let (a, b, c) = (y * y - square * yy, x * y - square * xy, x * x - square * xx);
    let root = (b * b - a * c).max(0.0).sqrt();
    (a > 0.0).then(|| [(-b - root) / a, (-b + root) / a])
}

/// The columns that have weights.
fn units_of(items: &Catalogue, kernel: &Kernel) -> Vec<Unit> {
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
    units
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

/// What is believed about the utility of the first of each two rows, less that of the second.
fn of_rows(
    items: &Catalogue,
    rows: impl Iterator<Item = [Vec<f64>; 2]>,
    differences: &Differences<'_>,
) -> Moments {
    let points = items.points();
    let rows: Vec<f64> = rows.flatten().flatten().collect();
    let pairs = rows.len() / points.dims().max(1) / 2;
    let rows = Points::new(vec![points.id(0); 2 * pairs], points.dims(), rows);
    differences(&rows, &(0..pairs).map(|k| (2 * k, 2 * k + 1)).collect::<Vec<_>>())
}

/// One unit of a column, where another column is at a level.
struct Unit {
    name: String,
    column: usize,
    level: Option<(usize, f64)>,
}

impl Unit {
    /// An item with one unit more of the column, and of `another` one, and the same item without.
    fn sides(&self, items: &Catalogue, another: Option<&Self>) -> [Vec<f64>; 2] {
        let scales = items.units();
        let mut less = items.points().row(0).to_vec();
        if let Some((column, level)) = self.level {
            less[column] = level;
        }
        let mut more = less.clone();
        for unit in std::iter::once(self).chain(another) {
            more[unit.column] += 1.0 / scales[unit.column];
        }
        [more, less]
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// At both ends $x+ry$ is as far from zero as its 95 % interval reaches; and the interval is the quotient's own where $y$ is sure.
    #[test]
    fn ends_are_where_the_sum_may_just_be_zero() {
        let (means, [xx, xy, yy]) = ([0.8, -2.0], [0.09, -0.02, 0.16]);
        let interval = fieller(means, [xx, xy, yy]).unwrap();
        for r in interval {
            let (mean, variance) = (means[0] + r * means[1], xx + 2.0 * r * xy + r * r * yy);
            assert!((mean.abs() - 1.959963984540054 * variance.sqrt()).abs() < 1e-12);
        }
        assert!(interval[0] < 0.4 && 0.4 < interval[1]);
        let [low, high] = fieller([0.8, -2.0], [0.09, 0.0, 0.0]).unwrap();
        assert!(
            (low - 0.5 * (0.8 - 1.959963984540054 * 0.3)).abs() < 1e-12 && (low + high - 0.8).abs() < 1e-12
        );
        assert_eq!(fieller([0.8, -0.5], [0.09, 0.0, 0.16]), None);
    }
}

//! Regression data sets as preference data: of two rows, the one with the larger target is preferred.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rather::Comparison;
use rather::features::{Column, ColumnValues, Encoder};
use rather::kernel::Schema;
use rather::points::Points;

/// A data set of Wang and McKenna's Table 1.
pub(crate) struct DataSet {
    /// Its name, also its folder's and file's.
    pub(crate) name: &'static str,
    /// The column that rows are compared by.
    pub(crate) target: &'static str,
    /// Columns that are no features.
    pub(crate) leave_out: &'static [&'static str],
    /// Number of training pairs.
    pub(crate) pairs: usize,
}

/// The four data sets of Table 1.
pub(crate) const TABLE_1: [DataSet; 4] = [
    DataSet { name: "pyrimidines", target: "activity", leave_out: &[], pairs: 100 },
    DataSet { name: "triazines", target: "activity", leave_out: &[], pairs: 300 },
    DataSet { name: "machine_cpu", target: "perf", leave_out: &["name", "estperf"], pairs: 500 },
    DataSet { name: "boston_housing", target: "medv", leave_out: &[], pairs: 700 },
];

/// Standardised features and targets.
pub(crate) struct Rows {
    pub(crate) points: Points,
    pub(crate) schema: Schema,
    pub(crate) target: Vec<f64>,
}

impl DataSet {
    /// `DIR/NAME/NAME.csv`.
    pub(crate) fn path(&self, data: &Path) -> PathBuf {
        data.join(self.name).join(format!("{}.csv", self.name))
    }

    /// Reads [`DataSet::path`].
    pub(crate) fn read(&self, data: &Path) -> Result<Rows> {
        let path = self.path(data);
        let mut reader = csv::Reader::from_path(&path)
            .with_context(|| format!("the experiment needs {}", path.display()))?;
        let header = reader.headers()?.clone();
        let mut columns: Vec<Column> = Vec::new();
        let mut target = Vec::new();
        let records: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>()?;
        for (c, name) in header.iter().enumerate() {
            if self.leave_out.contains(&name) {
                continue;
            }
            let values: Vec<f64> = records
                .iter()
                .map(|r| r[c].parse().with_context(|| format!("{}: {name} = {}", path.display(), &r[c])))
                .collect::<Result<_>>()?;
            if name == self.target {
                target = values;
            } else {
                columns.push(Column { name: name.into(), values: ColumnValues::Numeric(values) });
            }
        }
        if target.is_empty() {
            bail!("{} has no column {}", path.display(), self.target);
        }
        let (encoder, _) = Encoder::fit(&columns, false);
        let points = encoder.encode(&columns, (0..target.len() as u64).collect())?;
        Ok(Rows { points, schema: encoder.schema(), target })
    }
}

/// Training and test pairs.
pub(crate) struct Split {
    pub(crate) training: Vec<Comparison>,
    pub(crate) test: Vec<(usize, usize)>,
}

impl Rows {
    /// All pairs of unequal targets in random order, winner first: `training` of them to learn from, of the
    /// rest at most `most` to test on.
    pub(crate) fn split(&self, training: usize, most: usize, seed: u64) -> Split {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let n = self.target.len();
        let mut pairs: Vec<(usize, usize)> = (0..n)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .filter(|&(i, j)| self.target[i] != self.target[j])
            .map(|(i, j)| if self.target[i] > self.target[j] { (i, j) } else { (j, i) })
            .collect();
        pairs.shuffle(&mut rng);
        let mut test = pairs.split_off(training.min(pairs.len()));
        test.truncate(most);
        let training =
            pairs.into_iter().map(|(winner, loser)| Comparison { winner, loser, count: 1.0 }).collect();
        Split { training, test }
    }

    /// An endless sequence of random pairs, winner first, the same pair perhaps twice. With `ties`, pairs of equal
    /// targets too: their second row wins.
    pub(crate) fn draws(&self, seed: u64, ties: bool) -> impl Iterator<Item = (usize, usize)> + '_ {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let n = self.target.len();
        std::iter::repeat_with(move || (rng.random_range(0..n), rng.random_range(0..n)))
            .filter(move |&(i, j)| i != j && (ties || self.target[i] != self.target[j]))
            .map(|(i, j)| if self.target[i] > self.target[j] { (i, j) } else { (j, i) })
    }
}

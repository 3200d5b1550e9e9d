//! The data sets of the table: two classes each, features standardised.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use rather::features::{Column, ColumnValues, Encoder};
use rather::kernel::Schema;
use rather::points::Points;
use rather_io::Table;
use rather_io::table::Row;

/// A data set made binary.
#[derive(Debug, Clone, Copy)]
pub(super) struct DataSet {
    /// What the table calls it.
    pub(super) name: &'static str,
    /// Its folder, and the file in it without `.csv` or `.csv.gz`.
    pub(super) folder: &'static str,
    /// The column of classes.
    pub(super) class: &'static str,
    /// The classes that count as positive.
    pub(super) positive: &'static [&'static str],
    /// The classes that count as negative; rows of any other class are left out.
    pub(super) negative: &'static [&'static str],
    /// Columns that are no features.
    pub(super) leave_out: &'static [&'static str],
}

/// A table's rows: standardised features and classes.
pub(super) struct Rows {
    pub(super) points: Points,
    pub(super) schema: Schema,
    pub(super) positive: Vec<bool>,
}

impl DataSet {
    /// A data set all of whose columns but the class are features.
    pub(super) const fn of(
        name: &'static str,
        folder: &'static str,
        class: &'static str,
        positive: &'static [&'static str],
        negative: &'static [&'static str],
    ) -> Self {
        Self { name, folder, class, positive, negative, leave_out: &[] }
    }

    /// The file.
    pub(super) fn path(&self, data: &Path) -> PathBuf {
        let file = |end: &str| data.join(self.folder).join(format!("{}.{end}", self.folder));
        let zipped = file("csv.gz");
        if zipped.is_file() { zipped } else { file("csv") }
    }

    /// Reads the rows of the two classes that have no missing value.
    pub(super) fn read(&self, data: &Path) -> Result<Rows> {
        let path = self.path(data);
        let table = Table::open(&path).with_context(|| {
            format!("the experiment needs {}; name its folder with --data", path.display())
        })?;
        let header = table.header().to_vec();
        let class = table.column(self.class)?;
        let class = class.with_context(|| format!("{} has no column {}", path.display(), self.class))?;
        let features: Vec<usize> =
            (0..header.len()).filter(|&c| c != class && !self.leave_out.contains(&&*header[c])).collect();
        let mut rows = table.rows(&(0..header.len()).collect::<Vec<_>>())?;
        let mut cells: Vec<Vec<String>> = vec![Vec::new(); features.len()];
        let mut positive = Vec::new();
        let mut row = Row::default();
        while rows.read(&mut row)? {
            let Some(is_positive) = self.side(rows.required(&row, class)?) else { continue };
            let values: Vec<&str> = features.iter().map(|&c| rows.text(&row, c)).collect::<Result<_, _>>()?;
            if values.iter().any(|v| v.is_empty()) {
                continue;
            }
            cells.iter_mut().zip(values).for_each(|(column, v)| column.push(v.to_owned()));
            positive.push(is_positive);
        }
        let both = positive.contains(&true) && positive.contains(&false);
        ensure!(both, "{} does not hold both classes of {}", path.display(), self.name);
        let columns: Vec<Column> = features
            .iter()
            .zip(cells)
            .map(|(&c, cells)| Column { name: header[c].clone(), values: values(cells) })
            .collect();
        let (encoder, _) = Encoder::fit(&columns, false);
        let points = encoder.encode(&columns, (0..positive.len() as u64).collect())?;
        Ok(Rows { points, schema: encoder.schema(), positive })
    }

    fn side(&self, class: &str) -> Option<bool> {
        if self.positive.contains(&class) {
            return Some(true);
        }
        self.negative.contains(&class).then_some(false)
    }
}

/// Numbers if all are; two categories become 0 and 1, so that they have a lengthscale like the others.
fn values(cells: Vec<String>) -> ColumnValues {
    let numbers: Option<Vec<f64>> = cells.iter().map(|c| c.parse().ok()).collect();
    if let Some(numbers) = numbers {
        return ColumnValues::Numeric(numbers);
    }
    ColumnValues::Numeric(cells.iter().map(|c| if *c == cells[0] { 0.0 } else { 1.0 }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bald::published::TABLE_1;

    #[test]
    fn the_sets_have_the_known_numbers_of_rows() {
        let Some(folder) = crate::published_data() else { return };
        // Rows, features, rows of the positive class; of cancer, 16 rows have a missing value.
        let known = [
            (690, 14, 307),
            (683, 9, 239),
            (200, 5, 100),
            (1608, 16, 805),
            (1543, 16, 768),
            (846, 18, 199),
            (107, 13, 59),
            (569, 30, 212),
        ];
        for (row, (n, features, positive)) in TABLE_1.iter().zip(known) {
            let rows = row.set.read(&folder).unwrap();
            let found =
                (rows.points.len(), rows.schema.names.len(), rows.positive.iter().filter(|&&p| p).count());
            assert_eq!(found, (n, features, positive), "{}", row.set.name);
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = TABLE_1[0].set.read(Path::new("no-such-folder")).err().unwrap().to_string();
        assert!(error.contains("australian_credit.csv") && error.contains("--data"), "{error}");
    }
}

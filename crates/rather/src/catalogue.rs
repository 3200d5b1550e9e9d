//! Items, or users, by name, with their features as kernels see them.

use std::collections::HashMap;

use crate::Error;
use crate::features::{Column, ColumnValues, Encoder, FeatureNotice};
use crate::learn::Hyperparameters;
use crate::points::Points;

/// Items as a table gives them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Items {
    /// The items' names, each once.
    pub keys: Vec<String>,
    /// Their features, and labels.
    pub columns: Vec<Column>,
}

/// The items, or the users, of a model.
#[derive(Debug, Clone)]
pub struct Catalogue {
    keys: Vec<String>,
    positions: HashMap<String, usize>,
    labels: Option<Column>,
    encoder: Encoder,
    points: Points,
}

impl Catalogue {
    /// Those of a table; `raw` leaves numbers as they are. Also what is worth knowing about the columns.
    ///
    /// # Errors
    /// Those of [`Encoder::encode`].
    pub fn fit(table: &Items, raw: bool) -> Result<(Self, Vec<FeatureNotice>), Error> {
        let (encoder, notices) = Encoder::fit(&table.columns, raw);
        let points = encoder.encode(&table.columns, (0..table.keys.len() as u64).collect())?;
        // The first column that the encoder took for a label.
        let label = notices.iter().find_map(|notice| match notice {
            FeatureNotice::Label { name } => table.columns.iter().find(|c| &c.name == name).cloned(),
            FeatureNotice::Constant { .. } => None,
        });
        Ok((Self::new(table.keys.clone(), label, encoder, points), notices))
    }

    /// Those that a file holds.
    pub(crate) fn new(keys: Vec<String>, labels: Option<Column>, encoder: Encoder, points: Points) -> Self {
        let positions = keys.iter().cloned().zip(0..).collect();
        Self { keys, positions, labels, encoder, points }
    }

    /// Their names.
    pub fn keys(&self) -> &[String] {
        &self.keys
    }

    /// Whether no name occurs twice.
    pub(crate) fn is_distinct(&self) -> bool {
        self.positions.len() == self.keys.len()
    }

    /// The position of the one called `key`.
    pub fn position(&self, key: &str) -> Option<usize> {
        self.positions.get(key).copied()
    }

    /// The column of labels, if the table has one.
    pub(crate) fn labels(&self) -> Option<&Column> {
        self.labels.as_ref()
    }

    /// A text to show beside the name of the one at position `i`, if the table has a column of labels.
    pub fn label(&self, i: usize) -> Option<&str> {
        match &self.labels()?.values {
            ColumnValues::Text(values) => values.get(i).map(String::as_str),
            ColumnValues::Numeric(_) => None,
        }
    }

    /// How features are encoded.
    pub fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// All of them, encoded.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// Encodes a table, of new ones or known; a row that has a known one's name is taken to be that one.
    ///
    /// # Errors
    /// Those of [`Encoder::encode`].
    pub fn encode(&self, table: &Items) -> Result<Points, Error> {
        let mut unknown = self.keys.len() as u64;
        let mut id = |key: &String| match self.position(key) {
            Some(known) => known as u64,
            None => {
                unknown += 1;
                unknown - 1
            }
        };
        self.encoder.encode(&table.columns, table.keys.iter().map(&mut id).collect())
    }

    /// Names and values of hyperparameters in the units of the table: a lengthscale of one standardised feature is multiplied by its standard
    /// deviation.
    pub(crate) fn in_units(&self, h: &Hyperparameters) -> Vec<(String, f64)> {
        let (parameters, units) = (h.kernel.parameters(), self.encoder.units());
        let unit = |i: usize| parameters.get(i).and_then(|p| p.dim).map_or(1.0, |d| units[d]);
        h.entries.iter().enumerate().map(|(i, e)| (e.name.clone(), e.value * unit(i))).collect()
    }
}

//! Items, or users, by name, with their features as kernels see them.

use std::collections::HashMap;

use crate::Error;
use crate::context::{Context, Sides};
use crate::features::{Column, ColumnValues, Encoder, Encoding, FeatureNotice};
use crate::learn::Hyperparameters;
use crate::points::Points;
use crate::schema::Schema;

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
    /// Their features, without a context.
    features: Points,
    /// Where they are looked at, if comparisons have columns.
    context: Option<Context>,
    /// Their features, and the context's.
    points: Points,
}

impl Catalogue {
    /// Those of a table; `raw` leaves numbers as they are. Also what is worth knowing about the columns.
    ///
    /// # Errors
    /// Those of [`Encoder::encode`].
    pub fn fit(table: &Items, raw: bool) -> Result<(Self, Vec<FeatureNotice>), Error> {
        // As they are, they have no mean that would stand for one.
        if let Some((name, item)) =
            table.columns.iter().find_map(|c| Some((&c.name, c.values.first_missing()?))).filter(|_| raw)
        {
            return Err(Error::MissingValue { name: name.clone(), item });
        }
        let (encoder, notices) = Encoder::fit(&table.columns, raw);
        let points = encoder.encode(&table.columns, (0..table.keys.len() as u64).collect())?;
        // The first column that the encoder took for a label.
        let label = notices.iter().find_map(|notice| match notice {
            FeatureNotice::Label { name } => table.columns.iter().find(|c| &c.name == name).cloned(),
            FeatureNotice::Constant { .. } => None,
        });
        Ok((Self::new(table.keys.clone(), label, encoder, points, None), notices))
    }

    /// The same, with the sides of comparisons that have columns, encoded.
    ///
    /// # Errors
    /// Those of [`Encoder::encode`]; [`Error::UnknownItem`] for a side of no item.
    pub(crate) fn fit_in_context(
        table: &Items,
        sides: &Sides,
        raw: bool,
    ) -> Result<(Self, Points, Vec<FeatureNotice>), Error> {
        let (items, mut notices) = Self::fit(table, raw)?;
        let (context, sides, of_context) = Context::fit(sides, &items.features, raw)?;
        notices.extend(of_context);
        let Self { keys, labels, encoder, features, .. } = items;
        Ok((Self::new(keys, labels, encoder, features, Some(context)), sides, notices))
    }

    /// Those that a file holds.
    pub(crate) fn new(
        keys: Vec<String>,
        labels: Option<Column>,
        encoder: Encoder,
        features: Points,
        context: Option<Context>,
    ) -> Self {
        let positions = keys.iter().cloned().zip(0..).collect();
        let points = context.as_ref().map_or_else(|| features.clone(), |context| context.place(&features));
        Self { keys, positions, labels, encoder, features, context, points }
    }

    /// Their features, row by row, without a context.
    pub(crate) fn features(&self) -> &Points {
        &self.features
    }

    /// Where they are looked at, if comparisons have columns.
    pub fn context(&self) -> Option<&Context> {
        self.context.as_ref()
    }

    /// Looks at them where a column of comparisons has this value, one value, from now on.
    ///
    /// # Errors
    /// [`Error::UnknownFeature`], [`Error::FeatureKind`] and [`Error::FeatureRange`].
    pub(crate) fn look_at(&mut self, column: &str, value: &ColumnValues) -> Result<(), Error> {
        let Some(context) = &mut self.context else {
            return Err(Error::UnknownFeature { name: column.to_owned(), known: "none".into() });
        };
        context.look_at(column, value)?;
        self.points = context.place(&self.features);
        Ok(())
    }

    /// Sides of these, or of others that [`Catalogue::encode`] knows.
    ///
    /// # Errors
    /// As [`Catalogue::encode`].
    pub(crate) fn sides(&self, sides: &Sides) -> Result<Points, Error> {
        match &self.context {
            Some(context) => context.sides(&self.features, sides),
            None => Ok(self.features.select(&sides.items.iter().map(|&i| i as usize).collect::<Vec<_>>())),
        }
    }

    /// Names and kinds of all columns, for kernel expressions.
    pub(crate) fn schema(&self) -> Schema {
        let own = self.encoder.schema();
        self.context.as_ref().map_or_else(|| own.clone(), |context| context.after(own.clone()))
    }

    /// The units of all columns, as [`Encoder::units`].
    pub(crate) fn units(&self) -> Vec<f64> {
        let own = self.encoder.units();
        own.into_iter().chain(self.context.as_ref().map_or(Vec::new(), Context::units)).collect()
    }

    /// The categories of a column, counted as points have them; none of a column of numbers.
    pub(crate) fn levels(&self, column: usize) -> &[String] {
        let own = &self.encoder.features;
        let encoding = match own.get(column) {
            Some((_, encoding)) => Some(encoding),
            None => self.context.as_ref().and_then(|context| context.encoding(column - own.len())),
        };
        match encoding {
            Some(Encoding::Categorical { levels }) => levels,
            _ => &[],
        }
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
        let features = self.encoder.encode(&table.columns, table.keys.iter().map(&mut id).collect())?;
        Ok(self.context.as_ref().map_or_else(|| features.clone(), |context| context.place(&features)))
    }

    /// Names and values of hyperparameters in the units of the table: a lengthscale of one standardised feature is multiplied by its standard
    /// deviation.
    pub(crate) fn in_units(&self, h: &Hyperparameters) -> Vec<(String, f64)> {
        let (parameters, units) = (h.kernel.parameters(), self.units());
        let unit = |i: usize| parameters.get(i).and_then(|p| p.dim).map_or(1.0, |d| units[d]);
        h.entries.iter().enumerate().map(|(i, e)| (e.name.clone(), e.value * unit(i))).collect()
    }
}

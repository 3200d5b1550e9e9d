//! Columns of a table of items: the features.

use std::borrow::Borrow;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::points::Points;

/// One feature of all items: a named column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// The column's name, as its user wrote it.
    pub name: String,
    /// Its values, one an item.
    pub values: ColumnValues,
}

/// The values of a feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ColumnValues {
    /// Finite numbers; a boolean is 0 or 1. Of items, NaN is a value that is missing.
    Numeric(Vec<f64>),
    /// Names of categories.
    Text(Vec<String>),
}

impl ColumnValues {
    /// Number of items.
    pub fn len(&self) -> usize {
        match self {
            Self::Numeric(values) => values.len(),
            Self::Text(values) => values.len(),
        }
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first item of which the number is missing.
    pub(crate) fn first_missing(&self) -> Option<usize> {
        match self {
            Self::Numeric(values) => values.iter().position(|value| value.is_nan()),
            Self::Text(_) => None,
        }
    }
}

/// Something worth knowing about the features that is no error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FeatureNotice {
    /// All items have the same value: the feature was left out.
    Constant {
        /// The feature.
        name: String,
        /// The value.
        value: String,
    },
    /// A text that is different for every item says nothing about which items are alike: it was left out, and
    /// serves as a label.
    Label {
        /// The column.
        name: String,
    },
}

impl std::fmt::Display for FeatureNotice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Constant { name, value } => {
                write!(f, "the feature \"{name}\" is {value} for every item and was left out")
            }
            Self::Label { name } => {
                write!(f, "the column \"{name}\" differs for every item: it is a description, not a feature")
            }
        }
    }
}

/// How one column becomes a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Encoding {
    /// `(value - center) / scale`.
    Numeric {
        /// What is subtracted: the mean, or 0 for raw features.
        center: f64,
        /// What is divided by: the standard deviation (over all items), or 1 for raw features.
        scale: f64,
    },
    /// The position among `levels`.
    Categorical {
        /// The categories, sorted.
        levels: Vec<String>,
    },
    /// 1 where the number of another column is missing, else 0.
    Missing {
        /// The other column.
        of: String,
    },
}

/// Turns columns into [`Points`], the same way for the items learned from and for new ones.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Encoder {
    /// The features in use, with their encodings.
    pub features: Vec<(String, Encoding)>,
}

impl Encoder {
    /// Learns the encodings: numbers are standardised to mean 0 and standard deviation 1 (divisor `n`) unless
    /// `raw`; constant columns and labels are left out, each with a notice. A number that is missing (NaN) is taken for the mean of those
    /// that are known, and a feature `NAME is missing` beside it tells so.
    ///
    /// # Examples
    /// ```
    /// use rather::features::{Column, ColumnValues, Encoder};
    ///
    /// let price = Column { name: "price".into(), values: ColumnValues::Numeric(vec![1.0, 3.0]) };
    /// let (encoder, notices) = Encoder::fit(std::slice::from_ref(&price), false);
    /// assert!(notices.is_empty());
    /// let points = encoder.encode(&[price], vec![0, 1])?;
    /// assert_eq!((points.row(0), points.row(1)), (&[-1.0][..], &[1.0][..]));
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn fit<C: Borrow<Column>>(columns: &[C], raw: bool) -> (Self, Vec<FeatureNotice>) {
        let mut out = Self::default();
        let mut notices = Vec::new();
        for column in columns.iter().map(C::borrow) {
            let name = column.name.clone();
            match &column.values {
                ColumnValues::Numeric(values) => {
                    let known: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
                    let is_missing = known.len() < values.len() && !known.is_empty();
                    let of = name.clone();
                    match numeric(&known, raw) {
                        Some(encoding) => out.features.push((name, encoding)),
                        None => {
                            let value = known.first().map_or("missing".to_owned(), f64::to_string);
                            notices.push(FeatureNotice::Constant { name, value });
                        }
                    }
                    if is_missing {
                        out.features.push((format!("{of} is missing"), Encoding::Missing { of }));
                    }
                }
                ColumnValues::Text(values) => {
                    let mut levels = values.clone();
                    levels.sort_unstable();
                    levels.dedup();
                    if levels.len() == 1 {
                        notices.push(FeatureNotice::Constant { name, value: format!("\"{}\"", levels[0]) });
                    } else if levels.len() == values.len() && levels.len() > 2 {
                        notices.push(FeatureNotice::Label { name });
                    } else {
                        out.features.push((name, Encoding::Categorical { levels }));
                    }
                }
            }
        }
        (out, notices)
    }

    /// Encodes items with identities `ids`; columns are found by name, others are ignored. A category that was
    /// not there before is like no other.
    ///
    /// # Errors
    /// [`Error::UnknownFeature`] for a missing column, [`Error::FeatureKind`] if it holds the other kind of
    /// values, [`Error::FeatureRange`] if a number is too far from those learned from, [`Error::Length`] if columns and `ids` differ in length.
    pub fn encode<C: Borrow<Column>>(&self, columns: &[C], ids: Vec<u64>) -> Result<Points, Error> {
        let n = ids.len();
        let dims = self.features.len();
        let mut values = vec![0.0; n * dims];
        for (d, (name, encoding)) in self.features.iter().enumerate() {
            let name = encoding.column(name);
            let column = columns.iter().map(C::borrow).find(|c| c.name.eq_ignore_ascii_case(name));
            let column = column.ok_or_else(|| {
                let known: Vec<&str> = columns.iter().map(|c| c.borrow().name.as_str()).collect();
                Error::UnknownFeature { name: name.to_owned(), known: known.join(", ") }
            })?;
            if column.values.len() != n {
                return Err(Error::Length { what: "a column", expected: n, found: column.values.len() });
            }
            let encoded = encoding
                .apply(&column.values)
                .ok_or_else(|| Error::FeatureKind { name: name.to_owned(), expected: encoding.kind() })?;
            for (i, value) in encoded.into_iter().enumerate() {
                if !value.is_finite() {
                    return Err(Error::FeatureRange { name: name.to_owned(), item: i });
                }
                values[i * dims + d] = value;
            }
        }
        Ok(Points::new(ids, dims, values))
    }

    /// For each feature, how many units of the table make one unit of the encoded feature.
    pub fn units(&self) -> Vec<f64> {
        let unit = |e: &Encoding| if let Encoding::Numeric { scale, .. } = e { *scale } else { 1.0 };
        self.features.iter().map(|(_, e)| unit(e)).collect()
    }

    /// Names and kinds of the features, for kernel expressions.
    pub fn schema(&self) -> crate::schema::Schema {
        crate::schema::Schema {
            names: self.features.iter().map(|(name, _)| name.clone()).collect(),
            categorical: self
                .features
                .iter()
                .map(|(_, e)| matches!(e, Encoding::Categorical { .. }))
                .collect(),
            context: 0,
        }
    }
}

impl Encoding {
    /// The column that the feature called `name` is made from.
    pub fn column<'a>(&'a self, name: &'a str) -> &'a str {
        if let Self::Missing { of } = self { of } else { name }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Numeric { .. } | Self::Missing { .. } => "numbers",
            Self::Categorical { .. } => "categories",
        }
    }

    fn apply(&self, values: &ColumnValues) -> Option<Vec<f64>> {
        match (self, values) {
            (Self::Numeric { center, scale }, ColumnValues::Numeric(values)) => {
                let encoded = |v: &f64| if v.is_nan() { 0.0 } else { (v - center) / scale };
                Some(values.iter().map(encoded).collect())
            }
            (Self::Missing { .. }, ColumnValues::Numeric(values)) => {
                Some(values.iter().map(|v| f64::from(u8::from(v.is_nan()))).collect())
            }
            (Self::Categorical { levels }, ColumnValues::Text(values)) => {
                let mut unseen: Vec<&String> = Vec::new();
                let mut encoded = Vec::with_capacity(values.len());
                for value in values {
                    encoded.push(levels.binary_search(value).unwrap_or_else(|_| {
                        let known = unseen.iter().position(|&u| u == value);
                        levels.len()
                            + known.unwrap_or_else(|| {
                                unseen.push(value);
                                unseen.len() - 1
                            })
                    }) as f64);
                }
                Some(encoded)
            }
            _ => None,
        }
    }
}

/// The encoding of numbers, or `None` if they are all the same (up to rounding).
fn numeric(values: &[f64], raw: bool) -> Option<Encoding> {
    if values.is_empty() {
        return None;
    }
    let n = values.len() as f64;
    // Divided first, so that the mean of huge numbers does not overflow.
    let center = values.iter().map(|v| v / n).sum::<f64>();
    let largest = values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    let spread = values.iter().fold(0.0_f64, |a, v| a.max((v - center).abs()));
    if spread <= 4.0 * f64::EPSILON * largest {
        return None;
    }
    if raw {
        return Some(Encoding::Numeric { center: 0.0, scale: 1.0 });
    }
    let scale = spread * (values.iter().map(|v| ((v - center) / spread).powi(2)).sum::<f64>() / n).sqrt();
    Some(Encoding::Numeric { center, scale })
}

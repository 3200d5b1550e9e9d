//! Columns of comparisons: where, when and how the two sides were compared.
//!
//! A comparison compares two *sides*: each is an item in a context, the values of the comparison's further columns. The utility of a side is a
//! function of the item, its features and the context, so a side is to a kernel what an item with more features is: a row of [`Points`] with the
//! item's identity. What is the same on both sides cancels, unless a kernel multiplies it by something that differs.

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::features::{Column, ColumnValues, Encoder, Encoding, FeatureNotice};
use crate::kernel::Kernel;
use crate::points::Points;
use crate::schema::{FIRST_TIME, Schema};

/// A column of comparisons, with a value for every side.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextColumn {
    /// Name and values.
    pub column: Column,
    /// Whether it is of the comparison, the same on both sides, and not of each side.
    pub shared: bool,
    /// Whether its numbers are days since 1970-01-01.
    pub date: bool,
}

/// What answers are about where comparisons have columns.
///
/// # Examples
/// ```
/// use rather::answers::Answer;
/// use rather::context::{ContextColumn, Sides};
/// use rather::features::{Column, ColumnValues};
/// use rather::learn::choice::{KernelChoice, KernelSpec};
/// use rather::model::{FitSettings, Items, Model};
///
/// // Ann, at home, beats Bob twice; Bob, at home, beats Ann once.
/// let items = Items { keys: vec!["Ann".into(), "Bob".into()], columns: vec![] };
/// let home = Column { name: "home".into(), values: ColumnValues::Numeric(vec![1.0, 0.0, 0.0, 1.0]) };
/// let home = ContextColumn { column: home, shared: false, date: false };
/// let sides = Sides { items: vec![0, 1, 0, 1], columns: vec![home], teams: vec![] };
/// let answers = [Answer::rather(0, 1).times(2), Answer::rather(3, 2)];
/// let kernel = KernelSpec { expression: "white[item] + linear[home]".into(), ard: false };
/// let settings = FitSettings { kernel: KernelChoice::Given(kernel), ..FitSettings::default() };
/// let model = Model::fit_in_context(&items, &sides, &answers, &[], &settings, &|_| ())?;
/// assert_eq!(model.rank(model.points())[0].item, 0);
/// # Ok::<(), rather::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sides {
    /// The item of each side, as numbered in their table. Answers name sides by their positions here.
    pub items: Vec<u32>,
    /// The columns.
    pub columns: Vec<ContextColumn>,
    /// Where teams were compared: each team, as its items and how much each counts, of which `items` are positions then. Else empty.
    pub teams: Vec<Vec<(u32, f64)>>,
}

impl Sides {
    /// The items of a side, and how much each counts.
    pub fn members(&self, side: usize) -> Vec<(u32, f64)> {
        let item = self.items[side];
        if self.teams.is_empty() { vec![(item, 1.0)] } else { self.teams[item as usize].clone() }
    }

    /// Checks them for so many items.
    ///
    /// # Errors
    /// [`Error::UnknownItem`] for a side of no item or of no team; [`Error::Parameter`] for a weight that is no number.
    pub(crate) fn check(&self, items: usize) -> Result<(), Error> {
        let known = if self.teams.is_empty() { items } else { self.teams.len() };
        if let Some(row) = self.items.iter().position(|&item| item as usize >= known) {
            return Err(Error::UnknownItem { row, item: self.items[row] as usize, items: known });
        }
        for (row, &(item, weight)) in self.teams.iter().flatten().enumerate() {
            if item as usize >= items {
                return Err(Error::UnknownItem { row, item: item as usize, items });
            }
            if !weight.is_finite() {
                let requirement = "it must be a finite number";
                return Err(Error::Parameter { name: "weight in a team".into(), value: weight, requirement });
            }
        }
        Ok(())
    }
}

/// How the columns of comparisons become numbers, and where the model looks if nothing else is asked.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Context {
    /// The columns in use, with their encodings.
    pub encoder: Encoder,
    /// Whether each is of the comparison.
    pub shared: Vec<bool>,
    /// Whether each holds days since 1970-01-01.
    pub dates: Vec<bool>,
    /// For each column of numbers that is of the comparison, by its place: the encoded time at which each item first occurs, if it does.
    pub first_times: Vec<Vec<Option<f64>>>,
    /// The encoded value of each column where items are looked at without a context: the mean of a number, the latest time, no level of a category.
    pub at: Vec<f64>,
}

impl Context {
    /// Learns the encodings from the sides of a fit about these items; also the sides, encoded.
    ///
    /// # Errors
    /// Those of [`Encoder::encode`]; [`Error::UnknownItem`] for a side of no item.
    pub(crate) fn fit(
        sides: &Sides,
        items: &Points,
        raw: bool,
    ) -> Result<(Self, Points, Vec<FeatureNotice>), Error> {
        sides.check(items.len())?;
        let columns: Vec<&Column> = sides.columns.iter().map(|c| &c.column).collect();
        if let Some((name, item)) = columns.iter().find_map(|c| Some((&c.name, c.values.first_missing()?))) {
            return Err(Error::MissingValue { name: name.clone(), item });
        }
        let (encoder, notices) = Encoder::fit(&columns, raw);
        let of = |name: &str| sides.columns.iter().find(|c| c.column.name == name);
        let names = || encoder.features.iter().map(|(name, _)| name.as_str());
        let shared: Vec<bool> = names().map(|name| of(name).is_some_and(|c| c.shared)).collect();
        let dates = names().map(|name| of(name).is_some_and(|c| c.date)).collect();
        let encoded = encoder.encode(&columns, vec![0; sides.items.len()])?;
        let mut out = Self { shared, dates, first_times: Vec::new(), at: Vec::new(), encoder };
        for c in 0..out.encoder.features.len() {
            let values = || (0..encoded.len()).map(|i| encoded.row(i)[c]);
            let mut first = Vec::new();
            if out.is_time(c) {
                first = vec![None; items.len()];
                for (side, value) in values().enumerate() {
                    for (item, _) in sides.members(side) {
                        let known: &mut Option<f64> = &mut first[item as usize];
                        *known = Some(known.map_or(value, |earlier| earlier.min(value)));
                    }
                }
            }
            out.first_times.push(first);
            out.at.push(match &out.encoder.features[c].1 {
                Encoding::Numeric { .. } if out.is_time(c) => values().fold(f64::NEG_INFINITY, f64::max),
                Encoding::Numeric { .. } => values().sum::<f64>() / encoded.len().max(1) as f64,
                Encoding::Categorical { levels } => levels.len() as f64,
                Encoding::Missing { .. } => 0.0,
            });
        }
        let points = out.beside(items, sides, &encoded);
        Ok((out, points, notices))
    }

    /// The names of the columns.
    pub fn names(&self) -> Vec<String> {
        self.encoder.features.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Whether column `c` is a time: a number that both sides share.
    fn is_time(&self, c: usize) -> bool {
        self.shared[c] && matches!(self.encoder.features[c].1, Encoding::Numeric { .. })
    }

    /// The columns that a point has besides the item's features: each value, and beside a time the first time of the item.
    fn extend(&self, item: u64, values: &[f64], row: &mut Vec<f64>) {
        for (c, &value) in values.iter().enumerate() {
            row.push(value);
            if self.is_time(c) {
                let first = usize::try_from(item).ok().and_then(|item| *self.first_times[c].get(item)?);
                row.push(first.unwrap_or(value));
            }
        }
    }

    /// Items looked at in the model's context.
    pub(crate) fn place(&self, items: &Points) -> Points {
        self.joined(items, |_| &self.at)
    }

    /// Sides of `items`.
    ///
    /// # Errors
    /// Those of [`Encoder::encode`].
    pub(crate) fn sides(&self, items: &Points, sides: &Sides) -> Result<Points, Error> {
        let columns: Vec<&Column> = sides.columns.iter().map(|c| &c.column).collect();
        let encoded = self.encoder.encode(&columns, vec![0; sides.items.len()])?;
        Ok(self.beside(items, sides, &encoded))
    }

    /// Sides of `items` whose columns are encoded.
    fn beside(&self, items: &Points, sides: &Sides, encoded: &Points) -> Points {
        if sides.teams.is_empty() {
            let of: Vec<usize> = sides.items.iter().map(|&item| item as usize).collect();
            return self.joined(&items.select(&of), |i| encoded.row(i));
        }
        let members: Vec<Vec<(u32, f64)>> = (0..sides.items.len()).map(|side| sides.members(side)).collect();
        let each = || members.iter().enumerate().flat_map(|(side, all)| all.iter().map(move |m| (side, m)));
        let of: Vec<usize> = each().map(|(_, &(item, _))| item as usize).collect();
        let side_of: Vec<usize> = each().map(|(side, _)| side).collect();
        let rows = self.joined(&items.select(&of), |row| encoded.row(side_of[row]));
        rows.in_teams(members.iter().map(Vec::len), each().map(|(_, &(_, weight))| weight).collect())
    }

    /// Items with columns: `values` has the encoded ones of a row.
    fn joined<'a>(&self, items: &Points, values: impl Fn(usize) -> &'a [f64]) -> Points {
        let mut rows = Vec::with_capacity(items.len() * (items.dims() + self.columns()));
        for i in 0..items.len() {
            rows.extend_from_slice(items.row(i));
            self.extend(items.id(i), values(i), &mut rows);
        }
        let ids: Vec<u64> = (0..items.len()).map(|i| items.id(i)).collect();
        Points::new(ids, items.dims() + self.columns(), rows)
    }

    /// Number of columns that a point has besides the item's features.
    pub(crate) fn columns(&self) -> usize {
        (0..self.shared.len()).map(|c| 1 + usize::from(self.is_time(c))).sum()
    }

    /// The items' columns, and these after them.
    pub(crate) fn after(&self, mut schema: Schema) -> Schema {
        let own = self.encoder.schema();
        for (c, name) in own.names.into_iter().enumerate() {
            schema.names.push(name);
            schema.categorical.push(own.categorical[c]);
            if self.is_time(c) {
                schema.names.push(FIRST_TIME.into());
                schema.categorical.push(false);
            }
        }
        schema.context = self.columns();
        schema
    }

    /// The column that each column of points has, counted from the first of these: a time is followed by the item's first time.
    fn column_of(&self, column: usize) -> Option<usize> {
        (0..self.shared.len()).flat_map(|c| vec![c; 1 + usize::from(self.is_time(c))]).nth(column)
    }

    /// Whether a column of points, counted from the first of these columns, is the same on both sides of a comparison.
    fn is_shared(&self, column: usize) -> bool {
        self.column_of(column).is_some_and(|c| self.shared[c])
    }

    /// How a column of points, counted from the first of these columns, is encoded.
    pub(crate) fn encoding(&self, column: usize) -> Option<&Encoding> {
        self.column_of(column).map(|c| &self.encoder.features[c].1)
    }

    /// Refuses a kernel with a term that is the same on both sides of every comparison, for items of so many features.
    ///
    /// # Errors
    /// [`Error::KernelCancels`].
    pub(crate) fn check_kernel(&self, kernel: &Kernel, schema: &Schema) -> Result<(), Error> {
        let features = schema.features();
        let same = |column: usize| column >= features && self.is_shared(column - features);
        // Without a column it is a constant, which has its use for factors on single utilities.
        let cancels = |term: &&Kernel| !term.columns().is_empty() && term.is_constant_given(&same);
        match kernel.terms().iter().find(cancels) {
            Some(term) => Err(Error::KernelCancels { term: term.describe(schema) }),
            None => Ok(()),
        }
    }

    /// The units of the columns ([`Encoder::units`]), as points have them.
    pub(crate) fn units(&self) -> Vec<f64> {
        let units = self.encoder.units();
        (0..units.len()).flat_map(|c| vec![units[c]; 1 + usize::from(self.is_time(c))]).collect()
    }

    /// Looks at items where a column has this value from now on.
    ///
    /// # Errors
    /// [`Error::UnknownFeature`]; [`Error::FeatureKind`] if it holds the other kind of values; [`Error::FeatureRange`].
    pub(crate) fn look_at(&mut self, name: &str, value: &ColumnValues) -> Result<(), Error> {
        let columns = [Column { name: name.to_owned(), values: value.clone() }];
        let Some(c) = self.encoder.features.iter().position(|(known, _)| known.eq_ignore_ascii_case(name))
        else {
            let known: Vec<&str> = self.encoder.features.iter().map(|(name, _)| name.as_str()).collect();
            return Err(Error::UnknownFeature { name: name.to_owned(), known: known.join(", ") });
        };
        let one = Encoder { features: vec![self.encoder.features[c].clone()] };
        self.at[c] = one.encode(&columns, vec![0])?.row(0)[0];
        Ok(())
    }

    /// The first column that is a time: its name, whether it holds dates, and from when to when it was learned from, in the column's unit.
    pub fn time(&self) -> Option<(&str, bool, [f64; 2])> {
        let c = (0..self.shared.len()).find(|&c| self.is_time(c))?;
        let (name, encoding) = &self.encoder.features[c];
        let Encoding::Numeric { center, scale } = encoding else { return None };
        let first = self.first_times[c].iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let learned = [first, self.at[c]].map(|encoded| encoded * scale + center);
        learned.iter().all(|x| x.is_finite()).then_some((name.as_str(), self.dates[c], learned))
    }

    /// When an item first occurs in the column of [`Context::time`], if it does.
    pub fn first_time(&self, item: usize) -> Option<f64> {
        let c = (0..self.shared.len()).find(|&c| self.is_time(c))?;
        let Encoding::Numeric { center, scale } = self.encoder.features[c].1 else { return None };
        self.first_times[c].get(item).copied().flatten().map(|encoded| encoded * scale + center)
    }

    /// Whether the parts of a context from a file fit together, for so many items.
    pub(crate) fn is_sound(&self, items: usize) -> bool {
        let columns = self.encoder.features.len();
        let lengths = [self.shared.len(), self.dates.len(), self.first_times.len(), self.at.len()];
        let times = |c: usize| {
            let expected = if self.is_time(c) { items } else { 0 };
            self.first_times[c].len() == expected
                && self.first_times[c].iter().flatten().all(|time| time.is_finite())
        };
        lengths.iter().all(|&length| length == columns)
            && (0..columns).all(times)
            && self.at.iter().all(|x| x.is_finite())
    }
}

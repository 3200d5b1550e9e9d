//! A cut through the space of features: one or two of them vary, the others are held.

use rather::features::Encoding;
use rather::model::Model;
use rather::points::Points;

use crate::text::{counted, number};
use crate::{Along, Duel, Error};

/// So many held features are named.
const NAMED: usize = 5;

/// A model with a value at which each feature is held: its mean, or its most common level.
pub(crate) struct Section<'a> {
    model: &'a Model,
    held: Vec<f64>,
}

/// A feature that varies.
#[derive(Debug, Clone)]
pub(crate) struct Feature {
    pub(crate) dim: usize,
    pub(crate) name: String,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    /// `table value = encoded * scale + center`.
    Numbers {
        center: f64,
        scale: f64,
    },
    Levels(Vec<String>),
}

impl<'a> Section<'a> {
    pub(crate) fn new(model: &'a Model) -> Result<Self, Error> {
        let features = &model.encoder().features;
        if features.is_empty() {
            return Err(Error::NoFeatures);
        }
        let hold = |(dim, (_, encoding)): (usize, &(String, Encoding))| {
            let values = column(model, dim);
            match encoding {
                Encoding::Numeric { .. } if !is_yes_or_no(&values) => mean(&values),
                _ => most_common(&values),
            }
        };
        Ok(Self { model, held: features.iter().enumerate().map(hold).collect() })
    }

    /// The feature called `name`, whatever the case of its letters.
    pub(crate) fn feature(&self, name: &str) -> Result<Feature, Error> {
        let features = &self.model.encoder().features;
        let found = features.iter().position(|(known, _)| known.trim().eq_ignore_ascii_case(name.trim()));
        let dim = found.ok_or_else(|| {
            let known: Vec<String> = features.iter().map(|(known, _)| format!("\"{known}\"")).collect();
            Error::UnknownFeature { name: name.to_owned(), known: known.join(", ") }
        })?;
        Ok(self.feature_at(dim))
    }

    fn feature_at(&self, dim: usize) -> Feature {
        let (name, encoding) = &self.model.encoder().features[dim];
        let kind = match encoding {
            Encoding::Numeric { center, scale } => Kind::Numbers { center: *center, scale: *scale },
            Encoding::Missing { .. } => Kind::Numbers { center: 0.0, scale: 1.0 },
            Encoding::Categorical { levels } => Kind::Levels(levels.clone()),
        };
        Feature { dim, name: name.clone(), kind }
    }

    /// A feature of numbers, for a figure that needs such.
    pub(crate) fn numeric(&self, name: &str, figure: &'static str) -> Result<Feature, Error> {
        let feature = self.feature(name)?;
        match feature.kind {
            Kind::Numbers { .. } => Ok(feature),
            Kind::Levels(_) => Err(Error::Categories { name: feature.name, figure }),
        }
    }

    /// Where the utility along `feature` is asked for, as the figure shows it and as the model knows it.
    pub(crate) fn along(&self, feature: &Feature, n: usize) -> (Along, Vec<f64>) {
        let values = column(self.model, feature.dim);
        match &feature.kind {
            Kind::Levels(levels) => {
                (Along::Levels(levels.clone()), (0..levels.len()).map(|i| i as f64).collect())
            }
            Kind::Numbers { .. } => {
                let encoded = self.range(feature, n);
                if is_yes_or_no(&values) {
                    let (low, high) = crate::scale::extent(values);
                    let names = [low, high].map(|v| number(feature.decode(v), 3)).to_vec();
                    return (Along::Levels(names), vec![low, high]);
                }
                (Along::Numbers(encoded.iter().map(|&v| feature.decode(v)).collect()), encoded)
            }
        }
    }

    /// `n` values of `feature` over the range of the items, as the model knows them.
    pub(crate) fn range(&self, feature: &Feature, n: usize) -> Vec<f64> {
        let (low, high) = crate::scale::extent(column(self.model, feature.dim));
        let margin = if high > low { 0.04 * (high - low) } else { 0.5 };
        let (low, high) = (low - margin, high + margin);
        (0..n).map(|i| low + (high - low) * i as f64 / (n - 1).max(1) as f64).collect()
    }

    /// Items that differ from what is held in some features: `(dim, value)` each, a list an item.
    pub(crate) fn points(&self, items: &[Vec<(usize, f64)>]) -> Points {
        let first = self.model.keys().len() as u64;
        let mut values = Vec::with_capacity(items.len() * self.held.len());
        for item in items {
            let mut row = self.held.clone();
            item.iter().for_each(|&(dim, value)| row[dim] = value);
            values.extend(row);
        }
        let ids = (first..first + items.len() as u64).collect();
        self.model.in_context(Points::new(ids, self.held.len(), values))
    }

    /// The model's comparisons as values of `feature`, or as positions of its levels.
    pub(crate) fn duels(&self, feature: &Feature, along: &Along) -> Vec<Duel> {
        let values = column(self.model, feature.dim);
        let shown = |i: usize| match (along, &feature.kind) {
            (Along::Levels(_), Kind::Levels(_)) => values[i],
            (Along::Levels(_), Kind::Numbers { .. }) => {
                let (low, _) = crate::scale::extent(values.iter().copied());
                if values[i] > low { 1.0 } else { 0.0 }
            }
            (Along::Numbers(_), _) => feature.decode(values[i]),
        };
        let observations = self.model.observations();
        let duel = |(m, o): (usize, &rather::inference::observations::Observation)| {
            let (winner, loser) = self.model.ends(m);
            Duel { winner: shown(winner), loser: shown(loser), count: o.count() }
        };
        observations.comparisons().map(duel).collect()
    }

    /// Value of `feature` of item `i`, in the units of its table.
    pub(crate) fn value(&self, feature: &Feature, i: usize) -> f64 {
        feature.decode(self.model.points().row(i)[feature.dim])
    }

    /// A sentence about the features that do not vary.
    pub(crate) fn sentence(&self, varying: &[usize]) -> String {
        let others: Vec<usize> = (0..self.held.len()).filter(|dim| !varying.contains(dim)).collect();
        if others.is_empty() {
            return String::new();
        }
        let named: Vec<String> = others
            .iter()
            .take(NAMED)
            .map(|&dim| {
                let feature = self.feature_at(dim);
                let value = match &feature.kind {
                    Kind::Numbers { .. } => number(feature.decode(self.held[dim]), 3),
                    Kind::Levels(levels) => levels.get(self.held[dim] as usize).cloned().unwrap_or_default(),
                };
                format!("{}: {value}", feature.name)
            })
            .collect();
        let more = others.len() - named.len();
        let more = if more > 0 { format!(" and {}", counted(more, "more feature")) } else { String::new() };
        format!("Others at their mean or most common value ({}{more}).", named.join(", "))
    }
}

impl Feature {
    /// An encoded value in the units of the table.
    pub(crate) fn decode(&self, value: f64) -> f64 {
        match self.kind {
            Kind::Numbers { center, scale } => value * scale + center,
            Kind::Levels(_) => value,
        }
    }
}

fn column(model: &Model, dim: usize) -> Vec<f64> {
    (0..model.points().len()).map(|i| model.points().row(i)[dim]).collect()
}

/// Whether there are two values only, as of a boolean.
fn is_yes_or_no(values: &[f64]) -> bool {
    let (low, high) = crate::scale::extent(values.iter().copied());
    values.iter().all(|&v| v == low || v == high)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The value that occurs most often; of several the smallest.
fn most_common(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let runs = sorted.chunk_by(|a, b| a == b);
    runs.rev().max_by_key(|run| run.len()).and_then(|run| run.first()).copied().unwrap_or(0.0)
}

//! What features do to utilities: weights, relevances, shares of variance, contrasts, and what predictions lose without a feature.

mod dependence;
mod relevance;

pub use dependence::Dependence;
pub use relevance::Relevance;

use std::collections::HashMap;

use crate::Error;
use crate::Person;
use crate::features::Encoding;
use crate::inference::observations::Edge;
use crate::model::{Exchanged, Model, exchanged, weights};
use crate::points::Points;
use crate::posterior::Moments;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rather_numerics::random::stream;
use rather_numerics::watch;

/// Quantiles at which the effect of a column of numbers is given.
const QUANTILES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];
/// Compared items among which shares of variance are computed, evenly picked.
const ITEMS: usize = 1_000;
/// How often a feature is permuted.
const REPEATS: usize = 5;
/// Compared pairs that are predicted again: at most so many, and at least, and multiplications allowed for all of it.
const PAIRS: (usize, usize) = (25, 500);
const WORK: f64 = 1e11;

/// What a feature, or an item's features, do to utilities.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Explanation {
    /// The weights of `linear`, as [`Model::weights`]: for each column its name, and mean and standard deviation of the utility of one unit of it.
    pub weights: Vec<(String, f64, f64)>,
    /// How quickly utilities change with a column, under the kernel of highest evidence; the quickest first.
    pub relevances: Vec<Relevance>,
    /// The terms of that kernel, with the share each has in the variance of utilities among the compared items.
    pub shares: Vec<(String, f64)>,
    /// What each feature does, the others held.
    pub effects: Vec<Effect>,
    /// For each feature its name, and mean and standard deviation over permutations of what the log loss of the answers learned from rises by, in nats an answer,
    /// where the feature is permuted among items. `None` where whose answers these are is not known (one of many users), or comparisons are of teams.
    pub importances: Option<Vec<(String, f64, f64)>>,
}

/// The difference of the utility to the one at a reference, along one feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// The feature.
    pub feature: String,
    /// The value to which others are compared: the median of the compared items, or their most common category.
    pub reference: FeatureValue,
    /// Values, in increasing order.
    pub values: Vec<FeatureValue>,
    /// The utility there, minus the one at the reference.
    pub difference: Moments,
    /// The values at which the other features stay: medians and most common categories.
    pub others: Vec<(String, FeatureValue)>,
}

/// A value of a feature, in the units of its table.
#[derive(Debug, Clone, PartialEq)]
pub enum FeatureValue {
    /// A number.
    Number(f64),
    /// A category.
    Category(String),
}

impl Person<'_> {
    /// What features do to utilities.
    ///
    /// # Formula
    /// A *contrast* is $f(x)-f(x^0)$ under the joint posterior, where $x$ and the reference $x^0$ differ in one feature and are otherwise the same item, so that an
    /// item's own effect (`white`) and all that is common to both cancel. It is exactly 0 at the reference. The *share* of term $t$ of the kernel is
    /// $\operatorname{tr}(HK_tH)/\sum_u\operatorname{tr}(HK_uH)$ with $H=I-\frac1n11^\top$ over the compared items. The *importance* of a feature is the mean of
    /// $\sum_mc_m(\log p_m-\log p_m^\pi)/\sum_mc_m$ over permutations $\pi$ of its values among items, with $p_m$ the probability of answer $m$, given $c_m$ times.
    ///
    /// # References
    /// Breiman, *Random forests* (2001), Machine Learning 45, for importance by permutation.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Examples
    /// ```
    /// use rather::features::{Column, ColumnValues};
    /// use rather::model::{FitSettings, Items, Model};
    /// use rather::{Comparison, Person};
    ///
    /// let price = Column { name: "price".into(), values: ColumnValues::Numeric(vec![1.0, 2.0, 4.0]) };
    /// let items = Items { keys: vec!["tea".into(), "coffee".into(), "wine".into()], columns: vec![price] };
    /// let cheaper = |winner, loser| Comparison { winner, loser, count: 5.0 };
    /// let model = Model::fit(&items, &[cheaper(0, 1), cheaper(1, 2)], &FitSettings::default(), &|_| ())?;
    /// let found = Person::Single(&model).explain(0)?;
    /// let effect = &found.effects[0];
    /// assert!(effect.difference.mean[0] > 0.0 && effect.difference.mean[2] < 0.0);
    /// assert_eq!((effect.difference.mean[1], effect.difference.variance[1]), (0.0, 0.0));
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn explain(&self, seed: u64) -> Result<Explanation, Error> {
        let features = 0..self.items().encoder().features.len();
        let effects = features.map(|column| self.effect_along(column, None)).collect();
        let importances = match self {
            Self::Single(model) => importances(model, seed),
            Self::User(..) => None,
        };
        watch::check()?;
        let kernel = &self.hyperparameters().kernel;
        let weights = weights(self.items(), kernel, &|points, pairs| self.differences(points, pairs));
        Ok(Explanation {
            weights,
            relevances: self.relevances(),
            shares: self.shares(),
            effects,
            importances,
        })
    }

    /// Willingness to pay: how many units of the column `price` one unit of every other column with a weight is worth, $-w_k/w_p$, with its 95 %
    /// interval (Fieller).
    ///
    /// # Errors
    /// [`Error::UnknownFeature`] if `price` has no weight.
    #[doc(hidden)]
    pub fn exchanged(&self, price: &str) -> Result<Vec<Exchanged>, Error> {
        let differences = |points: &Points, pairs: &[(usize, usize)]| self.differences(points, pairs);
        let kernel = &self.hyperparameters().kernel;
        exchanged(self.items(), kernel, price, &differences).ok_or_else(|| {
            let known = weights(self.items(), kernel, &differences).into_iter().map(|(name, ..)| name);
            let known: Vec<String> = known.collect();
            Error::UnknownFeature { name: price.to_owned(), known: known.join(", ") }
        })
    }

    /// The effect of one feature, at quantiles of the compared items, or at `points` numbers evenly spaced over their range; of categories at all of them.
    ///
    /// # Errors
    /// [`Error::UnknownFeature`].
    pub fn effect(&self, feature: &str, points: Option<usize>) -> Result<Effect, Error> {
        let column = self.column(feature)?;
        Ok(self.effect_along(column, points))
    }

    /// The position of a feature.
    fn column(&self, feature: &str) -> Result<usize, Error> {
        let features = &self.items().encoder().features;
        let same = |name: &str| name.trim().eq_ignore_ascii_case(feature.trim());
        features.iter().position(|(name, _)| same(name)).ok_or_else(|| {
            let known: Vec<&str> = features.iter().map(|(name, _)| name.as_str()).collect();
            Error::UnknownFeature { name: feature.to_owned(), known: known.join(", ") }
        })
    }

    /// The compared items.
    fn compared_points(&self) -> Points {
        self.items().points().select(&self.compared())
    }

    fn effect_along(&self, column: usize, points: Option<usize>) -> Effect {
        let (items, compared) = (self.items(), self.compared_points());
        let features = &items.encoder().features;
        let mut reference = compared.row(0).to_vec();
        for (at, (_, encoding)) in features.iter().enumerate() {
            reference[at] = typical(&sorted(&compared, at), encoding);
        }
        let values = along(&sorted(&compared, column), &features[column].1, points, reference[column]);
        let mut rows = reference.clone();
        for &value in &values {
            let start = rows.len();
            rows.extend_from_slice(&reference);
            rows[start + column] = value;
        }
        // One item, looked at with several values of its feature.
        let rows = Points::new(vec![compared.id(0); values.len() + 1], compared.dims(), rows);
        let pairs: Vec<(usize, usize)> = (1..=values.len()).map(|k| (k, 0)).collect();
        let others = (0..features.len()).filter(|&other| other != column);
        Effect {
            feature: features[column].0.clone(),
            reference: decoded(&features[column].1, reference[column]),
            values: values.iter().map(|&value| decoded(&features[column].1, value)).collect(),
            difference: self.differences(&rows, &pairs),
            others: others.map(|k| (features[k].0.clone(), decoded(&features[k].1, reference[k]))).collect(),
        }
    }

    fn shares(&self) -> Vec<(String, f64)> {
        let compared = self.compared_points();
        let step = compared.len().div_ceil(ITEMS).max(1);
        let some = compared.select(&(0..compared.len()).step_by(step).collect::<Vec<_>>());
        let (schema, n) = (self.items().schema(), some.len() as f64);
        let spread = |term: &crate::kernel::Kernel| {
            let k = term.matrix(&some);
            let own: f64 = (0..some.len()).map(|i| k[(i, i)]).sum();
            (own / n - k.data().iter().sum::<f64>() / (n * n)).max(0.0)
        };
        let terms = self.hyperparameters().kernel.terms();
        let all: Vec<f64> = terms.iter().map(spread).collect();
        let total: f64 = all.iter().sum();
        let share = |spread: f64| if total > 0.0 { spread / total } else { 1.0 / all.len() as f64 };
        terms.iter().zip(&all).map(|(term, &spread)| (term.describe(&schema), share(spread))).collect()
    }
}

/// A column of the compared items, in increasing order.
fn sorted(compared: &Points, column: usize) -> Vec<f64> {
    let mut values: Vec<f64> = (0..compared.len()).map(|i| compared.row(i)[column]).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The median, as an item has it; of categories, and of numbers with two values, the most common.
fn typical(sorted: &[f64], encoding: &Encoding) -> f64 {
    let runs: Vec<&[f64]> = sorted.chunk_by(|a, b| a == b).collect();
    if runs.len() <= 2 || matches!(encoding, Encoding::Categorical { .. }) {
        return runs.iter().rev().max_by_key(|run| run.len()).map_or(0.0, |run| run[0]);
    }
    sorted[(sorted.len() - 1) / 2]
}

/// The values at which an effect is given; the reference is among them.
fn along(sorted: &[f64], encoding: &Encoding, points: Option<usize>, reference: f64) -> Vec<f64> {
    let mut distinct = sorted.to_vec();
    distinct.dedup();
    let all = distinct.len() <= QUANTILES.len().min(points.unwrap_or(QUANTILES.len()));
    let mut values = match (encoding, points) {
        (Encoding::Categorical { .. }, _) => distinct,
        (_, Some(points)) if distinct.len() > 2 => {
            let (low, high) = (sorted[0], sorted[sorted.len() - 1]);
            (0..points).map(|k| low + (high - low) * k as f64 / (points - 1).max(1) as f64).collect()
        }
        _ if all || distinct.len() <= 2 => distinct,
        _ => QUANTILES.iter().map(|q| sorted[(q * (sorted.len() - 1) as f64).round() as usize]).collect(),
    };
    values.push(reference);
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

fn spread(values: &[f64]) -> f64 {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt()
}

fn decoded(encoding: &Encoding, value: f64) -> FeatureValue {
    match encoding {
        Encoding::Numeric { center, scale } => FeatureValue::Number(value * scale + center),
        Encoding::Categorical { levels } => {
            FeatureValue::Category(levels.get(value as usize).cloned().unwrap_or_default())
        }
        Encoding::Missing { .. } => FeatureValue::Number(value),
    }
}

/// Of each feature what the log loss rises by where it is permuted among items.
fn importances(model: &Model, seed: u64) -> Option<Vec<(String, f64, f64)>> {
    let points = model.compared_points();
    if points.are_teams() {
        return None;
    }
    let features = &model.items().encoder().features;
    let looked_at = model.hyperparameters().kernel.columns();
    let rng = &mut stream(seed, 6);
    let known = loss(model, &points, features.len());
    let one = |(column, (name, _)): (usize, &(String, Encoding))| {
        let is_seen = model.belief().mixture().is_some() || looked_at.contains(&column);
        let rises: Vec<f64> = match is_seen {
            true => (0..REPEATS)
                .map(|_| loss(model, &permuted(&points, column, rng), features.len()) - known)
                .collect(),
            false => vec![0.0],
        };
        (name.clone(), rises.iter().sum::<f64>() / rises.len() as f64, spread(&rises))
    };
    Some(features.iter().enumerate().map(one).collect())
}

/// The items with the values of a column exchanged among them.
fn permuted(points: &Points, column: usize, rng: &mut ChaCha8Rng) -> Points {
    let mut ids: Vec<u64> = (0..points.len()).map(|i| points.id(i)).collect();
    let all = ids.clone();
    ids.sort_unstable();
    ids.dedup();
    let value: HashMap<u64, f64> = (0..points.len()).map(|i| (points.id(i), points.row(i)[column])).collect();
    let mut given = ids.clone();
    given.shuffle(rng);
    let exchanged: HashMap<u64, f64> = ids.iter().zip(&given).map(|(id, from)| (*id, value[from])).collect();
    let mut rows = Vec::with_capacity(points.len() * points.dims());
    for (i, id) in all.iter().enumerate() {
        rows.extend_from_slice(points.row(i));
        rows[i * points.dims() + column] = exchanged[id];
    }
    Points::new(all, points.dims(), rows)
}

/// The mean log loss of the answers that the model was learned from, evenly picked, where items are these.
fn loss(model: &Model, points: &Points, features: usize) -> f64 {
    let (observations, belief) = (model.observations(), model.belief());
    let components = belief.components().unwrap_or_default();
    let rank: f64 = components.iter().map(|(_, p)| (p.prior().rank() as f64).powi(2)).sum();
    let most = WORK / (4.0 * rank.max(1.0) * (REPEATS * features.max(1)) as f64);
    let most = (most as usize).clamp(PAIRS.0, PAIRS.1);
    let step = observations.merged.len().div_ceil(most).max(1);
    // Of a set the pairs whose order was said, each as if it were alone.
    let asked: Vec<_> = observations.comparisons().map(|(_, o)| o).step_by(step).collect();
    let edges: Vec<Edge> = asked.iter().map(|o| observations.edges[o.edge()]).collect();
    let likelihoods = belief.likelihoods();
    let (mut sum, mut total) = (0.0, 0.0);
    for (o, (m, v)) in asked.iter().zip(moments(model, points, &edges)) {
        let p = likelihoods.of(o.answer).probability(o.sign() * m, v);
        sum -= o.count() * p.max(f64::MIN_POSITIVE).ln();
        total += o.count();
    }
    if total > 0.0 { sum / total } else { 0.0 }
}

/// Means and variances of projections of `points`.
fn moments(model: &Model, points: &Points, edges: &[Edge]) -> Vec<(f64, f64)> {
    let pairs: Vec<(usize, usize)> = edges.iter().filter_map(|e| Some((e.plus(), e.minus()?))).collect();
    let alone: Vec<usize> = edges.iter().filter(|e| e.minus().is_none()).map(Edge::plus).collect();
    let of = |m: Moments| m.mean.into_iter().zip(m.variance).collect::<Vec<_>>().into_iter();
    let mut pairs = of(model.belief().differences(points, &pairs));
    let mut alone = of(model.belief().utilities(&points.select(&alone)));
    let next = |e: &Edge| if e.minus().is_some() { pairs.next() } else { alone.next() };
    edges.iter().map(next).map(|found| found.unwrap_or((0.0, 1.0))).collect()
}

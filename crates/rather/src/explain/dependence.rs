//! Partial dependence: the average utility over some items, where a feature of all of them has one value after the other.

use super::{FeatureValue, along, decoded, sorted};
use crate::Error;
use crate::Person;
use crate::features::Encoding;
use crate::points::Points;
use crate::posterior::Moments;
use rather_numerics::linalg::dot;
use rather_numerics::watch;

/// The partial dependence of the utility on a feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Dependence {
    /// The feature.
    pub feature: String,
    /// Its values.
    pub values: Vec<FeatureValue>,
    /// At each value the average utility of the items that have it in the place of their own, relative to the average over the compared items.
    pub utility: Moments,
}

impl Person<'_> {
    /// The average utility of `points` where a feature of all of them has one of `values`, one value after the other; the other features stay as they are.
    /// Without values, `number` of them: evenly spaced over the range that the points have, or all their categories.
    ///
    /// # Formula
    /// $\frac1n\sum_if(x_i^v)-\frac1c\sum_jf(x_j)$ with $x_i^v$ item $i$ with the value $v$ and the $c$ compared items $x_j$: linear in $f$, so that its mean and
    /// variance are those of the joint posterior.
    ///
    /// # References
    /// Friedman, *Greedy function approximation: a gradient boosting machine* (2001), Annals of Statistics 29, section 8.2.
    ///
    /// # Errors
    /// [`Error::UnknownFeature`], [`Error::UnknownCategory`], [`Error::FeatureKind`] for a value of the other kind; as
    /// [`Belief::gaussian`](crate::belief::Belief::gaussian).
    pub fn partial_dependence(
        &self,
        feature: &str,
        points: &Points,
        values: &[FeatureValue],
        number: usize,
    ) -> Result<Dependence, Error> {
        let column = self.column(feature)?;
        let features = &self.items().encoder().features;
        let (name, encoding) = &features[column];
        let values: Vec<f64> = match values {
            [] => range(&sorted(points, column), encoding, number),
            given => given.iter().map(|value| encoded(name, encoding, value)).collect::<Result<_, _>>()?,
        };
        // Where a number is given, it is not missing.
        let missing = features.iter().position(|(_, e)| matches!(e, Encoding::Missing { of } if of == name));
        let groups: Vec<Points> = values
            .iter()
            .map(|&value| {
                with(
                    points,
                    &[(column, value)].into_iter().chain(missing.map(|at| (at, 0.0))).collect::<Vec<_>>(),
                )
            })
            .collect();
        Ok(Dependence {
            feature: name.clone(),
            values: values.iter().map(|&value| decoded(encoding, value)).collect(),
            utility: self.relative_averages(&groups)?,
        })
    }

    /// Means and variances of the average utility of each group of items, relative to the average over the compared items.
    fn relative_averages(&self, groups: &[Points]) -> Result<Moments, Error> {
        let compared = self.compared_points();
        match self {
            Self::Single(model) => model.belief().relative_averages(groups, &compared),
            Self::User(population, user) => {
                let mut out = Moments { mean: Vec::new(), variance: Vec::new() };
                for group in groups {
                    watch::check()?;
                    let all = population.model().items().embed(&group.followed_by(&compared));
                    let (mean, covariance) = user.utilities(&all);
                    let share = |i: usize| {
                        let is_of_group = i < group.len();
                        if is_of_group { 1.0 / group.len() as f64 } else { -1.0 / compared.len() as f64 }
                    };
                    let weights: Vec<f64> = (0..mean.len()).map(share).collect();
                    out.mean.push(dot(&weights, &mean));
                    out.variance.push(dot(&weights, &covariance.times(&weights)).max(0.0));
                }
                Ok(out)
            }
        }
    }
}

/// The same items with these values in these columns.
fn with(points: &Points, values: &[(usize, f64)]) -> Points {
    let rows = (0..points.len()).flat_map(|i| {
        let mut row = points.row(i).to_vec();
        values.iter().for_each(|&(column, value)| row[column] = value);
        row
    });
    Points::new((0..points.len()).map(|i| points.id(i)).collect(), points.dims(), rows.collect())
}

/// So many values between the smallest and the largest one, or all categories.
fn range(sorted: &[f64], encoding: &Encoding, number: usize) -> Vec<f64> {
    along(sorted, encoding, Some(number), sorted.first().copied().unwrap_or_default())
}

/// A value as items have it.
fn encoded(name: &str, encoding: &Encoding, value: &FeatureValue) -> Result<f64, Error> {
    match (encoding, value) {
        (Encoding::Numeric { center, scale }, FeatureValue::Number(x)) => Ok((x - center) / scale),
        (Encoding::Missing { .. }, FeatureValue::Number(x)) => Ok(*x),
        (Encoding::Categorical { levels }, FeatureValue::Category(level)) => {
            levels.binary_search(level).map(|at| at as f64).map_err(|_| Error::UnknownCategory {
                feature: name.to_owned(),
                category: level.clone(),
                known: levels.join(", "),
            })
        }
        (Encoding::Categorical { .. }, FeatureValue::Number(_)) => {
            Err(Error::FeatureKind { name: name.to_owned(), expected: "categories" })
        }
        (_, FeatureValue::Category(_)) => {
            Err(Error::FeatureKind { name: name.to_owned(), expected: "numbers" })
        }
    }
}

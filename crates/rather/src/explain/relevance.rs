//! How quickly utilities change with a column, and how surely that is known.

use super::{sorted, spread};
use crate::Person;
use crate::learn::{Hyperparameters, integration};
use crate::model::{Belief, Model};
use rather_numerics::order;

/// Half the width of a 95 % interval, in standard deviations.
const Z95: f64 = 1.959_963_984_540_054;

/// A column that a kernel with lengthscales looks at.
#[derive(Debug, Clone, PartialEq)]
pub struct Relevance {
    /// The column.
    pub feature: String,
    /// The kernel's atom.
    pub kernel: String,
    /// The lengthscale of largest evidence, in units of the column; of categories without a unit.
    pub lengthscale: f64,
    /// The 95 % interval of the lengthscale; `None` where only a point is known of it.
    pub lengthscale_interval: Option<[f64; 2]>,
    /// The standard deviation of the column among the compared items, in lengthscales; of categories the inverse of the lengthscale.
    pub relevance: f64,
}

impl Relevance {
    /// The 95 % interval of the relevance; `None` where only a point is known of the lengthscale.
    pub fn interval(&self) -> Option<[f64; 2]> {
        let spread = self.relevance * self.lengthscale;
        self.lengthscale_interval.map(|[low, high]| [spread / high, spread / low])
    }
}

impl Person<'_> {
    /// How quickly utilities change with each column, under the kernel of highest evidence; the quickest first.
    ///
    /// # Formula
    /// The interval of a lengthscale $\ell$ is $\exp(m\pm1.96\sqrt v)$ with the mean $m$ and the variance $v$ of $\log\ell$ under the posterior of the
    /// hyperparameters: over the settings of this kernel that predictions average over, and along the directions that they leave at the maximum
    /// by the curvature there. It is known of a model of one person with at most 700 compared items and their full covariance, whose lengthscale is learned.
    pub fn relevances(&self) -> Vec<Relevance> {
        let (items, compared) = (self.items(), self.compared_points());
        let (schema, units) = (items.schema(), items.units());
        let lengthscales = self.hyperparameters().kernel.lengthscales();
        let intervals = match self {
            Self::Single(model) => intervals(model),
            Self::User(..) => None,
        };
        let intervals = intervals.unwrap_or_else(|| vec![None; lengthscales.len()]);
        let one = |((kernel, column, lengthscale), interval): ((&str, usize, f64), Option<[f64; 2]>)| {
            let spread = if schema.categorical[column] { 1.0 } else { spread(&sorted(&compared, column)) };
            Relevance {
                feature: schema.names[column].clone(),
                kernel: kernel.to_owned(),
                lengthscale: lengthscale * units[column],
                lengthscale_interval: interval.map(|ends| ends.map(|end| end * units[column])),
                relevance: spread / lengthscale,
            }
        };
        let mut out: Vec<Relevance> = lengthscales.into_iter().zip(intervals).map(one).collect();
        order::sort_descending(&mut out, |one| one.relevance);
        out
    }
}

/// The 95 % interval of each lengthscale of a model's kernel, in the order of the kernel; `None` for one that is fixed, and for all where the posterior
/// of hyperparameters is out of reach.
fn intervals(model: &Model) -> Option<Vec<Option<[f64; 2]>>> {
    if !matches!(model.belief(), Belief::Gaussian(_) | Belief::Mixture(_)) || model.inducing().is_some() {
        return None;
    }
    let at = model.hyperparameters();
    let learned = learned(at);
    if learned.iter().all(Option::is_none) {
        return None;
    }
    let settings = model.settings_of_kernel();
    let logs: Vec<Vec<f64>> = settings.iter().map(|(_, at)| log_lengthscales(at)).collect();
    let total: f64 = settings.iter().map(|(weight, _)| weight).sum();
    let average = |of: &dyn Fn(&[f64]) -> f64| {
        settings.iter().zip(&logs).map(|((weight, _), logs)| weight / total * of(logs)).sum::<f64>()
    };
    let compared = model.compared_points();
    let sites = *model.belief().sites().first()?;
    let left =
        integration::left_at_maximum(&model.problem(&compared), at, sites, settings.len() > 1).ok()??;
    let one = |(k, free): (usize, Option<usize>)| {
        let free = free?;
        let mean = average(&|logs| logs[k]);
        let variance = average(&|logs| (logs[k] - mean).powi(2)) + left[(free, free)];
        let half = Z95 * variance.sqrt();
        Some([(mean - half).exp(), (mean + half).exp()])
    };
    Some(learned.into_iter().enumerate().map(one).collect())
}

fn log_lengthscales(at: &Hyperparameters) -> Vec<f64> {
    at.kernel.lengthscales().into_iter().map(|(.., lengthscale)| lengthscale.ln()).collect()
}

/// Of each lengthscale of the kernel which of the learned hyperparameters it is: the one that moves it.
fn learned(at: &Hyperparameters) -> Vec<Option<usize>> {
    let here = log_lengthscales(at);
    let mut out = vec![None; here.len()];
    for (place, &entry) in at.free().iter().enumerate() {
        let mut there = at.clone();
        let mut values: Vec<f64> = there.entries.iter().map(|e| e.value).collect();
        values[entry] *= 2.0;
        if there.set(&values).is_err() {
            continue;
        }
        for (k, _) in here.iter().zip(log_lengthscales(&there)).enumerate().filter(|(_, (a, b))| *a != b) {
            out[k] = Some(place);
        }
    }
    out
}

//! What features are worth beside names.

use super::{Model, Notice};
use crate::kernel::Kernel;
use crate::points::Points;
use crate::posterior::Posterior;

/// Compared pairs that are looked at, evenly picked.
const PAIRS: usize = 1_000;
/// A share of the items' variance that is none.
const NOTHING: f64 = 1e-9;

impl Model {
    /// The share of the differences between compared items that their features explain; `None` without features.
    ///
    /// # Formula
    /// Under the learned kernel, items $i$ and $j$ differ by a variance $d_{ij}=k(i,i)+k(j,j)-2k(i,j)$, and two items that have the
    /// features of $i$ both by $o_i$, which features do not explain. The share is $1-\sum\tfrac12(o_i+o_j)/\sum d_{ij}$ over compared
    /// pairs; where predictions average over kernels, its average.
    ///
    /// # Examples
    /// ```
    /// use rather::features::{Column, ColumnValues};
    /// use rather::learn::choice::{KernelChoice, KernelSpec};
    /// use rather::model::{FitSettings, Items, Model};
    /// use rather::Comparison;
    ///
    /// let price = Column { name: "price".into(), values: ColumnValues::Numeric(vec![1.0, 2.0, 3.0]) };
    /// let items = Items { keys: vec!["tea".into(), "coffee".into(), "wine".into()], columns: vec![price] };
    /// let said = [Comparison { winner: 0, loser: 2, count: 5.0 }];
    /// let explained = |expression: &str| {
    ///     let kernel = KernelChoice::Given(KernelSpec { expression: expression.into(), ard: false });
    ///     let settings = FitSettings { kernel, ..FitSettings::default() };
    ///     Model::fit(&items, &said, &settings, &|_| ()).map(|model| model.explained().unwrap())
    /// };
    /// assert_eq!(explained("se")?, 1.0);
    /// assert_eq!(explained("white")?, 0.0);
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn explained(&self) -> Option<f64> {
        if self.items.features().dims() == 0 {
            return None;
        }
        let Some(mixture) = self.belief.mixture() else {
            return self.explained_by(&self.hyperparameters.kernel);
        };
        let kernels = std::iter::once(&self.hyperparameters).chain(&self.rivals).map(|h| &h.kernel);
        let share =
            |((weight, _), kernel): (&(f64, Posterior), &Kernel)| Some(weight * self.explained_by(kernel)?);
        mixture.components().iter().zip(kernels).map(share).sum()
    }

    /// The share under one kernel.
    fn explained_by(&self, kernel: &Kernel) -> Option<f64> {
        let edges = &self.observations.edges;
        let points = self.compared_points();
        let (mut own, mut total) = (0.0, 0.0);
        for edge in edges.iter().step_by(edges.len().div_ceil(PAIRS).max(1)) {
            let Some(minus) = edge.minus() else { continue };
            let (i, j) = (edge.plus(), minus);
            total += difference(kernel, &points.select(&[i, j]));
            own += 0.5 * (own_part(kernel, &points, i) + own_part(kernel, &points, j));
        }
        (total > 0.0).then(|| (1.0 - own / total).clamp(0.0, 1.0))
    }
}

/// Items that the kernel forces to be equal, because it looks at nothing but features and theirs are the same.
pub(super) fn forced_equal(kernel: &Kernel, compared: &Points) -> Option<Notice> {
    let groups = if compared.dims() > 0 { compared.equals() } else { Vec::new() };
    let pair = &groups.first()?[..2];
    let scale = kernel.diagonal(&compared.select(&pair[..1]))[0];
    let forced = difference(kernel, &compared.select(pair)) <= NOTHING * scale;
    forced.then(|| Notice::ForcedEqual { items: groups.iter().map(Vec::len).sum() })
}

/// The prior variance of the difference of two items.
fn difference(kernel: &Kernel, two: &Points) -> f64 {
    let k = kernel.matrix(two);
    k[(0, 0)] + k[(1, 1)] - 2.0 * k[(1, 0)]
}

/// The prior variance of the difference of item `i` and another one with its features.
fn own_part(kernel: &Kernel, points: &Points, i: usize) -> f64 {
    let row = points.row(i);
    let twins = Points::new(vec![0, 1], row.len(), [row, row].concat());
    difference(kernel, &twins)
}

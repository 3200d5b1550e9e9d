//! Items in the space in which all models of many users express what they believe: the features of a kernel.
//!
//! `K = Phi' Phi` over the known items by pivoted Cholesky, so a utility function is `f = Phi' omega` with
//! `omega ~ N(0, I)`; or, from a few inducing items, `K ~ Phi' Phi` (Houlsby et al. 2012, supplement, section 4.4).
//! An item that is not among the known ones has features, too, and a rest of variance that no answer touches.

use crate::Error;
use crate::inference::observations::Edge;
use crate::kernel::Kernel;
use crate::points::Points;
use rather_numerics::linalg::{Matrix, TriangularFeatures, dot, solve_lower_transposed, squared_distance};

/// A kernel's features of the known items, and the way to those of any other.
#[derive(Debug, Clone)]
pub struct Items {
    kernel: Kernel,
    points: Points,
    /// The items from which features are computed.
    base: Points,
    /// Their own features, a lower triangle `T` with `K_base = T' T`.
    triangle: Matrix,
    known: Matrix,
    inducing: bool,
}

/// Some items, in the feature space of [`Items`].
#[derive(Debug, Clone)]
pub struct Embedded {
    /// Features, one item a column.
    pub features: Matrix,
    /// The items, and the kernel, if the features leave some of their variance.
    rest: Option<(Kernel, Points)>,
}

impl Items {
    /// The features of `points` under `kernel`; with `inducing`, only those that these items (positions in
    /// `points`) span.
    ///
    /// # Errors
    /// [`Error::Covariance`] if a covariance is not a finite number.
    pub fn new(kernel: &Kernel, points: &Points, inducing: Option<&[usize]>) -> Result<Self, Error> {
        let chosen: Vec<usize> = inducing.map_or_else(|| (0..points.len()).collect(), <[usize]>::to_vec);
        let base = points.select(&chosen);
        let factored = TriangularFeatures::new(kernel.matrix(&base)).ok_or(Error::Covariance)?;
        let rank = factored.features.rows();
        let triangle = Matrix::from_fn(rank, rank, |i, j| factored.features[(i, j)]);
        let base = base.select(&factored.order[..rank]);
        let mut out = Self {
            kernel: kernel.clone(),
            points: points.clone(),
            base,
            triangle,
            known: Matrix::default(),
            inducing: inducing.is_some(),
        };
        out.known = if out.inducing { out.span(points) } else { factored.in_order() };
        Ok(out)
    }

    fn span(&self, points: &Points) -> Matrix {
        let mut features = self.kernel.cross(&self.base, points);
        solve_lower_transposed(&self.triangle, &mut features);
        features
    }

    /// Number of known items.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Number of features.
    pub fn rank(&self) -> usize {
        self.triangle.rows()
    }

    /// The known items.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The features of the known items, `rank x items`.
    pub fn features(&self) -> &Matrix {
        &self.known
    }

    /// Whether the features are those of a few inducing items.
    pub fn is_inducing(&self) -> bool {
        self.inducing
    }

    /// The known items.
    pub fn known(&self) -> Embedded {
        let rest = self.inducing.then(|| (self.kernel.clone(), self.points.clone()));
        Embedded { features: self.known.clone(), rest }
    }

    /// Some of the known items.
    pub fn some(&self, items: &[usize]) -> Embedded {
        let features = Matrix::from_fn(self.rank(), items.len(), |k, i| self.known[(k, items[i])]);
        let rest = self.inducing.then(|| (self.kernel.clone(), self.points.select(items)));
        Embedded { features, rest }
    }

    /// Any items: known ones, found by their identity, have the features they were learned with.
    pub fn embed(&self, points: &Points) -> Embedded {
        Embedded { features: self.span(points), rest: Some((self.kernel.clone(), points.clone())) }
    }

    /// These features in the space of those of `all`: `T'` with `T'T = I`, so that `T' phi` are these of what has `phi`.
    pub(in crate::many) fn within(&self, all: &Self) -> Matrix {
        let base = all.span(&self.base);
        let mut out = Matrix::from_fn(self.rank(), all.rank(), |i, a| base[(a, i)]);
        solve_lower_transposed(&self.triangle, &mut out);
        out
    }

    /// The numbers of the items from which features are computed, by their identities.
    pub(in crate::many) fn base_ids(&self) -> Vec<u64> {
        (0..self.base.len()).map(|i| self.base.id(i)).collect()
    }

    /// The features of another run, which need not have chosen the items that this one would; `None` if `known` (column by
    /// column) are no features of `points`, or `base` not the items that they are computed from.
    pub(in crate::many) fn restore(
        kernel: &Kernel,
        points: &Points,
        base: &[u64],
        known: &[f64],
    ) -> Option<Self> {
        let (rank, n) = (base.len(), points.len());
        let base: Vec<usize> = base.iter().map(|&i| usize::try_from(i).unwrap_or(n)).collect();
        if known.len() != rank * n || base.iter().any(|&i| i >= n) {
            return None;
        }
        let known = Matrix::from_fn(rank, n, |k, i| known[i * rank + k]);
        let triangle = Matrix::from_fn(rank, rank, |k, i| known[(k, base[i])]);
        if (0..rank).any(|k| triangle[(k, k)] <= 0.0) {
            return None;
        }
        let base = points.select(&base);
        Some(Self { kernel: kernel.clone(), points: points.clone(), base, triangle, known, inducing: false })
    }

    /// The features of a projection of known items: the difference of those of a pair, or those of one item.
    pub fn projection(&self, edge: &Edge) -> Vec<f64> {
        edge.project(&self.known)
    }
}

/// What rounding leaves of known items' variance is no variance.
fn beyond_rounding(left: f64, whole: f64) -> f64 {
    if left > 1e-10 * whole { left } else { 0.0 }
}

impl Embedded {
    /// Those at `items`.
    #[must_use]
    pub fn some(&self, items: &[usize]) -> Self {
        let features =
            Matrix::from_fn(self.features.rows(), items.len(), |k, i| self.features[(k, items[i])]);
        let rest = self.rest.as_ref().map(|(kernel, points)| (kernel.clone(), points.select(items)));
        Self { features, rest }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.features.cols()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The prior variance of a projection, of `f(i) - f(j)` or of `f(i)`, that the features leave, under a unit multiple of the kernel.
    pub fn rest_of(&self, edge: &Edge) -> f64 {
        let Some((kernel, points)) = &self.rest else { return 0.0 };
        let (i, Some(j)) = (edge.plus(), edge.minus()) else {
            let k = kernel.diagonal(&points.select(&[edge.plus()]))[0];
            let own = self.features.col(edge.plus());
            return beyond_rounding(k - dot(own, own), k);
        };
        if i == j {
            return 0.0;
        }
        let k = kernel.matrix(&points.select(&[i, j]));
        let left = k[(0, 0)] + k[(1, 1)]
            - 2.0 * k[(0, 1)]
            - squared_distance(self.features.col(i), self.features.col(j));
        beyond_rounding(left, k[(0, 0)] + k[(1, 1)])
    }

    /// The prior covariance of all utilities that the features leave, under a unit multiple of the kernel.
    pub fn rest(&self) -> Option<Matrix> {
        let (kernel, points) = self.rest.as_ref()?;
        let mut out = kernel.matrix(points);
        for j in 0..out.cols() {
            for i in 0..out.rows() {
                out[(i, j)] -= dot(self.features.col(i), self.features.col(j));
            }
            out[(j, j)] = out[(j, j)].max(0.0);
        }
        Some(out)
    }
}

//! Small symmetric matrices: roots, inverses, and inverses of singular ones with the directions they miss.

use rather_numerics::linalg::{
    Matrix, cholesky, product, solve_lower, solve_lower_vec, symmetric_eigen, transpose_product,
};

/// Eigenvalues of a correlation matrix below this share of the largest count as zero.
const SINGULAR: f64 = 1e-12;
/// Eigenvalues that a subtraction leaves, below this share of what it was taken from, are rounding.
const CANCELLED: f64 = 1e-10;

pub(crate) fn transpose(a: &Matrix) -> Matrix {
    Matrix::from_fn(a.cols(), a.rows(), |i, j| a[(j, i)])
}

pub(crate) fn add(a: &Matrix, b: &Matrix) -> Matrix {
    combine(a, b, |x, y| x + y)
}

pub(crate) fn subtract(a: &Matrix, b: &Matrix) -> Matrix {
    combine(a, b, |x, y| x - y)
}

fn combine(a: &Matrix, b: &Matrix, f: impl Fn(f64, f64) -> f64) -> Matrix {
    Matrix::from_fn(a.rows(), a.cols(), |i, j| f(a[(i, j)], b[(i, j)]))
}

pub(crate) fn identity(n: usize) -> Matrix {
    Matrix::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 })
}

pub(crate) fn plus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x + y).collect()
}

pub(crate) fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

/// The average of a matrix and its transpose.
pub(crate) fn symmetrised(a: &Matrix) -> Matrix {
    Matrix::from_fn(a.rows(), a.cols(), |i, j| 0.5 * (a[(i, j)] + a[(j, i)]))
}

/// `A S A'`, exactly symmetric.
pub(crate) fn congruence(a: &Matrix, s: &Matrix) -> Matrix {
    symmetrised(&product(&product(a, s), &transpose(a)))
}

/// `A' S A`, exactly symmetric.
pub(crate) fn congruence_transposed(a: &Matrix, s: &Matrix) -> Matrix {
    symmetrised(&transpose_product(a, &product(s, a)))
}

/// A square root of a symmetric matrix without its non-positive eigenvalues.
pub(crate) struct Root {
    /// `F` with `S = F F'` for a positive semi-definite `S`: eigenvectors times roots of eigenvalues.
    pub(crate) matrix: Matrix,
    /// `c` with `F c = x` for `x` in the range of `S` is this transposed times `x`.
    pub(crate) solver: Matrix,
    /// Whether an eigenvalue was negative beyond rounding.
    pub(crate) indefinite: bool,
}

pub(crate) fn root(s: &Matrix) -> Option<Root> {
    let (values, vectors) = eigen(s)?;
    let size = values.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    let positive: Vec<usize> = (0..values.len()).filter(|&k| values[k] > 0.0).collect();
    let scaled = |power: f64| {
        Matrix::from_fn(s.rows(), positive.len(), |i, k| {
            values[positive[k]].powf(power) * vectors[(i, positive[k])]
        })
    };
    let indefinite = values.iter().any(|&v| v < -SINGULAR * size);
    Some(Root { matrix: scaled(0.5), solver: scaled(-0.5), indefinite })
}

/// As [`symmetric_eigen`], for empty matrices too.
fn eigen(s: &Matrix) -> Option<(Vec<f64>, Matrix)> {
    if s.rows() == 0 { Some((Vec::new(), Matrix::zeros(0, 0))) } else { symmetric_eigen(s) }
}

/// A generalised inverse of a symmetric positive semi-definite matrix.
pub(crate) struct GeneralisedInverse {
    /// `G` with `S G S = S`, symmetric; the inverse if there is one.
    pub(crate) matrix: Matrix,
    /// Columns `q` that span the directions with `S q = 0`; a vector `d` is in the range of `S` if `q'd = 0` for all.
    pub(crate) null: Matrix,
}

impl GeneralisedInverse {
    /// Whether the matrix has an inverse, which [`GeneralisedInverse::matrix`] then is.
    pub(crate) fn is_inverse(&self) -> bool {
        self.null.cols() == 0
    }

    /// How far `d` is outside the range, as a length.
    pub(crate) fn outside(&self, d: &[f64]) -> f64 {
        (0..self.null.cols())
            .map(|k| {
                let q = self.null.col(k);
                let size = q.iter().map(|x| x * x).sum::<f64>().sqrt();
                q.iter().zip(d).map(|(x, y)| x * y).sum::<f64>().abs() / size
            })
            .fold(0.0, f64::max)
    }
}

/// The generalised inverse, found on the scale of the correlations: what counts as singular does not depend on units.
///
/// With `S = R C R`, `R` the standard deviations, it is `R^-1 C^# R^-1` with the Moore-Penrose inverse of `C`. In the
/// rules of this module any generalised inverse gives the same message.
pub(crate) fn generalised_inverse(s: &Matrix) -> Option<GeneralisedInverse> {
    let n = s.rows();
    let scale: Vec<f64> = (0..n).map(|i| s[(i, i)].max(0.0).sqrt()).collect();
    let inverse_scale: Vec<f64> = scale.iter().map(|&r| if r > 0.0 { 1.0 / r } else { 0.0 }).collect();
    let correlation = Matrix::from_fn(n, n, |i, j| s[(i, j)] * inverse_scale[i] * inverse_scale[j]);
    let (values, vectors) = eigen(&correlation)?;
    let smallest = SINGULAR * values.last().copied().unwrap_or(0.0).max(0.0);
    let (kept, dropped): (Vec<usize>, Vec<usize>) = (0..n).partition(|&k| values[k] > smallest);
    let half = Matrix::from_fn(n, kept.len(), |i, k| {
        inverse_scale[i] * vectors[(i, kept[k])] / values[kept[k]].sqrt()
    });
    // A coordinate without variance is a direction of its own; its correlations are zero.
    let null = Matrix::from_fn(n, dropped.len(), |i, k| {
        vectors[(i, dropped[k])] * if scale[i] > 0.0 { inverse_scale[i] } else { 1.0 }
    });
    Some(GeneralisedInverse { matrix: symmetrised(&product(&half, &transpose(&half))), null })
}

/// The inverse, or `None` if the matrix is singular.
pub(crate) fn inverse(s: &Matrix) -> Option<Matrix> {
    generalised_inverse(s).filter(GeneralisedInverse::is_inverse).map(|g| g.matrix)
}

/// `L^-1` with `L L' = I + F' Y F`, times `F'`: its Gram matrix is `F (I + F' Y F)^-1 F'`. `None` where `I + F' Y F` is not
/// positive definite.
pub(crate) struct Shrunk {
    factor: Matrix,
    /// `L^-1 F'`.
    pub(crate) half: Matrix,
}

impl Shrunk {
    pub(crate) fn new(f: &Matrix, y: &Matrix) -> Option<Self> {
        let mut factor = add(&identity(f.cols()), &congruence_transposed(f, y));
        let mut half = transpose(f);
        if f.cols() > 0 {
            if !cholesky(&mut factor) {
                return None;
            }
            solve_lower(&factor, &mut half);
        }
        Some(Self { factor, half })
    }

    /// `F (I + F' Y F)^-1 F'`, positive semi-definite by construction.
    pub(crate) fn matrix(&self) -> Matrix {
        symmetrised(&transpose_product(&self.half, &self.half))
    }

    /// `F (I + F' Y F)^-1 c`.
    pub(crate) fn times(&self, mut c: Vec<f64>) -> Vec<f64> {
        if c.is_empty() {
            return vec![0.0; self.half.cols()];
        }
        solve_lower_vec(&self.factor, &mut c);
        self.half.transpose_times(&c)
    }
}

/// A symmetric matrix without the eigenvalues, on the scale of `whole`, that `keep` does not want; `None` if it wants all.
///
/// What a subtraction leaves of nothing is rounding, and rounding that is taken for knowledge, or for the lack of it, is
/// blown up by the next inverse.
fn without(whole: &Matrix, left: &Matrix, keep: impl Fn(f64) -> bool) -> Option<Option<Kept>> {
    let n = left.rows();
    let scale: Vec<f64> = (0..n).map(|i| whole[(i, i)].max(0.0).sqrt()).collect();
    let inverse_scale: Vec<f64> = scale.iter().map(|&r| if r > 0.0 { 1.0 / r } else { 0.0 }).collect();
    let scaled = Matrix::from_fn(n, n, |i, j| left[(i, j)] * inverse_scale[i] * inverse_scale[j]);
    let (values, vectors) = eigen(&symmetrised(&scaled))?;
    let kept: Vec<usize> = (0..n).filter(|&k| keep(values[k])).collect();
    if kept.len() == n {
        return Some(None);
    }
    let with = |scale: &[f64], value: fn(f64) -> f64| {
        Matrix::from_fn(n, kept.len(), |i, k| scale[i] * vectors[(i, kept[k])] * value(values[kept[k]]))
    };
    let matrix = product(&with(&scale, |_| 1.0), &transpose(&with(&scale, |v| v)));
    let projector = product(&with(&scale, |_| 1.0), &transpose(&with(&inverse_scale, |_| 1.0)));
    Some(Some(Kept { matrix: symmetrised(&matrix), projector }))
}

struct Kept {
    matrix: Matrix,
    /// Takes a vector into the range of `matrix`.
    projector: Matrix,
}

/// `(x, A - B)` where `A - B` is positive semi-definite with `x` in its range, as a Schur complement is.
pub(crate) fn complement(x: Vec<f64>, a: &Matrix, b: &Matrix) -> Option<(Vec<f64>, Matrix)> {
    let left = symmetrised(&subtract(a, b));
    Some(match without(a, &left, |v| v.abs() > CANCELLED)? {
        Some(kept) => (kept.projector.times(&x), kept.matrix),
        None => (x, left),
    })
}

/// Joseph's form leaves this share of a variance where it should leave none, unless a matrix was singular before: then
/// rounding has left [`SINGULAR`] there.
const JOSEPH: f64 = 1e-24;

fn smallest_left(a: &Matrix, b: &Matrix) -> f64 {
    let singular = |s: &Matrix| generalised_inverse(s).is_none_or(|g| !g.is_inverse());
    if singular(a) || singular(b) { SINGULAR } else { JOSEPH }
}

/// The covariance that an observation with covariance `observed` has left of `before`, what is known exactly kept exact.
pub(crate) fn left_of(before: &Matrix, observed: &Matrix, after: Matrix) -> Option<Matrix> {
    let smallest = smallest_left(before, observed);
    Some(match without(before, &after, |v| v > smallest)? {
        Some(kept) => kept.matrix,
        None => symmetrised(&after),
    })
}

/// The parallel sum `after` of two precisions with its shift, what is not known at all kept so.
pub(crate) fn parallel_of(
    [a, b]: [&Matrix; 2],
    shift: Vec<f64>,
    after: Matrix,
) -> Option<(Vec<f64>, Matrix)> {
    let smallest = smallest_left(a, b);
    Some(match without(&add(a, b), &after, |v| v.abs() > smallest)? {
        Some(kept) => (kept.projector.times(&shift), kept.matrix),
        None => (shift, after),
    })
}

/// Whether all numbers are finite.
pub(crate) fn finite(vector: &[f64], matrix: &Matrix) -> bool {
    vector.iter().chain(matrix.data()).all(|x| x.is_finite())
}

/// The largest absolute entry.
pub(crate) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |a: f64, b| a.max(b.abs()))
}

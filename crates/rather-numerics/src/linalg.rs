//! Dense linear algebra in our own verbs. Only this file and those in `linalg/` name the linear-algebra library.

mod cholesky;
mod small;
pub mod sparse;

pub use cholesky::{TriangularFeatures, cholesky, inverse_from_cholesky};
pub use small::solve;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::{matmul, qr, triangular_solve};
use faer::reborrow::ReborrowMut;
use faer::{Accum, MatMut, MatRef, Par, Side};
use serde::{Deserialize, Serialize};

use crate::simd::vectorised;
use crate::{parallel, watch};

/// A dense matrix of `f64`, column by column (column-major).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    data: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, data: vec![0.0; rows * cols] }
    }

    /// A matrix whose entry `(i, j)` is `f(i, j)`.
    pub fn from_fn(rows: usize, cols: usize, mut f: impl FnMut(usize, usize) -> f64) -> Self {
        let mut data = Vec::with_capacity(rows * cols);
        for j in 0..cols {
            data.extend((0..rows).map(|i| f(i, j)));
        }
        Self { rows, cols, data }
    }

    /// Makes this a matrix of another shape, in the same memory where it fits; the entries are arbitrary.
    pub fn resize(&mut self, rows: usize, cols: usize) {
        (self.rows, self.cols) = (rows, cols);
        self.data.resize(rows * cols, 0.0);
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Column `j` as a slice.
    pub fn col(&self, j: usize) -> &[f64] {
        &self.data[j * self.rows..(j + 1) * self.rows]
    }

    /// Column `j` as a mutable slice.
    pub fn col_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.data[j * self.rows..(j + 1) * self.rows]
    }

    /// All entries, column by column.
    pub fn data(&self) -> &[f64] {
        &self.data
    }

    /// All entries, column by column, mutable.
    pub fn data_mut(&mut self) -> &mut [f64] {
        &mut self.data
    }
}

impl std::ops::Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[j * self.rows + i]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[j * self.rows + i]
    }
}

impl Matrix {
    fn view(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.data, self.rows, self.cols)
    }

    fn view_mut(&mut self) -> MatMut<'_, f64> {
        MatMut::from_column_major_slice_mut(&mut self.data, self.rows, self.cols)
    }

    /// Adds `value` to every diagonal entry.
    pub fn add_diagonal(&mut self, value: f64) {
        for i in 0..self.rows.min(self.cols) {
            self[(i, i)] += value;
        }
    }

    /// `self * x` for a vector `x` of `cols` entries.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.rows];
        for (j, &xj) in x.iter().enumerate() {
            axpy(xj, self.col(j), &mut out);
        }
        out
    }

    /// `self' * x` for a vector `x` of `rows` entries.
    pub fn transpose_times(&self, x: &[f64]) -> Vec<f64> {
        (0..self.cols).map(|j| dot(self.col(j), x)).collect()
    }
}

/// `sum_i a_i b_i`, with independent partial sums so that it vectorises; the order is fixed.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (a8, b8) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = a8.remainder().iter().zip(b8.remainder()).map(|(x, y)| x * y).sum();
    vectorised(
        #[inline(always)]
        || {
            for (x, y) in a8.zip(b8) {
                for (lane, (x, y)) in lanes.iter_mut().zip(x.iter().zip(y)) {
                    *lane += x * y;
                }
            }
        },
    );
    lanes.iter().sum::<f64>() + tail
}

/// `sum_i (a_i - b_i)^2`, as [`dot`].
pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (a8, b8) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = a8.remainder().iter().zip(b8.remainder()).map(|(x, y)| (x - y) * (x - y)).sum();
    vectorised(
        #[inline(always)]
        || {
            for (x, y) in a8.zip(b8) {
                for (lane, (x, y)) in lanes.iter_mut().zip(x.iter().zip(y)) {
                    *lane += (x - y) * (x - y);
                }
            }
        },
    );
    lanes.iter().sum::<f64>() + tail
}

/// `y += a x`.
pub fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    vectorised(
        #[inline(always)]
        || {
            for (y, x) in y.iter_mut().zip(x) {
                *y += a * x;
            }
        },
    );
}

/// `y -= sum_k x_k a_k`, for vectors `a_k` that lie one after the other in `a`.
///
/// # Examples
/// ```
/// let mut y = [10.0, 20.0];
/// rather_numerics::linalg::subtract_sum(&[1.0, 2.0, 3.0, 4.0], &[2.0, 1.0], &mut y);
/// assert_eq!(y, [5.0, 12.0]);
/// ```
pub fn subtract_sum(a: &[f64], x: &[f64], y: &mut [f64]) {
    let length = y.len();
    parallel::for_each_chunk(y, LONG, |chunk, y| {
        vectorised(
            #[inline(always)]
            || {
                for (at, y) in (chunk * LONG..).step_by(LANES).zip(y.chunks_mut(LANES)) {
                    // What is summed stays in registers.
                    let mut sum = [0.0; LANES];
                    let (whole, count) = (y.len() == LANES, y.len());
                    for (k, &x) in x.iter().enumerate() {
                        let a = &a[k * length + at..][..count];
                        if whole {
                            sum.iter_mut().zip(&a[..LANES]).for_each(|(sum, a)| *sum += x * a);
                        } else {
                            sum.iter_mut().zip(a).for_each(|(sum, a)| *sum += x * a);
                        }
                    }
                    y.iter_mut().zip(&sum).for_each(|(y, sum)| *y -= sum);
                }
            },
        );
    });
}

/// Entries of a sum of vectors that are held at a time.
const LANES: usize = 32;
/// Entries of a vector that a thread is worth waking up for.
const LONG: usize = 2048;

/// The lower triangular `L` with `L L' = A' A`, for `A` with at least as many rows as columns, by orthogonal
/// transformations (the triangle of a QR factorisation): unlike the Cholesky factor of `A' A`, it is good to
/// rounding relative to `A`, not to its square. Rows should come in decreasing size.
pub fn orthogonal_factor(mut a: Matrix) -> Matrix {
    let (rows, cols) = (a.rows, a.cols);
    let block = qr::no_pivoting::factor::recommended_block_size::<f64>(rows, cols);
    let mut memory = MemBuffer::new(qr::no_pivoting::factor::qr_in_place_scratch::<f64>(
        rows,
        cols,
        block,
        Par::Seq,
        Default::default(),
    ));
    let mut coefficients = Matrix::zeros(block, rows.min(cols));
    qr::no_pivoting::factor::qr_in_place(
        a.view_mut(),
        coefficients.view_mut(),
        Par::Seq,
        MemStack::new(&mut memory),
        Default::default(),
    );
    let sign = |j: usize| if a[(j, j)] < 0.0 { -1.0 } else { 1.0 };
    Matrix::from_fn(cols, cols, |i, j| if i >= j { sign(j) * a[(j, i)] } else { 0.0 })
}

/// Columns that one task works on. Fixed, so that results do not depend on the number of threads.
const BLOCK: usize = 64;
/// Up to so many columns a block is over before another thread has woken up.
const TOO_SMALL: usize = 256;

/// The same of a triangle of so many columns that is a sum of products: of few, next to nothing of the other triangle is computed, and products are wide
/// enough to be fast. A triangle split in halves down to 16 columns takes twice as long at 100.
fn strip(columns: usize) -> usize {
    if columns <= 512 { BLOCK / 2 } else { BLOCK }
}

/// Calls `work(first column, columns)` for blocks of whole columns, on several threads if there are several.
pub fn for_each_column_block(a: &mut Matrix, work: impl Fn(usize, &mut [f64]) + Sync) {
    for_each_block(a, BLOCK, work);
}

fn for_each_block(a: &mut Matrix, width: usize, work: impl Fn(usize, &mut [f64]) + Sync) {
    let length = (a.rows * width).max(1);
    if a.cols > TOO_SMALL {
        parallel::for_each_chunk(&mut a.data, length, |b, columns| work(b * width, columns));
    } else {
        a.data.chunks_mut(length).enumerate().for_each(|(b, columns)| work(b * width, columns));
    }
}

/// `B <- L^-1 B` for the lower triangle of `l`.
pub fn solve_lower(l: &Matrix, b: &mut Matrix) {
    solve_lower_trapezoid(l, b, 0);
}

/// As [`solve_lower`], where the first `triangular` columns of `B` are a lower triangle (and stay one).
pub fn solve_lower_trapezoid(l: &Matrix, b: &mut Matrix, triangular: usize) {
    let rows = b.rows;
    for_each_column_block(b, |first, columns| {
        let width = columns.len() / rows.max(1);
        let top = if first + width <= triangular { first } else { 0 };
        let block = MatMut::from_column_major_slice_mut(columns, rows, width).subrows_mut(top, rows - top);
        let l = l.view().submatrix(top, top, rows - top, rows - top);
        triangular_solve::solve_lower_triangular_in_place(l, block, Par::Seq);
    });
}

/// `B <- L^-T B` for the lower triangle of `l`.
pub fn solve_lower_transposed(l: &Matrix, b: &mut Matrix) {
    let rows = b.rows;
    for_each_column_block(b, |_, columns| {
        let width = columns.len() / rows.max(1);
        let block = MatMut::from_column_major_slice_mut(columns, rows, width);
        triangular_solve::solve_upper_triangular_in_place(l.view().transpose(), block, Par::Seq);
    });
}

/// `x <- L^-1 x`.
pub fn solve_lower_vec(l: &Matrix, x: &mut [f64]) {
    let rows = x.len();
    let x = MatMut::from_column_major_slice_mut(x, rows, 1);
    triangular_solve::solve_lower_triangular_in_place(l.view(), x, Par::Seq);
}

/// `x <- L^-T x`.
pub fn solve_lower_transposed_vec(l: &Matrix, x: &mut [f64]) {
    let rows = x.len();
    let x = MatMut::from_column_major_slice_mut(x, rows, 1);
    triangular_solve::solve_upper_triangular_in_place(l.view().transpose(), x, Par::Seq);
}

/// `out <- I + F Y'` for `F`, `Y` of the same shape (r x n) whose product is symmetric, where the first
/// `triangular` columns of `F` are a lower triangle: the lower triangle of `out` (r x r), whose upper one is
/// arbitrary.
pub fn identity_plus_symmetric_product(f: &Matrix, y: &Matrix, triangular: usize, out: &mut Matrix) {
    let (r, n) = (f.rows, f.cols);
    for_each_block(out, strip(f.rows), |first, columns| {
        let width = columns.len() / r;
        let block = MatMut::from_column_major_slice_mut(columns, r, width);
        let mut lower = block.subrows_mut(first, r - first);
        // These rows of F reach only so far into its triangle; the columns after the triangle are dense.
        let reach = triangular.min(first + width);
        let mut add = |from: usize, to: usize, accumulate: Accum| {
            let left = y.view().submatrix(first, from, r - first, to - from);
            let right = f.view().submatrix(first, from, width, to - from).transpose();
            matmul::matmul(lower.rb_mut(), accumulate, left, right, 1.0, Par::Seq);
        };
        add(0, reach, Accum::Replace);
        add(triangular, n, Accum::Add);
    });
    out.add_diagonal(1.0);
}

/// Parts of a long product, and columns of a part at a time, few enough to stay in cache. Fixed, so that results do not depend
/// on the number of threads.
const PARTS: usize = 8;
const WIDTH: usize = 1024;

/// As [`identity_plus_symmetric_product`] where `F` has many more columns than rows, so that `Y` is better not kept: `make(j, columns)` makes
/// its columns from `j` on, which are used up while they are in cache.
pub fn identity_plus_symmetric_product_with(
    f: &Matrix,
    make: impl Fn(usize, &mut [f64]) + Sync,
    out: &mut Matrix,
) {
    let (r, n) = (f.rows, f.cols);
    let part = |first: usize, end: usize| {
        let mut sum = Matrix::zeros(r, r);
        let mut y = Matrix::zeros(r, WIDTH.min(end - first));
        for from in (first..end).step_by(WIDTH).take_while(|_| !watch::ends()) {
            let width = WIDTH.min(end - from);
            y.resize(r, width);
            make(from, &mut y.data);
            for first in (0..r).step_by(strip(r)) {
                let strip = strip(r).min(r - first);
                let left = y.view().subrows(first, r - first);
                let right = f.view().submatrix(first, from, strip, width).transpose();
                let lower = sum.view_mut().submatrix_mut(first, first, r - first, strip);
                matmul::matmul(lower, Accum::Add, left, right, 1.0, Par::Seq);
            }
        }
        sum
    };
    let length = n.div_ceil(PARTS).max(1);
    let starts: Vec<usize> = (0..n).step_by(length).collect();
    let parts = parallel::map(starts.len(), 1, |p| part(starts[p], n.min(starts[p] + length)));
    out.data.fill(0.0);
    parts.iter().for_each(|part| axpy(1.0, &part.data, &mut out.data));
    out.add_diagonal(1.0);
}

/// `A <- A - W'W` (all of it), for `W` (r x n) and `A` (n x n) symmetric.
pub fn subtract_gram(a: &mut Matrix, w: &Matrix) {
    add_lower_gram(a, -1.0, w);
    mirror_lower(a);
}

/// `A <- A + scale W'W` in the lower triangle; the upper one is arbitrary after it.
pub fn add_lower_gram(a: &mut Matrix, scale: f64, w: &Matrix) {
    let n = a.rows;
    for_each_block(a, strip(n), |first, columns| {
        let width = columns.len() / n;
        let block = MatMut::from_column_major_slice_mut(columns, n, width);
        let lower = block.subrows_mut(first, n - first);
        let left = w.view().subcols(first, n - first).transpose();
        let right = w.view().subcols(first, width);
        matmul::matmul(lower, Accum::Add, left, right, scale, Par::Seq);
    });
}

/// Copies the lower triangle onto the upper one.
pub fn mirror_lower(a: &mut Matrix) {
    // Blocks of the size of a cache line squared or two.
    const TILE: usize = 32;
    let n = a.rows();
    for jb in (0..n).step_by(TILE).take_while(|_| !watch::ends()) {
        for ib in (jb..n).step_by(TILE) {
            for j in jb..(jb + TILE).min(n) {
                for i in ib.max(j + 1)..(ib + TILE).min(n) {
                    a[(j, i)] = a[(i, j)];
                }
            }
        }
    }
}

/// The lower triangle of `A' A`, where the first `triangular` columns of `A` are a lower triangle; the upper one is arbitrary.
pub fn lower_gram(a: &Matrix, triangular: usize) -> Matrix {
    let n = a.cols;
    let mut out = Matrix::zeros(n, n);
    for_each_block(&mut out, strip(n), |first, columns| {
        let width = columns.len() / n;
        let top = if first + width <= triangular { first } else { 0 };
        let rows = a.view().subrows(top, a.rows - top);
        let block = MatMut::from_column_major_slice_mut(columns, n, width).subrows_mut(first, n - first);
        let (left, right) = (rows.subcols(first, n - first).transpose(), rows.subcols(first, width));
        matmul::matmul(block, Accum::Replace, left, right, 1.0, Par::Seq);
    });
    out
}

/// `A' B`.
pub fn transpose_product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.cols(), b.cols());
    multiply(&mut out, a.view().transpose(), b.view());
    out
}

/// `A B'`.
pub fn product_transposed(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.rows(), b.rows());
    multiply(&mut out, a.view(), b.view().transpose());
    out
}

/// `A B`.
pub fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.rows(), b.cols());
    multiply(&mut out, a.view(), b.view());
    out
}

/// `out <- A B`, in blocks of columns if they are many.
fn multiply(out: &mut Matrix, a: MatRef<'_, f64>, b: MatRef<'_, f64>) {
    let (rows, cols) = (out.rows, out.cols);
    if cols <= TOO_SMALL {
        return matmul::matmul(out.view_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
    }
    for_each_column_block(out, |first, columns| {
        let width = columns.len() / rows.max(1);
        let block = MatMut::from_column_major_slice_mut(columns, rows, width);
        matmul::matmul(block, Accum::Replace, a, b.subcols(first, width), 1.0, Par::Seq);
    });
}

/// Eigenvalues in increasing order and orthonormal eigenvectors, one a column, of a symmetric matrix; only its lower
/// triangle is read. `None` if an entry is not a number.
pub fn symmetric_eigen(a: &Matrix) -> Option<(Vec<f64>, Matrix)> {
    let n = a.rows();
    if a.data.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let eigen = a.view().self_adjoint_eigen(Side::Lower).ok()?;
    let (values, vectors) = (eigen.S().column_vector(), eigen.U());
    Some(((0..n).map(|i| values[i]).collect(), Matrix::from_fn(n, n, |i, j| vectors[(i, j)])))
}

/// `A = U diag(s) V'`: singular values in decreasing order, as many as the smaller side, and square orthogonal `U` and
/// `V`. `None` if an entry is not a number.
pub fn singular_values(a: &Matrix) -> Option<(Matrix, Vec<f64>, Matrix)> {
    if a.data.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let svd = a.view().svd().ok()?;
    let (u, s, v) = (svd.U(), svd.S().column_vector(), svd.V());
    let copy = |m: MatRef<'_, f64>| Matrix::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)]);
    Some((copy(u), (0..a.rows.min(a.cols)).map(|i| s[i]).collect(), copy(v)))
}

//! Cholesky factors: of a positive definite matrix, and, pivoted, the features of a covariance matrix that may be singular.

use std::ops::Range;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::{matmul, triangular_solve};
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, MatRef, Par};

use super::{BLOCK, Matrix, axpy, lower_gram, solve_lower_trapezoid, subtract_sum};
use crate::{parallel, watch};

/// Features of a covariance matrix: `C = F'F` to working precision.
///
/// Column `i` of `F` (rank x n) holds the features of node `order[i]`. The first `rank` columns are a lower
/// triangle, so products and solves with `F` cost a third of dense ones, and keep that form.
#[derive(Debug, Clone)]
pub struct TriangularFeatures {
    /// The features, rank x n.
    pub features: Matrix,
    /// Which row of the covariance each column belongs to.
    pub order: Vec<usize>,
}

impl TriangularFeatures {
    /// Factorises a symmetric positive semi-definite matrix by pivoted Cholesky; only its lower triangle is
    /// read.
    ///
    /// Stops at the numerical rank: what is left out is at most `n * 2^-52` times the largest variance.
    /// Returns `None` if an entry is not a number or a variance is negative.
    pub fn new(c: Matrix) -> Option<Self> {
        Self::within(c, 0.0)
    }

    /// As [`TriangularFeatures::new`], stopping where what is left of every variance is at most `negligible`.
    pub fn within(mut c: Matrix, negligible: f64) -> Option<Self> {
        let n = c.rows();
        if (0..n).all(|i| c[(i, i)] == 0.0) {
            return Some(Self { features: Matrix::zeros(0, n), order: (0..n).collect() });
        }
        if let Some(independent) = Self::of_diagonal(&c) {
            return Some(independent);
        }
        let (rank, pivots) = pivoted(&mut c, negligible)?;
        // The pivots and their features are taken in reverse: the upper triangle L' becomes a lower one.
        let row = |column: usize| if column < rank { rank - 1 - column } else { column };
        let mut features = Matrix::zeros(rank, n);
        // A transposition, by parts that stay in cache.
        for first in (0..rank).step_by(TILE) {
            for column in 0..n {
                let row = row(column);
                let end = rank.min(first + TILE).min(row + 1);
                for k in first..end {
                    features[(rank - 1 - k, column)] = c[(row, k)];
                }
            }
        }
        let order = (0..n).map(|column| pivots[row(column)]).collect();
        Some(Self { features, order })
    }

    /// The features of a diagonal with positive entries; `None` of anything else.
    fn of_diagonal(c: &Matrix) -> Option<Self> {
        let n = c.rows();
        let alone = |j: usize| {
            c[(j, j)] > 0.0 && c[(j, j)].is_finite() && c.col(j)[j + 1..].iter().all(|&x| x == 0.0)
        };
        if !(0..n).all(alone) {
            return None;
        }
        let mut features = Matrix::zeros(n, n);
        (0..n).for_each(|i| features[(i, i)] = c[(i, i)].sqrt());
        Some(Self { features, order: (0..n).collect() })
    }

    /// As [`TriangularFeatures::new`] for the matrix with the diagonal `own` and the columns that `column` gives, of which only
    /// as many are asked for as there are features: it stops where what is left of every variance is at most the share
    /// `tolerance` of the largest. `O(n rank^2)`. `None` also where that takes more than `most` features.
    pub fn by_columns(
        own: &[f64],
        mut column: impl FnMut(usize) -> Vec<f64>,
        tolerance: f64,
        most: usize,
    ) -> Option<Self> {
        let n = own.len();
        let least = tolerance * own.iter().copied().fold(0.0, f64::max);
        let mut left = own.to_vec();
        let (mut pivots, mut rows): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
        while pivots.len() < n {
            if watch::ends() {
                return None;
            }
            let pivot = first_of_the_largest(0..n, |i| left[i])?;
            if left[pivot] <= least {
                break;
            }
            if pivots.len() == most {
                return None;
            }
            let mut row = column(pivot);
            let of_pivot: Vec<f64> = rows.chunks_exact(n).map(|earlier| earlier[pivot]).collect();
            subtract_sum(&rows, &of_pivot, &mut row);
            let root = left[pivot].sqrt();
            row.iter_mut().for_each(|entry| *entry /= root);
            pivots.iter().for_each(|&earlier| row[earlier] = 0.0);
            row[pivot] = root;
            left.iter_mut().zip(&row).for_each(|(left, entry)| *left -= entry * entry);
            left[pivot] = f64::NEG_INFINITY;
            pivots.push(pivot);
            rows.extend(row);
        }
        // The pivots and their features are taken in reverse, so that the triangle is a lower one.
        let mut chosen = vec![false; n];
        pivots.iter().for_each(|&p| chosen[p] = true);
        let others = (0..n).filter(|&i| !chosen[i]);
        let order: Vec<usize> = pivots.iter().rev().copied().chain(others).collect();
        let rank = pivots.len();
        let features = Matrix::from_fn(rank, n, |k, i| rows[(rank - 1 - k) * n + order[i]]);
        features.data.iter().all(|x| x.is_finite()).then_some(Self { features, order })
    }

    /// The features with the columns in the covariance's own order.
    pub fn in_order(self) -> Matrix {
        let mut out = Matrix::zeros(self.features.rows(), self.features.cols());
        for (column, &node) in self.order.iter().enumerate() {
            out.col_mut(node).copy_from_slice(self.features.col(column));
        }
        out
    }
}

/// Replaces the lower triangle of a symmetric positive definite matrix by its Cholesky factor `L`
/// (`A = L L'`); the upper triangle is arbitrary. `false` if the matrix is not positive definite, or the call ends.
#[must_use]
pub fn cholesky(a: &mut Matrix) -> bool {
    let n = a.rows();
    let panel = if n > AT_ONCE { PANEL } else { n.max(1) };
    (0..n).step_by(panel).all(|first| {
        let end = n.min(first + panel);
        !watch::ends() && cholesky_of_panel(a, first, end) && {
            subtract_panel(a, first, end);
            true
        }
    })
}

/// Pivoted Cholesky of the lower triangle, until what is left of every variance is `negligible` or rounding: its rank, and which row of the matrix each row of
/// the factor is. It takes a panel of columns at a time (Hammarling, Higham and Lucas 2007, algorithm of LAPACK's `pstrf`), so that it uses several threads and can be
/// ended: `None` then, too.
fn pivoted(c: &mut Matrix, negligible: f64) -> Option<(usize, Vec<usize>)> {
    let n = c.rows;
    let largest = (0..n).map(|i| c[(i, i)]).fold(0.0, f64::max);
    let broken = |j: usize| c[(j, j)] < 0.0 || c.col(j)[j..].iter().any(|x| !x.is_finite());
    if (0..n).any(broken) {
        return None;
    }
    let least = negligible.max(n as f64 * f64::EPSILON * largest);
    let mut pivots: Vec<usize> = (0..n).collect();
    for first in (0..n).step_by(PANEL) {
        let end = n.min(first + PANEL);
        // What the panel's columns so far take off each variance.
        let mut taken = vec![0.0; n];
        for j in first..end {
            if watch::ends() {
                return None;
            }
            let left = |i: usize| c[(i, i)] - taken[i];
            let pivot = first_of_the_largest(j..n, left)?;
            let variance = left(pivot);
            if variance <= least {
                return Some((j, pivots));
            }
            exchange(c, j, pivot);
            taken.swap(j, pivot);
            pivots.swap(j, pivot);
            let root = variance.sqrt();
            let row: Vec<f64> = (first..j).map(|k| c[(j, k)]).collect();
            let (before, from) = c.data.split_at_mut(j * n);
            let column = &mut from[j + 1..n];
            for (k, &entry) in (first..j).zip(&row) {
                axpy(-entry, &before[k * n + j + 1..(k + 1) * n], column);
            }
            column.iter_mut().for_each(|x| *x /= root);
            taken[j + 1..].iter_mut().zip(column.iter()).for_each(|(taken, x)| *taken += x * x);
            c[(j, j)] = root;
        }
        subtract_panel(c, first, end);
    }
    Some((n, pivots))
}

/// The first of those whose variance left is the largest but for rounding, so that which of two equal ones is taken does not hang on
/// last digits, which differ between machines; `None` where that variance is not finite.
fn first_of_the_largest(mut among: Range<usize>, left: impl Fn(usize) -> f64) -> Option<usize> {
    let largest = among.clone().map(&left).max_by(f64::total_cmp).filter(|x| x.is_finite())?;
    among.find(|&i| left(i) >= largest - EQUAL * largest.abs())
}

/// Exchanges rows and columns `j` and `p`, `j <= p`, of a symmetric matrix held in its lower triangle, whose columns before `j` are those of a
/// factor.
fn exchange(c: &mut Matrix, j: usize, p: usize) {
    if j == p {
        return;
    }
    let n = c.rows;
    (0..j).for_each(|k| c.data.swap(k * n + j, k * n + p));
    c.data.swap(j * n + j, p * n + p);
    (j + 1..p).for_each(|k| c.data.swap(j * n + k, k * n + p));
    (p + 1..n).for_each(|k| c.data.swap(j * n + k, p * n + k));
}

/// Variances that differ by less than this share count as equal.
const EQUAL: f64 = 1e-9;
/// Up to this size a Cholesky factorisation is over in a moment.
const AT_ONCE: usize = 1024;
/// Rows of a matrix that are transposed at a time: a cache line or two.
const TILE: usize = 16;
/// Columns of a larger one that are factorised at a time.
const PANEL: usize = 128;

/// The columns `first..end` of the factor, where those before them have been taken off.
fn cholesky_of_panel(a: &mut Matrix, first: usize, end: usize) -> bool {
    let (n, width) = (a.rows, end - first);
    let panel = a.view_mut().submatrix_mut(first, first, n - first, width);
    let (mut top, below) = panel.split_at_row_mut(width);
    if !cholesky_at_once(top.rb_mut()) {
        return false;
    }
    // L_21 = A_21 L_11^-T.
    triangular_solve::solve_lower_triangular_in_place(top.rb(), below.transpose_mut(), Par::Seq);
    true
}

/// Takes the columns `first..end` of the factor off what is right of them.
fn subtract_panel(a: &mut Matrix, first: usize, end: usize) {
    let n = a.rows;
    let (left, right) = a.data.split_at_mut(end * n);
    let panel = MatRef::from_column_major_slice(&left[first * n..], n, end - first);
    parallel::for_each_chunk(right, BLOCK * n, |b, columns| {
        let (top, width) = (end + b * BLOCK, columns.len() / n);
        let block = MatMut::from_column_major_slice_mut(columns, n, width).subrows_mut(top, n - top);
        let (rows, own) = (panel.subrows(top, n - top), panel.subrows(top, width));
        matmul::matmul(block, Accum::Add, rows, own.transpose(), -1.0, Par::Seq);
    });
}

fn cholesky_at_once(a: MatMut<'_, f64>) -> bool {
    let n = a.nrows();
    let mut memory =
        MemBuffer::new(llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default()));
    llt::factor::cholesky_in_place(
        a,
        Default::default(),
        Par::Seq,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .is_ok()
}

/// The lower triangle of `A^-1` from the Cholesky factor of `A`; with [`cholesky`], also the yardstick that
/// benchmarks hold a sweep of inference against.
pub fn inverse_from_cholesky(l: &Matrix) -> Matrix {
    let n = l.rows();
    let mut out = Matrix::zeros(n, n);
    if n > AT_ONCE {
        // L^-1 and its inner products, in blocks of columns.
        out.add_diagonal(1.0);
        solve_lower_trapezoid(l, &mut out, n);
        return lower_gram(&out, n);
    }
    let mut memory = MemBuffer::new(llt::inverse::inverse_scratch::<f64>(n, Par::Seq));
    llt::inverse::inverse(out.view_mut(), l.view(), Par::Seq, MemStack::new(&mut memory));
    out
}

#[cfg(test)]
mod tests {
    use super::super::{dot, mirror_lower, product, product_transposed, transpose_product};
    use super::*;
    use crate::random::{normals, stream};

    /// A covariance of `n` variables with `rank` features.
    fn covariance(n: usize, rank: usize) -> Matrix {
        let mut rng = stream(3, 0);
        let features = Matrix { rows: rank, cols: n, data: normals(rank * n, &mut rng) };
        transpose_product(&features, &features)
    }

    fn off(a: &Matrix, b: &Matrix) -> f64 {
        a.data.iter().zip(&b.data).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
    }

    /// Rounding of a sum of `n` products of numbers of size 1, with room.
    fn rounding(n: usize) -> f64 {
        1e-14 * n as f64
    }

    /// More than one panel, and a size that no panel divides.
    const LARGE: usize = AT_ONCE + 3 * PANEL / 2;

    #[test]
    fn a_large_cholesky_is_one() {
        let mut a = covariance(LARGE, LARGE + 50);
        a.add_diagonal(100.0);
        let mut factor = a.clone();
        assert!(cholesky(&mut factor));
        (0..LARGE).for_each(|j| factor.col_mut(j)[..j].fill(0.0));
        assert!(off(&product_transposed(&factor, &factor), &a) < rounding(LARGE) * LARGE as f64);
        let mut inverse = inverse_from_cholesky(&factor);
        mirror_lower(&mut inverse);
        let identity = Matrix::from_fn(LARGE, LARGE, |i, j| f64::from(i == j));
        assert!(off(&product(&inverse, &a), &identity) < 1e-9);
        a[(LARGE / 2, LARGE / 2)] = -1.0;
        assert!(!cholesky(&mut a));
    }

    #[test]
    fn equal_variances_are_taken_in_order_whatever_their_last_digits() {
        let n = 6;
        for (up, first) in [(2, 0), (5, 0), (3, 3)] {
            let larger = if first == 0 { 1.0 + 1e-12 } else { 1.0 + 1e-6 };
            let own = |i: usize| if i == up { larger } else { 1.0 };
            let c = Matrix::from_fn(n, n, |i, j| if i == j { own(i) } else { 0.1 / (1.0 + (i + j) as f64) });
            let variances: Vec<f64> = (0..n).map(own).collect();
            let by_columns = TriangularFeatures::by_columns(&variances, |j| c.col(j).to_vec(), 0.0, n)
                .expect("a covariance");
            let whole = TriangularFeatures::new(c.clone()).expect("a covariance");
            assert_eq!(by_columns.order, whole.order);
            assert_eq!(whole.order.last(), Some(&first));
        }
    }

    /// More columns than one thread takes at a time, and no whole number of what is summed at a time.
    #[test]
    fn features_by_columns_are_all_and_no_more_is_left_than_is_negligible() {
        let (n, rank) = (2_125, 20);
        let c = covariance(n, rank);
        let own: Vec<f64> = (0..n).map(|i| c[(i, i)]).collect();
        let all =
            TriangularFeatures::by_columns(&own, |j| c.col(j).to_vec(), 1e-12, n).expect("a covariance");
        assert_eq!(all.features.rows(), rank);
        let all = all.in_order();
        assert!(off(&transpose_product(&all, &all), &c) < rounding(n) * rank as f64);
        let negligible = 20.0;
        let some = TriangularFeatures::within(c.clone(), negligible).expect("a covariance").in_order();
        let left = |i: usize| own[i] - dot(some.col(i), some.col(i));
        assert!((1..rank).contains(&some.rows()) && (0..n).all(|i| left(i) <= negligible));
    }

    #[test]
    fn large_features_find_the_rank() {
        for rank in [PANEL / 2, 2 * PANEL + 5, LARGE] {
            let c = covariance(LARGE, rank);
            let found = TriangularFeatures::new(c.clone()).expect("a covariance");
            assert_eq!(found.features.rows(), rank);
            let lower = |j: usize| found.features.col(j)[..j.min(rank)].iter().all(|&x| x == 0.0);
            assert!((0..rank).all(lower));
            let features = found.in_order();
            assert!(off(&transpose_product(&features, &features), &c) < rounding(LARGE) * rank as f64);
        }
        let mut none = covariance(LARGE, 3);
        none[(LARGE - 1, 5)] = f64::NAN;
        assert!(TriangularFeatures::new(none).is_none());
    }
}

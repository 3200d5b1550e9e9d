//! Many small Gaussians in one piece of memory, and the algebra of small symmetric matrices, which wants no allocation.
//!
//! A symmetric matrix that is kept is its lower triangle, column after column: what passes over all users read is half as much.

/// Gaussians of one dimension `d`, one after the other: each the triangle of a covariance, then a mean.
#[derive(Debug, Clone)]
pub(super) struct Gaussians {
    dimension: usize,
    data: Vec<f64>,
}

/// One of [`Gaussians`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Gaussian<'a> {
    pub(super) covariance: &'a [f64],
    pub(super) mean: &'a [f64],
}

impl Gaussians {
    pub(super) fn zeros(count: usize, dimension: usize) -> Self {
        Self { dimension, data: vec![0.0; count * (triangle(dimension) + dimension)] }
    }

    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Numbers of each Gaussian.
    pub(super) fn stride(&self) -> usize {
        triangle(self.dimension) + self.dimension
    }

    pub(super) fn len(&self) -> usize {
        self.data.len() / self.stride()
    }

    pub(super) fn get(&self, i: usize) -> Gaussian<'_> {
        let stride = self.stride();
        let (covariance, mean) = self.data[i * stride..(i + 1) * stride].split_at(triangle(self.dimension));
        Gaussian { covariance, mean }
    }

    /// Covariance and mean of one.
    pub(super) fn get_mut(&mut self, i: usize) -> (&mut [f64], &mut [f64]) {
        let stride = self.stride();
        self.data[i * stride..(i + 1) * stride].split_at_mut(triangle(self.dimension))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Gaussian<'_>> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// All of them, [`Gaussians::stride`] numbers each.
    pub(super) fn data_mut(&mut self) -> &mut [f64] {
        &mut self.data
    }
}

impl Gaussian<'_> {
    /// The whole covariance, column by column.
    pub(super) fn full_covariance(&self) -> Vec<f64> {
        let d = self.mean.len();
        let mut out = vec![0.0; d * d];
        unpack(self.covariance, d, &mut out);
        out
    }

    /// `sum_d (m_d^2 + S_dd) v_d + x' S x`.
    #[inline(always)]
    pub(super) fn spread(&self, x: &[f64], v: &[f64]) -> f64 {
        let d = self.mean.len();
        let mut out = 0.0;
        for (j, column) in columns(self.covariance, d) {
            let off_diagonal = dot(&column[1..], &x[j + 1..]);
            out += (self.mean[j] * self.mean[j] + column[0]) * v[j];
            out += x[j] * (x[j] * column[0] + 2.0 * off_diagonal);
        }
        out
    }
}

/// Numbers of the lower triangle of a matrix.
#[inline(always)]
pub(super) fn triangle(order: usize) -> usize {
    order * (order + 1) / 2
}

/// The columns of a triangle, from the diagonal down, with their numbers.
#[inline(always)]
pub(super) fn columns(a: &[f64], order: usize) -> impl Iterator<Item = (usize, &[f64])> {
    let mut left = a;
    (0..order).map(move |j| {
        let (column, rest) = left.split_at(order - j);
        left = rest;
        (j, column)
    })
}

/// As [`columns`], to write to.
#[inline(always)]
fn columns_mut(a: &mut [f64], order: usize) -> impl Iterator<Item = (usize, &mut [f64])> {
    let mut left = a;
    (0..order).map(move |j| {
        let (column, rest) = std::mem::take(&mut left).split_at_mut(order - j);
        left = rest;
        (j, column)
    })
}

/// The triangle of a symmetric matrix.
#[inline(always)]
pub(super) fn pack(full: &[f64], order: usize, out: &mut [f64]) {
    for (j, column) in columns_mut(out, order) {
        column.copy_from_slice(&full[j * order + j..(j + 1) * order]);
    }
}

/// The symmetric matrix of a triangle.
#[inline(always)]
pub(super) fn unpack(a: &[f64], order: usize, out: &mut [f64]) {
    for (j, column) in columns(a, order) {
        out[j * order + j..(j + 1) * order].copy_from_slice(column);
        (j..order).zip(column).for_each(|(i, x)| out[i * order + j] = *x);
    }
}

/// `A += w x x'` for the columns of a triangle that `a` begins with, of which the first is that of `x_first`.
#[inline(always)]
pub(super) fn add_outer_triangle(a: &mut [f64], weight: f64, x: &[f64], first: usize) {
    let mut left = a;
    for j in first..x.len() {
        let length = x.len() - j;
        if left.len() < length {
            break;
        }
        let (column, rest) = left.split_at_mut(length);
        axpy(weight * x[j], &x[j..], column);
        left = rest;
    }
}

/// Turns a symmetric positive definite matrix (both triangles) into its inverse; returns its log determinant. `None` if it is not positive
/// definite.
///
/// By the sweep operator, one pivot after the other: `a_ij -= a_ik a_kj / a_kk`, `a_ik /= a_kk`, `a_kk = -1 / a_kk` gives `-A^-1`.
#[inline(always)]
pub(super) fn invert(a: &mut [f64], order: usize) -> Option<f64> {
    let mut log_det = 0.0;
    let mut pivots = vec![0.0; order];
    for k in 0..order {
        pivots.copy_from_slice(&a[k * order..(k + 1) * order]);
        let pivot = pivots[k];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return None;
        }
        log_det += pivot.ln();
        for (column, at_pivot) in a.chunks_exact_mut(order).zip(&pivots) {
            let share = at_pivot / pivot;
            axpy(-share, &pivots, column);
            column[k] = share;
        }
        let own = &mut a[k * order..(k + 1) * order];
        own.iter_mut().zip(&pivots).for_each(|(own, x)| *own = x / pivot);
        own[k] = -1.0 / pivot;
    }
    a.iter_mut().for_each(|x| *x = -*x);
    Some(log_det)
}

/// `A += w x x'`, both triangles.
#[inline(always)]
pub(super) fn add_outer(a: &mut [f64], weight: f64, x: &[f64]) {
    for (column, x_j) in a.chunks_exact_mut(x.len().max(1)).zip(x) {
        axpy(weight * x_j, x, column);
    }
}

/// `out += A x`.
#[inline(always)]
pub(super) fn add_product(a: &[f64], x: &[f64], out: &mut [f64]) {
    for (column, x_j) in a.chunks_exact(out.len().max(1)).zip(x) {
        axpy(*x_j, column, out);
    }
}

/// The sum of the diagonal.
#[cfg(test)]
pub(super) fn trace(a: &[f64], order: usize) -> f64 {
    (0..order).map(|i| a[i * order + i]).sum()
}

/// `y += a x`, inlined.
#[inline(always)]
pub(super) fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// Partial sums of a [`dot`].
const LANES: usize = 4;

/// `sum_i x_i y_i`, inlined and for few numbers.
#[inline(always)]
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    let mut lanes = [0.0; LANES];
    for (x, y) in x.iter().zip(y) {
        (0..LANES).for_each(|k| lanes[k] += x[k] * y[k]);
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    lanes.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// `A A^-1 = I` and `log |A^-1| = -log |A|`, for matrices of every small size; one that is not positive definite has none.
        #[test]
        fn inverses_are_inverses(n in 1_usize..12, draws in prop::collection::vec(-1.0_f64..1.0, 144)) {
            let mut a = vec![0.0; n * n];
            (0..n).for_each(|i| a[i * n + i] = 0.3);
            draws.chunks_exact(n).take(n + 2).for_each(|x| add_outer(&mut a, 1.0, x));
            let mut inverse = a.clone();
            let log_det = invert(&mut inverse, n).unwrap();
            for (j, column) in inverse.chunks_exact(n).enumerate() {
                let mut unit = vec![0.0; n];
                add_product(&a, column, &mut unit);
                unit.iter().enumerate().for_each(|(i, x)| {
                    let expected = if i == j { 1.0 } else { 0.0 };
                    // Rounding, times a condition number of at most some hundred.
                    assert!((x - expected).abs() < 1e-11, "{i} {j}: {x}");
                });
            }
            let mut back = inverse.clone();
            prop_assert!((invert(&mut back, n).unwrap() + log_det).abs() < 1e-10);
            let mut kept = vec![0.0; triangle(n)];
            pack(&a, n, &mut kept);
            let x = &draws[..n];
            add_outer_triangle(&mut kept, 0.5, x, 0);
            add_outer(&mut a, 0.5, x);
            let gaussian = Gaussian { covariance: &kept, mean: &vec![0.7; n] };
            prop_assert_eq!(&gaussian.full_covariance(), &a);
            let mut product = vec![0.0; n];
            add_product(&a, x, &mut product);
            let expected = dot(&product, x) + 0.3 * (0.49 * n as f64 + trace(&a, n));
            prop_assert!((gaussian.spread(x, &vec![0.3; n]) - expected).abs() < 1e-12);
            a[n * n - 1] = -1.0;
            prop_assert!(invert(&mut a, n).is_none());
        }
    }
}

//! Rotations of weights and functions into each other.
//!
//! `g = w' h` is the same for `R^-T w` and `R h`, but their divergences from the prior are not. The best `R` is known in closed form, where
//! steps of weights and functions by turns take many cycles to find it (Luttinen and Ilin 2010, "Transformations in variational Bayesian factor
//! analysis to speed up learning").

use super::sides::Half;
use rather_numerics::linalg::{
    Matrix, cholesky, dot, product, solve_lower_transposed, symmetric_eigen, transpose_product,
};

/// A change of the axes of weights and functions. Not orthogonal in general.
pub(super) struct Rotation {
    /// `R`.
    pub(super) of_functions: Matrix,
    /// `R^-T`.
    pub(super) of_weights: Matrix,
}

impl Rotation {
    /// The best for weights whose squares under the prior add up to `weights` over so many users, and functions of so many features.
    pub(super) fn best(weights: &Matrix, users: usize, items: &[Half], features: usize) -> Option<Self> {
        let z = |half: &Half| half.posterior.weights.clone();
        let z: Vec<Vec<f64>> = items.iter().map(z).collect();
        let mut functions = Matrix::from_fn(z.len(), z.len(), |i, j| dot(&z[i], &z[j]));
        for (i, half) in items.iter().enumerate() {
            let covariance = super::inverse_from_factor(&half.posterior.factor);
            functions[(i, i)] += (0..covariance.rows()).map(|k| covariance[(k, k)]).sum::<f64>();
        }
        Self::of_squares(weights, functions, users as f64 - features as f64)
    }

    /// With `A = sum_u E w w'`, `B = sum_k E z_k z_k'` over the features and their numbers' difference `U - n`, the divergences are, up to a constant,
    /// `(tr(A M^-1) + tr(B M) + (U - n) log |M|) / 2` of `M = R'R`, least where `M B M + (U - n) M = A`. With `B = L L'` and `X = L'M L` that is
    /// `X^2 + (U - n) X = L'A L`, which has the axes `V` of its right side: `R = X^(1/2) V' L^-1` leaves the functions uncorrelated, as their
    /// posterior takes them to be.
    fn of_squares(a: &Matrix, b: Matrix, gap: f64) -> Option<Self> {
        let d = b.rows();
        let mut l = b;
        if !cholesky(&mut l) {
            return None;
        }
        let lower = Matrix::from_fn(d, d, |i, j| if i >= j { l[(i, j)] } else { 0.0 });
        let (values, axes) = symmetric_eigen(&transpose_product(&lower, &product(a, &lower)))?;
        // The positive root of a quadratic, without the difference of near equals.
        let root = |c: f64| {
            let both = (gap * gap + 4.0 * c).sqrt();
            if gap > 0.0 { 2.0 * c / (both + gap) } else { 0.5 * (both - gap) }
        };
        let scales: Vec<f64> = values.iter().map(|c| root(*c).sqrt()).collect();
        if !scales.iter().all(|x| *x > 0.0 && x.is_finite()) {
            return None;
        }
        let mut transposed = Matrix::from_fn(d, d, |i, j| axes[(i, j)] * scales[j]);
        solve_lower_transposed(&l, &mut transposed);
        let inverse = product(&lower, &Matrix::from_fn(d, d, |i, j| axes[(i, j)] / scales[j]));
        let across = |m: &Matrix| Matrix::from_fn(d, d, |i, j| m[(j, i)]);
        Some(Self { of_functions: across(&transposed), of_weights: across(&inverse) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rather_numerics::linalg::product_transposed;

    proptest! {
        /// `g` stays as it is, the functions become uncorrelated, and no small change of the rotation is better.
        #[test]
        fn a_rotation_is_the_best_one(
            d in 1_usize..6,
            gap in -30.0_f64..200.0,
            draws in prop::collection::vec(-1.0_f64..1.0, 108),
        ) {
            let square = |draws: &[f64]| {
                let x = Matrix::from_fn(d, d + 2, |i, j| draws[i * 8 + j]);
                let mut out = product_transposed(&x, &x);
                out.add_diagonal(0.1);
                out
            };
            let (a, b) = (square(&draws[..48]), square(&draws[48..96]));
            let Rotation { of_functions: r, of_weights: p } = Rotation::of_squares(&a, b.clone(), gap).unwrap();
            let unit = transpose_product(&p, &r);
            let of_functions = product(&r, &product_transposed(&b, &r));
            for (i, j) in (0..d).flat_map(|i| (0..d).map(move |j| (i, j))) {
                // Rounding, times condition numbers of at most some thousand.
                prop_assert!((unit[(i, j)] - f64::from(i == j)).abs() < 1e-9);
                prop_assert!(i == j || of_functions[(i, j)].abs() < 1e-9 * (1.0 + of_functions[(i, i)]));
            }
            // Divergences of functions changed by 1 + e in one direction, and weights the other way round.
            let of_weights = product(&p, &product_transposed(&a, &p));
            let divergence = |i: usize, j: usize, e: f64| {
                let change = Matrix::from_fn(d, d, |k, l| f64::from(k == l) + if (k, l) == (i, j) { e } else { 0.0 });
                let back = |k: usize, l: usize| match (k, l) == (j, i) {
                    true if i == j => 1.0 / (1.0 + e),
                    true => -e,
                    false => f64::from(k == l),
                };
                let back = Matrix::from_fn(d, d, back);
                let trace = |c: &Matrix, x: &Matrix| -> f64 {
                    let out = product(c, &product_transposed(x, c));
                    (0..d).map(|k| out[(k, k)]).sum()
                };
                let log_det = if i == j { (1.0 + e).ln() } else { 0.0 };
                0.5 * (trace(&back, &of_weights) + trace(&change, &of_functions)) + gap * log_det
            };
            let least = divergence(0, 0, 0.0);
            for (i, j) in (0..d).flat_map(|i| (0..d).map(move |j| (i, j))) {
                for e in [-1e-3, 1e-3] {
                    prop_assert!(divergence(i, j, e) >= least - 1e-9 * (1.0 + least.abs()));
                }
            }
        }
    }
}

//! The Gaussian with the moments of an average over draws.

use rather_numerics::linalg::{Matrix, cholesky, solve_lower, solve_lower_transposed_vec, transpose_product};

/// The Gaussian over `w` with the average's mean and covariance: a lower triangle `T` with
/// `cov w = T^-T T^-1`, and the mean. `r` is the Cholesky factor of the precision of `w` given a draw, if a draw leaves anything open.
///
/// In terms of `h = R' w` the covariance is `K = I + cov of the halves`, never smaller than `I`. With `K = U U'`, `U` an
/// upper triangle (Cholesky from the last row up), `T = R U^-T`. Of draws of `w` itself `R` is `I`, and `K` their covariance alone.
pub(super) fn matched(r: Option<&Matrix>, chains: &[Matrix]) -> Option<(Matrix, Vec<f64>)> {
    let rank = chains.first().map_or(0, Matrix::rows);
    let draws: usize = chains.iter().map(Matrix::cols).sum();
    let columns = || chains.iter().flat_map(|c| (0..c.cols()).map(move |j| c.col(j)));
    let mut mean = vec![0.0; rank];
    for half in columns() {
        mean.iter_mut().zip(half).for_each(|(m, h)| *m += h / draws as f64);
    }
    let scale = 1.0 / (draws as f64).sqrt();
    let mut centred = Matrix::zeros(draws, rank);
    for (j, half) in columns().enumerate() {
        for k in 0..rank {
            // In reverse, for the factorisation from the last row up.
            centred[(j, rank - 1 - k)] = scale * (half[k] - mean[k]);
        }
    }
    let mut spread = transpose_product(&centred, &centred);
    if r.is_some() {
        spread.add_diagonal(1.0);
    }
    if !cholesky(&mut spread) {
        return None;
    }
    let last = rank.wrapping_sub(1);
    let entry = |i: usize, j: usize| match r {
        Some(r) if j >= i => r[(j, i)],
        None if i == j => 1.0,
        _ => 0.0,
    };
    let mut reversed = Matrix::from_fn(rank, rank, |i, j| entry(last - i, j));
    solve_lower(&spread, &mut reversed);
    let factor = Matrix::from_fn(rank, rank, |j, i| if j >= i { reversed[(last - i, j)] } else { 0.0 });
    if let Some(r) = r {
        solve_lower_transposed_vec(r, &mut mean);
    }
    Some((factor, mean))
}

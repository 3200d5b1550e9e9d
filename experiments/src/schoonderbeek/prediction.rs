//! A Gaussian process on a grid of basis points against one without: how dense must the grid be?

use anyhow::Result;
use rather::points::Points;
use rather::streaming::{Basis, Settings, StreamingModel};
use rather_numerics::linalg::{
    Matrix, cholesky, dot, solve_lower, solve_lower_transposed_vec, solve_lower_vec,
};
use rather_numerics::random::{normal, stream};
use rayon::prelude::*;

use super::Options;
use super::as_printed::regression_without_inverse;
use super::world::{draw, grid, mean, rms, scattered, se};

const INPUTS: usize = 200;
const TESTS: usize = 200;
const NOISE_VARIANCE: f64 = 0.01;

/// Dimensions, lengthscale, points a side, and the reference's row: mean D, distance to the batch, to the truth, ratio of variances.
const ROWS: [(usize, f64, usize, [f64; 4]); 9] = [
    (1, 0.2, 3, [3e-1, 0.360, 0.365, 794.0]),
    (1, 0.2, 5, [2e-2, 0.098, 0.101, 60.0]),
    (1, 0.2, 6, [5e-3, 0.031, 0.039, 13.0]),
    (1, 0.2, 7, [1e-3, 0.016, 0.028, 3.2]),
    (1, 0.2, 8, [2e-4, 0.0042, 0.0230, 1.36]),
    (1, 0.2, 10, [7e-6, 0.0002, 0.0228, 1.01]),
    (2, 0.35, 4, [1e-2, 0.047, 0.055, 11.0]),
    (2, 0.35, 5, [9e-4, 0.015, 0.039, 1.7]),
    (2, 0.35, 6, [7e-5, 0.0017, 0.0364, 1.04]),
];

/// A function, measured.
struct Data {
    inputs: Points,
    values: Vec<f64>,
    tests: Points,
    truth: Vec<f64>,
}

impl Data {
    fn draw(dims: usize, lengthscale: f64, seed: u64) -> Self {
        let rng = &mut stream(seed, dims as u64);
        let all = scattered(dims, INPUTS + TESTS, rng);
        let f = draw(&se(dims, 1.0, lengthscale), &all, rng);
        let (left, right): (Vec<usize>, Vec<usize>) = (0..INPUTS + TESTS).partition(|&i| i < INPUTS);
        let values = f[..INPUTS].iter().map(|f| f + NOISE_VARIANCE.sqrt() * normal(rng)).collect();
        Self { inputs: all.select(&left), values, tests: all.select(&right), truth: f[INPUTS..].to_vec() }
    }

    /// Mean and variance at the tests without a basis.
    fn batch(&self, lengthscale: f64) -> (Vec<f64>, Vec<f64>) {
        let kernel = se(self.inputs.dims(), 1.0, lengthscale);
        let mut l = kernel.matrix(&self.inputs);
        l.add_diagonal(NOISE_VARIANCE);
        assert!(cholesky(&mut l), "noise makes it positive definite");
        let mut weights = self.values.clone();
        solve_lower_vec(&l, &mut weights);
        solve_lower_transposed_vec(&l, &mut weights);
        let mut cross: Matrix = kernel.cross(&self.inputs, &self.tests);
        let mean = cross.transpose_times(&weights);
        solve_lower(&l, &mut cross);
        (mean, (0..TESTS).map(|i| 1.0 - dot(cross.col(i), cross.col(i))).collect())
    }
}

/// One function on one grid.
struct Found {
    residual: f64,
    to_batch: f64,
    to_truth: f64,
    batch_to_truth: f64,
    ratio: f64,
    without_inverse: f64,
    lowest: f64,
}

fn run(dims: usize, lengthscale: f64, side: usize, seed: u64) -> Result<Found> {
    let data = Data::draw(dims, lengthscale, seed);
    let kernel = se(dims, 1.0, lengthscale);
    let settings = Settings { memory: 0, ..Settings::default() };
    let mut model = StreamingModel::new(kernel.clone(), grid(dims, side), settings)?;
    for (i, &y) in data.values.iter().enumerate() {
        model.measure(&data.inputs, i, y, NOISE_VARIANCE.sqrt())?;
    }
    let (batch, batch_variance) = data.batch(lengthscale);
    let found = model.utilities(&data.tests);
    let basis = Basis::new(kernel, grid(dims, side))?;
    let residual = basis.residual(&data.tests);
    let apart = |a: &[f64], b: &[f64]| rms(a.iter().zip(b).map(|(a, b)| a - b));
    let printed =
        regression_without_inverse(&basis, (&data.inputs, &data.values, NOISE_VARIANCE), &data.tests);
    Ok(Found {
        residual: mean(&(0..TESTS).map(|i| residual[(i, i)]).collect::<Vec<_>>()),
        to_batch: apart(&found.mean, &batch),
        to_truth: apart(&found.mean, &data.truth),
        batch_to_truth: apart(&batch, &data.truth),
        ratio: mean(&found.variance.iter().zip(&batch_variance).map(|(a, b)| a / b).collect::<Vec<_>>()),
        without_inverse: apart(&printed.0, &data.truth),
        lowest: printed.1,
    })
}

pub(super) fn print(options: &Options) -> Result<()> {
    println!(
        "Prediction on a basis (thesis, sections III-B and V-A): {INPUTS} measured values, noise variance {NOISE_VARIANCE}, \
         {} functions (reference: 10)\n",
        options.functions
    );
    println!(
        "{:<9} {:>6} {:>14} {:>9}  {:<18} {:<18} {:<10} {:<18} {:<20}",
        "",
        "points",
        "spacing/length",
        "mean D",
        "rmse to batch",
        "rmse to truth",
        "(batch's)",
        "variance/batch's",
        "J = k K (as printed)"
    );
    for (dims, lengthscale, side, reference) in ROWS {
        let found = (0..options.functions)
            .into_par_iter()
            .map(|f| run(dims, lengthscale, side, options.seed + f))
            .collect::<Result<Vec<Found>>>()?;
        let average = |of: fn(&Found) -> f64| mean(&found.iter().map(of).collect::<Vec<_>>());
        let cell = |value: f64, reference: f64| format!("{value:.4} ({reference})");
        println!(
            "{:<9} {:>6} {:>14.2} {:>9.0e}  {:<18} {:<18} {:<10} {:<18} rmse {:.2}, D down to {:.1}",
            format!("{dims}-D, {lengthscale}"),
            side.pow(dims as u32),
            1.0 / (side - 1) as f64 / lengthscale,
            average(|f| f.residual),
            cell(average(|f| f.to_batch), reference[1]),
            cell(average(|f| f.to_truth), reference[2]),
            format!("({:.4})", average(|f| f.batch_to_truth)),
            format!("{:.2} ({})", average(|f| f.ratio), reference[3]),
            average(|f| f.without_inverse),
            found.iter().map(|f| f.lowest).fold(0.0, f64::min),
        );
    }
    println!(
        "\nA spacing of at most 0.6 lengthscales leaves the basis out of sight; 0.7 will do for preferences.\n"
    );
    Ok(())
}

//! The parts of exact inference: truncated normals, Sobol points, orthant probabilities, diagnostics.

use rather::Error;
use rather::exact::diagnostics::{effective_samples, r_hat};
use rather::exact::orthant::{Quadrature, log_probability};
use rather::exact::tilting::MinimaxTilting;
use rather::exact::truncated::UpperTail;
use rather::exact::{gibbs::Gibbs, minimax};
use rather_numerics::linalg::Matrix;
use rather_numerics::random::{normal, stream};
use rather_numerics::sobol::{Scrambling, Sobol};
use rather_numerics::special::normal::quantile;
use rather_numerics::special::probit::probit_moments;

fn rows(csv: &str) -> impl Iterator<Item = [f64; 3]> {
    csv.lines().skip(1).map(|line| {
        let numbers: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        numbers.try_into().unwrap()
    })
}

/// Against `references/truncated.py`. Allowed are 1e-13 relative, what rounding `u` does (Mills' ratio times its last digit),
/// and near the middle the last digits of the bound.
#[test]
fn truncated_quantiles_agree_with_references() {
    for [bound, u, expected] in rows(include_str!("../../references/truncated.csv")) {
        let found = UpperTail::above(bound).excess(u);
        let mills = 1.0 / probit_moments(-(bound + expected)).r;
        let near = if bound < 4.0 { 4e-16 * (1.0 + bound.abs()) } else { 0.0 };
        let tolerance = 1e-13 * expected + 2e-16 * mills + near;
        assert!((found - expected).abs() <= tolerance, "{bound} {u}: {found} where {expected} is right");
    }
}

#[test]
fn truncated_draws_have_the_right_mean() {
    let mut rng = stream(1, 0);
    for bound in [-1e8, -3.0, 0.0, 3.9, 4.1, 1e4, 1e8] {
        let n = 20_000;
        let tail = UpperTail::above(bound);
        let draws: Vec<f64> = (0..n).map(|_| tail.sample(&mut rng)).collect();
        assert!(draws.iter().all(|&d| d > 0.0));
        let mean = draws.iter().sum::<f64>() / f64::from(n);
        let moments = probit_moments(-bound);
        // E X - c is the moments' t, var X their q.
        let error = (moments.q / f64::from(n)).sqrt();
        assert!((mean - moments.t).abs() <= 4.0 * error, "{bound}: {mean} where {} is right", moments.t);
    }
}

/// Against SciPy (`references/sobol.py`), whose points are exact binary fractions.
#[test]
fn sobol_points_equal_scipys() {
    let expected: Vec<[f64; 3]> = rows(include_str!("../../references/sobol.csv")).collect();
    let mut sequence = Sobol::new(1024).unwrap();
    for index in 0..1024 {
        let point = sequence.next_point();
        for &[_, dimension, coordinate] in expected.iter().filter(|row| row[0] as usize == index) {
            assert_eq!(
                f64::from(point[dimension as usize]) / 2.0_f64.powi(32),
                coordinate,
                "{index} {dimension}"
            );
        }
    }
    assert!(Sobol::new(1025).is_none());
}

/// Of 2^8 scrambled points each of 2^8 equal intervals holds one, in every dimension, and in two dimensions each of the
/// boxes of 2^4 by 2^4 holds one for a pair that is a net of quality 0 (the first two).
#[test]
fn scrambled_points_stay_a_net() {
    for seed in 0..20 {
        let scrambling = Scrambling::new(seed, 8);
        let mut sequence = Sobol::new(300).unwrap();
        let points: Vec<Vec<f64>> = (0..256)
            .map(|_| sequence.next_point().iter().enumerate().map(|(d, &x)| scrambling.apply(d, x)).collect())
            .collect();
        for d in 0..300 {
            let mut cells: Vec<usize> = points.iter().map(|p| (p[d] * 256.0) as usize).collect();
            cells.sort_unstable();
            assert_eq!(cells, (0..256).collect::<Vec<_>>(), "dimension {d}");
        }
        let cell = |p: &Vec<f64>| (p[0] * 16.0) as usize * 16 + (p[1] * 16.0) as usize;
        let mut cells: Vec<usize> = points.iter().map(cell).collect();
        cells.sort_unstable();
        assert_eq!(cells, (0..256).collect::<Vec<_>>());
    }
}

#[test]
fn scramblings_are_uniform_and_unlike() {
    let mean = |dimension: usize, x: u32, depth: u32| {
        (0..4096).map(|s| Scrambling::new(s, depth).apply(dimension, x)).sum::<f64>() / 4096.0
    };
    for depth in [0, 1, 5, 32] {
        for x in [0, 1 << 31, 12_345_678] {
            // Four standard errors of the mean of 4,096 uniform numbers.
            assert!((mean(3, x, depth) - 0.5).abs() < 4.0 * 0.2887 / 64.0, "{depth} {x}");
        }
    }
}

fn equicorrelated(t: usize, r: f64) -> Matrix {
    Matrix::from_fn(t, t, |i, j| if i == j { 1.0 } else { r })
}

/// Correlations of 1/2 give 1 / (t + 1), independence 2^-t; scales do not matter.
#[test]
fn orthant_probabilities_are_known() {
    for t in [1, 2, 3, 10, 30, 100, 300] {
        let p = log_probability(&equicorrelated(t, 0.5), &Quadrature::default()).unwrap();
        let expected = -(t as f64 + 1.0).ln();
        println!("t {t}: {:.2e} ± {:.2e}", p.value - expected, p.error);
        assert!((p.value - expected).abs() <= 4.0 * p.error + 1e-12, "{t}: {p:?}, {expected}");
        assert!(p.error < 0.02, "{t}: {p:?}");

        let scaled = Matrix::from_fn(t, t, |i, j| if i == j { 10.0_f64.powi(i as i32 % 7 - 3) } else { 0.0 });
        let p = log_probability(&scaled, &Quadrature::default()).unwrap();
        let expected = -(t as f64) * 2.0_f64.ln();
        assert!((p.value - expected).abs() <= 1e-12 * t as f64 && p.error < 1e-12, "{t}: {p:?}");
    }
}

/// More variables than Sobol dimensions, and a probability far below the smallest number.
#[test]
fn orthants_may_be_large() {
    let p =
        log_probability(&equicorrelated(1_200, 0.0), &Quadrature { depth: 2, ..Default::default() }).unwrap();
    assert!((p.value + 1_200.0 * 2.0_f64.ln()).abs() < 1e-9, "{p:?}");
    let limit = log_probability(&equicorrelated(2_001, 0.0), &Quadrature::default());
    assert!(matches!(limit, Err(Error::ExactSize { .. })));
    let depth = log_probability(&equicorrelated(2, 0.0), &Quadrature { depth: 25, ..Default::default() });
    assert!(matches!(depth, Err(Error::Parameter { .. })));
    let nan = log_probability(&equicorrelated(2, f64::NAN), &Quadrature::default());
    assert_eq!(nan, Err(Error::Inference));
}

/// Two variables: the probability is 1/4 + asin(r) / (2 pi), and no weight exceeds the bound.
#[test]
fn tilting_bounds_all_weights() {
    for r in [-0.999, -0.5, 0.0, 0.5, 0.999, 0.9999999] {
        let covariance = equicorrelated(2, r);
        let exact = (0.25 + r.asin() / std::f64::consts::TAU).ln();
        let tilting = MinimaxTilting::new(&covariance).unwrap();
        assert!(tilting.bound() >= exact - 1e-9, "{r}: {} {exact}", tilting.bound());
        let mut rng = stream(3, 0);
        for _ in 0..2_000 {
            let (mut z, mut y) = (vec![0.0; 2], vec![0.0; 2]);
            let weight = tilting.propose(|_| rather_numerics::random::uniform(&mut rng), &mut z, &mut y);
            assert!(weight <= tilting.bound() + 1e-9, "{r}: {weight} {}", tilting.bound());
        }
        let p = log_probability(&covariance, &Quadrature::default()).unwrap();
        assert!((p.value - exact).abs() <= 4.0 * p.error + 1e-9, "{r}: {p:?} {exact}");
    }
}

/// The mean of equicorrelated variables, all positive: known for two, `(1 + r) / sqrt(2 pi) / 2 / P`.
#[test]
fn samplers_of_an_orthant_have_the_right_mean() {
    let (r, n) = (-0.7_f64, 20_000);
    let p = 0.25 + r.asin() / std::f64::consts::TAU;
    let expected = (1.0 + r) / (2.0 * std::f64::consts::TAU.sqrt() * p);
    let tilting = MinimaxTilting::new(&equicorrelated(2, r)).unwrap();
    let accepted = minimax::sample(&tilting, n, 1, 5, 1e-3).unwrap();
    let first: Vec<f64> = (0..n).map(|j| accepted.chains[0][(0, j)]).collect();
    let gibbs = Gibbs::new(equicorrelated(2, r)).unwrap();
    let (mut rng, mut y) = (stream(6, 0), vec![1.0, 1.0]);
    let walked: Vec<f64> = (0..n)
        .map(|_| {
            gibbs.sweep(&mut y, &mut rng);
            y[0]
        })
        .collect();
    for draws in [first, walked] {
        let mean = draws.iter().sum::<f64>() / n as f64;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
        let error = (variance / effective_samples(&[draws])).sqrt();
        assert!((mean - expected).abs() <= 4.0 * error, "{mean} ± {error} where {expected} is right");
    }
}

fn autoregressive(phi: f64, shift: f64, n: usize, seed: u64) -> Vec<f64> {
    let mut rng = stream(seed, 9);
    let mut x = normal(&mut rng);
    (0..n)
        .map(|_| {
            x = phi * x + (1.0 - phi * phi).sqrt() * normal(&mut rng);
            x + shift
        })
        .collect()
}

/// An autoregressive chain has (1 - phi) / (1 + phi) of its draws.
#[test]
fn effective_samples_of_autoregressive_chains() {
    for phi in [-0.3, 0.0, 0.5, 0.9] {
        let chains: Vec<Vec<f64>> = (0..4).map(|s| autoregressive(phi, 0.0, 10_000, s)).collect();
        let (found, expected) = (effective_samples(&chains), 40_000.0 * (1.0 - phi) / (1.0 + phi));
        assert!((found / expected - 1.0).abs() < 0.15, "{phi}: {found} where {expected} is right");
        assert!(r_hat(&chains) < 1.01, "{phi}: {}", r_hat(&chains));
    }
    assert_eq!(effective_samples(&[vec![1.0; 10], vec![1.0; 10]]), 20.0);
}

#[test]
fn chains_that_differ_are_told_apart() {
    let shifted: Vec<Vec<f64>> = (0..4).map(|s| autoregressive(0.5, s as f64, 1_000, s)).collect();
    assert!(r_hat(&shifted) > 1.1);
    assert!(effective_samples(&shifted) < 20.0);
    // Same mean, other spread: only the folded ranks see it.
    let mut rng = stream(4, 4);
    let wide: Vec<Vec<f64>> =
        (0..4).map(|s| (0..1_000).map(|_| normal(&mut rng) * [1.0, 1.0, 1.0, 3.0][s]).collect()).collect();
    assert!(r_hat(&wide) > 1.05);
    // One chain that drifts disagrees with itself.
    let drift: Vec<f64> = (0..1_000).map(|i| quantile((f64::from(i) + 0.5) / 1_000.0)).collect();
    assert!(r_hat(&[drift]) > 1.5);
}

//! The normal distribution and the moments of the probit against 60-digit references (`references/*.py`).

use rather_numerics::special::normal;
use rather_numerics::special::probit::probit_moments;

/// The contract of `probit_moments`; what was measured is 5 times better.
const MOMENTS: f64 = 1e-14;
/// A few roundings; the density's argument is squared exactly.
const NORMAL: f64 = 2e-15;

/// The rows of a table, each as numbers. The references' 25 digits round to the nearest double.
fn rows<const N: usize>(csv: &str) -> Vec<[f64; N]> {
    let row = |line: &str| {
        let numbers: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        numbers.try_into().unwrap()
    };
    csv.lines().skip(1).map(row).collect()
}

/// Holds the largest relative error of a function, and where it was.
struct Worst {
    name: &'static str,
    error: f64,
    at: f64,
}

impl Worst {
    fn new(name: &'static str) -> Self {
        Self { name, error: 0.0, at: f64::NAN }
    }

    /// Takes in one value. Subnormal numbers have few digits: 80 of their units are allowed (w is r times 40).
    fn see(&mut self, at: f64, found: f64, expected: f64) {
        if !expected.is_finite() {
            assert_eq!(found, expected, "{} at {at}", self.name);
            return;
        }
        let difference = (found - expected).abs();
        if difference <= 80.0 * 5e-324 {
            return;
        }
        let error =
            if expected.abs() < f64::MIN_POSITIVE { f64::INFINITY } else { difference / expected.abs() };
        if error > self.error || error.is_nan() {
            (self.error, self.at) = (error, at);
        }
    }

    fn check(&self, tolerance: f64) {
        println!("{}: largest relative error {:.1e} at {}", self.name, self.error, self.at);
        assert!(self.error <= tolerance, "{}: {:e} at {}", self.name, self.error, self.at);
    }
}

#[test]
fn moments_agree_with_references() {
    let mut worst = ["log_cdf", "r", "t", "w", "q"].map(Worst::new);
    for [beta, expected @ ..] in rows::<6>(include_str!("../../references/probit.csv")) {
        let m = probit_moments(beta);
        for ((worst, found), expected) in worst.iter_mut().zip([m.log_cdf, m.r, m.t, m.w, m.q]).zip(expected)
        {
            worst.see(beta, found, expected);
        }
    }
    worst.iter().for_each(|worst| worst.check(MOMENTS));
}

#[test]
fn moments_have_limits() {
    let m = probit_moments(f64::INFINITY);
    assert_eq!((m.log_cdf, m.r, m.w, m.q), (0.0, 0.0, 0.0, 1.0));
    let m = probit_moments(f64::NEG_INFINITY);
    assert_eq!((m.log_cdf, m.r, m.q), (f64::NEG_INFINITY, f64::MAX, 0.0));
    assert!(m.t < 1e-300 && (m.w - 1.0).abs() < MOMENTS);
    assert!(probit_moments(f64::NAN).q.is_nan());
}

#[test]
fn moments_meet_at_zero() {
    let (left, right) = (probit_moments(-1e-300), probit_moments(1e-300));
    for (a, b) in [(left.log_cdf, right.log_cdf), (left.r, right.r), (left.w, right.w), (left.q, right.q)] {
        assert!((a - b).abs() <= NORMAL, "{a:e} and {b:e}");
    }
}

#[test]
fn normal_agrees_with_references() {
    let mut worst = ["pdf", "cdf", "erfcx"].map(Worst::new);
    for [x, expected @ ..] in rows::<4>(include_str!("../../references/normal.csv")) {
        let found = [normal::pdf(x), normal::cdf(x), normal::erfcx(x)];
        for ((worst, found), expected) in worst.iter_mut().zip(found).zip(expected) {
            worst.see(x, found, expected);
        }
    }
    worst.iter().for_each(|worst| worst.check(NORMAL));
}

#[test]
fn quantile_agrees_with_references() {
    let mut worst = Worst::new("quantile");
    for [p, expected] in rows::<2>(include_str!("../../references/quantile.csv")) {
        worst.see(p, normal::quantile(p), expected);
    }
    worst.check(NORMAL);
    assert_eq!(normal::quantile(0.0), f64::NEG_INFINITY);
    assert_eq!(normal::quantile(1.0), f64::INFINITY);
    assert!(normal::quantile(-0.1).is_nan() && normal::quantile(1.1).is_nan());
}

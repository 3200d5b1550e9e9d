//! The likelihoods of streaming: lapses and measured values, against quadrature and differences.

use rather::likelihood::{Gaussian, LOG_NOISE, Lapse, Likelihood, Probit};

/// Mean, variance and log of the integral of `t(z) N(z | m, v)`, by the trapezoid rule, which is exact to rounding here.
fn quadrature(likelihood: &dyn Likelihood, m: f64, v: f64) -> (f64, f64, f64) {
    let step = 0.016 * v.sqrt();
    let grid = || (-1000..=1000).map(|i| m + step * f64::from(i));
    let weight = |z: f64| (likelihood.log_density(z).value - (z - m).powi(2) / (2.0 * v)).exp();
    let total: f64 = grid().map(weight).sum();
    let mean = grid().map(|z| z * weight(z)).sum::<f64>() / total;
    let variance = grid().map(|z| (z - mean).powi(2) * weight(z)).sum::<f64>() / total;
    (mean, variance, (total * step / (std::f64::consts::TAU * v).sqrt()).ln())
}

fn likelihoods() -> Vec<Box<dyn Likelihood>> {
    let lapse = |s, rate| Box::new(Lapse::new(Probit::label(s), rate)) as Box<dyn Likelihood>;
    vec![lapse(1.0, 0.0), lapse(1.0, 0.02), lapse(0.4, 0.3), Box::new(Gaussian::new(0.7, 0.6))]
}

#[test]
fn moments_equal_quadrature() {
    for likelihood in likelihoods() {
        for m in [-6.0, -2.0, -0.3, 0.0, 1.0, 4.0] {
            for v in [0.05, 1.0, 9.0] {
                let site = likelihood.tilt(m, v);
                let widening = 1.0 + site.tau * v;
                let (mean, variance, log_z) = quadrature(likelihood.as_ref(), m, v);
                let found = [(m + v * site.nu) / widening, v / widening, site.log_z];
                for (f, e) in found.into_iter().zip([mean, variance, log_z]) {
                    assert!((f - e).abs() < 1e-11 * (1.0 + e.abs()), "{m} {v}: {f}, not {e}");
                }
            }
        }
    }
}

/// A certain utility is the density itself.
#[test]
fn without_variance_the_site_is_the_density() {
    for likelihood in likelihoods() {
        for z in [-3.0, 0.2, 2.0] {
            let (site, density) = (likelihood.tilt(z, 0.0), likelihood.log_density(z));
            assert!((site.log_z - density.value).abs() < 1e-14 * (1.0 + density.value.abs()));
            assert!((site.tau - density.precision).abs() < 1e-13 * (1.0 + site.tau.abs()));
            assert!(
                (site.nu - (density.first + z * density.precision)).abs() < 1e-13 * (1.0 + site.nu.abs())
            );
        }
    }
}

fn difference(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    let h = 1e-4;
    (8.0 * (f(x + h) - f(x - h)) - (f(x + 2.0 * h) - f(x - 2.0 * h))) / (12.0 * h)
}

#[test]
fn derivatives_equal_differences() {
    type Make = fn(f64) -> Box<dyn Likelihood>;
    let makes: [Make; 3] = [
        |log_s| Box::new(Lapse::new(Probit::label(log_s.exp()), 0.1)),
        |log_s| Box::new(Lapse::new(Probit::label(log_s.exp()), 0.0)),
        |log_s| Box::new(Gaussian::new(0.4, log_s.exp())),
    ];
    let close = |found: f64, expected: f64, what: &str| {
        assert!((found - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{what}: {found}, not {expected}");
    };
    for make in makes {
        let (log_s, here) = (-0.3, make(-0.3));
        for z in [-3.0, -0.5, 0.0, 1.7] {
            let d = here.log_density(z);
            close(d.first, difference(|z| here.log_density(z).value, z), "first");
            close(-d.precision, difference(|z| here.log_density(z).first, z), "second");
            close(-d.third, difference(|z| here.log_density(z).precision, z), "third");
            let by_noise = |f: fn(&rather::likelihood::LogDensity) -> f64| {
                difference(|l| f(&make(l).log_density(z)), log_s)
            };
            close(d.value_d[LOG_NOISE], by_noise(|d| d.value), "value by noise");
            close(d.first_d[LOG_NOISE], by_noise(|d| d.first), "first by noise");
            close(d.precision_d[LOG_NOISE], by_noise(|d| d.precision), "precision by noise");
            let site = here.tilt(z, 0.8);
            close(site.d[LOG_NOISE], difference(|l| make(l).tilt(z, 0.8).log_z, log_s), "log Z by noise");
        }
    }
}

/// Without lapses it is the probit, far in the tail too; with any, the probability has a floor and the site may be negative.
#[test]
fn lapses_have_a_floor() {
    let (never, probit) = (Lapse::new(Probit::label(1.0), 0.0), Probit::label(1.0));
    for m in [-40.0, -3.0, 0.0, 5.0] {
        assert_eq!(never.tilt(m, 2.0), probit.tilt(m, 2.0));
    }
    let often = Lapse::new(Probit::label(1.0), 0.1);
    assert!((often.probability(-1e6, 1.0) - 0.05).abs() < 1e-15);
    let surprise = often.tilt(-3.0, 1.0);
    assert!(surprise.tau < 0.0 && 1.0 + surprise.tau > 0.0, "{surprise:?}");
}

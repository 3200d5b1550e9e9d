//! Every likelihood: moments against a quadrature of its own, derivatives against differences, far into the tails.

use rather::likelihood::quadrature::{Part, tilt_together};
use rather::likelihood::{
    Curvatures, Gaussian, Interval, LAPSE, LOG_NOISE, Lapse, Likelihood, LogDensity, Logistic, Probit,
    Slopes, Student,
};

const INF: f64 = f64::INFINITY;

/// A likelihood for each setting of numbers, with what its slots are the derivatives in.
struct Case {
    name: &'static str,
    make: fn(&[f64]) -> Box<dyn Likelihood>,
    /// Settings, one number a slot.
    settings: Vec<Vec<f64>>,
    /// For each number its slot, and whether the slot is of its logarithm (`l`), its logit (`t`) or itself (`.`).
    slots: &'static [(usize, char)],
    /// Where it bends.
    at: fn(&[f64]) -> [f64; 2],
}

fn cases() -> Vec<Case> {
    let slots_of_interval: &[(usize, char)] =
        &[(LOG_NOISE, 'l'), (Interval::LOWER, '.'), (Interval::UPPER, '.')];
    let intervals = vec![
        vec![1.0, 0.0, INF],
        vec![0.2, -0.4, 0.4],
        vec![1.4, -0.5, 0.5],
        vec![1.0, 0.7, 2.9],
        vec![0.6, -INF, -0.3],
        vec![1.0, 3.0, 3.0001],
    ];
    vec![
        Case {
            name: "probit",
            make: |p| Box::new(Probit::label(p[0])),
            settings: vec![vec![0.3], vec![1.0]],
            slots: &[(LOG_NOISE, 'l')],
            at: |_| [0.0; 2],
        },
        Case {
            name: "interval",
            make: |p| Box::new(Interval::new(p[1], p[2], p[0])),
            settings: intervals.clone(),
            slots: slots_of_interval,
            at: |p| [p[1], p[2]],
        },
        Case {
            name: "logistic",
            make: |p| Box::new(Logistic::new(p[1], p[2], p[0])),
            settings: intervals,
            slots: slots_of_interval,
            at: |p| [p[1], p[2]],
        },
        Case {
            name: "lapse",
            make: |p| Box::new(Lapse::of(Interval::new(p[1], p[2], p[0]), p[3], 0.25)),
            settings: vec![vec![1.0, 0.0, INF, 0.1], vec![0.4, -0.5, 0.5, 0.3]],
            slots: &[(LOG_NOISE, 'l'), (Interval::LOWER, '.'), (Interval::UPPER, '.'), (LAPSE, 't')],
            at: |p| [p[1], p[2]],
        },
        Case {
            name: "lapse of a logistic",
            make: |p| Box::new(Lapse::of(Logistic::new(0.0, INF, p[0]), p[1], 0.5)),
            settings: vec![vec![1.0, 0.1]],
            slots: &[(LOG_NOISE, 'l'), (LAPSE, 't')],
            at: |_| [0.0; 2],
        },
        Case {
            name: "gaussian",
            make: |p| Box::new(Gaussian::new(2.0, p[0]).of_line([p[1], p[2]])),
            settings: vec![vec![0.3, 0.0, 1.0], vec![1.5, 0.7, 2.0]],
            slots: &[(LOG_NOISE, 'l'), (Gaussian::OFFSET, '.'), (Gaussian::LOG_SCALE, 'l')],
            at: |p| [(2.0 - p[1]) / p[2]; 2],
        },
        Case {
            name: "student",
            make: |p| Box::new(Student::new(2.0, [p[1], p[2]], p[0], p[3])),
            settings: vec![vec![0.3, 0.0, 1.0, 3.0], vec![1.0, 0.7, 2.0, 8.0], vec![0.5, 0.0, 1.0, 1.5]],
            slots: &[
                (LOG_NOISE, 'l'),
                (Student::OFFSET, '.'),
                (Student::LOG_SCALE, 'l'),
                (Student::LOG_FREEDOM, 'l'),
            ],
            at: |p| [(2.0 - p[1]) / p[2]; 2],
        },
    ]
}

fn each(mut check: impl FnMut(&Case, &[f64], &dyn Likelihood)) {
    for case in cases() {
        for setting in &case.settings {
            check(&case, setting, (case.make)(setting).as_ref());
        }
    }
}

fn close(found: f64, expected: f64, tolerance: f64, what: &dyn Fn() -> String) {
    assert!((found - expected).abs() <= tolerance, "{}: {found} where {expected} is right", what());
}

/// `log Z`, mean and variance of `t(z) N(z | m, v)` by the trapezoidal rule over all that there is of it.
fn moments(likelihood: &dyn Likelihood, at: [f64; 2], mean: f64, variance: f64) -> [f64; 3] {
    const POINTS: usize = 60_000;
    let sd = variance.sqrt();
    let ends = || at.into_iter().filter(|z| z.is_finite() && (z - mean).abs() < 400.0 * sd).chain([mean]);
    let low = ends().fold(INF, f64::min) - 12.0 * sd;
    let high = ends().fold(-INF, f64::max) + 12.0 * sd;
    let h = (high - low) / POINTS as f64;
    let logs: Vec<(f64, f64)> = (0..=POINTS)
        .map(|i| low + h * i as f64)
        .map(|z| (z, likelihood.log_density(z).value - 0.5 * (z - mean).powi(2) / variance))
        .collect();
    let top = logs.iter().map(|l| l.1).fold(-INF, f64::max);
    let sum = |f: &dyn Fn(f64) -> f64| -> f64 { logs.iter().map(|&(z, l)| (l - top).exp() * f(z)).sum() };
    let mass = sum(&|_| 1.0);
    let centre = sum(&|z| z) / mass;
    let log_z = top + (mass * h).ln() - 0.5 * (std::f64::consts::TAU * variance).ln();
    [log_z, centre, sum(&|z| (z - centre).powi(2)) / mass]
}

/// The site reproduces the moments. The trapezoidal rule has 14 digits for integrands as smooth as these; log Z is relative to its size,
/// the mean to the tilted standard deviation.
#[test]
fn moments_equal_quadrature() {
    each(|case, setting, likelihood| {
        for variance in [1e-4, 0.01, 1.0, 30.0_f64] {
            for steps in [-25.0, -8.0, -3.0, -0.6, 0.0, 1.1, 4.0, 9.0, 25.0] {
                let mean = steps * (setting[0] * setting[0] + variance).sqrt();
                let site = likelihood.tilt(mean, variance);
                let [log_z, centre, spread] = moments(likelihood, (case.at)(setting), mean, variance);
                let what = || format!("{} {setting:?} at N({mean}, {variance})", case.name);
                close(site.log_z, log_z, 1e-10 * log_z.abs().max(1.0), &what);
                let v = 1.0 / (1.0 / variance + site.tau);
                close(v / spread, 1.0, 1e-10, &what);
                // The mean is of rounded numbers of the size of m and of the threshold.
                close(
                    (v * (mean / variance + site.nu) - centre) / spread.sqrt(),
                    0.0,
                    1e-10 * (1.0 + steps.abs()),
                    &what,
                );
            }
        }
    });
}

/// A likelihood of which quadrature does not know how smooth it is.
struct Rough<'a>(&'a dyn Likelihood);

impl Likelihood for Rough<'_> {
    fn log_density(&self, z: f64) -> LogDensity {
        self.0.log_density(z)
    }

    fn bends(&self) -> Curvatures {
        self.0.bends()
    }
}

/// Of a belief that is narrow beside a smooth likelihood the rule of few points finds what panels do: also of a product of hundreds of answers,
/// up to where it may be taken. Sites have the digits that are left of a difference of variances.
#[test]
fn narrow_beliefs_need_few_points() {
    let win = Lapse::of(Logistic::new(0.3, INF, 1.4), 0.05, 0.3);
    let tie = Lapse::of(Logistic::new(-0.3, 0.3, 1.4), 0.0, 0.3);
    let mut narrow = 0;
    for sd in [1e-3, 0.01, 0.05, 0.08, 0.3] {
        for mean in [-9.0, -1.0, 0.0, 0.4, 3.0] {
            for counts in [[1.0, 1.0], [40.0, 7.5], [3.0, 200.0]] {
                let smooth: [&dyn Likelihood; 2] = [&win, &tie];
                let rough = [Rough(&win), Rough(&tie)];
                let of = |likelihoods: [&dyn Likelihood; 2]| {
                    let part = |i: usize| Part {
                        likelihood: likelihoods[i],
                        sign: [1.0, -1.0][i],
                        count: counts[i],
                    };
                    tilt_together(&[part(0), part(1)], mean, sd * sd)
                };
                let ((few, slopes), (panels, expected)) = (of(smooth), of([&rough[0], &rough[1]]));
                narrow += usize::from(few != panels);
                let what = || format!("{counts:?} at N({mean}, {sd}^2)");
                close(few.log_z, panels.log_z, 1e-11 * panels.log_z.abs().max(1.0), &what);
                close(few.tau, panels.tau, 1e-10 * (panels.tau.abs() + 1.0), &what);
                close(few.nu, panels.nu, 1e-10 * (panels.nu.abs() + mean.abs() + 1.0), &what);
                for (a, b) in slopes.iter().flatten().zip(expected.iter().flatten()) {
                    close(*a, *b, 1e-10 * (b.abs() + 1.0), &what);
                }
            }
        }
    }
    assert!(narrow > 20, "only {narrow} of the beliefs were taken as narrow");
}

/// Where nothing is uncertain the site is Laplace's.
#[test]
fn a_known_projection_has_the_site_of_its_density() {
    each(|case, setting, likelihood| {
        for z in [-6.0, -0.4, 0.2, 1.0, 7.0] {
            let (site, density) = (likelihood.tilt(z, 0.0), likelihood.log_density(z));
            let what = || format!("{} {setting:?} at {z}", case.name);
            close(site.log_z, density.value, 1e-12 * density.value.abs().max(1.0), &what);
            close(site.tau, density.precision, 1e-10 * density.precision.abs().max(1e-3), &what);
            let nu = density.first + density.precision * z;
            close(site.nu, nu, 1e-10 * (density.first.abs() + (density.precision * z).abs() + 1.0), &what);
        }
    });
}

/// The fourth-order difference of `f` at 0 with steps of `h`.
fn difference(f: impl Fn(f64) -> f64, h: f64) -> f64 {
    (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}

/// Differences of rounded values: with steps of a hundredth of the noise they have five digits and more.
#[test]
fn derivatives_equal_differences() {
    each(|case, setting, likelihood| {
        let h = 0.01 * setting[0];
        for z in [-3.0, -0.7, 0.1, 0.9, 4.0] {
            let at = likelihood.log_density(z);
            let by_z = |f: fn(&LogDensity) -> f64| difference(|d| f(&likelihood.log_density(z + d)), h);
            let unit = setting[0];
            let what = |which: &'static str| move || format!("{} {setting:?} at {z}, {which}", case.name);
            close(at.first * unit, by_z(|d| d.value) * unit, 2e-6, &what("first"));
            close(-at.precision * unit, by_z(|d| d.first) * unit, 2e-6 / unit, &what("second"));
            close(-at.third * unit, by_z(|d| d.precision) * unit, 2e-6 / (unit * unit), &what("third"));
            for (number, &(slot, scale)) in case.slots.iter().enumerate() {
                if !setting[number].is_finite() {
                    continue;
                }
                let moved = |d: f64| {
                    let mut there = setting.to_vec();
                    let x = setting[number];
                    there[number] = match scale {
                        'l' => x * d.exp(),
                        't' => 1.0 / (1.0 + (1.0 - x) / x * (-d).exp()),
                        _ => x + d,
                    };
                    (case.make)(&there)
                };
                // A narrow interval must not be turned inside out.
                let narrow = case.at(setting);
                let width = narrow[1] - narrow[0];
                let step = if width > 0.0 { (1e-2 * unit).min(0.05 * width) } else { 1e-2 * unit };
                let by = |f: &dyn Fn(&dyn Likelihood) -> f64| difference(|d| f(moved(d).as_ref()), step);
                let of = |f: fn(&LogDensity) -> &Slopes| f(&at)[slot];
                let tolerance = 1e-5 * (1.0 + 1e-9 / step.powi(2)) / (unit * unit).min(1.0);
                let size = |x: f64| tolerance * x.abs().max(1.0);
                let value = by(&|l| l.log_density(z).value);
                close(of(|d| &d.value_d), value, size(value), &what("value by slot"));
                let first = by(&|l| l.log_density(z).first);
                close(of(|d| &d.first_d), first, size(first), &what("first by slot"));
                let precision = by(&|l| l.log_density(z).precision);
                close(of(|d| &d.precision_d), precision, size(precision), &what("precision by slot"));
                let log_z = by(&|l| l.tilt(z, 0.8).log_z);
                close(likelihood.tilt(z, 0.8).d[slot], log_z, size(log_z), &what("log Z by slot"));
            }
        }
    });
}

impl Case {
    fn at(&self, setting: &[f64]) -> [f64; 2] {
        (self.at)(setting)
    }
}

/// An interval from 0 up is a probit, to the last digits and far into the tails.
#[test]
fn an_interval_without_an_end_is_a_probit() {
    for mean in [-1e6, -40.0, -3.0, 0.0, 2.0, 50.0] {
        for variance in [0.0, 0.3, 100.0] {
            let (a, b) =
                (Interval::new(0.0, INF, 0.7).tilt(mean, variance), Probit::label(0.7).tilt(mean, variance));
            let what = || format!("at N({mean}, {variance})");
            for (x, y) in [(a.log_z, b.log_z), (a.tau, b.tau), (a.nu, b.nu), (a.d[LOG_NOISE], b.d[LOG_NOISE])]
            {
                close(x, y, 1e-12 * y.abs(), &what);
            }
        }
    }
}

/// All that may be said of one difference has a probability of 1 together, and mirrored answers have mirrored sites.
#[test]
fn the_probabilities_of_all_grades_add_up() {
    let thresholds = [-INF, -1.7, -0.4, 0.4, 1.7, INF];
    for mean in [-12.0, -1.0, 0.0, 0.3, 30.0] {
        for variance in [0.0, 0.5, 40.0] {
            let all = || thresholds.windows(2);
            for one in [
                all().map(|w| Interval::new(w[0], w[1], 0.9).probability(mean, variance)).sum::<f64>(),
                all().map(|w| Logistic::new(w[0], w[1], 0.9).probability(mean, variance)).sum::<f64>(),
            ] {
                close(one, 1.0, 1e-12, &|| format!("at N({mean}, {variance})"));
            }
            let (a, b) = (
                Interval::new(0.4, 1.7, 0.9).tilt(mean, variance),
                Interval::new(-1.7, -0.4, 0.9).tilt(-mean, variance),
            );
            assert_eq!((a.log_z, a.tau, a.nu), (b.log_z, b.tau, -b.nu));
        }
    }
}

/// A surprising answer makes a lapse likelier than the answer: its site has negative precision, and the variance stays positive.
#[test]
fn surprises_have_negative_sites() {
    let lapse = Lapse::of(Interval::new(0.5, INF, 0.3), 0.2, 1.0 / 3.0);
    let student = Student::new(8.0, [0.0, 1.0], 0.5, 3.0);
    for (likelihood, mean) in [(&lapse as &dyn Likelihood, -3.0), (&student, 0.0)] {
        let site = likelihood.tilt(mean, 1.0);
        assert!(site.tau < 0.0 && 1.0 + site.tau > 0.0, "{site:?}");
    }
}

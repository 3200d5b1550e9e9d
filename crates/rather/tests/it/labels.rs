//! Class labels: the same engine, against integrals and closed forms.

use crate::common;
use crate::common::{close, schema};
use proptest::prelude::*;
use rather::Comparison;
use rather::answers::Answer;
use rather::evidence::Problem;
use rather::exact::orthant::{Quadrature, log_probability};
use rather::exact::{ExactPosterior, ExactSettings, Sampler};
use rather::features::{Column, ColumnValues};
use rather::inference::observations::Observations;
use rather::inference::prior::Space;
use rather::inference::{Factors, Method, Settings, Status};
use rather::kernel::{Kernel, parse};
use rather::likelihood::{LOG_NOISE, Likelihood, Probit, ResponseModel};
use rather::model::{FitSettings, Items, Model};
use rather::points::Points;
use rather::posterior::Posterior;
use rather_numerics::linalg::Matrix;
use rather_numerics::special::normal;

const EXACT: Settings =
    Settings { tolerance: 1e-12, sweeps: 400, sequential_sweeps: 400, factors: Factors::Pair };

/// Labels and comparisons of some items of two features.
#[derive(Debug, Clone)]
struct Made {
    points: Points,
    comparisons: Vec<Comparison>,
    labels: Vec<Answer>,
    kernel: Kernel,
    noise: f64,
}

impl Made {
    fn labelled(rows: &[[f64; 2]], positive: &[bool], kernel: Kernel) -> Self {
        let labels = positive.iter().enumerate();
        Self {
            points: Points::from_rows(rows),
            comparisons: Vec::new(),
            labels: labels.map(|(item, &positive)| Answer::labelled(item, positive)).collect(),
            kernel,
            noise: 1.0,
        }
    }

    fn observations(&self) -> Observations {
        let comparisons = self.comparisons.iter().map(|&c| Answer::from(c));
        let answers = comparisons.chain(self.labels.iter().copied()).collect();
        Observations::of(&answers, &[], ResponseModel::default())
    }

    fn with<T>(&self, method: Method, space: Option<Space>, run: impl FnOnce(&Problem<'_>) -> T) -> T {
        let observations = self.observations();
        let points = self.points.select(&observations.items);
        run(&Problem { points: &points, observations: &observations, method, space, inducing: None })
    }

    fn log_evidence(&self, method: Method, kernel: &Kernel, noise: f64) -> f64 {
        self.with(method, None, |problem| {
            problem.evaluate(kernel, noise, None, &EXACT).unwrap().outcome.log_evidence
        })
    }

    fn posterior_by(&self, method: Method, space: Option<Space>, settings: &Settings) -> Posterior {
        self.with(method, space, |problem| {
            let evidence = problem.evaluate(&self.kernel, self.noise, None, settings).unwrap();
            Posterior::new(problem, self.kernel.clone(), self.noise, evidence)
        })
    }

    fn posterior(&self, method: Method) -> Posterior {
        self.posterior_by(method, None, &EXACT)
    }

    /// The exact log evidence of labels alone: with `g = f + noise`, the probability that every `g` has its label's sign.
    fn exact_log_evidence(&self) -> f64 {
        let k = self.kernel.matrix(&self.points);
        let sign = |i: usize| if self.labels[i].positive { 1.0 } else { -1.0 };
        let mut covariance =
            Matrix::from_fn(k.rows(), k.rows(), |i, j| sign(i) * sign(j) * k[(i.max(j), i.min(j))]);
        covariance.add_diagonal(self.noise * self.noise);
        let found = log_probability(&covariance, &Quadrature::default()).unwrap();
        assert!(found.error < 1e-3, "{found:?}");
        found.value
    }
}

/// Items and answers of both kinds.
fn made() -> impl Strategy<Value = Made> {
    let rows = prop::collection::vec([-2.0..2.0f64, -2.0..2.0f64], 3..8);
    let pairs = prop::collection::vec((0..1000usize, 0..1000usize, 1..4u32), 0..6);
    let labels = prop::collection::vec((0..1000usize, any::<bool>(), 1..4u32), 1..8);
    let logs = prop::collection::vec(-1.0..1.0f64, 12);
    (rows, pairs, labels, 0..KERNELS.len(), logs).prop_map(|(rows, pairs, labels, which, logs)| {
        let n = rows.len();
        let comparison = |(a, b, count): (usize, usize, u32)| {
            let (winner, step) = (a % n, 1 + b % (n - 1));
            Comparison { winner, loser: (winner + step) % n, count: count.into() }
        };
        let label =
            |(item, positive, count): (usize, bool, u32)| Answer::labelled(item % n, positive).times(count);
        let mut kernel = parse(KERNELS[which], &schema(2), false).unwrap();
        let values: Vec<f64> =
            kernel.parameters().iter().zip(logs.iter().cycle()).map(|(p, l)| p.value * l.exp()).collect();
        kernel.set_parameters(&values).unwrap();
        Made {
            points: Points::from_rows(&rows),
            comparisons: pairs.into_iter().map(comparison).collect(),
            labels: labels.into_iter().map(label).collect(),
            kernel,
            noise: (0.5 * logs[11]).exp(),
        }
    })
}

const KERNELS: [&str; 4] = ["se", "matern32", "linear + constant", "se[x0] * matern52[x1] + white"];

fn se(variance: f64, lengthscale: f64) -> Kernel {
    common::se(2, variance, lengthscale)
}

/// The integral of `f` from -12 to 12 by Simpson's rule: error below 1e-10 for the smooth integrands here, which have
/// died out at the ends.
fn integral(f: impl Fn(f64) -> f64) -> f64 {
    const STEPS: usize = 600;
    let h = 24.0 / STEPS as f64;
    let weight = |i: usize| match i {
        0 | STEPS => 1.0,
        i if i % 2 == 1 => 4.0,
        _ => 2.0,
    };
    (0..=STEPS).map(|i| weight(i) * f(-12.0 + h * i as f64)).sum::<f64>() * h / 3.0
}

/// The site reproduces the moments of `Phi(z / noise) N(z | m, v)`, found by quadrature.
#[test]
fn moments_of_a_label_equal_quadrature() {
    for noise in [0.3, 1.0, 2.0] {
        let likelihood = Probit::label(noise);
        assert_eq!(likelihood.s(), noise);
        for mean in [-4.0, -0.7, 0.0, 1.5] {
            for variance in [0.1, 1.0, 6.0_f64] {
                let sd = variance.sqrt();
                let density = |u: f64| normal::pdf(u) * normal::cdf((mean + sd * u) / noise);
                let z = integral(density);
                let first = integral(|u| density(u) * (mean + sd * u)) / z;
                let second = integral(|u| density(u) * (mean + sd * u - first).powi(2)) / z;
                let tilted = likelihood.tilt(mean, variance);
                let v = 1.0 / (1.0 / variance + tilted.tau);
                // Simpson's rule to 1e-12, and the tail at m = -4, noise 0.3 holds 1e-5 of the mass.
                close(tilted.log_z, z.ln(), 1e-9, "log normaliser");
                close(v * (mean / variance + tilted.nu), first, 1e-9, "mean");
                close(v, second, 1e-9, "variance");
                let shifted = |h: f64| Probit::label(noise * h.exp()).tilt(mean, variance).log_z;
                close(tilted.d[LOG_NOISE], difference(shifted), 1e-9, "derivative in the noise");
            }
        }
    }
}

/// One label: EP is exact, the evidence is one half, and the posterior is the skew normal's moments.
#[test]
fn one_label() {
    let made = Made::labelled(&[[0.0, 0.0]], &[true], se(2.5, 1.0));
    let posterior = made.posterior(Method::Ep);
    close(posterior.outcome().log_evidence, 0.5_f64.ln(), 1e-12, "evidence");
    let f = posterior.utilities(&made.points);
    let density = |u: f64| 2.0 * normal::pdf(u) * normal::cdf(2.5_f64.sqrt() * u);
    let mean = integral(|u| density(u) * 2.5_f64.sqrt() * u);
    close(f.mean[0], mean, 1e-9, "mean");
    close(f.variance[0], 2.5 - mean * mean, 1e-9, "variance");
    let p = posterior.label_probabilities(&made.points)[0];
    close(p, normal::cdf(f.mean[0] / (1.0 + f.variance[0]).sqrt()), 1e-15, "probability");
}

/// Independent items: EP is exact.
#[test]
fn independent_labels() {
    let kernel = parse("white", &schema(2), false).unwrap();
    let made = Made::labelled(&[[0.0, 0.0]; 4], &[true, false, true, true], kernel);
    close(made.posterior(Method::Ep).outcome().log_evidence, 4.0 * 0.5_f64.ln(), 1e-12, "evidence");
}

/// Two and three labels against the closed forms of orthant probabilities, and twenty against the exact evidence by
/// quasi-Monte Carlo (whose own error is below 1e-3). What remains is EP's own error, which is this small for a probit with a noise of 1.
#[test]
fn evidence_is_near_the_exact_one() {
    for (variance, lengthscale) in [(0.5, 1.0), (4.0, 1.5), (20.0, 0.7)] {
        let rows = [[0.0, 0.0], [1.0, 0.3], [-0.4, 0.8]];
        let kernel = se(variance, lengthscale);
        let k = kernel.matrix(&Points::from_rows(&rows));
        let angle = |i: usize, j: usize| (k[(i, j)] / (variance + 1.0)).asin() / std::f64::consts::TAU;
        let two = Made::labelled(&rows[..2], &[true, false], kernel.clone());
        let exact: f64 = 0.25 - angle(1, 0);
        close(two.exact_log_evidence(), exact.ln(), 3e-4, "two labels, quasi-Monte Carlo");
        close(two.log_evidence(Method::Ep, &kernel, 1.0), exact.ln(), 1e-2, "two labels");
        let three = Made::labelled(&rows, &[true, false, true], kernel.clone());
        let exact = 0.125 + 0.5 * (angle(2, 0) - angle(1, 0) - angle(2, 1));
        close(three.exact_log_evidence(), exact.ln(), 3e-4, "three labels, quasi-Monte Carlo");
        close(three.log_evidence(Method::Ep, &kernel, 1.0), exact.ln(), 2e-2, "three labels");
    }
    let (rows, positive) = moons(20);
    let made = Made::labelled(&rows, &positive, se(3.0, 1.0));
    let exact = made.exact_log_evidence();
    let found = made.log_evidence(Method::Ep, &made.kernel, 1.0);
    close(found, exact, 5e-3 * exact.abs(), "twenty labels");
}

/// Two labels by brute force: the exact posterior on a grid, its moments and the probability of a third item.
#[test]
fn two_labels_equal_a_grid_integral() {
    let made = Made::labelled(&[[0.0, 0.0], [0.8, 0.0]], &[true, false], se(2.0, 1.0));
    let new = Points::new(vec![7], 2, vec![-0.5, 0.2]);
    let (k, cross) = (made.kernel.matrix(&made.points), made.kernel.cross(&made.points, &new));
    let det = k[(0, 0)] * k[(1, 1)] - k[(1, 0)] * k[(1, 0)];
    let weights = [
        (k[(1, 1)] * cross[(0, 0)] - k[(1, 0)] * cross[(1, 0)]) / det,
        (k[(0, 0)] * cross[(1, 0)] - k[(1, 0)] * cross[(0, 0)]) / det,
    ];
    let rest = 2.0 - weights[0] * cross[(0, 0)] - weights[1] * cross[(1, 0)];
    let (l00, l10) = (k[(0, 0)].sqrt(), k[(1, 0)] / k[(0, 0)].sqrt());
    let l11 = (k[(1, 1)] - l10 * l10).sqrt();
    let average = |of: &dyn Fn(f64, f64) -> f64| {
        integral(|u| {
            integral(|w| {
                let (a, b) = (l00 * u, l10 * u + l11 * w);
                normal::pdf(u) * normal::pdf(w) * normal::cdf(a) * normal::cdf(-b) * of(a, b)
            })
        })
    };
    let z = average(&|_, _| 1.0);
    let expected = |of: &dyn Fn(f64, f64) -> f64| average(of) / z;
    let posterior = made.posterior(Method::Ep);
    let f = posterior.utilities(&made.points);
    // EP's own error on skewed posteriors of two labels.
    close(posterior.outcome().log_evidence, z.ln(), 1e-3, "evidence");
    close(f.mean[0], expected(&|a, _| a), 5e-3, "mean");
    close(f.mean[1], expected(&|_, b| b), 5e-3, "mean");
    let second = expected(&|a, _| a * a) - expected(&|a, _| a).powi(2);
    close(f.variance[0], second, 1e-2, "variance");
    let third = |a: f64, b: f64| normal::cdf((weights[0] * a + weights[1] * b) / (1.0 + rest).sqrt());
    close(posterior.label_probabilities(&new)[0], expected(&third), 2e-3, "probability");
}

/// Laplace for one label: the mode by bisection, and the evidence there.
#[test]
fn laplace_of_one_label_is_at_the_mode() {
    let variance = 3.0;
    let made = Made::labelled(&[[0.0, 0.0]], &[false], se(variance, 1.0));
    let ratio = |f: f64| normal::pdf(f) / normal::cdf(f);
    let (mut low, mut high) = (0.0, 10.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if variance * ratio(middle) > middle { low = middle } else { high = middle }
    }
    let curvature = ratio(low) * (low + ratio(low));
    let evidence =
        normal::log_cdf(low) - 0.5 * low * low / variance - 0.5 * (1.0 + variance * curvature).ln();
    let posterior = made.posterior(Method::Laplace);
    close(posterior.utilities(&made.points).mean[0], -low, 1e-10, "mode");
    close(posterior.outcome().log_evidence, evidence, 1e-10, "evidence");
}

/// An item known to have the utility 0 makes a comparison with it a label: two routes to one number. A linear kernel knows
/// that of the origin, and a duel has the noise of two looks.
#[test]
fn a_label_is_a_comparison_with_nought() {
    let kernel = parse("linear", &schema(2), false).unwrap();
    let (rows, positive) = moons(9);
    let labelled = Made::labelled(&rows, &positive, kernel.clone());
    let origin = rows.len();
    let against = |(item, &positive): (usize, &bool)| match positive {
        true => Comparison { winner: item, loser: origin, count: 1.0 },
        false => Comparison { winner: origin, loser: item, count: 1.0 },
    };
    let compared = Made {
        points: Points::from_rows(&[rows, vec![[0.0, 0.0]]].concat()),
        comparisons: positive.iter().enumerate().map(against).collect(),
        labels: Vec::new(),
        kernel,
        noise: std::f64::consts::FRAC_1_SQRT_2,
    };
    for method in [Method::Ep, Method::Laplace] {
        let [a, b] = [&labelled, &compared].map(|m| m.posterior(method));
        close(a.outcome().log_evidence, b.outcome().log_evidence, 1e-9, "evidence");
        close(a.outcome().d_log_noise(), b.outcome().d_log_noise(), 1e-8, "derivative in the noise");
        let [x, y] = [&a, &b].map(|p| p.utilities(&labelled.points));
        for (x, y) in x.mean.iter().chain(&x.variance).zip(y.mean.iter().chain(&y.variance)) {
            close(*x, *y, 1e-9, "utility");
        }
    }
}

/// Sequential sweeps alone end where the parallel ones do.
#[test]
fn sequential_sweeps_find_the_same_fixpoint() {
    let (rows, positive) = moons(15);
    let made = Made::labelled(&rows, &positive, se(30.0, 0.8));
    let sequential = Settings { sweeps: 0, sequential_sweeps: 400, ..EXACT };
    let [a, b] = [EXACT, sequential].map(|settings| made.posterior_by(Method::Ep, None, &settings));
    assert_eq!(b.outcome().status, Status::Converged);
    close(a.outcome().log_evidence, b.outcome().log_evidence, 1e-9, "evidence");
    let [x, y] = [&a, &b].map(|p| p.utilities(&made.points));
    for (x, y) in x.mean.iter().chain(&x.variance).zip(y.mean.iter().chain(&y.variance)) {
        close(*x, *y, 1e-8, "latent value");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The evidence's gradient with labels and comparisons in one fit.
    #[test]
    fn gradients_equal_differences(made in made(), laplace: bool, duels: bool) {
        let method = if laplace { Method::Laplace } else { Method::Ep };
        let space = if duels { Space::Pairs } else { Space::Items };
        let gradient = made.with(method, Some(space), |problem| {
            let evidence = problem.evaluate(&made.kernel, made.noise, None, &EXACT).unwrap();
            problem.gradient(&made.kernel, &evidence)
        });
        let start: Vec<f64> = made.kernel.parameters().iter().map(|p| p.value).collect();
        for (i, &g) in gradient.iter().enumerate() {
            let d = difference(|h| {
                let (mut kernel, mut noise, mut values) = (made.kernel.clone(), made.noise, start.clone());
                match values.get_mut(i) {
                    Some(value) => *value *= h.exp(),
                    None => noise *= h.exp(),
                }
                kernel.set_parameters(&values).unwrap();
                made.log_evidence(method, &kernel, noise)
            });
            // 1e-6 relative, and the rounding of the evidence over the step: 1e-13 * 10 / 1e-3.
            close(g, d, 1e-6 * d.abs() + 1e-8, &format!("{method:?} parameter {i}"));
        }
    }

    #[test]
    fn item_space_equals_duel_space(made in made(), laplace: bool) {
        let method = if laplace { Method::Laplace } else { Method::Ep };
        let [a, b] = [Space::Items, Space::Pairs].map(|space| made.posterior_by(method, Some(space), &EXACT));
        close(a.outcome().log_evidence, b.outcome().log_evidence, 1e-9, "evidence");
        let new = Points::new(vec![100, 101], 2, vec![0.3, -0.2, 1.5, 1.0]);
        for points in [&made.points, &new] {
            let [x, y] = [&a, &b].map(|p| p.utilities(points));
            for (x, y) in x.mean.iter().chain(&x.variance).zip(y.mean.iter().chain(&y.variance)) {
                close(*x, *y, 1e-9, "utility");
            }
        }
    }

    /// Swapping the classes turns the latent function over and changes nothing else.
    #[test]
    fn classes_are_symmetric(made in made(), laplace: bool) {
        let method = if laplace { Method::Laplace } else { Method::Ep };
        let made = Made { comparisons: Vec::new(), ..made };
        let other = made.labels.iter().map(|l| Answer { positive: !l.positive, ..*l }).collect();
        let swapped = Made { labels: other, ..made.clone() };
        let [a, b] = [&made, &swapped].map(|m| m.posterior(method));
        close(a.outcome().log_evidence, b.outcome().log_evidence, 1e-9, "evidence");
        let [p, q] = [&a, &b].map(|x| x.label_probabilities(&made.points));
        for (p, q) in p.iter().zip(&q) {
            close(p + q, 1.0, 1e-9, "probabilities");
        }
    }
}

/// Two crescents that reach into each other, with the classes alternating, on a fixed sequence.
fn moons(n: usize) -> (Vec<[f64; 2]>, Vec<bool>) {
    (0..n)
        .map(|i| {
            let positive = i % 2 == 0;
            let angle = std::f64::consts::PI * (i as f64 * 0.618_033_988_749_895).fract();
            let wobble = 0.2 * (i as f64 * 0.754_877_666).fract();
            let (sin, cos) = angle.sin_cos();
            if positive { ([cos, sin - wobble], true) } else { ([1.0 - cos, 0.5 - sin + wobble], false) }
        })
        .unzip()
}

/// Learned by evidence, a model of labels tells two crescents apart, and its evidence is above that of no structure at all.
#[test]
fn labels_teach_two_crescents() {
    let (rows, positive) = moons(60);
    // Items off the training set, on the same crescents.
    let (new, truth) = moons(101);
    let (new, truth) = (items("new", &new[60..]), &truth[60..]);
    let known = items("known", &rows);
    let answers: Vec<Answer> =
        positive.iter().enumerate().map(|(item, &positive)| Answer::labelled(item, positive)).collect();
    for method in [Method::Ep, Method::Laplace] {
        let settings = FitSettings { inference: method.into(), ..FitSettings::default() };
        let model = Model::fit_answers(&known, &answers, &[], &settings, &|_| ()).unwrap();
        let posterior = model.posterior().unwrap();
        assert_eq!(posterior.outcome().status, Status::Converged);
        assert!(posterior.outcome().log_evidence > 60.0 * 0.5_f64.ln() + 10.0);
        let p = posterior.label_probabilities(model.points());
        assert!(p.iter().zip(&positive).all(|(p, &positive)| (*p > 0.5) == positive));
        let p = posterior.label_probabilities(&model.encode(&new).unwrap());
        let right = p.iter().zip(truth).filter(|(p, t)| (**p > 0.5) == **t).count();
        assert!(right >= truth.len() - 1, "{right} of {}", truth.len());
    }
}

fn items(name: &str, rows: &[[f64; 2]]) -> Items {
    let values = |d: usize| ColumnValues::Numeric(rows.iter().map(|r| r[d]).collect());
    Items {
        keys: (0..rows.len()).map(|i| format!("{name} {i}")).collect(),
        columns: (0..2).map(|d| Column { name: format!("x{d}"), values: values(d) }).collect(),
    }
}

/// One label of one item, whose utility has the prior `N(0, v)` and the noise 1: the posterior mean of a positive one is
/// `v / sqrt(1 + v) * phi(0) / Phi(0)`.
#[test]
fn exact_inference_takes_labels() {
    let made = Made::labelled(&[[0.0, 0.0]], &[true], se(2.0, 1.0));
    let exact = made.with(Method::Ep, None, |problem| {
        ExactPosterior::new(problem, made.kernel.clone(), 1.0, &ExactSettings::default()).unwrap()
    });
    let expected = 2.0 / 3.0_f64.sqrt() * (2.0 / std::f64::consts::PI).sqrt();
    let (found, error) = (exact.utilities(&made.points), exact.utility_errors(&made.points));
    close(found.mean[0], expected, 4.0 * error.mean[0], "mean");
    // The variance is that of a skew normal distribution: v - mean^2.
    close(found.variance[0], 2.0 - expected * expected, 4.0 * error.variance[0], "variance");
}

/// A sampler of the noisy differences behind comparisons is refused for labels.
#[test]
fn a_sampler_of_comparisons_is_refused_for_labels() {
    let made = Made::labelled(&[[0.0, 0.0], [1.0, 0.0]], &[true, false], se(1.0, 1.0));
    let settings = ExactSettings { sampler: Sampler::Gibbs, ..ExactSettings::default() };
    let found = made.with(Method::Ep, None, |problem| {
        ExactPosterior::new(problem, made.kernel.clone(), 1.0, &settings).map(|_| ())
    });
    assert_eq!(found, Err(rather::Unsupported::NoisyDifferences.into()));
}

/// Central differences of a function of a log parameter, by Richardson's extrapolation (error of fourth order).
fn difference(f: impl Fn(f64) -> f64) -> f64 {
    let central = |h: f64| (f(h) - f(-h)) / (2.0 * h);
    (4.0 * central(1e-3) - central(2e-3)) / 3.0
}

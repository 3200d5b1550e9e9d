//! Acquisition functions: derivatives against differences, closed forms against quadrature and against an independent
//! reference, averages over draws against what they converge to.

use std::collections::HashSet;

use crate::common::{close, oracle, posterior_of, se};
use proptest::prelude::*;
use rather::acquisition::committee::Committee;
use rather::acquisition::pool::{Pairs, Scored};
use rather::acquisition::qeubo::{Qeubo, best_choice};
use rather::acquisition::regret::regret;
use rather::acquisition::{
    Acquisition, AcquisitionFunction, AnswerModel, Candidates, Component, Contrast, Goal, PairScore,
    PoolUtilities, Prepared, Request, Score, Setting, Utilities, scores, suggest,
};
use rather::acquisition::{bald, best, entropy, eubo, improvement, ivm, ucb, uncertain};
use rather::design::{self, Column, Opponent, Outcome, Policy, Prior, Trial, fit, never, next_in_domain};
use rather::inference::observations::Observations;
use rather::inference::{Factors, Settings};
use rather::points::Points;
use rather::posterior::{Joint, Posterior};
use rather::search::Domain;
use rather::{Comparison, Error};
use rather_numerics::linalg::{Matrix, transpose_product};
use rather_numerics::random::{normals, stream, uniform};
use rather_numerics::special::hermite::GaussHermite;
use rather_numerics::special::normal::cdf;

fn named(name: &str) -> Acquisition {
    name.parse().unwrap()
}

fn contrast(mean: f64, variance: f64) -> Contrast {
    Contrast { mean, variance, base: 0.3 }
}

/// The average of `g(z)` over a normal distribution, by the trapezoidal rule with steps of a 100th of the smaller of its
/// standard deviation and 1: nearly exact for smooth functions that vary over a unit.
fn average(contrast: &Contrast, g: impl Fn(f64) -> f64) -> f64 {
    let sd = contrast.variance.sqrt();
    let step = 0.01 * sd.min(1.0);
    let steps = (9.0 * sd / step) as i64;
    let term = |k: i64| {
        let z = k as f64 * step;
        (-0.5 * z * z / contrast.variance).exp() * g(contrast.mean + z)
    };
    (-steps..=steps).map(term).sum::<f64>() * step / (sd * std::f64::consts::TAU.sqrt())
}

#[test]
fn names_are_read_back() {
    let mut seen = HashSet::new();
    for acquisition in Acquisition::all() {
        let name = acquisition.to_string();
        assert_eq!(named(&name), acquisition);
        let json = serde_json::to_string(&acquisition).unwrap();
        assert_eq!(serde_json::from_str::<Acquisition>(&json).unwrap(), acquisition, "{json}");
        assert!(seen.insert(name), "{acquisition} twice");
    }
    assert_eq!(named(" UCB : 0.5 ").to_string(), "ucb:0.5");
    assert_eq!(named("committee").to_string(), "committee:10");
    assert_ne!(named("ucb:0.5"), named("ucb"));
}

#[test]
fn wrong_names_say_what_there_is() {
    let message = |text: &str| text.parse::<Acquisition>().unwrap_err().to_string();
    let unknown = message("bold");
    assert!(
        unknown.starts_with("there is no acquisition function called \"bold\"; there are bald, "),
        "{unknown}"
    );
    assert!(Acquisition::all().all(|a| unknown.contains(&a.to_string())), "{unknown}");
    let cases = [
        ("ucb:x", "in \"ucb:x\", expected after the colon: a number from 0"),
        ("ucb:-1", "in \"ucb:-1\", expected after the colon: a number from 0"),
        ("ucb:inf", "in \"ucb:inf\", expected after the colon: a number from 0"),
        ("committee:1", "in \"committee:1\", expected after the colon: a whole number from 2 to 100000"),
        ("qeubo:1", "in \"qeubo:1\", expected after the colon: a whole number from 2 to 16"),
        ("bald:3", "in \"bald:3\", expected after the colon: nothing: bald has no setting"),
    ];
    for (text, expected) in cases {
        assert_eq!(message(text), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn derivatives_equal_differences(
        mean in -4.0..4.0f64, variance in 0.05..20.0f64, base in -2.0..2.0f64, s in 0.3..3.0f64,
    ) {
        Acquisition::all().for_each(|acquisition| derivatives_are_right(acquisition, [mean, variance, base], s));
    }

    /// The closed form of BALD is within 0.003 bits of the integral, and the quadrature is the integral.
    #[test]
    fn bald_is_the_mutual_information(mean in -4.0..4.0f64, log_variance in -4.6..3.0f64, s in 0.5..2.0f64) {
        let c = contrast(mean * s, log_variance.exp() * s * s);
        let noise = average(&c, |z| entropy::of_answer(z / s));
        let exact = entropy::score(&c, s).value - noise;
        close(bald::quadrature(&c, s).value, exact, 1e-8, "quadrature");
        close(bald::score(&c, s).value, exact, 0.003, "closed form");
        prop_assert!(bald::quadrature(&c, s).value >= -1e-9);
    }

    #[test]
    fn bald_s_quadrature_has_enough_points(mean in -30.0..30.0f64, log_variance in -20.0..12.0f64) {
        let c = contrast(mean, log_variance.exp());
        let [few, many] = [24, 64].map(|n| bald::noise(&c, 1.0, &GaussHermite::new(n)));
        close(few.value, many.value, 1e-8, "value");
        close(few.d_mean, many.d_mean, 1e-7, "slope in the mean");
        close(few.d_variance, many.d_variance, 1e-7, "slope in the variance");
    }

    /// With one member fixed, the expected utility of the best option is expected improvement and a constant.
    #[test]
    fn eubo_is_improvement_on_a_base(mean in -5.0..5.0f64, variance in 0.0..9.0f64, base in -3.0..3.0f64) {
        let c = Contrast { mean, variance, base };
        let (both, gain) = (eubo::score(&c), improvement::score(&c));
        close(both.value - base, gain.value, 1e-12, "value");
        prop_assert_eq!((both.d_mean, both.d_variance), (gain.d_mean, gain.d_variance));
        if variance > 0.01 {
            // The kink costs the trapezoidal rule its accuracy.
            close(gain.value, average(&c, |z| z.max(0.0)), 1e-4, "an average");
        }
    }

    /// What matched moments say of both answers, done by hand.
    #[test]
    fn ivm_is_the_fall_of_entropy(mean in -3.0..3.0f64, variance in 0.01..10.0f64, s in 0.5..2.0f64) {
        let c = contrast(mean, variance);
        let expected: f64 = [1.0, -1.0]
            .iter()
            .map(|sign| {
                let p = average(&c, |z| cdf(sign * z / s));
                let centre = average(&c, |z| z * cdf(sign * z / s)) / p;
                let left = average(&c, |z| (z - centre).powi(2) * cdf(sign * z / s)) / p;
                let fall = -0.5 * (left / variance).log2();
                close(ivm::after(&c, s, *sign > 0.0).value, fall, 1e-7, "one answer");
                p * fall
            })
            .sum();
        close(ivm::score(&c, s).value, expected, 1e-7, "both answers");
    }

    #[test]
    fn the_variance_of_the_probability_is_an_average(mean in -4.0..4.0f64, variance in 0.01..20.0f64, s in 0.5..2.0f64) {
        let c = contrast(mean, variance);
        let p = average(&c, |z| cdf(z / s));
        close(uncertain::score(&c, s).value, average(&c, |z| cdf(z / s).powi(2)) - p * p, 1e-9, "variance");
    }

    /// However far out: finite, and no information in a difference that is known.
    #[test]
    fn values_are_finite(mean in -1e6..1e6f64, log_variance in -40.0..30.0f64) {
        for acquisition in Acquisition::all() {
            for variance in [0.0, log_variance.exp()] {
                if let Some(s) = acquisition.score(&contrast(mean, variance), &AnswerModel::probit(1.0)) {
                    prop_assert!(
                        [s.value, s.d_mean, s.d_variance, s.d_base].iter().all(|x| x.is_finite()),
                        "{acquisition} at {mean}, {variance}: {s:?}"
                    );
                }
            }
        }
        for f in [bald::quadrature, ivm::score, uncertain::score] {
            close(f(&contrast(mean, 0.0), 1.0).value, 0.0, 1e-9, "nothing to learn");
        }
    }
}

/// A joint posterior over `n` items of no particular form.
fn joint(n: usize, seed: u64) -> Joint {
    let mut rng = stream(seed, 0);
    let a = Matrix::from_fn(n, n, |_, _| normals(1, &mut rng)[0] / (n as f64).sqrt());
    Joint {
        mean: normals(n, &mut rng).iter().map(|m| 0.7 * m).collect(),
        covariance: transpose_product(&a, &a),
    }
}

/// A pool of which a joint posterior is all that is known.
struct Known(Joint);

impl Utilities for Known {
    fn items(&self) -> usize {
        self.0.len()
    }

    fn components(
        &self,
        items: &[usize],
        _acquisition: &Acquisition,
        _seed: u64,
    ) -> Result<Vec<Component<'_>>, Error> {
        let covariance =
            Matrix::from_fn(items.len(), items.len(), |i, j| self.0.covariance[(items[i], items[j])]);
        let mean = items.iter().map(|&i| self.0.mean[i]).collect();
        Ok(alone(&Joint { mean, covariance }))
    }
}

/// A joint posterior, plain choices, a noise of 1.
fn alone(joint: &Joint) -> Vec<Component<'static>> {
    vec![Component::new(joint.clone(), AnswerModel::probit(1.0))]
}

/// What every acquisition function must be, in the table or not: said of itself, symmetric where it says so, differentiated rightly, and able to
/// choose.
fn check_acquisition(acquisition: Acquisition) {
    assert!(!acquisition.title().is_empty() && !acquisition.meaning().is_empty(), "{acquisition}");
    assert!(!acquisition.meaning().ends_with('.'), "{acquisition}: the end of a sentence, without its stop");
    let name = acquisition.name();
    assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{name}");
    let pool = Known(joint(6, 3));
    let components = alone(&pool.0);
    let prepared = Prepared::new(acquisition, &components, 1).unwrap();
    let again = Prepared::new(acquisition, &components, 1).unwrap();
    for (i, j) in (0..6).flat_map(|i| (0..6).map(move |j| (i, j))).filter(|(i, j)| i != j) {
        let value = prepared.challenge(i, j);
        assert!(value.is_finite(), "{acquisition} at {i}, {j}: {value}");
        assert_eq!(value, again.challenge(i, j), "{acquisition} depends on more than its seed");
        if acquisition.is_symmetric() {
            close(value, prepared.challenge(j, i), 1e-9, name);
        }
    }
    let pairs = if acquisition.needs_opponent() { Pairs::Against(2) } else { Pairs::All };
    let found = suggest(&pool, &Request::new(acquisition, pairs, 4, 1)).unwrap();
    let distinct: HashSet<_> =
        found.iter().map(|s| (s.challenger.min(s.opponent), s.challenger.max(s.opponent))).collect();
    assert_eq!((found.len(), distinct.len()), (4, 4), "{acquisition}");
    let best = (0..6).flat_map(|i| (0..6).map(move |j| (i, j))).filter(|&(i, j)| match pairs {
        Pairs::Against(opponent) => i != j && j == opponent,
        _ => i != j,
    });
    let largest = best.map(|(i, j)| prepared.challenge(i, j)).fold(f64::MIN, f64::max);
    close(found[0].score, largest, 1e-9, name);
    derivatives_are_right(acquisition, [0.7, 1.3, -0.4], 0.8);
    derivatives_are_right(acquisition, [-2.0, 0.3, 0.9], 1.7);
}

/// Differences of fourth order with a step of a thousandth: error 1e-12 of the fifth derivative, rounding 1e-13.
fn derivatives_are_right(acquisition: Acquisition, here: [f64; 3], s: f64) {
    let at = |x: [f64; 3]| {
        acquisition.score(&Contrast { mean: x[0], variance: x[1], base: x[2] }, &AnswerModel::probit(s))
    };
    let Some(score) = at(here) else { return };
    for (k, analytic) in [score.d_mean, score.d_variance, score.d_base].into_iter().enumerate() {
        let step = 1e-3 * if k == 1 { here[1].min(1.0) } else { s.min(1.0) };
        let moved = |n: f64| {
            let mut x = here;
            x[k] += n * step;
            at(x).unwrap().value
        };
        let numeric = (8.0 * (moved(1.0) - moved(-1.0)) - (moved(2.0) - moved(-2.0))) / (12.0 * step);
        close(analytic, numeric, 1e-7 * (1.0 + numeric.abs()), &format!("{acquisition}, derivative {k}"));
    }
}

#[test]
fn every_acquisition_function_conforms() {
    Acquisition::all().for_each(check_acquisition);
}

/// The standard deviation of the difference: a function that only this test knows.
#[derive(Debug)]
struct StandardDeviation;

impl AcquisitionFunction for StandardDeviation {
    fn name(&self) -> &'static str {
        "deviation"
    }

    fn title(&self) -> &'static str {
        "least known difference"
    }

    fn meaning(&self) -> &'static str {
        "standard deviation of the difference of utilities"
    }

    fn goal(&self) -> Goal {
        Goal::Utilities
    }

    fn score(&self, contrast: &Contrast, _answers: &AnswerModel, _setting: f64) -> Option<Score> {
        let sd = contrast.variance.sqrt();
        let d_variance = if sd > 0.0 { 0.5 / sd } else { 0.0 };
        Some(Score { value: sd, d_variance, ..Score::default() })
    }
}

/// The same by two draws: without a closed form, with a setting.
#[derive(Debug)]
struct Drawn;

impl AcquisitionFunction for Drawn {
    fn name(&self) -> &'static str {
        "drawn"
    }

    fn title(&self) -> &'static str {
        "farthest apart in a draw"
    }

    fn meaning(&self) -> &'static str {
        "distance of two drawn utilities"
    }

    fn goal(&self) -> Goal {
        Goal::Utilities
    }

    fn setting(&self) -> Setting {
        Setting::Number { default: 1.0 }
    }

    fn prepare<'a>(&'a self, candidates: &Candidates<'a>) -> Result<PairScore<'a>, Error> {
        let power = candidates.setting;
        let drawn = candidates.sampler()?.draw(&mut stream(candidates.seed, 0));
        Ok(Box::new(move |i, j| (drawn[i] - drawn[j]).abs().powf(power)))
    }
}

/// What the table does not hold is as good as what it holds: in a pool, in a study's policy, over a box.
#[test]
fn one_s_own_acquisition_function_conforms() {
    for own in [Acquisition::new(&StandardDeviation), Acquisition::new(&Drawn)] {
        check_acquisition(own);
        assert!(own.to_string().parse::<Acquisition>().is_err(), "it has no name in the table");
        let domain = Domain::unit_box(1);
        let settings = vec![vec![0.1], vec![0.6]];
        let duels = [Trial::pair(0, 1, Some(Outcome::Left))];
        let (points, columns) = (domain.points(&settings), Column::of_domain(&domain));
        let posterior = fit(&points, &columns, &duels, &Prior::default()).unwrap();
        for opponent in [Opponent::Any, Opponent::Winner] {
            let policy = Policy { acquisition: own, opponent, ..Policy::default() };
            let request = design::Request {
                posterior: &posterior,
                trials: &duels,
                policy: &policy,
                seed: 0,
                stop: &never,
            };
            let next = next_in_domain(&request, &domain, &settings).unwrap();
            assert!(next.score.is_some_and(f64::is_finite), "{own}: {next:?}");
        }
    }
}

#[test]
fn draws_have_the_joint_s_moments() {
    let joint = joint(4, 1);
    let sampler = joint.sampler().unwrap();
    let mut rng = stream(0, 0);
    let draws: Vec<Vec<f64>> = (0..20_000).map(|_| sampler.draw(&mut rng)).collect();
    for i in 0..4 {
        for j in 0..4 {
            let products = draws.iter().map(|d| (d[i] - joint.mean[i]) * (d[j] - joint.mean[j]));
            // Five standard errors of a product of two normal numbers of variance about 1.
            close(products.sum::<f64>() / 20_000.0, joint.covariance[(i, j)], 0.08, "covariance");
        }
    }
}

#[test]
fn probabilities_of_being_best_add_to_one_and_regret_is_not_negative() {
    let joint = joint(7, 2);
    let sampler = joint.sampler().unwrap();
    let p = best::probabilities(&sampler, 2_000, &mut stream(0, 0));
    assert_eq!(p.len(), 7);
    close(p.iter().sum(), 1.0, 1e-12, "sum");
    let regrets: Vec<_> = (0..7).map(|i| regret(&sampler, i, 0.0, 2_000, &mut stream(0, 0))).collect();
    for (i, r) in regrets.iter().enumerate() {
        assert!(r.expected >= 0.0);
        // The same draws: within a margin of nothing is being the best.
        close(r.within, p[i], 1e-12, "probability");
        let wide = regret(&sampler, i, 1e9, 100, &mut stream(0, 0));
        close(wide.within, 1.0, 1e-12, "any margin");
    }
    let least = (0..7).min_by(|&a, &b| regrets[a].expected.total_cmp(&regrets[b].expected)).unwrap();
    let most = (0..7).max_by(|&a, &b| joint.mean[a].total_cmp(&joint.mean[b])).unwrap();
    assert_eq!(least, most);
}

#[test]
fn a_large_committee_has_the_entropy_of_the_noiseless_answer() {
    let joint = joint(12, 3);
    let committee = Committee::new(&joint.sampler().unwrap(), 20_000, &mut stream(0, 0));
    let mut ranked: Vec<(f64, f64)> = Vec::new();
    for i in 0..12 {
        for j in 0..i {
            let (mean, variance) = joint.difference(i, j);
            let exact = entropy::of_answer(mean / variance.sqrt());
            // Five standard errors of a share of 20,000, and a slope of the entropy of up to 4.
            close(committee.disagreement(i, j), exact, 0.03, "entropy of votes");
            ranked.push((exact, committee.disagreement(i, j)));
        }
    }
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(ranked.windows(2).all(|w| w[0].1 < w[1].1 + 0.03));
}

#[test]
fn a_choice_between_two_is_eubo() {
    let joint = joint(6, 4);
    let qeubo = Qeubo::new(2, 0);
    for i in 0..6 {
        for j in 0..i {
            let (mean, variance) = joint.difference(i, j);
            let exact = eubo::score(&Contrast { mean, variance, base: joint.mean[j] }).value;
            close(qeubo.value(&joint, &[i, j]), exact, 0.01, "512 quasi-random points");
        }
    }
}

/// The exchange finds the best of all choices of three out of eight.
#[test]
fn the_best_choice_is_the_best() {
    for seed in 0..5 {
        let joint = joint(8, 10 + seed);
        let qeubo = Qeubo::new(3, 0);
        let found = best_choice(&joint, 3, 0);
        let mut values = Vec::new();
        for a in 0..8 {
            for b in 0..a {
                values.extend((0..b).map(|c| qeubo.value(&joint, &[c, b, a])));
            }
        }
        let most = values.iter().copied().fold(f64::MIN, f64::max);
        close(qeubo.value(&joint, &found), most, 1e-9, "choice of three");
    }
    assert_eq!(best_choice(&joint(3, 0), 5, 0), [0, 1, 2]);
}

#[test]
fn a_batch_is_not_one_comparison_many_times() {
    // Items 0 and 1 are nearly the same, so are 2 and 3, and 4 stands alone.
    let features = [[1.0, 0.0, 0.0], [1.0, 0.01, 0.0], [0.0, 1.0, 0.0], [0.01, 1.0, 0.0], [0.0, 0.0, 0.9]];
    let inner = |a: &[f64; 3], b: &[f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let covariance = Matrix::from_fn(5, 5, |i, j| inner(&features[i], &features[j]));
    let joint = Joint { mean: vec![0.0; 5], covariance };
    let pool = Known(joint);
    let choose = |n| suggest(&pool, &Request::new(named("bald"), Pairs::All, n, 0));
    let group = |i: usize| i / 2;
    let two = choose(2).unwrap();
    let groups: Vec<(usize, usize)> = two.iter().map(|s| (group(s.challenger), group(s.opponent))).collect();
    assert_ne!(groups[0], groups[1], "the second comparison asks what the first has not: {two:?}");
    let all = choose(100).unwrap();
    let distinct: HashSet<_> = all.iter().map(|s| (s.challenger, s.opponent)).collect();
    assert_eq!((all.len(), distinct.len()), (10, 10));
    for acquisition in Acquisition::all() {
        let batch = suggest(&pool, &Request::new(acquisition, Pairs::Against(4), 3, 0)).unwrap();
        let distinct: HashSet<_> = batch.iter().map(|s| s.challenger).collect();
        assert_eq!(distinct.len(), 3, "{acquisition}");
    }
}

/// A batch is what one after the other are, each with the whole covariance narrowed by those before it: by functions of a pair, of an item of it, and of all.
#[test]
fn a_batch_narrows_pairs_as_it_narrows_the_covariance() {
    let probit_moments = rather_numerics::special::probit::probit_moments;
    for (name, pairs) in [
        ("bald", Pairs::All),
        ("eubo", Pairs::All),
        ("absolute-ucb:2", Pairs::Against(2)),
        ("order", Pairs::All),
    ] {
        let acquisition = named(name);
        let mut joint = joint(12, 3);
        let batch = suggest(&Known(joint.clone()), &Request::new(acquisition, pairs, 5, 0)).unwrap();
        assert_eq!(batch.len(), 5, "{name}");
        for next in batch {
            let components = alone(&joint);
            let prepared = Prepared::new(acquisition, &components, 0).unwrap();
            let score = prepared.challenge(next.challenger, next.opponent);
            close(next.score, score, 1e-12 * score.abs().max(1.0), name);
            let (mean, variance) = joint.difference(next.challenger, next.opponent);
            let scale = (1.0 + variance).sqrt();
            let [right, left] =
                [1.0, -1.0].map(|sign| probit_moments(sign * mean / scale).w * cdf(sign * mean / scale));
            joint.shrink(next.challenger, next.opponent, (right + left) / (scale * scale));
        }
    }
}

/// On average over its answer a comparison changes covariances as a batch takes it to.
#[test]
fn a_batch_expects_what_answers_do_on_average() {
    let points = Points::from_rows(&[[0.0], [0.3], [0.9]]);
    let posterior = |comparisons: &[Comparison]| posterior(&points, comparisons);
    let rather = |winner, loser| Comparison { winner, loser, count: 1.0 };
    let before = posterior(&[rather(0, 1)]);
    let p = before.probabilities(&points, &[(0, 2)])[0];
    // From one answer to the next EP's first site moves a little: the match is near, not exact.
    let after = [posterior(&[rather(0, 1), rather(0, 2)]), posterior(&[rather(0, 1), rather(2, 0)])];
    let mut joint = before.joint(&points);
    let (mean, variance) = joint.difference(0, 2);
    let u = mean / (1.0 + variance).sqrt();
    let (right, left) = (
        rather_numerics::special::probit::probit_moments(u),
        rather_numerics::special::probit::probit_moments(-u),
    );
    joint.shrink(0, 2, (cdf(u) * right.w + cdf(-u) * left.w) / (1.0 + variance));
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let pair = [(i, j)];
        let [a, b] = [0, 1].map(|k| after[k].differences(&points, &pair).variance[0]);
        close(joint.difference(i, j).1, p * a + (1.0 - p) * b, 0.02 * variance, "expected variance");
    }
}

/// The same pool with the covariance of all its items, whichever pairs are looked at.
struct Whole<'a>(PoolUtilities<'a>);

impl Utilities for Whole<'_> {
    fn items(&self) -> usize {
        self.0.items()
    }

    fn components(
        &self,
        items: &[usize],
        acquisition: &Acquisition,
        seed: u64,
    ) -> Result<Vec<Component<'_>>, Error> {
        self.0.components(items, acquisition, seed)
    }
}

/// Of the items some were never compared, so that the features of the others leave something of them. Values are apart by what no answer tells,
/// 1e-5 of the noise's variance.
#[test]
fn a_few_pairs_are_scored_as_with_all_covariances() {
    let mut rng = stream(7, 0);
    let mut any = |n: usize| (uniform(&mut rng) * n as f64) as usize;
    let (known, all) = (150, 200);
    let domain = Domain::unit_box(2);
    let settings = domain.fill(all, 5);
    let points = domain.points(&settings);
    let comparisons: Vec<Comparison> = (0..300)
        .map(|_| {
            let one = any(known);
            let other = (one + 1 + any(known - 1)) % known;
            let (winner, loser) =
                if settings[one][0] > settings[other][0] { (one, other) } else { (other, one) };
            Comparison { winner, loser, count: 1.0 }
        })
        .collect();
    let compared = points.select(&(0..known).collect::<Vec<_>>());
    let observations = Observations::new(&comparisons);
    let posterior = posterior_of(&compared, &observations, se(2, 4.0, 0.6), 0.7, &Settings::default());
    let pool = PoolUtilities::new(&posterior, &points);
    let pairs: Vec<(usize, usize)> = (0..400)
        .map(|_| {
            let one = any(all);
            (one, (one + 1 + any(all - 1)) % all)
        })
        .collect();
    for name in ["bald", "bald-quadrature", "entropy", "eubo", "ivm"] {
        let (few, whole) = (
            scores(&pool, named(name), &pairs, 0).unwrap(),
            scores(&Whole(pool.clone()), named(name), &pairs, 0).unwrap(),
        );
        assert!(few != whole, "{name}: both were found in the same way");
        few.iter().zip(&whole).for_each(|(a, b)| close(*a, *b, 2e-5, name));
        let request = Request::new(named(name), Pairs::Given(&pairs), 5, 0);
        let [few, whole] =
            [&pool as &dyn Utilities, &Whole(pool.clone())].map(|of| suggest(of, &request).unwrap());
        // Of a pair that is there in both orders, with the same score but for rounding, either may come first.
        let pair = |of: &Scored| (of.challenger.min(of.opponent), of.challenger.max(of.opponent));
        for (a, b) in few.iter().zip(&whole) {
            assert_eq!(pair(a), pair(b), "{name}");
            close(a.score, b.score, 2e-5, name);
        }
    }
}

fn posterior(points: &Points, comparisons: &[Comparison]) -> Posterior {
    posterior_by(points, comparisons, &Settings::default())
}

fn posterior_by(points: &Points, comparisons: &[Comparison], settings: &Settings) -> Posterior {
    let observations = Observations::new(comparisons);
    posterior_of(points, &observations, se(1, 4.0, 0.3), std::f64::consts::FRAC_1_SQRT_2, settings)
}

/// The average over hallucinated draws is the exact posterior.
#[test]
fn draws_to_believe_in_average_to_the_exact_posterior() {
    let points = Points::from_rows(&[[0.0], [0.25], [0.5], [0.75], [1.0]]);
    let rather = |winner, loser| Comparison { winner, loser, count: 1.0 };
    let comparisons = [rather(2, 0), rather(2, 4), rather(3, 2), rather(3, 1), rather(3, 4), rather(1, 0)];
    let approximate = posterior(&points, &comparisons);
    let draws = 600;
    let (mut mean, mut second) = (0.0, 0.0);
    for seed in 0..draws {
        let z = approximate.given_a_draw(seed).unwrap().differences(&points, &[(3, 0)]);
        mean += z.mean[0] / draws as f64;
        second += (z.mean[0].powi(2) + z.variance[0]) / draws as f64;
    }
    let z = approximate.differences(&points, &[(3, 0)]);
    let sd = z.variance[0].sqrt();
    // EP is within some hundredths of a standard deviation here; 600 draws within 0.2.
    close(mean, z.mean[0], 0.25 * sd, "mean");
    close((second - mean * mean).sqrt() / sd, 1.0, 0.15, "standard deviation");
}

/// The scores of section VI's example, by an independent reference.
#[test]
fn scores_equal_the_reference() {
    let json = oracle("factor-graph-golden");
    let (inputs, design) = (&json["preference"]["inputs"], &json["preference"]["design_from_ep"]);
    let items: Vec<[f64; 1]> =
        inputs["items"].as_array().unwrap().iter().map(|x| [x.as_f64().unwrap()]).collect();
    let points = Points::from_rows(&items);
    let comparisons: Vec<Comparison> = inputs["duels_first_second_y"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| {
            let [a, b] = [0, 1].map(|k| d[k].as_u64().unwrap() as usize);
            let (winner, loser) = if d[2].as_i64() == Some(1) { (a, b) } else { (b, a) };
            Comparison { winner, loser, count: 1.0 }
        })
        .collect();
    // The reference has a site an answer, and a pair that is asked twice.
    let settings = Settings { factors: Factors::Answer, ..Settings::default() };
    let posterior = posterior_by(&points, &comparisons, &settings);
    let incumbent = design["incumbent"].as_u64().unwrap() as usize;
    let joint = posterior.joint(&points);
    // The reference adds a jitter of about 1e-9 to the covariance.
    let check = |name: &str, score: &dyn Fn(usize) -> f64| {
        for i in (0..5).filter(|&i| i != incumbent) {
            close(score(i), design[name][i].as_f64().unwrap(), 1e-7, name);
        }
    };
    let components = [Component::new(joint.clone(), posterior.answer_model())];
    let prepared = |name: &str| Prepared::new(named(name), &components, 0).unwrap();
    check("contrast_mean", &|i| joint.difference(i, incumbent).0);
    check("contrast_sd", &|i| joint.difference(i, incumbent).1.sqrt());
    check("ei", &|i| prepared("improvement").challenge(i, incumbent));
    check("bald_bits", &|i| prepared("bald").challenge(i, incumbent));
    check("ucb_contrast_kappa2", &|i| prepared("ucb:2").challenge(i, incumbent));
    check("eq31_alpha1", &|i| prepared("absolute-ucb:1").challenge(i, incumbent));
    let eubo = prepared("eubo");
    for (i, row) in design["eubo_matrix"].as_array().unwrap().iter().enumerate() {
        for j in (0..5).filter(|&j| j != i) {
            close(eubo.pair(i, j).score, row[j].as_f64().unwrap(), 1e-7, "eubo");
        }
    }
    let contrasts = posterior.contrasts(&points.select(&[incumbent]));
    let moments = contrasts.moments(&points);
    for i in 0..5 {
        let c = Contrast { mean: moments.mean[i], variance: moments.variance[i], base: contrasts.base() };
        close(
            ucb::score(&c, 2.0).value,
            design["ucb_contrast_kappa2"][i].as_f64().unwrap(),
            1e-4,
            "at the incumbent",
        );
    }
}

#[test]
fn a_covariance_that_is_none_is_an_error() {
    let joint = Joint { mean: vec![0.0; 2], covariance: Matrix::from_fn(2, 2, |_, _| f64::NAN) };
    assert_eq!(joint.sampler().unwrap_err(), Error::Covariance);
}

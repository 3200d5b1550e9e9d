//! Answers with lapses and values with outliers: their likelihoods are not log-concave, and no fit may fail in silence.

use crate::common::Chance;
use rather::answers::{Answer, Answers};
use rather::evidence::{Evidence, Problem};
use rather::features::{Column, ColumnValues};
use rather::inference::observations::Observations;
use rather::inference::{Method, Settings, Status, correction};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::{Lapses, Link, ResponseModel};
use rather::model::{Ep, FitSettings, Inference, Items, Model, Notice};
use rather::representation::Representation;

/// What may be said of two items.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Words {
    Choices,
    Ties,
    Grades,
}

/// Items of one feature, and what a person says of pairs of them who errs now and then.
fn world(
    chance: &mut Chance,
    items: usize,
    answers: usize,
    noises: bool,
    words: Words,
) -> (Items, Vec<Answer>) {
    let x: Vec<f64> = (0..items).map(|_| 3.0 * chance.uniform()).collect();
    let utility: Vec<f64> = x.iter().map(|x| 1.5 * (2.0 * x).sin() + 0.3 * chance.normal()).collect();
    let mut said = Vec::new();
    while said.len() < answers {
        let (i, j) = (chance.below(items), chance.below(items));
        if i == j {
            continue;
        }
        let noise = if noises { [0.2, 0.5, 1.0, 2.0, 3.0][chance.below(5)] } else { 1.0 };
        let lapses = chance.uniform() < 0.08;
        let e =
            if lapses { 5.0 * chance.normal() } else { std::f64::consts::SQRT_2 * noise * chance.normal() };
        let z = utility[i] - utility[j] + e;
        let (better, worse) = if z > 0.0 { (i, j) } else { (j, i) };
        let one = match words {
            Words::Choices => Answer::rather(better, worse),
            _ if z.abs() < 0.5 => Answer::tie(better, worse),
            Words::Ties => Answer::better(better, worse, 1),
            Words::Grades => Answer::better(better, worse, if z.abs() > 2.0 { 2 } else { 1 }),
        };
        said.push(one.with_noise(noise));
    }
    (table(&x), said)
}

fn table(x: &[f64]) -> Items {
    let column = Column { name: "x".into(), values: ColumnValues::Numeric(x.to_vec()) };
    Items { keys: (0..x.len()).map(|i| format!("i{i}")).collect(), columns: vec![column] }
}

/// Values with a share of outliers.
fn values(chance: &mut Chance, items: usize, count: usize, outliers: f64) -> (Items, Vec<Answer>) {
    let x: Vec<f64> = (0..items).map(|_| 3.0 * chance.uniform()).collect();
    let said = (0..count).map(|_| {
        let i = chance.below(items);
        let error = if chance.uniform() < outliers { 8.0 * chance.normal() } else { 0.2 * chance.normal() };
        Answer::measured(i, 1.5 * (2.0 * x[i]).sin() + error)
    });
    let said = said.collect();
    (table(&x), said)
}

fn flags() -> [ResponseModel; 3] {
    let plain = ResponseModel::default();
    [
        ResponseModel { lapses: Lapses::Learned, ..plain },
        ResponseModel { lapses: Lapses::Rate(0.05), ..plain },
        ResponseModel { lapses: Lapses::Rate(0.1), link: Link::Logistic, ..plain },
    ]
}

fn settings(response_model: ResponseModel) -> FitSettings {
    FitSettings { response_model, ..FitSettings::default() }
}

/// How the fits of one setting ended.
#[derive(Debug, Default)]
struct Ends {
    fits: usize,
    /// Nothing to be trusted came of it, and the report says so.
    failed: usize,
    fell_back: usize,
}

impl Ends {
    /// Adds a fit, of which nothing untrue may be said.
    fn add(&mut self, made: Result<Model, rather::Error>, counted: bool) {
        self.fits += 1;
        let Ok(model) = made else {
            self.failed += 1;
            return;
        };
        let report = model.report();
        if !report.trustworthy {
            assert_eq!(report.status, Status::Limit);
            assert!(report.notices.iter().any(|n| matches!(n, Notice::NotConverged { .. })));
            self.failed += 1;
            return;
        }
        assert!(report.residual <= 1e-3 && report.log_evidence.is_finite(), "{report:?}");
        assert!(
            !counted || report.log_evidence <= 1e-6,
            "{} of answers that are counted",
            report.log_evidence
        );
        self.fell_back += usize::from(report.notices.contains(&Notice::FellBack));
    }
}

/// Fits `draws` worlds of every setting; prints how they ended, and returns the sum.
fn all_settings(draws: u64, sizes: &[(usize, usize)]) -> Ends {
    let mut all = Ends::default();
    for &(items, answers) in sizes {
        for words in [Words::Choices, Words::Ties, Words::Grades] {
            for noises in [false, true] {
                for (which, response_model) in flags().into_iter().enumerate() {
                    let mut ends = Ends::default();
                    for draw in 0..draws {
                        let mut chance = Chance(1 + draw);
                        let (items, said) = world(&mut chance, items, answers, noises, words);
                        ends.add(
                            Model::fit_answers(&items, &said, &[], &settings(response_model), &|_| ()),
                            true,
                        );
                    }
                    println!("{items} items, {words:?}, noises {noises}, flag {which}: {ends:?}");
                    all.fits += ends.fits;
                    all.failed += ends.failed;
                    all.fell_back += ends.fell_back;
                }
            }
        }
    }
    all
}

/// A few draws of each setting of the table; all of them are in [`no_fit_fails_in_silence_at_length`].
#[test]
fn no_fit_fails_in_silence() {
    let ends = all_settings(1, &[(5, 10), (10, 40)]);
    assert_eq!((ends.failed, ends.fell_back), (0, 0), "{ends:?}");
}

/// All settings of the table of findings, 32 draws each.
#[test]
#[ignore = "some ten minutes: run it by name after changes to inference; one draw of each setting always runs"]
fn no_fit_fails_in_silence_at_length() {
    let small = all_settings(32, &[(5, 10), (10, 40)]);
    let large = all_settings(4, &[(30, 200)]);
    println!("{small:?} {large:?}");
    assert!(100 * small.failed <= small.fits && 100 * large.failed <= large.fits);
}

fn outliers(draws: u64) -> Ends {
    let mut all = Ends::default();
    for (items, count, share) in [(10, 15, 0.1), (20, 60, 0.2)] {
        let mut ends = Ends::default();
        for draw in 0..draws {
            let (items, said) = values(&mut Chance(100 + draw), items, count, share);
            let response_model = ResponseModel { robust: true, ..ResponseModel::default() };
            ends.add(Model::fit_answers(&items, &said, &[], &settings(response_model), &|_| ()), false);
        }
        println!("{items} items with {count} values: {ends:?}");
        all.fits += ends.fits;
        all.failed += ends.failed;
        all.fell_back += ends.fell_back;
    }
    all
}

#[test]
fn outliers_do_not_break_a_fit() {
    let ends = outliers(1);
    assert_eq!(ends.failed, 0, "{ends:?}");
}

#[test]
#[ignore = "half an hour: run it by name after changes to inference; one draw of each size always runs"]
fn outliers_do_not_break_a_fit_at_length() {
    let ends = outliers(32);
    println!("{ends:?}");
    assert!(100 * ends.failed <= ends.fits, "{ends:?}");
}

/// The reproduction of the finding: log evidence +28 of ten answers, and the wrong best item.
#[test]
fn ten_answers_with_lapses() {
    let items = table(&[1.911, 0.809, 0.123, 0.05, 2.44]);
    let rather =
        |pairs: &[(usize, usize)]| pairs.iter().map(|&(a, b)| Answer::better(a, b, 1)).collect::<Vec<_>>();
    let mut said = rather(&[(2, 4), (4, 2), (2, 0), (2, 0), (1, 0), (1, 0), (3, 4), (2, 3), (1, 0)]);
    said.push(Answer::tie(2, 3));
    let fit =
        |response_model| Model::fit_answers(&items, &said, &[], &settings(response_model), &|_| ()).unwrap();
    let plain = fit(ResponseModel::default());
    let lapses = fit(ResponseModel { lapses: Lapses::Rate(0.05), ..ResponseModel::default() });
    let report = lapses.report();
    println!("{} and {}", plain.report().log_evidence, report.log_evidence);
    assert!(report.trustworthy && report.log_evidence < 0.0, "{report:?}");
    assert!((report.log_evidence - plain.report().log_evidence).abs() < 2.0);
    let worst = |model: &Model| {
        let mut two: Vec<usize> = model.rank(model.points())[3..].iter().map(|r| r.item).collect();
        two.sort_unstable();
        two
    };
    assert_eq!((worst(&plain), worst(&lapses)), (vec![0, 4], vec![0, 4]));
}

/// At a large variance and a short lengthscale parallel sweeps, which are all that low rank has, do not settle. That is said, nothing is a number
/// that is none, and a file holds it. With the whole covariance there are sequential sweeps, which do settle.
#[test]
fn what_does_not_settle_is_not_trusted() {
    let mut untrusted = 0;
    for draw in 0..6 {
        let mut chance = Chance(500 + draw);
        let (items, said) = world(&mut chance, 10, 40, true, Words::Choices);
        let response_model = ResponseModel { lapses: Lapses::Rate(0.05), ..ResponseModel::default() };
        let fixed = [("noise", 1.0), ("variance", 1e4), ("lengthscale", 0.1)];
        let fixed = fixed.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let kernel = KernelChoice::Given(KernelSpec { expression: "se".into(), ard: false });
        let whole = FitSettings { kernel, fixed, raw_features: true, ..settings(response_model) };
        let rough = FitSettings {
            inference: Inference::Ep(Ep { representation: Representation::LowRank(10), ..Ep::default() }),
            ..whole.clone()
        };
        let fit = |settings: &FitSettings| Model::fit_answers(&items, &said, &[], settings, &|_| ()).unwrap();
        let model = fit(&rough);
        let report = model.report();
        assert!(report.residual.is_finite() && report.log_evidence.is_finite(), "{report:?}");
        if report.trustworthy {
            assert!(report.residual <= 1e-3 && report.log_evidence <= 0.0, "{report:?}");
        } else {
            untrusted += 1;
            assert_eq!(report.status, Status::Limit);
            assert!(report.notices.iter().any(|n| matches!(n, Notice::NotConverged { .. })));
        }
        let text = serde_json::to_string(&model.to_parts().header).unwrap();
        assert!(!text.contains("\"residual\":null"), "{text}");
        let report = fit(&whole).report().clone();
        println!("{untrusted}; {} {:?}", report.log_evidence, report.notices);
        assert!(report.trustworthy && report.log_evidence <= 0.0, "{report:?}");
    }
    assert!(untrusted > 0, "an easy lot");
}

/// Evidence, to the leading correction of expectation propagation, and probabilities against importance sampling.
#[test]
fn lapses_agree_with_importance_sampling() {
    const DRAWS: usize = 100_000;
    for draw in 0..4 {
        for (words, noises, response_model) in [
            (Words::Choices, true, flags()[1]),
            (Words::Ties, false, flags()[0]),
            (Words::Grades, true, flags()[2]),
        ] {
            let mut chance = Chance(900 + draw);
            let (items, said) = world(&mut chance, 5, 10, noises, words);
            let kernel = KernelChoice::Given(KernelSpec { expression: "se".into(), ard: false });
            let settings = FitSettings { kernel, ..settings(response_model) };
            let model = Model::fit_answers(&items, &said, &[], &settings, &|_| ()).unwrap();
            assert!(model.report().trustworthy);
            let observations = Observations::of(&Answers::from(&said), &[], response_model);
            let compared = model.points().select(&observations.items);
            let problem = Problem {
                points: &compared,
                observations: &observations,
                method: Method::Ep,
                space: None,
                inducing: None,
            };
            // Values in the middle of what such fits learn, set here: what is learned differs in its last digits from machine to machine.
            let mut h = model.hyperparameters().clone();
            let values: Vec<f64> = h.entries.iter().map(|e| typical(&e.name)).collect();
            h.set(&values).unwrap();
            let found = problem.evaluate(&h.kernel, h.values(), None, &Settings::default()).unwrap();
            let likelihoods = observations.responses.likelihoods(&h.values());
            let (prior, posterior) = (&found.prior, &found.outcome.posterior);
            let rank = prior.rank();
            let root = |i: usize, j: usize| posterior.factor[(i, j)];
            let log_root: f64 = (0..rank).map(|i| root(i, i).ln()).sum();
            // Student's distribution of 5 degrees of freedom about expectation propagation's, a little wider.
            let (freedom, wide) = (5.0, 1.3);
            let mut draws: Vec<(f64, Vec<f64>)> = Vec::with_capacity(DRAWS);
            for _ in 0..DRAWS {
                let e: Vec<f64> = (0..rank).map(|_| chance.normal()).collect();
                let chi: f64 = (0..5).map(|_| chance.normal().powi(2)).sum();
                let stretch = wide * (freedom / chi).sqrt();
                // w = mean + R^-T (stretch e).
                let mut w = vec![0.0; rank];
                for i in (0..rank).rev() {
                    let known: f64 = (i + 1..rank).map(|k| root(k, i) * w[k]).sum();
                    w[i] = (stretch * e[i] - known) / root(i, i);
                }
                w.iter_mut().zip(&posterior.weights).for_each(|(w, m)| *w += m);
                let squared: f64 = e.iter().map(|e| (stretch * e / wide).powi(2)).sum();
                let n = rank as f64;
                let constant = rather_gamma(0.5 * (freedom + n))
                    - rather_gamma(0.5 * freedom)
                    - 0.5 * n * (freedom * std::f64::consts::PI).ln()
                    - n * wide.ln();
                let log_q = constant + log_root - 0.5 * (freedom + n) * (squared / freedom).ln_1p();
                let prior_w: f64 = w.iter().map(|w| -0.5 * (w * w + std::f64::consts::TAU.ln())).sum();
                let z = prior.project(&prior.features.transpose_times(&w));
                let said: f64 = observations
                    .merged
                    .iter()
                    .map(|o| o.count() * likelihoods.of(o.answer).log_density(o.sign() * z[o.edge()]).value)
                    .sum();
                draws.push((said + prior_w - log_q, z));
            }
            let top = draws.iter().map(|d| d.0).fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = draws.iter().map(|d| (d.0 - top).exp()).sum();
            let squares: f64 = draws.iter().map(|d| (2.0 * (d.0 - top)).exp()).sum();
            let log_z = top + (total / DRAWS as f64).ln();
            let effective = total * total / squares;
            let Evidence { prior: p, outcome } = &found;
            let correction =
                correction::log_evidence(p, &observations.merged, &likelihoods, outcome).unwrap();
            let corrected = outcome.log_evidence + correction;
            println!(
                "{words:?} {draw}: {} + {correction} of {log_z}, {effective:.0} draws",
                outcome.log_evidence
            );
            // Three standard errors of the draws are left for chance.
            let off = (corrected - log_z).abs();
            assert!(off < 0.02 + 3.0 / effective.sqrt(), "{words:?} {draw}: {corrected} of {log_z}");
            for edge in 0..observations.edges.len() {
                let choice = likelihoods.choice();
                let exact: f64 = draws
                    .iter()
                    .map(|(w, z)| (w - top).exp() * choice.log_density(z[edge]).value.exp())
                    .sum::<f64>()
                    / total;
                let p = choice.probability(posterior.mean[edge], posterior.variance[edge]);
                assert!(
                    (p - exact).abs() < 0.005 + 1.5 / effective.sqrt(),
                    "{words:?} {draw} {edge}: {p} of {exact}"
                );
            }
        }
    }
}

/// A value of the hyperparameter of this name that such fits might learn: utilities that vary a little more than the noise.
fn typical(name: &str) -> f64 {
    match name {
        "variance" => 2.0,
        "lapse" => 0.06,
        other if other.starts_with("lengthscale") || other == "noise" => 1.0,
        _ => 0.5,
    }
}

/// The log of the gamma function of a half or a whole number.
fn rather_gamma(x: f64) -> f64 {
    if x < 1.25 {
        return if x < 0.75 { 0.5 * std::f64::consts::PI.ln() } else { 0.0 };
    }
    (x - 1.0).ln() + rather_gamma(x - 1.0)
}

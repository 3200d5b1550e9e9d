//! Answers that count for less the older they are, however the posterior is found.

use rather::Error;
use rather::answers::{Answer, Answers};
use rather::belief::Belief;
use rather::evaluate;
use rather::exact::{ExactSettings, Sampler};
use rather::features::{Column, ColumnValues};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::ResponseModel;
use rather::model::{
    Ep, Exact, FitSettings, Inference, Integration, Items, Laplace, Method, Model, PairEffect,
    Representation, StreamingSettings,
};
use rather::streaming::Forgetting;
use rather_numerics::linalg::{Matrix, cholesky, inverse_from_cholesky, mirror_lower};
use rather_numerics::random::{normal, stream, uniform};
use rather_numerics::special::normal;

const NOISE: f64 = 1.0;
/// The noise of a comparison.
const S: f64 = std::f64::consts::SQRT_2;

fn weight(age: f64, half_life: f64) -> f64 {
    2f64.powf(-age / half_life)
}

/// Names, or items along a feature.
fn items(n: usize, features: bool) -> Items {
    let x = (0..n).map(|i| i as f64 / (n as f64 - 1.0)).collect();
    let column = Column { name: "x".into(), values: ColumnValues::Numeric(x) };
    Items {
        keys: (0..n).map(|i| format!("t{i}")).collect(),
        columns: if features { vec![column] } else { vec![] },
    }
}

/// Hyperparameters given: those of the table of the finding that this answers, variance 10 and lengthscale 0.3.
fn settings(inference: Inference, features: bool, half_life: Option<f64>) -> FitSettings {
    let expression = if features { "se[x]" } else { "white" };
    let mut fixed = vec![("noise".to_owned(), NOISE), ("variance".to_owned(), 10.0)];
    if features {
        fixed.push(("lengthscale".to_owned(), 0.3));
    }
    FitSettings {
        kernel: KernelChoice::Given(KernelSpec { expression: expression.into(), ard: false }),
        inference,
        fixed,
        raw_features: true,
        half_life,
        ..FitSettings::default()
    }
}

fn ep(representation: Representation) -> Inference {
    let (pair_effect, integration) = (PairEffect::Off, Integration::Off);
    Inference::Ep(Ep { representation, pair_effect, integration, ..Ep::default() })
}

fn laplace() -> Inference {
    Inference::Laplace(Laplace { integration: Integration::Off, ..Laplace::default() })
}

fn fit(items: &Items, answers: &[Answer], settings: &FitSettings) -> Model {
    Model::fit_answers(items, answers, &[], settings, &|_| ()).unwrap()
}

/// Answers of somebody whose utility is a smooth function of the place and turns round on the way.
fn answers(items: usize, count: usize, seed: u64) -> Vec<Answer> {
    let rng = &mut stream(seed, 0);
    (0..count)
        .map(|n| {
            let a = (uniform(rng) * items as f64) as usize;
            let b = (a + 1 + (uniform(rng) * (items - 1) as f64) as usize) % items;
            let turn = 3.0 * n as f64 / count as f64;
            let utility = |i: usize| 3.0 * (6.0 * i as f64 / items as f64 + turn).sin();
            let noisy = utility(a) - utility(b) + S * NOISE * normal(rng);
            if noisy > 0.0 { Answer::rather(a, b) } else { Answer::rather(b, a) }
        })
        .collect()
}

/// Mean and variance of the difference of two items, and the log evidence, by quadrature of the weighted likelihood: `up` and `down` are the
/// sums of the weights of the answers for the first and the second one.
fn by_quadrature(variance: f64, (up, down): (f64, f64)) -> (f64, f64, f64) {
    let (points, reach) = (20_001, 12.0 * variance.sqrt());
    let step = 2.0 * reach / (points - 1) as f64;
    let mut moments = [0.0; 3];
    for k in 0..points {
        let z = -reach + step * k as f64;
        let log = up * normal::log_cdf(z / S) + down * normal::log_cdf(-z / S) - 0.5 * z * z / variance;
        (0..3).for_each(|m| moments[m] += z.powi(m as i32) * log.exp());
    }
    let mean = moments[1] / moments[0];
    let evidence = (moments[0] * step).ln() - 0.5 * (std::f64::consts::TAU * variance).ln();
    (mean, moments[2] / moments[0] - mean * mean, evidence)
}

fn moments(model: &Model, pairs: &[(usize, usize)]) -> (Vec<f64>, Vec<f64>) {
    let found = model.belief().differences(model.points(), pairs);
    (found.mean, found.variance)
}

/// Of two items all answers are one factor, whose moments expectation propagation has exactly.
#[test]
fn two_items_are_as_by_quadrature() {
    let (first, second) = (Answer::rather(0, 1), Answer::rather(1, 0));
    let said = [first.times(3), second, second, first, second.times(2)];
    for half_life in [0.7, 5.0, 1e4] {
        // The ages of the rows: 6, 5, 4; 3... the last is 0.
        let age = |ages: &[f64]| ages.iter().map(|&a| weight(a, half_life)).sum::<f64>();
        let weights = (age(&[7.0, 6.0, 5.0, 2.0]), age(&[4.0, 3.0, 1.0, 0.0]));
        let (mean, variance, evidence) = by_quadrature(20.0, weights);
        for representation in [Representation::Full, Representation::Sparse] {
            let model = fit(&items(2, false), &said, &settings(ep(representation), false, Some(half_life)));
            let (m, v) = moments(&model, &[(0, 1)]);
            // A sum over 20,001 points of a smooth function that ends in nothing is exact to rounding; so is a fixpoint within 1e-8.
            assert!((m[0] - mean).abs() < 1e-7, "{half_life}: {m:?}, not {mean}");
            assert!((v[0] / variance - 1.0).abs() < 1e-7, "{half_life}: {v:?}, not {variance}");
            assert!((model.report().log_evidence - evidence).abs() < 1e-7);
            assert_eq!((model.report().comparisons, model.report().half_life), (8.0, Some(half_life)));
        }
        let sampling = ExactSettings { samples: 20_000, ..ExactSettings::default() };
        let exact = Inference::Exact(Exact { sampling, ..Exact::default() });
        let model = fit(&items(2, false), &said, &settings(exact, false, Some(half_life)));
        let (m, v) = moments(&model, &[(0, 1)]);
        assert!(model.belief().exact().unwrap().report().mixed());
        // 20,000 draws, of which at least 5,000 are effective: four standard errors of a mean and of a variance.
        assert!((m[0] - mean).abs() < 4.0 * (variance / 5000.0).sqrt(), "{m:?}, not {mean}");
        assert!((v[0] / variance - 1.0).abs() < 4.0 * (2.0 / 5000f64).sqrt(), "{v:?}, not {variance}");
    }
}

/// The mode and the curvature there of items with the prior covariance `prior`, by Newton's method with every answer on its own.
fn by_newton(prior: &Matrix, answers: &[Answer], half_life: f64) -> (Vec<f64>, Matrix) {
    let n = prior.rows();
    let inverse = |a: &Matrix| {
        let mut factor = a.clone();
        assert!(cholesky(&mut factor));
        let mut out = inverse_from_cholesky(&factor);
        mirror_lower(&mut out);
        out
    };
    let precision = inverse(prior);
    let mut f = vec![0.0; n];
    let mut covariance = prior.clone();
    for _ in 0..100 {
        let mut curved = precision.clone();
        let mut slope: Vec<f64> = precision.times(&f).iter().map(|g| -g).collect();
        for (row, answer) in answers.iter().enumerate() {
            let (a, b) = answer.pair().unwrap();
            let w = weight((answers.len() - 1 - row) as f64, half_life);
            let z = (f[a] - f[b]) / S;
            let ratio = (-0.5 * z * z - 0.5 * std::f64::consts::TAU.ln() - normal::log_cdf(z)).exp();
            let (first, second) = (w * ratio / S, w * ratio * (ratio + z) / (S * S));
            slope[a] += first;
            slope[b] -= first;
            for (i, j, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                curved[(i, j)] += sign * second;
            }
        }
        covariance = inverse(&curved);
        let step = covariance.times(&slope);
        f.iter_mut().zip(&step).for_each(|(f, s)| *f += s);
        if step.iter().all(|s| s.abs() < 1e-12) {
            break;
        }
    }
    (f, covariance)
}

fn pairs(n: usize) -> Vec<(usize, usize)> {
    (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).collect()
}

/// The largest ratio of standard deviations of utilities relative to their average, either way, and the largest difference of probabilities.
fn apart(a: &Model, b: &Model, n: usize) -> (f64, f64) {
    let pairs = pairs(n);
    let [v, w] = [a, b].map(|model| model.utilities(model.points()).variance);
    let ratio = v.iter().zip(&w).map(|(v, w)| (v / w).sqrt().max((w / v).sqrt())).fold(0.0, f64::max);
    let (p, q) = (a.probabilities(a.points(), &pairs), b.probabilities(b.points(), &pairs));
    (ratio, p.iter().zip(&q).map(|(p, q)| (p - q).abs()).fold(0.0, f64::max))
}

/// Laplace against Newton's method with a weight for every answer; expectation propagation and streaming against Laplace's neighbourhood
/// and against each other.
#[test]
fn batch_and_stream_weigh_answers_alike() {
    let (n, table) = (20, items(20, true));
    let said = answers(n, 400, 3);
    for half_life in [50.0, 200.0] {
        let with = |inference| fit(&table, &said, &settings(inference, true, Some(half_life)));
        let [mode, batch, low_rank, stream] = [
            laplace(),
            ep(Representation::Full),
            ep(Representation::LowRank(20)),
            Inference::Streaming(StreamingSettings::default()),
        ]
        .map(with);
        // A nugget of rounding makes the covariance of twenty points this close invertible.
        let x = |i: usize| i as f64 / (n as f64 - 1.0);
        let prior = Matrix::from_fn(n, n, |i, j| {
            10.0 * (-0.5 * ((x(i) - x(j)) / 0.3).powi(2)).exp() + if i == j { 1e-8 } else { 0.0 }
        });
        let (f, covariance) = by_newton(&prior, &said, half_life);
        let (mean, variance) = moments(&mode, &pairs(n));
        for (k, (i, j)) in pairs(n).into_iter().enumerate() {
            let v = covariance[(i, i)] + covariance[(j, j)] - 2.0 * covariance[(i, j)];
            // The nugget is 1e-9 of the variance.
            assert!((mean[k] - (f[i] - f[j])).abs() < 1e-5, "{half_life} {i} {j}: {}", mean[k]);
            assert!((variance[k] - v).abs() < 1e-5 * (1.0 + v), "{half_life} {i} {j}: {}", variance[k]);
        }
        // What was asked for: standard deviations within 5 %, probabilities within 0.01.
        for (name, model) in [("low rank", &low_rank), ("streaming", &stream)] {
            let (ratio, probability) = apart(model, &batch, n);
            assert!(ratio < 1.05 && probability < 0.01, "{name} {half_life}: {ratio}, {probability}");
        }
        // Without weights it is another posterior, by far.
        let all = fit(&table, &said, &settings(ep(Representation::Full), true, None));
        let (ratio, _) = apart(&all, &batch, n);
        assert!(ratio > 1.2, "{half_life}: {ratio}");
    }
}

/// Answers no longer kept count for less and less, too; by default they hardly count any more.
#[test]
fn a_stream_weighs_what_it_no_longer_keeps() {
    for (features, n, count, half_life, memory, most, off) in [
        // A third of what counts was last revisited when the taste was another: kept as it was then, by what assumed density filtering is.
        (false, 12, 300, 60.0, Some(100), 1.1, 0.06),
        (true, 12, 300, 60.0, Some(100), 1.1, 0.06),
        (true, 20, 1200, 200.0, None, 1.05, 0.01),
    ] {
        let (table, said) = (items(n, features), answers(n, count, 5));
        let with = |inference| fit(&table, &said, &settings(inference, features, Some(half_life)));
        let batch = with(ep(Representation::Auto));
        let stream = with(Inference::Streaming(StreamingSettings { memory, ..StreamingSettings::default() }));
        let (ratio, probability) = apart(&stream, &batch, n);
        assert!(ratio < most && probability < off, "{n} {features}: {ratio}, {probability}");
    }
}

/// A row that counts five times is five rows, however the posterior is found.
#[test]
fn repeated_answers_add_up_as_the_geometric_sum() {
    let table = items(3, false);
    let row = [Answer::rather(1, 2).times(2), Answer::rather(0, 1).times(5)];
    let rows: Vec<Answer> =
        row.iter().flat_map(|answer| vec![answer.times(1); answer.count as usize]).collect();
    let stream = Inference::Streaming(StreamingSettings::default());
    for inference in [ep(Representation::Full), laplace(), stream] {
        let settings = settings(inference, false, Some(3.0));
        let (together, each) = (fit(&table, &row, &settings), fit(&table, &rows, &settings));
        let (ratio, probability) = apart(&together, &each, 3);
        // Weights that are added up in another order.
        assert!(ratio < 1.0 + 1e-9 && probability < 1e-9);
        let r = weight(1.0, 3.0);
        let sum = |k: i32| (1.0 - r.powi(k)) / (1.0 - r);
        let counts: Vec<f64> = together.observations().merged.iter().map(|o| o.count()).collect();
        let expected = [sum(5), r.powi(5) * sum(2)];
        assert!(counts.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{counts:?}");
    }
}

/// A half-life without an end changes no bit.
#[test]
fn without_forgetting_nothing_changes() {
    let (n, table) = (8, items(8, true));
    let said = answers(n, 60, 7);
    let all = pairs(n);
    for inference in [ep(Representation::Full), ep(Representation::LowRank(8)), laplace()] {
        let [none, endless] = [None, Some(1e300)].map(|h| {
            let model = fit(&table, &said, &settings(inference.clone(), true, h));
            (model.probabilities(model.points(), &all), moments(&model, &all), model.report().log_evidence)
        });
        assert_eq!(none, endless);
    }
}

/// The weights of the answers learned from do not depend on those tested on.
#[test]
fn evaluation_weighs_the_training_part() {
    let (n, table) = (6, items(6, false));
    let said = answers(n, 40, 9);
    let (training, test) = said.split_at(30);
    let settings = settings(ep(Representation::Auto), false, Some(8.0));
    let model = fit(&table, training, &settings);
    let [training, test] = [training, test].map(Answers::from);
    let expected = evaluate::tested(&model, model.points(), &test).unwrap();
    assert_eq!(evaluate::hold_out(&table, training, &test, &[], &settings).unwrap(), expected);
}

/// The evidence that is maximised is that of the weighted answers: at the maximum it is higher than beside it.
#[test]
fn hyperparameters_are_learned_from_weighted_answers() {
    let (n, table) = (10, items(10, false));
    let said = answers(n, 200, 11);
    let free = FitSettings { fixed: vec![], ..settings(ep(Representation::Full), false, Some(30.0)) };
    let free = FitSettings { priors: false, ..free };
    let learned = fit(&table, &said, &free);
    let variance = learned.hyperparameters().kernel.parameters()[0].value;
    let at = |factor: f64| {
        let fixed = vec![("noise".into(), NOISE), ("variance".into(), factor * variance)];
        fit(&table, &said, &FitSettings { fixed, ..free.clone() }).report().log_evidence
    };
    assert!(at(1.0) > at(1.1) && at(1.0) > at(1.0 / 1.1));
    let all = fit(&table, &said, &FitSettings { half_life: None, ..free.clone() });
    assert!((all.hyperparameters().kernel.parameters()[0].value / variance - 1.0).abs() > 0.05);
}

/// Answers of every kind count for less: of one measured value the weight is as if its noise were larger.
#[test]
fn measured_values_have_wider_noise_by_the_root_of_their_weight() {
    let table = items(2, false);
    let said = [Answer::measured(0, 2.0), Answer::measured(1, -1.0), Answer::measured(1, 0.5)];
    let fixed =
        [("noise", 1.0), ("variance", 4.0), ("value.offset", 0.0), ("value.scale", 1.0), ("value.sd", 1.0)];
    let fixed = fixed.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let base = settings(ep(Representation::Full), false, Some(1.0));
    let weighted = fit(&table, &said, &FitSettings { fixed: fixed.clone(), ..base.clone() });
    let wider: Vec<Answer> =
        [4f64, 2.0, 1.0].iter().zip(said).map(|(over, a)| a.with_noise(over.sqrt())).collect();
    let same = fit(&table, &wider, &FitSettings { fixed, half_life: None, ..base });
    let (a, b) = (moments(&weighted, &[(0, 1)]), moments(&same, &[(0, 1)]));
    assert!((a.0[0] - b.0[0]).abs() < 1e-6 && (a.1[0] - b.1[0]).abs() < 1e-6, "{a:?} {b:?}");
}

#[test]
fn what_cannot_be_is_refused() {
    let (table, said) = (items(3, false), answers(3, 5, 13));
    let refuse = |settings: &FitSettings| -> Error {
        Model::fit_answers(&table, &said, &[], settings, &|_| ()).unwrap_err()
    };
    for half_life in [0.0, -1.0, f64::NAN] {
        let sentence = refuse(&settings(laplace(), false, Some(half_life))).to_string();
        assert!(sentence.contains("half-life") && sentence.contains("positive"), "{sentence}");
    }
    let walk = Inference::Streaming(StreamingSettings { drift: Some(20.0), ..StreamingSettings::default() });
    let sentence = refuse(&settings(walk, false, Some(20.0))).to_string();
    assert!(sentence.contains("a half-life or a drift, not both"), "{sentence}");
    // Samplers that draw noisy differences have none of weighted answers.
    let gibbs = ExactSettings { sampler: Sampler::Gibbs, ..ExactSettings::default() };
    let exact = Inference::Exact(Exact { sampling: gibbs, ..Exact::default() });
    let sentence = refuse(&settings(exact, false, Some(20.0))).to_string();
    assert!(sentence.contains("answers with weights"), "{sentence}");
    let model = fit(&table, &said, &settings(ep(Representation::Full), false, Some(20.0)));
    let sentence = model.posterior().unwrap().given_a_draw(0).unwrap_err().to_string();
    assert!(sentence.contains("answers with weights"), "{sentence}");
}

/// A drift is what the half-life of streaming models was: files that say `fade` go on with it.
#[test]
fn files_of_a_walk_stay_a_walk() {
    let old: Forgetting = serde_json::from_str(r#"{"fade":{"half_life":50.0}}"#).unwrap();
    assert_eq!(old, Forgetting::Drift { half_life: 50.0 });
    assert_eq!(serde_json::from_str::<Forgetting>(r#""still""#).unwrap(), Forgetting::Never);
    let walk = Inference::Streaming(StreamingSettings { drift: Some(50.0), ..StreamingSettings::default() });
    let said = answers(4, 30, 15);
    let model = fit(&items(4, false), &said, &settings(walk, false, None));
    let Belief::Streaming(streamed) = model.belief() else { panic!() };
    assert_eq!(streamed.model().settings().forgetting, old);
    let saved = serde_json::to_value(streamed.model().state()).unwrap();
    assert_eq!(saved["settings"]["drift"], serde_json::json!({"fade": {"half_life": 50.0}}));
    assert_eq!(model.method(), Method::Streaming);
}

/// No answer is lost, whatever it says, on which side, and by whom.
#[test]
fn answers_of_every_kind_are_weighed() {
    let table = items(4, false);
    let each = [
        Answer::rather(2, 1).shown_left(1),
        Answer::rather(2, 1).shown_left(2),
        Answer::tie(3, 0).shown_left(3).by(1),
        Answer::better(1, 3, 2).by(0),
        Answer::better(0, 2, 1).with_noise(2.0),
        Answer::labelled(1, false),
        Answer::labelled(1, true),
        Answer::rated(2, 0).by(1),
        Answer::rated(3, 2).by(0),
        Answer::measured(0, 0.7),
        Answer::at_least(3, 1.0),
        Answer::rather(1, 2),
    ];
    let said: Vec<Answer> = (0..36).map(|n| each[5 * n % 12]).collect();
    let users = ["ann", "bob"].map(str::to_owned);
    let response_model = ResponseModel { bias: true, user_noise: true, ..ResponseModel::default() };
    let settings =
        FitSettings { response_model, fixed: vec![], ..settings(ep(Representation::Full), false, Some(9.0)) };
    let model = Model::fit_answers(&table, &said, &users, &settings, &|_| ()).unwrap();
    let r = weight(1.0, 9.0);
    let all = (1.0 - r.powi(36)) / (1.0 - r);
    assert!((model.observations().total() - all).abs() < 1e-9);
    assert!(model.observations().merged.iter().all(|o| o.count() > 0.0));
    assert_eq!(model.report().comparisons, 36.0);
}

//! Decision-out answers of every kind, against what models predict by other ways.

use crate::common::close;
use rather::Error;
use rather::answers::{Answer, Answers};
use rather::evaluate::{By, Calibration, Data, Scores, Tested, hold_out, tested};
use rather::exact::ExactSettings;
use rather::features::{Column, ColumnValues};
use rather::inference::Method;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::{Lapses, ResponseModel};
use rather::model::{Exact, FitSettings, Inference, Items, Model};
use rather_numerics::random::{normals, stream, uniform};

const ITEMS: usize = 8;

fn items() -> Items {
    let x = (0..ITEMS).map(|i| 0.5 * i as f64).collect();
    let column = Column { name: "x".into(), values: ColumnValues::Numeric(x) };
    Items { keys: (0..ITEMS).map(|i| format!("i{i}")).collect(), columns: vec![column] }
}

/// Answers of all kinds of two people, whose utilities rise with the item.
fn every_kind(each: usize) -> Vec<Answer> {
    let mut rng = stream(11, 3);
    let mut pick = |n: usize| ((uniform(&mut rng) * n as f64) as usize).min(n - 1);
    let mut noise = normals(6 * each, &mut stream(12, 3)).into_iter();
    let utility = |i: usize| 0.7 * i as f64;
    let mut out = Vec::new();
    for at in 0..each {
        let (i, j) = (pick(ITEMS), pick(ITEMS - 1));
        let j = if j < i { j } else { j + 1 };
        let z = utility(i) - utility(j) + 1.4 * noise.next().unwrap();
        let (winner, loser) = if z > 0.0 { (i, j) } else { (j, i) };
        let single = utility(i) + noise.next().unwrap();
        out.push(Answer::rather(winner, loser).shown_left(i).by(at % 2));
        out.push(match z.abs() {
            ..0.7 => Answer::tie(i, j).shown_left(j),
            0.7..2.0 => Answer::better(winner, loser, 1).shown_left(i),
            _ => Answer::better(winner, loser, 2).shown_left(j),
        });
        out.push(Answer::rated(i, (single.clamp(0.0, 5.9) / 2.0) as u16).by(at % 2));
        out.push(Answer::measured(i, 3.0 + 2.0 * single));
        out.push(Answer::labelled(i, single > 2.5));
    }
    out
}

fn users() -> Vec<String> {
    ["ann", "bob"].map(str::to_owned).to_vec()
}

fn settings(method: Method, response_model: ResponseModel) -> FitSettings {
    let kernel = KernelChoice::Given(KernelSpec { expression: "se".into(), ard: false });
    let exact = ExactSettings { samples: 200, burn_in: 50, thinning: 1, ..ExactSettings::default() };
    let inference = match method {
        Method::Exact => Inference::Exact(Exact { sampling: exact, ..Exact::default() }),
        other => other.into(),
    };
    FitSettings { kernel, inference, response_model, ..FitSettings::default() }
}

fn model(answers: &[Answer], method: Method, response_model: ResponseModel) -> Model {
    Model::fit_answers(&items(), answers, &users(), &settings(method, response_model), &|_| ()).unwrap()
}

fn one(model: &Model, answer: Answer) -> Tested {
    tested(model, model.points(), &[answer].into_iter().collect()).unwrap().remove(0)
}

/// The probabilities of a held-out answer are those of [`Model::outcomes`], [`Model::ratings`] and [`Model::shown_probabilities`].
#[test]
fn held_out_answers_have_the_predictions_of_the_model() {
    for method in [Method::Ep, Method::Laplace, Method::Exact] {
        let said = every_kind(12);
        for bias in [false, true] {
            let model = model(&said, method, ResponseModel { bias, ..ResponseModel::default() });
            let points = model.points();
            for (i, j) in [(1, 6), (5, 2)] {
                // Of somebody to whom i was shown on the left.
                let outcomes: Vec<f64> =
                    model.belief().outcomes(points, &[(i, j)])[0].iter().map(|(_, p)| *p).collect();
                let from_first: Vec<f64> =
                    if i < j { outcomes } else { outcomes.into_iter().rev().collect() };
                for answer in [Answer::tie(i, j), Answer::better(j, i, 2), Answer::better(i, j, 1)] {
                    let found = one(&model, answer.shown_left(i));
                    assert_eq!(found.predicted.len(), 5);
                    for (a, b) in found.predicted.iter().zip(&from_first) {
                        // Averages over hyperparameters, which went through their logarithms here and not there.
                        close(*a, *b, 1e-9, "outcomes");
                    }
                }
                let tie = one(&model, Answer::tie(i, j).shown_left(i));
                assert_eq!(tie.given, Some(2));
                let strong = one(&model, Answer::better(i, j, 2).shown_left(i));
                assert_eq!(strong.given, Some(if i < j { 0 } else { 4 }));
                let chosen = one(&model, Answer::rather(i, j).shown_left(i));
                let shown = model.shown_probabilities(points, &[(i, j)])[0];
                // An exact probability is kept from 0 and 1 in one way there, in another here.
                close(chosen.of_answer(), shown, if method == Method::Exact { 5e-3 } else { 1e-9 }, "choice");
            }
            let levels = &model.ratings(&points.select(&[3]))[0];
            let rated = one(&model, Answer::rated(3, 1));
            rated.predicted.iter().zip(levels).for_each(|(a, b)| close(*a, *b, 1e-9, "levels"));
            assert_eq!(rated.given, Some(1));
        }
    }
}

/// The density of a measured value integrates to 1, and outcomes sum to 1, whoever answers and however noisily.
#[test]
fn predictions_are_distributions() {
    let said = every_kind(12);
    for response_model in [
        ResponseModel::default(),
        ResponseModel { bias: true, user_noise: true, lapses: Lapses::Rate(0.1), ..ResponseModel::default() },
    ] {
        let model = model(&said, Method::Ep, response_model);
        for answer in every_kind(4) {
            let found = one(&model, answer.with_noise(1.7));
            if found.given.is_some() {
                close(found.predicted.iter().sum(), 1.0, 1e-9, "outcomes");
            }
        }
        let step = 0.05;
        let values: Answers = (-800..1600).map(|k| Answer::measured(4, step * f64::from(k))).collect();
        let density = tested(&model, model.points(), &values).unwrap();
        let total: f64 = density.iter().map(|t| step * t.of_answer()).sum();
        // The trapezium rule on a smooth density whose tails end far inside.
        close(total, 1.0, 1e-6, "density");
        let scores = Scores::of(&density);
        assert!(scores.accuracy.is_nan() && scores.log_loss.is_finite());
        assert_eq!(Calibration::default_bins(&density).error(), 0.0);
    }
}

/// Every kind is predicted better than by a guess, on folds that keep answers about the same together.
#[test]
fn every_kind_is_predicted_better_than_by_a_guess() {
    let said: Answers = every_kind(40).into_iter().collect();
    let settings = settings(Method::Ep, ResponseModel::default());
    let (items, users) = (items(), users());
    let data = Data { items: &items, sides: None, answers: &said, users: &users };
    let folds = data.folds(By::Pairs, 4, 1, false).unwrap();
    let found = data.validate(&folds, &settings, &|_| ()).unwrap().concat();
    assert_eq!(found.len(), said.len());
    for kind in ["choice", "graded", "rating", "label"] {
        let of: Vec<Tested> = found.iter().filter(|t| t.kind.0.name() == kind).cloned().collect();
        assert_eq!(of.len(), 40, "{kind}");
        let (scores, guess) = (Scores::of(&of), Scores::guessing(&of));
        assert!(scores.log_loss < guess.log_loss && scores.accuracy > guess.accuracy, "{kind}: {scores:?}");
        assert!(scores.brier < guess.brier, "{kind}: {scores:?}");
    }
    // Better than a normal distribution with the values' own moments.
    let values: Vec<f64> =
        said.iter().filter(|a| a.reply.kind.0.name() == "measured").map(|a| a.reply.datum).collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    let normal = 0.5 * (2.0 * std::f64::consts::PI * variance).ln() + 0.5;
    let of: Vec<Tested> = found.iter().filter(|t| t.kind.0.name() == "measured").cloned().collect();
    assert!(Scores::of(&of).log_loss < normal, "{} {normal}", Scores::of(&of).log_loss);
}

/// What nobody said in the training part may be said in the test: a tie has the threshold that learning starts from.
#[test]
fn what_was_not_learned_has_a_probability() {
    let training: Answers = (1..ITEMS).map(|i| Answer::better(i, i - 1, 1).times(3)).collect();
    let test: Answers =
        [Answer::tie(0, 4), Answer::better(5, 1, 2), Answer::rated(2, 1)].into_iter().collect();
    let asked = settings(Method::Ep, ResponseModel::default());
    let found = hold_out(&items(), training.clone(), &test, &[], &asked).unwrap();
    for t in &found {
        close(t.predicted.iter().sum(), 1.0, 1e-9, "outcomes");
        assert!(t.of_answer() > 1e-6, "{t:?}");
    }
    let streaming = FitSettings { inference: Method::Streaming.into(), ..asked };
    let plain: Answers = (1..ITEMS).map(|i| Answer::rather(i, i - 1)).collect();
    for t in hold_out(&items(), plain, &test, &[], &streaming).unwrap() {
        close(t.predicted.iter().sum(), 1.0, 1e-9, "outcomes of a stream");
    }
    let unknown = [Answer::rather(0, 99)].into_iter().collect();
    let error = hold_out(&items(), training, &unknown, &[], &settings(Method::Ep, ResponseModel::default()))
        .unwrap_err();
    assert!(matches!(error, Error::UnknownItem { item: 99, .. }));
}

/// Periods are tested on what came before, by a fit by hand.
#[test]
fn a_rolling_origin_is_a_fit_to_what_came_before() {
    use rather::context::{ContextColumn, Sides};
    use rather::evaluate::{blocks, levels, rolling};
    use rather::features::{Column, ColumnValues};

    let days: Vec<f64> = (0..40).map(|m| f64::from(m / 2)).collect();
    let pairs: Vec<(u32, u32)> = (0..40_u32).map(|m| (m % 5, (m % 5 + 1 + m % 3) % 5)).collect();
    let values = ColumnValues::Numeric(days.iter().flat_map(|&day| [day, day]).collect());
    let date = ContextColumn { column: Column { name: "date".into(), values }, shared: true, date: true };
    let items_of = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
    let sides = Sides { items: items_of, columns: vec![date], ..Sides::default() };
    let all: Vec<Answer> = (0..40)
        .map(|m| if m % 4 == 0 { Answer::rather(2 * m + 1, 2 * m) } else { Answer::rather(2 * m, 2 * m + 1) })
        .collect();
    let kernel = KernelSpec { expression: "white[item] + white[item]*wiener[date]".into(), ard: false };
    let settings = FitSettings { kernel: KernelChoice::Given(kernel), ..FitSettings::default() };
    let table = Items { keys: (0..5).map(|i| i.to_string()).collect(), columns: vec![] };
    let answers: Answers = (&all).into();
    let data = Data { items: &table, sides: Some(&sides), answers: &answers, users: &[] };

    let periods = blocks(&days, 4);
    assert!(
        days.windows(2)
            .zip(periods.windows(2))
            .all(|(day, period)| day[0] != day[1] || period[0] == period[1])
    );
    let folds = rolling(&periods);
    assert_eq!(folds.iter().map(|fold| fold.test.len()).sum::<usize>(), 30);
    assert!(folds.iter().all(|fold| fold.training.iter().max() < fold.test.iter().min()));
    let found = data.validate(&folds, &settings, &|_| ()).unwrap();

    let last = folds.last().unwrap();
    let training: Answers = last.training.iter().map(|&m| all[m]).collect();
    let model = Model::fit_in_context(&table, &sides, training, &[], &settings, &|_| ()).unwrap();
    let points = model.encode_sides(&sides).unwrap();
    for (&m, tested) in last.test.iter().zip(found.last().unwrap()) {
        let pair = all[m].pair().unwrap();
        let expected = model.probabilities(&points, &[pair])[0];
        assert!((tested.of_answer() - expected).abs() < 1e-12);
        // The item that comes first stands first.
        let first = sides.items[pair.0] < sides.items[pair.1];
        assert_eq!(tested.given, Some(usize::from(!first)));
    }
    let by_level = levels(&[1, 0, 1, 2]);
    assert_eq!((by_level[1].test.clone(), by_level[1].training.clone()), (vec![0, 2], vec![1, 3]));
}

//! The whole table of capabilities: every kind of answer and every option of the response model, with every way of inference and every model
//! of many users. Each cell predicts better than guessing, or refuses with a sentence of the one list of what is not supported.

use std::collections::BTreeSet;

use rather::answers::{Answer, Answers};
use rather::evaluate::{Scores, tested, tested_of_user};
use rather::exact::ExactSettings;
use rather::features::{Column, ColumnValues};
use rather::inference::Method;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::{Lapses, Link, ResponseModel};
use rather::many::Kind;
use rather::many::population::{Population, PopulationData, PopulationSettings};
use rather::model::{Ep, Exact, FitSettings, Inference, Items, Model};
use rather::representation::Representation;
use rather::{Error, Unsupported};

const ITEMS: usize = 8;
const USERS: usize = 3;

fn items() -> Items {
    let x = (0..ITEMS).map(|i| i as f64).collect();
    let column = Column { name: "x".into(), values: ColumnValues::Numeric(x) };
    Items { keys: (0..ITEMS).map(|i| format!("i{i}")).collect(), columns: vec![column] }
}

fn names() -> Items {
    Items { columns: Vec::new(), ..items() }
}

fn users() -> Vec<String> {
    (0..USERS).map(|u| format!("u{u}")).collect()
}

/// What everybody likes: more of the feature, with a little noise of their own.
fn utility(item: usize, k: usize) -> f64 {
    let noise = [0.4, -0.5, 0.1, 0.6, -0.3, -0.1, 0.3][k % 7];
    item as f64 / 2.0 + noise
}

const KINDS: [&str; 7] = ["choice", "tie", "grade", "rating", "value", "bound", "label"];

/// The `k`-th answer of a kind.
fn answer(kind: &str, k: usize) -> Answer {
    let (a, b) = (k * 3 % ITEMS, (k * 3 + 1 + k / ITEMS % (ITEMS - 1)) % ITEMS);
    let (x, z) = (utility(a, k), utility(a, k) - utility(b, k + 3));
    let (up, down, size) = if z > 0.0 { (a, b, z) } else { (b, a, -z) };
    let made = match kind {
        "choice" => Answer::rather(up, down),
        "tie" if size < 0.5 => Answer::tie(a, b),
        "tie" => Answer::better(up, down, 1),
        "grade" => Answer::better(up, down, if size > 1.2 { 2 } else { 1 }),
        "rating" => Answer::rated(a, (x + 0.5).clamp(0.0, 3.9) as u16),
        "value" => Answer::measured(a, x),
        "bound" if k.is_multiple_of(2) => Answer::at_least(a, x - 0.5),
        "bound" => Answer::measured(a, x),
        "label" => Answer::labelled(a, x > 1.7),
        "set" => {
            let mut items = [a, (a + 1) % ITEMS, (a + 3) % ITEMS, (a + 6) % ITEMS];
            items.sort_by(|&i, &j| utility(j, k + j).total_cmp(&utility(i, k + i)));
            Answer::ordered(&items, 1, k % 2).unwrap()
        }
        other => panic!("{other}"),
    };
    let made = made.by(k % USERS);
    if made.pair().is_some() { made.shown_left(if k.is_multiple_of(3) { a } else { b }) } else { made }
}

fn answers(kinds: &[&str], n: usize) -> Vec<Answer> {
    (0..n).map(|k| answer(kinds[k % kinds.len()], k)).collect()
}

fn options() -> Vec<(&'static str, ResponseModel)> {
    let default = ResponseModel::default();
    vec![
        ("default", default),
        ("lapse rate", ResponseModel { lapses: Lapses::Rate(0.05), ..default }),
        ("lapses learned", ResponseModel { lapses: Lapses::Learned, ..default }),
        ("lapses by user", ResponseModel { lapses: Lapses::ByUser, ..default }),
        ("position bias", ResponseModel { bias: true, ..default }),
        ("user noise", ResponseModel { user_noise: true, ..default }),
        ("logistic", ResponseModel { link: Link::Logistic, ..default }),
        ("robust", ResponseModel { robust: true, ..default }),
        ("pair effect", ResponseModel { pair_effect: true, ..default }),
    ]
}

fn ways() -> Vec<(&'static str, Inference, Items)> {
    let ep = |representation| Inference::Ep(Ep { representation, ..Ep::default() });
    let sampling = ExactSettings { samples: 150, burn_in: 50, thinning: 1, ..ExactSettings::default() };
    vec![
        ("full", ep(Representation::Full), items()),
        ("low rank", ep(Representation::LowRank(5)), items()),
        ("sparse precision", ep(Representation::Sparse), names()),
        ("laplace", Method::Laplace.into(), items()),
        ("exact", Inference::Exact(Exact { sampling, ..Exact::default() }), items()),
        ("streaming", Method::Streaming.into(), items()),
        ("streaming of names", Method::Streaming.into(), names()),
    ]
}

fn kernel(items: &Items) -> KernelChoice {
    let expression = if items.columns.is_empty() { "white" } else { "se" };
    KernelChoice::Given(KernelSpec { expression: expression.into(), ard: false })
}

/// Predictions of the same answers: that they are probabilities, and better than guesses.
fn check(cell: &str, found: &[rather::evaluate::Tested]) {
    for t in found.iter().filter(|t| !t.predicted.is_empty() && t.predicted.len() > 1) {
        let sum: f64 = t.predicted.iter().sum();
        assert!((sum - 1.0).abs() < 1e-6, "{cell}: probabilities sum to {sum}");
    }
    assert!(
        found.iter().all(|t| t.of_answer().is_finite() && t.of_answer() > 0.0),
        "{cell}: a prediction is no number"
    );
    let listed: Vec<_> = found.iter().filter(|t| t.given.is_some()).cloned().collect();
    if !listed.is_empty() {
        let (loss, guess) = (Scores::of(&listed).log_loss, Scores::guessing(&listed).log_loss);
        assert!(loss < guess, "{cell}: a log loss of {loss} is no better than that of guesses, {guess}");
    }
}

/// The refusal of a cell, which must be one of the list.
fn refused(cell: &str, error: Error, seen: &mut BTreeSet<String>) {
    match error {
        Error::Unsupported(why) => {
            println!("{cell}: {why}");
            seen.insert(format!("{why:?}"));
        }
        other => panic!("{cell}: {other}"),
    }
}

#[test]
fn every_cell_predicts_or_is_in_the_list() {
    let mut seen = BTreeSet::new();
    let (mut cells, mut refusals) = (0, 0);
    let every: &[&str] = &KINDS;
    let default = ResponseModel::default();
    let alone = KINDS.iter().map(|kind| (vec![*kind], *kind, default));
    let sets = [("set", default), ("set, logistic", ResponseModel { link: Link::Logistic, ..default })]
        .map(|(label, model)| (vec!["set"], label, model));
    let of_all = options().into_iter().map(|(label, option)| (every.to_vec(), label, option));
    let rows: Vec<(Vec<&str>, &str, ResponseModel)> = alone.chain(sets).chain(of_all).collect();
    for (kinds, label, response_model) in &rows {
        let given = answers(kinds, 48);
        let all: Answers = given.iter().copied().collect();
        for (way, inference, items) in ways() {
            let cell = format!("{label}, {way}");
            let settings = FitSettings {
                kernel: kernel(&items),
                inference,
                response_model: *response_model,
                ..FitSettings::default()
            };
            cells += 1;
            match Model::fit_given(&items, &given, &users(), &settings, &|_| ()) {
                Ok(model) => {
                    assert!(model.report().log_evidence.is_finite(), "{cell}");
                    let moments = model.utilities(model.points());
                    assert!(moments.mean.iter().chain(&moments.variance).all(|x| x.is_finite()), "{cell}");
                    check(&cell, &tested(&model, model.points(), &all).unwrap());
                }
                Err(error) => {
                    refusals += 1;
                    refused(&cell, error, &mut seen);
                }
            }
        }
        let (items, people) = (items(), Items { keys: users(), columns: Vec::new() });
        for kind in Kind::ALL {
            let cell = format!("{label}, {}", kind.name());
            let settings = PopulationSettings {
                kernel: kernel(&items),
                response_model: *response_model,
                functions: 2,
                ..PopulationSettings::new(kind)
            };
            let data = PopulationData { items: &items, users: &people, answers: &all };
            cells += 1;
            match Population::fit(&data, &settings, &|_| ()) {
                Ok(model) => {
                    for user in 0..USERS {
                        let own = all.iter().filter(|a| a.user() == Some(user)).collect();
                        check(&cell, &tested_of_user(model.model(), user, &own).unwrap());
                    }
                }
                Err(error) => {
                    refusals += 1;
                    refused(&cell, error, &mut seen);
                }
            }
        }
    }
    println!("{cells} cells, {refusals} refused: {seen:?}");
    assert_eq!(cells, 18 * 12);
    assert!(Unsupported::all().count() <= 10);
}

//! Models of comparisons with columns, by names: the reference's problem through `Model`, its file, its questions.

use rather::acquisition::Request;
use rather::acquisition::pool::Pairs;
use rather::answers::Answer;
use rather::context::{ContextColumn, Sides};
use rather::features::{Column, ColumnValues};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::model::{Ep, FitSettings, Inference, Integration, Items, Model, PairEffect, Representation};
use rather::{Error, Person};
use rather_numerics::random::stream;
use serde_json::Value;

use crate::common::{close, oracle};

fn numbers(name: &str, values: Vec<f64>, shared: bool) -> ContextColumn {
    ContextColumn {
        column: Column { name: name.into(), values: ColumnValues::Numeric(values) },
        shared,
        date: false,
    }
}

/// The sides of the reference's duels, two a duel.
fn sides(duels: &Value) -> Sides {
    let duels = duels.as_array().unwrap();
    let item = |duel: &Value, key: &str| duel[key].as_u64().unwrap() as u32;
    let of_left = |value: fn(&Value) -> f64| duels.iter().flat_map(|duel| [value(duel), 0.0]).collect();
    Sides {
        items: duels.iter().flat_map(|duel| [item(duel, "left"), item(duel, "right")]).collect(),
        columns: vec![
            numbers("style1", of_left(|duel| duel["style"][0].as_f64().unwrap()), false),
            numbers("style2", of_left(|duel| duel["style"][1].as_f64().unwrap()), false),
            numbers("home", of_left(|duel| duel["home"].as_f64().unwrap()), false),
            numbers("day", duels.iter().flat_map(|duel| [duel["day"].as_f64().unwrap(); 2]).collect(), true),
        ],
        ..Sides::default()
    }
}

fn items() -> Items {
    Items { keys: (0..6).map(|i| format!("item {i}")).collect(), columns: Vec::new() }
}

fn settings(expression: &str, fixed: &[(&str, f64)], representation: Representation) -> FitSettings {
    FitSettings {
        kernel: KernelChoice::Given(KernelSpec { expression: expression.into(), ard: false }),
        inference: Inference::Ep(Ep {
            representation,
            integration: Integration::Off,
            pair_effect: PairEffect::Off,
            ..Ep::default()
        }),
        fixed: fixed.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        raw_features: true,
        ..FitSettings::default()
    }
}

fn golden(representation: Representation) -> (Value, Model) {
    let json = oracle("context-golden")["matern12"].clone();
    let of = |key: &str| json[key].as_f64().unwrap();
    let fixed = [
        ("white.variance", of("variance_item")),
        ("white2.variance", of("variance_time")),
        ("lengthscale", of("lengthscale_days")),
        ("linear.variance", of("variance_style")),
        ("linear2.variance", of("variance_home")),
        ("noise", 1.0),
    ];
    let expression = "white[item] + white[item]*matern12[day] + linear[style1, style2] + linear[home]";
    let answers: Vec<Answer> = json["duels"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
        .map(|(m, duel)| match duel["left_won"].as_bool().unwrap() {
            true => Answer::rather(2 * m, 2 * m + 1),
            false => Answer::rather(2 * m + 1, 2 * m),
        })
        .collect();
    let settings = settings(expression, &fixed, representation);
    let model =
        Model::fit_in_context(&items(), &sides(&json["duels"]), &answers, &[], &settings, &|_| ()).unwrap();
    (json, model)
}

#[test]
fn the_reference_by_names() {
    for representation in [Representation::Full, Representation::Sparse] {
        let (json, model) = golden(representation);
        let again = Model::from_parts(model.to_parts()).unwrap();
        for model in [model, again] {
            close(model.report().log_evidence, json["log_evidence"].as_f64().unwrap(), 1e-6, "evidence");
            let points = model.encode_sides(&sides(&json["new"])).unwrap();
            let pairs: Vec<(usize, usize)> = (0..points.len() / 2).map(|m| (2 * m, 2 * m + 1)).collect();
            for (row, p) in json["new"].as_array().unwrap().iter().zip(model.probabilities(&points, &pairs)) {
                close(p, row["probability"].as_f64().unwrap(), 1e-6, "probability");
            }
        }
    }
}

/// What to ask next does not depend on how the prior is represented; a draw to condition on needs all covariances.
#[test]
fn suggestions_of_latent_variables_are_those_of_the_full_covariance() {
    let suggested = |model: &Model, acquisition: &str, pairs: Pairs<'_>| {
        let request = Request::new(acquisition.parse().unwrap(), pairs, 1, 0);
        Person::Single(model).suggest(model.points(), &request)
    };
    let [full, sparse] =
        [Representation::Full, Representation::Sparse].map(|representation| golden(representation).1);
    let [one, other] = [&full, &sparse].map(|model| suggested(model, "bald", Pairs::All).unwrap()[0]);
    assert_eq!((one.opponent, one.challenger), (other.opponent, other.challenger));
    let pairs: Vec<(usize, usize)> = (0..6).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
    let [one, other] = [&full, &sparse].map(|model| {
        Person::Single(model).scores(model.points(), "bald".parse().unwrap(), &pairs, 0).unwrap()
    });
    // Inference ends at 1e-6.
    one.iter().zip(&other).for_each(|(a, b)| close(*a, *b, 1e-6, "score"));
    let refused = suggested(&sparse, "believer", Pairs::Against(0)).err();
    assert_eq!(refused, Some(rather::Unsupported::SparseCovariance.into()));
}

#[test]
fn items_are_looked_at_in_a_context() {
    let (_, mut model) = golden(Representation::Sparse);
    let (_, mut full) = golden(Representation::Full);
    for day in [-10.0, 3.0, 55.0, 400.0] {
        for model in [&mut model, &mut full] {
            model.look_at("day", &ColumnValues::Numeric(vec![day])).unwrap();
        }
        let (one, other) = (model.utilities(model.points()), full.utilities(full.points()));
        for i in 0..6 {
            close(one.mean[i], other.mean[i], 1e-7, "mean");
            close(one.variance[i], other.variance[i], 1e-7, "variance");
        }
    }
    let unknown = model.look_at("court", &ColumnValues::Text(vec!["clay".into()])).unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "there is no feature called \"court\"; the features are style1, style2, home, day"
    );
    let wrong = model.look_at("day", &ColumnValues::Text(vec!["Monday".into()]));
    assert!(matches!(wrong, Err(Error::FeatureKind { .. })), "{wrong:?}");
}

#[test]
fn sides_of_no_item_and_models_from_broken_files_are_refused() {
    let (json, model) = golden(Representation::Sparse);
    let mut wrong = sides(&json["duels"]);
    wrong.items[3] = 17;
    let settings = settings("white", &[], Representation::Auto);
    let answers = [Answer::rather(0, 1)];
    let refused = Model::fit_in_context(&items(), &wrong, &answers, &[], &settings, &|_| ()).err();
    assert_eq!(refused, Some(Error::UnknownItem { row: 3, item: 17, items: 6 }));
    let parts = model.to_parts();
    let broken = |change: fn(&mut rather::model::ModelParts)| {
        let mut parts = parts.clone();
        change(&mut parts);
        Model::from_parts(parts).err().map(|error| error.to_string())
    };
    assert!(broken(|parts| parts.sides[0] = 99).is_some());
    assert!(broken(|parts| parts.columns.truncate(7)).is_some());
    assert!(broken(|parts| parts.header.context = None).is_some());
    assert!(broken(|parts| parts.columns[2] = f64::NAN).is_some());
    assert!(broken(|_| ()).is_none());
}

/// A weight of a column is learned: its scale by the evidence, the weight within its interval.
#[test]
fn a_planted_home_advantage_is_found() {
    let home: Vec<f64> = (0..800).map(|side| f64::from(u8::from(side % 2 == 0))).collect();
    let item = |m: u32| [m % 6, (m + 1 + m / 6 % 5) % 6];
    let sides = Sides {
        items: (0..400).flat_map(item).collect(),
        columns: vec![numbers("home", home, false)],
        ..Sides::default()
    };
    // The home side wins three of four.
    let answers: Vec<Answer> = (0..400)
        .map(|m| {
            if (m as u32).wrapping_mul(2_654_435_761) >> 30 == 3 {
                Answer::rather(2 * m + 1, 2 * m)
            } else {
                Answer::rather(2 * m, 2 * m + 1)
            }
        })
        .collect();
    for representation in [Representation::Full, Representation::Sparse] {
        let mut settings = settings("white[item] + linear[home]", &[], representation);
        settings.raw_features = true;
        let model = Model::fit_in_context(&items(), &sides, &answers, &[], &settings, &|_| ()).unwrap();
        let at = |home: f64| Sides {
            items: vec![0, 1],
            columns: vec![numbers("home", vec![home, 0.0], false)],
            ..Sides::default()
        };
        let p = |home: f64| model.probabilities(&model.encode_sides(&at(home)).unwrap(), &[(0, 1)])[0];
        assert!((p(1.0) - 0.75).abs() < 0.06, "{}", p(1.0));
        assert!((p(0.0) - 0.5).abs() < 0.08, "{}", p(0.0));
    }
}

/// A weight that differs by category is that of as many columns, each of which is the number in one category and 0 elsewhere; and a category that
/// was not seen has what is common to all.
#[test]
fn weights_by_category_are_those_of_a_column_each() {
    let (mut home, mut cup) = (Vec::new(), Vec::new());
    let mut answers = Vec::new();
    let mut items = Vec::new();
    for m in 0..40_usize {
        items.extend([(m % 5) as u32, ((m + 1 + m / 5 % 4) % 5) as u32]);
        home.extend([1.0, 0.0]);
        cup.extend([m % 3; 2]);
        let won = m * 7 % 10 < [9, 6, 2][m % 3];
        answers.push(if won { Answer::rather(2 * m, 2 * m + 1) } else { Answer::rather(2 * m + 1, 2 * m) });
    }
    let names = ["league", "cup", "friendly"];
    let text = ContextColumn {
        column: Column {
            name: "kind".into(),
            values: ColumnValues::Text(cup.iter().map(|&k| names[k].to_owned()).collect()),
        },
        shared: true,
        date: false,
    };
    let by_level = Sides {
        items: items.clone(),
        columns: vec![numbers("home", home.clone(), false), text],
        ..Sides::default()
    };
    let each = |k: usize| home.iter().zip(&cup).map(|(h, &c)| if c == k { *h } else { 0.0 }).collect();
    let mut columns = vec![numbers("home", home.clone(), false)];
    columns.extend(names.iter().enumerate().map(|(k, name)| numbers(name, each(k), false)));
    let by_column = Sides { items, columns, ..Sides::default() };
    let table = Items { keys: (0..5).map(|i| i.to_string()).collect(), columns: Vec::new() };
    let fit = |sides: &Sides, expression: &str, fixed: &[(&str, f64)]| {
        let settings = settings(expression, fixed, Representation::Sparse);
        Model::fit_in_context(&table, sides, &answers, &[], &settings, &|_| ()).unwrap()
    };
    let shared = [("linear.variance", 0.5), ("noise", 1.0)];
    let fixed = |of: &[(&'static str, f64)]| [&shared[..], of].concat();
    let first = fit(
        &by_level,
        "white[item] + linear[home] + linear[home]*white[kind]",
        &fixed(&[("white.variance", 1.0), ("linear2.variance", 0.3)]),
    );
    let second = fit(
        &by_column,
        "white[item] + linear[home] + linear[league, cup, friendly]",
        &fixed(&[("white.variance", 1.0), ("linear2.variance", 0.3)]),
    );
    close(first.report().log_evidence, second.report().log_evidence, 1e-8, "evidence");
    let expected: std::collections::BTreeMap<String, (f64, f64)> =
        second.weights().into_iter().map(|(name, mean, sd)| (name, (mean, sd))).collect();
    let weights = first.weights();
    assert_eq!(weights.len(), 4, "{weights:?}");
    for (name, mean, _) in &weights[..3] {
        let of = name.strip_prefix("home where kind is ").unwrap();
        close(*mean, expected["home"].0 + expected[of].0, 1e-8, name);
    }
    // What is not known of another category is its own deviation, too.
    let (name, mean, sd) = &weights[3];
    assert_eq!(name, "home where kind is another");
    close(*mean, expected["home"].0, 1e-8, name);
    close(*sd, (expected["home"].1.powi(2) + 0.3).sqrt(), 1e-8, name);
    // Without a common part nothing is known of another one.
    let apart = fit(&by_level, "white[item] + linear[home]*white[kind]", &fixed(&[("white.variance", 1.0)]));
    assert_eq!(apart.weights().len(), 3);
}

/// A league with a home advantage, an effect of the court for every player, and columns that mean nothing.
fn league(matches: usize, seed: u64) -> (Items, Sides, Vec<Answer>) {
    let mut rng = stream(seed, 0);
    let mut normal = || rather_numerics::random::normal(&mut rng);
    let players = 8;
    let level: Vec<f64> = (0..players).map(|_| normal()).collect();
    let on_court: Vec<f64> = (0..2 * players).map(|_| normal()).collect();
    let (mut items, mut home, mut luck, mut court, mut day) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut answers = Vec::new();
    for m in 0..matches {
        let (a, b) = (m % players, (m + 1 + m / players % (players - 1)) % players);
        let c = m / 3 % 2;
        items.extend([a as u32, b as u32]);
        home.extend([1.0, 0.0]);
        luck.extend([normal(), normal()]);
        court.extend([["clay", "grass"][c].to_owned(), ["clay", "grass"][c].to_owned()]);
        day.extend([m as f64; 2]);
        let utility = |i: usize| level[i] + on_court[2 * i + c];
        let z = utility(a) - utility(b) + 0.7 + std::f64::consts::SQRT_2 * normal();
        answers.push(if z > 0.0 {
            Answer::rather(2 * m, 2 * m + 1)
        } else {
            Answer::rather(2 * m + 1, 2 * m)
        });
    }
    let column = Column { name: "court".into(), values: ColumnValues::Text(court) };
    let columns = vec![
        numbers("luck", luck, false),
        numbers("home", home, false),
        ContextColumn { column, shared: true, date: false },
        ContextColumn { date: true, ..numbers("date", day, true) },
    ];
    let table = Items { keys: (0..players).map(|i| i.to_string()).collect(), columns: Vec::new() };
    (table, Sides { items, columns, ..Sides::default() }, answers)
}

#[test]
fn the_evidence_chooses_the_columns_that_matter() {
    let (table, sides, answers) = league(600, 7);
    let settings = FitSettings::default();
    let model = Model::fit_in_context(&table, &sides, &answers, &[], &settings, &|_| ()).unwrap();
    let expression = model.kernel_expression();
    assert!(
        expression.contains("linear[home]") && expression.contains("white * white[court]"),
        "{expression}"
    );
    assert!(!expression.contains("luck") && !expression.contains("date"), "{expression}");
    let (name, mean, sd) = &model.weights()[0];
    assert!(name == "home" && (mean - 0.7).abs() < 4.0 * sd, "{name} {mean} {sd}");
    // What was tried: the chosen one has the best score, and is what a fit of it alone finds.
    let tried = &model.report().tried;
    let best = tried.iter().max_by(|a, b| a.score.total_cmp(&b.score)).unwrap();
    assert!(tried.len() > 5 && best.kernel.expression.contains("linear[home]"), "{tried:?}");
    let given = FitSettings { kernel: KernelChoice::Given(best.kernel.clone()), ..FitSettings::default() };
    let again = Model::fit_in_context(&table, &sides, &answers, &[], &given, &|_| ()).unwrap();
    close(again.report().log_evidence, model.report().log_evidence, 1e-9, "evidence");
    // A file of it has all.
    let loaded = Model::from_parts(model.to_parts()).unwrap();
    assert_eq!(loaded.report(), model.report());
}

#[test]
fn columns_that_mean_nothing_leave_the_model_of_the_items() {
    let (table, sides, answers) = league(200, 8);
    let of_luck = Sides { columns: sides.columns[..1].to_vec(), ..sides.clone() };
    let model =
        Model::fit_in_context(&table, &of_luck, &answers, &[], &FitSettings::default(), &|_| ()).unwrap();
    let about = |a: &Answer| Answer {
        plus: sides.items[a.plus] as usize,
        minus: a.minus.map(|side| sides.items[side] as usize),
        ..*a
    };
    let plain: Vec<Answer> = answers.iter().map(about).collect();
    let of_items = Model::fit_given(&table, &plain, &[], &FitSettings::default(), &|_| ()).unwrap();
    assert_eq!(model.report().log_evidence, of_items.report().log_evidence);
    assert!(model.items().context().is_none());
    assert_eq!(model.report().tried.len(), of_items.report().tried.len() + 1);
}

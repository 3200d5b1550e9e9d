//! Writes a small model file of every kind, with its predictions beside it, for the tests of reading old files:
//!
//! ```text
//! cargo run --release -p rather-io --example model_fixtures -- crates/rather-io/tests/fixtures/v2
//! ```
//!
//! Run it once for each version of the format, before the next one, and commit what it writes. The files of a version are never
//! written again: they are what users have.

#[path = "../tests/fixtures/predictions.rs"]
mod predictions;

use rather::answers::{Answer, Answers};
use rather::exact::ExactSettings;
use rather::features::{Column, ColumnValues};
use rather::inference::Method;
use rather::inference::prior::Space;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::{Lapses, Link, ResponseModel};
use rather::many::Kind;
use rather::many::population::{Population, PopulationData, PopulationSettings};
use rather::model::{Ep, Exact, FitSettings, Inference, Items, Model, StreamingSettings};
use rather::representation::Representation;
use std::path::Path;

type Any = Box<dyn std::error::Error>;

const ITEMS: usize = 9;

fn main() -> Result<(), Any> {
    let folder = std::env::args().nth(1).ok_or("name the folder to write to")?;
    std::fs::create_dir_all(&folder)?;
    for (name, model) in models()? {
        let path = Path::new(&folder).join(format!("{name}.rather"));
        rather_io::save_model(&path, &model)?;
        record(&path)?;
    }
    for kind in Kind::ALL {
        let path = Path::new(&folder).join(format!("{}.rather", kind.name()));
        rather_io::save_population(&path, &population(kind)?)?;
        record(&path)?;
    }
    Ok(())
}

/// Writes the predictions of the model at `path` beside it.
fn record(path: &Path) -> Result<(), Any> {
    let predicted = predictions::predictions(&rather_io::load_saved(path)?);
    std::fs::write(path.with_extension("json"), serde_json::to_string_pretty(&predicted)? + "\n")?;
    Ok(())
}

/// Items with a number, a category and a label.
fn items() -> Items {
    let price = (0..ITEMS).map(|i| (3.7 * i as f64).sin() * 10.0 + 50.0).collect();
    let kind = (0..ITEMS).map(|i| ["black", "green"][i % 2].to_owned()).collect();
    let name = (0..ITEMS).map(|i| format!("tea {i}")).collect();
    let column = |name: &str, values| Column { name: name.to_owned(), values };
    let columns = vec![
        column("price", ColumnValues::Numeric(price)),
        column("kind", ColumnValues::Text(kind)),
        column("name", ColumnValues::Text(name)),
    ];
    Items { keys: (0..ITEMS).map(|i| format!("t{i}")).collect(), columns }
}

/// Items known by name only.
fn names() -> Items {
    Items { columns: Vec::new(), ..items() }
}

/// Pairs with repeats and contradictions.
fn pairs() -> Vec<(usize, usize)> {
    (0..16).map(|n| ((n * n + 1) % ITEMS, (3 * n + 2) % ITEMS)).filter(|(i, j)| i != j).collect()
}

fn duels() -> Vec<Answer> {
    pairs().into_iter().zip(0..).map(|((i, j), n)| Answer::rather(i, j).times(1 + n % 3)).collect()
}

fn kernel(expression: &str) -> FitSettings {
    let kernel = KernelChoice::Given(KernelSpec { expression: expression.to_owned(), ard: false });
    FitSettings { kernel, ..FitSettings::default() }
}

fn models() -> Result<Vec<(&'static str, Model)>, Any> {
    let (items, names) = (items(), names());
    let plain = kernel("se");
    let fit = |items: &Items, answers: &[Answer], users: &[String], settings: &FitSettings| {
        Model::fit_answers(items, answers, users, settings, &|_| ())
    };
    let duels = duels();
    let said = |response_model| FitSettings { response_model, ..plain.clone() };
    let exact = ExactSettings { samples: 60, ..ExactSettings::default() };
    let streaming = StreamingSettings { memory: Some(12), ..StreamingSettings::default() };
    let grades: Vec<Answer> = pairs()
        .into_iter()
        .zip(0..)
        .map(|((i, j), n)| if n % 4 == 0 { Answer::tie(i, j) } else { Answer::better(i, j, 1 + n % 3) })
        .collect();
    let ratings: Vec<Answer> =
        (0..14).map(|n| Answer::rated(n % ITEMS, ((n * n + 1) % 4) as u16)).chain(duels.clone()).collect();
    let values: Vec<Answer> = (0..ITEMS)
        .map(|i| match i % 3 {
            0 => Answer::at_least(i, 1.5),
            1 => Answer::at_most(i, 4.0),
            _ => Answer::measured(i, (i as f64).cos() + 3.0),
        })
        .collect();
    let labels: Vec<Answer> = (0..ITEMS).map(|i| Answer::labelled(i, i % 3 == 0)).collect();
    let users = ["ann", "bob"].map(str::to_owned);
    let sided: Vec<Answer> = duels
        .iter()
        .zip(0..)
        .map(|(o, n)| o.shown_left(o.plus).by(n % 2).with_noise(1.0 + (n % 2) as f64))
        .collect();
    let lapse_bias = ResponseModel { lapses: Lapses::Learned, bias: true, ..ResponseModel::default() };
    let user_noise = ResponseModel { user_noise: true, ..ResponseModel::default() };
    let robust = ResponseModel { robust: true, ..ResponseModel::default() };
    let logistic = ResponseModel { link: Link::Logistic, ..ResponseModel::default() };
    // Whole numbers that are no row numbers, as keys of a database.
    let numbered =
        Items { keys: [4, 2, 3, 1, 10, 12, 11, 0, 7].map(|i: u8| i.to_string()).into(), ..items.clone() };
    Ok(vec![
        ("numbered", fit(&numbered, &duels, &[], &plain)?),
        (
            "ep",
            fit(&items, &duels, &[], &kernel("matern32[price] * categorical[kind] + linear[price] + white"))?,
        ),
        (
            "pairs",
            fit(
                &items,
                &duels[..5],
                &[],
                &FitSettings {
                    inference: Inference::Ep(Ep { space: Some(Space::Pairs), ..Ep::default() }),
                    ..plain.clone()
                },
            )?,
        ),
        (
            "laplace",
            fit(&items, &duels, &[], &FitSettings { inference: Method::Laplace.into(), ..plain.clone() })?,
        ),
        (
            "exact",
            fit(
                &names,
                &duels,
                &[],
                &FitSettings {
                    inference: Inference::Exact(Exact { sampling: exact, ..Exact::default() }),
                    ..kernel("white")
                },
            )?,
        ),
        (
            "streaming",
            fit(
                &items,
                &duels,
                &[],
                &FitSettings { inference: Inference::Streaming(streaming), ..plain.clone() },
            )?,
        ),
        (
            "sparse",
            fit(
                &names,
                &duels,
                &[],
                &FitSettings {
                    inference: Inference::Ep(Ep { representation: Representation::Sparse, ..Ep::default() }),
                    ..kernel("white")
                },
            )?,
        ),
        (
            "low-rank",
            fit(
                &items,
                &duels,
                &[],
                &FitSettings {
                    inference: Inference::Ep(Ep {
                        representation: Representation::LowRank(4),
                        ..Ep::default()
                    }),
                    ..plain.clone()
                },
            )?,
        ),
        ("grades", fit(&items, &grades, &[], &plain)?),
        ("ratings", fit(&items, &ratings, &[], &plain)?),
        ("values", fit(&items, &values, &[], &said(robust))?),
        ("labels", fit(&items, &labels, &[], &plain)?),
        ("lapse-bias", fit(&items, &sided, &users, &said(lapse_bias))?),
        ("user-noise", fit(&items, &sided, &users, &said(user_noise))?),
        ("logistic", fit(&items, &duels, &[], &said(logistic))?),
    ])
}

/// Five users with a feature, of whom the last never answered.
fn population(kind: Kind) -> Result<Population, Any> {
    let age =
        Column { name: "age".to_owned(), values: ColumnValues::Numeric(vec![20.0, 35.0, 28.0, 61.0, 44.0]) };
    let users =
        Items { keys: ["ann", "bob", "cem", "dan", "eve"].map(str::to_owned).into(), columns: vec![age] };
    let ask = |n: usize| {
        let (winner, loser) = (n * n % ITEMS, (n * n + 1 + n % 3) % ITEMS);
        Answer::rather(winner, loser).by(n % 4).times(1 + n as u32 % 2)
    };
    let answers: Answers = (0..24).map(ask).collect();
    let data = PopulationData { items: &items(), users: &users, answers: &answers };
    let kernel = KernelChoice::Given(KernelSpec { expression: "se[price]".to_owned(), ard: false });
    let settings = PopulationSettings { kernel, functions: 3, ..PopulationSettings::new(kind) };
    Ok(Population::fit(&data, &settings, &|_| ())?)
}

//! `rather predict --threshold`: where along a feature "yes" has a probability.

use crate::args::PredictArgs;
use crate::data::same;
use crate::failure::Failure;
use crate::fitted::Fitted;
use crate::output::{Output, object};
use crate::people::People;
use crate::table::{Side, Table, number, wrap};
use rather::Threshold;
use rather::features::{Column, ColumnValues, Encoding};
use rather::model::Catalogue;
use rather::model::Items;
use serde::Serialize;

/// Places along the feature.
const PLACES: usize = 201;

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    column: &'a str,
    /// The range of the items, beyond which nothing is looked for.
    range: [f64; 2],
    /// Where other features are held.
    #[serde(serialize_with = "object")]
    held: Vec<(String, serde_json::Value)>,
    thresholds: Vec<Line>,
}

/// One threshold; null beyond the range.
#[derive(Serialize)]
struct Line {
    probability: f64,
    at: Option<f64>,
    lower: Option<f64>,
    upper: Option<f64>,
}

/// Finds thresholds, and prints them.
pub(super) fn run(
    fitted: &Fitted<'_>,
    name: &str,
    args: &PredictArgs,
    seed: u64,
    mut out: Output,
) -> Result<(), Failure> {
    let (items, path) = (fitted.items(), fitted.path.display());
    let people = People::read(fitted, &args.who, &mut out)?;
    let person = people.asked()?;
    if person.label_probabilities(&items.points().select(&[0])).is_none() {
        return Err(Failure::User(format!(
            "--threshold {name}: {path} has not learned labels; thresholds are of \"yes\" in tables of item,label"
        )));
    }
    let features = &items.encoder().features;
    let Some(dim) = features.iter().position(|(known, _)| same(known, name)) else {
        let known: Vec<String> = features.iter().map(|(known, _)| format!("\"{known}\"")).collect();
        return Err(Failure::User(format!(
            "--threshold {name}: {path} has no such feature; its features are {}",
            if known.is_empty() { "none".to_owned() } else { known.join(", ") }
        )));
    };
    let (column, Encoding::Numeric { center, scale }) = &features[dim] else {
        return Err(Failure::User(format!(
            "--threshold {name}: this feature has categories; a threshold is along one of numbers"
        )));
    };
    let encoded = |dim: usize| (0..items.points().len()).map(move |i| items.points().row(i)[dim]);
    let (low, high) = encoded(dim).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    let range = [low, high].map(|x| x * scale + center);
    let x: Vec<f64> =
        (0..PLACES).map(|k| range[0] + (range[1] - range[0]) * k as f64 / (PLACES - 1) as f64).collect();
    let (columns, held) = columns(items, dim, &x);
    let keys = (0..PLACES).map(|k| format!("{column} {k}")).collect();
    let points = items.encode(&Items { keys, columns })?;
    let found = person.thresholds(&points, &x, &args.at_probability, seed)?;
    let line = |t: Threshold| Line { probability: t.probability, at: t.at, lower: t.lower, upper: t.upper };
    let report = Report { column, range, held, thresholds: found.into_iter().map(line).collect() };
    print(&report, args.csv, out)
}

/// The features of items along one of them, the others held at their mean or most common category, and at which.
fn columns(items: &Catalogue, dim: usize, x: &[f64]) -> (Vec<Column>, Vec<(String, serde_json::Value)>) {
    let (mut columns, mut held) = (Vec::new(), Vec::new());
    for (d, (name, encoding)) in items.encoder().features.iter().enumerate() {
        let encoded: Vec<f64> = (0..items.points().len()).map(|i| items.points().row(i)[d]).collect();
        let values = match encoding {
            // What is asked about has its numbers.
            Encoding::Missing { .. } => continue,
            Encoding::Numeric { .. } if d == dim => ColumnValues::Numeric(x.to_vec()),
            Encoding::Numeric { center, scale } => {
                let mean = encoded.iter().sum::<f64>() / encoded.len() as f64 * scale + center;
                held.push((name.clone(), mean.into()));
                ColumnValues::Numeric(vec![mean; x.len()])
            }
            Encoding::Categorical { levels } => {
                let often = |level: usize| encoded.iter().filter(|&&x| x == level as f64).count();
                // Of several the first.
                let most = (0..levels.len()).rev().max_by_key(|&level| often(level)).unwrap_or_default();
                let level = levels.get(most).cloned().unwrap_or_default();
                held.push((name.clone(), level.clone().into()));
                ColumnValues::Text(vec![level; x.len()])
            }
        };
        columns.push(Column { name: name.clone(), values });
    }
    (columns, held)
}

fn print(report: &Report<'_>, csv: bool, out: Output) -> Result<(), Failure> {
    if out.json {
        return out.json(report);
    }
    if csv {
        let cell = |x: Option<f64>| x.map(|x| x.to_string()).unwrap_or_default();
        let row = |l: &Line| [l.probability.to_string(), cell(l.at), cell(l.lower), cell(l.upper)];
        return out.csv(["probability", "at", "lower", "upper"], report.thresholds.iter().map(row));
    }
    let mut table =
        Table::new([("yes", Side::Right), (report.column, Side::Right), ("95 % interval", Side::Left)]);
    let [low, high] = report.range.map(number);
    for Line { probability, at, lower, upper } in &report.thresholds {
        let shown = |x: &Option<f64>, beyond: &str| x.map_or_else(|| beyond.to_owned(), number);
        table.push([
            format!("{} %", 100.0 * probability),
            shown(at, "beyond"),
            format!(
                "{} to {}",
                shown(lower, &format!("below {low}")),
                shown(upper, &format!("above {high}"))
            ),
        ]);
    }
    let held: Vec<String> = report
        .held
        .iter()
        .map(|(name, value)| match value.as_f64() {
            Some(x) => format!("{name}: {}", number(x)),
            None => format!("{name}: {}", value.as_str().unwrap_or_default()),
        })
        .collect();
    let others = match held.is_empty() {
        true => String::new(),
        false => wrap(&format!("Other features at their mean or most common value: {}.", held.join(", "))),
    };
    out.text(&(table.render() + &others))
}

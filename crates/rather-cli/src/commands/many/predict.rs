//! `rather predict` on a model of many users.

use super::who::People;
use super::{Pool, too_far};
use crate::args::PredictArgs;
use crate::failure::Failure;
use crate::output::Output;
use crate::table::{Side, Table};
use rather::many::Population;
use rather_io::ItemTable;
use serde::Serialize;
use std::collections::BTreeMap;

/// One answer.
#[derive(Serialize)]
struct Prediction<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
    left: &'a str,
    right: &'a str,
    probability: f64,
}

/// Runs the command.
pub(crate) fn run(args: &PredictArgs, model: &Population, mut out: Output) -> Result<(), Failure> {
    if args.sharp {
        return Err(Failure::User(format!(
            "{} is a model of many users, for which --sharp has no meaning; leave it out",
            args.model.display()
        )));
    }
    let (pool, place) = match &args.items {
        Some(path) => {
            let both = format!("{} or {}", path.display(), args.model.display());
            (Pool::read(path, model, true)?, both.into())
        }
        None => (Pool::of_model(model), args.model.clone()),
    };
    let items = ItemTable::new(place, "item".to_owned(), pool.keys.clone(), Vec::new())?;
    let table = rather_io::read_pairs(&args.pairs, &items)?;
    for note in &table.notes {
        out.warn(note);
    }
    if let (Some(_), Some(_)) = (&table.users, &args.who.user) {
        return Err(Failure::User(format!(
            "{} has a column \"user\", and --user names one, too; keep one of them",
            args.pairs.display()
        )));
    }
    let people = People::read(model, &args.model, &args.who, &mut out)?;
    let probabilities = match &table.users {
        None => people.asked()?.probabilities(&pool.items, &table.pairs, model.model().likelihood()),
        Some(names) => by_user(&people, names, &table.pairs, &pool, model)?,
    };
    if let Some(i) = probabilities.iter().position(|p| !p.is_finite()) {
        let (left, right) = table.pairs[i];
        return Err(too_far(&format!(
            "the probability for \"{}\" and \"{}\"",
            pool.keys[left], pool.keys[right]
        )));
    }
    let user =
        |row: usize| table.users.as_ref().map(|names| names[row].as_str()).or(args.who.user.as_deref());
    let predictions: Vec<Prediction<'_>> = (0..table.pairs.len())
        .map(|row| Prediction {
            user: user(row),
            left: &pool.keys[table.pairs[row].0],
            right: &pool.keys[table.pairs[row].1],
            probability: probabilities[row],
        })
        .collect();
    if out.json {
        return out.json(&predictions);
    }
    if args.csv {
        let row = |p: &Prediction<'_>| {
            [
                p.user.unwrap_or("").to_owned(),
                p.left.to_owned(),
                p.right.to_owned(),
                p.probability.to_string(),
            ]
        };
        return out.csv(["user", "left", "right", "probability"], predictions.iter().map(row));
    }
    out.text(&describe(&predictions))
}

/// Each row by its own user; what is believed about a user is computed once.
fn by_user(
    people: &People<'_>,
    names: &[String],
    pairs: &[(usize, usize)],
    pool: &Pool,
    model: &Population,
) -> Result<Vec<f64>, Failure> {
    let mut rows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (row, name) in names.iter().enumerate() {
        rows.entry(name).or_default().push(row);
    }
    let mut out = vec![0.0; pairs.len()];
    for (name, rows) in rows {
        let own: Vec<(usize, usize)> = rows.iter().map(|&row| pairs[row]).collect();
        let found = people.named(name)?.probabilities(&pool.items, &own, model.model().likelihood());
        rows.into_iter().zip(found).for_each(|(row, p)| out[row] = p);
    }
    Ok(out)
}

fn describe(predictions: &[Prediction<'_>]) -> String {
    let mut table = Table::new([
        ("user", Side::Left),
        ("left", Side::Left),
        ("right", Side::Left),
        ("left is preferred", Side::Right),
    ]);
    for p in predictions {
        table.push([
            p.user.unwrap_or_default().to_owned(),
            p.left.to_owned(),
            p.right.to_owned(),
            format!("{:.1} %", 100.0 * p.probability),
        ]);
    }
    table.render()
}

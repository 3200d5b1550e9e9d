//! `rather predict` on a model of many users.

use super::who::People;
use super::{Pool, too_far};
use crate::args::PredictArgs;
use crate::commands::predict::{Prediction, print};
use crate::failure::Failure;
use crate::output::Output;
use rather::many::{Population, UserPosterior};
use rather_io::ItemTable;
use std::collections::BTreeMap;

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
    let found = match &table.users {
        None => predicted(&people.asked()?, &table.pairs, &pool, model),
        Some(names) => by_user(&people, names, &table.pairs, &pool, model)?,
    };
    if let Some(i) = found.iter().position(|(p, _)| !p.is_finite()) {
        let (left, right) = table.pairs[i];
        return Err(too_far(&format!(
            "the probability for \"{}\" and \"{}\"",
            pool.keys[left], pool.keys[right]
        )));
    }
    let user =
        |row: usize| table.users.as_ref().map(|names| names[row].as_str()).or(args.who.user.as_deref());
    let predictions: Vec<Prediction<'_>> = found
        .into_iter()
        .enumerate()
        .map(|(row, (probability, outcomes))| Prediction {
            user: user(row),
            left: &pool.keys[table.pairs[row].0],
            right: &pool.keys[table.pairs[row].1],
            probability,
            outcomes,
        })
        .collect();
    print(&predictions, args.csv, true, out)
}

/// The probability that the left item is preferred, and what may be said with its probability.
type Found = (f64, Vec<(String, f64)>);

fn predicted(user: &UserPosterior, pairs: &[(usize, usize)], pool: &Pool, model: &Population) -> Vec<Found> {
    let likelihoods = model.model().responses().likelihoods();
    let named = |outcomes: Vec<(rather::likelihood::Preference, f64)>| {
        outcomes.into_iter().map(|(outcome, p)| (outcome.name(&model.naming().grades), p)).collect()
    };
    let outcomes = user.outcomes(&pool.items, pairs, likelihoods).into_iter().map(named);
    user.probabilities(&pool.items, pairs, likelihoods).into_iter().zip(outcomes).collect()
}

/// Each row by its own user; what is believed about a user is computed once.
fn by_user(
    people: &People<'_>,
    names: &[String],
    pairs: &[(usize, usize)],
    pool: &Pool,
    model: &Population,
) -> Result<Vec<Found>, Failure> {
    let mut rows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (row, name) in names.iter().enumerate() {
        rows.entry(name).or_default().push(row);
    }
    let mut out = vec![Found::default(); pairs.len()];
    for (name, rows) in rows {
        let own: Vec<(usize, usize)> = rows.iter().map(|&row| pairs[row]).collect();
        let found = predicted(&people.named(name)?, &own, pool, model);
        rows.into_iter().zip(found).for_each(|(row, p)| out[row] = p);
    }
    Ok(out)
}

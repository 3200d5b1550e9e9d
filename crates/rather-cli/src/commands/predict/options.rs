//! `rather predict` of sets of options: which of them is the best, and which the worst.

use super::by_user;
use crate::failure::Failure;
use crate::output::Output;
use crate::people::People;
use crate::pool::{Pool, too_far};
use crate::table::{Side, Table};
use rather::Person;
use rather_io::OptionTable;
use serde::Serialize;

/// One option of a set.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
    /// The row of its set, the first of which is 1.
    set: usize,
    item: &'a str,
    probability_of_best: f64,
    probability_of_worst: f64,
}

/// What a table asks of whom.
pub(super) struct Asked<'a> {
    pub(super) pool: &'a Pool,
    pub(super) people: &'a People<'a>,
    /// Whom the flags name.
    pub(super) user: Option<&'a str>,
    /// Whether the model is of many users.
    pub(super) many: bool,
}

/// Predicts, and prints.
pub(super) fn run(table: OptionTable, asked: &Asked<'_>, csv: bool, mut out: Output) -> Result<(), Failure> {
    for note in &table.notes {
        out.warn(note);
    }
    let users = table.users.filter(|_| asked.many);
    let of = |person: &Person<'_>, rows: &[usize]| {
        rows.iter().map(|&row| extremes(person, asked.pool, &table.sets[row])).collect::<Result<Vec<_>, _>>()
    };
    let found = match &users {
        None => of(&asked.people.asked()?, &(0..table.sets.len()).collect::<Vec<_>>())?,
        Some(names) => by_user(asked.people, names, of)?,
    };
    let user = |row: usize| users.as_ref().map(|names| names[row].as_str()).or(asked.user);
    let mut lines = Vec::new();
    for (row, (set, [best, worst])) in table.sets.iter().zip(&found).enumerate() {
        for ((&item, &probability_of_best), &probability_of_worst) in set.iter().zip(best).zip(worst) {
            let item = &asked.pool.keys[item];
            let set = row + 1;
            lines.push(Line { user: user(row), set, item, probability_of_best, probability_of_worst });
        }
    }
    if out.json {
        return out.json(&lines);
    }
    let names = |line: &Line<'_>| {
        let user = asked.many.then(|| line.user.unwrap_or_default().to_owned());
        user.into_iter().chain([line.set.to_string(), line.item.to_owned()])
    };
    let head = || asked.many.then_some("user").into_iter().chain(["set", "item"]);
    if csv {
        let header = head().chain(["probability_of_best", "probability_of_worst"]);
        let numbers =
            |line: &Line<'_>| [line.probability_of_best, line.probability_of_worst].map(|p| p.to_string());
        let row = |line: &Line<'_>| names(line).chain(numbers(line)).collect::<Vec<String>>();
        return out.csv(header.map(str::to_owned), lines.iter().map(row));
    }
    let left = head().map(|name| (name, Side::Left));
    let mut text = Table::new(left.chain([("is the best", Side::Right), ("is the worst", Side::Right)]));
    let percent = |p: f64| format!("{:.1} %", 100.0 * p);
    for line in &lines {
        let numbers = [line.probability_of_best, line.probability_of_worst].map(percent);
        text.push(names(line).chain(numbers));
    }
    out.text(&text.render())
}

fn extremes(person: &Person<'_>, pool: &Pool, set: &[usize]) -> Result<[Vec<f64>; 2], Failure> {
    let points = pool.points.select(set);
    let found = person.extremes(&points, &(0..set.len()).collect::<Vec<_>>())?;
    if found.iter().flatten().any(|p| !p.is_finite()) {
        let keys: Vec<&str> = set.iter().map(|&item| pool.keys[item].as_str()).collect();
        return Err(too_far(&format!("the probability for \"{}\"", keys.join("\", \""))));
    }
    Ok(found)
}

//! `rather predict` of single items: utilities, and what would be said of each.

use super::{by_user, interval};
use crate::failure::Failure;
use crate::output::{Output, object};
use crate::people::People;
use crate::pool::{Pool, too_far};
use crate::table::{Side, Table, number};
use rather::Person;
use rather_io::SingleTable;
use serde::Serialize;

/// What is expected of an item.
#[derive(Debug, Clone, Default, Serialize)]
struct Expected {
    utility: f64,
    utility_sd: f64,
    utility_lower: f64,
    utility_upper: f64,
    /// Of yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    probability_of_yes: Option<f64>,
    /// Of being good, where others are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    probability_of_good: Option<f64>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    rating: Option<Rating>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
}

/// The rating that will be given.
#[derive(Debug, Clone, Serialize)]
struct Rating {
    rating: f64,
    rating_lower: f64,
    rating_upper: f64,
    #[serde(serialize_with = "object")]
    ratings: Vec<(String, f64)>,
}

/// The value that will be measured.
#[derive(Debug, Clone, Serialize)]
struct Value {
    value: f64,
    value_lower: f64,
    value_upper: f64,
}

/// One item.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
    item: &'a str,
    #[serde(flatten)]
    expected: Expected,
}

/// What a table asks of whom.
pub(super) struct Asked<'a> {
    pub(super) pool: &'a Pool,
    pub(super) people: &'a People<'a>,
    /// The levels of a rating as the table had them.
    pub(super) levels: &'a [f64],
    /// Whom the flags name.
    pub(super) user: Option<&'a str>,
    /// Whether the model is of many users.
    pub(super) many: bool,
}

/// Predicts, and prints.
pub(super) fn run(table: SingleTable, asked: &Asked<'_>, csv: bool, mut out: Output) -> Result<(), Failure> {
    for note in &table.notes {
        out.warn(note);
    }
    let users = table.users.filter(|_| asked.many);
    let of = |person: &Person<'_>, rows: &[usize]| {
        expected(person, asked, &rows.iter().map(|&row| table.items[row]).collect::<Vec<_>>())
    };
    let all: Vec<usize> = (0..table.items.len()).collect();
    let found = match &users {
        None => of(&asked.people.asked()?, &all)?,
        Some(names) => by_user(asked.people, names, of)?,
    };
    let user = |row: usize| users.as_ref().map(|names| names[row].as_str()).or(asked.user);
    let line = |(row, expected)| Line { user: user(row), item: &asked.pool.keys[table.items[row]], expected };
    let lines: Vec<Line<'_>> = found.into_iter().enumerate().map(line).collect();
    if out.json {
        out.json(&lines)
    } else if csv {
        as_csv(&lines, asked.many, out)
    } else {
        out.text(&as_text(&lines, asked.many))
    }
}

fn expected(person: &Person<'_>, asked: &Asked<'_>, items: &[usize]) -> Result<Vec<Expected>, Failure> {
    let points = asked.pool.points.select(items);
    let utilities = person.utilities(&points);
    let yes = person.label_probabilities(&points);
    let good = person.good_probabilities(&points);
    let ratings = person.ratings(&points);
    let values = person.values(&points);
    let one = |(k, &item): (usize, &usize)| {
        let (mean, sd) = (utilities.mean[k], utilities.variance[k].sqrt());
        if !(mean.is_finite() && sd.is_finite()) {
            return Err(too_far(&format!("the utility of \"{}\"", asked.pool.keys[item])));
        }
        let [utility_lower, utility_upper] = interval(mean, sd);
        Ok(Expected {
            utility: mean,
            utility_sd: sd,
            utility_lower,
            utility_upper,
            probability_of_yes: yes.as_ref().map(|p| p[k]),
            probability_of_good: good.as_ref().map(|p| p[k]),
            rating: ratings.get(k).filter(|p| !p.is_empty()).map(|p| Rating::new(p, asked.levels)),
            value: values.as_ref().map(|values| Value {
                value: values[k].mean(),
                value_lower: values[k].quantile(0.025),
                value_upper: values[k].quantile(0.975),
            }),
        })
    };
    items.iter().enumerate().map(one).collect()
}

impl Rating {
    /// Of the probabilities of the levels, the lowest first; without ratings for them they are numbered from 1.
    fn new(probabilities: &[f64], levels: &[f64]) -> Self {
        let level = |k: usize| levels.get(k).copied().unwrap_or((k + 1) as f64);
        let quantile = |q: f64| {
            let mut sum = 0.0;
            let reached = |p: &f64| {
                sum += p;
                sum >= q
            };
            level(probabilities.iter().position(reached).unwrap_or(probabilities.len() - 1))
        };
        Self {
            rating: probabilities.iter().enumerate().map(|(k, p)| level(k) * p).sum(),
            rating_lower: quantile(0.025),
            rating_upper: quantile(0.975),
            ratings: probabilities.iter().enumerate().map(|(k, p)| (level(k).to_string(), *p)).collect(),
        }
    }
}

fn as_csv(lines: &[Line<'_>], many: bool, out: Output) -> Result<(), Failure> {
    let cells = |line: &Line<'_>| {
        let e = &line.expected;
        let mut all: Vec<(String, String)> = Vec::new();
        let mut add = |name: &str, x: f64| all.push((name.to_owned(), x.to_string()));
        add("utility", e.utility);
        add("utility_sd", e.utility_sd);
        add("utility_lower", e.utility_lower);
        add("utility_upper", e.utility_upper);
        e.probability_of_yes.iter().for_each(|&p| add("probability_of_yes", p));
        e.probability_of_good.iter().for_each(|&p| add("probability_of_good", p));
        if let Some(rating) = &e.rating {
            add("rating", rating.rating);
            add("rating_lower", rating.rating_lower);
            add("rating_upper", rating.rating_upper);
            rating.ratings.iter().for_each(|(level, p)| add(&format!("probability of rating {level}"), *p));
        }
        if let Some(value) = &e.value {
            add("value", value.value);
            add("value_lower", value.value_lower);
            add("value_upper", value.value_upper);
        }
        let user = many.then(|| ("user".to_owned(), line.user.unwrap_or_default().to_owned()));
        let named = user.into_iter().chain([("item".to_owned(), line.item.to_owned())]);
        named.chain(all).unzip::<_, _, Vec<_>, Vec<_>>()
    };
    let header = lines.first().map(cells).unwrap_or_default().0;
    out.csv(header, lines.iter().map(|line| cells(line).1))
}

fn as_text(lines: &[Line<'_>], many: bool) -> String {
    let head = [
        ("user", Side::Left),
        ("item", Side::Left),
        ("utility", Side::Right),
        ("95 % of utility", Side::Left),
        ("yes", Side::Right),
        ("good", Side::Right),
        ("rating", Side::Right),
        ("95 % of ratings", Side::Left),
        ("value", Side::Right),
        ("95 % of values", Side::Left),
    ];
    let mut table = Table::new(head);
    let range = |low: f64, high: f64| format!("{} to {}", number(low), number(high));
    let percent = |p: Option<f64>| p.map(|p| format!("{:.1} %", 100.0 * p)).unwrap_or_default();
    for Line { user, item, expected: e } in lines {
        let rating = e.rating.as_ref();
        let value = e.value.as_ref();
        table.push([
            if many { user.unwrap_or_default().to_owned() } else { String::new() },
            (*item).to_owned(),
            number(e.utility),
            range(e.utility_lower, e.utility_upper),
            percent(e.probability_of_yes),
            percent(e.probability_of_good),
            rating.map(|r| number(r.rating)).unwrap_or_default(),
            rating.map(|r| format!("{} to {}", r.rating_lower, r.rating_upper)).unwrap_or_default(),
            value.map(|v| number(v.value)).unwrap_or_default(),
            value.map(|v| range(v.value_lower, v.value_upper)).unwrap_or_default(),
        ]);
    }
    table.render()
}

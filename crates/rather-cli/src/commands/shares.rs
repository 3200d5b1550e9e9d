//! `rather shares`: which share of people would choose each of some items, if all of them were offered.

use crate::args::SharesArgs;
use crate::failure::Failure;
use crate::fitted::Fitted;
use crate::output::Output;
use crate::pool::{Pool, too_far};
use crate::ranking::Z95;
use crate::table::{Side, Table, wrap};
use rather::Person;
use rather_numerics::parallel;
use serde::Serialize;

/// One item of the market.
#[derive(Debug, Serialize)]
struct Line<'a> {
    item: &'a str,
    /// The mean over people of the probability that they choose it.
    share: f64,
    /// The 95 % interval of that mean for the people that those who answered are a sample of; of one person there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
    /// The share of people whose mean utility of it is the largest.
    first_choice: f64,
}

/// The fewest items of a market.
const FEWEST: usize = 2;

/// Runs the command.
pub(crate) fn run(args: &SharesArgs, mut out: Output) -> Result<(), Failure> {
    let fitted = Fitted::open(&args.model, &mut out)?;
    let pool = Pool::read(Some(&args.market), fitted.items())?;
    let offered: Vec<usize> = (0..pool.keys.len()).collect();
    if offered.len() < FEWEST {
        return Err(Failure::User(format!(
            "{} has one item; a market has at least {FEWEST}",
            args.market.display()
        )));
    }
    let people: Vec<Person<'_>> = match fitted.many() {
        None => vec![Person::Single(fitted.single()?)],
        Some(population) => {
            let said = (0..population.users().keys().len())
                .filter(|&user| !population.answers().of_user(user).is_empty());
            let person = |user| Ok(Person::User(population, population.model().user(user)?));
            said.map(person).collect::<Result<_, Failure>>()?
        }
    };
    let one = |k: usize| -> Result<(Vec<f64>, usize), Failure> {
        let [chosen, _] = people[k].extremes(&pool.points, &offered)?;
        Ok((chosen, people[k].rank(&pool.points)[0].item))
    };
    let found: Vec<(Vec<f64>, usize)> =
        parallel::map(people.len(), 1, one).into_iter().collect::<Result<_, Failure>>()?;
    let lines: Vec<Line<'_>> = offered.iter().map(|&item| line(&pool.keys[item], item, &found)).collect();
    if let Some(line) = lines.iter().find(|line| !line.share.is_finite()) {
        return Err(too_far(&format!("the share of \"{}\"", line.item)));
    }
    if out.json {
        return out.json(&lines);
    }
    if args.csv {
        let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
        let row = |line: &Line<'_>| {
            let Line { item, share, low, high, first_choice } = line;
            [(*item).to_owned(), share.to_string(), number(*low), number(*high), first_choice.to_string()]
        };
        return out.csv(["item", "share", "low", "high", "first_choice"], lines.iter().map(row));
    }
    out.text(&text(&lines, people.len()))
}

/// The share of an item, of what each person would choose and likes best.
fn line<'a>(key: &'a str, item: usize, found: &[(Vec<f64>, usize)]) -> Line<'a> {
    let n = found.len() as f64;
    let share = found.iter().map(|(chosen, _)| chosen[item]).sum::<f64>() / n;
    let squares: f64 = found.iter().map(|(chosen, _)| (chosen[item] - share).powi(2)).sum();
    let margin = (found.len() > 1).then(|| Z95 * (squares / (n - 1.0) / n).sqrt());
    let first = found.iter().filter(|(_, best)| *best == item).count() as f64;
    Line {
        item: key,
        share,
        low: margin.map(|margin| (share - margin).max(0.0)),
        high: margin.map(|margin| (share + margin).min(1.0)),
        first_choice: first / n,
    }
}

fn text(lines: &[Line<'_>], people: usize) -> String {
    let percent = |p: f64| format!("{:.1} %", 100.0 * p);
    let columns = [
        ("item", Side::Left),
        ("share", Side::Right),
        ("95 % interval", Side::Right),
        ("first choice", Side::Right),
    ];
    let mut table = Table::new(columns);
    for Line { item, share, low, high, first_choice } in lines {
        let interval = low.zip(*high).map(|(low, high)| format!("{} to {}", percent(low), percent(high)));
        table.push([
            (*item).to_owned(),
            percent(*share),
            interval.unwrap_or_default(),
            percent(*first_choice),
        ]);
    }
    let notes = match people {
        1 => "The share is the probability that this person chooses the item, if all of these are offered."
            .to_owned(),
        _ => format!(
            "Of {people} people. The share is the mean probability that a person chooses the item, if all of these are offered; its \
             interval is for the people whom these are a sample of. First choice: whose mean utility of it is the largest."
        ),
    };
    format!("{}\n{}", table.render(), wrap(&notes))
}

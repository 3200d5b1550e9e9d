//! What sorting came to: the list in order, and how the judges did.

use super::Asked;
use crate::args::SortArgs;
use crate::failure::Failure;
use crate::output::Output;
use crate::pool::Pool;
use crate::ranking::{PLACES, Placed, units};
use crate::table::{Side, Table, counted, number, wrap};
use rather::Person;
use rather_study::sort::{Goal, Progress, Record, Sort, Stop};
use serde::Serialize;

/// A judge, as the answers and this run have them.
#[derive(Debug, Serialize)]
struct Judged {
    #[serde(flatten)]
    record: Record,
    /// Questions that were not answered, in this run.
    failures: u64,
}

#[derive(Serialize)]
struct Report<'a> {
    ranking: &'a [Placed<'a>],
    judges: &'a [Judged],
    #[serde(flatten)]
    progress: Progress,
    calls: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    spent: Option<f64>,
    study: String,
    warnings: Vec<String>,
}

/// Shows the list as it is sorted now.
pub(super) fn show(
    sort: &mut Sort,
    asked: &Asked,
    args: &SortArgs,
    seed: u64,
    out: Output,
) -> Result<(), Failure> {
    let progress = sort.progress()?;
    let study = sort.study().path().display().to_string();
    let failures = |record: Record| {
        let failures = asked.failures.get(&record.name).copied().unwrap_or(0);
        Judged { record, failures }
    };
    let judges: Vec<Judged> = sort.records()?.into_iter().map(failures).collect();
    let Some(model) = sort.model()? else {
        return Err(Failure::User(format!("there is no answer yet, so nothing is sorted; {study} is kept")));
    };
    let top = match args.until {
        Some(Goal::Top { k, .. }) => Some(k),
        _ => None,
    };
    let pool = Pool::of_model(model.items());
    let person = Person::Single(model);
    let ranking = Placed::all(&person, &pool, top, seed)?;
    let spent = args.price.map(|price| price * asked.calls as f64);
    if out.json {
        let warnings = out.warnings().to_vec();
        let (ranking, judges, calls) = (&ranking, &judges, asked.calls);
        return out.json(&Report { ranking, judges, progress, calls, spent, study, warnings });
    }
    if args.csv {
        let columns = if top.is_some() { Placed::HEADER.len() } else { Placed::HEADER.len() - 1 };
        let rows = ranking.iter().map(|line| line.row().into_iter().take(columns));
        return out.csv(Placed::HEADER.into_iter().take(columns), rows);
    }
    let mut text = format!("{}\n", Placed::table(&ranking, ranking.len(), top));
    if judges.len() > 1 || judges.iter().any(|judge| judge.failures + judge.record.skipped > 0) {
        text += &format!("{}\n", table(&judges));
    }
    let paid = spent.map_or(String::new(), |spent| format!(" for {}", number(spent)));
    let calls = match asked.calls {
        0 => String::new(),
        calls => format!(", {}{paid}", counted(calls, "call")),
    };
    let notes = format!(
        "{}{calls}{}. {}\n{PLACES}\nThe answers are in {study}.",
        counted(progress.answers, "answer"),
        reason(args.until, &progress),
        units(person.hyperparameters()),
    );
    out.text(&(text + &wrap(&notes)))
}

/// Why asking ended, and how sure the order is.
fn reason(goal: Option<Goal>, progress: &Progress) -> String {
    let now = progress.reached.map(|x| match goal {
        Some(Goal::Best(_)) => format!("the first is the best with a probability of {:.0} %", 100.0 * x),
        Some(Goal::Top { k, .. }) => {
            format!(
                "each of the first {k} is among the {k} best with a probability of at least {:.0} %",
                100.0 * x
            )
        }
        _ => format!("the expected regret is {x:.2}"),
    });
    let why = match progress.stop {
        Some(Stop::Goal) => "; the goal is reached",
        Some(Stop::Budget) => "; the budget is spent",
        None => "; the budget has more",
    };
    format!("{why}{}", now.map_or(String::new(), |now| format!(": {now}")))
}

fn table(judges: &[Judged]) -> String {
    let mut table = Table::new([
        ("judge", Side::Left),
        ("answers", Side::Right),
        ("skipped", Side::Right),
        ("failures", Side::Right),
        ("noise", Side::Right),
        ("agrees with the order", Side::Right),
    ]);
    for Judged { record: Record { name, answers, skipped, noise, agreement }, failures } in judges {
        table.push([
            name.clone(),
            answers.to_string(),
            skipped.to_string(),
            failures.to_string(),
            noise.map_or(String::new(), |noise| format!("× {noise:.2}")),
            agreement.map_or(String::new(), |share| format!("{:.0} %", 100.0 * share)),
        ]);
    }
    table.render()
}

//! What sorting came to: the list in order, and how the judges did.

use super::Asked;
use crate::args::SortArgs;
use crate::failure::Failure;
use crate::output::Output;
use crate::pool::Pool;
use crate::ranking::{PLACES, Placed, units};
use crate::table::{Side, Table, counted, number, wrap};
use rather::Person;
use rather::model::Model;
use rather_study::sort::{Goal, Progress, Sort, Stop, Told};
use serde::Serialize;

/// A judge, as the answers have them.
#[derive(Debug, Serialize)]
struct Judged {
    name: String,
    answers: u64,
    /// Questions that were not answered, in this run.
    failures: u64,
    /// Standard deviation of the noise, relative to that of all judges.
    #[serde(skip_serializing_if = "Option::is_none")]
    noise: Option<f64>,
    /// The share of the answers that prefer the item which stands higher in the end; ties count half.
    agreement: f64,
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
    let (names, told) = (sort.judges()?, sort.answers()?.to_vec());
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
    let judges = judged(model, &names, &told, asked);
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
    if judges.len() > 1 || judges.iter().any(|judge| judge.failures > 0) {
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

/// How each judge did.
fn judged(model: &Model, names: &[String], told: &[Told], asked: &Asked) -> Vec<Judged> {
    let mean = model.utilities(model.points()).mean;
    let hyperparameters = model.reported_hyperparameters();
    let one = |(judge, name): (usize, &String)| {
        let own: Vec<&Told> = told.iter().filter(|told| told.judge == judge).collect();
        let agrees = |told: &&Told| {
            let ahead = mean[told.question.left] - mean[told.question.right];
            match told.answer.strength() {
                Some(strength) if strength != 0 => f64::from(u8::from(ahead * f64::from(strength) > 0.0)),
                _ => 0.5,
            }
        };
        let factor = format!("factor[{name}]");
        Judged {
            name: name.clone(),
            answers: own.len() as u64,
            failures: asked.failures.get(name).copied().unwrap_or(0),
            noise: hyperparameters.iter().find(|(known, _)| *known == factor).map(|(_, value)| *value),
            agreement: own.iter().map(agrees).sum::<f64>() / own.len().max(1) as f64,
        }
    };
    names.iter().enumerate().map(one).collect()
}

fn table(judges: &[Judged]) -> String {
    let mut table = Table::new([
        ("judge", Side::Left),
        ("answers", Side::Right),
        ("failures", Side::Right),
        ("noise", Side::Right),
        ("agrees with the order", Side::Right),
    ]);
    for Judged { name, answers, failures, noise, agreement } in judges {
        table.push([
            name.clone(),
            answers.to_string(),
            failures.to_string(),
            noise.map_or(String::new(), |noise| format!("× {noise:.2}")),
            format!("{:.0} %", 100.0 * agreement),
        ]);
    }
    table.render()
}

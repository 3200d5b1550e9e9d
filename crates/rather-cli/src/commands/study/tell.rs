//! `rather study tell`, `skip` and `undo`.

use super::Sides;
use crate::args::{SkipArgs, TellArgs, UndoArgs};
use crate::failure::Failure;
use crate::output::Output;
use crate::table::counted;
use rather_study::{Alternative, Answer, Study, Told};
use serde_json::json;

/// Runs `tell`.
pub(super) fn run(args: &TellArgs, mut out: Output) -> Result<(), Failure> {
    let (mut study, participant) = args.which.open(&mut out)?;
    let key = args.key.as_deref();
    let named: Vec<&String> = args.left.iter().chain(&args.right).chain(&args.option).collect();
    let option = |text: &&String| study.definition().parse(text).map_err(Failure::User);
    let options: Vec<Alternative> = named.iter().map(option).collect::<Result<_, _>>()?;
    let answer = answer(args, &mut study, &participant, &options)?;
    let told = match options.is_empty() {
        true => study.tell(&participant, args.comparison, answer, key)?,
        false => study.tell_about(&participant, &options, answer, key)?,
    };
    say(&study, &participant, &told, &sentence(&told), out)
}

/// What is answered about these options, or about those of the question that was asked.
fn answer(
    args: &TellArgs,
    study: &mut Study,
    participant: &str,
    options: &[Alternative],
) -> Result<Answer, Failure> {
    let worst = args.worst.as_deref();
    match (&args.best, &args.answer) {
        (Some(best), _) if options.is_empty() => {
            Ok(study.extremes(participant, args.comparison, best, worst)?)
        }
        (Some(best), _) => {
            let shown: Vec<String> = options.iter().map(ToString::to_string).collect();
            Ok(study.definition().extremes(&shown, best, worst)?)
        }
        (None, text) => Ok(study.definition().parse_answer(text.as_deref().unwrap_or_default())?),
    }
}

/// Runs `skip`.
pub(super) fn skip(args: &SkipArgs, mut out: Output) -> Result<(), Failure> {
    let (mut study, participant) = args.which.open(&mut out)?;
    let told = study.tell(&participant, args.comparison, Answer::Skip, args.key.as_deref())?;
    say(&study, &participant, &told, &sentence(&told), out)
}

/// Runs `undo`.
pub(super) fn undo(args: &UndoArgs, mut out: Output) -> Result<(), Failure> {
    let (mut study, participant) = args.which.open(&mut out)?;
    let told = study.undo(&participant, args.key.as_deref())?;
    say(&study, &participant, &told, &undone(&told), out)
}

fn say(study: &Study, participant: &str, told: &Told, text: &str, out: Output) -> Result<(), Failure> {
    if !out.json {
        return out.text(&format!("{text}\n"));
    }
    let sides = Sides::of(study, told.options());
    out.json(&json!({
        "study": study.name(), "participant": participant, "comparison": told.duel, "duel": told.duel,
        "left": sides.left, "right": sides.right, "options": sides.options,
        "answer": told.answer, "answers": told.answers, "again": told.again,
    }))
}

/// What was recorded.
pub(super) fn sentence(told: &Told) -> String {
    let known = if told.again { "; this was recorded before and counts once" } else { "" };
    format!("{}{}; {} so far{known}", number(told), outcome(told), counted(told.answers, "answer"))
}

/// What was undone.
pub(super) fn undone(told: &Told) -> String {
    let remain = if told.answers == 1 { "remains" } else { "remain" };
    let open = if told.duel.is_some() { "; the comparison is open again" } else { "" };
    format!("undone: {}{}; {} {remain}{open}", number(told), outcome(told), counted(told.answers, "answer"))
}

fn number(told: &Told) -> String {
    told.duel.map_or_else(String::new, |number| format!("comparison {number}: "))
}

fn outcome(told: &Told) -> String {
    let (left, right) = (&told.left, &told.right);
    let option = |number: u8| {
        told.options().nth(usize::from(number) - 1).map_or_else(String::new, ToString::to_string)
    };
    let options = || rather_io::list(&told.options().map(ToString::to_string).collect::<Vec<_>>());
    match told.answer {
        Answer::Left => format!("{left} rather than {right}"),
        Answer::Right => format!("{right} rather than {left}"),
        Answer::MuchLeft => format!("{left} is much better than {right}"),
        Answer::MuchRight => format!("{right} is much better than {left}"),
        Answer::LeftBy(number) => format!("{left} is better than {right} by {number}"),
        Answer::RightBy(number) => format!("{right} is better than {left} by {number}"),
        Answer::Tie => format!("no preference between {left} and {right}"),
        Answer::Best(best) => format!("{} is the best of {}", option(best), told.options().count()),
        Answer::BestAndWorst(best, worst) => {
            format!(
                "{} is the best of {} and {} the worst",
                option(best),
                told.options().count(),
                option(worst)
            )
        }
        _ if told.others.is_empty() => format!("skipped {left} and {right}"),
        _ => format!("skipped {}", options()),
    }
}

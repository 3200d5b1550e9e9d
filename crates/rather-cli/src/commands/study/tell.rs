//! `rather study tell`, `skip` and `undo`.

use super::side;
use crate::args::{SkipArgs, TellArgs, UndoArgs};
use crate::failure::Failure;
use crate::output::Output;
use crate::table::counted;
use rather_study::{Answer, Study, Told};
use serde_json::json;

/// Runs `tell`.
pub(super) fn run(args: &TellArgs, mut out: Output) -> Result<(), Failure> {
    let (mut study, participant) = args.which.open(&mut out)?;
    let key = args.key.as_deref();
    let answer = study.definition().answers.parse(&args.answer)?;
    let told = match (&args.left, &args.right) {
        (Some(left), Some(right)) => {
            let side = |text: &str| study.definition().parse(text).map_err(Failure::User);
            let (left, right) = (side(left)?, side(right)?);
            study.tell_pair(&participant, (&left, &right), answer, key)?
        }
        _ => study.tell(&participant, args.comparison, answer, key)?,
    };
    say(&study, &participant, &told, &sentence(&told), out)
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
    out.json(&json!({
        "study": study.name(), "participant": participant, "comparison": told.duel, "duel": told.duel,
        "left": side(study, &told.left), "right": side(study, &told.right),
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
    match told.answer {
        Answer::Left => format!("{left} rather than {right}"),
        Answer::Right => format!("{right} rather than {left}"),
        Answer::MuchLeft => format!("{left} is much better than {right}"),
        Answer::MuchRight => format!("{right} is much better than {left}"),
        Answer::Tie => format!("no preference between {left} and {right}"),
        _ => format!("skipped {left} and {right}"),
    }
}

//! `rather study ask`.

use super::{describe, side};
use crate::args::AskArgs;
use crate::failure::Failure;
use crate::output::{Output, printable};
use crate::table::counted;
use rather_study::{Ask, Asked, Study};
use serde_json::{Value, json};

/// Runs the command.
pub(super) fn run(args: &AskArgs, mut out: Output) -> Result<(), Failure> {
    let (mut study, participant) = args.which.open(&mut out)?;
    let asked = match study.ask(&participant)? {
        Ask::Duel(asked) => asked,
        Ask::Finished { answers } => return finished(args, &study, &participant, answers, out),
    };
    if asked.cut.is_some() {
        out.warn("the choice of this comparison was stopped by the time limit; time_limit in the definition sets it");
    }
    if out.json {
        // "duel" is what versions up to 0.1 called the comparison.
        out.json(&json!({
            "study": study.name(), "participant": participant, "question": study.definition().question,
            "comparison": asked.number, "duel": asked.number, "left": side(&study, &asked.left), "right": side(&study, &asked.right),
            "takes": study.definition().answers.all(), "answers": asked.answers, "again": asked.again, "planned": asked.planned, "cut": asked.cut,
            "finished": false,
        }))?;
    } else {
        let hint = args.which.hint("tell");
        let [first, others @ ..] = study.definition().answers.all() else { return Ok(()) };
        let others: Vec<String> = others.iter().map(|answer| answer.name().replace(' ', "-")).collect();
        let others = others.join(", ");
        out.text(&format!("{}\nanswer with: {hint} {first}    (or {others})\n", comparison(&study, &asked)))?;
    }
    // The comparison is on standard output: whatever follows is for the next one.
    if !args.no_ahead {
        study.plan_ahead(&participant, &|| true)?;
    }
    Ok(())
}

/// A comparison for people.
pub(super) fn comparison(study: &Study, asked: &Asked) -> String {
    let question = &study.definition().question;
    let [left, right] = [&asked.left, &asked.right].map(|side| describe(study, side));
    let so_far = counted(asked.answers, "answer");
    format!(
        "{}    (comparison {}, {so_far} so far)\n\n  left   {}\n  right  {}\n",
        printable(question),
        asked.number,
        printable(&left),
        printable(&right)
    )
}

fn finished(
    args: &AskArgs,
    study: &Study,
    participant: &str,
    answers: u32,
    out: Output,
) -> Result<(), Failure> {
    if out.json {
        return out.json(&json!({
            "study": study.name(), "participant": participant, "question": study.definition().question,
            "comparison": Value::Null, "duel": Value::Null, "left": Value::Null, "right": Value::Null, "takes": study.definition().answers.all(), "answers": answers, "again": false,
            "planned": false, "cut": Value::Null, "finished": true,
        }));
    }
    let hint = args.which.hint("best");
    out.text(&format!("{participant} has given all {answers} answers; see the result with: {hint}\n"))
}

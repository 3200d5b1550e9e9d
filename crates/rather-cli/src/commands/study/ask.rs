//! `rather study ask`.

use super::{Sides, describe};
use crate::args::AskArgs;
use crate::failure::Failure;
use crate::output::{Output, printable};
use crate::table::counted;
use rather_study::definition::{Answers, Definition};
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
        let sides = Sides::of(&study, asked.options());
        // "duel" is what versions up to 0.1 called the comparison.
        out.json(&json!({
            "study": study.name(), "participant": participant, "question": study.definition().question,
            "comparison": asked.number, "duel": asked.number, "left": sides.left, "right": sides.right, "options": sides.options,
            "takes": study.definition().takes(), "answers": asked.answers, "again": asked.again, "planned": asked.planned, "cut": asked.cut,
            "finished": false,
        }))?;
    } else {
        let (hint, how) = (args.which.hint("tell"), how(study.definition()));
        out.text(&format!("{}\nanswer with: {hint} {how}\n", comparison(&study, &asked)))?;
    }
    // The comparison is on standard output: whatever follows is for the next one.
    if !args.no_ahead {
        study.plan_ahead(&participant, &|| true)?;
    }
    Ok(())
}

/// What to write after `tell`.
fn how(definition: &Definition) -> String {
    match definition.answers {
        Answers::Best => "1    (the number of the best, or skip)".to_owned(),
        Answers::BestAndWorst => "1,2    (the numbers of the best and of the worst, or skip)".to_owned(),
        Answers::Sides | Answers::Ties | Answers::Graded | Answers::Numbers(_) => {
            let names: Vec<String> =
                definition.takes().into_iter().map(|answer| answer.name().replace(' ', "-")).collect();
            format!("{}    (or {})", names[0], names[1..].join(", "))
        }
    }
}

/// A comparison for people.
pub(super) fn comparison(study: &Study, asked: &Asked) -> String {
    let question = &study.definition().question;
    let so_far = counted(asked.answers, "answer");
    let mut text = format!("{}    (comparison {}, {so_far} so far)\n\n", printable(question), asked.number);
    let is_of_set = study.definition().is_of_sets();
    for (number, option) in (1..).zip(asked.options()) {
        let place = match number {
            1 if !is_of_set => "left ".to_owned(),
            2 if !is_of_set => "right".to_owned(),
            number => format!("{number:>2}"),
        };
        text += &format!("  {place}  {}\n", printable(&describe(study, option)));
    }
    text
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
            "comparison": Value::Null, "duel": Value::Null, "left": Value::Null, "right": Value::Null, "options": Value::Null, "takes": study.definition().takes(), "answers": answers, "again": false,
            "planned": false, "cut": Value::Null, "finished": true,
        }));
    }
    let hint = args.which.hint("best");
    out.text(&format!("{participant} has given all {answers} answers; see the result with: {hint}\n"))
}

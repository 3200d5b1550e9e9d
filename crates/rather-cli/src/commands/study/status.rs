//! `rather study status`.

use super::best;
use crate::args::StatusArgs;
use crate::failure::Failure;
use crate::output::{Output, printable};
use crate::table::{Side, Table, count, wrap};
use rather_study::study::Standing;
use rather_study::{Error, Study, time};
use serde_json::json;

/// Runs the command.
pub(super) fn run(args: &StatusArgs, mut out: Output) -> Result<(), Failure> {
    let which = &args.which;
    let mut study = super::open(&which.file, which.study.as_deref(), &mut out)?;
    let participants = match &which.participant {
        Some(name) => vec![study.participant(Some(name))?],
        None => study.participants()?,
    };
    let standings = participants.iter().map(|name| study.standing(name)).collect::<Result<Vec<_>, _>>()?;
    let mut value = json!({
        "file": which.file.display().to_string(), "study": study.name(), "title": study.definition().title,
        "question": study.definition().question, "created": time::format(study.created()),
        "seed": study.definition().seed, "definition": study.definition(), "participants": standings,
    });
    let mut sentences = Vec::new();
    if let [only] = participants.as_slice() {
        let connectivity = study.connectivity(only)?;
        sentences.push(connectivity.sentence());
        value["connectivity"] = json!(connectivity);
        match study.consistency(only) {
            Ok(consistency) => {
                sentences.extend(consistency.sentences());
                value["consistency"] = json!(consistency);
                let advice = study.advice(only)?;
                sentences.push(best::stop(&advice));
                value["stop"] = json!(advice.stop);
                value["expected_regret"] = json!(advice.expected_regret);
                value["more_answers"] = json!(advice.more_answers);
            }
            // Nothing was said that could fit together.
            Err(Error::NoAnswers { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        value["sentences"] = json!(sentences);
    }
    if out.json {
        return out.json(&value);
    }
    out.text(&text(&study, &standings, &sentences))
}

fn text(study: &Study, standings: &[Standing], sentences: &[String]) -> String {
    let title = match study.definition().title.as_str() {
        "" => study.name(),
        title => title,
    };
    let mut text = format!(
        "{}: {}\nmade {}, seed {}\n\n",
        printable(title),
        printable(&study.definition().question),
        time::format(study.created()),
        study.definition().seed
    );
    if standings.is_empty() {
        return text + "nobody has answered yet\n";
    }
    text += &table(standings);
    if !sentences.is_empty() {
        text.push('\n');
    }
    for sentence in sentences {
        text += &wrap(&printable(sentence));
    }
    text
}

/// A time in the unit that suits it.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.1} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

fn table(standings: &[Standing]) -> String {
    let mut table = Table::new([
        ("participant", Side::Left),
        ("answers", Side::Right),
        ("of", Side::Right),
        ("ties", Side::Right),
        ("imported", Side::Right),
        ("skipped", Side::Right),
        ("undone", Side::Right),
        ("open", Side::Right),
        ("median", Side::Right),
    ]);
    let some = |n: u64| if n == 0 { String::new() } else { count(n) };
    for s in standings {
        table.push([
            s.participant.clone(),
            count(s.answers),
            s.wanted.map_or(String::new(), |n| count(u64::from(n))),
            some(s.ties),
            some(s.imported),
            some(s.skipped),
            some(u64::from(s.undone)),
            s.open.map_or(String::new(), |n| count(u64::from(n))),
            s.median_seconds.map_or(String::new(), duration),
        ]);
    }
    table.render()
}

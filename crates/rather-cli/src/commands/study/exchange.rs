//! `rather study export` and `import`.

use crate::args::{ExportArgs, ImportArgs};
use crate::failure::Failure;
use crate::output::Output;
use crate::table::counted;
use rather_study::{Error, Format};
use serde_json::json;
use std::path::Path;

/// Runs `export`.
pub(super) fn export(args: &ExportArgs, mut out: Output) -> Result<(), Failure> {
    let mut study = super::open(&args.file, args.study.as_deref(), &mut out)?;
    if let Some(output) = &args.output {
        other_file(&args.file, output)?;
    }
    let format = match (args.format, &args.output) {
        (Some(format), _) => format,
        (None, Some(path)) => Format::of_path(path)?,
        (None, None) => Format::Csv,
    };
    let text = study.export(format, args.participant.as_deref())?;
    let participants = match &args.participant {
        Some(name) => vec![name.clone()],
        None => study.participants()?,
    };
    let mut answers = 0;
    for name in &participants {
        answers += study.standing(name)?.answers;
    }
    if let Some(path) = &args.output {
        rather_io::write_file(path, |to| to.write_all(text.as_bytes()))?;
    }
    let output = args.output.as_ref().map(|path| path.display().to_string());
    if out.json {
        let mut value =
            json!({"study": study.name(), "format": format.name(), "output": output, "answers": answers});
        if output.is_none() {
            value["text"] = json!(text);
        }
        return out.json(&value);
    }
    match output {
        None => out.text(&text),
        Some(output) => out.text(&format!("wrote {} to {output}\n", counted(answers, "answer"))),
    }
}

/// Runs `import`.
pub(super) fn import(args: &ImportArgs, mut out: Output) -> Result<(), Failure> {
    let which = &args.which;
    other_file(&which.file, &args.answers)?;
    let mut study = super::open(&which.file, which.study.as_deref(), &mut out)?;
    let participant = match study.participant(which.participant.as_deref()) {
        // The file may name everybody.
        Err(Error::WhichParticipant { .. }) => None,
        found => Some(found?),
    };
    let format = args.format.map_or_else(|| Format::of_path(&args.answers), Ok)?;
    let imported = study.import(&args.answers, format, participant.as_deref(), args.again)?;
    for note in &imported.notes {
        out.warn(note);
    }
    if out.json {
        return out.json(&json!({
            "study": study.name(), "answers": imported.answers, "ties": imported.ties,
            "participants": imported.participants, "notes": imported.notes,
        }));
    }
    let of = rather_io::list(&imported.participants);
    let ties = if imported.ties > 0 {
        format!(", {} of them", counted(imported.ties, "tie"))
    } else {
        String::new()
    };
    out.text(&format!("added {} of {of}{ties}\n", counted(imported.answers, "answer")))
}

/// Refuses the study itself as the file of answers: it would be replaced by them, or read outside the database.
fn other_file(study: &Path, answers: &Path) -> Result<(), Failure> {
    match (study.canonicalize(), answers.canonicalize()) {
        (Ok(study), Ok(answers)) if study == answers => {
            let problem = "is the study itself; name another file for the answers";
            Err(Failure::User(format!("{} {problem}", answers.display())))
        }
        _ => Ok(()),
    }
}

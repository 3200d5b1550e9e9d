//! `rather study check`.

use crate::args::StudyCheckArgs;
use crate::failure::Failure;
use crate::output::{Output, printable};
use crate::table::{counted, wrap};
use rather_study::store::check::{self, LogReport, Report};
use serde_json::json;

/// Runs the command.
pub(super) fn run(args: &StudyCheckArgs, out: Output) -> Result<(), Failure> {
    let report = check::check(&args.file)?;
    let (ok, problems) = (report.ok, report.problems.len() as u64);
    let file = report.file.clone();
    if out.json {
        out.json(&json!(report))?;
    } else {
        out.text(&text(&report))?;
    }
    if ok { Ok(()) } else { Err(Failure::User(format!("{file} has {}", counted(problems, "problem")))) }
}

/// The report for people.
fn text(report: &Report) -> String {
    let mut text = format!("{}: {} bytes\n", printable(&report.file), report.bytes);
    for study in &report.studies {
        text += &format!(
            "  study {}: {} of {} (including undone ones), {}\n",
            printable(&rather_io::quote(&study.name)),
            counted(study.answers, "answer"),
            counted(study.participants as u64, "participant"),
            counted(study.events, "event"),
        );
    }
    if let Some(users) = report.used_by.as_ref().filter(|users| !users.is_empty()) {
        let name = |user: &check::User| {
            format!("{} ({})", user.program.as_deref().unwrap_or("a program"), user.process)
        };
        let names: Vec<String> = users.iter().map(name).collect();
        text += &format!("  in use by {}\n", printable(&names.join(", ")));
    }
    if let Some(log) = &report.log {
        text += &format!("  {}\n", printable(&sentence(log)));
    }
    text.push('\n');
    for notice in &report.notices {
        text += &wrap(&printable(&format!("note: {notice}")));
    }
    for problem in &report.problems {
        text += &wrap(&printable(&format!("problem: {problem}")));
    }
    if report.ok {
        return text + "no problem found\n";
    }
    let file = printable(&report.file);
    text + &wrap(&format!(
        "To restore a backup: end every program that uses {file}; move {file}, {file}-wal, {file}-shm and {file}-journal away together; copy \
         the backup to {file}; run `rather study check {file}` again."
    ))
}

fn sentence(log: &LogReport) -> String {
    let contents = &log.contents;
    let held = match (log.belongs, log.answers) {
        (false, _) => "it does not belong to the file".to_owned(),
        (true, Some(answers)) => format!("{} are in it and not yet in the file", counted(answers, "answer")),
        (true, None) => "it belongs to the file".to_owned(),
    };
    let transactions = counted(contents.transactions, "transaction");
    format!("{}: {} bytes, {transactions}; {held}", log.file, contents.bytes)
}

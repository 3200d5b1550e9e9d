//! Answers about sets of options: as a table of choices, `option_1,option_2,...,best,worst`, and as they stand in a line of JSON.

use super::{Foreign, Format, Known, count, csv, line, time};
use crate::Error;
use crate::alternative::Alternative;
use crate::answer::Answer;
use crate::definition::{Answers, Definition};
use crate::study::Study;
use rather_io::Table;
use rather_io::table::Row;
use rather_numerics::order;
use std::path::Path;

/// Why answers about sets do not go into, or come out of, a format of comparisons.
pub(super) fn of_two(definition: &Definition, format: Format) -> Error {
    let options = definition.options;
    Error::Format(format!(
        "{format} has comparisons of two, and this study asks about {options} options; take csv or jsonl"
    ))
}

/// Writes every answer as a row that `rather fit` reads.
pub(super) fn write(study: &mut Study, participants: &[String]) -> Result<String, Error> {
    let definition = study.definition();
    let both = definition.answers == Answers::BestAndWorst;
    let options = (1..=definition.options).map(|number| format!("option_{number}"));
    let extremes = if both { ["best", "worst"].as_slice() } else { &["best"] };
    let others = extremes.iter().chain(&["user", "count", "time"]).map(|&name| name.to_owned());
    let header: Vec<String> = options.chain(others).collect();
    let mut rows = Vec::new();
    for name in participants {
        for entry in study.history(name)?.entries.iter().filter(|e| e.is_answer()) {
            let mut row: Vec<String> = entry.options().map(ToString::to_string).collect();
            let Some((best, worst)) = entry.answer.extremes() else { continue };
            let called = |number: u8| row.get(usize::from(number) - 1).cloned().unwrap_or_default();
            let extremes: Vec<String> = [Some(best), worst].into_iter().flatten().map(called).collect();
            row.extend(extremes);
            row.extend([name.clone(), entry.count.to_string(), crate::time::format(entry.time)]);
            rows.push((entry.event, row));
        }
    }
    order::sort_by_key(&mut rows, |(event, _)| *event);
    Ok(csv::text(&header, rows.into_iter().map(|(_, row)| row)))
}

/// Reads a table of choices of as many options as a question has.
pub(super) fn read(
    path: &Path,
    bytes: &[u8],
    definition: &Definition,
) -> Result<(Vec<Foreign>, Vec<String>), Error> {
    let table = Table::from_bytes(path, bytes.to_vec())?;
    let layout = Layout::of(&table, definition)?;
    let columns = layout.columns();
    let notes = csv::ignored(path, table.header(), &columns);
    let known = Known::of(definition);
    let mut rows = table.rows(&columns)?;
    let (mut row, mut answers) = (Row::default(), Vec::new());
    while rows.read(&mut row)? {
        let wrong = |problem: String| line(path, rows.position(row.id()), problem);
        let text = |column: usize| rows.required(&row, column).map(str::to_owned);
        let named: Vec<String> =
            layout.options.iter().map(|&column| text(column)).collect::<Result<_, _>>()?;
        let options: Vec<Alternative> =
            named.iter().map(|name| known.parse(name)).collect::<Result<_, _>>().map_err(wrong)?;
        let (best, worst) = (text(layout.best)?, layout.worst.map(text).transpose()?);
        let said = (None, Some(best), worst);
        let (left, right, others, answer) = self::answer(&options, said, &known).map_err(wrong)?;
        answers.push(Foreign {
            participant: layout.user.map(text).transpose()?,
            left,
            right,
            others,
            answer,
            count: layout
                .count
                .map_or(Ok(Ok(1)), |column| text(column).map(|text| count(&text)))?
                .map_err(wrong)?,
            time: layout.time.map(text).transpose()?.map(|text| time(&text)).transpose().map_err(wrong)?,
            position: rows.position(row.id()),
        });
    }
    if answers.is_empty() {
        return Err(rather_io::Error::NoComparisons { path: path.to_path_buf() }.into());
    }
    Ok((answers, notes))
}

/// Where a table has what.
struct Layout {
    options: Vec<usize>,
    best: usize,
    worst: Option<usize>,
    user: Option<usize>,
    count: Option<usize>,
    time: Option<usize>,
}

impl Layout {
    fn of(table: &Table, definition: &Definition) -> Result<Self, Error> {
        let column = |name: &str| table.column(name);
        let both = definition.answers == Answers::BestAndWorst;
        let wanted = definition.options;
        let numbers = (1..=wanted).map(|number| column(&format!("option_{number}")));
        let options: Option<Vec<usize>> = numbers.collect::<Result<_, _>>()?;
        let (best, worst) = (column("best")?.or(column("choice")?), column("worst")?);
        let fits = worst.is_some() == both && column(&format!("option_{}", wanted + 1))?.is_none();
        let (Some(options), Some(best), true) = (options, best, fits) else {
            let found = rather_io::list(table.header());
            let worst = if both { ", best and worst" } else { " and best" };
            return Err(Error::Format(format!(
                "the columns of {} are {found}, but this study asks about {wanted} options: they must be option_1 to option_{wanted}{worst}",
                table.path().display()
            )));
        };
        let user = column("user")?.or(column("participant")?);
        Ok(Self { options, best, worst, user, count: column("count")?, time: column("time")? })
    }

    fn columns(&self) -> Vec<usize> {
        let others = [Some(self.best), self.worst, self.user, self.count, self.time];
        self.options.iter().copied().chain(others.into_iter().flatten()).collect()
    }
}

/// The options of an answer that came from outside, and what it says: by the numbers of options, or by their names.
pub(super) fn answer(
    options: &[Alternative],
    said: (Option<String>, Option<String>, Option<String>),
    known: &Known<'_>,
) -> Result<(Alternative, Alternative, Vec<Alternative>, Answer), String> {
    let (expected, found) = (known.definition.options, options.len());
    if found != expected {
        return Err(Error::Options { expected, found }.to_string());
    }
    let options: Vec<Alternative> = options.iter().map(|o| known.normalised(o)).collect::<Result<_, _>>()?;
    let twice = options.iter().enumerate().find(|(k, option)| options[..*k].contains(option));
    if let Some((_, option)) = twice {
        return Err(Error::SelfComparison { alternative: option.to_string() }.to_string());
    }
    let shown: Vec<String> = options.iter().map(ToString::to_string).collect();
    let answer = match said {
        (Some(outcome), None, None) => known.definition.parse_answer(&outcome),
        (None, Some(best), worst) => known.definition.extremes(&shown, &best, worst.as_deref()),
        _ => {
            return Err("it needs \"options\", and \"outcome\", or \"best\" and perhaps \"worst\"".to_owned());
        }
    };
    let answer = answer.map_err(|error| error.to_string())?;
    match options.as_slice() {
        [left, right, others @ ..] => Ok((left.clone(), right.clone(), others.to_vec(), answer)),
        _ => Err(Error::Options { expected, found }.to_string()),
    }
}

//! Answers as CSV.

use super::{Foreign, Known, MOST_ANSWERS, count, line, outcome, time};
use crate::Error;
use crate::alternative::{Alternative, Setting, Value};
use crate::answer::Answer;
use crate::definition::{Definition, Subject, signed};
use crate::space::Space;
use crate::study::Study;
use crate::timing::Timing;
use rather::likelihood::Kind;
use rather_io::table::{Row, Rows};
use rather_io::{ItemTable, Reading, Table, Tied};
use rather_numerics::order;
use std::path::Path;

/// How the answer is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The answer's name.
    Outcome,
    /// The winner's key, or `tie`.
    Winner,
}

/// Writes the answers of `participants`, in the order in which they were given.
pub(super) fn write(study: &mut Study, participants: &[String], verdict: Verdict) -> Result<String, Error> {
    if verdict == Verdict::Winner {
        check_winners(study.definition())?;
    }
    let mut header: Vec<String> = match &study.definition().subject {
        Subject::Items(_) => vec!["left".into(), "right".into()],
        Subject::Parameters(space) => {
            let names =
                |side: &'static str| space.parameters.iter().map(move |p| format!("{side}.{}", p.name));
            names("left").chain(names("right")).collect()
        }
    };
    let numbers = study.definition().answers.numbers().filter(|_| verdict == Verdict::Outcome);
    let verdict_name = match verdict {
        Verdict::Winner => "winner",
        Verdict::Outcome => numbers.map_or("outcome", column_of),
    };
    header.extend([verdict_name, "user", "count", "time"].map(str::to_owned));
    let timed = is_timed(study, participants)?;
    if timed {
        header.extend(TIMING.map(str::to_owned));
    }

    let mut rows = Vec::new();
    for name in participants {
        for entry in study.history(name)?.entries.iter().filter(|e| e.is_answer()) {
            let mut row = cells(&entry.left);
            row.extend(cells(&entry.right));
            row.push(match (verdict, entry.answer.plain()) {
                // A winner's name does not say how much better.
                (Verdict::Winner, Answer::Left) => entry.left.to_string(),
                (Verdict::Winner, Answer::Right) => entry.right.to_string(),
                _ => match entry.answer.strength().filter(|_| numbers.is_some()) {
                    Some(number) => number.to_string(),
                    None => entry.answer.name().into_owned(),
                },
            });
            row.extend([name.clone(), entry.count.to_string(), crate::time::format(entry.time)]);
            if timed {
                row.extend(timing(entry.timing.as_ref()));
            }
            rows.push((entry.event, row));
        }
    }
    order::sort_by_key(&mut rows, |(event, _)| *event);
    Ok(text(&header, rows.into_iter().map(|(_, row)| row)))
}

/// The column of a kind of answer in tables.
fn column_of(kind: Kind) -> &'static str {
    kind.0.column().unwrap_or(kind.0.name())
}

/// Columns of how long an answer took and what was listened to or looked at, where that is known of any.
const TIMING: [&str; 4] = ["response_seconds", "switches", "exposure_left", "exposure_right"];

fn is_timed(study: &mut Study, participants: &[String]) -> Result<bool, Error> {
    for name in participants {
        if study.history(name)?.entries.iter().any(|entry| entry.is_answer() && entry.timing.is_some()) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn timing(timing: Option<&Timing>) -> [String; 4] {
    let seconds = |x: Option<&f64>| x.map(ToString::to_string).unwrap_or_default();
    let switches = timing.and_then(|timing| timing.switches);
    let exposure = |side: usize| seconds(timing.and_then(|timing| timing.exposure.get(side)));
    let switches = switches.map(|n| n.to_string()).unwrap_or_default();
    [seconds(timing.map(|timing| &timing.seconds)), switches, exposure(0), exposure(1)]
}

/// The text of a table.
pub(super) fn text(header: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = ::csv::WriterBuilder::new().terminator(::csv::Terminator::CRLF).from_writer(Vec::new());
    let written = std::iter::once(header.to_vec()).chain(rows).try_for_each(|r| writer.write_record(r));
    let bytes = written.ok().and_then(|()| writer.into_inner().ok()).unwrap_or_default();
    // Cells are texts, so the bytes are one.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Which columns of a table were not looked at, if there are any, in words.
pub(super) fn ignored(path: &Path, header: &[String], columns: &[usize]) -> Vec<String> {
    let ignored = (0..header.len()).filter(|c| !columns.contains(c));
    let ignored: Vec<String> = ignored.map(|c| header[c].clone()).collect();
    match ignored.is_empty() {
        true => Vec::new(),
        false => vec![format!("{}: ignored the columns {}", path.display(), rather_io::list(&ignored))],
    }
}

fn cells(side: &Alternative) -> Vec<String> {
    match side {
        Alternative::Item(key) => vec![key.clone()],
        Alternative::Setting(setting) => setting.values.iter().map(|(_, value)| value.to_string()).collect(),
    }
}

fn check_winners(definition: &Definition) -> Result<(), Error> {
    let Subject::Items(items) = &definition.subject else {
        let problem = "a column of winners needs items with names, and this study compares settings; export csv instead";
        return Err(Error::Format(problem.to_owned()));
    };
    // A reader takes such a key for an outcome.
    match items.keys.iter().find(|key| Answer::in_words(key).is_some()) {
        Some(key) => Err(Error::Format(format!(
            "the item {} would be read as an outcome in a column of winners; export csv instead",
            rather_io::quote(key)
        ))),
        None => Ok(()),
    }
}

/// Where the two sides stand.
enum Sides {
    /// In a column each.
    Columns { left: usize, right: usize },
    /// In a column a parameter: of the left setting and of the right one.
    Settings { left: Vec<usize>, right: Vec<usize> },
}

/// The columns of a table of answers.
struct Layout {
    sides: Sides,
    /// `None` if the first of the two sides is the winner's, and which stood where is not known.
    outcome: Option<usize>,
    user: Option<usize>,
    count: Option<usize>,
    time: Option<usize>,
}

/// Reads answers; also what is worth knowing about the table.
pub(super) fn read(
    path: &Path,
    bytes: &[u8],
    definition: &Definition,
) -> Result<(Vec<Foreign>, Vec<String>), Error> {
    let table = Table::from_bytes(path, bytes.to_vec())?;
    let Some(layout) = Layout::of(&table, definition)? else { return read_rankings(table, definition) };
    let columns = layout.columns();
    let notes = ignored(path, table.header(), &columns);
    let known = Known::of(definition);
    let numbers = definition.answers.numbers();
    let mut rows = table.rows(&columns)?;
    let (mut row, mut answers, mut sides) = (Row::default(), Vec::new(), super::Sides::default());
    while rows.read(&mut row)? {
        let wrong = |problem: String| line(path, rows.position(row.id()), problem);
        let text = |column| rows.required(&row, column);
        let (left, right) = layout.two_sides(&rows, &row, &known)?;
        let (left, right) = known.two_sides(&left, &right).map_err(wrong)?;
        let count = layout.count.map_or(Ok(Ok(1)), |column| text(column).map(count))?.map_err(wrong)?;
        let (left, right, answer) = match layout.outcome {
            Some(column) => {
                let number = numbers.and_then(|_| signed(text(column).ok()?));
                let answer =
                    number.map_or_else(|| outcome(text(column)?, &left, &right).map_err(wrong), Ok)?;
                (left, right, answer)
            }
            None => sides.place(left, right, false, count),
        };
        answers.push(Foreign {
            participant: layout.user.map(text).transpose()?.map(str::to_owned),
            left,
            right,
            others: Vec::new(),
            answer,
            count,
            time: layout.time.map(text).transpose()?.map(time).transpose().map_err(wrong)?,
            position: rows.position(row.id()),
        });
    }
    if answers.is_empty() {
        return Err(rather_io::Error::NoComparisons { path: path.to_path_buf() }.into());
    }
    Ok((answers, notes))
}

impl Layout {
    /// The layout that the header tells; `None` for rankings.
    fn of(table: &Table, definition: &Definition) -> Result<Option<Self>, Error> {
        let column = |name: &str| table.column(name);
        let (winner, loser) = (column("winner")?, column("loser")?);
        let number = definition.answers.numbers().map(|kind| column(column_of(kind))).transpose()?.flatten();
        let outcome = number.or(column("outcome")?).or(winner);
        let settings = match &definition.subject {
            Subject::Parameters(space) => settings(table, space)?,
            Subject::Items(_) => None,
        };
        let (sides, outcome) = match (settings, winner, loser, column("left")?, column("right")?) {
            (Some(sides), ..) => (sides, outcome),
            (None, Some(left), Some(right), ..) => (Sides::Columns { left, right }, None),
            (None, _, _, Some(left), Some(right)) => (Sides::Columns { left, right }, outcome),
            _ if column("ranking")?.is_some()
                || column("rank_1")?.is_some()
                || column("rank1")?.is_some() =>
            {
                return Ok(None);
            }
            _ => return Err(unknown(table, definition)),
        };
        if outcome.is_none() && loser.is_none() {
            return Err(unknown(table, definition));
        }
        let user = column("user")?.or(column("participant")?);
        Ok(Some(Self { sides, outcome, user, count: column("count")?, time: column("time")? }))
    }

    fn columns(&self) -> Vec<usize> {
        let mut columns = match &self.sides {
            Sides::Columns { left, right } => vec![*left, *right],
            Sides::Settings { left, right } => [left.as_slice(), right].concat(),
        };
        columns.extend([self.outcome, self.user, self.count, self.time].into_iter().flatten());
        columns
    }

    fn two_sides(
        &self,
        rows: &Rows,
        row: &Row,
        known: &Known<'_>,
    ) -> Result<(Alternative, Alternative), Error> {
        let wrong = |problem: String| line(rows.path(), rows.position(row.id()), problem);
        match (&self.sides, &known.definition.subject) {
            (Sides::Settings { left, right }, Subject::Parameters(space)) => {
                let side = |columns: &[usize]| setting(rows, row, columns, space);
                Ok((side(left)?, side(right)?))
            }
            (Sides::Columns { left, right }, _) => {
                let side = |column: usize| known.parse(rows.required(row, column)?).map_err(wrong);
                Ok((side(*left)?, side(*right)?))
            }
            (Sides::Settings { .. }, Subject::Items(_)) => Err(wrong("this study compares items".to_owned())),
        }
    }
}

/// The columns `left.NAME` and `right.NAME` of all parameters, if any of them is there.
fn settings(table: &Table, space: &Space) -> Result<Option<Sides>, Error> {
    let mut found = [Vec::new(), Vec::new()];
    let mut missing = None;
    for (side, columns) in ["left", "right"].iter().zip(&mut found) {
        for parameter in &space.parameters {
            let name = format!("{side}.{}", parameter.name);
            match table.column(&name)? {
                Some(column) => columns.push(column),
                None => missing = missing.or(Some(name)),
            }
        }
    }
    let [left, right] = found;
    match missing {
        None => Ok(Some(Sides::Settings { left, right })),
        Some(_) if left.is_empty() && right.is_empty() => Ok(None),
        Some(missing) => Err(Error::Format(format!(
            "{} has no column {}; every parameter needs a column for the left and for the right side",
            table.path().display(),
            rather_io::quote(&missing)
        ))),
    }
}

fn setting(rows: &Rows, row: &Row, columns: &[usize], space: &Space) -> Result<Alternative, Error> {
    let mut values: Vec<(String, Value)> = Vec::with_capacity(columns.len());
    for (&column, parameter) in columns.iter().zip(&space.parameters) {
        let text = rows.required(row, column)?;
        let value = parameter.range.parse(text).ok_or_else(|| {
            let problem = format!("{} = {text} must be {}", rows.header()[column], parameter.range.allowed());
            line(rows.path(), rows.position(row.id()), problem)
        })?;
        values.push((parameter.name.clone(), value));
    }
    Ok(Alternative::Setting(Setting { values }))
}

fn unknown(table: &Table, definition: &Definition) -> Error {
    let forms = match &definition.subject {
        Subject::Items(_) => "winner and loser; or left, right and outcome (or winner); or ranking",
        Subject::Parameters(_) => "left.NAME and right.NAME for every parameter, and outcome",
    };
    let found = rather_io::list(table.header());
    Error::Format(format!(
        "the columns of {} are {found}, but they must be {forms}; rename them",
        table.path().display()
    ))
}

/// Rankings, of which every two items make an answer.
fn read_rankings(table: Table, definition: &Definition) -> Result<(Vec<Foreign>, Vec<String>), Error> {
    let Subject::Items(items) = &definition.subject else {
        let problem = format!("{} has rankings, and settings have no names to rank", table.path().display());
        return Err(Error::Format(problem));
    };
    let known = ItemTable::new("the study".into(), "item".to_owned(), items.keys.clone(), Vec::new())?;
    let path = table.path().to_path_buf();
    let reading = Reading { most_of_rankings: MOST_ANSWERS, ..Reading::COMPARISONS };
    let table = rather_io::answers_of(table, &known, &reading)?;
    let notes = table.notes.iter().map(ToString::to_string).collect();
    let found = rather_io::settle(vec![table], Tied::Kept)?;
    let item = |i: usize| Alternative::Item(items.keys[i].clone());
    let position = rather_io::Position::Line(0);
    let mut sides = super::Sides::default();
    let foreign = |a: rather::answers::Answer| {
        let count = count(&a.count.to_string())?;
        let (preferred, other) = (item(a.plus), item(a.minus.unwrap_or(a.plus)));
        let (left, right, answer) = sides.place(preferred, other, a.is_tie(), count);
        let participant = a.reply.user.map(|user| found.users[user as usize].clone());
        Ok(Foreign { participant, left, right, others: Vec::new(), answer, count, time: None, position })
    };
    let foreign: Result<_, String> = found.answers.iter().map(foreign).collect();
    Ok((foreign.map_err(|problem| Error::Format(format!("{}: {problem}", path.display())))?, notes))
}

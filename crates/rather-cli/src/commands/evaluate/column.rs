//! `rather evaluate --by COLUMN`: folds by a column of the comparisons.

use crate::args::{EvaluateArgs, Period};
use crate::data::{Tables, same};
use crate::failure::Failure;
use crate::table::{Side, Table, count};
use rather::context::ContextColumn;
use rather::evaluate::{Fold, Scores, Tested, blocks, levels, rolling};
use rather::features::ColumnValues;
use serde::Serialize;

/// Folds, and what each is called: a level, or a period.
pub(super) struct Parts {
    pub(super) folds: Vec<Fold>,
    names: Vec<String>,
    /// When each answer was given, if the column tells.
    times: Option<Vec<f64>>,
}

/// The scores of one part.
#[derive(Serialize)]
pub(super) struct Part {
    /// The level, or when the period begins.
    name: String,
    answers: u64,
    accuracy: Option<f64>,
    log_loss: f64,
    /// Its standard error.
    log_loss_error: f64,
}

impl Parts {
    /// The parts by the column called `name`, which is taken from what is learned from unless the kernel names it; without a kernel always.
    pub(super) fn of(
        args: &EvaluateArgs,
        name: &str,
        kernel: Option<&str>,
        data: &mut Tables,
    ) -> Result<Self, Failure> {
        let path = args.comparisons.display();
        let found = data.take_column(name, kernel);
        let Some((ContextColumn { column, shared, date }, at)) = found else {
            return Err(Failure::User(format!(
                "--by {name}: {path} has no such column; name one of its columns, or take pairs, comparisons, items or users"
            )));
        };
        if !shared {
            return Err(Failure::User(format!(
                "--by {name}: this column has a value for each side of a comparison; name one that both share"
            )));
        }
        match column.values {
            ColumnValues::Numeric(values) => {
                periods(args, name, date, &at.iter().map(|&side| values[side]).collect::<Vec<_>>())
            }
            ColumnValues::Text(_) if args.period.is_some() || args.folds.is_some() => {
                Err(Failure::User(format!(
                    "--by {name}: each of its categories is a fold; leave out --period and --folds, which are for dates"
                )))
            }
            ColumnValues::Text(values) => {
                let of: Vec<&str> = at.iter().map(|&side| values[side].as_str()).collect();
                let mut names: Vec<String> = of.iter().map(|&level| level.to_owned()).collect();
                names.sort_unstable();
                names.dedup();
                let level = |name: &&str| names.partition_point(|known| known.as_str() < *name);
                let folds = levels(&of.iter().map(level).collect::<Vec<_>>());
                if folds.len() < 2 {
                    return Err(Failure::User(format!(
                        "--by {name}: the column has only one category, which leaves nothing to learn from"
                    )));
                }
                Ok(Self { folds, names, times: None })
            }
        }
    }

    /// When each answer was given, if that is what parts are by.
    pub(super) fn times(&self) -> Option<&[f64]> {
        self.times.as_deref()
    }

    /// The scores of each part.
    pub(super) fn scores(&self, tested: &[Vec<Tested>]) -> Vec<Part> {
        let one = |(name, tested): (&String, &Vec<Tested>)| {
            let Scores { accuracy, log_loss, comparisons, .. } = Scores::of(tested);
            let square = |t: &Tested| t.count * (-t.of_answer().ln() - log_loss).powi(2);
            let variance = tested.iter().map(square).sum::<f64>() / comparisons;
            Part {
                name: name.clone(),
                answers: comparisons as u64,
                accuracy: accuracy.is_finite().then_some(accuracy),
                log_loss,
                log_loss_error: (variance / comparisons).sqrt(),
            }
        };
        self.names.iter().zip(tested).map(one).collect()
    }
}

/// Each period on a model of all before it.
fn periods(args: &EvaluateArgs, name: &str, date: bool, times: &[f64]) -> Result<Parts, Failure> {
    if !date && matches!(args.period, Some(Period::Year | Period::Month | Period::Week | Period::Day)) {
        return Err(Failure::User(format!(
            "--by {name}: the column has numbers, not dates; write a period as a number"
        )));
    }
    let numbers: Vec<i64> = match args.period {
        None => blocks(times, 1 + args.folds.unwrap_or(super::FOLDS) as usize),
        Some(period) => times.iter().map(|&time| period.number(time)).collect(),
    };
    let folds = rolling(&numbers);
    if folds.is_empty() {
        return Err(Failure::User(format!(
            "--by {name}: all comparisons are in one period, and none is before it; take a shorter --period"
        )));
    }
    let begins = |fold: &Fold| {
        let first = fold.test.iter().map(|&row| times[row]).fold(f64::INFINITY, f64::min);
        if date { rather_io::date(first) } else { first.to_string() }
    };
    let names = folds.iter().map(begins).collect();
    Ok(Parts { folds, names, times: Some(times.to_vec()) })
}

/// The parts' scores as a table.
pub(super) fn describe(column: &str, parts: &[Part]) -> String {
    let mut table = Table::new([
        (column, Side::Left),
        ("comparisons", Side::Right),
        ("accuracy", Side::Right),
        ("log loss", Side::Right),
        ("± se", Side::Right),
    ]);
    for part in parts {
        table.push([
            part.name.clone(),
            count(part.answers),
            part.accuracy.map(|x| format!("{:.2} %", 100.0 * x)).unwrap_or_default(),
            format!("{:.4}", part.log_loss),
            format!("{:.4}", part.log_loss_error),
        ]);
    }
    table.render()
}

impl Tables {
    /// The column of comparisons called `name`, and the side that speaks for each answer. Unless the kernel names the column, it is none of what
    /// is learned from any more.
    fn take_column(&mut self, name: &str, kernel: Option<&str>) -> Option<(ContextColumn, Vec<usize>)> {
        let sides = self.context.as_mut()?;
        let place = sides.columns.iter().position(|c| same(&c.column.name, name))?;
        let at = self.answers.iter().map(|answer| answer.plus).collect();
        // Where the kernel is chosen, a date may be of use for what comes after; of a category that is held out nothing can be learned.
        let is_used = kernel.is_some_and(|kernel| {
            let is_tried = kernel.trim().eq_ignore_ascii_case("auto") && sides.columns[place].date;
            is_tried || rather::kernel::named_columns(kernel).iter().any(|named| same(named, name))
        });
        if is_used {
            return Some((sides.columns[place].clone(), at));
        }
        let column = sides.columns.remove(place);
        if sides.columns.is_empty() && sides.teams.is_empty() {
            // Nothing is left but the items.
            let item = |side: usize| sides.items[side] as usize;
            self.answers = self.answers.iter().map(|answer| answer.renumbered(item)).collect();
            self.context = None;
        }
        Some((column, at))
    }
}

//! The answers of tables as those of one model: users are numbered together, ratings become levels, strengths grades, and ties what is asked for.

use crate::answers::{AnswerData, AnswerTable};
use crate::error::Error;
use crate::reader::number_of_user;
use crate::words;
use rather::answers::Answer;
use rather::likelihood::{Kind, Reply};
use rather::model::Naming;
use rustc_hash::FxHashMap;

/// What becomes of a tie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tied {
    /// A tie.
    #[default]
    Kept,
    /// Nothing.
    Dropped,
    /// One comparison either way.
    Both,
}

/// More distinct ratings than these are not ratings.
const MOST_LEVELS: usize = 100;

/// The answers of tables for one model. Ties become what `tied` says; words of strength become grades from 1 up, as many as
/// there are, and ratings levels. Where there are neither ties nor grades, preferences are plain choices.
///
/// # Errors
/// [`Error::ManyRatings`] for more than 100 distinct ratings; [`Error::OneLabel`] if there is nothing but labels of one class.
pub fn settle(tables: Vec<AnswerTable>, tied: Tied) -> Result<AnswerData, Error> {
    let ties = ties(&tables);
    let scales = Scales::of(&tables, tied, ties > 0);
    if let Some(table) = tables.iter().find(|_| scales.levels.len() > MOST_LEVELS) {
        return Err(Error::ManyRatings { path: table.path.clone(), ratings: scales.levels.len() });
    }
    check_labels(&tables)?;
    Ok(settled(tables, scales, ties))
}

/// The answers of tables on known scales.
fn settled(tables: Vec<AnswerTable>, scales: Scales, ties: u64) -> AnswerData {
    let mut out = AnswerData { grades: scales.grades(), ties, ..AnswerData::default() };
    let mut numbers = FxHashMap::default();
    for AnswerTable { answers, users, .. } in tables {
        let renumbered: Vec<u32> =
            users.iter().map(|name| number_of_user(&mut numbers, &mut out.users, name)).collect();
        out.answers.reserve(answers.len());
        for mut answer in answers.iter() {
            answer.reply.user = answer.reply.user.map(|user| renumbered[user as usize]);
            scales.settle(answer).into_iter().flatten().for_each(|settled| out.answers.push(settled));
        }
    }
    out.levels = scales.levels;
    out
}

/// As [`settle`], for a model whose ratings and words of strength are known: `naming` tells which levels and grades they are. What the model has
/// not learned from becomes a level or a grade that it does not know.
pub fn settle_as(tables: Vec<AnswerTable>, tied: Tied, naming: &Naming) -> AnswerData {
    let strength = |word: &String| (1..=4).find(|&strength| words::of_strength(strength) == word);
    let strengths: Vec<f64> = naming.grades.iter().filter_map(strength).map(f64::from).collect();
    let graded = !strengths.is_empty();
    let ties = ties(&tables);
    settled(tables, Scales { levels: naming.levels.clone(), strengths, graded, tied }, ties)
}

/// What strengths and ratings stand for, over all tables.
struct Scales {
    /// The distinct ratings, the lowest first.
    levels: Vec<f64>,
    /// The distinct strengths of preferences, the weakest first.
    strengths: Vec<f64>,
    /// Whether a preference is a grade, not a plain choice.
    graded: bool,
    tied: Tied,
}

impl Scales {
    fn of(tables: &[AnswerTable], tied: Tied, has_ties: bool) -> Self {
        let levels = distinct(tables, Reply::rated(0).kind);
        let mut strengths = distinct(tables, Reply::CHOICE.kind);
        strengths.retain(|&strength| strength > 0.0);
        let graded = strengths.len() > 1 || (has_ties && tied == Tied::Kept);
        Self { levels, strengths, graded, tied }
    }

    /// The words before a side that the grades stand for.
    fn grades(&self) -> Vec<String> {
        let of = if self.graded { self.strengths.as_slice() } else { &[] };
        of.iter().map(|&strength| words::of_strength(strength as u8).to_owned()).collect()
    }

    /// What an answer of a table is in the model: itself, nothing, or two.
    fn settle(&self, answer: Answer) -> [Option<Answer>; 2] {
        let datum = answer.reply.datum;
        let as_one = |outcome: Reply| Answer {
            reply: Reply { kind: outcome.kind, datum: outcome.datum, ..answer.reply },
            ..answer
        };
        match answer.minus {
            Some(_) if answer.reply.kind != Reply::CHOICE.kind => [Some(answer), None],
            None if answer.reply.kind == Reply::rated(0).kind => {
                let level =
                    self.levels.iter().position(|&level| level == datum).unwrap_or(usize::from(u16::MAX));
                [Some(as_one(Reply::rated(level as u16))), None]
            }
            None => [Some(answer), None],
            Some(_) if datum > 0.0 && self.graded => {
                let weaker = self.strengths.iter().position(|&strength| strength == datum);
                [Some(as_one(Reply::better(weaker.unwrap_or(self.strengths.len()) as u8 + 1))), None]
            }
            Some(_) if datum > 0.0 => [Some(as_one(Reply::CHOICE)), None],
            Some(minus) => match self.tied {
                Tied::Kept => [Some(as_one(Reply::TIE)), None],
                Tied::Dropped => [None, None],
                Tied::Both => {
                    let one = as_one(Reply::CHOICE);
                    let mut other = Answer { plus: minus, minus: Some(one.plus), ..one };
                    other.reply.side = -other.reply.side;
                    [Some(one), Some(other)]
                }
            },
        }
    }
}

/// The distinct data of answers of a kind, in increasing order.
fn distinct(tables: &[AnswerTable], kind: Kind) -> Vec<f64> {
    let all = tables.iter().flat_map(|table| table.answers.distinct()).map(|answer| answer.reply);
    let mut data: Vec<f64> = all.filter(|said| said.kind == kind).map(|said| said.datum).collect();
    data.sort_by(f64::total_cmp);
    data.dedup();
    data
}

/// Number of ties, each as often as it was given.
fn ties(tables: &[AnswerTable]) -> u64 {
    let is_tie = |answer: &Answer| answer.reply.kind == Reply::CHOICE.kind && answer.reply.datum == 0.0;
    if !tables.iter().any(|table| table.answers.distinct().any(|answer| is_tie(&answer))) {
        return 0;
    }
    let answers = tables.iter().flat_map(|table| table.answers.iter());
    answers.filter(is_tie).map(|tie| tie.count).sum::<f64>() as u64
}

/// Labels of one class alone are no data.
fn check_labels(tables: &[AnswerTable]) -> Result<(), Error> {
    let mut all = tables.iter().flat_map(|table| table.answers.distinct());
    let one = match all.next() {
        Some(first) if first.reply.kind == Reply::LABEL.kind => first.positive,
        _ => return Ok(()),
    };
    match all.all(|answer| answer.reply.kind == Reply::LABEL.kind && answer.positive == one) {
        true => Err(Error::OneLabel { path: tables[0].path.clone(), positive: one }),
        false => Ok(()),
    }
}

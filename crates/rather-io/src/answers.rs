//! AnswerData of any kind, as one table has them and as a model takes them.

use crate::note::Note;
use rather::Comparison;
use rather::answers::{Answer, Answers};
use rather::context::Sides;
use rather::likelihood::{Kind, Reply};
use std::path::PathBuf;

/// The answers of a table as they stand there. [`settle`](crate::settle()) makes answers for a model of one or more tables.
///
/// [`read_answers`](crate::read_answers) reads one from a file; answers from elsewhere are added one by one.
///
/// # Examples
/// ```
/// use rather_io::{AnswerTable, Attributes, Tied, settle};
///
/// let mut table = AnswerTable::new(Vec::new(), true);
/// table.compare(0, 1, 2, Attributes::default()); // 0, on the left, rather than 1
/// table.compare(0, 1, 0, Attributes::default()); // no preference
/// table.rate(1, 4.0, Attributes::default());
/// let answers = settle(vec![table], Tied::Kept)?;
/// assert_eq!((answers.answers.len(), answers.ties, answers.levels), (3, 1, vec![4.0]));
/// # Ok::<(), rather_io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerTable {
    /// The file they come from.
    pub path: PathBuf,
    /// The answers as the table has them, before it is known what words and numbers stand for: the datum of a comparison is how strong the
    /// preference is, in words of growing strength, and 0 for a tie; that of a rating is the number written.
    pub(crate) answers: Answers,
    /// The users, in the order of their first answers.
    pub users: Vec<String>,
    /// Whether the table tells which item was on the left.
    pub sides: bool,
    /// The sides that the answers are about, in the place of items, if columns of comparisons were read.
    pub context: Option<Sides>,
    /// What its user should know.
    pub notes: Vec<Note>,
}

/// Who gave an answer, how often, and how noisy it is relative to others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attributes {
    /// The user's place among the table's.
    pub user: Option<u32>,
    /// How often; a fraction counts for less than an answer.
    pub count: f64,
    /// The noise of this answer relative to that of others.
    pub noise: f64,
}

impl Default for Attributes {
    /// Given once, by nobody in particular.
    fn default() -> Self {
        Self { user: None, count: 1.0, noise: 1.0 }
    }
}

impl AnswerTable {
    /// No answers yet, of these users; `sides` says whether comparisons tell which item was on the left.
    pub fn new(users: Vec<String>, sides: bool) -> Self {
        Self {
            path: "the answers".into(),
            answers: Answers::default(),
            users,
            sides,
            context: None,
            notes: Vec::new(),
        }
    }

    /// "`left` or `right`", with an outcome as [`outcome_in_words`](crate::outcome_in_words) tells it.
    pub fn compare(&mut self, left: usize, right: usize, outcome: i8, attributes: Attributes) {
        let (winner, loser) = if outcome < 0 { (right, left) } else { (left, right) };
        let answer = preferred(winner, loser, outcome.unsigned_abs());
        self.push(if self.sides { answer.shown_left(left) } else { answer }, attributes);
    }

    /// `left` is preferred to `right` with the probability `p`, as a judge tells it: so much of an answer, and the rest for the other.
    pub fn compare_by_probability(&mut self, left: usize, right: usize, p: f64, attributes: Attributes) {
        probable(left, right, p).into_iter().flatten().for_each(|answer| self.push(answer, attributes));
    }

    /// `left` was better than `right` by `number`, or worse if that is negative, in the numbers of a kind of answer that compares two items.
    pub fn compare_by_number(
        &mut self,
        left: usize,
        right: usize,
        (kind, number): (Kind, f64),
        attributes: Attributes,
    ) {
        let answer = Answer::compared(left, right, kind, number);
        self.push(if self.sides { answer.shown_left(left) } else { answer }, attributes);
    }

    /// Whether both of two items are good, or both bad.
    pub fn both(&mut self, left: usize, right: usize, good: bool, attributes: Attributes) {
        for item in [left, right] {
            self.push(Answer::good(item, good), attributes);
        }
    }

    /// One answer about all of `items`, which are different: the first `top` are the best of them, the best first, the last `bottom` the worst, the worst
    /// last, and of those between is not known which is better ([`Answer::ordered`]). Of two items it is a comparison; a tie, if both numbers are 0.
    ///
    /// # Errors
    /// As [`Answer::ordered`]: of fewer than two items or more than twelve, or an order of more that says nothing.
    pub fn order(
        &mut self,
        items: &[usize],
        (top, bottom): (usize, usize),
        attributes: Attributes,
    ) -> Result<(), rather::Error> {
        let answer = match *items {
            [a, b] if top + bottom <= 2 => preferred(a, b, if top + bottom > 0 { PLAIN } else { 0 }),
            _ => Answer::ordered(items, top, bottom)?,
        };
        self.push(answer, attributes);
        Ok(())
    }

    /// `item` is rated so. The distinct ratings of all tables are the levels.
    pub fn rate(&mut self, item: usize, rating: f64, attributes: Attributes) {
        self.push(rated(item, rating), attributes);
    }

    /// This was said of `item`: it was measured or is beyond a bound ([`Reply::measured`], [`Reply::at_least`], [`Reply::at_most`]), or an
    /// answer of a kind of one's own.
    pub fn reply(&mut self, item: usize, reply: Reply, attributes: Attributes) {
        self.push(Answer::of(item, None, reply), attributes);
    }

    /// Whether `item` is of the class.
    pub fn label(&mut self, item: usize, positive: bool, attributes: Attributes) {
        self.push(Answer::labelled(item, positive), attributes);
    }

    pub(crate) fn push(&mut self, answer: Answer, attributes: Attributes) {
        let Attributes { user, count, noise } = attributes;
        let answer = answer.times(answer.count * count).with_noise(noise);
        self.answers.push(user.map_or(answer, |user| answer.by(user as usize)));
    }
}

/// The strength of a preference without a word on it.
pub(crate) const PLAIN: u8 = 2;

/// A preference as [`AnswerTable`] has it: a strength of 0 is a tie.
pub(crate) fn preferred(winner: usize, loser: usize, strength: u8) -> Answer {
    Answer::of(winner, Some(loser), Reply { datum: f64::from(strength), ..Reply::CHOICE })
}

/// `left` rather than `right` with a probability: parts of two answers.
pub(crate) fn probable(left: usize, right: usize, p: f64) -> [Option<Answer>; 2] {
    let part =
        |winner, loser, p: f64| (p > 0.0).then(|| preferred(winner, loser, PLAIN).shown_left(left).times(p));
    [part(left, right, p), part(right, left, 1.0 - p)]
}

/// A rating as [`AnswerTable`] has it.
pub(crate) fn rated(item: usize, rating: f64) -> Answer {
    Answer::of(item, None, Reply { datum: rating, ..Reply::rated(0) })
}

/// The answers of all tables, for a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AnswerData {
    /// The answers.
    pub answers: Answers,
    /// The users they number.
    pub users: Vec<String>,
    /// The ratings that the levels stand for, the lowest first.
    pub levels: Vec<f64>,
    /// The words before a side that the grades stand for, the weakest first; empty where preferences are plain choices.
    pub grades: Vec<String>,
    /// Number of ties read, whatever became of them.
    pub ties: u64,
}

impl AnswerData {
    /// The preferences among them, in their order, without ties and without grades: which of two items is better.
    pub fn comparisons(&self) -> Vec<Comparison> {
        self.comparisons_by_user().map(|(_, comparison)| comparison).collect()
    }

    /// [`AnswerData::comparisons`], each with its user, by a place in [`AnswerData::users`].
    pub fn comparisons_by_user(&self) -> impl Iterator<Item = (Option<u32>, Comparison)> + '_ {
        let of = |a: Answer| {
            a.pair().map(|(winner, loser)| (a.reply.user, Comparison { winner, loser, count: a.count }))
        };
        self.answers.iter().filter(|answer| !answer.is_tie()).filter_map(of)
    }
}

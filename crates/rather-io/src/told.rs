//! Answers that come from elsewhere than a file, as a table of answers.

use crate::answers::{AnswerTable, preferred, rated};
use rather::answers::{Opinion, Opinions};
use rather::likelihood::Said;

/// Who said something, how often, and how noisily relative to others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Telling {
    /// The user's place among the table's.
    pub user: Option<u32>,
    /// How often.
    pub count: u32,
    /// The noise of this answer relative to that of others.
    pub noise: f64,
}

impl Default for Telling {
    /// Said once, by nobody in particular.
    fn default() -> Self {
        Self { user: None, count: 1, noise: 1.0 }
    }
}

impl AnswerTable {
    /// No answers yet, of these users; `sides` says whether comparisons tell which item was on the left. [`settle`](crate::settle) makes them
    /// answers for a model.
    ///
    /// # Examples
    /// ```
    /// use rather_io::{AnswerTable, Telling, Tied, settle};
    ///
    /// let mut said = AnswerTable::told(Vec::new(), true);
    /// said.compare(0, 1, 2, Telling::default()); // 0, on the left, rather than 1
    /// said.compare(0, 1, 0, Telling::default()); // no preference
    /// said.rate(1, 4.0, Telling::default());
    /// let answers = settle(vec![said], Tied::Kept)?;
    /// assert_eq!((answers.opinions.len(), answers.ties, answers.levels), (3, 1, vec![4.0]));
    /// # Ok::<(), rather_io::Error>(())
    /// ```
    pub fn told(users: Vec<String>, sides: bool) -> Self {
        Self { path: "the answers".into(), heard: Opinions::default(), users, sides, notes: Vec::new() }
    }

    /// "`left` or `right`", with an outcome as [`outcome_in_words`](crate::outcome_in_words) tells it.
    pub fn compare(&mut self, left: usize, right: usize, outcome: i8, telling: Telling) {
        let (winner, loser) = if outcome < 0 { (right, left) } else { (left, right) };
        let opinion = preferred(winner, loser, outcome.unsigned_abs());
        self.hear(if self.sides { opinion.shown_left(left) } else { opinion }, telling);
    }

    /// `item` is rated so. The distinct ratings of all tables are the levels.
    pub fn rate(&mut self, item: usize, rating: f64, telling: Telling) {
        self.hear(rated(item, rating), telling);
    }

    /// `item` was measured, or is beyond a bound ([`Said::measured`], [`Said::at_least`], [`Said::at_most`]).
    pub fn measure(&mut self, item: usize, value: Said, telling: Telling) {
        self.hear(Opinion::of(item, None, value), telling);
    }

    /// Whether `item` is of the class.
    pub fn label(&mut self, item: usize, positive: bool, telling: Telling) {
        self.hear(Opinion::labelled(item, positive), telling);
    }

    fn hear(&mut self, opinion: Opinion, telling: Telling) {
        let Telling { user, count, noise } = telling;
        let opinion = opinion.times(count).with_noise(noise);
        self.heard.push(user.map_or(opinion, |user| opinion.by(user)));
    }
}

//! Answers that come from elsewhere than a file, as a table of answers.

use crate::answers::{AnswerTable, Heard};
use rather::answers::Opinion;
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
        Self { path: "the answers".into(), heard: Vec::new(), users, sides, notes: Vec::new() }
    }

    /// "`left` or `right`", with an outcome as [`outcome_in_words`](crate::outcome_in_words) tells it.
    pub fn compare(&mut self, left: usize, right: usize, outcome: i8, telling: Telling) {
        let (winner, loser) = if outcome < 0 { (right, left) } else { (left, right) };
        let opinion = Opinion::rather(winner, loser);
        let opinion = if self.sides { opinion.shown_left(left) } else { opinion };
        self.hear(Heard { opinion, strength: outcome.unsigned_abs(), rating: None }, telling);
    }

    /// `item` is rated so. The distinct ratings of all tables are the levels.
    pub fn rate(&mut self, item: usize, rating: f64, telling: Telling) {
        self.hear(Heard { opinion: Opinion::rated(item, 0), strength: 0, rating: Some(rating) }, telling);
    }

    /// `item` was measured, or is beyond a bound ([`Said::measured`], [`Said::at_least`], [`Said::at_most`]).
    pub fn measure(&mut self, item: usize, value: Said, telling: Telling) {
        self.hear(Heard { opinion: Opinion::of(item, None, value), strength: 0, rating: None }, telling);
    }

    /// Whether `item` is of the class.
    pub fn label(&mut self, item: usize, positive: bool, telling: Telling) {
        self.hear(Heard { opinion: Opinion::labelled(item, positive), strength: 0, rating: None }, telling);
    }

    fn hear(&mut self, heard: Heard, telling: Telling) {
        let Telling { user, count, noise } = telling;
        let opinion = heard.opinion.times(count).with_noise(noise);
        let opinion = user.map_or(opinion, |user| opinion.by(user));
        self.heard.push(Heard { opinion, ..heard });
    }
}

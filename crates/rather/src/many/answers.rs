//! Who answered what: the comparisons of many users, sorted by user, with an index by pair.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::ops::Range;

use crate::answers::Answer;
use crate::inference::observations::Edge;
use crate::{Comparison, Error};

/// All equal answers of one user about one pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record {
    /// Who answered.
    pub user: usize,
    /// Which of [`UserAnswers::pairs`].
    pub pair: usize,
    /// 1 if the pair's first item was preferred, else -1.
    pub sign: f64,
    /// How many answers this record stands for.
    pub count: f64,
}

/// The answers of many users.
///
/// Records are sorted by user, then by pair, whatever the order of the answers, and every sum over them runs in that
/// order or in that of the index by pair: results depend neither on the order of the data nor on the number of threads.
#[derive(Debug, Clone, PartialEq)]
pub struct UserAnswers {
    users: usize,
    items: usize,
    pairs: Vec<Edge>,
    records: Vec<Record>,
    user_starts: Vec<usize>,
    pair_starts: Vec<usize>,
    by_pair: Vec<usize>,
}

impl UserAnswers {
    /// Sorts and merges the answers of `users` users about `items` items: plain comparisons, in which it does not matter what was shown
    /// on the left. A user may have said nothing.
    ///
    /// # Errors
    /// [`Error::NoComparisons`]; [`Error::UnknownUser`]; [`Error::OnlyDuels`] for another kind of answer, or another noise than that of
    /// others; [`Error::Answer`] for one that names no user; those of [`Answer::check`].
    ///
    /// # Examples
    /// ```
    /// use rather::answers::Answer;
    /// use rather::many::UserAnswers;
    ///
    /// let ask = |user, winner, loser| Answer::rather(winner, loser).by(user);
    /// let answers = UserAnswers::new(3, 4, &[ask(2, 1, 0), ask(0, 0, 1), ask(0, 3, 2)])?;
    /// assert_eq!((answers.pairs().len(), answers.of_user(1).len()), (2, 0));
    /// assert!(UserAnswers::new(1, 4, &[ask(2, 1, 0)]).is_err());
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn new(
        users: usize,
        items: usize,
        answers: impl IntoIterator<Item: Borrow<Answer>>,
    ) -> Result<Self, Error> {
        let mut counts: HashMap<(usize, usize, usize), f64> = HashMap::new();
        for (row, answer) in answers.into_iter().enumerate() {
            let answer = answer.borrow();
            answer.check(row, items)?;
            let (Some((winner, loser)), true) = (answer.pair(), answer.is_plain()) else {
                return Err(Error::OnlyDuels);
            };
            let user = answer.user().ok_or(Error::Answer { row, problem: "names no user" })?;
            if user >= users {
                return Err(Error::UnknownUser { row, user, users });
            }
            *counts.entry((user, winner, loser)).or_default() += f64::from(answer.count);
        }
        if counts.is_empty() {
            return Err(Error::NoComparisons);
        }
        let mut ends: Vec<(usize, usize)> = counts.keys().map(|&(_, w, l)| (w.min(l), w.max(l))).collect();
        ends.sort_unstable();
        ends.dedup();
        let mut records: Vec<Record> = counts
            .into_iter()
            .map(|((user, w, l), count)| {
                let pair = ends.partition_point(|&e| e < (w.min(l), w.max(l)));
                Record { user, pair, sign: if w < l { 1.0 } else { -1.0 }, count }
            })
            .collect();
        records
            .sort_unstable_by(|a, b| (a.user, a.pair).cmp(&(b.user, b.pair)).then(b.sign.total_cmp(&a.sign)));
        let pairs = ends.into_iter().map(|(i, j)| Edge::between(i, j)).collect();
        Ok(Self::indexed(users, items, pairs, records))
    }

    fn indexed(users: usize, items: usize, pairs: Vec<Edge>, records: Vec<Record>) -> Self {
        let user_starts = starts(users, records.iter().map(|r| r.user));
        let mut by_pair: Vec<usize> = (0..records.len()).collect();
        // Stable: within a pair, records stay in the order of the users.
        by_pair.sort_by_key(|&n| records[n].pair);
        let pair_starts = starts(pairs.len(), by_pair.iter().map(|&n| records[n].pair));
        Self { users, items, pairs, records, user_starts, pair_starts, by_pair }
    }

    /// Number of users, silent ones included.
    pub fn users(&self) -> usize {
        self.users
    }

    /// Number of items.
    pub fn items(&self) -> usize {
        self.items
    }

    /// The distinct pairs, each with its first item smaller than its second, in increasing order.
    pub fn pairs(&self) -> &[Edge] {
        &self.pairs
    }

    /// All records.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The positions of a user's records.
    pub fn of_user(&self, user: usize) -> Range<usize> {
        self.user_starts[user]..self.user_starts[user + 1]
    }

    /// The positions of the records about a pair, in the order of the users.
    pub fn about(&self, pair: usize) -> &[usize] {
        &self.by_pair[self.pair_starts[pair]..self.pair_starts[pair + 1]]
    }

    /// The items of a record: winner and loser.
    pub fn ends(&self, record: &Record) -> (usize, usize) {
        let (plus, minus) = (self.pairs[record.pair].plus(), self.pairs[record.pair].minus());
        let minus = minus.unwrap_or(plus);
        if record.sign > 0.0 { (plus, minus) } else { (minus, plus) }
    }

    /// A user's answers as comparisons.
    pub fn comparisons(&self, user: usize) -> Vec<Comparison> {
        self.records[self.of_user(user)].iter().flat_map(|r| self.of_record(r)).collect()
    }

    /// A record as comparisons: one, or several if it stands for more answers than one comparison counts.
    fn of_record(&self, record: &Record) -> impl Iterator<Item = Comparison> + use<> {
        let (winner, loser) = self.ends(record);
        let (mut left, most) = (record.count as u64, u64::from(u32::MAX));
        std::iter::from_fn(move || {
            let count = left.min(most);
            left -= count;
            (count > 0).then_some(Comparison { winner, loser, count: count as u32 })
        })
    }

    /// All answers, record by record.
    pub fn answers(&self) -> impl Iterator<Item = Answer> + '_ {
        let by = |user: usize, comparison| Answer::from(comparison).by(user);
        self.records.iter().flat_map(move |r| self.of_record(r).map(move |c| by(r.user, c)))
    }

    /// Number of answers, repeated ones counted.
    pub fn total(&self) -> f64 {
        self.records.iter().map(|r| r.count).sum()
    }

    /// Number of users who said nothing.
    pub fn silent(&self) -> usize {
        (0..self.users).filter(|&u| self.of_user(u).is_empty()).count()
    }
}

/// Where each of `groups` groups begins in a sequence sorted by group, and where the last one ends.
fn starts(groups: usize, sorted: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut out = vec![0; groups + 1];
    for group in sorted {
        out[group + 1] += 1;
    }
    for g in 0..groups {
        out[g + 1] += out[g];
    }
    out
}

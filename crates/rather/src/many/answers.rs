//! Who answered what: the answers of many users, sorted by user, with an index by projection.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::Error;
use crate::answers::{Answer, Answers};
use crate::inference::observations::{Edge, Observation, Observations};
use crate::likelihood::{AnswerIndex, Reply, ResponseModel, Responses};

/// All equal answers of one user about one pair of items, or about one item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record {
    /// Who answered.
    pub user: usize,
    /// Which of [`UserAnswers::edges`].
    pub edge: usize,
    /// What was said: its place in [`UserAnswers::responses`].
    pub answer: AnswerIndex,
    /// 1 if it speaks for the pair's first item, or for the one item, else -1.
    pub sign: f64,
    /// How many answers this record stands for.
    pub count: f64,
}

/// The answers of many users.
///
/// Records are sorted by user, then by projection, whatever the order of the answers, and every sum over them runs in that
/// order or in that of the index by projection: results depend neither on the order of the data nor on the number of threads.
#[derive(Debug, Clone, PartialEq)]
pub struct UserAnswers {
    users: usize,
    items: usize,
    edges: Vec<Edge>,
    records: Vec<Record>,
    responses: Arc<Responses>,
    user_starts: Vec<usize>,
    edge_starts: Vec<usize>,
    by_edge: Vec<usize>,
}

/// A record before its projection has a number.
#[derive(Debug, Clone, Copy)]
struct Entry {
    user: usize,
    about: Edge,
    answer: AnswerIndex,
    sign: f64,
    count: f64,
}

impl Entry {
    /// Pairs come before single items.
    fn place(&self) -> (bool, usize, usize) {
        place(&self.about)
    }
}

fn place(edge: &Edge) -> (bool, usize, usize) {
    (edge.minus().is_none(), edge.plus(), edge.minus().unwrap_or(0))
}

impl UserAnswers {
    /// Sorts and merges the answers of `users` users about `items` items, with the default response model. A user may have said nothing.
    ///
    /// # Errors
    /// [`Error::NoComparisons`]; [`Error::UnknownUser`]; [`Error::Answer`] for one that names no user; those of [`Answer::check`].
    ///
    /// # Examples
    /// ```
    /// use rather::answers::Answer;
    /// use rather::many::UserAnswers;
    ///
    /// let ask = |user, winner, loser| Answer::rather(winner, loser).by(user);
    /// let answers = UserAnswers::new(3, 4, &[ask(2, 1, 0), ask(0, 0, 1), ask(0, 3, 2), Answer::rated(3, 2).by(0)])?;
    /// assert_eq!((answers.edges().len(), answers.of_user(1).len()), (3, 0));
    /// assert!(UserAnswers::new(1, 4, &[ask(2, 1, 0)]).is_err());
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn new(
        users: usize,
        items: usize,
        answers: impl IntoIterator<Item: Borrow<Answer>>,
    ) -> Result<Self, Error> {
        Self::merged(users, items, answers, ResponseModel::default(), |user| user.to_string())
    }

    /// As [`UserAnswers::new`], of users by name who answer by a response model`.
    ///
    /// # Errors
    /// As [`UserAnswers::new`].
    pub fn of(
        users: &[String],
        items: usize,
        answers: impl IntoIterator<Item: Borrow<Answer>>,
        response_model: ResponseModel,
    ) -> Result<Self, Error> {
        Self::merged(users.len(), items, answers, response_model, |user| users[user].clone())
    }

    fn merged(
        users: usize,
        items: usize,
        answers: impl IntoIterator<Item: Borrow<Answer>>,
        response_model: ResponseModel,
        name: impl Fn(usize) -> String,
    ) -> Result<Self, Error> {
        let mut said = Numbered::default();
        let mut counts: HashMap<(usize, Edge, usize, bool), f64> = HashMap::new();
        for (row, answer) in answers.into_iter().enumerate() {
            let answer = answer.borrow();
            answer.check(row, items)?;
            if answer.is_of_set() {
                return Err(crate::Unsupported::JointAnswers.into());
            }
            let user = answer.user().ok_or(Error::Answer { row, problem: "names no user" })?;
            if user >= users {
                return Err(Error::UnknownUser { row, user, users });
            }
            let answer = answer.in_order(&response_model);
            let about = Edge::new(answer.plus, answer.minus);
            *counts.entry((user, about, said.number(answer.reply), answer.positive)).or_default() +=
                answer.count;
        }
        let (said, places) = said.in_order();
        let entry = |((user, about, number, positive), count): ((usize, Edge, usize, bool), f64)| Entry {
            user,
            about,
            answer: AnswerIndex(places[number]),
            sign: if positive { 1.0 } else { -1.0 },
            count,
        };
        let entries: Vec<Entry> = counts.into_iter().map(entry).collect();
        let mut counts = vec![0.0; said.len()];
        entries.iter().for_each(|entry| counts[entry.answer.0 as usize] += entry.count);
        // Names are those of parameters, which only what depends on who says it has.
        let named = said.iter().any(|said| said.user.is_some());
        let names = (0..if named { users } else { 0 }).map(name).collect();
        Self::sorted(
            users,
            items,
            entries,
            Arc::new(Responses { replies: said, counts, users: names, response_model }),
        )
    }

    /// # Errors
    /// [`Error::NoComparisons`].
    fn sorted(
        users: usize,
        items: usize,
        mut entries: Vec<Entry>,
        responses: Arc<Responses>,
    ) -> Result<Self, Error> {
        if entries.is_empty() {
            return Err(Error::NoComparisons);
        }
        let mut edges: Vec<Edge> = entries.iter().map(|entry| entry.about).collect();
        edges.sort_unstable_by_key(place);
        edges.dedup();
        entries.sort_unstable_by(|a, b| {
            let order = |e: &Entry| (e.user, e.place(), e.sign < 0.0, e.answer);
            order(a).cmp(&order(b))
        });
        let record = |entry: Entry| {
            let edge = edges.partition_point(|edge| place(edge) < entry.place());
            let Entry { user, answer, sign, count, .. } = entry;
            Record { user, edge, answer, sign, count }
        };
        let records: Vec<Record> = entries.into_iter().map(record).collect();
        let user_starts = starts(users, records.iter().map(|r| r.user));
        let mut by_edge: Vec<usize> = (0..records.len()).collect();
        // Stable: within a projection, records stay in the order of the users.
        by_edge.sort_by_key(|&n| records[n].edge);
        let edge_starts = starts(edges.len(), by_edge.iter().map(|&n| records[n].edge));
        Ok(Self { users, items, edges, records, responses, user_starts, edge_starts, by_edge })
    }

    /// Some of the records, of users who are numbered anew by `user`; whom that has no number for are left out. The responses stay those of all
    /// answers, and with them the parameters.
    fn renumbered(
        &self,
        users: usize,
        user: impl Fn(usize) -> Option<usize>,
        keep: impl Fn(usize, &Record) -> bool,
    ) -> Result<Self, Error> {
        let entry = |(n, r): (usize, &Record)| {
            let about = self.edges[r.edge];
            let Record { answer, sign, count, .. } = *r;
            let user = user(r.user)?;
            keep(n, r).then_some(Entry { user, about, answer, sign, count })
        };
        let entries: Vec<Entry> = self.records.iter().enumerate().filter_map(entry).collect();
        Self::sorted(users, self.items, entries, Arc::clone(&self.responses))
    }

    /// The answers of these users (in increasing order), who are numbered by their places here.
    ///
    /// # Errors
    /// [`Error::NoComparisons`] if they said nothing.
    pub fn select(&self, users: &[usize]) -> Result<Self, Error> {
        self.renumbered(users.len(), |user| users.binary_search(&user).ok(), |_, _| true)
    }

    /// The records for which `keep` is true, which is told their positions; users and items keep their numbers.
    ///
    /// # Errors
    /// [`Error::NoComparisons`] if there is none.
    pub fn filter(&self, keep: impl Fn(usize, &Record) -> bool) -> Result<Self, Error> {
        self.renumbered(self.users, Some, keep)
    }

    /// The same answers, given by one user.
    pub fn pooled(&self) -> Self {
        let mut merged: HashMap<(usize, AnswerIndex, bool), f64> = HashMap::new();
        for r in &self.records {
            *merged.entry((r.edge, r.answer, r.sign > 0.0)).or_default() += r.count;
        }
        let entry = |((edge, answer, positive), count): ((usize, AnswerIndex, bool), f64)| Entry {
            user: 0,
            about: self.edges[edge],
            answer,
            sign: if positive { 1.0 } else { -1.0 },
            count,
        };
        let entries = merged.into_iter().map(entry).collect();
        Self::sorted(1, self.items, entries, Arc::clone(&self.responses)).unwrap_or_else(|_| self.clone())
    }

    /// Number of users, silent ones included.
    pub fn users(&self) -> usize {
        self.users
    }

    /// Number of items.
    pub fn items(&self) -> usize {
        self.items
    }

    /// The distinct projections: pairs, each with its first item smaller than its second, in increasing order, then single items.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// All records.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// What was said, and how people answer.
    pub fn responses(&self) -> &Arc<Responses> {
        &self.responses
    }

    /// Whether all answers are choices between two items with the default response model.
    pub fn is_plain(&self) -> bool {
        self.responses.is_plain() && self.edges.iter().all(|edge| edge.minus().is_some())
    }

    /// The positions of a user's records.
    pub fn of_user(&self, user: usize) -> Range<usize> {
        self.user_starts[user]..self.user_starts[user + 1]
    }

    /// The positions of the records about a projection, in the order of the users.
    pub fn about(&self, edge: usize) -> &[usize] {
        &self.by_edge[self.edge_starts[edge]..self.edge_starts[edge + 1]]
    }

    /// The items of a record, the one that it speaks for first; an item on its own stands for both.
    pub fn ends(&self, record: &Record) -> (usize, usize) {
        let plus = self.edges[record.edge].plus();
        let minus = self.edges[record.edge].minus().unwrap_or(plus);
        if record.sign > 0.0 { (plus, minus) } else { (minus, plus) }
    }

    /// One user's answers as inference takes them; its observations are in the order of the records.
    pub fn observations(&self, user: usize) -> Observations {
        let records = &self.records[self.of_user(user)];
        let mut items: Vec<usize> = records
            .iter()
            .flat_map(|r| [Some(self.edges[r.edge].plus()), self.edges[r.edge].minus()])
            .flatten()
            .collect();
        items.sort_unstable();
        items.dedup();
        let position = |item: usize| items.partition_point(|&i| i < item);
        let mut edges: Vec<Edge> = Vec::new();
        let mut merged = Vec::with_capacity(records.len());
        let mut last = None;
        for r in records {
            if last != Some(r.edge) {
                let edge = self.edges[r.edge];
                edges.push(Edge::new(position(edge.plus()), edge.minus().map(position)));
                last = Some(r.edge);
            }
            merged.push(Observation::new(edges.len() - 1, r.sign, r.count, r.answer));
        }
        Observations { items, edges, merged, responses: Arc::clone(&self.responses) }
    }

    /// A user's answers as they were given, up to their order.
    pub fn given_by(&self, user: usize) -> Answers {
        self.records[self.of_user(user)].iter().flat_map(|r| self.of_record(r)).collect()
    }

    /// All answers, record by record.
    pub fn answers(&self) -> impl Iterator<Item = Answer> + '_ {
        self.rows().map(|(_, answer)| answer)
    }

    /// All answers, each with its record.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&Record, Answer)> + '_ {
        self.records.iter().flat_map(|r| self.of_record(r).map(move |answer| (r, answer)))
    }

    /// A record as answers: one, or several if it stands for more than one answer counts.
    fn of_record(&self, record: &Record) -> impl Iterator<Item = Answer> + use<> {
        let (plus, minus) = self.ends(record);
        let minus = self.edges[record.edge].minus().map(|_| minus);
        let said = self.responses.replies[record.answer.0 as usize];
        let answer = Answer {
            positive: minus.is_some() || record.sign > 0.0,
            ..Answer::of(plus, minus, said).by(record.user)
        };
        let (mut left, most) = (record.count as u64, u64::from(u32::MAX));
        std::iter::from_fn(move || {
            let count = left.min(most);
            left -= count;
            (count > 0).then_some(answer.times(count as u32))
        })
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

/// What was said, numbered as it comes.
struct Numbered {
    said: Vec<Reply>,
    numbers: HashMap<(&'static str, u64, i8, Option<u32>, u64), usize>,
    /// The last one, which the next mostly is, too.
    last: usize,
}

impl Default for Numbered {
    fn default() -> Self {
        let said = Responses::default().replies;
        let numbers = said.iter().map(Reply::key).zip(0..).collect();
        Self { said, numbers, last: 0 }
    }
}

impl Numbered {
    fn number(&mut self, said: Reply) -> usize {
        if self.said[self.last] != said {
            let next = self.said.len();
            self.last = *self.numbers.entry(said.key()).or_insert(next);
            if self.last == next {
                self.said.push(said);
            }
        }
        self.last
    }

    /// What was said, in an order that does not depend on that of the answers, and the place there of every number.
    fn in_order(self) -> (Vec<Reply>, Vec<u32>) {
        let first = Responses::default().replies.len();
        let mut order: Vec<usize> = (0..self.said.len()).collect();
        order[first..].sort_unstable_by_key(|&number| self.said[number].key());
        let mut places = vec![0; order.len()];
        (0..).zip(&order).for_each(|(place, &number)| places[number] = place);
        (order.into_iter().map(|number| self.said[number]).collect(), places)
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

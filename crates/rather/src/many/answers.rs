//! Who answered what: the answers of many users, sorted by user, with an index by projection.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::Error;
use crate::answers::{Answer, Answers};
use crate::inference::observations::{Edge, Observation, Observations, pairs_of};
use crate::likelihood::choice_set::PartialOrder;
use crate::likelihood::{AnswerIndex, Link, Reply, ResponseModel, Responses};
use rather_numerics::order::by_key;

/// All equal answers of one user about one pair of items, or about one item; of an answer about a set one of its pairs.
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
/// An answer about a set of items, taken jointly, is one record a pair, in the order of [`Observations`]; a user's sets come last.
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

/// An answer before its projections have numbers.
#[derive(Debug, Clone)]
struct Entry {
    user: usize,
    about: About,
    answer: AnswerIndex,
    sign: f64,
    count: f64,
}

/// What an answer is about. Sets are the last in the order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum About {
    Projection(Edge),
    /// A set of items in the order in which the answer puts them.
    Set(Box<[usize]>),
}

/// What answers of one user are in the order of: sets, projections, signs, what was said.
type Order<'a> = (Option<&'a [usize]>, Option<(bool, usize, usize)>, bool, AnswerIndex);

impl Entry {
    fn order(&self) -> Order<'_> {
        let (set, projection) = match &self.about {
            About::Projection(edge) => (None, Some(place(edge))),
            About::Set(items) => (Some(&**items), None),
        };
        (set, projection, self.sign < 0.0, self.answer)
    }

    /// The projections that it is about, each with its sign.
    fn projections(&self) -> impl Iterator<Item = (Edge, f64)> + '_ {
        let (one, set): (_, &[usize]) = match &self.about {
            About::Projection(edge) => (Some((*edge, self.sign)), &[]),
            About::Set(items) => (None, items),
        };
        let pair =
            |(a, b): (usize, usize)| (Edge::between(a.min(b), a.max(b)), if a < b { 1.0 } else { -1.0 });
        one.into_iter().chain(pairs_of(set).map(pair))
    }
}

/// Pairs come before single items.
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
        let mut counts: HashMap<(usize, About, usize, bool), f64> = HashMap::new();
        for (row, answer) in answers.into_iter().enumerate() {
            let answer = answer.borrow();
            answer.check(row, items)?;
            let user = answer.user().ok_or(Error::Answer { row, problem: "names no user" })?;
            if user >= users {
                return Err(Error::UnknownUser { row, user, users });
            }
            let answer = answer.in_order(&response_model);
            let about = match answer.is_of_set() {
                true => About::Set(answer.items().collect()),
                false => About::Projection(Edge::new(answer.plus, answer.minus)),
            };
            *counts.entry((user, about, said.number(answer.reply), answer.positive)).or_default() +=
                answer.count;
        }
        let has_sets = counts.keys().any(|(_, about, ..)| matches!(about, About::Set(_)));
        if has_sets && !response_model.takes_sets(Link::Probit) {
            return Err(crate::Unsupported::JointAnswers.into());
        }
        let (said, places) = said.in_order();
        let entry = |((user, about, number, positive), count): ((usize, About, usize, bool), f64)| Entry {
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
        let mut edges: Vec<Edge> =
            entries.iter().flat_map(|entry| entry.projections().map(|(edge, _)| edge)).collect();
        edges.sort_unstable_by_key(place);
        edges.dedup();
        entries.sort_unstable_by(|a, b| (a.user, a.order()).cmp(&(b.user, b.order())));
        let record = |entry: &Entry, about: Edge, sign: f64| {
            let edge = edges.partition_point(|edge| place(edge) < place(&about));
            Record { user: entry.user, edge, answer: entry.answer, sign, count: entry.count }
        };
        let mut records: Vec<Record> = Vec::with_capacity(entries.len());
        for entry in &entries {
            records.extend(entry.projections().map(|(edge, sign)| record(entry, edge, sign)));
        }
        let user_starts = starts(users, records.iter().map(|r| r.user));
        // Within a projection, records stay in the order of the users.
        let by_edge = by_key(&records.iter().map(|r| r.edge as i64).collect::<Vec<i64>>());
        let edge_starts = starts(edges.len(), by_edge.iter().map(|&n| records[n].edge));
        Ok(Self { users, items, edges, records, responses, user_starts, edge_starts, by_edge })
    }

    /// Some of the answers, of users who are numbered anew by `user`; whom that has no number for are left out. The responses stay those of all
    /// answers, and with them the parameters.
    fn renumbered(
        &self,
        users: usize,
        user: impl Fn(usize) -> Option<usize>,
        keep: impl Fn(usize, &[Record]) -> bool,
    ) -> Result<Self, Error> {
        let entry = |(n, of_answer): (usize, &[Record])| {
            let user = user(of_answer[0].user)?;
            keep(n, of_answer).then(|| Entry { user, ..self.entry(of_answer) })
        };
        let entries: Vec<Entry> = self.by_answer().enumerate().filter_map(entry).collect();
        Self::sorted(users, self.items, entries, Arc::clone(&self.responses))
    }

    /// The records of an answer as it was before.
    fn entry(&self, of_answer: &[Record]) -> Entry {
        let Record { user, edge, answer, sign, count } = of_answer[0];
        match self.set(of_answer) {
            None => Entry { user, about: About::Projection(self.edges[edge]), answer, sign, count },
            Some(items) => Entry { user, about: About::Set(items.into()), answer, sign: 1.0, count },
        }
    }

    /// The answers of these users (in increasing order), who are numbered by their places here.
    ///
    /// # Errors
    /// [`Error::NoComparisons`] if they said nothing.
    pub fn select(&self, users: &[usize]) -> Result<Self, Error> {
        self.renumbered(users.len(), |user| users.binary_search(&user).ok(), |_, _| true)
    }

    /// The answers for which `keep` is true, which is told their places in [`UserAnswers::by_answer`] and their records; users and items keep their
    /// numbers.
    ///
    /// # Errors
    /// [`Error::NoComparisons`] if there is none.
    pub fn filter(&self, keep: impl Fn(usize, &[Record]) -> bool) -> Result<Self, Error> {
        self.renumbered(self.users, Some, keep)
    }

    /// The same answers, given by one user.
    pub fn pooled(&self) -> Self {
        let mut merged: HashMap<(About, AnswerIndex, bool), f64> = HashMap::new();
        for of_answer in self.by_answer() {
            let Entry { about, answer, sign, count, .. } = self.entry(of_answer);
            *merged.entry((about, answer, sign > 0.0)).or_default() += count;
        }
        let entry = |((about, answer, positive), count): ((About, AnswerIndex, bool), f64)| Entry {
            user: 0,
            about,
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

    /// The records of every answer, one answer after the other: one, or one a pair of a set.
    pub fn by_answer(&self) -> impl Iterator<Item = &[Record]> {
        self.split(&self.records)
    }

    /// As [`UserAnswers::by_answer`], of some neighbouring users.
    pub(super) fn by_answer_of(&self, users: Range<usize>) -> impl Iterator<Item = &[Record]> {
        self.split(&self.records[self.user_starts[users.start]..self.user_starts[users.end]])
    }

    /// The records of some users, by answer.
    fn split<'a>(&'a self, records: &'a [Record]) -> impl Iterator<Item = &'a [Record]> {
        let mut left = records;
        std::iter::from_fn(move || {
            let pairs = self.order(left.first()?).map_or(1, PartialOrder::pairs);
            let (of_answer, others) = left.split_at(pairs);
            left = others;
            Some(of_answer)
        })
    }

    /// What a record says of a set, if it is of an answer about one.
    fn order(&self, record: &Record) -> Option<PartialOrder> {
        PartialOrder::of_reply(&self.responses.replies[record.answer.0 as usize])
    }

    /// The items of an answer about a set, in the order in which it puts them: those of the pairs of its first item.
    pub(super) fn set(&self, of_answer: &[Record]) -> Option<Vec<usize>> {
        let order = self.order(&of_answer[0])?;
        let first = self.ends(&of_answer[0]).0;
        let others = of_answer[..order.options() - 1].iter().map(|r| self.ends(r).1);
        Some(std::iter::once(first).chain(others).collect())
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
        let mut about: Vec<usize> = records.iter().map(|r| r.edge).collect();
        about.sort_unstable();
        about.dedup();
        let edge = |&edge: &usize| {
            let edge = self.edges[edge];
            Edge::new(position(edge.plus()), edge.minus().map(position))
        };
        let edges: Vec<Edge> = about.iter().map(edge).collect();
        let observation = |r: &Record| {
            Observation::new(about.partition_point(|&edge| edge < r.edge), r.sign, r.count, r.answer)
        };
        let merged = records.iter().map(observation).collect();
        Observations { items, edges, merged, responses: Arc::clone(&self.responses) }
    }

    /// A user's answers as they were given, up to their order.
    pub fn given_by(&self, user: usize) -> Answers {
        self.split(&self.records[self.of_user(user)]).flat_map(|r| self.given_as(r)).collect()
    }

    /// All answers, record by record.
    pub fn answers(&self) -> impl Iterator<Item = Answer> + '_ {
        self.rows().map(|(_, answer)| answer)
    }

    /// All answers, each with its first record.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&Record, Answer)> + '_ {
        self.by_answer().flat_map(|r| self.given_as(r).map(move |answer| (&r[0], answer)))
    }

    /// The records of an answer as answers: one, or several if they stand for more than one answer counts.
    fn given_as(&self, of_answer: &[Record]) -> impl Iterator<Item = Answer> + use<> {
        let record = &of_answer[0];
        let said = self.responses.replies[record.answer.0 as usize];
        let answer = match self.set(of_answer) {
            Some(items) => Answer::of_set(items[0], items[1..].iter().copied(), said),
            None => {
                let (plus, minus) = self.ends(record);
                let minus = self.edges[record.edge].minus().map(|_| minus);
                Answer { positive: minus.is_some() || record.sign > 0.0, ..Answer::of(plus, minus, said) }
            }
        };
        let answer = answer.by(record.user);
        let (mut left, most) = (record.count, f64::from(u32::MAX));
        std::iter::from_fn(move || {
            let count = left.min(most);
            left -= count;
            (count > 0.0).then_some(answer.times(count))
        })
    }

    /// Number of answers, repeated ones counted.
    pub fn total(&self) -> f64 {
        self.by_answer().map(|of_answer| of_answer[0].count).sum()
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

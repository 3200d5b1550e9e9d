//! Answers of any kind, for one fit.

use std::collections::HashMap;

use crate::likelihood::choice_set::PartialOrder;
use crate::likelihood::{Kind, Reply, ResponseModel};
use crate::{Comparison, Error};

/// The items of a set besides its first and its last one, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[doc(hidden)]
pub struct Between {
    items: [u32; PartialOrder::MOST - 2],
    len: u8,
}

impl Between {
    pub(crate) fn of(items: impl IntoIterator<Item = u32>) -> Self {
        let mut out = Self::default();
        for (to, item) in out.items.iter_mut().zip(items) {
            *to = item;
            out.len += 1;
        }
        out
    }

    pub(crate) fn items(&self) -> &[u32] {
        &self.items[..usize::from(self.len)]
    }
}

/// What somebody said about one item or two, or about a set of them. Items are numbered as in their table.
///
/// # Examples
/// ```
/// use rather::answers::Answer;
///
/// let answers = [
///     Answer::rather(0, 1),                    // 0 rather than 1, where one must be chosen
///     Answer::tie(1, 2).times(3),              // 1 and 2 are equally good, said three times
///     Answer::better(2, 0, 2).shown_left(2),   // 2 is much better than 0, and 2 was on the left
///     Answer::rated(1, 4).by(0),               // user 0 gives item 1 the fifth level
///     Answer::measured(2, 7.5),                // item 2 was measured as 7.5
///     Answer::at_least(0, 10.0),               // item 0 is beyond the scale, which ends at 10
///     Answer::ordered(&[2, 0, 1], 1, 0)?,      // 2 is the best of three
/// ];
/// # assert_eq!(answers.len(), 7);
/// # Ok::<(), rather::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer {
    /// The item that it speaks for.
    pub plus: usize,
    /// The item that it speaks against, if there are two.
    pub minus: Option<usize>,
    /// Of an answer about a set ([`Answer::ordered`]): the items between these two.
    pub between: Between,
    /// Of a class label: whether the item is of the class. Of two items in the order of observations: whether it speaks for the first. Else
    /// true.
    pub positive: bool,
    /// What was said.
    pub reply: Reply,
    /// How many times. A fraction counts for less than an answer: the likelihood to that power.
    pub count: f64,
}

impl Answer {
    fn new(plus: usize, minus: Option<usize>, reply: Reply) -> Self {
        Self { plus, minus, between: Between::default(), positive: true, reply, count: 1.0 }
    }

    /// An answer of any kind: about the utility of `plus`, or about its difference to that of `minus`.
    pub fn of(plus: usize, minus: Option<usize>, reply: Reply) -> Self {
        Self::new(plus, minus, reply)
    }

    /// "`winner` rather than `loser`", where one of the two must be chosen.
    pub fn rather(winner: usize, loser: usize) -> Self {
        Self::new(winner, Some(loser), Reply::CHOICE)
    }

    /// An answer about a set of items, taken jointly: the first `top` of `items` are the best ones, the best first, the last `bottom` the worst ones, the
    /// worst last, and of those between is not known which is better. A best of $n$ is 1 and 0, a best and worst 1 and 1, a ranking $n-1$ and 0. Each item
    /// has one noise in an answer. Of two items it is [`Answer::rather`].
    ///
    /// # Errors
    /// [`Error::Parameter`] for fewer than two items or more than twelve, or an order that says nothing.
    pub fn ordered(items: &[usize], top: usize, bottom: usize) -> Result<Self, Error> {
        let wrong = |name: &str, value: usize, requirement| {
            Err(Error::Parameter { name: name.into(), value: value as f64, requirement })
        };
        if !(2..=PartialOrder::MOST).contains(&items.len()) {
            return wrong("options", items.len(), "an answer about a set is about 2 to 12 items");
        }
        if !(1..=items.len()).contains(&(top + bottom)) {
            return wrong("ranked", top + bottom, "an order names an item at least, and none twice");
        }
        let Some(order) = PartialOrder::new(items.len(), top, bottom) else {
            return Ok(Self::rather(items[0], items[1]));
        };
        // Of items whose order is not known, one order is as good as another.
        let mut items = items.to_vec();
        items[order.between()].sort_unstable();
        Ok(Self::of_set(items[0], items[1..].iter().copied(), order.reply()))
    }

    /// A reply about a set, of its items in the order in which it puts them; at most twelve.
    pub(crate) fn of_set(
        first: usize,
        others: impl ExactSizeIterator<Item = usize> + Clone,
        reply: Reply,
    ) -> Self {
        let between = Between::of(others.clone().take(others.len().saturating_sub(1)).map(item));
        Self { between, ..Self::new(first, others.last(), reply) }
    }

    /// "`a` and `b` are equally good."
    pub fn tie(a: usize, b: usize) -> Self {
        Self::new(a, Some(b), Reply::TIE)
    }

    /// "`winner` is better than `loser`" by a grade (1 is better, 2 much better), where a tie or another grade could have been said.
    pub fn better(winner: usize, loser: usize, grade: u8) -> Self {
        Self::new(winner, Some(loser), Reply::better(grade))
    }

    /// `a` was better than `b` by `difference`, or worse if that is negative: goals, points, seconds.
    pub fn difference(a: usize, b: usize, difference: f64) -> Self {
        Self::compared(a, b, Reply::difference(0.0).kind, difference)
    }

    /// `a` was better than `b` by `number`, or worse if that is negative, in the numbers of a kind of answer that compares two items
    /// ([`Response::comparison_scale`](crate::likelihood::Response::comparison_scale)).
    pub fn compared(a: usize, b: usize, kind: Kind, number: f64) -> Self {
        let (winner, loser) = if number < 0.0 { (b, a) } else { (a, b) };
        Self::new(winner, Some(loser), Reply::new(kind, number.abs()))
    }

    /// `item` is good, or bad, where others are compared.
    pub fn good(item: usize, is_good: bool) -> Self {
        Self::new(item, None, Reply::good(is_good))
    }

    /// "`item` is of the class", or is not.
    pub fn labelled(item: usize, positive: bool) -> Self {
        Self { positive, ..Self::new(item, None, Reply::LABEL) }
    }

    /// `item` is given the rating `level`, counted from 0, the lowest.
    pub fn rated(item: usize, level: u16) -> Self {
        Self::new(item, None, Reply::rated(level))
    }

    /// `item` was measured as `value`.
    pub fn measured(item: usize, value: f64) -> Self {
        Self::new(item, None, Reply::measured(value))
    }

    /// `item` is at least `value`.
    pub fn at_least(item: usize, value: f64) -> Self {
        Self::new(item, None, Reply::at_least(value))
    }

    /// `item` is at most `value`.
    pub fn at_most(item: usize, value: f64) -> Self {
        Self::new(item, None, Reply::at_most(value))
    }

    /// The same, said by a user. (One beyond 32 bits is nobody of any table, and stays nobody.)
    #[must_use]
    pub fn by(mut self, user: usize) -> Self {
        self.reply.user = Some(u32::try_from(user).unwrap_or(u32::MAX));
        self
    }

    /// The two items that it compares, the one it speaks for first; `None` if it is about one item, or about a set.
    pub fn pair(&self) -> Option<(usize, usize)> {
        self.minus.filter(|_| !self.is_of_set()).map(|minus| (self.plus, minus))
    }

    /// All items that it is about; of a set in the order in which it puts them.
    pub fn items(&self) -> impl Iterator<Item = usize> {
        let between = (0..usize::from(self.between.len)).map(|k| self.between.items[k] as usize);
        std::iter::once(self.plus).chain(between).chain(self.minus)
    }

    /// Whether it is about a set of more than two items, taken jointly.
    pub fn is_of_set(&self) -> bool {
        self.between.len > 0
    }

    /// The same about items that are numbered otherwise.
    #[doc(hidden)]
    #[must_use]
    pub fn renumbered(self, number: impl Fn(usize) -> usize) -> Self {
        let mut items: Vec<usize> = self.items().map(&number).collect();
        if let Some(order) = PartialOrder::of_reply(&self.reply) {
            items[order.between()].sort_unstable();
        }
        let last = items.len() - 1;
        Self {
            plus: items[0],
            minus: self.minus.map(|_| items[last]),
            between: Between::of(items[1..last.max(1)].iter().map(|&i| item(i))),
            ..self
        }
    }

    /// Who said it, if that is known.
    pub fn user(&self) -> Option<usize> {
        self.reply.user.map(|user| user as usize)
    }

    /// Whether it says no more than which of two items was preferred, as noisily as others: whoever said it, and whatever was on the left.
    pub fn is_plain(&self) -> bool {
        self.reply == Reply { side: self.reply.side, user: self.reply.user, ..Reply::CHOICE }
    }

    /// The same, said so many times.
    #[must_use]
    pub fn times(self, count: impl Into<f64>) -> Self {
        Self { count: count.into(), ..self }
    }

    /// The same, of a comparison in which `item` was shown on the left.
    #[must_use]
    pub fn shown_left(mut self, item: usize) -> Self {
        self.reply.side = if item == self.plus { 1 } else { -1 };
        self
    }

    /// The same, with `factor` times the noise of other answers.
    #[must_use]
    pub fn with_noise(mut self, factor: f64) -> Self {
        self.reply.noise = factor;
        self
    }

    /// Whether it says that two items are equally good.
    pub fn is_tie(&self) -> bool {
        (self.reply.kind == Reply::TIE.kind || self.reply.is_difference()) && self.reply.datum == 0.0
    }

    /// The same as observations have it: two items in increasing order, where `positive` is whether it speaks for the first; what does not
    /// matter in this `response_model` is forgotten.
    pub(crate) fn in_order(&self, response_model: &ResponseModel) -> Self {
        let mut said = self.reply;
        if self.minus.is_some() && !response_model.bias {
            said.side = 0;
        }
        // Of a rating it matters who gave it: everyone has an offset.
        if !response_model.tells_users_apart() && said.kind != Reply::rated(0).kind {
            said.user = None;
        }
        let Some((plus, minus)) = self.pair() else { return Self { reply: said, ..*self } };
        let in_order = plus < minus;
        // A tie speaks for both alike.
        if self.is_tie() && !in_order {
            said.side = -said.side;
        }
        let positive = in_order || self.is_tie();
        Self { plus: plus.min(minus), minus: Some(plus.max(minus)), positive, reply: said, ..*self }
    }

    /// Checks answer `row` about `items` items.
    ///
    /// # Errors
    /// [`Error::UnknownItem`], [`Error::SelfComparison`] and [`Error::Answer`].
    pub fn check(&self, row: usize, items: usize) -> Result<(), Error> {
        check_known(row, self.items(), items)?;
        let repeated = self.items().enumerate().find(|&(k, item)| self.items().take(k).any(|i| i == item));
        if let Some((_, item)) = repeated {
            return Err(Error::SelfComparison { row, item });
        }
        let order = PartialOrder::of_reply(&self.reply);
        if order.map_or(2, PartialOrder::options) != usize::from(self.between.len) + 2 {
            return Err(Error::Answer { row, problem: "orders another number of items than it names" });
        }
        let wrong = |problem: &'static str| Err(Error::Answer { row, problem });
        match (self.reply.datum.is_finite(), self.reply.noise) {
            _ if self.count == 0.0 => wrong("is given no time at all; leave it out"),
            _ if !(self.count.is_finite() && self.count > 0.0) => {
                wrong("has a count that is not a positive number")
            }
            (false, _) => wrong("has a value that is not a finite number"),
            _ if !self.reply.fits() => wrong("has a grade or a level that there is not"),
            (_, noise) if !(noise.is_finite() && noise > 0.0) => {
                wrong("has a noise that is not a positive number")
            }
            _ => Ok(()),
        }
    }
}

impl From<Comparison> for Answer {
    fn from(Comparison { winner, loser, count }: Comparison) -> Self {
        Self::rather(winner, loser).times(count)
    }
}

/// Checks that all items `about` which something is said or asked are among `items`; `row` is the place of the answer or of the question.
///
/// # Errors
/// [`Error::UnknownItem`].
pub(crate) fn check_known(
    row: usize,
    about: impl IntoIterator<Item = usize>,
    items: usize,
) -> Result<(), Error> {
    match about.into_iter().find(|&item| item >= items) {
        Some(item) => Err(Error::UnknownItem { row, item, items }),
        None => Ok(()),
    }
}

/// Many answers, sixteen bytes each, eight more for a fraction of one and four more for each item of a set: what was said is kept once, however often it was.
///
/// # Examples
/// ```
/// use rather::answers::{Answer, Answers};
///
/// let answers: Answers = (1..1000).map(|i| Answer::rather(i, i - 1)).collect();
/// assert_eq!(answers.len(), 999);
/// assert_eq!(answers.iter().nth(4), Some(Answer::rather(5, 4)));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Answers {
    rows: Vec<Row>,
    /// The items of answers about sets, one set after the other; the row of such an answer has the place of its first item.
    sets: Vec<u32>,
    /// What was said, and whether it speaks for the item.
    said: Vec<(Reply, bool)>,
    numbers: HashMap<SaidKey, u32>,
    /// Counts that [`Count`] has no room for.
    counts: Vec<f64>,
}

/// What tells two things said apart.
type SaidKey = ((&'static str, u64, i8, Option<u32>, u64), bool);

#[derive(Debug, Clone, Copy)]
struct Row {
    plus: u32,
    /// [`Row::NONE`] if there is no second item.
    minus: u32,
    said: u32,
    count: Count,
}

/// A count in 32 bits: a whole number below 2^31, or the place of another among [`Answers::counts`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Count(u32);

impl Count {
    const ELSEWHERE: u32 = 1 << 31;
}

impl Row {
    const NONE: u32 = u32::MAX;

    fn minus(&self) -> Option<u32> {
        (self.minus != Self::NONE).then_some(self.minus)
    }
}

/// An item's number in 32 bits. One beyond them is no item of any table, and stays none.
fn item(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(Row::NONE).min(Row::NONE - 1)
}

impl Answers {
    /// Adds an answer.
    pub fn push(&mut self, answer: Answer) {
        let Answer { plus, minus, between, positive, reply, count } = answer;
        let said = self.number(reply, positive);
        let whole = count.fract() == 0.0 && (0.0..f64::from(Count::ELSEWHERE)).contains(&count);
        let count = if whole {
            Count(count as u32)
        } else {
            self.counts.push(count);
            Count((self.counts.len() as u32 - 1) | Count::ELSEWHERE)
        };
        let (plus, minus) = (item(plus), minus.map_or(Row::NONE, item));
        if between.len == 0 {
            return self.rows.push(Row { plus, minus, said, count });
        }
        let first = self.sets.len() as u32;
        self.rows.push(Row { plus: first, minus: first + u32::from(between.len) + 1, said, count });
        self.sets.push(plus);
        self.sets.extend(between.items());
        self.sets.push(minus);
    }

    /// The number of what was said, mostly that of the last answer or of the one before.
    fn number(&mut self, said: Reply, positive: bool) -> u32 {
        let same = |row: &&Row| self.said[row.said as usize] == (said, positive);
        if let Some(row) = self.rows.iter().rev().take(2).find(same) {
            return row.said;
        }
        let next = self.said.len() as u32;
        let number = *self.numbers.entry((said.key(), positive)).or_insert(next);
        if number == next {
            self.said.push((said, positive));
        }
        number
    }

    /// Number of answers, each counted once however often it was given.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The answers, in the order in which they were added.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Answer> + DoubleEndedIterator + Clone {
        self.rows.iter().map(|row| {
            let (said, positive) = self.said[row.said as usize];
            let (plus, between, minus) = if self.is_of_set(row) {
                let set = &self.sets[row.plus as usize..=row.minus as usize];
                (set[0], Between::of(set[1..set.len() - 1].iter().copied()), set.last().copied())
            } else {
                (row.plus, Between::default(), row.minus())
            };
            let minus = minus.map(|minus| minus as usize);
            Answer {
                plus: plus as usize,
                minus,
                between,
                positive,
                reply: said,
                count: self.count(row.count),
            }
        })
    }

    fn is_of_set(&self, row: &Row) -> bool {
        self.has_sets() && PartialOrder::of_reply(&self.said[row.said as usize].0).is_some()
    }

    /// Whether some are about sets of items, taken jointly.
    pub fn has_sets(&self) -> bool {
        !self.sets.is_empty()
    }

    /// The items of the answers about sets, one answer after the other.
    pub(crate) fn of_sets(&self) -> &[u32] {
        &self.sets
    }

    /// The distinct things said, as answers about an item that is not told.
    pub fn distinct(&self) -> impl ExactSizeIterator<Item = Answer> {
        self.said.iter().map(|&(said, positive)| Answer { positive, ..Answer::new(0, None, said) })
    }

    /// How often an answer was given.
    pub(crate) fn count(&self, Count(code): Count) -> f64 {
        match code & Count::ELSEWHERE {
            0 => f64::from(code),
            _ => self.counts[(code ^ Count::ELSEWHERE) as usize],
        }
    }

    /// The items, the place among [`Answers::distinct`], and the count of every answer about one item or two.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (u32, Option<u32>, usize, Count)> {
        self.rows
            .iter()
            .filter(|row| !self.is_of_set(row))
            .map(|row| (row.plus, row.minus(), row.said as usize, row.count))
    }

    /// Checks that there are answers, and that all are about `items` items.
    ///
    /// # Errors
    /// [`Error::NoComparisons`]; those of [`Answer::check`]; [`Error::Answer`] for more answers than one fit takes.
    pub fn check(&self, items: usize) -> Result<(), Error> {
        if self.is_empty() {
            return Err(Error::NoComparisons);
        }
        if self.len().max(self.sets.len()) > Self::MOST || self.counts.len() > Count::ELSEWHERE as usize {
            let problem = "is one more than the 4294967295 that one fit takes";
            return Err(Error::Answer { row: Self::MOST, problem });
        }
        self.iter().enumerate().try_for_each(|(row, answer)| answer.check(row, items))
    }

    /// Answers are numbered with 32 bits, their fractions with 31.
    const MOST: usize = u32::MAX as usize;

    /// Makes room for so many more answers.
    pub fn reserve(&mut self, more: usize) {
        self.rows.reserve_exact(more);
    }
}

impl Extend<Answer> for Answers {
    fn extend<I: IntoIterator<Item = Answer>>(&mut self, answers: I) {
        let answers = answers.into_iter();
        self.rows.reserve(answers.size_hint().0);
        answers.for_each(|answer| self.push(answer));
    }
}

impl FromIterator<Answer> for Answers {
    fn from_iter<I: IntoIterator<Item = Answer>>(answers: I) -> Self {
        let mut out = Self::default();
        out.extend(answers);
        out
    }
}

impl From<&[Comparison]> for Answers {
    fn from(comparisons: &[Comparison]) -> Self {
        comparisons.iter().map(|&comparison| Answer::from(comparison)).collect()
    }
}

impl From<&[Answer]> for Answers {
    fn from(answers: &[Answer]) -> Self {
        answers.iter().copied().collect()
    }
}

impl From<&Vec<Answer>> for Answers {
    fn from(answers: &Vec<Answer>) -> Self {
        answers.as_slice().into()
    }
}

impl<const N: usize> From<&[Answer; N]> for Answers {
    fn from(answers: &[Answer; N]) -> Self {
        answers.as_slice().into()
    }
}

impl PartialEq for Answers {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

//! Observations: answers merged, and the items they are about.
//!
//! Only items that occur in an answer enter inference; the others are predictions. Comparisons of the
//! same two items share a projection ([`Edge`]), so do labels of the same item, and identical answers share one site with
//! a count.

use std::collections::HashMap;
use std::sync::Arc;

use crate::Comparison;
use crate::answers::{Answer, Answers, Count};
pub use crate::comparisons::Edge;
use crate::half_life;
use crate::likelihood::choice_set::PartialOrder;
use crate::likelihood::{AnswerIndex, Reply, ResponseModel, Responses};
use crate::points::Points;
use rather_numerics::parallel;

/// One merged answer: a factor on `sign * z[edge]`, to the power `count`. Sixteen bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    edge: u32,
    /// What was said.
    pub answer: AnswerIndex,
    /// The count, negative if the sign is.
    signed: f64,
}

impl Observation {
    /// `count` answers about `sign` (1 or -1) times projection `edge`.
    ///
    /// # Panics
    /// If the number of the projection does not fit into 32 bits.
    pub fn new(edge: usize, sign: f64, count: f64, answer: AnswerIndex) -> Self {
        let edge = u32::try_from(edge).expect("projections are numbered with 32 bits");
        Self { edge, answer, signed: count.copysign(sign) }
    }

    /// Index of the projection.
    pub fn edge(&self) -> usize {
        self.edge as usize
    }

    /// 1 or -1.
    pub fn sign(&self) -> f64 {
        1.0_f64.copysign(self.signed)
    }

    /// Number of identical answers that this observation stands for, or the sum of their weights.
    pub fn count(&self) -> f64 {
        self.signed.abs()
    }

    /// The same, given `count` times.
    #[must_use]
    pub fn times(self, count: f64) -> Self {
        Self { signed: count.copysign(self.signed), ..self }
    }
}

/// One answer as it was given: about the difference of two items in the order of their numbers, or about one; or about its negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Given {
    pub(crate) item: u32,
    pub(crate) other: Option<u32>,
    /// Of an answer about a set, of which these are the first item and the last: the place of its items among those of all sets ([`Answers::of_sets`]).
    pub(crate) set: u32,
    pub(crate) answer: AnswerIndex,
    pub(crate) reversed: bool,
    /// How often.
    pub(crate) count: f64,
    /// How much all of that counts.
    pub(crate) weight: f64,
}

/// The answers of one fit: which items they touch, the distinct projections, the merged observations.
#[derive(Debug, Clone, PartialEq)]
pub struct Observations {
    /// The items that answers are about, as numbered in their table, in increasing order.
    pub items: Vec<usize>,
    /// The distinct projections, as positions in `items`: pairs, then single items.
    pub edges: Vec<Edge>,
    /// The merged answers: comparisons, then what was said of single items, then what was said of sets: all pairs of a set, one after the other, with
    /// the counts of its answer.
    pub merged: Vec<Observation>,
    /// What was said, and how people answer.
    pub responses: Arc<Responses>,
}

impl Observations {
    /// Merges comparisons. The order of the result depends on the set of comparisons only, not on theirs.
    pub fn new(comparisons: &[Comparison]) -> Self {
        Self::of(&comparisons.into(), &[], ResponseModel::default())
    }

    /// Merges answers of any kinds, by `users`, who answer by a response model`. What does not matter in that response model is forgotten: users, if
    /// nothing depends on them, and sides without a bias to learn.
    pub fn of(answers: &Answers, users: &[String], response_model: ResponseModel) -> Self {
        let Keys { keys, said } = Keys::of(answers, &response_model);
        let sets = sets_of(answers, &response_model);
        let about = || {
            let of_keys = keys.iter().flat_map(|key| [Some(key.low), key.second()]).flatten();
            of_keys.chain(sets.iter().flat_map(|set| set.items.iter().copied()))
        };
        let most = about().map(|item| item as usize + 1).max();
        let mut place = vec![u32::MAX; most.unwrap_or(0)];
        about().for_each(|i| place[i as usize] = 0);
        let items: Vec<usize> = (0..place.len()).filter(|&i| place[i] == 0).collect();
        (0..).zip(&items).for_each(|(position, &i)| place[i] = position);
        let position = |item: u32| place[item as usize] as usize;

        let first = [Reply::CHOICE, Reply::LABEL];
        let mut numbers: Vec<Option<u32>> = said
            .iter()
            .map(|s| (0..).zip(&first).find(|(_, known)| known.key() == s.key()).map(|(number, _)| number))
            .collect();
        let mut counted: Vec<(Reply, f64)> = first.map(|said| (said, 0.0)).to_vec();
        let mut count_said = |place: usize, count: f64| {
            let number = *numbers[place].get_or_insert_with(|| {
                counted.push((said[place], 0.0));
                counted.len() as u32 - 1
            });
            counted[number as usize].1 += count;
            AnswerIndex(number)
        };
        let mut edges: Vec<Edge> = Vec::with_capacity(keys.chunk_by(Key::is_about_the_same).count());
        let mut merged = Vec::with_capacity(keys.chunk_by(Key::says_the_same).count());
        for same in keys.chunk_by(Key::says_the_same) {
            let key = same[0];
            let count: f64 = same.iter().map(|key| answers.count(key.count)).sum();
            let edge = Edge::new(position(key.low), key.second().map(position));
            if edges.last() != Some(&edge) {
                edges.push(edge);
            }
            let number = count_said(key.said(), count);
            let sign = if key.is_last() == key.second().is_some() { -1.0 } else { 1.0 };
            merged.push(Observation::new(edges.len() - 1, sign, count, number));
        }
        let sets: Vec<(Vec<usize>, f64, AnswerIndex)> = sets
            .iter()
            .map(|set| {
                let at = said.partition_point(|s| s.key() < set.reply.key());
                let positions = set.items.iter().map(|&item| position(item)).collect();
                (positions, set.count, count_said(at, set.count))
            })
            .collect();
        with_sets(&sets, &mut edges, &mut merged);
        let (said, counts) = counted.into_iter().unzip();
        let responses = Arc::new(Responses { replies: said, counts, users: users.to_vec(), response_model });
        Self { items, edges, merged, responses }
    }

    /// The answers that were merged, as they were given, the newest last, with the weights of a half-life if there is one.
    pub(crate) fn given<'a>(
        &'a self,
        answers: &'a Answers,
        half_life: Option<f64>,
    ) -> impl Iterator<Item = Given> + 'a {
        let weights = half_life::weights(answers.iter().map(|answer| answer.count), half_life);
        let model = &self.responses.response_model;
        let numbers: HashMap<_, u32> = self.responses.replies.iter().map(Reply::key).zip(0..).collect();
        let mut next = 0;
        answers.iter().zip(weights).map(move |(answer, weight)| {
            let ordered = answer.in_order(model);
            let set = next;
            next += if answer.is_of_set() { answer.items().count() as u32 } else { 0 };
            Given {
                set,
                item: ordered.plus as u32,
                other: ordered.minus.map(|minus| minus as u32),
                answer: AnswerIndex(numbers.get(&ordered.reply.key()).copied().unwrap_or_default()),
                reversed: !ordered.positive,
                count: ordered.count,
                weight,
            }
        })
    }

    /// The items of an answer about a set, in its order; `of_sets` are those of all.
    pub(crate) fn set_of<'a>(&self, given: &Given, of_sets: &'a [u32]) -> Option<&'a [u32]> {
        let order = PartialOrder::of_reply(&self.responses.replies[given.answer.0 as usize])?;
        of_sets[given.set as usize..].get(..order.options())
    }

    /// Some of the answers that were merged, with the responses of all; `of_sets` are the items of all answers about sets.
    pub(crate) fn of_given(&self, given: &[Given], of_sets: &[u32]) -> Self {
        let items_of = |g: &Given| self.set_of(g, of_sets).unwrap_or_default().iter().copied();
        let mut items: Vec<u32> = given
            .iter()
            .flat_map(|g| [Some(g.item), g.other].into_iter().flatten().chain(items_of(g)))
            .collect();
        items.sort_unstable();
        items.dedup();
        let position = |item: u32| items.partition_point(|&i| i < item);
        let order = |g: &Given| (g.other.is_none(), g.item, g.other, g.answer, g.reversed);
        let mut sorted: Vec<Given> =
            given.iter().filter(|g| self.set_of(g, of_sets).is_none()).copied().collect();
        sorted.sort_unstable_by_key(order);
        let (mut edges, mut merged) = (Vec::new(), Vec::new());
        for same in sorted.chunk_by(|a, b| order(a) == order(b)) {
            let edge = Edge::new(position(same[0].item), same[0].other.map(position));
            if edges.last() != Some(&edge) {
                edges.push(edge);
            }
            let sign = if same[0].reversed { -1.0 } else { 1.0 };
            let count: f64 = same.iter().map(|g| g.weight).sum();
            merged.push(Observation::new(edges.len() - 1, sign, count, same[0].answer));
        }
        let sets: Vec<(Vec<usize>, f64, AnswerIndex)> = given
            .iter()
            .filter_map(|g| {
                let set = self.set_of(g, of_sets)?;
                Some((set.iter().map(|&item| position(item)).collect(), g.weight, g.answer))
            })
            .collect();
        with_sets(&sets, &mut edges, &mut merged);
        let items = items.into_iter().map(|item| item as usize).collect();
        Self { items, edges, merged, responses: Arc::clone(&self.responses) }
    }

    /// The sum of the weights of what each merged answer was `given` as.
    pub(crate) fn weights(&self, given: impl Iterator<Item = Given>) -> Vec<f64> {
        let mut weights = vec![0.0; self.merged.len()];
        for g in given {
            let about = (g.other.is_none(), g.item, g.other);
            let place = self.edges.partition_point(|edge| self.about(edge) < about);
            let first = self.merged.partition_point(|o| o.edge() < place);
            let says = |o: &Observation| o.answer == g.answer && (o.sign() < 0.0) == g.reversed;
            let mut of_edge = self.merged[first..].iter().take_while(|o| o.edge() == place);
            if let Some(m) = of_edge.position(says) {
                weights[first + m] += g.weight;
            }
        }
        weights
    }

    /// What edges are in the order of: the items, as numbered in the table, those of pairs first.
    fn about(&self, edge: &Edge) -> (bool, u32, Option<u32>) {
        let item = |position: usize| self.items[position] as u32;
        (edge.minus().is_none(), item(edge.plus()), edge.minus().map(item))
    }

    /// Gives the merged answers these weights, in their order. [`Responses::counts`] stay the numbers of answers.
    pub(crate) fn weigh(&mut self, weights: &[f64]) {
        self.merged.iter_mut().zip(weights).for_each(|(o, &weight)| *o = o.times(weight));
    }

    /// Gives the merged answers these counts, in their order.
    pub(crate) fn recount(&mut self, counts: impl Iterator<Item = f64>) {
        self.merged
            .iter_mut()
            .zip(counts)
            .for_each(|(observation, count)| *observation = observation.times(count));
        let mut of_answers = vec![0.0; self.responses.counts.len()];
        self.answers().for_each(|(_, of)| of_answers[of[0].answer.0 as usize] += of[0].count());
        Arc::make_mut(&mut self.responses).counts = of_answers;
    }

    /// The observations of every answer, and the place of the first: there is one, or one a pair of a set.
    pub(crate) fn answers(&self) -> impl Iterator<Item = (usize, &[Observation])> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let first = next;
            next += self.order(self.merged.get(first)?).map_or(1, PartialOrder::pairs);
            Some((first, &self.merged[first..next]))
        })
    }

    /// The order that an observation is part of, if it is of an answer about a set.
    pub(crate) fn order(&self, observation: &Observation) -> Option<PartialOrder> {
        PartialOrder::of_reply(&self.responses.replies[observation.answer.0 as usize])
    }

    /// What was said of pairs and single items: the merged answers with their places, of sets those pairs whose order was said.
    pub fn comparisons(&self) -> impl Iterator<Item = (usize, &Observation)> {
        self.answers().flat_map(|(first, of_answer)| {
            let order = self.order(&of_answer[0]);
            let said = move |k: usize| order.is_none_or(|order| order.orders(k));
            (first..).zip(of_answer).filter(move |(m, _)| said(m - first))
        })
    }

    /// Whether some answers are about sets of items, taken jointly.
    pub fn has_sets(&self) -> bool {
        self.responses.has_sets()
    }

    /// Winner and loser of merged comparison `m`, as numbered in the table; the item of a label stands for both.
    pub fn ends(&self, m: usize) -> (usize, usize) {
        let (observation, edge) = (self.merged[m], self.edges[self.merged[m].edge()]);
        let (low, high) = (self.items[edge.plus()], self.items[edge.minus().unwrap_or(edge.plus())]);
        if observation.sign() > 0.0 { (low, high) } else { (high, low) }
    }

    /// Number of answers, repeated ones counted; or the sum of their weights.
    pub fn total(&self) -> f64 {
        self.answers().map(|(_, of_answer)| of_answer[0].count()).sum()
    }

    /// Whether all answers are choices between two items with the default response model: no ties, labels, sides, lapses or noise of their own.
    pub fn is_plain(&self) -> bool {
        self.responses.is_plain() && self.edges.iter().all(|edge| edge.minus().is_some())
    }

    /// Whether noisy differences stand behind the answers: they are plain ([`Observations::is_plain`]) or about sets, and none counts for less than
    /// another.
    pub fn has_noisy_differences(&self) -> bool {
        let of_pairs = self.edges.iter().all(|edge| edge.minus().is_some());
        self.responses.is_of_choices() && of_pairs && self.merged.iter().all(|o| o.count().fract() == 0.0)
    }

    /// Number of noisy differences behind the answers, or of answers that have none: one each, of a set one a comparison that it is made of.
    pub(crate) fn differences(&self) -> f64 {
        let of = |order: PartialOrder| order.edges().len() as f64;
        self.answers()
            .map(|(_, of_answer)| of_answer[0].count() * self.order(&of_answer[0]).map_or(1.0, of))
            .sum()
    }

    /// Number of groups of items that no chain of comparisons joins; `compared` are what `items` are about, of which several may be one item.
    pub fn groups(&self, compared: &Points) -> usize {
        let mut of_item: HashMap<u64, usize> = HashMap::new();
        let mut parent: Vec<usize> =
            (0..compared.rows()).map(|i| *of_item.entry(compared.id(i)).or_insert(i)).collect();
        fn root(parent: &mut [usize], mut i: usize) -> usize {
            while parent[i] != i {
                parent[i] = parent[parent[i]];
                i = parent[i];
            }
            i
        }
        for edge in &self.edges {
            let mut members =
                [Some(edge.plus()), edge.minus()].into_iter().flatten().flat_map(|i| compared.members(i));
            let Some((first, _)) = members.next() else { continue };
            for (other, _) in members {
                let (a, b) = (root(&mut parent, first), root(&mut parent, other));
                parent[a] = b;
            }
        }
        (0..parent.len()).filter(|&i| parent[i] == i).count()
    }
}

/// An answer about a set of items, merged.
struct Set {
    items: Vec<u32>,
    reply: Reply,
    count: f64,
}

/// The answers about sets, equal ones merged, in an order that does not depend on theirs.
fn sets_of(answers: &Answers, response_model: &ResponseModel) -> Vec<Set> {
    if !answers.has_sets() {
        return Vec::new();
    }
    let of = |answer: Answer| Set {
        items: answer.items().map(|item| item as u32).collect(),
        reply: answer.in_order(response_model).reply,
        count: answer.count,
    };
    let mut all: Vec<Set> = answers.iter().filter(Answer::is_of_set).map(of).collect();
    all.sort_by(|a, b| a.items.cmp(&b.items).then_with(|| a.reply.key().cmp(&b.reply.key())));
    all.dedup_by(|next, known| {
        let same = next.items == known.items && next.reply.key() == known.reply.key();
        known.count += if same { next.count } else { 0.0 };
        same
    });
    all
}

/// All pairs, the first one in the order first.
pub(crate) fn pairs_of<T: Copy>(items: &[T]) -> impl Iterator<Item = (T, T)> {
    items.iter().enumerate().flat_map(|(k, &a)| items[k + 1..].iter().map(move |&b| (a, b)))
}

/// What projections are in the order of: pairs come first.
fn order_of(edge: &Edge) -> (bool, usize, Option<usize>) {
    (edge.minus().is_none(), edge.plus(), edge.minus())
}

/// Adds answers about sets of positions, each with its count and its number: their pairs to the projections, of which those of `merged` are numbered
/// anew, and all pairs of each to `merged`.
fn with_sets(sets: &[(Vec<usize>, f64, AnswerIndex)], edges: &mut Vec<Edge>, merged: &mut Vec<Observation>) {
    if sets.is_empty() {
        return;
    }
    let between = |(a, b): (usize, usize)| Edge::between(a.min(b), a.max(b));
    let before = edges.clone();
    for (set, ..) in sets {
        edges.extend(pairs_of(set).map(between));
    }
    edges.sort_unstable_by_key(order_of);
    edges.dedup();
    let place = |edge: &Edge| edges.binary_search_by_key(&order_of(edge), order_of).unwrap_or_default();
    for o in merged.iter_mut() {
        *o = Observation::new(place(&before[o.edge()]), o.sign(), o.count(), o.answer);
    }
    for (set, count, answer) in sets {
        let sign = |(a, b)| if a < b { 1.0 } else { -1.0 };
        let pair = |pair| Observation::new(place(&between(pair)), sign(pair), *count, *answer);
        merged.extend(pairs_of(set).map(pair));
    }
}

/// What tells merged answers apart, and how often it was said. Sixteen bytes an answer.
#[derive(Debug, Clone, Copy)]
struct Key {
    low: u32,
    /// [`Key::ALONE`] if the answer is about one item.
    high: u32,
    /// What was said, by its place in the order of all that was; and [`Key::LAST`].
    what: u32,
    count: Count,
}

impl Key {
    const ALONE: u32 = u32::MAX;
    /// Set in the answers that come last: of those about two items the ones for the second, of those about one the ones for it.
    const LAST: u32 = 1 << 31;

    fn second(&self) -> Option<u32> {
        (self.high != Self::ALONE).then_some(self.high)
    }

    fn is_last(&self) -> bool {
        self.what & Self::LAST != 0
    }

    fn said(&self) -> usize {
        (self.what & !Self::LAST) as usize
    }

    /// Answers about two items come before those about one; then by the items, and by what was said. One number, which is compared at once.
    fn order(&self) -> u128 {
        let one = u128::from(self.high == Self::ALONE);
        one << 96 | u128::from(self.low) << 64 | u128::from(self.high) << 32 | u128::from(self.what)
    }

    fn is_about_the_same(&self, other: &Self) -> bool {
        (self.low, self.high) == (other.low, other.high)
    }

    fn says_the_same(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

/// The keys of all answers in their order, and the distinct things said in theirs.
struct Keys {
    keys: Vec<Key>,
    said: Vec<Reply>,
}

impl Keys {
    fn of(answers: &Answers, response_model: &ResponseModel) -> Self {
        // What is said of two items in their order, against their order, and of one item: the same for all who say it.
        let shapes = [(0, Some(1)), (1, Some(0)), (0, None)];
        let ordered: Vec<[Answer; 3]> = answers
            .distinct()
            .map(|answer| {
                shapes.map(|(plus, minus)| Answer { plus, minus, ..answer }.in_order(response_model))
            })
            .collect();
        let mut said: Vec<Reply> = ordered.iter().flatten().map(|answer| answer.reply).collect();
        said.sort_unstable_by_key(Reply::key);
        said.dedup_by_key(|s| s.key());
        let what = |answer: &Answer| {
            let at = said.partition_point(|s| s.key() < answer.reply.key()) as u32;
            let last = answer.positive != answer.minus.is_some();
            if last { at | Key::LAST } else { at }
        };
        let whats: Vec<[u32; 3]> = ordered.iter().map(|all| all.each_ref().map(what)).collect();
        let key = |(plus, minus, number, count): (u32, Option<u32>, usize, Count)| match minus {
            None => Key { low: plus, high: Key::ALONE, what: whats[number][2], count },
            Some(minus) if plus < minus => Key { low: plus, high: minus, what: whats[number][0], count },
            Some(minus) => Key { low: minus, high: plus, what: whats[number][1], count },
        };
        let mut keys: Vec<Key> = answers.rows().map(key).collect();
        parallel::sort_unstable_by_key(&mut keys, Key::order);
        Self { keys, said }
    }
}

//! What to ask next: pairs that join all items, then the spanning tree of the pairs that tell most. What was skipped comes last.
//!
//! # References
//! Mikhailiuk, Wilmot, Perez-Ortiz, Yue and Mantiuk, *Active sampling for pairwise comparisons via approximate message passing and information
//! gain maximization* (2020): the minimum spanning tree of inverse information gains as a batch.

use super::{Question, Settings, Told};
use crate::Error;
use crate::analysis::connectivity::Forest;
use rather::Person;
use rather::model::Model;
use rather_numerics::random::{stream, uniform};
use std::collections::HashMap;

/// What was asked so far.
pub(super) struct Asked<'a> {
    pub(super) answers: &'a [Told],
    pub(super) skipped: &'a [Told],
    pub(super) open: &'a [Question],
    pub(super) seed: u64,
}

impl Asked<'_> {
    /// Number of questions so far, whatever became of them.
    fn number(&self) -> u64 {
        (self.answers.len() + self.skipped.len() + self.open.len()) as u64
    }

    fn skips(&self) -> Skips {
        let mut times = HashMap::new();
        self.skipped
            .iter()
            .map(|told| told.question)
            .for_each(|q| *times.entry(Skips::key(q.left, q.right)).or_default() += 1);
        Skips(times)
    }

    /// Up to `n` questions that were asked in one order more often than in the other, in the other; not those of pairs that were skipped.
    pub(super) fn turned(&self, n: usize) -> Vec<Question> {
        let mut ahead: HashMap<Question, usize> = HashMap::new();
        let mut waiting = Vec::new();
        for question in self.answers.iter().map(|told| told.question).chain(self.open.iter().copied()) {
            match ahead.get_mut(&question.turned()) {
                Some(times) if *times > 0 => *times -= 1,
                _ => {
                    *ahead.entry(question).or_default() += 1;
                    waiting.push(question);
                }
            }
        }
        let mut due = |question: &Question| match ahead.get_mut(question) {
            Some(times) if *times > 0 => {
                *times -= 1;
                true
            }
            _ => false,
        };
        let skips = self.skips();
        waiting.retain(|question| due(question) && skips.of(question.left, question.right) == 0);
        waiting.into_iter().map(Question::turned).take(n).collect()
    }
}

/// How often pairs were skipped, whichever side was left.
#[derive(Default)]
struct Skips(HashMap<(usize, usize), usize>);

impl Skips {
    fn key(a: usize, b: usize) -> (usize, usize) {
        (a.min(b), a.max(b))
    }

    fn of(&self, a: usize, b: usize) -> usize {
        self.0.get(&Self::key(a, b)).copied().unwrap_or(0)
    }
}

/// Neighbours in the order of the ranking on either side with which an item is considered: what lies further apart tells less.
const NEIGHBOURS: usize = 64;

/// The `n` pairs to ask next about so many items.
pub(super) fn next(
    asked: &Asked<'_>,
    items: usize,
    model: Option<&Model>,
    settings: &Settings,
    n: usize,
) -> Result<Vec<Question>, Error> {
    let mut forest = Forest::new(items);
    let known = asked.answers.iter().map(|told| &told.question).chain(asked.open);
    known.for_each(|q| {
        forest.join(q.left, q.right);
    });
    let skips = asked.skips();
    let mut pairs = joining(&mut forest, items, asked.seed, &skips, n);
    if pairs.is_empty() {
        let scored = match model {
            Some(model) => scored(model, asked, settings)?,
            // All pairs were skipped, and none tells more than another.
            None if asked.open.is_empty() => all_pairs(items).map(|(a, b)| (0.0, a, b)).collect(),
            // Answers are to come.
            None => return Ok(Vec::new()),
        };
        pairs = spanning_tree(items, scored, &skips, n);
        // Two items have one pair, which is asked again.
        if pairs.is_empty() && items == 2 {
            pairs = vec![(0, 1)];
        }
    }
    let first = asked.number();
    let on_sides = |(k, (a, b)): (u64, (usize, usize))| {
        // Each side by lot, so that neither position nor number gives the better one away.
        let turned = uniform(&mut stream(asked.seed, first + k)) < 0.5;
        if turned { Question { left: b, right: a } } else { Question { left: a, right: b } }
    };
    Ok((0..).zip(pairs).map(on_sides).collect())
}

/// All pairs of so many items, the smaller number first.
fn all_pairs(items: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..items).flat_map(move |a| (a + 1..items).map(move |b| (a, b)))
}

/// Up to `n` pairs that join components, along a chain of all items in an order drawn from the seed: no item is in more than two. Where a
/// link of the chain was skipped, items further apart in it are joined.
fn joining(forest: &mut Forest, items: usize, seed: u64, skips: &Skips, n: usize) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..items).collect();
    let mut rng = stream(seed, u64::MAX);
    for i in (1..items).rev() {
        order.swap(i, (uniform(&mut rng) * (i + 1) as f64) as usize);
    }
    // Without skipped links all items are joined by the chain itself.
    let furthest = if skips.0.is_empty() { 2 } else { items };
    (1..furthest)
        .flat_map(|apart| order.iter().copied().zip(order.iter().copied().skip(apart)))
        .filter(|&(a, b)| skips.of(a, b) == 0 && forest.join(a, b))
        .take(n)
        .collect()
}

/// Pairs of near neighbours that do not wait for an answer, with what they tell.
fn scored(model: &Model, asked: &Asked<'_>, settings: &Settings) -> Result<Vec<(f64, usize, usize)>, Error> {
    let person = Person::Single(model);
    let ranking = person.rank(model.points());
    let waits = |a: usize, b: usize| {
        asked.open.iter().any(|q| (q.left, q.right) == (a, b) || (q.right, q.left) == (a, b))
    };
    let pair = |i: usize, j: usize| (ranking[i].item, ranking[j].item);
    let pairs: Vec<(usize, usize)> = (0..ranking.len())
        .flat_map(|i| (i + 1..ranking.len().min(i + 1 + NEIGHBOURS)).map(move |j| (i, j)))
        .map(|(i, j)| pair(i, j))
        .filter(|&(a, b)| !waits(a, b))
        .collect();
    // Functions that draw must draw anew after every answer.
    let told = (asked.answers.len() + asked.skipped.len()) as u64;
    let seed = asked.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(told);
    let scores = person.scores(model.points(), settings.acquisition(), &pairs, seed)?;
    Ok(scores.into_iter().zip(pairs).map(|(score, (a, b))| (score, a, b)).collect())
}

/// The `n` most telling pairs of the spanning tree of those that were skipped least and tell most (Kruskal).
fn spanning_tree(
    items: usize,
    mut scored: Vec<(f64, usize, usize)>,
    skips: &Skips,
    n: usize,
) -> Vec<(usize, usize)> {
    scored.sort_by(|x, y| {
        let skipped = skips.of(x.1, x.2).cmp(&skips.of(y.1, y.2));
        skipped.then(y.0.total_cmp(&x.0)).then((x.1, x.2).cmp(&(y.1, y.2)))
    });
    let mut forest = Forest::new(items);
    scored.into_iter().map(|(_, a, b)| (a, b)).filter(|&(a, b)| forest.join(a, b)).take(n).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_takes_the_most_telling_pairs_without_a_circle() {
        let scored = vec![(0.9, 0, 1), (0.8, 1, 2), (0.7, 0, 2), (0.1, 2, 3), (0.05, 0, 3)];
        let tree = |skips: &Skips, n| spanning_tree(4, scored.clone(), skips, n);
        assert_eq!(tree(&Skips::default(), 9), [(0, 1), (1, 2), (2, 3)]);
        assert_eq!(tree(&Skips::default(), 1), [(0, 1)]);
        // What was skipped comes after what tells less.
        let skips = Skips(HashMap::from([((0, 1), 1), ((2, 3), 2)]));
        assert_eq!(tree(&skips, 9), [(1, 2), (0, 2), (0, 3)]);
    }

    #[test]
    fn functions_that_draw_draw_anew() {
        use crate::sort::Sort;
        let folder = tempfile::tempdir().unwrap();
        let items =
            crate::definition::Items { keys: (0..8).map(|i| i.to_string()).collect(), columns: vec![] };
        let settings = Settings { acquisition: Some("random".parse().unwrap()), ..Settings::new(8) };
        let mut sort = Sort::open(&folder.path().join("list.study"), &items, "?", 0, settings).unwrap();
        let mut asked = std::collections::HashSet::new();
        for _ in 0..14 {
            let question = sort.questions(1, &[]).unwrap()[0];
            asked.insert((question.left.min(question.right), question.left.max(question.right)));
            sort.tell("me", question, crate::Answer::Left).unwrap();
        }
        assert!(asked.len() > 9, "seven join the items, and the others differ: {asked:?}");
    }

    #[test]
    fn what_was_asked_in_one_order_is_asked_in_the_other() {
        let q = |left, right| Question { left, right };
        let told = |question| Told { question, answer: crate::Answer::Left, judge: 0 };
        let answers = [q(0, 1), q(1, 0), q(2, 1), q(0, 1), q(3, 0)].map(told);
        let mut asked = Asked { answers: &answers, skipped: &[], open: &[q(1, 2)], seed: 0 };
        assert_eq!(asked.turned(9), [q(1, 0), q(0, 3)]);
        assert_eq!(asked.turned(1), [q(1, 0)]);
        let skipped = [told(q(1, 0))];
        asked.skipped = &skipped;
        assert_eq!(asked.turned(9), [q(0, 3)]);
    }

    #[test]
    fn a_chain_joins_all_items() {
        let pairs = joining(&mut Forest::new(9), 9, 3, &Skips::default(), usize::MAX);
        assert_eq!(pairs.len(), 8);
        let mut forest = Forest::new(9);
        pairs.iter().for_each(|&(a, b)| assert!(forest.join(a, b)));
        assert!((0..9).all(|i| pairs.iter().filter(|&&(a, b)| a == i || b == i).count() <= 2));
        assert!(joining(&mut forest, 9, 3, &Skips::default(), 5).is_empty());
    }

    #[test]
    fn a_chain_goes_round_what_was_skipped() {
        let chain = joining(&mut Forest::new(9), 9, 3, &Skips::default(), usize::MAX);
        let skips = Skips(chain.iter().map(|&(a, b)| (Skips::key(a, b), 1)).collect());
        let pairs = joining(&mut Forest::new(9), 9, 3, &skips, usize::MAX);
        assert!(pairs.len() == 8 && pairs.iter().all(|&(a, b)| skips.of(a, b) == 0), "{pairs:?}");
    }
}

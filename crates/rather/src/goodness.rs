//! Do the answers look as the model expects: repeated pairs, and preferences that go round in a circle?

use std::collections::{BTreeMap, BTreeSet};

use crate::Error;
use crate::likelihood::Reply;
use crate::model::Model;
use rand_chacha::ChaCha8Rng;
use rather_numerics::random::{normals, stream, uniform};
use rather_numerics::watch;

/// Draws of utilities, each with answers made up under them; of very many pairs fewer.
const DRAWS: usize = 400;
const FEWEST_DRAWS: usize = 50;
const PAIRS_DRAWN: usize = 2_000_000;
/// The most items of which utilities are drawn, and the most triads that are looked at.
const ITEMS: usize = 2_000;
const TRIADS: usize = 20_000;
/// The variance of a number of answers from which on it is drawn as a normal one.
const NORMAL: f64 = 25.0;

/// What was observed against what the model expects, of comparisons that have a winner: posterior predictive checks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goodness {
    /// Pairs that were compared at least twice.
    pub repeated_pairs: usize,
    /// The mean of $(k-np)^2/(np(1-p))$ over these pairs and draws of the utilities, with $k$ of $n$ answers for one item and $p$ its probability: about 1 if answers are as
    /// independent as the model has them, more if those about one pair agree more.
    pub dispersion: f64,
    /// The probability that answers made up by the model are at least as dispersed as those observed.
    pub dispersion_p: f64,
    /// Triads of items all compared with each other, none of the three pairs undecided.
    pub triads: usize,
    /// How many of these are circular: the majority prefers A to B, B to C, and C to A.
    pub circular: usize,
    /// How many the model expects.
    pub expected_circular: f64,
    /// The probability that answers made up by the model have at least as many circular triads.
    pub circular_p: f64,
}

/// A compared pair, as it was shown: what was compared, the items, answers for the first, all answers that have a winner.
struct Pair {
    ends: (usize, usize),
    items: (usize, usize),
    wins: f64,
    all: f64,
}

impl Model {
    /// Whether comparisons that have a winner look as the model expects, by answers made up under draws from the posterior.
    ///
    /// `None` without such comparisons, of more than 2,000 items, and where a pair effect accounts for repeated answers.
    ///
    /// # Formula
    /// For draws $f$ of the utilities and answers $y'\sim p(\cdot\mid f)$, a check is the share of draws in which $T(y',f)\ge T(y,f)$; shares near 0 say that the answers have more
    /// of $T$ than the model can explain.
    ///
    /// # References
    /// Gelman, Meng and Stern, *Posterior predictive assessment of model fitness via realized discrepancies* (1996), Statistica Sinica 6. Kendall and Babington Smith, *On the
    /// method of paired comparisons* (1940), Biometrika 31, for circular triads.
    ///
    /// # Errors
    /// [`Error::Covariance`] if a covariance is not a finite number; [`Error::Cancelled`].
    pub fn goodness(&self, seed: u64) -> Result<Option<Goodness>, Error> {
        let pairs = self.pairs();
        let points = self.compared_points();
        // A pair effect is how the model has answers about one pair agree.
        let explained = self.observations().responses.response_model.pair_effect;
        if pairs.is_empty() || explained || points.len() > ITEMS {
            return Ok(None);
        }
        let rng = &mut stream(seed, 7);
        let number = (PAIRS_DRAWN / pairs.len()).clamp(FEWEST_DRAWS, DRAWS);
        let draws = self.belief().draws(&points, number, rng)?;
        let table = Table::of(&pairs);
        let likelihoods = self.belief().likelihoods();
        let observed: Vec<f64> = pairs.iter().map(|pair| pair.wins).collect();
        let circular = table.circular(&pairs, &observed);
        let (mut sum, mut dispersed, mut expected, mut rounder) = (0.0, 0.0, 0.0, 0.0);
        for k in 0..number {
            watch::check()?;
            let f = draws.col(k);
            let first = |Pair { ends: (i, j), .. }: &Pair| {
                let [first, _, second] = likelihoods.chances(f[*i] - f[*j]);
                first / (first + second).max(f64::MIN_POSITIVE)
            };
            let p: Vec<f64> = pairs.iter().map(first).collect();
            let made_up: Vec<f64> =
                pairs.iter().zip(&p).map(|(pair, &p)| binomial(pair.all, p, rng)).collect();
            let (of_data, of_model) = (dispersion(&pairs, &observed, &p), dispersion(&pairs, &made_up, &p));
            sum += of_data;
            dispersed += at_least(of_model, of_data);
            let round = table.circular(&pairs, &made_up);
            expected += round as f64;
            rounder += if round >= circular { 1.0 } else { 0.0 };
        }
        let share = 1.0 / number as f64;
        Ok(Some(Goodness {
            repeated_pairs: pairs.iter().filter(|pair| pair.all > 1.0).count(),
            dispersion: sum * share,
            dispersion_p: dispersed * share,
            triads: table.triads.len(),
            circular,
            expected_circular: expected * share,
            circular_p: rounder * share,
        }))
    }

    /// The pairs with comparisons that have a winner and whose counts are whole numbers.
    fn pairs(&self) -> Vec<Pair> {
        let (observations, points) = (self.observations(), self.compared_points());
        let replies = &observations.responses.replies;
        let has_winner = |reply: &Reply| {
            *reply == Reply::CHOICE
                || reply.datum > 0.0 && *reply == Reply { datum: reply.datum, ..Reply::better(1) }
        };
        let mut found: BTreeMap<(usize, usize), Pair> = BTreeMap::new();
        for o in observations.merged.iter().filter(|o| has_winner(&replies[o.answer.0 as usize])) {
            let edge = observations.edges[o.edge()];
            let Some(minus) = edge.minus().filter(|_| o.count().fract() == 0.0) else {
                continue;
            };
            let ends = (edge.plus(), minus);
            let items = (points.id(ends.0) as usize, points.id(ends.1) as usize);
            let pair = found.entry(ends).or_insert(Pair { ends, items, wins: 0.0, all: 0.0 });
            pair.all += o.count();
            pair.wins += if o.sign() > 0.0 { o.count() } else { 0.0 };
        }
        found.into_values().collect()
    }
}

fn at_least(a: f64, b: f64) -> f64 {
    if a >= b { 1.0 } else { 0.0 }
}

/// How many of `n` answers with probability `p` come true: by a normal number if that may be many, else by inversion of the distribution function.
///
/// # References
/// Kachitvichyanukul and Schmeiser, *Binomial random variate generation* (1988), Communications of the ACM 31, algorithm BINV.
fn binomial(n: f64, p: f64, rng: &mut ChaCha8Rng) -> f64 {
    if p > 0.5 {
        return n - binomial(n, 1.0 - p, rng);
    }
    let variance = n * p * (1.0 - p);
    if variance > NORMAL {
        return (n * p + variance.sqrt() * normals(1, rng)[0]).round().clamp(0.0, n);
    }
    // With such a variance none come true with a probability of at least e^-50.
    let odds = p / (1.0 - p);
    let (mut probability, mut left) = ((n * (-p).ln_1p()).exp(), uniform(rng));
    let mut true_ones = 0.0;
    while left > probability && true_ones < n {
        left -= probability;
        true_ones += 1.0;
        probability *= odds * (n - true_ones + 1.0) / true_ones;
    }
    true_ones
}

/// The mean of the squared standardised deviations of pairs that were compared at least twice.
fn dispersion(pairs: &[Pair], wins: &[f64], p: &[f64]) -> f64 {
    let (mut sum, mut number) = (0.0, 0.0_f64);
    for ((pair, wins), p) in pairs.iter().zip(wins).zip(p).filter(|((pair, _), _)| pair.all > 1.0) {
        let variance = (pair.all * p * (1.0 - p)).max(f64::MIN_POSITIVE);
        sum += ((wins - pair.all * p).powi(2) / variance).min(1e12);
        number += 1.0;
    }
    sum / number.max(1.0)
}

/// The pairs of items, in whichever order they were shown, and the triads of them.
struct Table {
    /// For each pair as it was shown its pair of items, and whether its first is the one of the smaller number.
    of: Vec<(usize, bool)>,
    items: usize,
    /// The pairs of items `ij`, `jk` and `ik` of each triad `i < j < k`; the first of them, if there are many.
    triads: Vec<[usize; 3]>,
}

impl Table {
    fn of(pairs: &[Pair]) -> Self {
        let mut place: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let ordered = |(i, j): (usize, usize)| (i.min(j), i.max(j));
        for Pair { items, .. } in pairs.iter().filter(|pair| pair.items.0 != pair.items.1) {
            place.entry(ordered(*items)).or_insert(0);
        }
        place.values_mut().zip(0..).for_each(|(place, at)| *place = at);
        // Two sides of the same item are in no triad.
        let of = |Pair { items, .. }: &Pair| {
            (place.get(&ordered(*items)).copied().unwrap_or(place.len()), items.0 < items.1)
        };
        Self { of: pairs.iter().map(of).collect(), items: place.len() + 1, triads: triads(&place) }
    }

    /// How many triads are circular by majority, with so many answers for the first of each pair; an undecided pair makes none.
    fn circular(&self, pairs: &[Pair], wins: &[f64]) -> usize {
        // For the item of the smaller number, minus those for the other.
        let mut lead = vec![0.0; self.items];
        for ((&(at, first), pair), wins) in self.of.iter().zip(pairs).zip(wins) {
            let more = 2.0 * wins - pair.all;
            lead[at] += if first { more } else { -more };
        }
        let wins = |at: usize| (lead[at] != 0.0).then_some(lead[at] > 0.0);
        let is_circular = |[ij, jk, ik]: &&[usize; 3]| match (wins(*ij), wins(*jk), wins(*ik)) {
            // i over j, j over k: circular if k is over i; and the other way round.
            (Some(a), Some(b), Some(c)) => a == b && a != c,
            _ => false,
        };
        self.triads.iter().filter(is_circular).count()
    }
}

/// The triads of pairs that have these places.
fn triads(place: &BTreeMap<(usize, usize), usize>) -> Vec<[usize; 3]> {
    let mut above: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for &(i, j) in place.keys() {
        above.entry(i).or_default().insert(j);
    }
    let mut out = Vec::new();
    for (&(i, j), &ij) in place {
        for k in above.get(&j).into_iter().flatten() {
            if out.len() == TRIADS {
                return out;
            }
            if let (Some(&jk), Some(&ik)) = (place.get(&(j, *k)), place.get(&(i, *k))) {
                out.push([ij, jk, ik]);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_counted() {
        let pair = |i, j, wins| Pair { ends: (i, j), items: (i, j), wins, all: 3.0 };
        // 0 over 1, 1 over 2, 2 over 0; and 3 below all.
        let pairs = [
            pair(0, 1, 3.0),
            pair(1, 2, 2.0),
            pair(0, 2, 1.0),
            pair(0, 3, 3.0),
            pair(3, 1, 0.0),
            pair(2, 3, 3.0),
        ];
        let wins: Vec<f64> = pairs.iter().map(|p| p.wins).collect();
        let table = Table::of(&pairs);
        assert_eq!((table.triads.len(), table.circular(&pairs, &wins)), (4, 1));
        let all = [0.5; 6];
        // (3 - 1.5)² / 0.75 = 3 of four pairs, (2 - 1.5)² / 0.75 = 1/3 of two.
        assert!((dispersion(&pairs, &wins, &all) - (4.0 * 3.0 + 2.0 / 3.0) / 6.0).abs() < 1e-12);
    }

    /// Both orders of a pair count together.
    #[test]
    fn orders_are_joined() {
        let pair =
            |ends: (usize, usize), wins| Pair { ends, items: (ends.0 / 2, ends.1 / 2), wins, all: 3.0 };
        // 0 over 1 by four to two in both orders, 1 over 2, 2 over 0.
        let pairs = [pair((0, 3), 1.0), pair((2, 1), 0.0), pair((2, 5), 3.0), pair((4, 1), 2.0)];
        let table = Table::of(&pairs);
        let wins: Vec<f64> = pairs.iter().map(|p| p.wins).collect();
        assert_eq!((table.triads.len(), table.circular(&pairs, &wins)), (1, 1));
        assert_eq!(table.circular(&pairs, &[0.0, 2.0, 3.0, 2.0]), 0);
    }

    #[test]
    fn numbers_of_answers_have_their_mean_and_variance() {
        let rng = &mut stream(3, 0);
        for (n, p) in [(3.0, 0.4), (1000.0, 0.002), (50.0, 0.9), (10_000.0, 0.3)] {
            let drawn: Vec<f64> = (0..4000).map(|_| binomial(n, p, rng)).collect();
            let mean = drawn.iter().sum::<f64>() / 4000.0;
            let variance = drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4000.0;
            let expected: f64 = n * p * (1.0 - p);
            assert!((mean - n * p).abs() < 4.0 * (expected / 4000.0).sqrt(), "{n} {p}: {mean}");
            assert!((variance / expected - 1.0).abs() < 0.12, "{n} {p}: {variance}");
        }
    }
}

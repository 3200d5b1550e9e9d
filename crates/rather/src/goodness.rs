//! Do the answers look as the model expects: repeated pairs, and preferences that go round in a circle?

use std::collections::{BTreeMap, BTreeSet};

use crate::Error;
use crate::likelihood::AnswerIndex;
use crate::model::Model;
use rand_chacha::ChaCha8Rng;
use rather_numerics::random::{stream, uniform};
use rather_numerics::watch;

/// Draws of utilities, each with answers made up under them.
const DRAWS: usize = 400;
/// The most items of which utilities are drawn, and the most triads that are looked at.
const ITEMS: usize = 2_000;
const TRIADS: usize = 20_000;
/// The most answers about one pair that are made up one by one.
const ANSWERS: f64 = 100_000.0;

/// What was observed against what the model expects, of plain comparisons: posterior predictive checks.
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

/// A compared pair: its items, answers for the first, all answers.
struct Pair {
    ends: (usize, usize),
    wins: f64,
    all: f64,
}

impl Model {
    /// Whether plain comparisons look as the model expects, by answers made up under draws from the posterior.
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
        let draws = self.belief().draws(&points, DRAWS, rng)?;
        let triads = triads(&pairs);
        let choice = self.belief().likelihoods().of(AnswerIndex::CHOICE);
        let observed: Vec<f64> = pairs.iter().map(|pair| pair.wins).collect();
        let circular = circular(&triads, &pairs, &observed);
        let (mut sum, mut dispersed, mut expected, mut rounder) = (0.0, 0.0, 0.0, 0.0);
        for k in 0..DRAWS {
            watch::check()?;
            let f = draws.col(k);
            let p: Vec<f64> = pairs
                .iter()
                .map(|Pair { ends: (i, j), .. }| choice.probability(f[*i] - f[*j], 0.0))
                .collect();
            let made_up: Vec<f64> =
                pairs.iter().zip(&p).map(|(pair, &p)| binomial(pair.all, p, rng)).collect();
            let (of_data, of_model) = (dispersion(&pairs, &observed, &p), dispersion(&pairs, &made_up, &p));
            sum += of_data;
            dispersed += at_least(of_model, of_data);
            let round = self::circular(&triads, &pairs, &made_up);
            expected += round as f64;
            rounder += if round >= circular { 1.0 } else { 0.0 };
        }
        let share = 1.0 / DRAWS as f64;
        Ok(Some(Goodness {
            repeated_pairs: pairs.iter().filter(|pair| pair.all > 1.0).count(),
            dispersion: sum * share,
            dispersion_p: dispersed * share,
            triads: triads.len(),
            circular,
            expected_circular: expected * share,
            circular_p: rounder * share,
        }))
    }

    /// The pairs with plain comparisons whose counts are whole numbers.
    fn pairs(&self) -> Vec<Pair> {
        let observations = self.observations();
        let mut found: BTreeMap<(usize, usize), Pair> = BTreeMap::new();
        for o in observations.merged.iter().filter(|o| o.answer == AnswerIndex::CHOICE) {
            let edge = observations.edges[o.edge()];
            let Some(minus) = edge.minus().filter(|_| o.count().fract() == 0.0 && o.count() < ANSWERS) else {
                continue;
            };
            let ends = (edge.plus(), minus);
            let pair = found.entry(ends).or_insert(Pair { ends, wins: 0.0, all: 0.0 });
            pair.all += o.count();
            pair.wins += if o.sign() > 0.0 { o.count() } else { 0.0 };
        }
        found.into_values().collect()
    }
}

fn at_least(a: f64, b: f64) -> f64 {
    if a >= b { 1.0 } else { 0.0 }
}

/// How many of `n` answers with probability `p` come true.
fn binomial(n: f64, p: f64, rng: &mut ChaCha8Rng) -> f64 {
    (0..n as usize).filter(|_| uniform(rng) < p).count() as f64
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

/// The positions of the three pairs of each triad `i < j < k`: `ij`, `jk`, `ik`; the first of them, if there are many.
fn triads(pairs: &[Pair]) -> Vec<[usize; 3]> {
    let place: BTreeMap<(usize, usize), usize> = pairs
        .iter()
        .enumerate()
        .map(|(at, Pair { ends: (i, j), .. })| (((*i).min(*j), (*i).max(*j)), at))
        .collect();
    let mut above: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for &(i, j) in place.keys() {
        above.entry(i).or_default().insert(j);
    }
    let mut out = Vec::new();
    for (&(i, j), &ij) in &place {
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

/// How many triads are circular by majority; an undecided pair makes none.
fn circular(triads: &[[usize; 3]], pairs: &[Pair], wins: &[f64]) -> usize {
    // Whether the item of the smaller number wins.
    let first = |at: usize| {
        let Pair { ends, all, .. } = &pairs[at];
        let for_first = if ends.0 < ends.1 { wins[at] } else { all - wins[at] };
        (2.0 * for_first).partial_cmp(all).filter(|order| order.is_ne()).map(|order| order.is_gt())
    };
    let is_circular = |[ij, jk, ik]: &&[usize; 3]| match (first(*ij), first(*jk), first(*ik)) {
        // i over j, j over k: circular if k is over i; and the other way round.
        (Some(a), Some(b), Some(c)) => a == b && a != c,
        _ => false,
    };
    triads.iter().filter(is_circular).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_counted() {
        let pair = |i, j, wins| Pair { ends: (i, j), wins, all: 3.0 };
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
        let found = triads(&pairs);
        assert_eq!((found.len(), circular(&found, &pairs, &wins)), (4, 1));
        let all = [0.5; 6];
        // (3 - 1.5)² / 0.75 = 3 of four pairs, (2 - 1.5)² / 0.75 = 1/3 of two.
        assert!((dispersion(&pairs, &wins, &all) - (4.0 * 3.0 + 2.0 / 3.0) / 6.0).abs() < 1e-12);
    }
}

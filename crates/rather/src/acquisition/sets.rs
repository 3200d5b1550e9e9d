//! Sets of items of which the best is asked: the information gain of the answer, found greedily.
//!
//! With $p_i(f)$ the probability that item $i$ of a set is chosen if utilities are $f$, the answer tells $I=H[E\,p(f)]-E\,H[p(f)]$ nats about them, as a
//! comparison does by [`super::bald`] (Houlsby et al. 2011), here over joint draws of $f$. The gain of a larger set is larger, and the item that is added to a set is
//! the one that raises it most: no exhaustive search, as is usual in the design of choice experiments.

use super::pool::{Pairs, Scored};
use super::{Acquisition, Bald, Request};
use crate::Error;
use crate::likelihood::Link;
use crate::likelihood::choice_set::PartialOrder;
use rather_numerics::linalg::Matrix;
use rather_numerics::special::hermite::GaussHermite;
use rather_numerics::special::normal::cdf;
use rather_numerics::{parallel, watch};

/// A set of items to ask about, by their positions, and the information gain of which is the best, in nats.
#[derive(Debug, Clone, PartialEq)]
#[doc(hidden)]
pub struct ScoredSet {
    /// The items.
    pub items: Vec<usize>,
    /// The information gain.
    pub score: f64,
}

/// Of the search for sets: pairs to begin with for each set, and at least; items that may be in one; and joint draws of their utilities.
const SEEDS_A_SET: usize = 20;
const LEAST_SEEDS: usize = 200;
const CANDIDATES: usize = 100;
const DRAWN: usize = 256;

/// What the search looks at: so many items, of which the best `pairs` of a request are known, and joint `draws` of the utilities of some of them.
pub(crate) struct Search<'a> {
    pub(crate) items: usize,
    pub(crate) chooser: Chooser,
    pub(crate) pairs: &'a dyn Fn(&Request<'_>) -> Result<Vec<Scored>, Error>,
    pub(crate) draws: &'a dyn Fn(&[usize], usize) -> Result<Matrix, Error>,
    /// Once it says `true`, sets are filled with the items of the most informative pairs.
    pub(crate) stop: &'a dyn Fn() -> bool,
}

impl Search<'_> {
    /// The `n` next sets of so many `options` of which to ask for the best one: those whose answers tell most about the utilities, found greedily from
    /// the most informative pairs ([`grown`]).
    ///
    /// # Errors
    /// [`Error::Parameter`] for fewer than two options, more than twelve, or more than there are; [`Error::Cancelled`]; as `pairs` and `draws`.
    pub(crate) fn sets(&self, (options, n): (usize, usize), seed: u64) -> Result<Vec<ScoredSet>, Error> {
        check(options, self.items)?;
        let number = (SEEDS_A_SET * n.max(1)).max(LEAST_SEEDS);
        let request = Request::new(Acquisition::new(&Bald), Pairs::All, number, seed);
        let found = (self.pairs)(&Request { stop: self.stop, ..request })?;
        let pairs: Vec<[usize; 2]> = found.iter().map(|s| [s.opponent, s.challenger]).collect();
        // The items of the most informative pairs are candidates.
        let mut items: Vec<usize> = Vec::new();
        for &item in pairs.iter().flatten() {
            if items.len() < CANDIDATES && !items.contains(&item) {
                items.push(item);
            }
        }
        items.extend((0..self.items).filter(|i| !items.contains(i)).take(options).collect::<Vec<_>>());
        let draws = (self.draws)(&items, DRAWN)?;
        let place = |item: usize| items.iter().position(|&i| i == item);
        let seeds = pairs.iter().filter_map(|&[a, b]| Some([place(a)?, place(b)?]));
        let found = grown(&self.chooser, &draws, &seeds.collect::<Vec<_>>(), (options, n), self.stop)?;
        let named = |set: ScoredSet| ScoredSet {
            items: set.items.into_iter().map(|place| items[place]).collect(),
            ..set
        };
        Ok(found.into_iter().map(named).collect())
    }
}

/// Checks that a set may have so many `options` of so many `items`.
///
/// # Errors
/// [`Error::Parameter`].
pub(crate) fn check(options: usize, items: usize) -> Result<(), Error> {
    if (2..=PartialOrder::MOST.min(items)).contains(&options) {
        return Ok(());
    }
    let requirement = "a set has at least 2 options, at most 12, and no more than there are items";
    Err(Error::Parameter { name: "options".into(), value: options as f64, requirement })
}

/// How the best of a set is chosen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chooser {
    /// The noise of an item: normal, or Gumbel's.
    pub(crate) link: Link,
    /// The standard deviation of the noise of an item.
    pub(crate) noise: f64,
}

impl Chooser {
    /// The probabilities that each of the items is the best, at utilities `f`.
    fn probabilities(&self, f: &[f64], out: &mut [f64]) {
        match self.link {
            Link::Probit => self.by_integral(f, out),
            Link::Logistic => self.by_softmax(f, out),
        }
    }

    /// $\int\phi(x)\prod_{j\ne i}\Phi((f_i-f_j)/\sigma+x)\,dx$, normalised.
    fn by_integral(&self, f: &[f64], out: &mut [f64]) {
        let rule = GaussHermite::standard();
        for (i, p) in out.iter_mut().enumerate() {
            let others = || f.iter().enumerate().filter(|&(j, _)| j != i);
            let at = |x: f64| others().map(|(_, fj)| cdf((f[i] - fj) / self.noise + x)).product::<f64>();
            *p = rule.iter().map(|(x, weight)| weight * at(x)).sum();
        }
        normalise(out);
    }

    /// The logit model, whose differences have the standard deviation of the probit's.
    fn by_softmax(&self, f: &[f64], out: &mut [f64]) {
        let scale = self.noise * 6_f64.sqrt() / std::f64::consts::PI;
        let most = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        out.iter_mut().zip(f).for_each(|(p, f)| *p = ((f - most) / scale).exp());
        normalise(out);
    }
}

fn normalise(p: &mut [f64]) {
    let sum: f64 = p.iter().sum();
    p.iter_mut().for_each(|p| *p /= sum);
}

fn entropy(p: &[f64]) -> f64 {
    -p.iter().filter(|p| **p > 0.0).map(|p| p * p.ln()).sum::<f64>()
}

/// The information gain of the best of `items`, over `draws` of all utilities, one draw a column.
fn gain(chooser: &Chooser, draws: &Matrix, items: &[usize]) -> f64 {
    let (mut mean, mut inner) = (vec![0.0; items.len()], 0.0);
    let (mut f, mut p) = (vec![0.0; items.len()], vec![0.0; items.len()]);
    for k in 0..draws.cols() {
        f.iter_mut().zip(items).for_each(|(f, &item)| *f = draws[(item, k)]);
        chooser.probabilities(&f, &mut p);
        mean.iter_mut().zip(&p).for_each(|(sum, p)| *sum += p);
        inner += entropy(&p);
    }
    normalise(&mut mean);
    entropy(&mean) - inner / draws.cols() as f64
}

/// A set of `size` items for each of `pairs`, which it begins with, unless both are in a set before; `n` of them at most. No two items are in two sets while others are left.
/// Once `stop` says so, the first items come next, and no further set.
///
/// # Errors
/// [`Error::Cancelled`].
fn grown(
    chooser: &Chooser,
    draws: &Matrix,
    pairs: &[[usize; 2]],
    (size, n): (usize, usize),
    stop: &dyn Fn() -> bool,
) -> Result<Vec<ScoredSet>, Error> {
    let mut out: Vec<ScoredSet> = Vec::new();
    let together = |sets: &[ScoredSet], a: usize, b: usize| {
        sets.iter().any(|set| set.items.contains(&a) && set.items.contains(&b))
    };
    for &[a, b] in pairs {
        if out.len() == n || !out.is_empty() && stop() {
            break;
        }
        if together(&out, a, b) {
            continue;
        }
        let mut items = vec![a, b];
        while items.len() < size.min(draws.rows()) {
            watch::check()?;
            let free = |j: &usize| !items.contains(j);
            let is_new = |j: &usize| free(j) && items.iter().all(|&i| !together(&out, i, *j));
            let mut candidates: Vec<usize> = (0..draws.rows()).filter(is_new).collect();
            if candidates.is_empty() {
                candidates = (0..draws.rows()).filter(free).collect();
            }
            if stop() {
                items.push(candidates[0]);
                continue;
            }
            let with = |k: usize| gain(chooser, draws, &[items.as_slice(), &[candidates[k]]].concat());
            let gains = parallel::map(candidates.len(), 1, with);
            let best = (0..gains.len()).max_by(|&a, &b| gains[a].total_cmp(&gains[b]));
            items.extend(best.map(|k| candidates[k]));
        }
        let score = gain(chooser, draws, &items);
        out.push(ScoredSet { items, score });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likelihood::choice_set::{ChoiceSet, PartialOrder};

    /// At given utilities the probabilities are those of the factor of an answer; of two items the comparison's.
    #[test]
    fn probabilities_are_those_of_the_answers() {
        let f = [0.3, -0.5, 1.1, 0.2];
        let chooser = Chooser { link: Link::Probit, noise: 0.8 };
        let mut p = [0.0; 4];
        chooser.probabilities(&f, &mut p);
        let set = ChoiceSet::new(PartialOrder::new(4, 1, 0).unwrap(), 0.8);
        for (i, p) in p.into_iter().enumerate() {
            let order: Vec<f64> =
                std::iter::once(i).chain((0..4).filter(|&j| j != i)).map(|j| f[j]).collect();
            let by_factor = set.log_probability(&order, &Matrix::zeros(4, 4)).exp();
            // Nested expectation propagation of one answer is within 1 % of its probability.
            assert!((p / by_factor - 1.0).abs() < 0.01, "{i}: {p} {by_factor}");
        }
        let mut p = [0.0; 2];
        chooser.probabilities(&f[..2], &mut p);
        assert!((p[0] - cdf(0.8 / (0.8 * 2_f64.sqrt()))).abs() < 1e-6);
        let logit = Chooser { link: Link::Logistic, noise: 0.8 };
        logit.probabilities(&f[..2], &mut p);
        // A logistic difference of standard deviation .8 sqrt(2) has the scale .8 sqrt(6) / pi.
        let scale = 0.8 * 6_f64.sqrt() / std::f64::consts::PI;
        assert!((p[0] - 1.0 / (1.0 + (-0.8 / scale).exp())).abs() < 1e-12);
    }

    /// What is known tells nothing; a larger set never tells less.
    #[test]
    fn gains_grow_with_the_set() {
        let chooser = Chooser { link: Link::Probit, noise: 1.0 };
        let known = Matrix::from_fn(3, 5, |i, _| i as f64);
        assert!(gain(&chooser, &known, &[0, 1, 2]).abs() < 1e-12);
        let open = Matrix::from_fn(6, 40, |i, k| ((7 * i + 3 * k + i * k) % 11) as f64 / 4.0);
        let sets = grown(&chooser, &open, &[[0, 1], [1, 0], [2, 3]], (4, 2), &|| false).unwrap();
        let short = grown(&chooser, &open, &[[4, 5], [0, 1]], (4, 2), &|| true).unwrap();
        assert_eq!((short.len(), short[0].items.as_slice()), (1, [4, 5, 0, 1].as_slice()));
        assert_eq!((sets.len(), sets[0].items.len(), sets[1].items.len()), (2, 4, 4));
        for set in &sets {
            let gains: Vec<f64> = (2..=4).map(|n| gain(&chooser, &open, &set.items[..n])).collect();
            assert!(gains[0] > 0.0 && gains[0] < gains[1] && gains[1] < gains[2], "{gains:?}");
            assert_eq!(gains[2], set.score);
        }
    }
}

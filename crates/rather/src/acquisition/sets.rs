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

/// How far the search for sets looks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// Pairs to begin with for each set.
    pub(crate) seeds_a_set: usize,
    /// And at least.
    pub(crate) least_seeds: usize,
    /// Items that may be in a set.
    pub(crate) candidates: usize,
    /// Joint draws of their utilities.
    pub(crate) draws: usize,
}

impl Effort {
    /// For sets that are written down.
    pub(crate) const FULL: Self = Self { seeds_a_set: 20, least_seeds: 200, candidates: 100, draws: 256 };
    /// While somebody waits for one set.
    pub(crate) const BRIEF: Self = Self { seeds_a_set: 20, least_seeds: 20, candidates: 40, draws: 128 };
}

/// So many joint draws of the utilities of some items, one item a row.
type Draws<'a> = dyn Fn(&[usize], usize) -> Result<Matrix, Error> + 'a;

/// What the search looks at: so many items, of which the best `pairs` of a request are known, and joint `draws` of the utilities of some of them.
pub(crate) struct Search<'a> {
    pub(crate) items: usize,
    pub(crate) chooser: Chooser,
    pub(crate) pairs: &'a dyn Fn(&Request<'_>) -> Result<Vec<Scored>, Error>,
    pub(crate) draws: &'a Draws<'a>,
    pub(crate) effort: Effort,
    /// Once it says `true`, sets are filled with the items of the most informative pairs.
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
}

impl Search<'_> {
    /// The `n` next sets of so many `options` of which to ask for the best one: those whose answers tell most about the utilities, found greedily from
    /// the most informative pairs ([`grown`]).
    ///
    /// # Errors
    /// [`Error::Parameter`] for fewer than two options, more than twelve, or more than there are; [`Error::Cancelled`]; as `pairs` and `draws`.
    pub(crate) fn sets(&self, (options, n): (usize, usize), seed: u64) -> Result<Vec<ScoredSet>, Error> {
        check(options, self.items)?;
        let Effort { seeds_a_set, least_seeds, candidates, draws } = self.effort;
        let number = (seeds_a_set * n.max(1)).max(least_seeds);
        let request = Request::new(Acquisition::new(&Bald), Pairs::All, number, seed);
        let found = (self.pairs)(&Request { stop: self.stop, ..request })?;
        let pairs: Vec<[usize; 2]> = found.iter().map(|s| [s.opponent, s.challenger]).collect();
        // The items of the most informative pairs are candidates.
        let mut items: Vec<usize> = Vec::new();
        for &item in pairs.iter().flatten() {
            if items.len() < candidates && !items.contains(&item) {
                items.push(item);
            }
        }
        items.extend((0..self.items).filter(|i| !items.contains(i)).take(options).collect::<Vec<_>>());
        let draws = (self.draws)(&items, draws)?;
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
    /// The probability that an item at utility `f` with the noise of node `x` is above the noisy utility of one at `other`.
    fn above(&self, f: f64, other: f64, x: f64) -> f64 {
        cdf((f - other) / self.noise + x)
    }

    /// The logit model, whose differences have the standard deviation of the probit's.
    fn by_softmax(&self, f: &[f64], out: &mut [f64]) {
        let scale = self.noise * 6_f64.sqrt() / std::f64::consts::PI;
        let most = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        out.iter_mut().zip(f).for_each(|(p, f)| *p = ((f - most) / scale).exp());
        normalise(out);
    }
}

/// A set while it grows: what the probabilities of its items at every draw are sums of, so that those of a set with one item more are soon known.
///
/// # Formula
/// $\int\phi(x)\prod_{j\ne i}\Phi((f_i-f_j)/\sigma+x)\,dx$, normalised.
struct Growing<'a> {
    chooser: &'a Chooser,
    draws: &'a Matrix,
    items: Vec<usize>,
    /// With normal noise, for every item of the set the products at all nodes of all draws.
    products: Vec<Vec<f64>>,
}

impl<'a> Growing<'a> {
    fn new(chooser: &'a Chooser, draws: &'a Matrix) -> Self {
        Self { chooser, draws, items: Vec::new(), products: Vec::new() }
    }

    /// At every node of every draw.
    fn nodes(&self) -> impl Iterator<Item = (usize, f64)> {
        (0..self.draws.cols()).flat_map(|k| GaussHermite::standard().iter().map(move |(x, _)| (k, x)))
    }

    fn push(&mut self, item: usize) {
        let (draws, chooser) = (self.draws, self.chooser);
        if chooser.link == Link::Probit {
            let mut own = vec![1.0; self.nodes().count()];
            let mut products = std::mem::take(&mut self.products);
            for (&other, products) in self.items.iter().zip(&mut products) {
                for ((own, product), (k, x)) in own.iter_mut().zip(products).zip(self.nodes()) {
                    let (f, g) = (draws[(item, k)], draws[(other, k)]);
                    *own *= chooser.above(f, g, x);
                    *product *= chooser.above(g, f, x);
                }
            }
            products.push(own);
            self.products = products;
        }
        self.items.push(item);
    }

    /// The probabilities that each of the items is the best at draw `k`, with one `more` as the last.
    fn probabilities(&self, k: usize, more: Option<usize>, out: &mut [f64]) {
        let (draws, chooser) = (self.draws, self.chooser);
        let f = |item: usize| draws[(item, k)];
        if chooser.link == Link::Logistic {
            let f: Vec<f64> = self.items.iter().copied().chain(more).map(f).collect();
            return chooser.by_softmax(&f, out);
        }
        let rule = GaussHermite::standard();
        let nodes = rule.iter().count();
        out.fill(0.0);
        for (node, (x, weight)) in rule.iter().enumerate() {
            let mut last = weight;
            for ((&item, products), p) in self.items.iter().zip(&self.products).zip(&mut *out) {
                let product = products[k * nodes + node];
                let above = more.map_or(1.0, |more| chooser.above(f(item), f(more), x));
                last *= more.map_or(1.0, |more| chooser.above(f(more), f(item), x));
                *p += weight * product * above;
            }
            if let (Some(_), Some(p)) = (more, out.last_mut()) {
                *p += last;
            }
        }
        normalise(out);
    }

    /// The information gain of the best of the set, with one item `more`, in nats.
    fn gain(&self, more: Option<usize>) -> f64 {
        let size = self.items.len() + usize::from(more.is_some());
        let (mut mean, mut inner, mut p) = (vec![0.0; size], 0.0, vec![0.0; size]);
        for k in 0..self.draws.cols() {
            self.probabilities(k, more, &mut p);
            mean.iter_mut().zip(&p).for_each(|(sum, p)| *sum += p);
            inner += entropy(&p);
        }
        normalise(&mut mean);
        entropy(&mean) - inner / self.draws.cols() as f64
    }
}

fn normalise(p: &mut [f64]) {
    let sum: f64 = p.iter().sum();
    p.iter_mut().for_each(|p| *p /= sum);
}

fn entropy(p: &[f64]) -> f64 {
    -p.iter().filter(|p| **p > 0.0).map(|p| p * p.ln()).sum::<f64>()
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
        let mut set = Growing::new(chooser, draws);
        set.push(a);
        set.push(b);
        while set.items.len() < size.min(draws.rows()) {
            watch::check()?;
            let free = |j: &usize| !set.items.contains(j);
            let is_new = |j: &usize| free(j) && set.items.iter().all(|&i| !together(&out, i, *j));
            let mut candidates: Vec<usize> = (0..draws.rows()).filter(is_new).collect();
            if candidates.is_empty() {
                candidates = (0..draws.rows()).filter(free).collect();
            }
            if stop() {
                set.push(candidates[0]);
                continue;
            }
            let gains = parallel::map(candidates.len(), 1, |k| set.gain(Some(candidates[k])));
            let best = (0..gains.len()).max_by(|&a, &b| gains[a].total_cmp(&gains[b]));
            let Some(best) = best else { break };
            set.push(candidates[best]);
        }
        let score = set.gain(None);
        out.push(ScoredSet { items: set.items, score });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likelihood::choice_set::{ChoiceSet, PartialOrder};

    /// The probabilities that each of all items is the best, where their utilities are `f`.
    fn probabilities(chooser: &Chooser, f: &[f64]) -> Vec<f64> {
        let draws = Matrix::from_fn(f.len(), 1, |i, _| f[i]);
        let mut set = Growing::new(chooser, &draws);
        (0..f.len() - 1).for_each(|item| set.push(item));
        let (mut whole, mut grown) = (vec![0.0; f.len()], vec![0.0; f.len()]);
        set.probabilities(0, Some(f.len() - 1), &mut grown);
        set.push(f.len() - 1);
        set.probabilities(0, None, &mut whole);
        // One item more is as if it had been there.
        assert!(whole.iter().zip(&grown).all(|(a, b)| (a - b).abs() < 1e-14), "{whole:?} {grown:?}");
        whole
    }

    /// At given utilities the probabilities are those of the factor of an answer; of two items the comparison's.
    #[test]
    fn probabilities_are_those_of_the_answers() {
        let f = [0.3, -0.5, 1.1, 0.2];
        let chooser = Chooser { link: Link::Probit, noise: 0.8 };
        let set = ChoiceSet::new(PartialOrder::new(4, 1, 0).unwrap(), 0.8);
        for (i, p) in probabilities(&chooser, &f).into_iter().enumerate() {
            let order: Vec<f64> =
                std::iter::once(i).chain((0..4).filter(|&j| j != i)).map(|j| f[j]).collect();
            let by_factor = set.log_probability(&order, &Matrix::zeros(4, 4)).exp();
            // Nested expectation propagation of one answer is within 1 % of its probability.
            assert!((p / by_factor - 1.0).abs() < 0.01, "{i}: {p} {by_factor}");
        }
        let p = probabilities(&chooser, &f[..2]);
        assert!((p[0] - cdf(0.8 / (0.8 * 2_f64.sqrt()))).abs() < 1e-6);
        let p = probabilities(&Chooser { link: Link::Logistic, noise: 0.8 }, &f[..2]);
        // A logistic difference of standard deviation .8 sqrt(2) has the scale .8 sqrt(6) / pi.
        let scale = 0.8 * 6_f64.sqrt() / std::f64::consts::PI;
        assert!((p[0] - 1.0 / (1.0 + (-0.8 / scale).exp())).abs() < 1e-12);
    }

    /// What is known tells nothing; a larger set never tells less.
    #[test]
    fn gains_grow_with_the_set() {
        let chooser = Chooser { link: Link::Probit, noise: 1.0 };
        let gain = |draws: &Matrix, items: &[usize]| {
            let mut set = Growing::new(&chooser, draws);
            items.iter().for_each(|&item| set.push(item));
            set.gain(None)
        };
        let known = Matrix::from_fn(3, 5, |i, _| i as f64);
        assert!(gain(&known, &[0, 1, 2]).abs() < 1e-12);
        let open = Matrix::from_fn(6, 40, |i, k| ((7 * i + 3 * k + i * k) % 11) as f64 / 4.0);
        let short = grown(&chooser, &open, &[[4, 5], [0, 1]], (4, 2), &|| true).unwrap();
        assert_eq!((short.len(), short[0].items.as_slice()), (1, [4, 5, 0, 1].as_slice()));
        let sets = grown(&chooser, &open, &[[0, 1], [1, 0], [2, 3]], (4, 2), &|| false).unwrap();
        assert_eq!((sets.len(), sets[0].items.len(), sets[1].items.len()), (2, 4, 4));
        for set in &sets {
            let gains: Vec<f64> = (2..=4).map(|n| gain(&open, &set.items[..n])).collect();
            assert!(gains[0] > 0.0 && gains[0] < gains[1] && gains[1] < gains[2], "{gains:?}");
            assert_eq!(gains[2], set.score);
        }
    }
}

//! Probabilities of answers about sets of items whose utilities are Gaussian.

use super::{Moments, gumbel};
use crate::comparisons::Edge;
use crate::inference::observations::pairs_of;
use crate::inference::set_factor::Differences;
use crate::likelihood::Link;
use crate::likelihood::choice_set::{ChoiceSet, PartialOrder, SetLikelihood};

/// Answers of one form up to which all are listed, so that their probabilities sum to one.
const LISTED: f64 = 120.0;

/// The pairs of a set of items, as projections.
pub(crate) fn edges_of(items: &[usize]) -> impl Iterator<Item = Edge> {
    pairs_of(items).map(|(a, b)| Edge::between(a, b))
}

/// The probabilities of all answers of the form of `set` about items whose pairs have these moments, and the place of the one that puts them in their order;
/// where there are too many of them, of that one alone.
pub(crate) fn of_answers(set: &SetLikelihood, pairs: &Moments) -> (Vec<f64>, Option<usize>) {
    let order = set.order();
    let of_pairs: Vec<(f64, f64)> = pairs.mean.iter().copied().zip(pairs.variance.iter().copied()).collect();
    let moments = Differences::of(order.options(), &of_pairs);
    if order.outcomes() > LISTED {
        let log_p = match set {
            SetLikelihood::Normal(set) => set.log_probability(&moments.mean, &moments.covariance),
            SetLikelihood::Gumbel(set) => gumbel::log_probability(set, &moments),
        };
        return (vec![log_p.exp()], None);
    }
    let all = arrangements(order);
    let logs = match set {
        SetLikelihood::Normal(set) => all.iter().map(|places| normal(set, &moments, places)).collect(),
        SetLikelihood::Gumbel(set) => gumbel::log_probabilities(set, &moments, &all),
    };
    let own: Vec<usize> = (0..order.options()).collect();
    (normalised(&logs), all.iter().position(|places| *places == own))
}

/// The logarithm of the probability that items are in the order of `places`, with normal noise.
fn normal(set: &ChoiceSet, moments: &Differences, places: &[usize]) -> f64 {
    let Differences { mean, covariance } = moments.arranged(places);
    set.log_probability(&mean, &covariance)
}

/// Probabilities that sum to one, from logarithms of some that nearly do.
fn normalised(logs: &[f64]) -> Vec<f64> {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logs.iter().map(|log| (log - most).exp()).sum();
    logs.iter().map(|log| (log - most).exp() / sum).collect()
}

/// The probabilities that each of the items is the best of them, and the worst, with the noise of a link.
pub(crate) fn extremes((link, noise): (Link, f64), items: usize, pairs: &Moments) -> [Vec<f64>; 2] {
    [(1, 0), (0, 1)].map(|(top, bottom)| match PartialOrder::new(items, top, bottom) {
        Some(order) => of_answers(&SetLikelihood::new(order, link, noise), pairs).0,
        None => Vec::new(),
    })
}

/// Every answer of a form: the items in the order in which it puts them, those between in their own.
fn arrangements(order: PartialOrder) -> Vec<Vec<usize>> {
    let (n, between) = (order.options(), order.between());
    let named: Vec<usize> = (0..between.start).chain(between.end..n).collect();
    // Which item is in each of the places that are named, one place after the other.
    let mut chosen: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in &named {
        let more = |items: &Vec<usize>| {
            let free = (0..n).filter(|item| !items.contains(item)).collect::<Vec<_>>();
            free.into_iter().map(|item| [items.as_slice(), &[item]].concat()).collect::<Vec<_>>()
        };
        chosen = chosen.iter().flat_map(more).collect();
    }
    let arranged = |items: &Vec<usize>| {
        let middle = (0..n).filter(|item| !items.contains(item));
        let (top, bottom) = items.split_at(between.start);
        top.iter().copied().chain(middle).chain(bottom.iter().copied()).collect()
    };
    chosen.iter().map(arranged).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_answers_of_a_form_are_listed_once() {
        for (n, top, bottom) in [(3, 1, 0), (4, 0, 1), (5, 1, 1), (4, 3, 0), (5, 2, 0), (6, 1, 2)] {
            let order = PartialOrder::new(n, top, bottom).unwrap();
            let mut all = arrangements(order);
            assert_eq!(all.len() as f64, order.outcomes());
            assert!(all.contains(&(0..n).collect()));
            all.sort();
            all.dedup();
            assert_eq!(all.len() as f64, order.outcomes());
        }
    }
}

//! Some of the items of a problem that is too large, and the answers about them.

use std::collections::{BTreeSet, VecDeque};

use crate::inference::observations::{Edge, Observation, Observations};
use rather_numerics::random::{stream, uniform};

/// Which items are taken, `None` if there are none: neighbour by neighbour from one drawn under `seed`, so that they are compared with
/// each other as closely as can be; at most `most_items`, with at most `most` answers about them.
pub(crate) fn some_items(
    observations: &Observations,
    most: f64,
    most_items: usize,
    seed: u64,
) -> Option<Vec<bool>> {
    let n = observations.items.len();
    let neighbours = Neighbours::new(observations);
    let said = if most.is_finite() { counts(observations) } else { Vec::new() };
    // The chains have the streams from 0 up, joint draws and pairs the last.
    let mut rng = stream(seed, u64::MAX - 2);
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, (uniform(&mut rng) * (i + 1) as f64) as usize);
    }
    let (mut chosen, mut seen) = (vec![false; n], vec![false; n]);
    let (mut answers, mut items) = (0.0, 0);
    for start in order {
        let mut queue = VecDeque::from([start]);
        while let Some(item) = queue.pop_front().filter(|_| items < most_items) {
            if std::mem::replace(&mut seen[item], true) {
                continue;
            }
            let others = || neighbours.of(item).map(|e| (e, observations.edges[e].other(item)));
            let among = others().filter(|&(_, other)| chosen[other] || other == item);
            let more: f64 = among.map(|(e, _)| said.get(e).copied().unwrap_or(0.0)).sum();
            if answers + more <= most {
                (chosen[item], answers, items) = (true, answers + more, items + 1);
                queue.extend(others().map(|(_, other)| other));
            }
        }
    }
    // Who is compared with nobody among them has nothing to check.
    let mut told = vec![false; n];
    for edge in &observations.edges {
        let (plus, minus) = (edge.plus(), edge.other(edge.plus()));
        if chosen[plus] && chosen[minus] {
            (told[plus], told[minus]) = (true, true);
        }
    }
    told.contains(&true).then_some(told)
}

/// How often something was said along each edge.
fn counts(observations: &Observations) -> Vec<f64> {
    let mut said = vec![0.0; observations.edges.len()];
    observations.merged.iter().for_each(|o| said[o.edge()] += o.count());
    said
}

/// The edges of every item, side by side: four bytes an end, for there may be ten million edges.
struct Neighbours {
    starts: Vec<u32>,
    edges: Vec<u32>,
}

impl Neighbours {
    fn new(observations: &Observations) -> Self {
        let ends = |edge: &Edge| [Some(edge.plus()), edge.minus()].into_iter().flatten();
        let mut starts = vec![0_u32; observations.items.len() + 1];
        observations.edges.iter().flat_map(ends).for_each(|item| starts[item + 1] += 1);
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut edges = vec![0; starts.last().map_or(0, |&all| all as usize)];
        for (e, edge) in (0..).zip(&observations.edges) {
            for item in ends(edge) {
                edges[next[item] as usize] = e;
                next[item] += 1;
            }
        }
        Self { starts, edges }
    }

    fn of(&self, item: usize) -> impl Iterator<Item = usize> + '_ {
        let range = self.starts[item] as usize..self.starts[item + 1] as usize;
        self.edges[range].iter().map(|&e| e as usize)
    }
}

/// The answers about the chosen items and nothing else, by the same likelihoods, with those at the positions `standing_by` there, too, though
/// nothing is asked about them. Items are numbered by their positions. And where those standing by are among them.
pub(crate) fn positions(
    observations: &Observations,
    chosen: &[bool],
    standing_by: &[usize],
) -> (Observations, Vec<usize>) {
    let mut there = chosen.to_vec();
    standing_by.iter().for_each(|&i| there[i] = true);
    let mut position = vec![0; there.len()];
    let mut items = Vec::new();
    for (i, _) in there.iter().enumerate().filter(|(_, there)| **there) {
        position[i] = items.len();
        items.push(i);
    }
    let inside = |edge: &Edge| chosen[edge.plus()] && edge.minus().is_none_or(|minus| chosen[minus]);
    let kept: Vec<usize> =
        (0..observations.edges.len()).filter(|&e| inside(&observations.edges[e])).collect();
    let moved = |e: &usize| {
        let edge = observations.edges[*e];
        Edge::new(position[edge.plus()], edge.minus().map(|minus| position[minus]))
    };
    let edges: Vec<Edge> = kept.iter().map(moved).collect();
    let renumbered = |o: &Observation| {
        let edge = kept.binary_search(&o.edge()).ok()?;
        Some(Observation::new(edge, o.sign(), o.count(), o.answer))
    };
    // An answer about a set is there as a whole, or not at all.
    let whole = |(_, of): (usize, &[Observation])| of.iter().map(renumbered).collect::<Option<Vec<_>>>();
    let merged = observations.answers().filter_map(whole).flatten().collect();
    // Which parameters the likelihoods have is known from all that was said.
    let part = Observations { items, edges, merged, responses: observations.responses.clone() };
    (part, standing_by.iter().map(|&i| position[i]).collect())
}

/// All pairs of `n` items, or `most` of them at random, each once.
pub(crate) fn pairs(n: usize, most: usize, seed: u64) -> Vec<(usize, usize)> {
    let all = n * n.saturating_sub(1) / 2;
    if all <= most {
        return (0..n).flat_map(|j| (0..j).map(move |i| (i, j))).collect();
    }
    // The chains have the streams from 0 up, joint draws the last.
    let mut rng = stream(seed, u64::MAX - 1);
    let mut item = || (uniform(&mut rng) * n as f64) as usize;
    let mut chosen = BTreeSet::new();
    while chosen.len() < most {
        let (i, j) = (item(), item());
        if i != j {
            chosen.insert((i.min(j), i.max(j)));
        }
    }
    chosen.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_all_or_so_many() {
        assert_eq!(pairs(3, 3, 0), [(0, 1), (0, 2), (1, 2)]);
        assert!(pairs(1, 10, 0).is_empty() && pairs(0, 10, 0).is_empty());
        let some = pairs(100, 50, 7);
        assert_eq!((some.len(), &some), (50, &pairs(100, 50, 7)));
        assert!(some.iter().all(|&(i, j)| i < j && j < 100));
        assert_ne!(some, pairs(100, 50, 8));
    }
}

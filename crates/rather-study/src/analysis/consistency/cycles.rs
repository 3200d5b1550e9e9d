//! Preferences that go round in a circle: a rather than b, b rather than c, c rather than a.

use super::counted;
use crate::alternative::Alternative;
use crate::analysis::{comparisons, outcome, pair};
use crate::learner::{Learner, Record};
use rather_numerics::order;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};

/// Circles in the majority graph, whose arrows lead from the alternative that won more often to the other one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cycles {
    /// Number of triads whose three pairs all have a majority.
    pub triads: usize,
    /// How many of them go round in a circle.
    pub circular: usize,
    /// A few shortest circles, of three or more, each preferred to the next and the last to the first.
    pub examples: Vec<Vec<Alternative>>,
}

/// Circles that are shown.
const SHOWN: usize = 5;

impl Cycles {
    pub(super) fn of(learner: &Learner, record: &Record) -> Self {
        let graph = Majority::of(record);
        let (triads, circular, mut examples) = graph.triads();
        if examples.is_empty() {
            examples = graph.longer_circles();
        }
        let name = |n: usize| learner.alternative(record, graph.nodes[n]);
        let examples = examples.into_iter().map(|circle| circle.into_iter().map(name).collect()).collect();
        Self { triads, circular, examples }
    }

    pub(super) fn sentence(&self, name: &dyn Fn(&Alternative) -> String) -> String {
        let Some(first) = self.examples.first() else {
            return "no circular triads (no intransitive preferences)".to_owned();
        };
        let names: Vec<String> = first.iter().chain(first.first()).map(name).collect();
        let circle = names.join(" rather than ");
        if self.circular == 0 {
            return format!("circular (intransitive) preferences: {circle}");
        }
        let are = if self.circular == 1 { "is" } else { "are" };
        let triads = counted(self.triads, "triad");
        format!("{} of {triads} {are} circular (intransitive), such as {circle}", self.circular)
    }
}

/// Who beats whom more often than not.
struct Majority {
    /// The alternatives' numbers.
    nodes: Vec<usize>,
    /// Arrows from winners to losers, by positions in `nodes`.
    arrows: Vec<(usize, usize)>,
    beats: Sets,
    beaten_by: Sets,
}

impl Majority {
    fn of(record: &Record) -> Self {
        let mut balance: BTreeMap<(usize, usize), i64> = BTreeMap::new();
        for duel in &comparisons(record).collect::<Vec<_>>() {
            if let Some((winner, loser)) = outcome(duel) {
                *balance.entry(pair(duel)).or_default() += if winner < loser { 1 } else { -1 };
            }
        }
        balance.retain(|_, balance| *balance != 0);
        let mut nodes: Vec<usize> = balance.keys().flat_map(|&(low, high)| [low, high]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let at = |node: usize| nodes.partition_point(|&other| other < node);
        let arrow = |((low, high), balance): ((usize, usize), i64)| {
            let (low, high) = (at(low), at(high));
            if balance > 0 { (low, high) } else { (high, low) }
        };
        let arrows: Vec<(usize, usize)> = balance.into_iter().map(arrow).collect();
        let (mut beats, mut beaten_by) = (Sets::new(nodes.len()), Sets::new(nodes.len()));
        for &(winner, loser) in &arrows {
            beats.insert(winner, loser);
            beaten_by.insert(loser, winner);
        }
        Self { nodes, arrows, beats, beaten_by }
    }

    /// Number of triads with three majorities, of those that are circles, and a few of these.
    fn triads(&self) -> (usize, usize, Vec<Vec<usize>>) {
        let (mut circular, mut all) = (0, 0);
        let mut examples = Vec::new();
        for &(a, b) in &self.arrows {
            // Whoever closes the circle is beaten by b and beats a.
            let closing = |word: usize| self.beats.row(b)[word] & self.beaten_by.row(a)[word];
            for word in 0..self.beats.words {
                let near = |node: usize| self.beats.row(node)[word] | self.beaten_by.row(node)[word];
                all += (near(a) & near(b)).count_ones() as usize;
                circular += closing(word).count_ones() as usize;
            }
            if examples.len() < SHOWN {
                // From its smallest member on, each circle comes up once.
                let found =
                    (0..self.nodes.len()).filter(|&c| closing(c / 64) >> (c % 64) & 1 == 1 && a < b.min(c));
                examples.extend(found.map(|c| vec![a, b, c]));
            }
        }
        examples.truncate(SHOWN);
        (all / 3, circular / 3, examples)
    }

    /// A few circles, each a shortest one through some arrow.
    fn longer_circles(&self) -> Vec<Vec<usize>> {
        let mut found: Vec<Vec<usize>> = Vec::new();
        for (from, to) in self.circling() {
            let Some(mut circle) = self.path(to, from) else { continue };
            let start = (0..circle.len()).min_by_key(|&i| circle[i]).unwrap_or(0);
            circle.rotate_left(start);
            if !found.contains(&circle) {
                found.push(circle);
            }
            if found.len() == SHOWN {
                break;
            }
        }
        order::sort_by_key(&mut found, |cycle| cycle.len() as i64);
        found
    }

    /// The arrows that are left once nodes without a winner or a loser beside them are taken away, again and again: none if
    /// nothing goes round.
    fn circling(&self) -> Vec<(usize, usize)> {
        let n = self.nodes.len();
        let mut gone = vec![false; n];
        let (mut wins, mut losses) = (vec![0; n], vec![0; n]);
        for &(a, b) in &self.arrows {
            wins[a] += 1;
            losses[b] += 1;
        }
        let mut ends: Vec<usize> = (0..n).filter(|&i| wins[i] == 0 || losses[i] == 0).collect();
        while let Some(node) = ends.pop() {
            if std::mem::replace(&mut gone[node], true) {
                continue;
            }
            for other in (0..n).filter(|&other| !gone[other]) {
                if self.beats.contains(node, other) {
                    losses[other] -= 1;
                } else if self.beats.contains(other, node) {
                    wins[other] -= 1;
                } else {
                    continue;
                }
                if wins[other] == 0 || losses[other] == 0 {
                    ends.push(other);
                }
            }
        }
        self.arrows.iter().copied().filter(|&(a, b)| !gone[a] && !gone[b]).collect()
    }

    /// The nodes of a shortest path.
    fn path(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        let mut before: Vec<Option<usize>> = vec![None; self.nodes.len()];
        before[from] = Some(from);
        let mut queue = VecDeque::from([from]);
        while let Some(here) = queue.pop_front() {
            if here == to {
                let back = std::iter::successors(Some(to), |&node| before[node].filter(|_| node != from));
                let mut path: Vec<usize> = back.collect();
                path.reverse();
                return Some(path);
            }
            for next in (0..self.nodes.len()).filter(|&next| self.beats.contains(here, next)) {
                if before[next].is_none() {
                    before[next] = Some(here);
                    queue.push_back(next);
                }
            }
        }
        None
    }
}

/// A set of nodes for every node, as bits.
struct Sets {
    words: usize,
    bits: Vec<u64>,
}

impl Sets {
    fn new(nodes: usize) -> Self {
        let words = nodes.div_ceil(64);
        Self { words, bits: vec![0; words * nodes] }
    }

    fn row(&self, node: usize) -> &[u64] {
        &self.bits[node * self.words..(node + 1) * self.words]
    }

    fn insert(&mut self, node: usize, member: usize) {
        self.bits[node * self.words + member / 64] |= 1 << (member % 64);
    }

    fn contains(&self, node: usize, member: usize) -> bool {
        self.row(node)[member / 64] >> (member % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rather::design::{Outcome, Trial};

    fn quoted(alternative: &Alternative) -> String {
        rather_io::quote(&alternative.to_string())
    }

    fn cycles(beats: &[(usize, usize)]) -> Cycles {
        let learner = Learner::new(crate::Definition::of_items((0..200).map(|i| i.to_string()))).unwrap();
        let duel = |&(left, right): &(usize, usize)| Trial::pair(left, right, Some(Outcome::Left));
        Cycles::of(&learner, &Record { duels: beats.iter().map(duel).collect(), ..Record::default() })
    }

    fn shown(cycles: &Cycles) -> Vec<String> {
        cycles
            .examples
            .iter()
            .map(|c| c.iter().map(ToString::to_string).collect::<Vec<_>>().join(">"))
            .collect()
    }

    #[test]
    fn triads_are_counted() {
        let all: Vec<(usize, usize)> = (0..100).flat_map(|i| (i + 1..100).map(move |j| (i, j))).collect();
        let straight = cycles(&all);
        assert_eq!((straight.triads, straight.circular, straight.examples.len()), (100 * 99 * 98 / 6, 0, 0));
        let round = cycles(&[(5, 150), (150, 70), (70, 5), (1, 5), (1, 150)]);
        assert_eq!((round.triads, round.circular), (2, 1));
        assert_eq!(shown(&round), ["5>150>70"]);
        assert_eq!(
            round.sentence(&quoted),
            "1 of 2 triads is circular (intransitive), such as \"5\" rather than \"150\" rather than \"70\" rather than \"5\""
        );
        // A tournament that goes round as much as it can: n (n^2 - 1) / 24 circles.
        let n = 9;
        let round: Vec<(usize, usize)> =
            (0..n).flat_map(|i| (1..=n / 2).map(move |d| (i, (i + d) % n))).collect();
        let round = cycles(&round);
        assert_eq!((round.triads, round.circular), (84, 30));
    }

    #[test]
    fn longer_circles_are_found() {
        let four = cycles(&[(9, 2), (2, 3), (3, 4), (4, 9), (9, 1), (1, 0), (7, 2)]);
        assert_eq!((four.triads, four.circular, shown(&four)), (0, 0, vec!["2>3>4>9".to_owned()]));
        // An even score is no majority.
        let even = cycles(&[(1, 2), (2, 3), (3, 1), (1, 3)]);
        assert_eq!(
            (even.circular, even.sentence(&quoted)),
            (0, "no circular triads (no intransitive preferences)".to_owned())
        );
    }
}

//! Hyperparameters that were learned before: asked for again, they need not be learned again.

use super::{History, Trial};
use crate::learn::integration::Node;
use crate::points::Points;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Histories that are kept, at most; each is some kilobytes. A hundred people at work need a few each: the one that they learn from, and those of
/// the answers that they may give next.
const MOST: usize = 512;

/// Hyperparameters that were learned from the first answers of histories, for one model: the same columns, prior and way of inference.
///
/// Most answers leave the hyperparameters alone, which are learned anew after 10, 15, 22, 33, … answers: whoever asks after every answer would learn
/// the same ones again and again. What is kept is what would be learned, to the bit.
#[derive(Debug, Default)]
pub struct Kept {
    nodes: Mutex<VecDeque<(Key, Arc<Vec<Node>>)>>,
}

/// What hyperparameters were learned from.
#[derive(Debug, PartialEq)]
struct Key {
    trials: Vec<Trial>,
    /// The coordinates of the trials' items, and their ids, as bits.
    items: Vec<u64>,
    half_life: Option<u64>,
}

impl Key {
    /// Whether these are the first answers of `other`, or all of them.
    fn begins(&self, other: &Self) -> bool {
        let begins = other.trials.starts_with(&self.trials) && other.items.starts_with(&self.items);
        begins && self.half_life == other.half_life
    }

    fn of(points: &Points, History { trials, half_life }: History<'_>) -> Self {
        let item = |i: usize| points.row(i).iter().map(|x| x.to_bits()).chain([points.id(i)]);
        let items = trials.iter().flat_map(Trial::items).flat_map(item).collect();
        Self { trials: trials.to_vec(), items, half_life: half_life.map(f64::to_bits) }
    }
}

impl Kept {
    /// What was learned from the most of the first answers of a history, if anything was.
    pub(super) fn latest(&self, points: &Points, history: History<'_>) -> Option<Arc<Vec<Node>>> {
        let key = Key::of(points, history);
        let all = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        let earlier = all.iter().filter(|(earlier, _)| earlier.begins(&key));
        earlier.max_by_key(|(earlier, _)| earlier.trials.len()).map(|(_, nodes)| Arc::clone(nodes))
    }

    /// What `learn` finds for these answers, or found for the same ones before.
    pub(super) fn get_or<E>(
        &self,
        points: &Points,
        history: History<'_>,
        learn: impl FnOnce() -> Result<Vec<Node>, E>,
    ) -> Result<Arc<Vec<Node>>, E> {
        let key = Key::of(points, history);
        let all = || self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |all: &VecDeque<(Key, Arc<Vec<Node>>)>| all.iter().position(|(other, _)| *other == key);
        {
            let mut all = all();
            if let Some(found) = known(&all).and_then(|at| all.remove(at)) {
                // The last one used is the last to go.
                let nodes = Arc::clone(&found.1);
                all.push_back(found);
                return Ok(nodes);
            }
        }
        // Others may look meanwhile. Two who learn the same find the same.
        let nodes = Arc::new(learn()?);
        let mut all = all();
        if known(&all).is_none() {
            if all.len() >= MOST {
                all.pop_front();
            }
            all.push_back((key, Arc::clone(&nodes)));
        }
        Ok(nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::belief::Belief;
    use crate::design::{Column, Outcome, Prior, fit, fit_hastily, fit_keeping};
    use crate::search::Domain;
    use std::cell::Cell;

    fn settings() -> (Points, Vec<Column>) {
        let domain = Domain::unit_box(1);
        let rows: Vec<Vec<f64>> = (0..6).map(|i| vec![f64::from(i) / 5.0]).collect();
        (domain.points(&rows), Column::of_domain(&domain))
    }

    fn answers(number: usize) -> Vec<Trial> {
        let pair = |i: usize| Trial::pair(i % 6, (i * i + 1 + i) % 6, Some(Outcome::Left));
        (0..).map(pair).filter(|trial| trial.left != trial.right).take(number).collect()
    }

    #[test]
    fn what_is_kept_is_what_would_be_learned() {
        let ((points, columns), prior, kept) = (settings(), Prior::default(), Kept::default());
        for number in [1, 9, 12, 13, 14, 15, 12] {
            let trials = answers(number);
            let moments = |belief: Belief| belief.utilities(&points);
            let [fresh, again] = [
                moments(fit(&points, &columns, &trials, &prior).unwrap()),
                moments(fit_keeping(&points, &columns, &trials, &prior, &kept).unwrap()),
            ];
            assert_eq!(fresh, again, "after {number} answers");
        }
        // After 1, 9, 10 (of 12 to 14) and 15 answers.
        assert_eq!(kept.nodes.lock().unwrap().len(), 4);
    }

    /// Thresholds of answers that came later are at their starts, whatever was kept before they came.
    #[test]
    fn ties_that_come_later_have_their_threshold() {
        let ((points, columns), prior, kept) = (settings(), Prior::default(), Kept::default());
        let mut trials = answers(13);
        fit_keeping(&points, &columns, &trials, &prior, &kept).unwrap();
        trials[12].answer = Some(Outcome::Tie);
        let fresh = fit(&points, &columns, &trials, &prior).unwrap();
        let again = fit_keeping(&points, &columns, &trials, &prior, &kept).unwrap();
        assert_eq!(fresh.utilities(&points), again.utilities(&points));
        assert_eq!(kept.nodes.lock().unwrap().len(), 1);
    }

    #[test]
    fn in_haste_one_setting_of_the_latest_stands_for_all() {
        let ((points, columns), prior, kept) = (settings(), Prior::default(), Kept::default());
        let trials = answers(14);
        let hasty = |kept: &Kept| fit_hastily(&points, &columns, &trials, &prior, kept).unwrap();
        let fixed = Prior { learn: false, ..prior };
        let unlearned = fit(&points, &columns, &trials, &fixed).unwrap();
        // In haste the features that are left out have a hundredth of the prior's standard deviation each, and moments agree to a thousandth.
        let alike = |one: &Belief, other: &Belief| {
            let means = [one, other].map(|belief| belief.utilities(&points).mean);
            means[0].iter().zip(&means[1]).all(|(a, b)| (a - b).abs() < 0.05)
        };
        assert!(alike(&hasty(&kept), &unlearned));
        fit_keeping(&points, &columns, &trials[..12], &prior, &kept).unwrap();
        fit_keeping(&points, &columns, &trials[..5], &prior, &kept).unwrap();
        let after = hasty(&kept);
        let full = fit_keeping(&points, &columns, &trials, &prior, &kept).unwrap();
        let components = full.components().unwrap();
        assert_eq!((after.components().unwrap().len(), components.len() > 1), (1, true));
        assert!(components.iter().any(|(_, component)| alike(&after, &(*component).clone().into())));
    }

    #[test]
    fn other_answers_and_other_items_are_learned_from_anew() {
        let ((points, _), kept, learned) = (settings(), Kept::default(), Cell::new(0));
        let look = |points: &Points, trials: &[Trial], half_life| {
            let learn = || {
                learned.set(learned.get() + 1);
                Ok::<_, Error>(Vec::new())
            };
            kept.get_or(points, History { trials, half_life }, learn).unwrap();
            learned.get()
        };
        let trials = answers(4);
        assert_eq!(look(&points, &trials, None), 1);
        assert_eq!(look(&points, &trials, None), 1);
        assert_eq!(look(&points, &trials[..3], None), 2);
        assert_eq!(look(&points, &trials, Some(3.0)), 3);
        let mut other = trials.clone();
        other[0].answer = Some(Outcome::Right);
        assert_eq!(look(&points, &other, None), 4);
        let moved = Domain::unit_box(1).points(&vec![vec![0.5]; 6]);
        assert_eq!(look(&moved, &trials, None), 5);
        assert_eq!(look(&points, &trials, None), 5);
        for n in 0..MOST {
            let row = vec![vec![n as f64 / MOST as f64]; 6];
            look(&Domain::unit_box(1).points(&row), &trials, None);
        }
        assert!(kept.nodes.lock().unwrap().len() <= MOST);
        // One of them was there.
        assert_eq!(look(&points, &trials, None), 5 + MOST, "the oldest are forgotten");
    }
}

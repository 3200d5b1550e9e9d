//! Questions within groups of items: those about one prompt, one text, one reference.
//!
//! Utilities of items of different groups are never compared, so the groups take turns, each the one that was asked about least. Within
//! it the question is chosen as in a study of these items alone, by what is believed after all answers.

use crate::Error;
use crate::fingerprint::Fingerprint;
use rather::design::{self, Pool, Request, Trial};
use std::collections::HashMap;

/// The items that are compared with each other.
#[derive(Debug)]
pub(super) struct Groups {
    items: Vec<Vec<usize>>,
    /// The group of each item.
    of: HashMap<usize, usize>,
}

impl Groups {
    pub(super) fn new(items: Vec<Vec<usize>>) -> Self {
        let of = items.iter().enumerate().flat_map(|(g, group)| group.iter().map(move |&item| (item, g)));
        Self { of: of.collect(), items }
    }

    /// The group whose turn it is after these questions, and its items. In each round the order is another one.
    pub(super) fn turn(&self, trials: &[Trial], seed: u64) -> (usize, &[usize]) {
        let mut asked = vec![0_u64; self.items.len()];
        for group in trials.iter().filter_map(|trial| self.of.get(&trial.left)) {
            asked[*group] += 1;
        }
        let drawn = |group: usize| own_seed(seed, asked[group], group);
        let next = (0..asked.len()).min_by_key(|&group| (asked[group], drawn(group))).unwrap_or(0);
        (next, &self.items[next])
    }

    /// The items of the next question about so many `options` of `pool`, in the order in which to show them, and its value.
    pub(super) fn next(
        &self,
        request: &Request<'_>,
        pool: &Pool,
        options: usize,
    ) -> Result<(Vec<usize>, Option<f64>), Error> {
        let (group, items) = self.turn(request.trials, request.seed);
        let place = |item: usize| items.iter().position(|&other| other == item);
        let within = |trial: &Trial| {
            let places: Option<Vec<usize>> = trial.items().map(place).collect();
            Trial::set(&places?, trial.answer).ok()
        };
        let trials: Vec<Trial> = request.trials.iter().filter_map(within).collect();
        let pool = Pool { points: pool.points.select(items), columns: pool.columns.clone() };
        let request = Request { trials: &trials, seed: own_seed(request.seed, 0, group), ..*request };
        let (places, score) = if options > 2 {
            design::next_set_in_pool(&request, &pool, options)?
        } else {
            let found = design::next_in_pool(&request, &pool)?;
            (vec![found.left, found.right], found.score)
        };
        Ok((places.into_iter().map(|place| items[place]).collect(), score))
    }
}

/// A seed of a group's own.
fn own_seed(seed: u64, round: u64, group: usize) -> u64 {
    Fingerprint::new().text(&seed.to_string()).text(&round.to_string()).text(&group.to_string()).seed()
}

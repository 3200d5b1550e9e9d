//! Several people's answers to one study: what all of them say together, and whether they agree.
//!
//! The statistics are those of comparative judgement, under one model of all answers: the pooled one.

mod concordance;
mod misfit;
mod reliability;

pub use concordance::kendalls_w;
pub use misfit::MeanSquares;
pub use reliability::scale_separation_reliability;

use super::{comparisons, outcome};
use crate::Error;
use crate::alternative::Alternative;
use crate::analysis::advice::Estimate;
use crate::learner::{Arena, Learner, Record};
use crate::space::Space;
use rather::belief::Belief;
use rather::design::{Outcome, Prior, Thresholds, Trial};
use rather::points::Points;
use rather::search::{Dimension, Domain};
use rather_numerics::order::descending;
use rather_numerics::special::normal;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What several people's answers say together, and whether they agree.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Agreement {
    /// The scale separation reliability of the items, from the pooled model; `None` where parameters are compared.
    pub reliability: Option<f64>,
    /// Kendall's W of the posterior means that the participants' own models have of `places`; `None` with fewer than two participants.
    pub concordance: Option<f64>,
    /// What is looked at: the items that were compared, the best first; of one parameter settings from end to end, of several ones that fill the space.
    pub places: Vec<Place>,
    /// Everyone who answered.
    pub judges: Vec<Judge>,
}

/// An item or a setting, to everybody.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Place {
    /// What it is.
    pub alternative: Alternative,
    /// Its utility in the pooled model, relative to the average of all places.
    pub utility: Estimate,
    /// How the answers about it fit the pooled model; `None` for settings, and without an answer that has a preference.
    pub fit: Option<MeanSquares>,
}

/// A participant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judge {
    /// Their name.
    pub participant: String,
    /// How their answers fit the pooled model; `None` without an answer that has a preference.
    pub fit: Option<MeanSquares>,
    /// The mean utility of each place in their own model, relative to the average of all places; empty unless they are among the `MODELS` who answered most.
    pub utilities: Vec<f64>,
}

/// So many participants have a model of their own here: each takes the time of a fit.
pub const MODELS: usize = 50;
/// So many different items, or pairs of settings, one model of all answers is of: time grows with the third power.
const NODES: usize = 1_000;

/// Settings of one parameter that are looked at, and of several.
const ALONG: usize = 41;
const FILLING: usize = 101;

impl Agreement {
    /// Of everyone's own answers, as their own models take them, and of all answers in one record.
    pub(crate) fn of(learner: &Learner, people: &[(String, Record)], all: &Record) -> Result<Self, Error> {
        let found = nodes(all);
        if found > NODES {
            return Err(Error::ManyForAgreement { found, most: NODES });
        }
        let own_models = most_answers(people);
        let pooled = Pooled::of(learner, all)?;
        let (alternatives, points) = looked_at(learner, all);
        let moments = pooled.belief.relative_utilities(&points, &points);
        let utilities: Vec<Estimate> =
            moments.mean.iter().zip(&moments.variance).map(|(&m, &v)| Estimate::new(m, v)).collect();
        // Of items, whose numbers are the same in all records.
        let mut said: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        let mut judges = Vec::new();
        for (k, (participant, own)) in people.iter().enumerate() {
            let found = pooled.probabilities(own);
            for &((winner, loser), p) in &found {
                said.entry(winner).or_default().push(p);
                said.entry(loser).or_default().push(p);
            }
            judges.push(Judge {
                participant: participant.clone(),
                fit: MeanSquares::of(found.into_iter().map(|(_, p)| p)),
                utilities: if own_models.contains(&k) {
                    learner.fit(own)?.relative_utilities(&points, &points).mean
                } else {
                    Vec::new()
                },
            });
        }
        let places = alternatives.into_iter().zip(utilities).map(|((alternative, number), utility)| {
            let fit = number.and_then(|number| MeanSquares::of(said.get(&number)?.iter().copied()));
            Place { alternative, utility, fit }
        });
        let mut out = Self { reliability: None, concordance: None, places: places.collect(), judges };
        if matches!(learner.subject, Arena::Pool { .. }) {
            out.sort();
            let utilities: Vec<Estimate> = out.places.iter().map(|place| place.utility).collect();
            out.reliability = scale_separation_reliability(&utilities);
        }
        let own = out.judges.iter().map(|judge| &judge.utilities).filter(|utilities| !utilities.is_empty());
        let values: Vec<Vec<f64>> = own.cloned().collect();
        out.concordance = kendalls_w(&values);
        Ok(out)
    }

    /// The best place first, to everybody.
    fn sort(&mut self) {
        let order = descending(&self.places.iter().map(|place| place.utility.mean).collect::<Vec<f64>>());
        self.places = order.iter().map(|&i| self.places[i].clone()).collect();
        for judge in &mut self.judges {
            if !judge.utilities.is_empty() {
                judge.utilities = order.iter().map(|&i| judge.utilities[i]).collect();
            }
        }
    }
}

/// The size of a model of a record: how many items were compared, or how many pairs if these are fewer.
fn nodes(record: &Record) -> usize {
    let answered = || record.duels.iter().filter(|duel| duel.answer.is_some());
    let items: BTreeSet<usize> = answered().flat_map(Trial::items).collect();
    let pairs: BTreeSet<Vec<usize>> = answered()
        .map(|duel| {
            let mut items: Vec<usize> = duel.items().collect();
            items.sort_unstable();
            items
        })
        .collect();
    items.len().min(pairs.len())
}

/// The places of those who answered most, at most [`MODELS`].
fn most_answers(people: &[(String, Record)]) -> Vec<usize> {
    let mut order =
        descending(&people.iter().map(|(_, record)| record.duels.len() as f64).collect::<Vec<f64>>());
    order.truncate(MODELS);
    order
}

/// What is looked at, items with their numbers, and where a model has it.
fn looked_at(learner: &Learner, all: &Record) -> (Vec<(Alternative, Option<usize>)>, Points) {
    match &learner.subject {
        Arena::Pool { pool, .. } => {
            let compared = all.duels.iter().filter(|duel| duel.answer.is_some());
            let mut numbers: Vec<usize> = compared.flat_map(Trial::items).collect();
            numbers.sort_unstable();
            numbers.dedup();
            let named = numbers.iter().map(|&number| (learner.alternative(all, number), Some(number)));
            (named.collect(), pool.points.select(&numbers))
        }
        Arena::Domain { domain, space, .. } => {
            let mut settings = settings(domain, space, learner.definition.seed);
            settings.iter_mut().for_each(|at| domain.snap(at));
            let named = settings.iter().map(|at| (Alternative::Setting(space.setting(at)), None));
            (named.collect(), domain.points(&settings))
        }
    }
}

/// Settings of one parameter from end to end, or of several ones that fill the space.
fn settings(domain: &Domain, space: &Space, seed: u64) -> Vec<Vec<f64>> {
    let [parameter] = space.parameters.as_slice() else { return domain.fill(FILLING, seed) };
    let evenly =
        |n: usize| -> Vec<Vec<f64>> { (0..n).map(|i| vec![i as f64 / (n - 1).max(1) as f64]).collect() };
    match parameter.range.dimension() {
        Dimension::Continuous => evenly(ALONG),
        Dimension::Integer { levels } => evenly(levels.min(ALONG)),
        Dimension::Categorical { levels } => (0..levels).map(|i| vec![i as f64]).collect(),
    }
}

/// What all say together.
struct Pooled<'a> {
    learner: &'a Learner,
    belief: Belief,
    /// The threshold below which nobody has a preference; 0 if nobody was without one.
    tie: f64,
}

impl<'a> Pooled<'a> {
    fn of(learner: &'a Learner, all: &Record) -> Result<Self, Error> {
        let belief = learner.fit(all)?;
        let tie = if all.duels.iter().filter_map(|duel| duel.answer).any(Outcome::is_tie) {
            let prior = &learner.definition.prior;
            Thresholds::of(&learner.points(all), learner.columns(), &all.duels, prior)?.tie.unwrap_or(0.0)
        } else {
            0.0
        };
        Ok(Self { learner, belief, tie })
    }

    /// Winner and loser of every comparison of a record that has them, with the probability of that where one of the two is preferred:
    /// $\Phi(\frac{m-t}s)$ in proportion to the same of the loser, with the mean $m$ and the standard deviation $s$ of the noisy difference.
    fn probabilities(&self, own: &Record) -> Vec<((usize, usize), f64)> {
        let pairs: Vec<(usize, usize)> = comparisons(own).filter_map(|duel| outcome(&duel)).collect();
        let moments = self.belief.differences(&self.learner.points(own), &pairs);
        // Each of the two utilities has its own noise.
        let noise = 2.0 * Prior::NOISE * Prior::NOISE;
        let preferred = |(&mean, &variance): (&f64, &f64)| {
            let sd = (variance.max(0.0) + noise).sqrt();
            let beyond = |mean: f64| normal::cdf((mean - self.tie) / sd);
            beyond(mean) / (beyond(mean) + beyond(-mean))
        };
        let found = moments.mean.iter().zip(&moments.variance).map(preferred);
        pairs.iter().copied().zip(found).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rather::design::Trial;

    fn record(pairs: impl IntoIterator<Item = (usize, usize)>) -> Record {
        let said = |(a, b)| Trial::pair(a, b, Some(Outcome::Left));
        Record { duels: pairs.into_iter().map(said).collect(), ..Record::default() }
    }

    #[test]
    fn a_model_is_as_large_as_the_fewer_of_items_and_pairs() {
        assert_eq!(nodes(&record([(0, 1), (1, 0), (0, 1)])), 1, "one pair");
        assert_eq!(nodes(&record([(0, 1), (2, 3)])), 2, "two pairs of four");
        assert_eq!(nodes(&record([(0, 1), (0, 2), (1, 2), (2, 1), (0, 3), (1, 3), (2, 3)])), 4, "four items");
        let unanswered = Record { duels: vec![Trial::pair(0, 1, None)], ..Record::default() };
        assert_eq!(nodes(&unanswered), 0);
    }

    #[test]
    fn those_who_answered_most_have_a_model_of_their_own() {
        let people: Vec<(String, Record)> =
            (0..MODELS + 3).map(|k| (k.to_string(), record((0..=k).map(|i| (i, i + 1))))).collect();
        let mut found = most_answers(&people);
        found.sort_unstable();
        assert_eq!(found, (3..MODELS + 3).collect::<Vec<_>>());
    }
}

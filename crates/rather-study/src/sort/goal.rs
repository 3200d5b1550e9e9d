//! When a list is sorted well enough.

use super::Settings;
use crate::Error;
use rather::Person;
use rather::design::{Pool, regret_in_pool};
use rather::model::Model;
use serde::Serialize;
use std::str::FromStr;

/// When to stop before the budget is spent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// Never.
    Budget,
    /// Once the first is the best with this probability.
    Best(f64),
    /// Once each of the `k` first is among the `k` best with this probability.
    Top {
        /// How many.
        k: usize,
        /// The probability.
        probability: f64,
    },
    /// Once the best is expected to be better than the first by less than this, in standard deviations of the noise of a comparison.
    Regret(f64),
}

impl FromStr for Goal {
    type Err = Error;

    /// `best:0.95`, `top:5:0.9` or `regret:0.1`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let probability = |text: &str| text.parse().ok().filter(|p: &f64| *p > 0.0 && *p < 1.0);
        let found = match text.split(':').collect::<Vec<_>>().as_slice() {
            ["best", p] => probability(p).map(Self::Best),
            ["top", k, p] => match (k.parse(), probability(p)) {
                (Ok(k @ 1..), Some(probability)) => Some(Self::Top { k, probability }),
                _ => None,
            },
            ["regret", limit] => {
                limit.parse().ok().filter(|x: &f64| x.is_finite() && *x > 0.0).map(Self::Regret)
            }
            _ => None,
        };
        found.ok_or_else(|| Error::Goal { text: text.to_owned() })
    }
}

/// How far sorting is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Progress {
    /// Answers so far.
    pub answers: u64,
    /// Answers after which to stop in any case.
    pub budget: u64,
    /// What the goal is about, as it is now: a probability, or the expected regret; nothing before the first answer, and of the budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached: Option<f64>,
    /// Why to stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
}

/// Why to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The goal is reached.
    Goal,
    /// The budget is spent.
    Budget,
}

impl Progress {
    /// After so many answers, of which this is the model.
    pub(super) fn of(
        settings: &Settings,
        answers: u64,
        model: Option<&Model>,
        seed: u64,
    ) -> Result<Self, Error> {
        let reached = match model {
            Some(model) => reached(settings.goal, model, seed)?,
            None => None,
        };
        let is_reached = match (settings.goal, reached) {
            (Goal::Best(p) | Goal::Top { probability: p, .. }, Some(now)) => now >= p,
            (Goal::Regret(limit), Some(now)) => now < limit,
            (Goal::Budget, _) | (_, None) => false,
        };
        let stop = match (is_reached, answers >= settings.budget) {
            (true, _) => Some(Stop::Goal),
            (false, true) => Some(Stop::Budget),
            (false, false) => None,
        };
        Ok(Self { answers, budget: settings.budget, reached, stop })
    }
}

/// What a goal is about, under a model in which every item was compared: else nobody knows.
fn reached(goal: Goal, model: &Model, seed: u64) -> Result<Option<f64>, Error> {
    let points = model.points();
    if goal == Goal::Budget || model.compared().len() < points.len() {
        return Ok(None);
    }
    let person = Person::Single(model);
    let ranking = person.rank(points);
    let standings = |top: usize| person.standings(points, &ranking, top, seed);
    Ok(match goal {
        Goal::Budget => None,
        Goal::Best(_) => standings(1)?.first().map(|first| first.probability_best),
        Goal::Top { k, .. } => {
            let probabilities = standings(k)?.into_iter().take(k).map(|s| s.probability_top);
            probabilities.reduce(f64::min)
        }
        Goal::Regret(_) => {
            let pool = Pool::new(points.clone(), &vec![false; points.dims()])?;
            let first = ranking.first().map_or(0, |ranked| ranked.item);
            let noise = std::f64::consts::SQRT_2 * model.hyperparameters().noise();
            Some(regret_in_pool(model.belief(), &pool, first, 0.0, seed)?.expected / noise)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_read() {
        let goal = |text: &str| text.parse::<Goal>().ok();
        assert_eq!(goal("best:0.95"), Some(Goal::Best(0.95)));
        assert_eq!(goal("top:5:.9"), Some(Goal::Top { k: 5, probability: 0.9 }));
        assert_eq!(goal("regret:0.1"), Some(Goal::Regret(0.1)));
        for wrong in ["", "best", "best:1", "best:95", "top:0:0.9", "top:5", "regret:0", "regret:-1", "sure"]
        {
            assert_eq!(goal(wrong), None, "{wrong}");
        }
    }
}

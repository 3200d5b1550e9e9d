//! Answers that the others do not lead one to expect: cannot tell, or careless?
//!
//! Every answer is set against what the model expects from all other answers. An answer against the odds says that the
//! person *cannot tell* if the odds were nearly even, and that they were *careless* if the odds were clear. Answers about sets are not looked at.

use super::{Fit, counted};
use crate::alternative::Alternative;
use crate::analysis::outcome;
use crate::learner::{Learner, Record};
use rather::inference::observations::Observation;
use rather::likelihood::{Likelihood, Probit, Reply};
use rather_numerics::order;
use serde::Serialize;
use std::collections::HashMap;

/// Below this probability of the likelier answer the model cannot tell either.
const NEARLY_EVEN: f64 = 0.7;
/// From this probability on the model is sure.
const SURE: f64 = 0.9;
/// More careless answers than chance gives with this probability are too many.
const UNLIKELY: f64 = 0.01;
/// Answers that are shown.
const SHOWN: usize = 10;

/// What is behind an answer against the odds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The odds were nearly even (the likelier answer below 70 %).
    CannotTell,
    /// Neither.
    Unclear,
    /// The odds were clear (the likelier answer at 90 % or more).
    Careless,
}

/// An answer against the odds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Surprise {
    /// Which answer of the person, counted from 1, skipped duels too.
    pub number: usize,
    /// What was preferred.
    pub winner: Alternative,
    /// What it was preferred to.
    pub loser: Alternative,
    /// The probability of this answer given all others.
    pub probability: f64,
    /// What is behind it.
    pub verdict: Verdict,
}

/// All answers against the odds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Surprises {
    /// Number of answers with a preference.
    pub answers: usize,
    /// How many of them went against nearly even odds.
    pub cannot_tell: usize,
    /// How many went against odds in between.
    pub unclear: usize,
    /// How many went against clear odds.
    pub careless: usize,
    /// How many against clear odds there should be: even a careful person's answers are noisy.
    pub careless_expected: f64,
    /// The probability that chance alone gives as many.
    pub careless_by_chance: f64,
    /// The least expected ones.
    pub examples: Vec<Surprise>,
}

impl Surprises {
    pub(super) fn of(learner: &Learner, record: &Record, fit: &Fit) -> Self {
        let expected = expectations(fit);
        let mut out = Self {
            answers: 0,
            cannot_tell: 0,
            unclear: 0,
            careless: 0,
            careless_expected: 0.0,
            careless_by_chance: 1.0,
            examples: Vec::new(),
        };
        for (duel, number) in record.duels.iter().zip(1..) {
            let Some((winner, loser)) = outcome(duel) else { continue };
            let strength = duel.answer.map_or(0, |answer| answer.strength().unsigned_abs());
            let found = [strength, 0].iter().find_map(|&strength| expected.get(&(winner, loser, strength)));
            let Some(&probability) = found else { continue };
            out.answers += 1;
            if probability.max(1.0 - probability) >= SURE {
                out.careless_expected += probability.min(1.0 - probability);
            }
            if probability >= 0.5 {
                continue;
            }
            let verdict = match 1.0 - probability {
                odds if odds >= SURE => Verdict::Careless,
                odds if odds >= NEARLY_EVEN => Verdict::Unclear,
                _ => Verdict::CannotTell,
            };
            match verdict {
                Verdict::CannotTell => out.cannot_tell += 1,
                Verdict::Unclear => out.unclear += 1,
                Verdict::Careless => out.careless += 1,
            }
            let (winner, loser) = (learner.alternative(record, winner), learner.alternative(record, loser));
            out.examples.push(Surprise { number, winner, loser, probability, verdict });
        }
        out.careless_by_chance = at_least(out.careless, out.careless_expected);
        order::sort_ascending(&mut out.examples, |one| one.probability);
        out.examples.truncate(SHOWN);
        out
    }

    /// Whether there are more careless answers than chance explains.
    pub fn is_careless(&self) -> bool {
        self.careless_by_chance < UNLIKELY
    }

    pub(super) fn sentences(&self, name: &dyn Fn(&Alternative) -> String) -> Vec<String> {
        let mut out = Vec::new();
        if self.cannot_tell > 0 {
            out.push(format!("unclear: {} against nearly even odds", counted(self.cannot_tell, "answer")));
        }
        if self.careless > 0 {
            let judged = if self.is_careless() {
                "significantly more than expected"
            } else {
                "as many as expected by chance"
            };
            out.push(format!(
                "careless: {} against clear odds, {judged} (about {:.1} expected)",
                counted(self.careless, "answer"),
                self.careless_expected
            ));
        }
        if self.is_careless() {
            out.extend(self.examples.first().map(|s| {
                format!(
                    "the least expected is answer {}: {} rather than {}, at odds of {:.1} %",
                    s.number,
                    name(&s.winner),
                    name(&s.loser),
                    100.0 * s.probability
                )
            }));
        }
        out
    }
}

/// The probability of "winner rather than loser" given all answers but one such, by winner, loser and grade; a plain choice has grade 0.
///
/// The cavity of expectation propagation is what the other answers say: `N(z | m_c, v_c)`, so the probability is
/// `Phi(m_c / sqrt(s^2 + v_c))`.
fn expectations(fit: &Fit) -> HashMap<(usize, usize, u8), f64> {
    let outcome = &fit.evidence.outcome;
    let likelihood = Probit::comparison(fit.noise);
    let said = |o: &Observation| &fit.observations.responses.replies[o.answer.0 as usize];
    let sites = outcome.sites.tau.iter().zip(&outcome.sites.nu);
    let one = |(m, (o, (&tau, &nu))): (usize, (&Observation, (&f64, &f64)))| {
        let (mean, variance) =
            (o.sign() * outcome.posterior.mean[o.edge()], outcome.posterior.variance[o.edge()]);
        let shrink = (1.0 - tau * variance).max(1e-12);
        let probability = likelihood.probability((mean - nu * variance) / shrink, variance / shrink);
        let (winner, loser) = fit.observations.ends(m);
        ((winner, loser, said(o).datum as u8), probability)
    };
    let preferences = fit.observations.merged.iter().zip(sites).enumerate();
    preferences.filter(|(_, (o, _))| *said(o) != Reply::TIE).map(one).collect()
}

/// The probability that a Poisson number of this mean is at least `n`.
fn at_least(n: usize, mean: f64) -> f64 {
    let mut term = (-mean).exp();
    let mut below = 0.0;
    for k in 0..n {
        below += term;
        term *= mean / (k + 1) as f64;
    }
    (1.0 - below).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poisson_tails() {
        // P(X >= 3) for mean 1: 1 - 2.5 / e.
        assert!((at_least(3, 1.0) - (1.0 - 2.5 * (-1.0_f64).exp())).abs() < 1e-15);
        assert_eq!((at_least(0, 2.0), at_least(1, 0.0)), (1.0, 0.0));
    }
}

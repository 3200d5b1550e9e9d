//! Choices that must be made: between two items, or between two classes.

use super::response::{AnswerOption, BIAS, Link, Reply, Response, ResponseLikelihood, Setting, Survey};
use super::{Interval, Likelihood, Logistic, Probit};
use crate::parameter::Hyperparameter;

/// "This rather than that", where one of two must be chosen: $z+b+e>0$ with noise $e$ of standard deviation $\sqrt2$ times an
/// item's, and the advantage $b$ of the left if the item was there ($-b$ if it was on the right).
#[derive(Debug, Clone, Copy)]
pub struct Choice;

impl Response for Choice {
    fn name(&self) -> &'static str {
        "choice"
    }

    fn accepts(&self, datum: f64) -> bool {
        datum == 0.0
    }

    fn parameters(&self, survey: &Survey<'_>) -> Vec<Hyperparameter> {
        survey.bias().into_iter().collect()
    }

    fn likelihood(&self, said: &Reply, at: &Setting<'_>) -> ResponseLikelihood {
        let side = f64::from(said.side);
        let bias = at.find(BIAS).filter(|_| said.side != 0);
        let lower = bias.map_or(0.0, |b| -side * b.value);
        let s = std::f64::consts::SQRT_2 * at.item_noise();
        let likelihood: Box<dyn Likelihood> = match (at.response_model.link, bias) {
            (Link::Probit, None) => Box::new(Probit::comparison(at.item_noise())),
            (link, _) => between(lower, f64::INFINITY, s, link),
        };
        let stated = ResponseLikelihood::noisy(likelihood, at);
        bias.into_iter().fold(stated, |stated, b| stated.on(Interval::LOWER, b, -side))
    }

    fn options(&self, _survey: &Survey<'_>) -> Vec<AnswerOption> {
        AnswerOption::either()
    }
}

/// "Of the class", or not: $z+e>0$ with an item's noise.
#[derive(Debug, Clone, Copy)]
pub struct Label;

impl Response for Label {
    fn name(&self) -> &'static str {
        "label"
    }

    fn accepts(&self, datum: f64) -> bool {
        datum == 0.0
    }

    fn parameters(&self, _survey: &Survey<'_>) -> Vec<Hyperparameter> {
        Vec::new()
    }

    fn likelihood(&self, _said: &Reply, at: &Setting<'_>) -> ResponseLikelihood {
        let likelihood: Box<dyn Likelihood> = match at.response_model.link {
            Link::Probit => Box::new(Probit::label(at.item_noise())),
            link => between(0.0, f64::INFINITY, at.item_noise(), link),
        };
        ResponseLikelihood::noisy(likelihood, at)
    }

    fn options(&self, _survey: &Survey<'_>) -> Vec<AnswerOption> {
        AnswerOption::either()
    }
}

/// The factor of a noisy value between two thresholds.
pub(super) fn between(lower: f64, upper: f64, s: f64, link: Link) -> Box<dyn Likelihood> {
    match link {
        Link::Probit => Box::new(Interval::new(lower, upper, s)),
        Link::Logistic => Box::new(Logistic::new(lower, upper, s)),
    }
}

//! What is believed of the candidates of a comparison: a Gaussian, or several with weights.

use std::collections::HashMap;

use super::{AnswerModel, Average, Contrast, ivm};
use crate::Error;
use crate::points::Points;
use crate::posterior::{Joint, Posterior, Sampler};
use rather_numerics::linalg::axpy;

/// One Gaussian belief about the utilities of the candidates, with what may be answered about them, and its weight among several: those of
/// other kernels and hyperparameters, over which predictions are averages.
#[derive(Debug, Clone)]
pub struct Component<'a> {
    /// Its weight; those of all components add up to 1.
    pub weight: f64,
    /// The utilities of the candidates.
    pub joint: Joint,
    /// The variances of `joint`, side by side: those of a pair are a whole column apart in the covariance.
    variances: Vec<f64>,
    answers: AnswerModel,
    /// What may be answered to pairs that were compared, if answers about a pair have more in common than its items: by challenger, opponent.
    of_pairs: HashMap<(usize, usize), AnswerModel>,
    /// The posterior that it is of, and the numbers by which that knows the candidates.
    source: Option<(&'a Posterior, Vec<u64>)>,
    /// Answers that are not in `joint` yet.
    expected: Vec<Expected>,
}

/// An answer that is expected: it takes `beta c c'` off the covariance.
#[derive(Debug, Clone)]
struct Expected {
    beta: f64,
    column: Vec<f64>,
}

/// What is believed of one pair by one [`Component`].
#[derive(Debug, Clone, Copy)]
pub struct PairBelief<'a> {
    /// The component's weight.
    pub weight: f64,
    /// The difference of utilities.
    pub contrast: Contrast,
    /// What may be answered.
    pub answers: &'a AnswerModel,
}

impl PairBelief<'_> {
    /// The probability of each answer, with its derivatives in the moments of the difference.
    pub(super) fn predicted(&self) -> Vec<Average> {
        self.answers.predicted(self.contrast.mean, self.contrast.variance)
    }
}

impl<'a> Component<'a> {
    /// A belief that is alone.
    pub fn new(joint: Joint, answers: AnswerModel) -> Self {
        let variances = diagonal(&joint);
        Self {
            weight: 1.0,
            joint,
            variances,
            answers,
            of_pairs: HashMap::new(),
            source: None,
            expected: Vec::new(),
        }
    }

    /// What `posterior` says of `points`.
    pub(super) fn of_posterior(weight: f64, posterior: &'a Posterior, points: &Points) -> Self {
        let ids: Vec<u64> = (0..points.len()).map(|i| points.id(i)).collect();
        let compared = posterior.compared_answers();
        let place: HashMap<u64, usize> = match compared.is_empty() {
            true => HashMap::new(),
            false => ids.iter().enumerate().map(|(i, &id)| (id, i)).collect(),
        };
        let known = |((i, j), answers): ((u64, u64), AnswerModel)| {
            Some(((*place.get(&i)?, *place.get(&j)?), answers))
        };
        let of_pairs = compared.into_iter().filter_map(known).collect();
        let alone = Self::new(posterior.joint(points), posterior.answer_model());
        Self { weight, of_pairs, source: Some((posterior, ids)), ..alone }
    }

    /// What may be answered to `challenger`, shown on the right, and `opponent`.
    pub fn answers(&self, challenger: usize, opponent: usize) -> &AnswerModel {
        match self.of_pairs.is_empty() {
            true => &self.answers,
            false => self.of_pairs.get(&(challenger, opponent)).unwrap_or(&self.answers),
        }
    }

    /// Whether every answer is a plain choice between two candidates.
    pub(super) fn is_plain(&self) -> bool {
        self.of_pairs.is_empty() && self.answers.closed_form().is_some()
    }

    /// Whether it does not matter which of two candidates is on the left.
    pub(super) fn is_symmetric(&self) -> bool {
        self.answers.is_symmetric()
    }

    /// What is believed of a pair; with the variance of the challenger's own utility if `absolute`.
    pub(super) fn of_pair(&self, challenger: usize, opponent: usize, absolute: bool) -> PairBelief<'_> {
        let (mean, difference) = self.difference(challenger, opponent);
        let variance = if absolute { self.own_variance(challenger) } else { difference };
        let contrast = Contrast { mean, variance, base: self.joint.mean[opponent] };
        PairBelief { weight: self.weight, contrast, answers: self.answers(challenger, opponent) }
    }

    /// The mean and the variance of the difference of two candidates.
    fn difference(&self, i: usize, j: usize) -> (f64, f64) {
        let Joint { mean, covariance } = &self.joint;
        // In the lower triangle: pairs come by their first item, whose column they share.
        let shared = covariance[(i.max(j), i.min(j))];
        let variance = (self.variances[i] + self.variances[j] - 2.0 * shared).max(0.0);
        let taken = |e: &Expected| e.beta * (e.column[i] - e.column[j]).powi(2);
        (mean[i] - mean[j], (variance - self.expected.iter().map(taken).sum::<f64>()).max(0.0))
    }

    fn own_variance(&self, i: usize) -> f64 {
        let taken = |e: &Expected| e.beta * e.column[i].powi(2);
        (self.variances[i] - self.expected.iter().map(taken).sum::<f64>()).max(0.0)
    }

    /// The belief as it will be, on average, after an answer to a pair: covariances change, means do not. Where only pairs are looked at
    /// (`by_pairs`) the covariance of all candidates stays, and what the answer takes off it is taken off where a pair is looked at.
    pub(super) fn observe(&mut self, challenger: usize, opponent: usize, by_pairs: bool) {
        let (mean, variance) = self.difference(challenger, opponent);
        if variance <= 0.0 {
            return;
        }
        let compared = self.source.as_ref().and_then(|(posterior, ids)| {
            posterior.expected_narrowing((ids[challenger], ids[opponent]), (mean, variance))
        });
        let beta = compared
            .map(|share| share / variance)
            .unwrap_or_else(|| ivm::expected_curvature(mean, variance, self.answers(challenger, opponent)));
        if !by_pairs {
            self.joint.shrink(challenger, opponent, beta);
            self.variances = diagonal(&self.joint);
            return;
        }
        let mut column = self.joint.covariance.col(challenger).to_vec();
        axpy(-1.0, self.joint.covariance.col(opponent), &mut column);
        for e in &self.expected {
            axpy(-e.beta * (e.column[challenger] - e.column[opponent]), &e.column, &mut column);
        }
        self.expected.push(Expected { beta, column });
    }
}

fn diagonal(joint: &Joint) -> Vec<f64> {
    (0..joint.len()).map(|i| joint.covariance[(i, i)]).collect()
}

/// Draws of the candidates' utilities from all components by their weights.
///
/// # Errors
/// As [`Joint::sampler`].
pub(super) fn sampler(components: &[Component<'_>]) -> Result<Sampler, Error> {
    Sampler::of(components.iter().map(|c| (c.weight, &c.joint)))
}

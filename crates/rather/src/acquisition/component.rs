//! What is believed of the candidates of a comparison: a Gaussian, or several with weights.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{AnswerModel, Average, Contrast, ivm};
use crate::Error;
use crate::points::Points;
use crate::posterior::{Joint, Posterior, Sampler};
use rather_numerics::linalg::{Matrix, axpy, dot, transpose_product};
use rather_numerics::parallel;

/// One Gaussian belief about the utilities of the candidates, with what may be answered about them, and its weight among several: those of
/// other kernels and hyperparameters, over which predictions are averages.
#[derive(Debug, Clone)]
pub struct Component<'a> {
    /// Its weight; those of all components add up to 1.
    pub weight: f64,
    utilities: Utilities,
    /// The variances of the utilities, side by side: those of a pair are a whole column apart in the covariance.
    variances: Vec<f64>,
    answers: AnswerModel,
    /// What may be answered to pairs that were compared, if answers about a pair have more in common than its items: by challenger, opponent.
    of_pairs: HashMap<(usize, usize), AnswerModel>,
    /// The posterior that it is of, and the numbers by which that knows the candidates.
    source: Option<(&'a Posterior, Vec<u64>)>,
    /// Answers that are not in `utilities` yet.
    expected: Vec<Expected>,
}

/// The utilities of the candidates.
#[derive(Debug, Clone)]
enum Utilities {
    Joint(Joint),
    /// Those of which only some pairs are looked at.
    Pairs(Box<OfPairs>),
}

/// The utilities of candidates of which only some pairs are looked at.
#[derive(Debug, Clone)]
struct OfPairs {
    mean: Vec<f64>,
    /// One candidate a column, whose inner products are covariances.
    features: Matrix,
    /// The places of each first candidate's pairs among the following.
    starts: Vec<usize>,
    seconds: Vec<usize>,
    covariances: Vec<f64>,
}

impl OfPairs {
    fn new(mean: Vec<f64>, features: Matrix, pairs: &[(usize, usize)]) -> Self {
        let mut pairs: Vec<(usize, usize)> = pairs.iter().map(|&(i, j)| (i.min(j), i.max(j))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let starts = (0..=mean.len()).map(|i| pairs.partition_point(|pair| pair.0 < i)).collect();
        let one = |k: usize| dot(features.col(pairs[k].0), features.col(pairs[k].1));
        let covariances = parallel::map(pairs.len(), MANY, one);
        Self { mean, starts, seconds: pairs.iter().map(|pair| pair.1).collect(), covariances, features }
    }

    fn covariance(&self, i: usize, j: usize) -> f64 {
        let (first, second) = (i.min(j), i.max(j));
        let own = self.starts[first]..self.starts[first + 1];
        match self.seconds[own.clone()].binary_search(&second) {
            Ok(place) => self.covariances[own.start + place],
            Err(_) => dot(self.features.col(i), self.features.col(j)),
        }
    }
}

/// Pairs that a thread is worth waking up for.
const MANY: usize = 1024;

impl Utilities {
    fn mean(&self) -> &[f64] {
        match self {
            Self::Joint(joint) => &joint.mean,
            Self::Pairs(of) => &of.mean,
        }
    }

    fn covariance(&self, i: usize, j: usize) -> f64 {
        match self {
            // In the lower triangle: pairs come by their first item, whose column they share.
            Self::Joint(joint) => joint.covariance[(i.max(j), i.min(j))],
            Self::Pairs(of) => of.covariance(i, j),
        }
    }

    fn variances(&self) -> Vec<f64> {
        (0..self.mean().len()).map(|i| self.covariance(i, i)).collect()
    }

    /// The covariances of the difference of two candidates with each of them all.
    fn with_difference(&self, i: usize, j: usize) -> Vec<f64> {
        match self {
            Self::Joint(joint) => minus(joint.covariance.col(i), joint.covariance.col(j)),
            Self::Pairs(of) => of.features.transpose_times(&minus(of.features.col(i), of.features.col(j))),
        }
    }

    fn joint(&self) -> Cow<'_, Joint> {
        match self {
            Self::Joint(joint) => Cow::Borrowed(joint),
            Self::Pairs(_) => Cow::Owned(self.clone().into_joint()),
        }
    }

    fn into_joint(self) -> Joint {
        match self {
            Self::Joint(joint) => joint,
            Self::Pairs(of) => {
                Joint { mean: of.mean, covariance: transpose_product(&of.features, &of.features) }
            }
        }
    }
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
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
        Self::of_utilities(Utilities::Joint(joint), answers)
    }

    fn of_utilities(utilities: Utilities, answers: AnswerModel) -> Self {
        Self {
            weight: 1.0,
            variances: utilities.variances(),
            utilities,
            answers,
            of_pairs: HashMap::new(),
            source: None,
            expected: Vec::new(),
        }
    }

    /// What `posterior` says of `points`, of which only these pairs are looked at if there are some.
    pub(super) fn of_posterior(
        weight: f64,
        posterior: &'a Posterior,
        points: &Points,
        pairs: Option<&[(usize, usize)]>,
    ) -> Self {
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
        let of_few = |pairs| {
            let (mean, features) = posterior.whole_features(points)?;
            Some(Utilities::Pairs(Box::new(OfPairs::new(mean, features, pairs))))
        };
        let utilities = pairs.and_then(of_few).unwrap_or_else(|| Utilities::Joint(posterior.joint(points)));
        let alone = Self::of_utilities(utilities, posterior.answer_model());
        Self { weight, of_pairs, source: Some((posterior, ids)), ..alone }
    }

    /// Number of candidates.
    pub(super) fn len(&self) -> usize {
        self.mean().len()
    }

    /// The means of the candidates' utilities.
    pub fn mean(&self) -> &[f64] {
        self.utilities.mean()
    }

    /// The utilities of the candidates.
    pub fn joint(&self) -> Cow<'_, Joint> {
        self.utilities.joint()
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
        let contrast = Contrast { mean, variance, base: self.mean()[opponent] };
        PairBelief { weight: self.weight, contrast, answers: self.answers(challenger, opponent) }
    }

    /// The mean and the variance of the difference of two candidates.
    fn difference(&self, i: usize, j: usize) -> (f64, f64) {
        let mean = self.mean();
        let shared = self.utilities.covariance(i, j);
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
            let nothing = Joint { mean: vec![], covariance: Matrix::default() };
            let mut joint = std::mem::replace(&mut self.utilities, Utilities::Joint(nothing)).into_joint();
            joint.shrink(challenger, opponent, beta);
            self.utilities = Utilities::Joint(joint);
            self.variances = self.utilities.variances();
            return;
        }
        let mut column = self.utilities.with_difference(challenger, opponent);
        for e in &self.expected {
            axpy(-e.beta * (e.column[challenger] - e.column[opponent]), &e.column, &mut column);
        }
        self.expected.push(Expected { beta, column });
    }
}

/// Draws of the candidates' utilities from all components by their weights.
///
/// # Errors
/// As [`Joint::sampler`].
pub(super) fn sampler(components: &[Component<'_>]) -> Result<Sampler, Error> {
    let joints: Vec<(f64, Cow<'_, Joint>)> = components.iter().map(|c| (c.weight, c.joint())).collect();
    Sampler::of(joints.iter().map(|(weight, joint)| (*weight, joint.as_ref())))
}

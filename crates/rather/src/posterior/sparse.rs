//! The posterior over utilities under a prior with a sparse precision, of items by name or of latent variables.

use super::Moments;
use super::names::Names;
use crate::inference::Outcome;
use crate::inference::latent::{ChainsPrior, JointPrior, Messages};
use crate::inference::observations::Edge;
use crate::likelihood::{AnswerIndex, Likelihoods, Preference};
use crate::points::Points;

/// A Gaussian approximation of the posterior under a prior with a sparse precision.
#[derive(Debug, Clone)]
pub struct SparsePosterior {
    likelihoods: Likelihoods,
    outcome: Outcome,
    pub(super) form: Form,
}

/// What the precision is of.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    /// Items by name.
    Names(Names),
    /// Latent variables, jointly.
    Joint(JointPrior),
    /// Latent variables, by messages.
    Chains(ChainsPrior, Messages),
}

impl SparsePosterior {
    /// What inference found under the prior of this form.
    pub(crate) fn new(outcome: Outcome, form: Form, likelihoods: Likelihoods) -> Self {
        Self { likelihoods, outcome, form }
    }

    /// How inference went.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// What answers say, at the values of their parameters.
    pub(crate) fn likelihoods(&self) -> &Likelihoods {
        &self.likelihoods
    }

    /// The latent variables, if it is of some and they are known jointly.
    #[doc(hidden)]
    pub fn joint(&self) -> Option<&JointPrior> {
        if let Form::Joint(prior) = &self.form { Some(prior) } else { None }
    }

    /// Means and variances of the utilities of `points`. The prior mean is 0: only differences say something.
    pub fn utilities(&self, points: &Points) -> Moments {
        let each: Vec<Edge> = (0..points.len()).map(Edge::alone).collect();
        match &self.form {
            Form::Names(names) => names.utilities(points),
            Form::Joint(prior) => moments(prior.moments(&self.outcome.posterior, points, &each)),
            Form::Chains(prior, messages) => moments(prior.moments(messages, points, &each)),
        }
    }

    /// Utilities relative to the average utility of `reference`.
    pub fn relative_utilities(&self, points: &Points, reference: &Points) -> Moments {
        match &self.form {
            Form::Names(names) => names.relative_utilities(points, reference),
            Form::Joint(prior) => moments(prior.relative(&self.outcome.posterior, points, reference)),
            Form::Chains(prior, messages) => moments(prior.relative(messages, points, reference)),
        }
    }

    /// Means and variances of `f(left) - f(right)` for pairs of positions in `points`.
    pub fn differences(&self, points: &Points, pairs: &[(usize, usize)]) -> Moments {
        let between = |&(a, b): &(usize, usize)| Edge::between(a, b);
        match &self.form {
            Form::Names(names) => names.differences(points, pairs),
            Form::Joint(prior) => {
                let edges: Vec<Edge> = pairs.iter().map(between).collect();
                moments(prior.moments(&self.outcome.posterior, points, &edges))
            }
            Form::Chains(prior, messages) => {
                let edges: Vec<Edge> = pairs.iter().map(between).collect();
                moments(prior.moments(messages, points, &edges))
            }
        }
    }

    /// As [`Posterior::probabilities`](super::Posterior::probabilities).
    pub fn probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        self.of(AnswerIndex::CHOICE, points, pairs)
    }

    /// As [`Posterior::shown_probabilities`](super::Posterior::shown_probabilities).
    pub fn shown_probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        self.of(self.likelihoods.shown()[0], points, pairs)
    }

    fn of(&self, answer: AnswerIndex, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        let z = self.differences(points, pairs);
        let likelihood = self.likelihoods.of(answer);
        z.mean.iter().zip(&z.variance).map(|(&m, &v)| likelihood.probability(m, v)).collect()
    }

    /// As [`Posterior::outcomes`](super::Posterior::outcomes).
    pub fn outcomes(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<Vec<(Preference, f64)>> {
        let z = self.differences(points, pairs);
        let one = |(&m, &v)| self.likelihoods.outcome_probabilities(m, v);
        z.mean.iter().zip(&z.variance).map(one).collect()
    }

    /// As [`Posterior::ratings`](super::Posterior::ratings).
    pub fn ratings(&self, points: &Points) -> Vec<Vec<f64>> {
        let f = self.utilities(points);
        f.mean.iter().zip(&f.variance).map(|(&m, &v)| self.likelihoods.levels(m, v)).collect()
    }
}

fn moments((mean, variance): (Vec<f64>, Vec<f64>)) -> Moments {
    Moments { mean, variance }
}

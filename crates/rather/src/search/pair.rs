//! Closed-form acquisition functions as functions of settings.

use super::Domain;
use super::maximise::Objective;
use crate::acquisition::{Acquisition, AnswerModel, Contrast, Score};
use crate::points::Points;
use crate::posterior::{ContrastGradient, Contrasts, Moments, Posterior};
use rather_numerics::linalg::axpy;

/// The value of challenging one fixed setting.
pub struct Challenge<'a> {
    acquisition: Acquisition,
    posterior: &'a Posterior,
    answers: AnswerModel,
    contrasts: Contrasts<'a>,
}

impl<'a> Challenge<'a> {
    /// Challengers of `opponent`, one item, by an acquisition function with a closed form.
    pub fn new(acquisition: Acquisition, posterior: &'a Posterior, opponent: &Points) -> Self {
        Self::with(acquisition, posterior, posterior.answer_model(), opponent)
    }

    fn with(
        acquisition: Acquisition,
        posterior: &'a Posterior,
        answers: AnswerModel,
        opponent: &Points,
    ) -> Self {
        Self { acquisition, posterior, answers, contrasts: posterior.contrasts(opponent) }
    }

    /// The values of challenging with each of `points`.
    pub fn values(&self, points: &Points) -> Vec<f64> {
        let Moments { mean, mut variance } = self.contrasts.moments(points);
        if self.acquisition.is_absolute() {
            variance = self.posterior.utilities(points).variance;
        }
        mean.iter().zip(&variance).map(|(&m, &v)| self.score(m, v).value).collect()
    }

    fn score(&self, mean: f64, variance: f64) -> Score {
        let contrast = Contrast { mean, variance, base: self.contrasts.base() };
        let nothing = Score { value: f64::NAN, ..Score::default() };
        self.acquisition.score(&contrast, &self.answers).unwrap_or(nothing)
    }

    /// The value and its gradient in the challenger's features:
    /// $\partial a/\partial m \nabla m+\partial a/\partial v \nabla v$.
    pub fn value_and_gradient(&self, x: &Points) -> (Score, Vec<f64>, ContrastGradient) {
        let g = self.contrasts.gradient(x);
        let (variance, d_variance) = if self.acquisition.is_absolute() {
            (g.own_variance, &g.d_own_variance)
        } else {
            (g.variance, &g.d_variance)
        };
        let score = self.score(g.mean, variance);
        let mut gradient = vec![0.0; x.dims()];
        axpy(score.d_mean, &g.d_mean, &mut gradient);
        axpy(score.d_variance, d_variance, &mut gradient);
        (score, gradient, g)
    }
}

impl Objective for Challenge<'_> {
    fn values(&self, settings: &[Vec<f64>]) -> Vec<f64> {
        Challenge::values(self, &points(settings))
    }

    fn gradient(&self, setting: &[f64]) -> Option<(f64, Vec<f64>)> {
        let (score, gradient, _) = self.value_and_gradient(&point(setting));
        Some((score.value, gradient))
    }
}

/// The value of a duel of two settings, both free: a setting of the domain taken twice ([`twice`]).
pub struct FreePair<'a> {
    acquisition: Acquisition,
    posterior: &'a Posterior,
    answers: AnswerModel,
}

impl<'a> FreePair<'a> {
    /// Duels by an acquisition function with a closed form.
    pub fn new(acquisition: Acquisition, posterior: &'a Posterior) -> Self {
        Self { acquisition, posterior, answers: posterior.answer_model() }
    }
}

/// The domain of pairs of settings, one after the other.
pub fn twice(domain: &Domain) -> Domain {
    Domain { dimensions: domain.dimensions.repeat(2) }
}

impl Objective for FreePair<'_> {
    fn values(&self, settings: &[Vec<f64>]) -> Vec<f64> {
        let halves: Vec<Vec<f64>> =
            settings.iter().flat_map(|pair| pair.chunks(pair.len() / 2).map(<[f64]>::to_vec)).collect();
        let points = points(&halves);
        let pairs: Vec<(usize, usize)> = (0..settings.len()).map(|k| (2 * k, 2 * k + 1)).collect();
        let z = self.posterior.differences(&points, &pairs);
        let own = self.posterior.utilities(&points);
        let value = |k: usize| {
            let variance = if self.acquisition.is_absolute() { own.variance[2 * k] } else { z.variance[k] };
            let contrast = Contrast { mean: z.mean[k], variance, base: own.mean[2 * k + 1] };
            self.acquisition.score(&contrast, &self.answers).map_or(f64::NAN, |s| s.value)
        };
        (0..settings.len()).map(value).collect()
    }

    /// The opponent's half comes from the same difference seen from the other side: its mean changes sign, its variance does
    /// not, and the base is the opponent's own mean.
    fn gradient(&self, setting: &[f64]) -> Option<(f64, Vec<f64>)> {
        let (x, other) = setting.split_at(setting.len() / 2);
        let (x, other) = (point(x), point(other));
        let challenge = Challenge::with(self.acquisition, self.posterior, self.answers.clone(), &other);
        let (score, mut gradient, _) = challenge.value_and_gradient(&x);
        let g = self.posterior.contrasts(&x).gradient(&other);
        let mut of_other = vec![0.0; other.dims()];
        axpy(score.d_base - score.d_mean, &g.d_mean, &mut of_other);
        if !self.acquisition.is_absolute() {
            axpy(score.d_variance, &g.d_variance, &mut of_other);
        }
        gradient.extend(of_other);
        Some((score.value, gradient))
    }
}

/// The mean utility of a setting.
pub struct Mean<'a> {
    posterior: &'a Posterior,
    contrasts: Contrasts<'a>,
}

impl<'a> Mean<'a> {
    /// Mean utilities relative to that of `reference`, which moves no top.
    pub fn new(posterior: &'a Posterior, reference: &Points) -> Self {
        Self { posterior, contrasts: posterior.contrasts(reference) }
    }
}

impl Objective for Mean<'_> {
    fn values(&self, settings: &[Vec<f64>]) -> Vec<f64> {
        self.posterior.utilities(&points(settings)).mean
    }

    fn gradient(&self, setting: &[f64]) -> Option<(f64, Vec<f64>)> {
        let g = self.contrasts.gradient(&point(setting));
        Some((g.mean + self.contrasts.base(), g.d_mean))
    }
}

fn points(settings: &[Vec<f64>]) -> Points {
    let dims = settings.first().map_or(0, Vec::len);
    Points::new((0..settings.len() as u64).collect(), dims, settings.concat())
}

fn point(setting: &[f64]) -> Points {
    Points::new(vec![0], setting.len(), setting.to_vec())
}

//! Closed-form acquisition functions as functions of settings.

use super::Domain;
use super::maximise::Objective;
use crate::acquisition::{Acquisition, AnswerModel, Contrast, PairBelief, Score};
use crate::points::Points;
use crate::posterior::{ContrastGradient, Contrasts, Moments, Posterior};
use rather_numerics::linalg::axpy;

/// The value of challenging one fixed setting, under a posterior or an average of several.
pub struct Challenge<'a> {
    acquisition: Acquisition,
    parts: Vec<Part<'a>>,
    /// Draws from each part of by how much the best of all is better than the opponent, for a function that needs them.
    gains: Vec<Vec<f64>>,
}

/// One of the posteriors that are averaged over.
struct Part<'a> {
    weight: f64,
    posterior: &'a Posterior,
    answers: AnswerModel,
    contrasts: Contrasts<'a>,
}

impl<'a> Part<'a> {
    fn new((weight, posterior): (f64, &'a Posterior), opponent: &Points) -> Self {
        Self {
            weight,
            posterior,
            answers: posterior.answer_model(),
            contrasts: posterior.contrasts(opponent),
        }
    }

    fn belief(&self, mean: f64, variance: f64) -> PairBelief<'_> {
        let contrast = Contrast { mean, variance, base: self.contrasts.base() };
        PairBelief { weight: self.weight, contrast, answers: &self.answers }
    }
}

impl<'a> Challenge<'a> {
    /// Challengers of `opponent`, one item, by an acquisition function with a closed form; `components` are posteriors with weights that add up
    /// to 1.
    pub fn new(
        acquisition: Acquisition,
        components: impl IntoIterator<Item = (f64, &'a Posterior)>,
        opponent: &Points,
    ) -> Self {
        let parts = components.into_iter().map(|c| Part::new(c, opponent)).collect();
        Self { acquisition, parts, gains: Vec::new() }
    }

    /// The same with draws of by how much the best of all is better than the opponent, those from each component.
    pub fn with_gains(self, gains: Vec<Vec<f64>>) -> Self {
        Self { gains, ..self }
    }

    fn scores(&self, parts: &[PairBelief<'_>]) -> Vec<Score> {
        self.acquisition.scores(parts, &self.gains)
    }

    /// The values of challenging with each of `points`.
    pub fn values(&self, points: &Points) -> Vec<f64> {
        let moments = |part: &Part<'_>| {
            let Moments { mean, mut variance } = part.contrasts.moments(points);
            if self.acquisition.is_absolute() {
                variance = part.posterior.utilities(points).variance;
            }
            Moments { mean, variance }
        };
        let all: Vec<Moments> = self.parts.iter().map(moments).collect();
        let value = |i: usize| {
            let parts = self.parts.iter().zip(&all).map(|(part, m)| part.belief(m.mean[i], m.variance[i]));
            self.scores(&parts.collect::<Vec<_>>()).iter().map(|score| score.value).sum()
        };
        (0..points.len()).map(value).collect()
    }

    /// The value and its gradient in the challenger's features, $\sum_k\partial a/\partial m_k \nabla m_k+\partial a/\partial v_k \nabla v_k$, and
    /// what they are made of.
    fn value_and_gradient(&self, x: &Points) -> (f64, Vec<f64>, Vec<(Score, ContrastGradient)>) {
        let is_absolute = self.acquisition.is_absolute();
        let gradients: Vec<ContrastGradient> =
            self.parts.iter().map(|part| part.contrasts.gradient(x)).collect();
        let beliefs = self
            .parts
            .iter()
            .zip(&gradients)
            .map(|(part, g)| part.belief(g.mean, if is_absolute { g.own_variance } else { g.variance }));
        let scores = self.scores(&beliefs.collect::<Vec<_>>());
        let (mut value, mut gradient) = (0.0, vec![0.0; x.dims()]);
        for (score, g) in scores.iter().zip(&gradients) {
            value += score.value;
            axpy(score.d_mean, &g.d_mean, &mut gradient);
            axpy(
                score.d_variance,
                if is_absolute { &g.d_own_variance } else { &g.d_variance },
                &mut gradient,
            );
        }
        (value, gradient, scores.into_iter().zip(gradients).collect())
    }
}

impl Objective for Challenge<'_> {
    fn values(&self, settings: &[Vec<f64>]) -> Vec<f64> {
        Challenge::values(self, &points(settings))
    }

    fn gradient(&self, setting: &[f64]) -> Option<(f64, Vec<f64>)> {
        let (value, gradient, _) = self.value_and_gradient(&point(setting));
        Some((value, gradient))
    }
}

/// The value of a comparison of two settings, both free: a setting of the domain taken twice ([`twice`]).
pub struct FreePair<'a> {
    acquisition: Acquisition,
    parts: Vec<(f64, &'a Posterior, AnswerModel)>,
}

impl<'a> FreePair<'a> {
    /// Comparisons by an acquisition function with a closed form; `components` as of [`Challenge::new`].
    pub fn new(acquisition: Acquisition, components: impl IntoIterator<Item = (f64, &'a Posterior)>) -> Self {
        let part = |(weight, posterior): (f64, &'a Posterior)| (weight, posterior, posterior.answer_model());
        Self { acquisition, parts: components.into_iter().map(part).collect() }
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
        let is_absolute = self.acquisition.is_absolute();
        let contrasts = |posterior: &Posterior| -> Vec<Contrast> {
            let z = posterior.differences(&points, &pairs);
            let own = posterior.utilities(&points);
            let contrast = |k: usize| {
                let variance = if is_absolute { own.variance[2 * k] } else { z.variance[k] };
                Contrast { mean: z.mean[k], variance, base: own.mean[2 * k + 1] }
            };
            (0..settings.len()).map(contrast).collect()
        };
        let all: Vec<Vec<Contrast>> =
            self.parts.iter().map(|(_, posterior, _)| contrasts(posterior)).collect();
        let value = |k: usize| {
            let parts = self.parts.iter().zip(&all).map(|((weight, _, answers), contrasts)| PairBelief {
                weight: *weight,
                contrast: contrasts[k],
                answers,
            });
            self.acquisition.scores(&parts.collect::<Vec<_>>(), &[]).iter().map(|score| score.value).sum()
        };
        (0..settings.len()).map(value).collect()
    }

    /// The opponent's half comes from the same difference seen from the other side: its mean changes sign, its variance does
    /// not, and the base is the opponent's own mean.
    fn gradient(&self, setting: &[f64]) -> Option<(f64, Vec<f64>)> {
        let (x, other) = setting.split_at(setting.len() / 2);
        let (x, other) = (point(x), point(other));
        let components = || self.parts.iter().map(|(weight, posterior, _)| (*weight, *posterior));
        let challenge = Challenge::new(self.acquisition, components(), &other);
        let (value, mut gradient, parts) = challenge.value_and_gradient(&x);
        let mut of_other = vec![0.0; other.dims()];
        for ((_, posterior), (score, _)) in components().zip(parts) {
            let g = posterior.contrasts(&x).gradient(&other);
            axpy(score.d_base - score.d_mean, &g.d_mean, &mut of_other);
            if !self.acquisition.is_absolute() {
                axpy(score.d_variance, &g.d_variance, &mut of_other);
            }
        }
        gradient.extend(of_other);
        Some((value, gradient))
    }
}

/// The mean utility of a setting.
pub struct Mean<'a> {
    parts: Vec<(f64, &'a Posterior, Contrasts<'a>)>,
}

impl<'a> Mean<'a> {
    /// Mean utilities under an average of posteriors, `components` as of [`Challenge::new`]. Their slopes are found relative to `reference`, one
    /// item, which moves no top.
    pub fn new(components: impl IntoIterator<Item = (f64, &'a Posterior)>, reference: &Points) -> Self {
        let part =
            |(weight, posterior): (f64, &'a Posterior)| (weight, posterior, posterior.contrasts(reference));
        Self { parts: components.into_iter().map(part).collect() }
    }
}

impl Objective for Mean<'_> {
    fn values(&self, settings: &[Vec<f64>]) -> Vec<f64> {
        let points = points(settings);
        let mut out = vec![0.0; settings.len()];
        for (weight, posterior, _) in &self.parts {
            axpy(*weight, &posterior.utilities(&points).mean, &mut out);
        }
        out
    }

    fn gradient(&self, setting: &[f64]) -> Option<(f64, Vec<f64>)> {
        let x = point(setting);
        let (mut value, mut gradient) = (0.0, vec![0.0; setting.len()]);
        for (weight, _, contrasts) in &self.parts {
            let g = contrasts.gradient(&x);
            value += weight * (g.mean + contrasts.base());
            axpy(*weight, &g.d_mean, &mut gradient);
        }
        Some((value, gradient))
    }
}

fn points(settings: &[Vec<f64>]) -> Points {
    let dims = settings.first().map_or(0, Vec::len);
    Points::new((0..settings.len() as u64).collect(), dims, settings.concat())
}

fn point(setting: &[f64]) -> Points {
    Points::new(vec![0], setting.len(), setting.to_vec())
}

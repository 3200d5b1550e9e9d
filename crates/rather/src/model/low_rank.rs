//! What features of low rank leave out.

use serde::{Deserialize, Serialize};

use super::Notice;
use crate::Error;
use crate::evidence::Problem;
use crate::inference::Settings;
use crate::inference::sample;
use crate::learn::Hyperparameters;
use crate::points::Points;
use crate::posterior::Posterior;

/// What features of low rank leave out, and what that does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LowRankFit {
    /// The share of a compared item's prior variance that the features leave unexplained, $1-\phi'\phi/k(x,x)$, on average. It counts
    /// as noise of comparisons, though an item keeps its own.
    pub unexplained: f64,
    /// The largest of these shares.
    pub most_unexplained: f64,
    /// What that does to probabilities; `None` if inference broke down on the items looked at.
    pub effect: Option<Effect>,
}

/// How probabilities by features of low rank differ from those of the full covariance, on some of the compared items and the answers
/// among them, at the same hyperparameters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// Number of items.
    pub items: usize,
    /// Number of their pairs that were looked at.
    pub pairs: usize,
    /// The mean absolute difference.
    pub mean: f64,
    /// The largest.
    pub largest: f64,
}

/// A share unexplained, above which a fit has a notice.
const ROUGH: f64 = 0.05;
/// A difference of a probability, above which it has one, too.
const FAR: f64 = 0.02;
/// A share above which the whole covariance is worth its time.
const WORTH_THE_WHOLE: f64 = 0.01;
/// Items, at most, and pairs of them that the effect is found on.
const ITEMS: usize = 400;
const PAIRS: usize = 1_000;
/// What draws them.
const SEED: u64 = 0;

impl LowRankFit {
    /// Of a posterior by features of `inducing` items, at the hyperparameters `h`.
    pub(super) fn new(
        problem: &Problem<'_>,
        h: &Hyperparameters,
        inducing: &[usize],
        posterior: &Posterior,
        settings: &Settings,
    ) -> Self {
        let shares = unexplained(problem.points, h, posterior);
        Self {
            unexplained: shares.iter().sum::<f64>() / shares.len().max(1) as f64,
            most_unexplained: shares.iter().copied().fold(0.0, f64::max),
            effect: effect(problem, h, inducing, settings).ok().flatten(),
        }
    }

    /// Whether the whole covariance would be worth its time.
    pub(super) fn is_rough(&self) -> bool {
        self.unexplained > WORTH_THE_WHOLE || self.effect.is_some_and(|effect| effect.largest > FAR)
    }

    /// Something to know, if much is left out.
    pub(super) fn notice(&self) -> Option<Notice> {
        let far = self.effect.is_some_and(|effect| effect.largest > FAR);
        (self.unexplained > ROUGH || far).then_some(Notice::Rough { fit: *self })
    }
}

impl std::fmt::Display for LowRankFit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = |share: f64| match 100.0 * share {
            small if small < 0.1 => "less than 0.1 %".to_owned(),
            percent => format!("{percent:.1} %"),
        };
        write!(
            f,
            "the inducing points leave {} of an item's variance unexplained on average, and {} at most",
            percent(self.unexplained),
            percent(self.most_unexplained)
        )?;
        match self.effect {
            Some(Effect { items, mean, largest, .. }) => write!(
                f,
                "; on {items} of the items and the answers among them, probabilities differ from those of the full covariance by \
                 {mean:.4} on average and {largest:.3} at most"
            ),
            None => Ok(()),
        }
    }
}

/// The share of each item's prior variance that the features leave.
fn unexplained(points: &Points, h: &Hyperparameters, posterior: &Posterior) -> Vec<f64> {
    let prior = posterior.prior();
    let own = h.kernel.diagonal(points);
    let share = |(node, &item): (usize, &usize)| {
        let explained: f64 = prior.features.col(node).iter().map(|x| x * x).sum();
        if own[item] > 0.0 { (1.0 - explained / own[item]).clamp(0.0, 1.0) } else { 0.0 }
    };
    prior.order.iter().enumerate().map(share).collect()
}

fn effect(
    problem: &Problem<'_>,
    h: &Hyperparameters,
    inducing: &[usize],
    settings: &Settings,
) -> Result<Option<Effect>, Error> {
    let posterior = |observations, inducing: Option<&[usize]>, points: &Points| {
        let part = Problem { points, observations, inducing, space: None, ..problem.clone() };
        let evidence = part.evaluate(&h.kernel, h.values(), None, settings)?;
        Ok::<_, Error>(Posterior::new(&part, h.kernel.clone(), h.values(), evidence))
    };
    // Their whole covariance takes no more memory than what the fit has given back.
    let room = (0.25 * (problem.points.len() * inducing.len()) as f64).sqrt() as usize;
    let Some(chosen) = sample::some_items(problem.observations, f64::INFINITY, ITEMS.min(room), SEED) else {
        return Ok(None);
    };
    let (whole, _) = sample::positions(problem.observations, &chosen, &[]);
    let (with_inducing, standing) = sample::positions(problem.observations, &chosen, inducing);
    let at = |positions: &[usize]| problem.points.select(positions);
    let (points, all) = (at(&whole.items), at(&with_inducing.items));
    let exact = posterior(&whole, None, &points)?;
    let approximate = posterior(&with_inducing, Some(&standing), &all)?;
    let pairs = sample::pairs(points.len(), PAIRS, SEED);
    let [p, q] = [exact, approximate].map(|posterior| posterior.probabilities(&points, &pairs));
    let differences: Vec<f64> = p.iter().zip(&q).map(|(p, q)| (p - q).abs()).collect();
    Ok(Some(Effect {
        items: points.len(),
        pairs: pairs.len(),
        mean: differences.iter().sum::<f64>() / differences.len().max(1) as f64,
        largest: differences.iter().copied().fold(0.0, f64::max),
    }))
}

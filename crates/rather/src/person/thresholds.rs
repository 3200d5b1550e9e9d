//! Where a psychometric curve has a probability.

use super::{Person, embedded};
use crate::Error;
use crate::comparisons::Edge;
use crate::likelihood::{AnswerIndex, Likelihoods, Reply};
use crate::points::Points;
use crate::posterior::{Joint, Sampler};
use rather_numerics::random::stream;

/// Where along a feature "yes" has a probability: the median of its posterior, and its central 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// The probability of "yes".
    pub probability: f64,
    /// The median; `None` if that is beyond the range.
    pub at: Option<f64>,
    /// The lower end; `None` below the range.
    pub lower: Option<f64>,
    /// The upper end; `None` beyond the range.
    pub upper: Option<f64>,
}

/// Draws of the curve.
const DRAWS: usize = 4_000;

impl Person<'_> {
    /// Where "yes" has each of the probabilities along `x`, in increasing order, at which `points` are the items: of draws of the joint posterior of
    /// their utilities, under every kernel and setting of hyperparameters that predictions average over.
    ///
    /// # Formula
    /// With the psychometric function $P(x)$ of a draw, the threshold is where $P$ crosses $p$, and if that is in several places the end of what
    /// they add up to: $x_1+|\{x:P(x)<p\}|$ for a curve that rises, $x_1+|\{x:P(x)>p\}|$ for one that falls.
    ///
    /// # References
    /// Wichmann and Hill, *The psychometric function* (2001), Perception and Psychophysics 63; Owen, Browder, Letham, Stocek, Tymms and Shvartsman,
    /// *Adaptive nonparametric psychophysics* (2021), for Gaussian processes.
    ///
    /// # Errors
    /// As [`Belief::gaussian`](crate::model::Belief::gaussian); [`Error::Covariance`].
    pub fn thresholds(
        &self,
        points: &Points,
        x: &[f64],
        probabilities: &[f64],
        seed: u64,
    ) -> Result<Vec<Threshold>, Error> {
        let (label, likelihoods) = self.of_labels(points);
        let joints = self.joints(points)?;
        let sampler = Sampler::of(joints.iter().map(|(weight, joint)| (*weight, joint)))?;
        let mean = |k: usize| joints.iter().map(|(weight, joint)| weight * joint.mean[k]).sum::<f64>();
        let rises = mean(x.len() - 1) >= mean(0);
        let mut found: Vec<Vec<f64>> = vec![Vec::with_capacity(DRAWS); probabilities.len()];
        let mut rng = stream(seed, 0);
        for _ in 0..DRAWS {
            let (at, f) = sampler.draw_of(&mut rng);
            let yes = likelihoods[at].of(label);
            let curve: Vec<f64> = f.iter().map(|&f| yes.log_density(f).value.exp()).collect();
            for (found, &p) in found.iter_mut().zip(probabilities) {
                found.push(crossing(x, &curve, p, rises));
            }
        }
        let summary = |(mut all, &probability): (Vec<f64>, &f64)| {
            all.sort_by(f64::total_cmp);
            let quantile =
                |q: f64| Some(all[(q * (DRAWS - 1) as f64).round() as usize]).filter(|x| x.is_finite());
            Threshold { probability, at: quantile(0.5), lower: quantile(0.025), upper: quantile(0.975) }
        };
        Ok(found.into_iter().zip(probabilities).map(summary).collect())
    }

    /// The joint posteriors of the utilities of `points` that predictions average over, with their weights.
    fn joints(&self, points: &Points) -> Result<Vec<(f64, Joint)>, Error> {
        match self {
            Self::Single(model) => {
                let components = model.belief().components()?;
                Ok(components.iter().map(|(weight, posterior)| (*weight, posterior.joint(points))).collect())
            }
            Self::User(population, user) => {
                let (mean, covariance) = user.utilities(&embedded(population, points));
                Ok(vec![(1.0, Joint { mean, covariance })])
            }
        }
    }

    /// The place of "yes" among the likelihoods, and the likelihoods of each of the [joint posteriors](Self::joints).
    fn of_labels(&self, points: &Points) -> (AnswerIndex, Vec<Likelihoods>) {
        let responses = self.responses().with([Reply::LABEL]);
        let at = responses.replies.iter().position(|known| known.key() == Reply::LABEL.key());
        let first = [Edge::alone(0)];
        let parts = self.components(points, &first, &responses).into_iter().map(|(_, _, of)| of);
        (AnswerIndex(at.unwrap_or_default() as u32), parts.collect())
    }
}

/// Where the curve, a line from each `x` to the next, has what is before `p` behind it: infinite if everything or nothing is.
fn crossing(x: &[f64], curve: &[f64], p: f64, rises: bool) -> f64 {
    let before = |y: f64| if rises { p - y } else { y - p };
    let (mut passed, mut whole) = (0.0, true);
    for k in 1..x.len() {
        let (a, b) = (before(curve[k - 1]), before(curve[k]));
        let width = x[k] - x[k - 1];
        whole &= a > 0.0 && b > 0.0;
        passed += width
            * match (a > 0.0, b > 0.0) {
                (true, true) => 1.0,
                (false, false) => 0.0,
                (true, false) => a / (a - b),
                (false, true) => b / (b - a),
            };
    }
    match (whole, passed > 0.0) {
        (true, _) => f64::INFINITY,
        (false, false) => f64::NEG_INFINITY,
        _ => x[0] + passed,
    }
}

#[cfg(test)]
mod tests {
    use super::crossing;

    #[test]
    fn crossings_are_between_places() {
        let x = [0.0, 1.0, 3.0];
        assert_eq!(crossing(&x, &[0.0, 0.5, 1.0], 0.75, true), 2.0);
        assert_eq!(crossing(&x, &[1.0, 0.5, 0.0], 0.75, false), 0.5);
        assert_eq!(crossing(&x, &[0.1, 0.2, 0.3], 0.5, true), f64::INFINITY);
        assert_eq!(crossing(&x, &[0.6, 0.7, 0.8], 0.5, true), f64::NEG_INFINITY);
        // Below one half in all but a stretch of one half.
        assert_eq!(crossing(&x, &[0.0, 1.0, 0.0], 0.5, true), 1.5);
    }
}

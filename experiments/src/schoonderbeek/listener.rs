//! Simulated listeners: a taste on a grid of settings, and noisy answers by it.

use rand_chacha::ChaCha8Rng;
use rather::points::Points;
use rather_numerics::random::uniform;
use rather_numerics::special::normal::cdf;

use super::world::grid;

/// Points a side of the candidates.
pub(super) fn side(dims: usize) -> usize {
    if dims == 1 { 41 } else { 15 }
}

/// A person with a taste.
#[derive(Clone)]
pub(super) struct Listener {
    pub(super) candidates: Points,
    /// Of every candidate; the best less the worst is the range.
    pub(super) utility: Vec<f64>,
    /// Share of answers given at random.
    lapse: f64,
}

impl Listener {
    /// One bump of width 0.22 at random in one dimension; in two, a turned bump of 0.2 by 0.35 and a second of about 0.45 of
    /// its height. `range` is in units of the noise of a difference.
    pub(super) fn draw(dims: usize, range: f64, lapse: f64, rng: &mut ChaCha8Rng) -> Self {
        let candidates = grid(dims, side(dims));
        let mut bump = |height: f64, widths: [f64; 2]| {
            let center: Vec<f64> = (0..dims).map(|_| uniform(rng)).collect();
            let turn = std::f64::consts::PI * uniform(rng);
            move |x: &[f64]| {
                let d: Vec<f64> = x.iter().zip(&center).map(|(x, c)| x - c).collect();
                let along = match d[..] {
                    [only] => [only, 0.0],
                    _ => [turn.cos() * d[0] + turn.sin() * d[1], turn.cos() * d[1] - turn.sin() * d[0]],
                };
                let squares = along.iter().zip(widths).map(|(d, w)| d * d / (2.0 * w * w)).sum::<f64>();
                height * (-squares).exp()
            }
        };
        let first = bump(1.0, if dims == 1 { [0.22; 2] } else { [0.2, 0.35] });
        let second = bump(if dims == 1 { 0.0 } else { 0.45 }, [0.2, 0.35]);
        let raw: Vec<f64> =
            (0..candidates.len()).map(|i| first(candidates.row(i)) + second(candidates.row(i))).collect();
        let (low, high) = raw.iter().fold((f64::MAX, f64::MIN), |(l, h), &u| (l.min(u), h.max(u)));
        let utility = raw.iter().map(|u| range * (u - low) / (high - low)).collect();
        Self { candidates, utility, lapse }
    }

    /// A listener of known utility, who always means what is said.
    pub(super) fn of(candidates: Points, utility: Vec<f64>) -> Self {
        Self { candidates, utility, lapse: 0.0 }
    }

    /// Whether `a` is preferred to `b` this time.
    pub(super) fn prefers(&self, a: usize, b: usize, rng: &mut ChaCha8Rng) -> bool {
        let (lapses, chance) = (uniform(rng) < self.lapse, uniform(rng));
        chance < if lapses { 0.5 } else { cdf(self.utility[a] - self.utility[b]) }
    }

    /// How much worse than the best a candidate is, as a share of the range.
    pub(super) fn regret(&self, candidate: usize) -> f64 {
        let (low, high) = self.utility.iter().fold((f64::MAX, f64::MIN), |(l, h), &u| (l.min(u), h.max(u)));
        (high - self.utility[candidate]) / (high - low)
    }
}

//! Simulated listeners: a known utility and noisy answers.

use rand_chacha::ChaCha8Rng;
use rather::design::Outcome;
use rather::search::Domain;
use rather_numerics::random::{normal, stream, uniform};
use rather_numerics::special::normal::cdf;

/// Settings over which the range of a utility is found in more than one dimension.
const FINE: usize = 16_384;

/// A bump `height exp(-|A (x - center)|^2 / 2)`.
struct Bump {
    center: Vec<f64>,
    height: f64,
    /// The rows of `A`: orthogonal directions over widths.
    axes: Vec<Vec<f64>>,
}

impl Bump {
    fn draw(center: Vec<f64>, height: f64, widths: &[f64], rng: &mut ChaCha8Rng) -> Self {
        let directions = orthogonal(widths.len(), rng);
        let axes =
            directions.into_iter().zip(widths).map(|(d, w)| d.iter().map(|x| x / w).collect()).collect();
        Self { center, height, axes }
    }

    fn at(&self, x: &[f64]) -> f64 {
        let along = |axis: &Vec<f64>| -> f64 {
            axis.iter().zip(x).zip(&self.center).map(|((a, x), c)| a * (x - c)).sum()
        };
        let squared: f64 = self.axes.iter().map(|a| along(a).powi(2)).sum();
        self.height * (-0.5 * squared).exp()
    }
}

/// Orthogonal unit vectors in random directions (Gram and Schmidt).
fn orthogonal(n: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let mut out: Vec<Vec<f64>> = Vec::new();
    while out.len() < n {
        let mut v: Vec<f64> = (0..n).map(|_| normal(rng)).collect();
        for known in &out {
            let along: f64 = v.iter().zip(known).map(|(a, b)| a * b).sum();
            v.iter_mut().zip(known).for_each(|(a, b)| *a -= along * b);
        }
        let length = v.iter().map(|a| a * a).sum::<f64>().sqrt();
        if length > 1e-6 {
            out.push(v.into_iter().map(|a| a / length).collect());
        }
    }
    out
}

/// A person with a known utility over the unit cube.
pub(super) struct Listener {
    bumps: Vec<Bump>,
    lowest: f64,
    highest: f64,
    range: f64,
    lapse: f64,
    rng: ChaCha8Rng,
}

impl Listener {
    /// One dimension: a bump of width 0.22. More: a rotated bump of widths from 0.2 to 0.35 and another of height 0.45. Utilities
    /// span `range` units of the noise of a duel; a share `lapse` of the answers is random.
    pub(super) fn draw(dims: usize, range: f64, lapse: f64, seed: u64) -> Self {
        let mut rng = stream(seed, 0);
        let anywhere = |rng: &mut ChaCha8Rng| -> Vec<f64> { (0..dims).map(|_| uniform(rng)).collect() };
        let mut bumps = Vec::new();
        if dims == 1 {
            let center = anywhere(&mut rng);
            bumps.push(Bump::draw(center, 1.0, &[0.22], &mut rng));
        } else {
            // In many dimensions a bump of these widths would be a needle: wider by the root of half the number.
            let wider = (dims as f64 / 2.0).sqrt();
            let width = |d: usize| wider * (0.2 + 0.15 * d as f64 / (dims - 1) as f64);
            let widths: Vec<f64> = (0..dims).map(width).collect();
            let center = anywhere(&mut rng);
            bumps.push(Bump::draw(center, 1.0, &widths, &mut rng));
            let center = anywhere(&mut rng);
            bumps.push(Bump::draw(center, 0.45, &widths, &mut rng));
        }
        let mut out = Self { bumps, lowest: 0.0, highest: 1.0, range, lapse, rng: stream(seed, 1) };
        let fine = if dims == 1 {
            (0..=1_000).map(|i| vec![f64::from(i) / 1_000.0]).collect()
        } else {
            let centers = out.bumps.iter().map(|b| b.center.clone());
            Domain::unit_box(dims).fill(FINE, 0).into_iter().chain(centers).collect::<Vec<_>>()
        };
        let raw = fine.iter().map(|x| out.raw(x));
        let (lowest, highest) = raw.fold((f64::MAX, f64::MIN), |(l, h), u| (l.min(u), h.max(u)));
        (out.lowest, out.highest) = (lowest, highest);
        out
    }

    fn raw(&self, x: &[f64]) -> f64 {
        self.bumps.iter().map(|b| b.at(x)).sum()
    }

    /// What is lost by the setting `x`, as a share of the utility's range.
    pub(super) fn regret(&self, x: &[f64]) -> f64 {
        (self.highest - self.raw(x)) / (self.highest - self.lowest)
    }

    /// The answer to a duel.
    pub(super) fn answer(&mut self, left: &[f64], right: &[f64]) -> Outcome {
        let difference = self.range * (self.regret(right) - self.regret(left));
        let (lapse, noise) = (uniform(&mut self.rng), uniform(&mut self.rng));
        let chance = if lapse < self.lapse { 0.5 } else { cdf(difference) };
        if noise < chance { Outcome::Left } else { Outcome::Right }
    }
}

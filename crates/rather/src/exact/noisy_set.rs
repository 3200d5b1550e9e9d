//! The noisy differences behind one answer about a set of items.

use rand_chacha::ChaCha8Rng;

use super::truncated::UpperTail;
use crate::inference::observations::Observation;
use crate::likelihood::choice_set::PartialOrder;
use rather_numerics::random::normal;

/// The noisy differences $y=Au$ of one answer about $n$ options with noisy utilities $u_i=f_i+\sigma e_i$: one a comparison that the order of the options
/// follows from, of which the answer says that all are positive. Comparisons share the noise of their options.
///
/// # Formula
/// The $u_i$ follow from $y$ but for their level, so that given $y$ the utilities are known as if each pair of the options had been seen with
/// precision $1/(n\sigma^2)$: $(I-\mathbf 1\mathbf 1^\top/n)/\sigma^2=\sum_{i<j}(e_i-e_j)(e_i-e_j)^\top/(n\sigma^2)$.
#[derive(Debug, Clone)]
pub(super) struct NoisySet {
    options: usize,
    /// The comparisons, as places of their options.
    edges: Vec<(usize, usize)>,
    /// The projection and the sign of each pair of options ([`PartialOrder::each_pair`]).
    pairs: Vec<(usize, f64)>,
    /// The place of its first difference among all.
    first: usize,
}

impl NoisySet {
    /// Of an answer whose pairs are `of_answer`, with the differences from place `first` on.
    pub(super) fn new(order: PartialOrder, of_answer: &[Observation], first: usize) -> Self {
        let pairs = of_answer.iter().map(|o| (o.edge(), o.sign())).collect();
        Self { options: order.options(), edges: order.edges(), pairs, first }
    }

    /// Number of its differences.
    pub(super) fn len(&self) -> usize {
        self.edges.len()
    }

    /// The same with differences at another place.
    pub(super) fn at(&self, first: usize) -> Self {
        Self { first, ..self.clone() }
    }

    /// Whether there are more comparisons than differences that are independent: of best and worst options with several between.
    pub(super) fn is_singular(&self) -> bool {
        self.edges.len() >= self.options
    }

    /// The projection and the sign of each of its differences.
    pub(super) fn comparisons(&self) -> impl Iterator<Item = (usize, f64)> {
        self.edges.iter().map(|&(a, b)| self.pair(a, b))
    }

    fn pair(&self, a: usize, b: usize) -> (usize, f64) {
        self.pairs[a * (2 * self.options - a - 1) / 2 + b - a - 1]
    }

    /// What a pair says of its projection beside what a comparison of the two says.
    fn share(&self) -> f64 {
        2.0 / self.options as f64
    }

    /// Adds `scale` times what its pairs say to the precision of each projection.
    pub(super) fn add_precision(&self, scale: f64, precision: &mut [f64]) {
        self.pairs.iter().for_each(|&(e, _)| precision[e] += scale * self.share());
    }

    /// Adds `scale` times the differences of all pairs, as much as they say, to the sums of the projections.
    pub(super) fn add_sums(&self, y: &[f64], scale: f64, sums: &mut [f64]) {
        let u = self.utilities(y);
        let mut pairs = self.pairs.iter();
        for a in 0..self.options {
            for b in a + 1..self.options {
                let Some(&(e, sign)) = pairs.next() else { return };
                sums[e] += scale * self.share() * sign * (u[a] - u[b]);
            }
        }
    }

    /// Adds the covariance of the noise of different comparisons, whose options have variance `noise`.
    pub(super) fn add_covariance(&self, noise: f64, mut add: impl FnMut(usize, usize, f64)) {
        let same = |i: usize, j: usize| if i == j { noise } else { 0.0 };
        for (k, &(a, b)) in self.edges.iter().enumerate() {
            for (l, &(p, q)) in self.edges.iter().enumerate().filter(|(l, _)| *l != k) {
                add(self.first + k, self.first + l, same(a, p) - same(a, q) - same(b, p) + same(b, q));
            }
        }
    }

    /// Writes the differences of noisy utilities.
    fn write(&self, u: &[f64], y: &mut [f64]) {
        let own = &mut y[self.first..][..self.edges.len()];
        // Rounding must not lead out of the orthant.
        own.iter_mut().zip(&self.edges).for_each(|(y, &(a, b))| *y = (u[a] - u[b]).max(f64::MIN_POSITIVE));
    }

    /// The noisy utilities but for their level.
    fn utilities(&self, y: &[f64]) -> Vec<f64> {
        let mut u: Vec<Option<f64>> = vec![None; self.options];
        // Every comparison after the first is of an option that one before it was of.
        for (&(a, b), y) in self.edges.iter().zip(&y[self.first..]) {
            match (u[a], u[b]) {
                (None, Some(at)) => u[a] = Some(at + y),
                (at, _) => {
                    u[a] = at.or(Some(0.0));
                    u[b] = u[b].or(Some(at.unwrap_or(0.0) - y));
                }
            }
        }
        u.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// The utilities of the options relative to the last one, from the projections.
    fn noiseless(&self, z: &[f64]) -> Vec<f64> {
        let last = self.options - 1;
        let relative = |i: usize| {
            let (e, sign) = self.pair(i, last);
            sign * z[e]
        };
        (0..last).map(relative).chain([0.0]).collect()
    }

    /// Differences of a draw of the noisy utilities, in whatever order they are, around the projections `z`: a direction.
    pub(super) fn draw(&self, z: &[f64], noise: f64, rng: &mut ChaCha8Rng, y: &mut Vec<f64>) {
        let u: Vec<f64> = self.noiseless(z).iter().map(|f| f + noise * normal(rng)).collect();
        y.extend(self.edges.iter().map(|&(a, b)| u[a] - u[b]));
    }

    /// Differences in the order that was told: those of noisy utilities around the projections, which change places.
    pub(super) fn start(&self, z: &[f64], noise: f64, rng: &mut ChaCha8Rng, y: &mut [f64]) {
        let mut u: Vec<f64> = self.noiseless(z).iter().map(|f| f + noise * normal(rng)).collect();
        u.sort_unstable_by(|a, b| b.total_cmp(a));
        self.write(&u, y);
    }

    /// Draws the noisy utilities anew given the projections `z`, one after the other between those that it is above and those that it is below, from
    /// where they are. Their level, of which nothing is said, is that of an average of so many noises.
    pub(super) fn redraw(&self, z: &[f64], noise: f64, rng: &mut ChaCha8Rng, y: &mut [f64]) {
        let n = self.options as f64;
        let f = self.noiseless(z);
        let mut u = self.utilities(y);
        let off: f64 = u.iter().zip(&f).map(|(u, f)| f - u).sum::<f64>() / n;
        let level = off + noise * normal(rng) / n.sqrt();
        u.iter_mut().for_each(|u| *u += level);
        for i in 0..self.options {
            let (mut lower, mut upper) = (f64::NEG_INFINITY, f64::INFINITY);
            for &(a, b) in &self.edges {
                lower = if a == i { lower.max(u[b]) } else { lower };
                upper = if b == i { upper.min(u[a]) } else { upper };
            }
            u[i] = f[i] + noise * UpperTail::within((lower - f[i]) / noise, (upper - f[i]) / noise, rng);
        }
        self.write(&u, y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likelihood::AnswerIndex;
    use rather_numerics::random::stream;

    fn set(order: PartialOrder) -> NoisySet {
        let pairs: Vec<Observation> =
            (0..order.pairs()).map(|k| Observation::new(k, 1.0, 1.0, AnswerIndex::CHOICE)).collect();
        NoisySet::new(order, &pairs, 0)
    }

    /// The noisy utilities of three items that are alike are an ordered sample: they range over 1.6926 standard deviations on average, half of it on
    /// either side; the best of three is .8463 above the average.
    #[test]
    fn steps_leave_ordered_samples_ordered_samples() {
        for (top, bottom) in [(2, 0), (1, 0), (0, 1)] {
            let set = set(PartialOrder::new(3, top, bottom).unwrap());
            let (z, noise, mut rng) = ([0.0; 3], 0.4, stream(5, 0));
            let mut y = vec![0.0; 2];
            set.start(&z, noise, &mut rng, &mut y);
            let steps = 100_000;
            let mut extreme = 0.0;
            for _ in 0..steps {
                set.redraw(&z, noise, &mut rng, &mut y);
                let u = set.utilities(&y);
                let mean = u.iter().sum::<f64>() / 3.0;
                let end = if top > 0 { u[0] - mean } else { mean - u[2] };
                extreme += end / noise / f64::from(steps);
            }
            // A standard deviation of .6, and draws that are worth a fifth of as many independent ones.
            assert!((extreme - 0.8463).abs() < 4.0 * 0.6 / (0.2 * f64::from(steps)).sqrt(), "{extreme}");
        }
    }

    #[test]
    fn noisy_utilities_follow_from_their_differences() {
        for (n, top, bottom) in [(4, 1, 0), (4, 0, 1), (5, 1, 1), (6, 2, 2), (5, 4, 0), (7, 0, 3)] {
            let set = set(PartialOrder::new(n, top, bottom).unwrap());
            let u: Vec<f64> = (0..n).map(|i| (n - i) as f64 + 0.05 * (i * i) as f64).collect();
            let mut y = vec![0.0; set.edges.len()];
            set.write(&u, &mut y);
            let found = set.utilities(&y);
            assert!(
                (0..n).all(|i| (found[i] - found[0] - (u[i] - u[0])).abs() < 1e-12),
                "{n} {top} {bottom}"
            );
        }
    }
}

//! Which duel comes next: the thesis' rule, and what belongs in its place.

use rand_chacha::ChaCha8Rng;
use rather::kernel::Kernel;
use rather::points::Points;
use rather_numerics::linalg::{Matrix, cholesky, dot, solve_lower};
use rather_numerics::random::normals;
use rather_numerics::special::normal::{cdf, pdf};

use super::world::{pick, times_lower};

/// What is believed about the candidates, and what has been heard.
pub(super) struct Belief<'a> {
    pub(super) mean: &'a [f64],
    pub(super) covariance: &'a Matrix,
    pub(super) candidates: &'a Points,
    pub(super) kernel: &'a Kernel,
    /// Candidates heard so far.
    pub(super) heard: &'a [usize],
}

/// Which duel comes next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Rule {
    /// Two at random.
    RandomPair,
    /// The incumbent and one at random.
    Random,
    /// Equation 31: mean plus alpha times the variance of the utility itself.
    Printed(f64),
    /// Equation 31 with equation 38 for the variance.
    PrintedBoth(f64),
    /// Expected improvement by the standard deviation of the utility itself.
    AbsoluteImprovement,
    /// Expected improvement of the contrast with the incumbent.
    Improvement,
    /// Mean of the contrast plus kappa standard deviations of it.
    Ucb(f64),
    /// Expected information about the contrast from the answer (Houlsby et al. 2012, closed form).
    Bald,
    /// The same over all pairs.
    BaldPair,
    /// Expected utility of the better of two, over all pairs (Lin et al. 2022).
    EuboPair,
    /// The best of a draw.
    Thompson,
}

/// Who is defended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Incumbent {
    /// The winner of the last duel: the thesis' protocol.
    Winner,
    /// The one with the best mean.
    Best,
}

/// Expected information in bits about `z ~ N(m, v)` from an answer with `s = 1`.
pub(super) fn bald(m: f64, v: f64) -> f64 {
    let c2 = std::f64::consts::PI * std::f64::consts::LN_2 / 2.0;
    let entropy =
        |p: f64| if p <= 0.0 || p >= 1.0 { 0.0 } else { -p * p.log2() - (1.0 - p) * (1.0 - p).log2() };
    entropy(cdf(m / (1.0 + v).sqrt())) - (c2 / (v + c2)).sqrt() * (-m * m / (2.0 * (v + c2))).exp()
}

/// `E max(z, 0)` for `z` with mean `m` and standard deviation `s`.
pub(super) fn improvement(m: f64, s: f64) -> f64 {
    if s <= 0.0 { m.max(0.0) } else { m * cdf(m / s) + s * pdf(m / s) }
}

/// The first of the largest.
pub(super) fn best(scores: impl Iterator<Item = f64>) -> usize {
    let mut found = (0, f64::NEG_INFINITY);
    for (i, score) in scores.enumerate() {
        if score > found.1 {
            found = (i, score);
        }
    }
    found.0
}

impl Rule {
    /// The next duel.
    pub(super) fn next(self, belief: &Belief<'_>, incumbent: usize, rng: &mut ChaCha8Rng) -> (usize, usize) {
        let n = belief.mean.len();
        let other_than = |a: usize, rng: &mut ChaCha8Rng| (a + 1 + pick(n - 1, rng)) % n;
        let challenger = |score: &dyn Fn(usize) -> f64| {
            best((0..n).map(|i| if i == incumbent { f64::NEG_INFINITY } else { score(i) }))
        };
        let variance = |i: usize| belief.covariance[(i, i)].max(0.0);
        let m = |i: usize| belief.mean[i] - belief.mean[incumbent];
        let v = |i: usize| belief.contrast(i, incumbent);
        let chosen = match self {
            Self::RandomPair => {
                let a = pick(n, rng);
                return (a, other_than(a, rng));
            }
            Self::BaldPair => return belief.pair(|m, v, _| bald(m, v)),
            Self::EuboPair => return belief.pair(|m, v, second| second + improvement(m, v.sqrt())),
            Self::Random => other_than(incumbent, rng),
            Self::Printed(alpha) => challenger(&|i| belief.mean[i] + alpha * variance(i)),
            Self::PrintedBoth(alpha) => {
                let printed = belief.printed_variance();
                challenger(&|i| belief.mean[i] + alpha * printed[i])
            }
            Self::AbsoluteImprovement => challenger(&|i| improvement(m(i), variance(i).sqrt())),
            Self::Improvement => challenger(&|i| improvement(m(i), v(i).sqrt())),
            Self::Ucb(kappa) => challenger(&|i| m(i) + kappa * v(i).sqrt()),
            Self::Bald => challenger(&|i| bald(m(i), v(i))),
            Self::Thompson => {
                let draw = belief.draw(rng);
                challenger(&|i| draw[i])
            }
        };
        (incumbent, chosen)
    }
}

impl Belief<'_> {
    /// The variance of a difference of two utilities.
    fn contrast(&self, a: usize, b: usize) -> f64 {
        let c = self.covariance;
        (c[(a, a)] + c[(b, b)] - 2.0 * c[(a, b)]).max(0.0)
    }

    /// The best pair by a score of mean and variance of the difference and the second's mean.
    fn pair(&self, score: impl Fn(f64, f64, f64) -> f64) -> (usize, usize) {
        let mut found = ((0, 1), f64::NEG_INFINITY);
        for b in 0..self.mean.len() {
            for a in 0..b {
                let s = score(self.mean[a] - self.mean[b], self.contrast(a, b), self.mean[b]);
                if s > found.1 {
                    found = ((a, b), s);
                }
            }
        }
        found.0
    }

    /// Equation 38: the variance given the utility itself, without noise, at every candidate heard; no answer enters.
    fn printed_variance(&self) -> Vec<f64> {
        let mut heard = self.heard.to_vec();
        heard.sort_unstable();
        heard.dedup();
        let own = self.kernel.diagonal(self.candidates);
        if heard.is_empty() {
            return own;
        }
        let at = self.candidates.select(&heard);
        // With the jitter that the inverse of a singular matrix needs.
        let mut l = self.kernel.matrix(&at);
        l.add_diagonal(1e-8 * own[0]);
        let mut cross = self.kernel.cross(&at, self.candidates);
        if !cholesky(&mut l) {
            return vec![0.0; own.len()];
        }
        solve_lower(&l, &mut cross);
        (0..own.len()).map(|i| (own[i] - dot(cross.col(i), cross.col(i))).max(0.0)).collect()
    }

    /// A draw of the utilities.
    fn draw(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let n = self.mean.len();
        let mut l = self.covariance.clone();
        let jitter = 1e-7 * (0..n).map(|i| l[(i, i)]).sum::<f64>() / n as f64;
        l.add_diagonal(jitter);
        let z = normals(n, rng);
        if !cholesky(&mut l) {
            return self.mean.to_vec();
        }
        times_lower(&l, &z).iter().zip(self.mean).map(|(d, m)| d + m).collect()
    }
}

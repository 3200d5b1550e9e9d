//! An answer about a set of options with Gumbel noise: multinomial logit, Plackett and Luce's rankings, best and worst one after the other.

use super::choice_set::PartialOrder;
use super::{LOG_NOISE, LogDensity, NO_SLOPES};
use rather_numerics::linalg::Matrix;

/// The factor of one answer about a set, as a function of the utilities of its options: choices one after the other, each of one option from those that
/// are left.
///
/// # Formula
/// The best of the options $S$ is $c$ with the probability $p_c=e^{f_c/k}/\sum_{j\in S}e^{f_j/k}$, as if every option had Gumbel noise of the scale
/// $k=\sigma\sqrt6/\pi$, whose standard deviation is the noise $\sigma$ of an item: of two options it is the logistic comparison ([`Logistic`](super::Logistic)).
/// An order ([`PartialOrder`]) is a choice of the best of all, then of the best of the others and so on, for each option that is named from the top; then
/// choices of the worst, of those left, for each one that is named from the bottom, with $-f$ in the place of $f$. With $x=f/k$, a choice has the
/// slope $(e_c-p)/k$ and minus the curvature $(\operatorname{diag}p-pp')/k^2$: sites of precision $p_ap_b/k^2$ on all pairs.
///
/// # References
/// McFadden, *Conditional logit analysis of qualitative choice behavior* (1974); Plackett, *The analysis of permutations* (1975); Marley and Louviere,
/// *Some probabilistic models of best, worst, and best-worst choices* (2005).
#[derive(Debug, Clone, Copy)]
pub struct GumbelSet {
    order: PartialOrder,
    scale: f64,
}

/// One of the choices that an answer is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stage {
    /// The options left, by their places: one bit each.
    options: u16,
    /// Whether it is the worst of them that is named.
    worst: bool,
}

/// One choice at given utilities.
struct Choice {
    /// 1, or -1 of the worst.
    sign: f64,
    /// The utilities of all options over the scale, with that sign, relative to their mean under `p`.
    x: Vec<f64>,
    /// The probability of each option; 0 of those that are not left.
    p: Vec<f64>,
    /// The slope in `x`.
    slope: Vec<f64>,
    log_p: f64,
}

impl Stage {
    /// The same choice where the options stand in other places.
    pub(crate) fn arranged(self, places: &[usize]) -> Self {
        let left = places.iter().enumerate().filter(|(place, _)| self.has(*place));
        Self { options: left.fold(0, |options, (_, option)| options | 1 << option), ..self }
    }

    /// Whether an option is left.
    fn has(self, option: usize) -> bool {
        self.options >> option & 1 == 1
    }

    /// 1, or -1 of the worst.
    fn sign(self) -> f64 {
        if self.worst { -1.0 } else { 1.0 }
    }

    /// Writes $e^{\pm x}$ of the options left, with the sign of the stage, relative to the largest one, and 0 of others; returns the largest $\pm x$.
    fn weigh(self, x: &[f64], to: &mut [f64]) -> f64 {
        let sign = self.sign();
        let left = |i: usize| if self.has(i) { sign * x[i] } else { f64::NEG_INFINITY };
        let most = (0..x.len()).map(left).fold(f64::NEG_INFINITY, f64::max);
        to.iter_mut().enumerate().for_each(|(i, to)| *to = (left(i) - most).exp());
        most
    }

    /// Writes the probabilities with which each option is named, at utilities `x` over the scale.
    pub(crate) fn chances(self, x: &[f64], to: &mut [f64]) {
        self.weigh(x, to);
        let all: f64 = to.iter().sum();
        to.iter_mut().for_each(|p| *p /= all);
    }

    /// That `chosen` is named, at utilities `x` over the scale.
    fn choice(self, chosen: usize, x: &[f64]) -> Choice {
        let sign = self.sign();
        let mut weights = vec![0.0; x.len()];
        let most = self.weigh(x, &mut weights);
        // Without a subtraction of what is nearly equal, if one option is nearly certain.
        let others: f64 = (0..x.len()).filter(|&i| i != chosen).map(|i| weights[i]).sum();
        let all = weights[chosen] + others;
        let p: Vec<f64> = weights.iter().map(|w| w / all).collect();
        let below = sign * x[chosen] - most;
        let log_p = if below == 0.0 { -others.ln_1p() } else { below - all.ln() };
        let mut slope: Vec<f64> = p.iter().map(|p| -p).collect();
        slope[chosen] = others / all;
        let mean: f64 = (0..x.len()).filter(|&i| self.has(i)).map(|i| p[i] * (sign * x[i] - most)).sum();
        let x = x.iter().map(|x| sign * x - most - mean).collect();
        Choice { sign, x, p, slope, log_p }
    }
}

impl PartialOrder {
    /// The choices that an order is made of, and which option is named in each.
    pub(crate) fn stages(self) -> impl Iterator<Item = (Stage, usize)> {
        let (n, between) = (self.options(), self.between());
        let left = |first: usize, end: usize| ((1 << end) - (1 << first)) as u16;
        let best = (0..between.start).map(move |t| (Stage { options: left(t, n), worst: false }, t));
        let down = (between.end..n).rev();
        let worst = down.map(move |b| (Stage { options: left(between.start, b + 1), worst: true }, b));
        best.chain(worst)
    }
}

impl GumbelSet {
    /// An answer whose noise has the standard deviation `noise` an option.
    pub fn new(order: PartialOrder, noise: f64) -> Self {
        let s = std::f64::consts::SQRT_2 * noise;
        Self { order, scale: s * 3.0_f64.sqrt() / std::f64::consts::PI }
    }

    /// What is said.
    pub fn order(&self) -> PartialOrder {
        self.order
    }

    /// The scale of the noise.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// The logarithm of the probability of the answer at the utilities of the options, in their order.
    pub(crate) fn log_probability(&self, utilities: &[f64]) -> f64 {
        let x: Vec<f64> = utilities.iter().map(|f| f / self.scale).collect();
        let mut weights = vec![0.0; x.len()];
        let log_p = |(stage, chosen): (Stage, usize)| {
            let most = stage.weigh(&x, &mut weights);
            stage.sign() * x[chosen] - most - weights.iter().sum::<f64>().ln()
        };
        self.order.stages().map(log_p).sum()
    }

    /// The log density at the utilities of the options, in their order, and its derivatives, as shares of all pairs: the whole value is the first one's, the
    /// slopes of pairs sum to those of the options, and precisions are those of pairs. What is not theirs alone is [`GumbelSet::pull`].
    pub fn log_densities(&self, utilities: &[f64]) -> Vec<LogDensity> {
        let (n, k) = (utilities.len(), self.scale);
        let (mut value, mut value_d) = (0.0, 0.0);
        let (mut slope, mut slope_d) = (vec![0.0; n], vec![0.0; n]);
        let (mut precision, mut precision_d) = (Matrix::zeros(n, n), Matrix::zeros(n, n));
        for Choice { sign, x, p, slope: g, log_p } in self.choices(utilities) {
            value += log_p;
            for i in 0..n {
                value_d -= g[i] * x[i];
                slope[i] += sign * g[i] / k;
                slope_d[i] += sign * (p[i] * x[i] - g[i]) / k;
            }
            for (a, b) in self.order.each_pair() {
                let weight = p[a] * p[b] / (k * k);
                precision[(a, b)] += weight;
                precision_d[(a, b)] -= weight * (2.0 + x[a] + x[b]);
            }
        }
        let share = |of: &[f64], a: usize, b: usize| (of[a] - of[b]) / n as f64;
        let of_pair = |(a, b): (usize, usize)| {
            let mut out = LogDensity {
                value: 0.0,
                first: share(&slope, a, b),
                precision: precision[(a, b)],
                third: 0.0,
                value_d: NO_SLOPES,
                first_d: NO_SLOPES,
                precision_d: NO_SLOPES,
            };
            out.first_d[LOG_NOISE] = share(&slope_d, a, b);
            out.precision_d[LOG_NOISE] = precision_d[(a, b)];
            out
        };
        let mut out: Vec<LogDensity> = self.order.each_pair().map(of_pair).collect();
        out[0].value = value;
        out[0].value_d[LOG_NOISE] = value_d;
        out
    }

    /// The derivatives of $-\tfrac12\sum_{a<b}V_{ab}\tau_{ab}$ in the utilities, for variances $V$ of the pairs and precisions $\tau$: how the curvature
    /// pulls at the mode.
    pub fn pull(&self, utilities: &[f64], variances: &[f64]) -> Vec<f64> {
        let n = utilities.len();
        let mut out = vec![0.0; n];
        for Choice { sign, p, .. } in self.choices(utilities) {
            let mut with = vec![0.0; n];
            let mut total = 0.0;
            for ((a, b), v) in self.order.each_pair().zip(variances) {
                let weight = v * p[a] * p[b];
                with[a] += weight;
                with[b] += weight;
                total += weight;
            }
            let by = -0.5 * sign / self.scale.powi(3);
            out.iter_mut().zip(with).zip(&p).for_each(|((u, w), p)| *u += by * (w - 2.0 * p * total));
        }
        out
    }

    fn choices(&self, utilities: &[f64]) -> impl Iterator<Item = Choice> {
        let x: Vec<f64> = utilities.iter().map(|f| f / self.scale).collect();
        self.order.stages().map(move |(stage, chosen)| stage.choice(chosen, &x))
    }
}

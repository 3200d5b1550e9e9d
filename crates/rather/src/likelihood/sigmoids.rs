//! Products of logistic functions of one scale: what answers with the logistic link say of a projection together.

use super::quadrature::{Height, Part};
use super::{Interval, LOG_NOISE, Likelihood, NO_SLOPES, Slopes};

/// Numbers at a point whose averages a threshold needs: $\sigma(-x)$, $\sigma(x)$, and both times $x$.
const OF_THRESHOLD: usize = 4;
/// Distances from a threshold, in units of the scale, at which the tail is a straight line and the exponential still a number.
const FAR: f64 = 600.0;

/// $\prod_j\sigma(x_j)^{b_j} \sigma(-x_j)^{a_j}$ with $x_j=(z-\theta_j)/k$, times a constant: the product of [`Logistic`](super::Logistic)s of one
/// scale, each threshold once, whoever has it.
///
/// # Formula
/// With $e_j=e^{-x_j}=e^{-(z-m)/k} e^{-(m-\theta_j)/k}$ one exponential serves all thresholds; $\sigma(x_j)=1/(1+e_j)$,
/// $\sigma(-x_j)=e_j/(1+e_j)$, and $\log\sigma(-|x|)=\log\sigma(|x|)-|x|$ has one logarithm for both sides and no cancellation.
#[derive(Debug)]
pub(super) struct Sigmoids {
    k: f64,
    /// Where the common exponential is 1,
    origin: f64,
    /// and whether it serves as far as `FAR` from there.
    is_near: bool,
    thresholds: Vec<Threshold>,
    /// The logs of the constants.
    constant: f64,
}

#[derive(Debug)]
struct Threshold {
    at: f64,
    /// How often it was said that $z$ with noise is above it,
    above: f64,
    /// and below it.
    below: f64,
    /// $e^{-(m-\theta)/k}$.
    factor: f64,
}

/// The thresholds of a part as the projection has them, below and above which it lies: where the part looks at minus the projection, they change
/// places.
fn ends(likelihood: &super::Logistic, sign: f64) -> [f64; 2] {
    let [lower, upper] = likelihood.thresholds();
    if sign > 0.0 { [lower, upper] } else { [-upper, -lower] }
}

impl Sigmoids {
    /// The product of `parts`, if all have the logistic link and one scale; its points are best near `origin`.
    pub(super) fn of<L: Likelihood + ?Sized>(parts: &[Part<'_, L>], origin: f64) -> Option<Self> {
        let k = parts.first()?.likelihood.as_logistic()?.scale();
        let mut found = Self { k, origin, is_near: true, thresholds: Vec::with_capacity(2), constant: 0.0 };
        for part in parts {
            let logistic = part.likelihood.as_logistic().filter(|l| l.scale() == k)?;
            let [lower, upper] = ends(logistic, part.sign);
            found.threshold(lower, |t| t.above += part.count);
            found.threshold(upper, |t| t.below += part.count);
            found.constant += part.count * logistic.gap();
        }
        found.is_near = found.thresholds.iter().all(|t| (t.at - origin).abs() < 0.5 * FAR * k);
        Some(found)
    }

    /// Counts at a threshold, which is a new one unless it is there.
    fn threshold(&mut self, at: f64, count: impl FnOnce(&mut Threshold)) {
        if at.is_infinite() {
            return;
        }
        let known = self.thresholds.iter().position(|t| t.at == at);
        let which = known.unwrap_or_else(|| {
            let factor = ((at - self.origin) / self.k).exp();
            self.thresholds.push(Threshold { at, above: 0.0, below: 0.0, factor });
            self.thresholds.len() - 1
        });
        count(&mut self.thresholds[which]);
    }

    /// How many numbers each point has.
    pub(super) fn numbers(&self) -> usize {
        OF_THRESHOLD * self.thresholds.len()
    }

    /// The log density with two derivatives, and the numbers at `z` by which [`Sigmoids::slopes`] are averages, handed to `each`.
    pub(super) fn height(&self, z: f64, mut each: impl FnMut([f64; OF_THRESHOLD])) -> Height {
        let (k, off) = (self.k, (z - self.origin) / self.k);
        let common = if self.is_near && off.abs() < 0.5 * FAR { Some((-off).exp()) } else { None };
        let mut at = Height { value: self.constant, first: 0.0, precision: 0.0 };
        for t in &self.thresholds {
            let x = (z - t.at) / k;
            let e = common.map_or_else(|| (-x).clamp(-FAR, FAR).exp(), |e| e * t.factor);
            let above = (1.0 + e).recip();
            let below = e * above;
            // What is nearer to 1, and a straight line.
            let (nearer, line) = if x >= 0.0 { (above, t.below * x) } else { (below, -t.above * x) };
            at.value += (t.above + t.below) * nearer.ln() - line;
            at.first += t.above * below - t.below * above;
            at.precision += (t.above + t.below) * below * above;
            each([below, above, x * below, x * above]);
        }
        at.first /= k;
        at.precision /= k * k;
        at
    }

    /// The averages of the derivatives of each of `parts` in its slots, from those of the numbers of [`Sigmoids::height`].
    pub(super) fn slopes<L: Likelihood + ?Sized>(
        &self,
        parts: &[Part<'_, L>],
        averages: &[f64],
    ) -> Vec<Slopes> {
        let at = |threshold: f64| {
            let which = self.thresholds.iter().position(|t| t.at == threshold)?;
            averages.get(OF_THRESHOLD * which..)?.first_chunk::<OF_THRESHOLD>()
        };
        let of = |part: &Part<'_, L>| {
            let mut slopes = NO_SLOPES;
            let Some(logistic) = part.likelihood.as_logistic() else { return slopes };
            let [lower, upper] = ends(logistic, part.sign);
            let [width, d_gap] = [logistic.width(), logistic.d_gap()];
            let (mut of_lower, mut of_upper) = (0.0, 0.0);
            if let Some([below, _, along, _]) = at(lower) {
                of_lower = (-below - d_gap) / self.k;
                slopes[LOG_NOISE] -= along;
            }
            if let Some([_, above, _, along]) = at(upper) {
                of_upper = (above + d_gap) / self.k;
                slopes[LOG_NOISE] += along;
            }
            if width.is_finite() {
                slopes[LOG_NOISE] -= width * d_gap;
            }
            let (lower, upper) = if part.sign > 0.0 { (of_lower, of_upper) } else { (-of_upper, -of_lower) };
            slopes[Interval::LOWER] = lower;
            slopes[Interval::UPPER] = upper;
            slopes
        };
        parts.iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likelihood::Logistic;

    /// The sum of the parts' own log densities, derivatives and slopes, against the product's.
    #[test]
    fn a_product_is_what_its_parts_say() {
        const INF: f64 = f64::INFINITY;
        let (win, tie, grade) =
            (Logistic::new(0.3, INF, 1.4), Logistic::new(-0.3, 0.3, 1.4), Logistic::new(-2.0, -0.3, 1.4));
        let of = |likelihood, sign, count| Part { likelihood, sign, count };
        let parts = [of(&win, 1.0, 7.0), of(&win, -1.0, 2.5), of(&tie, -1.0, 3.0), of(&grade, -1.0, 1.0)];
        let sigmoids = Sigmoids::of(&parts, 0.5).expect("all are of one scale");
        assert_eq!(sigmoids.thresholds.len(), 3, "{sigmoids:?}");
        for z in [-2000.0, -300.0, -40.0, -3.0, -0.3, 0.0, 0.1, 2.0, 35.0, 400.0, 3000.0] {
            let mut numbers = Vec::new();
            let found = sigmoids.height(z, |of| numbers.extend(of));
            let own: Vec<_> = parts.iter().map(|p| p.likelihood.height(p.sign * z)).collect();
            let sum = |f: fn(Height) -> f64, power: i32| -> f64 {
                let weighed = |(p, (at, _)): (&Part<'_, Logistic>, &(Height, Slopes))| {
                    p.count * p.sign.powi(power) * f(*at)
                };
                parts.iter().zip(&own).map(weighed).sum()
            };
            let near = |a: f64, b: f64, what: &str| {
                assert!((a - b).abs() < 1e-13 * b.abs().max(1.0), "{what} at {z}: {a} {b}");
            };
            near(found.value, sum(|at| at.value, 0), "value");
            near(found.first, sum(|at| at.first, 1), "first");
            near(found.precision, sum(|at| at.precision, 0), "precision");
            for (found, (_, own)) in sigmoids.slopes(&parts, &numbers).iter().zip(&own) {
                found.iter().zip(own).for_each(|(a, b)| near(*a, *b, "slope"));
            }
        }
        let other = Logistic::new(0.0, INF, 1.0);
        assert!(Sigmoids::of(&[of(&win, 1.0, 1.0), of(&other, 1.0, 1.0)], 0.0).is_none());
    }
}

//! Moments by quadrature, for likelihoods without closed ones.

use super::{Bends, Likelihood, LogDensity, NO_SLOPES, Slopes, Tilted};
use crate::special::legendre::panel;

/// Standard deviations of the belief beyond which nothing is left.
const REACH: f64 = 9.0;
/// Panels are at most so many: a likelihood whose bends are absurdly narrow is integrated roughly rather than for ever.
const MOST_PANELS: usize = 400;

/// The moments of $t(z)\,\mathcal N(z;m,v)$ as a site, for any likelihood that tells its log density.
///
/// # Formula
/// Averages $\langle\cdot\rangle$ under the tilted density by Gauss-Legendre panels that are narrow where the likelihood bends
/// ([`Likelihood::bends`]), around $m$ and around the mode, and twice as wide at twice the distance. With
/// $\ell=\log t$: $a=\partial_m\log Z=\langle\ell'\rangle$, the variance $v_t$ of $z$,
/// $$ b=-\partial_m^2\log Z=\langle-\ell''\rangle-\operatorname{var}\ell',\qquad \tau=b\,\frac v{v_t},\qquad
///    \nu=(a+mb)\,\frac v{v_t},\qquad \partial_\theta\log Z=\langle\partial_\theta\ell\rangle . $$
pub fn tilt<L: Likelihood + ?Sized>(likelihood: &L, mean: f64, variance: f64) -> Tilted {
    if variance <= 0.0 {
        let at = likelihood.log_density(mean);
        let nu = at.first + at.precision * mean;
        return Tilted { log_z: at.value, tau: at.precision, nu, d: at.value_d };
    }
    let nodes: Vec<Node> = nodes(likelihood, mean, variance);
    let top = nodes.iter().map(|n| n.log_weight).fold(f64::NEG_INFINITY, f64::max);
    if !top.is_finite() {
        return Tilted { log_z: top, tau: 0.0, nu: 0.0, d: NO_SLOPES };
    }
    let sum = |f: &dyn Fn(&Node) -> f64| -> f64 {
        nodes.iter().map(|n| n.weight * (n.log_weight - top).exp() * f(n)).sum()
    };
    let mass = sum(&|_| 1.0);
    let average = |f: &dyn Fn(&Node) -> f64| sum(f) / mass;
    let a = average(&|n| n.at.first);
    let b = average(&|n| n.at.precision) - average(&|n| (n.at.first - a).powi(2));
    let centre = average(&|n| n.z);
    let share = average(&|n| (n.z - centre).powi(2)) / variance;
    let d: Slopes = std::array::from_fn(|k| average(&|n| n.at.value_d[k]));
    let log_z = top + mass.ln() - 0.5 * (std::f64::consts::TAU * variance).ln();
    Tilted { log_z, tau: b / share, nu: (a + mean * b) / share, d }
}

/// A point of the rule.
struct Node {
    z: f64,
    weight: f64,
    /// The log of the tilted density, up to the belief's constant.
    log_weight: f64,
    at: LogDensity,
}

fn nodes<L: Likelihood + ?Sized>(likelihood: &L, mean: f64, variance: f64) -> Vec<Node> {
    let node = |(z, weight): (f64, f64)| {
        let at = likelihood.log_density(z);
        let log_weight = at.value - 0.5 * (z - mean).powi(2) / variance;
        Node { z, weight, log_weight, at }
    };
    let ends = panels(likelihood, mean, variance);
    ends.windows(2).flat_map(|w| panel(w[0], w[1])).map(node).collect()
}

/// The ends of the panels.
fn panels<L: Likelihood + ?Sized>(likelihood: &L, mean: f64, variance: f64) -> Vec<f64> {
    let sd = variance.sqrt();
    let top = mode(likelihood, mean, variance).unwrap_or(mean);
    let curvature = 1.0 / variance + likelihood.log_density(top).precision.max(0.0);
    let Bends { at, width } = likelihood.bends();
    let bends = at.into_iter().filter(|z| z.is_finite()).map(|z| (z, width));
    let places: Vec<(f64, f64)> =
        [(mean, sd), (top, 1.0 / curvature.sqrt())].into_iter().chain(bends).collect();
    // A bend counts where the belief could be drawn to.
    let reached = |&&(z, _): &&(f64, f64)| (z - mean).abs() <= 1e3 * sd;
    let low = places.iter().filter(reached).map(|p| p.0).fold(mean.min(top), f64::min) - REACH * sd;
    let high = places.iter().filter(reached).map(|p| p.0).fold(mean.max(top), f64::max) + REACH * sd;
    let mut ends = vec![low];
    let mut z = low;
    while z < high && ends.len() < MOST_PANELS {
        let step = |&(c, w): &(f64, f64)| w.max(if c > z { 0.5 * (c - z) } else { z - c });
        z = (z + places.iter().map(step).fold(f64::INFINITY, f64::min)).min(high);
        ends.push(z);
    }
    if z < high {
        ends.push(high);
    }
    ends
}

/// Newton steps allowed; from the mean of a log-concave factor a dozen is much.
const STEPS: usize = 100;

/// $\arg\max\log t(z)-(z-m)^2/2v$ by Newton's method from `mean`; a step that would not go up is halved. `None` if that is not finite.
pub(crate) fn mode<L: Likelihood + ?Sized>(likelihood: &L, mean: f64, variance: f64) -> Option<f64> {
    if variance == 0.0 {
        return Some(mean);
    }
    let height = |f: f64, value: f64| value - (f - mean) * (f - mean) / (2.0 * variance);
    let mut f = mean;
    let mut here = likelihood.log_density(f);
    for _ in 0..STEPS {
        let uphill = variance * here.first - (f - mean);
        let curvature = (1.0 + variance * here.precision).max(1e-3);
        let mut step = uphill / curvature;
        let reached = height(f, here.value);
        let mut next = likelihood.log_density(f + step);
        while height(f + step, next.value) < reached - 1e-12 * reached.abs().max(1.0) {
            step *= 0.5;
            next = likelihood.log_density(f + step);
            if step.abs() <= f64::EPSILON * f.abs() {
                break;
            }
        }
        f += step;
        here = next;
        if step.abs() <= 1e-14 * (f.abs() + variance.sqrt()) {
            return Some(f).filter(|f| f.is_finite());
        }
    }
    Some(f).filter(|f| f.is_finite())
}

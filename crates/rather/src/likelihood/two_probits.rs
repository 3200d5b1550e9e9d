//! Two plain answers about a pair: their product has its moments in closed form.

use super::probits::Between;
use super::quadrature::{Part, site};
use super::{LOG_NOISE, Likelihood, NO_SLOPES, Slopes, Tilted};
use rather_numerics::special::normal::{cdf, pdf};
use rather_numerics::special::owen;

/// The least mean of a probit's argument at which two of the same side are the difference of two numbers that keeps its digits, and the largest one at which
/// two of different sides do.
const LEAST: f64 = -3.0;
const FARTHEST: f64 = 4.0;
/// The least variance that is left, in shares of that before, which keeps its digits.
const LEAST_LEFT: f64 = 1e-3;

/// The moments of $t(z) \mathcal N(z;m,v)$ as a site, and the derivatives in the slots of each part, where $t$ is $\Phi(z/s)^2$ or $\Phi(z/s)\Phi(-z/s)$; `None` of
/// anything else, and far out.
///
/// # Formula
/// With $c^2=s^2+v$, $a=m/c$ and $h=s/\sqrt{s^2+2v}$, and Owen's function $T$ (both probits are those of two noises below the same $z$, which have the
/// correlation $v/c^2$),
/// $$ \mathbb E\Phi(z/s)^2=\Phi(a)-2T(a,h),\qquad\mathbb E\Phi(z/s)\Phi(-z/s)=2T(a,h),\qquad
///    \frac{\partial T}{\partial a}=-\phi(a)\big(\Phi(ah)-\tfrac12\big) . $$
/// The derivative of $\log\Phi(\pm z/s)$ in $\log s$ is $\mp\frac zs\phi(z/s)/\Phi(\pm z/s)$, of which the other factor is averaged under the Gaussian
/// $\mathcal N(z;m,v)\phi(z/s)$.
///
/// # References
/// Owen, *A table of normal integrals* (1980), 10,010.8 and 20,010.4.
pub(super) fn tilt<L: Likelihood + ?Sized>(
    parts: &[Part<'_, L>],
    mean: f64,
    variance: f64,
) -> Option<(Tilted, Vec<Slopes>)> {
    let (sign, same) = match parts {
        [Part { sign, count: 2.0, .. }] => (*sign, true),
        [Part { sign, count: 1.0, .. }, Part { sign: other, count: 1.0, .. }] => (*sign, sign == other),
        _ => return None,
    };
    let noise = |part: &Part<'_, L>| match part.likelihood.between()? {
        Between { s, thresholds: [0.0, f64::INFINITY], has_slots: false } => Some(s),
        _ => None,
    };
    let s = noise(&parts[0])?;
    if parts.iter().any(|part| noise(part) != Some(s)) {
        return None;
    }
    let c = (s * s + variance).sqrt();
    // In the direction of the first.
    let a = sign * mean / c;
    let inside = if same { a >= LEAST } else { a.abs() <= FARTHEST };
    if !inside {
        return None;
    }
    let h = s / (s * s + 2.0 * variance).sqrt();
    let (density, other_density) = (pdf(a), pdf(a * h));
    let (below, above) = (cdf(a * h), cdf(-a * h));
    let twice = 2.0 * owen::t(a, h);
    let bend = 2.0 * h * density * other_density;
    let (z, slope, bend) = match same {
        true => (cdf(a) - twice, 2.0 * density * below, bend),
        false => (twice, density * (above - below), -bend),
    };
    let (first, second) = (slope / z, (bend - a * slope) / z);
    let b = (first * first - second) / (c * c);
    if 1.0 - variance * b < LEAST_LEFT {
        return None;
    }
    let site = site(z.ln(), sign * first / c, b, mean, variance);
    // Of the first part, and of one on the other side: the moments of the Gaussian times the other factor.
    let spread = (1.0 - h * h) / (1.0 + h * h);
    let narrowed = |factor: f64, side: f64| a * (1.0 - spread) * factor + side * spread * h * other_density;
    let slopes_of = |in_noise: f64| {
        let mut slopes = NO_SLOPES;
        slopes[LOG_NOISE] = in_noise * density / z;
        slopes
    };
    let own = match same {
        true => -narrowed(below, 1.0),
        false => -narrowed(above, -1.0),
    };
    let slopes = match (same, parts.len()) {
        (false, _) => vec![slopes_of(own), slopes_of(narrowed(below, 1.0))],
        (true, count) => vec![slopes_of(own); count],
    };
    Some((site, slopes))
}

#[cfg(test)]
mod tests {
    use super::super::quadrature::tilt_together;
    use super::super::{Curvatures, LogDensity, Probit};
    use super::*;
    use proptest::prelude::*;

    /// A probit that does not say what it is, only where it bends, so that it is integrated by its own densities.
    struct Plain(Probit);

    impl Likelihood for Plain {
        fn log_density(&self, z: f64) -> LogDensity {
            self.0.log_density(z)
        }

        fn bends(&self) -> Curvatures {
            self.0.bends()
        }

        fn analytic_within(&self) -> f64 {
            self.0.analytic_within()
        }
    }

    /// The counts and signs of the parts: twice the same in one part or in two, and both.
    const SAID: [&[(f64, f64)]; 4] =
        [&[(2.0, 1.0)], &[(2.0, -1.0)], &[(1.0, -1.0), (1.0, -1.0)], &[(1.0, -1.0), (1.0, 1.0)]];

    proptest! {
        /// To the digits of quadrature: of the variance a thousandth may be left, which loses three.
        #[test]
        fn moments_are_those_of_quadrature(
            said in 0..SAID.len(), a in -4.0..4.0_f64, log_spread in -3.0..3.0_f64, log_noise in -2.0..2.0_f64,
        ) {
            let s = log_noise.exp();
            let variance = (s * log_spread.exp()).powi(2);
            let mean = a * (s * s + variance).sqrt();
            let (probit, plain) = (Probit::of(s), Plain(Probit::of(s)));
            let closed: Vec<Part<'_, Probit>> =
                SAID[said].iter().map(|&(count, sign)| Part { likelihood: &probit, sign, count }).collect();
            let by_points: Vec<Part<'_, Plain>> =
                SAID[said].iter().map(|&(count, sign)| Part { likelihood: &plain, sign, count }).collect();
            let Some((found, slopes)) = tilt(&closed, mean, variance) else {
                // Too far out on the side that was not said.
                let (_, sign) = SAID[said][0];
                prop_assert!(said < 3 && sign * a < LEAST || 2.0 * log_spread > 5.0);
                return Ok(());
            };
            let (expected, expected_slopes) = tilt_together(&by_points, mean, variance);
            let off = |a: f64, b: f64, size: f64| (a - b).abs() / (b.abs() + size);
            prop_assert!(off(found.log_z, expected.log_z, 1.0) <= 1e-10, "{found:?} {expected:?}");
            prop_assert!(off(found.tau * variance, expected.tau * variance, 1.0) <= 1e-10, "{found:?} {expected:?}");
            let pull = variance.sqrt();
            prop_assert!(off(found.nu * pull, expected.nu * pull, 1.0) <= 1e-10, "{found:?} {expected:?}");
            prop_assert_eq!(slopes.len(), expected_slopes.len());
            for (found, expected) in slopes.iter().zip(&expected_slopes) {
                prop_assert!(found.iter().zip(expected).all(|(a, b)| off(*a, *b, 1.0) <= 1e-10), "{found:?} {expected:?}");
            }
        }
    }

    /// In the middle, $\mathbb E\Phi(z)^2=\frac14+\frac1{2\pi}\arcsin\rho$ (Sheppard 1899).
    #[test]
    fn in_the_middle_it_is_an_arc_sine() {
        for variance in [1e-3_f64, 0.3, 1.0, 20.0, 400.0] {
            let probit = Probit::of(1.0);
            let part = |sign, count| Part { likelihood: &probit, sign, count };
            let arc = (variance / (1.0 + variance)).asin() / std::f64::consts::TAU;
            let same = tilt(&[part(1.0, 2.0)], 0.0, variance).expect("a closed form").0.log_z;
            let both =
                tilt(&[part(1.0, 1.0), part(-1.0, 1.0)], 0.0, variance).expect("a closed form").0.log_z;
            assert!((same - (0.25 + arc).ln()).abs() < 1e-14 && (both - (0.25 - arc).ln()).abs() < 1e-13);
        }
    }

    #[test]
    fn only_two_plain_answers_are() {
        let (one, other) = (Probit::of(1.0), Probit::of(1.1));
        let part = |likelihood, sign, count| Part { likelihood, sign, count };
        assert!(tilt(&[part(&one, 1.0, 2.0)], 0.3, 1.0).is_some());
        assert!(tilt(&[part(&one, 1.0, 3.0)], 0.3, 1.0).is_none());
        assert!(tilt(&[part(&one, 1.0, 1.5)], 0.3, 1.0).is_none());
        assert!(tilt(&[part(&one, 1.0, 1.0), part(&other, -1.0, 1.0)], 0.3, 1.0).is_none());
        assert!(tilt(&[part(&one, 1.0, 1.0), part(&one, -1.0, 2.0)], 0.3, 1.0).is_none());
    }
}

//! All answers about one projection as one factor.

use super::quadrature::{Part, tilt_together};
use super::{Likelihood, LogDensity, Slopes, Tilted};

/// $t(z)=\prod_kt_k(\pm z)^{n_k}$: what was said of one projection, together.
///
/// # Formula
/// Measured values are Gaussian in $z$: they go into the belief first, $\mathcal N(m,v)\to\mathcal N(m',v')$ with
/// $1/v'=1/v+\tau_g$, $m'/v'=m/v+\nu_g$. A single other answer then has its own moments, several have them by quadrature
/// ([`tilt_together`]). The site of all is the sum of both.
///
/// # References
/// Specification 1, "Repeated comparisons: one factor a pair".
///
/// # Examples
/// ```
/// use rather::likelihood::quadrature::Part;
/// use rather::likelihood::product::Product;
/// use rather::likelihood::{Likelihood, Probit};
///
/// // Of twelve who compared two items, ten preferred the first.
/// let probit = Probit::comparison(1.0);
/// let said = |sign, count| Part { likelihood: &probit as &dyn Likelihood, sign, count };
/// let (site, _) = Product::new(vec![said(1.0, 10.0), said(-1.0, 2.0)]).tilt(0.0, 10.0);
/// let mean = site.nu / (site.tau + 0.1);
/// assert!((mean - 1.3).abs() < 0.1); // near sqrt(2) times the quantile of 10/12
/// ```
pub struct Product<'a> {
    parts: Vec<Part<'a, dyn Likelihood + 'a>>,
}

impl<'a> Product<'a> {
    /// The product of `parts`.
    pub fn new(parts: Vec<Part<'a, dyn Likelihood + 'a>>) -> Self {
        Self { parts }
    }

    /// The moments of $t(z) \mathcal N(z;m,v)$ as a site, whose own slopes are nought, and the derivatives of the log normaliser in the slots of
    /// each part (of one of its copies), in their order.
    pub fn tilt(&self, mean: f64, variance: f64) -> (Tilted, Vec<Slopes>) {
        if self.parts.iter().all(|part| !part.likelihood.is_gaussian()) {
            return said(&self.parts, mean, variance);
        }
        let (gaussian, others): (Vec<_>, Vec<_>) =
            self.parts.iter().copied().partition(|part| part.likelihood.is_gaussian());
        let first = measured(&gaussian, mean, variance);
        let widening = 1.0 + first.tau * variance;
        let (m, v) = ((mean + variance * first.nu) / widening, variance / widening);
        let (rest, slopes) = said(&others, m, v);
        let site = Tilted {
            log_z: first.log_z + rest.log_z,
            tau: first.tau + rest.tau,
            nu: first.nu + rest.nu,
            d: super::NO_SLOPES,
        };
        let widening = 1.0 + rest.tau * v;
        let after = ((m + v * rest.nu) / widening, v / widening);
        let (mut measured, mut slopes) = (slopes_of_measured(&gaussian, after), slopes.into_iter());
        let in_order = |part: &Part<'a, dyn Likelihood + 'a>| {
            if part.likelihood.is_gaussian() { measured.next() } else { slopes.next() }
        };
        (site, self.parts.iter().filter_map(in_order).collect())
    }
}

/// What measured values say, which is Gaussian whatever is believed.
fn measured(gaussian: &[Part<'_, dyn Likelihood + '_>], mean: f64, variance: f64) -> Tilted {
    let (mut tau, mut nu) = (0.0, 0.0);
    for Part { likelihood, sign, count } in gaussian {
        let at: LogDensity = likelihood.log_density(0.0);
        tau += count * at.precision;
        nu += count * sign * at.first;
    }
    let widening = 1.0 + tau * variance;
    let pull = (nu - tau * mean) / widening;
    let at = mean + variance * pull;
    let values = gaussian.iter().map(|p| p.count * p.likelihood.log_density(p.sign * at).value);
    let log_z = values.sum::<f64>() - 0.5 * variance * pull * pull - 0.5 * widening.ln();
    Tilted { log_z, tau, nu, d: super::NO_SLOPES }
}

/// What is said besides, each part's slopes with it.
fn said(others: &[Part<'_, dyn Likelihood + '_>], mean: f64, variance: f64) -> (Tilted, Vec<Slopes>) {
    match others {
        [] => (Tilted { log_z: 0.0, tau: 0.0, nu: 0.0, d: super::NO_SLOPES }, Vec::new()),
        [Part { likelihood, sign, count }] if *count == 1.0 => {
            let one = likelihood.tilt(sign * mean, variance);
            (Tilted { nu: sign * one.nu, ..one }, vec![one.d])
        }
        several => tilt_together(several, mean, variance),
    }
}

/// The averages of each measured value's derivatives, which are quadratic in `z`: exact at two points.
fn slopes_of_measured(
    gaussian: &[Part<'_, dyn Likelihood + '_>],
    (mean, variance): (f64, f64),
) -> impl Iterator<Item = Slopes> {
    let sd = variance.max(0.0).sqrt();
    gaussian.iter().map(move |part| {
        let [low, high] = [-sd, sd].map(|off| part.likelihood.log_density(part.sign * (mean + off)).value_d);
        std::array::from_fn(|k| 0.5 * (low[k] + high[k]))
    })
}

//! Gaussian sites, their cavities, and the scalar work of one EP update.

use super::Factors;
use super::observations::Observation;
use crate::likelihood::product::Product;
use crate::likelihood::quadrature::Part;
use crate::likelihood::{Likelihood, Likelihoods, Slopes, Tilted};
use smallvec::SmallVec;

/// One Gaussian site `exp(nu z - tau z^2 / 2)` an observation, for one of the `count` identical answers that it stands for. Answers that are one
/// factor ([`Factors`]) have equal shares of its site, so that sums over them do not depend on what is a factor.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Sites {
    /// Precisions.
    pub tau: Vec<f64>,
    /// Precisions times means.
    pub nu: Vec<f64>,
}

impl Sites {
    /// Sites that say nothing.
    pub fn empty(n: usize) -> Self {
        Self { tau: vec![0.0; n], nu: vec![0.0; n] }
    }

    /// No sites yet, with memory for `n`.
    pub(super) fn with_capacity(n: usize) -> Self {
        Self { tau: Vec::with_capacity(n), nu: Vec::with_capacity(n) }
    }

    /// The sites summed over the observations of each of `edges` projections: `(tau, nu)`.
    pub fn by_edge(&self, observations: &[Observation], edges: usize) -> (Vec<f64>, Vec<f64>) {
        let (mut tau, mut nu) = (vec![0.0; edges], vec![0.0; edges]);
        for ((o, t), n) in observations.iter().zip(&self.tau).zip(&self.nu) {
            tau[o.edge()] += o.count() * t;
            nu[o.edge()] += o.count() * o.sign() * n;
        }
        (tau, nu)
    }
}

/// `1 - tau v` below which rounding, not data, decides: the cavity is then taken this wide.
pub(super) const NARROWEST_CAVITY: f64 = 1e-13;

/// The mean and the variance of what is left of a marginal without a site.
#[inline(always)]
pub(crate) fn cavity((tau, nu): (f64, f64), (mean, variance): (f64, f64)) -> (f64, f64) {
    let left = (1.0 - tau * variance).max(NARROWEST_CAVITY);
    ((mean - nu * variance) / left, variance / left)
}

/// The EP update of one observation, and what the evidence needs of it; of a factor of several answers, one answer's share.
#[derive(Debug, Clone, Copy)]
pub struct Update {
    /// The new site, not damped.
    pub tau: f64,
    /// The new site, not damped.
    pub nu: f64,
    /// How far the tilted moments are from the marginal ones: the mean in marginal standard deviations, the
    /// variance relative; the larger of the two.
    pub mismatch: f64,
    /// This observation's (one copy's) part of the log evidence.
    pub log_evidence: f64,
    /// Derivatives of the log normaliser in the likelihood's slots.
    pub d: Slopes,
    /// Derivative of the log normaliser in the variance that the projection has besides (`rest`).
    pub d_rest: f64,
    /// What the site leaves of the marginal's precision, `1 - tau v`, before it is taken for wider than it is.
    pub left: f64,
}

impl Update {
    /// What [`update_of`] has found, and the derivatives.
    pub(super) fn new([tau, nu, mismatch, log_evidence, d_rest, left]: [f64; 6], d: Slopes) -> Self {
        Self { tau, nu, mismatch, log_evidence, d, d_rest, left }
    }
}

/// Updates one site: cavity, tilted moments, new site. `z ~ N(mean, variance)` is the current marginal of the
/// observation's own (signed) projection and (`tau`, `nu`) its current site.
///
/// The cavity has `v_c = v / (1 - tau v)`, `m_c = (mean - nu v) / (1 - tau v)`, so a projection without any
/// variance (two identical items) is no special case. The evidence part is
/// `log Z_m - log of the integral of the cavity times the site`, i.e.
/// `log Z_m + log(1 + tau v_c)/2 + (tau m_c^2 - 2 nu m_c - nu^2 v_c) / (2 (1 + tau v_c))`.
///
/// With an independent part of variance `rest` the answer is about `u = z + e`, `e ~ N(0, rest)`: the likelihood sees
/// `N(m_c, v_c + rest)`, and its site `(tau_u, nu_u)` acts on `z` as `(tau_u, nu_u) / (1 + rest tau_u)`. With `V = v_c + rest`,
/// `d log Z / d rest = (a^2 - tau_u / (1 + tau_u V)) / 2` where `a = (nu_u - tau_u m_c) / (1 + tau_u V)`.
pub fn update(likelihood: &dyn Likelihood, tau: f64, nu: f64, mean: f64, variance: f64, rest: f64) -> Update {
    update_by(|m, v| likelihood.tilt(m, v), (tau, nu), (mean, variance), rest)
}

/// As [`update`], of whatever has moments.
pub(super) fn update_by(
    tilt: impl FnOnce(f64, f64) -> Tilted,
    (tau, nu): (f64, f64),
    (mean, variance): (f64, f64),
    rest: f64,
) -> Update {
    let (m, v) = cavity((tau, nu), (mean, variance));
    let Tilted { log_z, tau: tilted_tau, nu: tilted_nu, d } = tilt(m, v + rest);
    let arithmetic = update_of((log_z, tilted_tau, tilted_nu), (tau, nu), (mean, variance), rest, f64::ln);
    Update::new(arithmetic, d)
}

/// [`Update::tau`], `nu`, `mismatch`, `log_evidence`, `d_rest` and `left` of one observation: of its tilted moments, its site, its marginal and the variance
/// that it has besides.
#[inline(always)]
pub(super) fn update_of(
    (log_z, tilted_tau, tilted_nu): (f64, f64, f64),
    (tau, nu): (f64, f64),
    (mean, variance): (f64, f64),
    rest: f64,
    ln: impl Fn(f64) -> f64,
) -> [f64; 6] {
    let left = 1.0 - tau * variance;
    let shrink = left.max(NARROWEST_CAVITY);
    let (m, v) = cavity((tau, nu), (mean, variance));
    let seen = 1.0 / (1.0 + rest * tilted_tau);
    let (new_tau, new_nu) = (tilted_tau * seen, tilted_nu * seen);
    let (d_tau, d_nu) = (new_tau - tau, new_nu - nu);
    let widening = 1.0 + d_tau * variance;
    let narrowing = 1.0 / (1.0 + tilted_tau * (v + rest));
    let slope = (tilted_nu - tilted_tau * m) * narrowing;
    let of_variance = d_tau.abs() * variance;
    let of_mean = (d_nu - d_tau * mean).abs() * variance.sqrt();
    let mismatch = if of_mean > of_variance { of_mean } else { of_variance } / widening;
    let log_evidence = log_z - 0.5 * ln(shrink) + 0.5 * shrink * (tau * m * m - 2.0 * nu * m - nu * nu * v);
    let d_rest = 0.5 * (slope * slope - tilted_tau * narrowing);
    [new_tau, new_nu, mismatch, log_evidence, d_rest, left]
}

/// The answers that share a site, one factor after the other: neighbours about the same projection, if a pair is a factor; and all pairs of a set.
pub(super) fn each_factor<'a>(
    likelihoods: &'a Likelihoods,
    observations: &'a [Observation],
    factors: Factors,
) -> impl Iterator<Item = &'a [Observation]> {
    let mut rest = observations;
    std::iter::from_fn(move || {
        let first = rest.first()?;
        let same = |o: &Observation| {
            factors == Factors::Pair && o.edge() == first.edge() && likelihoods.about_set(o.answer).is_none()
        };
        let len = match likelihoods.about_set(first.answer) {
            Some(set) => set.order().pairs(),
            None => 1 + rest[1..].iter().take_while(|o| same(o)).count(),
        };
        let (factor, others) = rest.split_at(len);
        rest = others;
        Some(factor)
    })
}

/// The updates of the answers of one factor, which are seldom more than two.
pub(crate) struct Updated {
    pub(crate) first: Update,
    pub(super) others: SmallVec<[Update; 1]>,
}

impl Updated {
    /// Of a factor of one observation.
    pub(crate) fn one(update: Update) -> Self {
        Self { first: update, others: SmallVec::new() }
    }

    /// In the order of the answers.
    pub(crate) fn each(&self) -> impl Iterator<Item = &Update> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

/// The site of one factor in the direction of its projection, from those of its answers.
pub(super) fn of_factor(factor: &[Observation], tau: &[f64], nu: &[f64]) -> (f64, f64) {
    let add = |(t, n): (f64, f64), ((o, tau), nu): ((&Observation, &f64), &f64)| {
        (t + o.count() * tau, n + o.count() * o.sign() * nu)
    };
    factor.iter().zip(tau).zip(nu).fold((0.0, 0.0), add)
}

/// The likelihoods of the answers of one factor, as functions of its projection.
pub(crate) fn parts<'a>(
    likelihoods: &'a Likelihoods,
    factor: &[Observation],
) -> Vec<Part<'a, dyn Likelihood + 'a>> {
    let part =
        |o: &Observation| Part { likelihood: likelihoods.of(o.answer), sign: o.sign(), count: o.count() };
    factor.iter().map(part).collect()
}

/// All answers about one projection, as a function of it.
pub(crate) fn product<'a>(likelihoods: &'a Likelihoods, factor: &[Observation]) -> Product<'a> {
    Product::new(parts(likelihoods, factor))
}

/// Updates the site of one factor, `(tau, nu)` of all its answers, under the marginal `N(mean, variance)` of its projection. An answer on its own
/// has its closed moments; several are a [`Product`], of which each has its share.
///
/// Where an answer is a factor ([`Factors::Answer`]), the site is that of one of its copies.
pub(super) fn update_factor(
    likelihoods: &Likelihoods,
    factor: &[Observation],
    factors: Factors,
    (tau, nu): (f64, f64),
    (mean, variance): (f64, f64),
    rest: f64,
) -> Updated {
    if let [o] = factor {
        let copies = if factors == Factors::Answer { o.count() } else { 1.0 };
        if copies == o.count() {
            let (tau, nu) = (tau / copies, o.sign() * nu / copies);
            let first = update(likelihoods.of(o.answer), tau, nu, o.sign() * mean, variance, rest);
            return Updated::one(first);
        }
    }
    let product = product(likelihoods, factor);
    let mut slopes = Vec::new();
    let tilt = |m: f64, v: f64| {
        let (tilted, of_parts) = product.tilt(m, v);
        slopes = of_parts;
        tilted
    };
    let whole = update_by(tilt, (tau, nu), (mean, variance), rest);
    shared(factor, &whole, slopes)
}

/// The update of a factor of several answers, of which each has its share; `slopes` are those of each.
pub(super) fn shared(
    factor: &[Observation],
    whole: &Update,
    slopes: impl IntoIterator<Item = Slopes>,
) -> Updated {
    let share = 1.0 / factor.iter().map(Observation::count).sum::<f64>();
    let mut each = factor.iter().zip(slopes).map(|(o, d)| Update {
        tau: share * whole.tau,
        nu: share * o.sign() * whole.nu,
        log_evidence: share * whole.log_evidence,
        d,
        d_rest: share * whole.d_rest,
        ..*whole
    });
    let first = each.next().unwrap_or(*whole);
    Updated { first, others: each.collect() }
}

//! Gaussian sites, their cavities, and the scalar work of one EP update.

use super::Factors;
use super::observations::Observation;
use super::prior::Absorbed;
use super::set_factor;
use crate::likelihood::lanes::LANES;
use crate::likelihood::probits::{Asked, Kinds, MOST_KINDS};
use crate::likelihood::product::Product;
use crate::likelihood::quadrature::Part;
use crate::likelihood::{Likelihood, Likelihoods, Slopes, Tilted};
use rather_numerics::parallel;
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
const NARROWEST_CAVITY: f64 = 1e-13;

/// The mean and the variance of what is left of a marginal without a site.
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
fn update_by(
    tilt: impl FnOnce(f64, f64) -> Tilted,
    (tau, nu): (f64, f64),
    (mean, variance): (f64, f64),
    rest: f64,
) -> Update {
    let left = 1.0 - tau * variance;
    let shrink = left.max(NARROWEST_CAVITY);
    let (m, v) = cavity((tau, nu), (mean, variance));
    let tilted = tilt(m, v + rest);
    let seen = 1.0 / (1.0 + rest * tilted.tau);
    let (new_tau, new_nu) = (tilted.tau * seen, tilted.nu * seen);
    let (d_tau, d_nu) = (new_tau - tau, new_nu - nu);
    let widening = 1.0 + d_tau * variance;
    let narrowing = 1.0 / (1.0 + tilted.tau * (v + rest));
    let slope = (tilted.nu - tilted.tau * m) * narrowing;
    Update {
        tau: new_tau,
        nu: new_nu,
        d_rest: 0.5 * (slope * slope - tilted.tau * narrowing),
        mismatch: (d_tau.abs() * variance).max((d_nu - d_tau * mean).abs() * variance.sqrt()) / widening,
        log_evidence: tilted.log_z - 0.5 * shrink.ln()
            + 0.5 * shrink * (tau * m * m - 2.0 * nu * m - nu * nu * v),
        d: tilted.d,
        left,
    }
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
fn shared(factor: &[Observation], whole: &Update, slopes: impl IntoIterator<Item = Slopes>) -> Updated {
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

/// The probits among all answers, which are worked on side by side where beliefs are narrow.
struct Probits {
    kinds: Kinds,
    /// Which kind an answer is, by its number and its sign.
    which: Vec<[Option<usize>; 2]>,
}

impl Probits {
    /// Those with the noise of the first; `None` if that is no probit.
    fn of(likelihoods: &Likelihoods, observations: &[Observation]) -> Option<Self> {
        let mut said: Vec<[Option<&Observation>; 2]> = Vec::new();
        for o in observations {
            let (answer, direction) = Self::place(o);
            if said.len() <= answer {
                said.resize(answer + 1, [None; 2]);
            }
            said[answer][direction].get_or_insert(o);
        }
        let noise = |o: &Observation| likelihoods.of(o.answer).between().map(|between| between.s);
        let first = noise(observations.first()?)?;
        let (mut which, mut of_kinds) = (vec![[None; 2]; said.len()], Vec::new());
        for o in said.into_iter().flatten().flatten() {
            let is_set = likelihoods.about_set(o.answer).is_some();
            if !is_set && noise(o) == Some(first) && of_kinds.len() < MOST_KINDS {
                let (answer, direction) = Self::place(o);
                which[answer][direction] = Some(of_kinds.len());
                of_kinds.push((likelihoods.of(o.answer), o.sign()));
            }
        }
        Some(Self { kinds: Kinds::new(of_kinds.into_iter())?, which })
    }

    /// Number of an answer, and whether its sign is negative.
    fn place(o: &Observation) -> (usize, usize) {
        (o.answer.0 as usize, usize::from(o.sign() < 0.0))
    }

    fn kind(&self, o: &Observation) -> Option<usize> {
        let (answer, direction) = Self::place(o);
        self.which[answer][direction]
    }

    /// Asks for the moments of a factor under this belief, if it is narrow and all answers are of these kinds: the lane of them.
    fn ask(
        &self,
        asked: &mut Asked,
        factor: &[Observation],
        factors: Factors,
        (mean, variance): (f64, f64),
    ) -> Option<usize> {
        let is_whole = |o: &Observation| factors == Factors::Pair || o.count() == 1.0;
        let may =
            self.kinds.may_serve(variance) && factor.iter().all(|o| is_whole(o) && self.kind(o).is_some());
        if !may {
            return None;
        }
        let lane = asked.push(mean, variance);
        factor.iter().for_each(|o| asked.count(self.kind(o).unwrap_or_default(), o.count()));
        Some(lane)
    }
}

/// Pairs that are worth working on side by side.
const A_FEW: usize = 3;

/// Factors that a thread is worth waking up for; and where some are answers about sets, each of which takes as long as dozens of others.
const MANY: usize = 2048;
const MANY_WITH_SETS: usize = 32;
/// Observations whose updates are held at a time.
const CHUNK: usize = 1 << 12;

/// Bytes of the updates that are held at a time, of so many observations.
pub(crate) fn held(observations: usize) -> usize {
    observations.min(CHUNK) * (size_of::<Updated>() + size_of::<(usize, &[Observation])>())
}

/// How a parallel sweep found the sites.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Swept {
    /// The largest mismatch of tilted and marginal moments; infinite if a cavity is none.
    pub residual: f64,
    /// Factors whose cavity rounding has eaten, so that it was taken for as narrow as rounding lets it be told.
    pub clipped: usize,
}

/// What is believed of the projection of one factor: its site, its marginal, and the variance that it has besides.
struct Belief {
    site: (f64, f64),
    marginal: (f64, f64),
    rest: f64,
}

/// All updates from one state of the posterior (a parallel sweep), handed to `take` in the order of the observations. `rest` is
/// [`GaussianPrior::rest`](super::prior::GaussianPrior::rest).
pub fn update_each(
    likelihoods: &Likelihoods,
    observations: &[Observation],
    factors: Factors,
    sites: &Sites,
    posterior: &Absorbed,
    rest: &[f64],
    mut take: impl FnMut(&Observation, &Update),
) -> Swept {
    let belief = |first: usize, factor: &[Observation]| {
        let (edge, own) = (factor[0].edge(), first..first + factor.len());
        Belief {
            site: of_factor(factor, &sites.tau[own.clone()], &sites.nu[own]),
            marginal: (posterior.mean[edge], posterior.variance[edge]),
            rest: rest.get(edge).copied().unwrap_or(0.0),
        }
    };
    let one = |first: usize, factor: &[Observation]| {
        let own = first..first + factor.len();
        if let Some(set) = likelihoods.set(factor[0].answer) {
            let marginal = |edge: usize| (posterior.mean[edge], posterior.variance[edge]);
            return set_factor::update(
                set,
                factor,
                (&sites.tau[own.clone()], &sites.nu[own]),
                marginal,
                rest,
            );
        }
        let Belief { site, marginal, rest } = belief(first, factor);
        update_factor(likelihoods, factor, factors, site, marginal, rest)
    };
    let probits = Probits::of(likelihoods, observations);
    // Neighbours, the probits among them side by side.
    let several = |neighbours: &[(usize, &[Observation])]| -> Vec<Updated> {
        let alone = |&(first, factor): &(usize, &[Observation])| one(first, factor);
        let Some(probits) = &probits else { return neighbours.iter().map(alone).collect() };
        let mut asked = Asked::none();
        let mut lanes = [None; LANES];
        for (lane, &(first, factor)) in lanes.iter_mut().zip(neighbours) {
            let Belief { site, marginal, rest } = belief(first, factor);
            let (mean, variance) = cavity(site, marginal);
            *lane = probits.ask(&mut asked, factor, factors, (mean, variance + rest));
        }
        if asked.number() < A_FEW {
            return neighbours.iter().map(alone).collect();
        }
        let moments = probits.kinds.moments(asked);
        let both = neighbours.iter().zip(lanes);
        both.map(|(neighbour, lane)| {
            let (first, factor) = *neighbour;
            let found = lane.and_then(|lane| Some((lane, moments.site(lane)?)));
            let Some((lane, tilted)) = found else { return one(first, factor) };
            let Belief { site, marginal, rest } = belief(first, factor);
            let whole = update_by(|_, _| tilted, site, marginal, rest);
            let slopes =
                factor.iter().filter_map(|o| Some(probits.kinds.slopes(probits.kind(o)?, lane, &moments)));
            shared(factor, &whole, slopes)
        })
        .collect()
    };
    let mut updates = Vec::new();
    let mut swept = Swept { residual: 0.0, clipped: 0 };
    let mut improper = false;
    let mut each = each_factor(likelihoods, observations, factors).peekable();
    let mut next = 0;
    while each.peek().is_some() {
        let until = next + CHUNK;
        let mut held: Vec<(usize, &[Observation])> = Vec::new();
        while let Some(factor) = each.next_if(|_| next < until) {
            held.push((next, factor));
            next += factor.len();
        }
        let has_sets = held.last().is_some_and(|(_, of_last)| likelihoods.set(of_last[0].answer).is_some());
        let many = if has_sets { MANY_WITH_SETS } else { MANY };
        let groups: Vec<&[(usize, &[Observation])]> = held.chunks(LANES).collect();
        updates = parallel::map_into(updates, groups.len(), many.div_ceil(LANES), |g| several(groups[g]));
        for ((_, factor), updated) in held.iter().zip(updates.iter().flatten()) {
            let Update { mismatch, left, .. } = updated.first;
            // A mismatch that is not a number is the worst.
            swept.residual = if mismatch.is_nan() { f64::INFINITY } else { swept.residual.max(mismatch) };
            swept.clipped += usize::from(left < NARROWEST_CAVITY);
            improper |= left <= 0.0;
            factor.iter().zip(updated.each()).for_each(|(o, update)| take(o, update));
        }
    }
    // Among sites of negative precision a cavity may have none left: such a state is no place to go on from.
    if improper && sites.tau.iter().any(|&t| t < 0.0) {
        swept.residual = f64::INFINITY;
    }
    swept
}

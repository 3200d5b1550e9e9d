//! All factors from one state of the posterior, several side by side on the vectors of the machine: parallel sweeps, and Newton's steps.

use super::Factors;
use super::observations::Observation;
use super::prior::Absorbed;
use super::set_factor;
use super::sites::{
    NARROWEST_CAVITY, Sites, Update, Updated, cavity, each_factor, of_factor, shared, update_by,
    update_factor, update_of,
};
use crate::likelihood::lanes::{LANES, Lanes};
use crate::likelihood::probit::tilt_lanes;
use crate::likelihood::probits::{Asked, Kinds, MOST_KINDS};
use crate::likelihood::{LOG_NOISE, Likelihoods, NO_SLOPES};
use rather_numerics::parallel;
use rather_numerics::simd::vectorised;
use rather_numerics::special::logarithm::ln;
use smallvec::SmallVec;

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
        Some(self.push(asked, factor, (mean, variance), Observation::count))
    }

    /// Asks for the slopes of a factor at a point, if all answers are of these kinds: the lane of them.
    fn ask_at(&self, asked: &mut Asked, factor: &[Observation], factors: Factors, at: f64) -> Option<usize> {
        let count = |o: &Observation| if factors == Factors::Pair { o.count() } else { 1.0 };
        let may = factor.iter().all(|o| self.kind(o).is_some());
        may.then(|| self.push(asked, factor, (at, 0.0), count))
    }

    /// Takes another factor; its lane.
    fn push(
        &self,
        asked: &mut Asked,
        factor: &[Observation],
        (mean, variance): (f64, f64),
        count: impl Fn(&Observation) -> f64,
    ) -> usize {
        let lane = asked.push(mean, variance);
        factor.iter().for_each(|o| asked.count(self.kind(o).unwrap_or_default(), count(o)));
        lane
    }
}

/// The standard deviations of the noise of plain probits, by the numbers of their answers.
struct Plain(Vec<Option<f64>>);

impl Plain {
    fn of(likelihoods: &Likelihoods, observations: &[Observation]) -> Self {
        let mut out: Vec<Option<Option<f64>>> = Vec::new();
        for o in observations {
            let answer = o.answer.0 as usize;
            if out.len() <= answer {
                out.resize(answer + 1, None);
            }
            out[answer].get_or_insert_with(|| {
                let between = likelihoods
                    .of(o.answer)
                    .between()
                    .filter(|_| likelihoods.about_set(o.answer).is_none())?;
                (between.thresholds == [0.0, f64::INFINITY] && !between.has_slots).then_some(between.s)
            });
        }
        Self(out.into_iter().map(Option::flatten).collect())
    }

    /// The noise of a factor that is one plain probit.
    fn noise(&self, factor: &[Observation], factors: Factors) -> Option<f64> {
        match factor {
            [o] if factors == Factors::Answer || o.count() == 1.0 => self.0[o.answer.0 as usize],
            _ => None,
        }
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
    let (plain, probits) = (Plain::of(likelihoods, observations), Probits::of(likelihoods, observations));
    // The plain probits among neighbours side by side, each in its own direction.
    let of_plain = |neighbours: &[Factor<'_>]| -> Vec<Updated> {
        let mut lanes = UpdateLanes::default();
        for (l, &(first, factor)) in neighbours.iter().enumerate() {
            let Belief { site: (tau, nu), marginal: (mean, variance), rest } = belief(first, factor);
            let copies = if factors == Factors::Answer { factor[0].count() } else { 1.0 };
            let (sign, s) = (factor[0].sign(), plain.noise(factor, factors).unwrap_or(1.0));
            lanes.set(l, s, (tau / copies, sign * nu / copies), (sign * mean, variance), rest);
        }
        lanes.updates(neighbours.len())
    };
    // Other probits among neighbours, where they are narrow.
    let of_others = |neighbours: &[Factor<'_>]| -> Vec<Updated> {
        let alone = |&(first, factor): &Factor<'_>| one(first, factor);
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
    let mut swept = Swept { residual: 0.0, clipped: 0 };
    let mut improper = false;
    let is_plain = |factor: &[Observation]| plain.noise(factor, factors).is_some();
    let several = |neighbours: &[Factor<'_>], is_plain: bool| {
        if is_plain && neighbours.len() >= A_FEW { of_plain(neighbours) } else { of_others(neighbours) }
    };
    each_group(likelihoods, observations, factors, is_plain, several, |(_, factor), updated: &Updated| {
        let Update { mismatch, left, .. } = updated.first;
        // A mismatch that is not a number is the worst.
        swept.residual = if mismatch.is_nan() { f64::INFINITY } else { swept.residual.max(mismatch) };
        swept.clipped += usize::from(left < NARROWEST_CAVITY);
        improper |= left <= 0.0;
        factor.iter().zip(updated.each()).for_each(|(o, update)| take(o, update));
    });
    // Among sites of negative precision a cavity may have none left: such a state is no place to go on from.
    if improper && sites.tau.iter().any(|&t| t < 0.0) {
        swept.residual = f64::INFINITY;
    }
    swept
}

/// The sites of the slope and the curvature of every factor where the projections are `at`, in the order of the observations; none has a negative precision.
pub(super) fn expand_each(
    likelihoods: &Likelihoods,
    observations: &[Observation],
    factors: Factors,
    at: &[f64],
) -> Sites {
    let site = |z: f64, (slope, curvature): (f64, f64)| {
        let tau = curvature.max(0.0);
        (tau, slope + tau * z)
    };
    let one = |factor: &[Observation]| -> SmallVec<[(f64, f64); 2]> {
        let each = factor.iter().map(|o| {
            let z = o.sign() * at[o.edge()];
            let (here, _) = likelihoods.of(o.answer).height(z);
            site(z, (here.first, here.precision))
        });
        each.collect()
    };
    let probits = Probits::of(likelihoods, observations);
    let several = |neighbours: &[Factor<'_>], _: bool| -> Vec<SmallVec<[(f64, f64); 2]>> {
        let alone = |(_, factor): &Factor<'_>| one(factor);
        let Some(probits) = &probits else { return neighbours.iter().map(alone).collect() };
        let mut asked = Asked::none();
        let mut lanes = [None; LANES];
        for (lane, (_, factor)) in lanes.iter_mut().zip(neighbours) {
            *lane = probits.ask_at(&mut asked, factor, factors, at[factor[0].edge()]);
        }
        let heights = probits.kinds.heights(&asked);
        let both = neighbours.iter().zip(lanes);
        both.map(|((_, factor), lane)| {
            let found = lane.and_then(|lane| heights.of(lane));
            let Some(found) = found else { return one(factor) };
            let (tau, nu) = site(at[factor[0].edge()], found);
            let share = 1.0 / copies(factor, factors);
            factor.iter().map(|o| (share * tau, share * o.sign() * nu)).collect()
        })
        .collect()
    };
    let mut sites = Sites::with_capacity(observations.len());
    let alike = |_: &[Observation]| false;
    each_group(
        likelihoods,
        observations,
        factors,
        alike,
        several,
        |_, of_factor: &SmallVec<[(f64, f64); 2]>| {
            sites.tau.extend(of_factor.iter().map(|(tau, _)| tau));
            sites.nu.extend(of_factor.iter().map(|(_, nu)| nu));
        },
    );
    sites
}

/// Answers of which a factor has the site of one.
fn copies(factor: &[Observation], factors: Factors) -> f64 {
    match factors {
        Factors::Pair => factor.iter().map(Observation::count).sum(),
        Factors::Answer => 1.0,
    }
}

/// The observations of a factor, and the number of the first.
type Factor<'a> = (usize, &'a [Observation]);

/// Hands `take` every factor with what `several` finds of it and its neighbours of the same kind, [`LANES`] at a time, in the order of the observations.
fn each_group<R: Send>(
    likelihoods: &Likelihoods,
    observations: &[Observation],
    factors: Factors,
    kind: impl Fn(&[Observation]) -> bool,
    several: impl Fn(&[Factor<'_>], bool) -> Vec<R> + Sync,
    mut take: impl FnMut(Factor<'_>, &R),
) {
    let (mut found, mut held): (Vec<Vec<R>>, [Vec<Factor<'_>>; 2]) = Default::default();
    let mut kinds = Vec::new();
    let mut each = each_factor(likelihoods, observations, factors).peekable();
    let mut next = 0;
    while each.peek().is_some() {
        let until = next + CHUNK;
        kinds.clear();
        held.iter_mut().for_each(Vec::clear);
        while let Some(factor) = each.next_if(|_| next < until) {
            let kind = kind(factor);
            kinds.push(kind);
            held[usize::from(kind)].push((next, factor));
            next += factor.len();
        }
        let is_set = |(_, factor): &Factor<'_>| likelihoods.set(factor[0].answer).is_some();
        let many = if held[0].last().is_some_and(is_set) { MANY_WITH_SETS } else { MANY };
        let groups: Vec<(&[Factor<'_>], bool)> = [false, true]
            .iter()
            .flat_map(|&kind| held[usize::from(kind)].chunks(LANES).map(move |group| (group, kind)))
            .collect();
        found = parallel::map_into(found, groups.len(), many.div_ceil(LANES), |g| {
            several(groups[g].0, groups[g].1)
        });
        let (others, plain) = found.split_at(held[0].len().div_ceil(LANES));
        let mut results = [others, plain].map(|found| found.iter().flatten());
        let mut factors = held.each_ref().map(|held| held.iter());
        for kind in kinds.iter().map(|&kind| usize::from(kind)) {
            if let (Some(factor), Some(result)) = (factors[kind].next(), results[kind].next()) {
                take(*factor, result);
            }
        }
    }
}

/// Plain probits side by side, with what is believed of each.
#[derive(Debug, Clone, Copy, Default)]
struct UpdateLanes {
    s: Lanes,
    tau: Lanes,
    nu: Lanes,
    mean: Lanes,
    variance: Lanes,
    rest: Lanes,
}

impl UpdateLanes {
    /// Lanes that are not used are like the first.
    fn set(&mut self, lane: usize, s: f64, (tau, nu): (f64, f64), (mean, variance): (f64, f64), rest: f64) {
        let lanes = if lane == 0 { 0..LANES } else { lane..lane + 1 };
        let all = [
            (&mut self.s, s),
            (&mut self.tau, tau),
            (&mut self.nu, nu),
            (&mut self.mean, mean),
            (&mut self.variance, variance),
            (&mut self.rest, rest),
        ];
        all.into_iter().for_each(|(lane, x)| lane[lanes.clone()].fill(x));
    }

    /// The updates of the first lanes, as those of [`update`](super::sites::update).
    fn updates(&self, number: usize) -> Vec<Updated> {
        let Self { s, tau, nu, mean, variance, rest } = self;
        let (found, in_noise) = vectorised(
            #[inline(always)]
            || {
                let (mut m, mut v) = ([0.0; LANES], [0.0; LANES]);
                for l in 0..LANES {
                    (m[l], v[l]) = cavity((tau[l], nu[l]), (mean[l], variance[l]));
                    v[l] += rest[l];
                }
                let tilted = tilt_lanes(s, &m, &v);
                let mut found = [[0.0; LANES]; 6];
                for l in 0..LANES {
                    let moments = (tilted.log_z[l], tilted.tau[l], tilted.nu[l]);
                    let of_lane = update_of(moments, (tau[l], nu[l]), (mean[l], variance[l]), rest[l], ln);
                    for k in 0..6 {
                        found[k][l] = of_lane[k];
                    }
                }
                (found, tilted.in_noise)
            },
        );
        let update = |l: usize| {
            let mut d = NO_SLOPES;
            d[LOG_NOISE] = in_noise[l];
            Updated::one(Update::new(found.map(|of| of[l]), d))
        };
        (0..number).map(update).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::sites::update;
    use super::*;
    use crate::likelihood::{AnswerIndex, Probit};
    use proptest::prelude::*;

    /// A noise, a site, a marginal, and what the projection has besides.
    type Case = (f64, (f64, f64), (f64, f64), f64);

    fn case() -> impl Strategy<Value = Case> {
        let log = |low: f64, high: f64| (low..high).prop_map(f64::exp);
        // The site takes up to nearly all of the marginal's precision.
        (log(-3.0, 2.0), -0.5..0.99_f64, -5.0..5.0_f64, -8.0..8.0_f64, log(-9.0, 3.0), 0.0..2.0_f64).prop_map(
            |(s, share, pull, mean, variance, rest)| {
                let tau = share / variance;
                (s, (tau, pull / variance.sqrt()), (mean, variance), if rest < 1.0 { 0.0 } else { rest })
            },
        )
    }

    fn near(a: f64, b: f64, size: f64) -> bool {
        (a - b).abs() <= 1e-12 * (b.abs() + size)
    }

    proptest! {
        #[test]
        fn plain_probits_side_by_side_are_as_alone(cases in prop::collection::vec(case(), 1..=LANES)) {
            let mut lanes = UpdateLanes::default();
            for (l, &(s, site, marginal, rest)) in cases.iter().enumerate() {
                lanes.set(l, s, site, marginal, rest);
            }
            let found = lanes.updates(cases.len());
            prop_assert_eq!(found.len(), cases.len());
            for (found, &(s, (tau, nu), (mean, variance), rest)) in found.iter().zip(&cases) {
                let (found, expected) = (found.first, update(&Probit::label(s), tau, nu, mean, variance, rest));
                let scale = variance.sqrt();
                prop_assert!(near(found.tau * variance, expected.tau * variance, 1.0), "{found:?} {expected:?}");
                prop_assert!(near(found.nu * scale, expected.nu * scale, 1.0 + mean.abs() / scale), "{found:?} {expected:?}");
                prop_assert!(near(found.log_evidence, expected.log_evidence, 100.0), "{found:?} {expected:?}");
                prop_assert!(near(found.mismatch, expected.mismatch, 10.0 + mean.abs() / scale), "{found:?} {expected:?}");
                prop_assert!(near(found.d[LOG_NOISE], expected.d[LOG_NOISE], 1.0), "{found:?} {expected:?}");
                prop_assert!(near(found.d_rest * variance, expected.d_rest * variance, 1.0), "{found:?} {expected:?}");
                prop_assert_eq!(found.left, expected.left);
            }
        }

        /// Of pairs that were answered both ways, and of answers on their own.
        #[test]
        fn slopes_side_by_side_are_those_of_each_answer(
            all in prop::collection::vec((0..6_usize, any::<bool>(), 1..4_u8), 1..40),
            at in prop::array::uniform6(-4.0..4.0_f64),
            is_pair in any::<bool>(),
        ) {
            let factors = if is_pair { Factors::Pair } else { Factors::Answer };
            let mut all = all;
            all.sort_unstable();
            let likelihoods = Likelihoods::new(0.7);
            let observations: Vec<Observation> = all
                .iter()
                .map(|&(edge, is_won, count)| {
                    let sign = if is_won { 1.0 } else { -1.0 };
                    Observation::new(edge, sign, f64::from(count), AnswerIndex::CHOICE)
                })
                .collect();
            let found = expand_each(&likelihoods, &observations, factors, &at);
            let (tau, nu) = found.by_edge(&observations, at.len());
            let (mut expected_tau, mut expected_nu) = (vec![0.0; at.len()], vec![0.0; at.len()]);
            for o in &observations {
                let z = o.sign() * at[o.edge()];
                let (here, _) = likelihoods.of(o.answer).height(z);
                expected_tau[o.edge()] += o.count() * here.precision;
                expected_nu[o.edge()] += o.count() * o.sign() * (here.first + here.precision * z);
            }
            for (found, expected) in tau.iter().chain(&nu).zip(expected_tau.iter().chain(&expected_nu)) {
                prop_assert!(near(*found, *expected, 1.0), "{found} {expected}");
            }
        }
    }
}

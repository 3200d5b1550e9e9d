//! Cycles of the merged scheme, with Anderson acceleration.
//!
//! A cycle goes from the sites of the answers, and those that they give the latent functions, to the next ones: an update of every answer's site,
//! then sweeps over weights and functions. Weights and functions by turns are slow where one can make up for the other. With many users, first, far
//! from a fixpoint, they are rotated into each other; then steps are extrapolated. With few answers cycles are cheap, and extrapolation may end
//! where the evidence has a saddle.

use super::Weights;
use super::joint::Course;
use super::sides::Half;
use super::state::{Problem, State};
use crate::inference::anderson::Anderson;
use crate::inference::ep::depth;
use crate::inference::sites::Sites;

/// Records from which on joint weights of all users are what costs, and cycles are accelerated.
const LARGE: usize = 16_384;
/// Cycles with weights and functions in turn that an accelerated fit begins with: which of several fixpoints it goes to is settled by then.
const IN_TURN: usize = 3;
/// Change of an accelerated fit's cycle above which weights and functions are rotated into each other.
const ROTATES: f64 = 0.02;
/// Most cycles with a rotation. The rotation is the best one but for correlations of the functions, so a fixpoint need not be one of it.
const ROTATIONS: usize = 20;
/// Change of a cycle below which steps are extrapolated, if so many cycles in a row came closer by themselves. Twice as many each time that went
/// wrong: where the functions still turn into each other, a cycle is no linear map.
const EXTRAPOLATES: f64 = 0.06;
const FALLING: usize = 6;
/// Growth of the change over its least at which extrapolation went wrong.
const GROWTH: f64 = 3.0;

/// The steps so far.
pub(super) struct Cycles<'p, 'a> {
    problem: &'p Problem<'a>,
    anderson: Anderson,
    accelerates: bool,
    /// The sites on the functions that the last sweeps began with, function by function; nothing before the second cycle.
    functions: Option<Sites>,
    change: f64,
    rotations: usize,
    cycles: usize,
    /// Answers that the last plain cycle skipped.
    skipped: usize,
    falling: usize,
    wanted: usize,
    /// While steps are extrapolated, the best point so far.
    best: Option<Best>,
    /// Answers about each pair.
    of_pairs: Vec<f64>,
}

/// A point to return to.
struct Best {
    sites: Sites,
    functions: Sites,
    change: f64,
    skipped: usize,
}

impl<'p, 'a> Cycles<'p, 'a> {
    pub(super) fn new(problem: &'p Problem<'a>) -> Self {
        let records = problem.answers.records().len();
        let sites = records + problem.settings.functions * problem.answers.edges().len();
        let mut of_pairs = vec![0.0; problem.answers.edges().len()];
        problem.answers.records().iter().for_each(|r| of_pairs[r.edge] += r.count);
        Self {
            problem,
            anderson: Anderson::new(depth(sites)),
            accelerates: problem.settings.weights == Weights::Joint && records >= LARGE,
            functions: None,
            change: f64::INFINITY,
            rotations: 0,
            cycles: 0,
            skipped: 0,
            falling: 0,
            wanted: FALLING,
            best: None,
            of_pairs,
        }
    }

    /// One cycle; returns how far it is from a fixpoint, or `None` if the numbers broke down: the mismatch of the answers' sites, or what the cycle
    /// moved (of an accelerated one, what its sweeps moved the functions), in standard deviations of `g`, as the root of the mean square over the
    /// answers. The largest change of any answer would make the number of cycles grow with the number of users.
    pub(super) fn next(&mut self, state: &mut State) -> Option<f64> {
        if !self.accelerates {
            let before = state.mean.clone();
            let mismatch = state.update_sites(self.problem, self.problem.settings.damping);
            state.sweeps(self.problem, Course::InTurn)?;
            let change = mismatch.max(state.moved_from(&before));
            return change.is_finite().then_some(change);
        }
        let begins = self.falling >= self.wanted && self.change < EXTRAPOLATES && self.functions.is_some();
        match begins || self.best.is_some() {
            true => self.extrapolated(state),
            false => self.plain(state),
        }
    }

    fn plain(&mut self, state: &mut State) -> Option<f64> {
        let first = self.change.is_infinite();
        let skipped = state.skipped;
        let mismatch = state.update_sites(self.problem, self.problem.settings.damping);
        self.skipped = state.skipped - skipped;
        // At first the functions may have no sites on these pairs yet.
        self.functions = (!first).then(|| of_functions(&state.items));
        let course = self.course();
        self.cycles += 1;
        self.rotations += usize::from(course == Course::Rotation);
        let change = mismatch.max(state.sweeps(self.problem, course)?);
        self.falling = if change < self.change { self.falling + 1 } else { 0 };
        self.change = change;
        change.is_finite().then_some(change)
    }

    fn extrapolated(&mut self, state: &mut State) -> Option<f64> {
        if self.best.is_none() {
            self.best = Some(self.here(state, self.change)?);
        }
        let least = self.best.as_ref()?.change;
        let skipped = state.skipped + self.skipped;
        let change = self.step(state).unwrap_or(f64::INFINITY);
        let is_wrong = state.skipped > skipped || change.is_nan() || change > GROWTH * least;
        if is_wrong {
            return self.back(state);
        }
        if change < least {
            self.best = Some(self.here(state, change)?);
        }
        self.change = change;
        Some(change)
    }

    fn here(&self, state: &State, change: f64) -> Option<Best> {
        let functions = self.functions.clone()?;
        Some(Best { sites: state.sites.clone(), functions, change, skipped: state.skipped })
    }

    /// Returns to the best point, from which plain cycles go on.
    fn back(&mut self, state: &mut State) -> Option<f64> {
        let best = self.best.take()?;
        self.anderson.restart();
        self.wanted *= 2;
        self.falling = 0;
        self.change = best.change;
        state.sites = best.sites;
        state.skipped = best.skipped;
        self.put(state, &best.functions)?;
        state.sweeps(self.problem, Course::WeightsOnce)?;
        Some(best.change)
    }

    /// A cycle whose step from the point at which the last sweeps began is extrapolated.
    fn step(&mut self, state: &mut State) -> Option<f64> {
        let functions = self.functions.take()?;
        let count = state.sites.tau.len();
        let joined = |a: &Sites, b: &Sites| Sites {
            tau: [&a.tau[..], &b.tau].concat(),
            nu: [&a.nu[..], &b.nu].concat(),
        };
        let point = joined(&state.sites, &functions);
        let undamped = 1.0;
        let mismatch = state.update_sites(self.problem, undamped);
        let mut step = joined(&state.sites, &of_functions(&state.items));
        let minus = |to: &mut [f64], from: &[f64]| to.iter_mut().zip(from).for_each(|(to, x)| *to -= x);
        minus(&mut step.tau, &point.tau);
        minus(&mut step.nu, &point.nu);
        let (records, pairs) = (self.problem.answers.records(), self.problem.answers.edges().len());
        let measure = |m: usize| match m.checked_sub(count) {
            None => (state.variance[m], records[m].count),
            // As a move of `g`, of variance about 1, for everybody who answered: a function that many have answered about is known so well that
            // its own standard deviation is no measure.
            Some(place) => {
                let variance = state.items[place / pairs].posterior.variance[place % pairs];
                (variance, (variance * self.of_pairs[place % pairs]).sqrt())
            }
        };
        let mut next = self.anderson.next(point, step, measure, self.problem.settings.damping);
        let functions = Sites { tau: next.tau.split_off(count), nu: next.nu.split_off(count) };
        state.sites = next;
        self.put(state, &functions)?;
        self.functions = Some(functions);
        Some(mismatch.max(state.sweeps(self.problem, Course::WeightsOnce)?))
    }

    /// The course of a plain cycle.
    fn course(&self) -> Course {
        if self.cycles < IN_TURN {
            Course::InTurn
        } else if self.change > ROTATES && self.rotations < ROTATIONS {
            Course::Rotation
        } else {
            Course::WeightsOnce
        }
    }

    /// Functions with the given sites.
    fn put(&self, state: &mut State, functions: &Sites) -> Option<()> {
        let pairs = self.problem.answers.edges().len();
        for (d, half) in state.items.iter_mut().enumerate() {
            let own = d * pairs..(d + 1) * pairs;
            let (tau, nu) = (functions.tau[own.clone()].to_vec(), functions.nu[own].to_vec());
            *half = Half::of_items(self.problem.items, tau, nu)?;
        }
        Some(())
    }
}

/// The sites on all functions.
fn of_functions(items: &[Half]) -> Sites {
    let all = |of: fn(&Half) -> &[f64]| items.iter().flat_map(of).copied().collect();
    Sites { tau: all(|half| &half.tau), nu: all(|half| &half.nu) }
}

#[cfg(test)]
mod tests {
    use super::super::{Data, Prepared, Settings};
    use super::*;
    use crate::answers::Answer;
    use crate::kernel::{Schema, parse};
    use crate::many::{UserAnswers, UserPrior};
    use crate::points::Points;
    use rather_numerics::random::{normal, normals, stream, uniform};

    const ITEMS: usize = 12;
    const USERS: usize = 120;

    /// Users with weights of two functions of the one feature, 15 noisy choices each.
    fn answers(seed: u64, x: &[f64]) -> UserAnswers {
        let mut rng = stream(seed, 0);
        let mut said = Vec::new();
        for user in 0..USERS {
            let w = normals(2, &mut rng);
            for _ in 0..15 {
                let i = (uniform(&mut rng) * ITEMS as f64) as usize;
                let j = (i + 1 + (uniform(&mut rng) * (ITEMS - 1) as f64) as usize) % ITEMS;
                let g = w[0] * (x[i].sin() - x[j].sin()) + w[1] * (x[i].cos() - x[j].cos());
                let (winner, loser) = if 2.0 * g + normal(&mut rng) > 0.0 { (i, j) } else { (j, i) };
                said.push(Answer::rather(winner, loser).by(user));
            }
        }
        UserAnswers::new(USERS, ITEMS, said).unwrap()
    }

    /// Where accelerated cycles end, plain ones stay; and the evidence there is that of the maximum that plain ones climb to.
    #[test]
    fn acceleration_ends_where_plain_cycles_stay() {
        let x: Vec<f64> = (0..ITEMS).map(|i| 0.5 * i as f64).collect();
        let points = Points::new((0..ITEMS as u64).collect(), 1, x.clone());
        let schema = Schema { names: vec!["x".into()], categorical: vec![false], context: 0 };
        let mut kernel = parse("se", &schema, false).unwrap();
        kernel.set_parameters(&[1.0, 1.0]).unwrap();
        let settings = Settings { functions: 4, weights: Weights::Joint, ..Settings::default() };
        let (mut rotated, mut extrapolated) = (0, 0);
        for seed in 0..3 {
            let answers = answers(seed, &x);
            let data = Data { items: &points, users: None, answers: &answers };
            let prepared = Prepared::new(&data, &kernel, &UserPrior::exchangeable(0.25), &settings).unwrap();
            let problem = prepared.problem(&answers);
            let end = |accelerates: bool| {
                let mut state = State::start(&problem, 0).unwrap();
                let mut cycles = Cycles { accelerates, ..Cycles::new(&problem) };
                let mut used = (0, 0);
                for _ in 0..settings.cycles {
                    used = (used.0.max(cycles.rotations), used.1 + usize::from(cycles.best.is_some()));
                    if cycles.next(&mut state).unwrap() <= settings.tolerance {
                        return (state.log_evidence(&problem), state, used);
                    }
                }
                panic!("no end after {} cycles", settings.cycles);
            };
            let (evidence, mut state, used) = end(true);
            let (plain, ..) = end(false);
            // Nats, of some thousand: maxima differ by as little as starts do.
            assert!((evidence - plain).abs() < 1.0, "{evidence} and {plain}");
            assert_eq!(state.skipped, 0);
            // The same measure and three sweeps in turn, which see a little more than one update of the weights.
            let change = Cycles::new(&problem).next(&mut state).unwrap();
            assert!(change < 4.0 * settings.tolerance, "{change}");
            (rotated, extrapolated) = (rotated + used.0, extrapolated + used.1);
        }
        assert!(rotated > 0 && extrapolated > 0, "{rotated} rotations, {extrapolated} extrapolations");
    }
}

//! Which latent variables stand behind which points.

use std::collections::HashMap;

use rustc_hash::FxHashMap;

use super::steps::{Bridge, Dynamics};
use crate::inference::observations::Edge;
use crate::kernel::{Carrier, Kernel, Term};
use crate::points::Points;

/// What points of one group have in common: the item, if that counts, and the levels of columns.
type GroupKey = (u32, Option<u64>, Vec<u64>);

/// The variables of one group of one term: one, a weight a column, or the states of a process at the times of the group's points.
#[derive(Debug, Clone)]
pub(super) struct Component {
    pub(super) term: usize,
    /// Its first variable.
    pub(super) first: usize,
    /// Of a process: the times of its states, in increasing order, all after its start. Else empty.
    pub(super) times: Vec<f64>,
    /// Of a process: where it starts, if it does.
    pub(super) start: f64,
}

/// Groups whose factor is worth a thought before it is looked for.
const MANY_GROUPS: usize = 1000;
/// Pairs compared, one group with another, from which on a random graph has a dense core.
const JOINED: usize = 3;

/// The components of a term by what points have in common.
#[derive(Debug, Clone, Default)]
struct Numbers {
    /// Of a term of which all points are one group.
    only: Option<u32>,
    /// Of a term of which an item is a group.
    of_item: FxHashMap<u64, u32>,
    /// Of others.
    of_key: HashMap<GroupKey, u32>,
}

impl Numbers {
    /// Where the number of a point's group is, if it is known.
    fn get(&self, term: &Term, points: &Points, i: usize) -> Option<u32> {
        match (term.by_item, term.levels.is_empty()) {
            (false, true) => self.only,
            (true, true) => self.of_item.get(&points.id(i)).copied(),
            (_, false) => self.of_key.get(&term.key(0, points, i)).copied(),
        }
    }

    fn insert(&mut self, term: &Term, points: &Points, i: usize, number: u32) {
        match (term.by_item, term.levels.is_empty()) {
            (false, true) => self.only = Some(number),
            (true, true) => drop(self.of_item.insert(points.id(i), number)),
            (_, false) => drop(self.of_key.insert(term.key(0, points, i), number)),
        }
    }
}

/// The latent variables behind the points of a fit.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(super) terms: Vec<Term>,
    pub(super) components: Vec<Component>,
    numbers: Vec<Numbers>,
    variables: usize,
}

/// A point as a linear function of the variables, and of what they leave open.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    /// Variables with their factors; one may occur more than once.
    pub(super) entries: Vec<(usize, f64)>,
    /// What is independent of all variables.
    pub(super) rests: Vec<Rest>,
}

/// A part of a point's utility that is independent of all variables.
#[derive(Debug, Clone)]
pub(super) struct Rest {
    /// Which group it is of.
    key: GroupKey,
    factor: f64,
    variance: f64,
    /// Of a process: the covariances of its state's components with the first.
    column: Vec<f64>,
    /// Of a process: the time, and that of the state after it, between which what is left open is correlated.
    time: Option<(f64, Option<f64>, Dynamics)>,
}

impl Term {
    /// What a point has in common with those of its group.
    fn key(&self, number: usize, points: &Points, i: usize) -> GroupKey {
        let row = points.row(i);
        let levels = self.levels.iter().map(|&column| row[column].to_bits()).collect();
        (number as u32, self.by_item.then(|| points.id(i)), levels)
    }

    /// The time of a point and the start of its process.
    pub(super) fn time(&self, points: &Points, i: usize) -> Option<(f64, f64)> {
        let Carrier::Process { column, start, .. } = &self.carrier else { return None };
        let row = points.row(i);
        Some((row[*column], start.map_or(f64::NEG_INFINITY, |start| row[start])))
    }

    /// The process at these parameters of the kernel, if the term has one.
    pub(super) fn dynamics(&self, parameters: &[f64]) -> Option<Dynamics> {
        let Carrier::Process { process, lengthscale, .. } = &self.carrier else { return None };
        let rate = process.rate(lengthscale.map(|place| parameters[place]));
        Some(Dynamics { process: *process, variance: self.variance(parameters), rate })
    }

    /// Number of variables of a group, at a time of a process.
    pub(crate) fn order(&self) -> usize {
        match &self.carrier {
            Carrier::One => 1,
            Carrier::Weights { columns, .. } => columns.len(),
            Carrier::Process { process, .. } => process.order(),
        }
    }

    /// The variance of each variable of a group, of a term without a process.
    pub(super) fn variances(&self, parameters: &[f64]) -> Vec<f64> {
        let variance = self.variance(parameters);
        let Carrier::Weights { columns, lengthscales } = &self.carrier else { return vec![variance] };
        let scale = |k: usize| match lengthscales.as_slice() {
            [] => 1.0,
            [all] => parameters[*all],
            each => parameters[each[k]],
        };
        (0..columns.len()).map(|k| variance / scale(k).powi(2)).collect()
    }
}

impl Layout {
    /// The variables behind `points`; `None` if the kernel has no such form.
    pub(crate) fn new(kernel: &Kernel, points: &Points) -> Option<Self> {
        let terms = kernel.latent()?;
        let mut numbers = vec![Numbers::default(); terms.len()];
        let mut components: Vec<Component> = Vec::new();
        for (t, term) in terms.iter().enumerate() {
            for i in 0..points.rows() {
                let number = numbers[t].get(term, points, i).unwrap_or_else(|| {
                    let number = components.len() as u32;
                    numbers[t].insert(term, points, i, number);
                    let start = term.time(points, i).map_or(0.0, |(_, start)| start);
                    components.push(Component { term: t, first: 0, times: Vec::new(), start });
                    number
                });
                if let Some((time, start)) = term.time(points, i)
                    && time > start
                {
                    components[number as usize].times.push(time);
                }
            }
        }
        let mut variables = 0;
        for component in &mut components {
            component.times.sort_by(f64::total_cmp);
            component.times.dedup();
            component.first = variables;
            let term = &terms[component.term];
            let steps = if let Carrier::Process { .. } = term.carrier { component.times.len() } else { 1 };
            variables += term.order() * steps;
        }
        Some(Self { terms, components, numbers, variables })
    }

    /// Number of variables.
    pub(crate) fn variables(&self) -> usize {
        self.variables
    }

    /// About how many entries the factor of the whole precision has at least. Among many groups that are compared at random elimination soon joins
    /// half of them, at every step in time: finding the pattern of such a factor takes longer than inference by messages.
    pub(super) fn least_entries(&self, points: &Points, edges: &[Edge]) -> f64 {
        let groups = self.components.len();
        if groups < MANY_GROUPS {
            return 0.0;
        }
        let of = |i: usize| self.component(0, points, i).unwrap_or(0) as u32;
        let members = |e: &Edge| -> Vec<u32> {
            [Some(e.plus()), e.minus()]
                .into_iter()
                .flatten()
                .flat_map(|i| points.members(i))
                .map(|(m, _)| of(m))
                .collect()
        };
        let joined = |e: &Edge| {
            let all = members(e);
            let pair = |(k, &a): (usize, &u32)| {
                all[k + 1..].iter().map(|&b| (a.min(b), a.max(b))).collect::<Vec<_>>()
            };
            all.iter().enumerate().flat_map(pair).collect::<Vec<_>>()
        };
        let mut pairs: Vec<(u32, u32)> = edges.iter().flat_map(joined).collect();
        pairs.sort_unstable();
        pairs.dedup();
        if pairs.len() < JOINED * groups / self.terms.len() {
            return 0.0;
        }
        let steps = self.variables as f64 / groups as f64;
        let joined = groups as f64 / self.terms.len() as f64 / 2.0;
        0.5 * joined * joined * steps
    }

    /// The place of a term's group of a point, if the fit had one.
    pub(super) fn component(&self, term: usize, points: &Points, i: usize) -> Option<usize> {
        Some(self.numbers[term].get(&self.terms[term], points, i)? as usize)
    }

    /// Whether a variable is of a group that is not one of an item's.
    pub(super) fn is_shared(&self, variable: usize) -> bool {
        let next = self.components.partition_point(|component| component.first <= variable);
        next.checked_sub(1).is_some_and(|c| !self.terms[self.components[c].term].by_item)
    }

    /// Adds `factor` times the utility of an item or a team to a row, at these parameters of the kernel.
    pub(super) fn add(&self, points: &Points, i: usize, factor: f64, parameters: &[f64], row: &mut Row) {
        points.members(i).for_each(|(m, weight)| self.add_one(points, m, factor * weight, parameters, row));
    }

    /// Adds `factor` times the utility of the item in row `i`.
    pub(super) fn add_one(&self, points: &Points, i: usize, factor: f64, parameters: &[f64], row: &mut Row) {
        for (t, term) in self.terms.iter().enumerate() {
            let known = self.component(t, points, i);
            let rest = |variance| Rest {
                key: term.key(t, points, i),
                factor,
                variance,
                column: Vec::new(),
                time: None,
            };
            match (&term.carrier, known) {
                (Carrier::One, Some(c)) => row.entries.push((self.components[c].first, factor)),
                (Carrier::One, None) => row.rests.push(rest(term.variance(parameters))),
                (Carrier::Weights { columns, .. }, known) => {
                    let values = columns.iter().map(|&column| points.row(i)[column]);
                    for (k, (value, variance)) in values.zip(term.variances(parameters)).enumerate() {
                        match known {
                            Some(c) => row.entries.push((self.components[c].first + k, factor * value)),
                            // Told apart by their columns.
                            None => {
                                let mut rest = rest(variance);
                                rest.key.2.push(k as u64);
                                row.rests.push(Rest { factor: factor * value, ..rest });
                            }
                        }
                    }
                }
                (Carrier::Process { .. }, known) => {
                    self.add_process(points, i, (t, known), factor, parameters, row);
                }
            }
        }
    }

    fn add_process(
        &self,
        points: &Points,
        i: usize,
        (t, known): (usize, Option<usize>),
        factor: f64,
        parameters: &[f64],
        row: &mut Row,
    ) {
        let term = &self.terms[t];
        let (Some((time, start)), Some(dynamics)) = (term.time(points, i), term.dynamics(parameters)) else {
            return;
        };
        let (times, first, start) = match known.map(|c| &self.components[c]) {
            Some(c) => (c.times.as_slice(), c.first, c.start),
            None => (&[][..], 0, start),
        };
        if time <= start {
            return;
        }
        let next = times.partition_point(|&known| known < time);
        let order = term.order();
        if times.get(next) == Some(&time) {
            return row.entries.push((first + next * order, factor));
        }
        let (before, after) = (next.checked_sub(1), (next < times.len()).then_some(next));
        let at = |k: Option<usize>| k.map(|k| times[k]);
        let Bridge { before: from, after: to, rest } = dynamics.bridge(at(before), time, at(after), start);
        for (weights, node) in [(from, before), (to, after)] {
            if let (Some(weights), Some(node)) = (weights, node) {
                row.entries.extend((0..order).map(|k| (first + node * order + k, factor * weights[(0, k)])));
            }
        }
        let mut key = term.key(t, points, i);
        let (variance, column) = (rest[(0, 0)].max(0.0), rest.col(0).to_vec());
        // Different gaps are independent of each other, given the states between them.
        key.2.push(next as u64);
        row.rests.push(Rest { key, factor, variance, column, time: Some((time, at(after), dynamics)) });
    }
}

impl Row {
    /// One entry a variable, in increasing order, none 0.
    pub(super) fn merged(&self) -> Vec<(usize, f64)> {
        let mut row = Self { entries: self.entries.clone(), rests: Vec::new() };
        row.merge();
        row.entries
    }

    /// Makes the entries those of [`Row::merged`].
    pub(super) fn merge(&mut self) {
        self.entries.sort_unstable_by_key(|(variable, _)| *variable);
        self.entries.dedup_by(|(variable, factor), (kept, sum)| {
            let same = variable == kept;
            if same {
                *sum += *factor;
            }
            same
        });
        self.entries.retain(|(_, factor)| *factor != 0.0);
    }

    /// The variance of what the variables leave open.
    pub(super) fn rest(&self) -> f64 {
        let pair = |a: &Rest, b: &Rest| a.factor * b.factor * a.covariance(b);
        self.rests.iter().map(|a| self.rests.iter().map(|b| pair(a, b)).sum::<f64>()).sum::<f64>().max(0.0)
    }
}

impl Rest {
    /// The same, subtracted.
    pub(super) fn negative(&self) -> Self {
        Self { factor: -self.factor, ..self.clone() }
    }

    /// The covariance with another: that of a group with itself, along a process within one gap.
    fn covariance(&self, other: &Self) -> f64 {
        if self.key != other.key {
            return 0.0;
        }
        let (Some(one), Some(two)) = (self.time, other.time) else { return self.variance };
        if one.0 == two.0 {
            return self.variance;
        }
        let (early, from, (time, after, dynamics)) =
            if one.0 < two.0 { (one.0, self, two) } else { (two.0, other, one) };
        let bridge = dynamics.bridge(Some(early), time, after, f64::NEG_INFINITY);
        let Some(weights) = bridge.before else { return 0.0 };
        from.column.iter().enumerate().map(|(k, covariance)| weights[(0, k)] * covariance).sum()
    }
}

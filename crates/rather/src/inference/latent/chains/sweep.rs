//! Sweeps over comparisons in the order of their times, and back.

use std::ops::Range;

use super::small::{self, Scratch};
use super::{ChainsPrior, Shape};
use crate::inference::Factors;
use crate::inference::observations::Observation;
use crate::inference::sites::{Sites, of_factor, update_factor};
use crate::likelihood::Likelihoods;

/// What comparisons and chains tell each other.
#[derive(Debug, Clone)]
pub struct Messages {
    pub(super) sites: Sites,
    /// What each touch says of its node's state, as a precision and a shift.
    pub(super) said: Vec<(f64, f64)>,
    /// What is known of each node from before it: means and covariances.
    pub(super) means: Vec<f64>,
    pub(super) covariances: Vec<f64>,
    /// What is known of each node from after it: shifts and precisions.
    pub(super) shifts: Vec<f64>,
    pub(super) precisions: Vec<f64>,
}

impl Messages {
    /// Nothing has been said yet.
    pub(super) fn empty(shape: &Shape, observations: usize) -> Self {
        let nodes = shape.chain_of.len();
        Self {
            sites: Sites::empty(observations),
            said: vec![(0.0, 0.0); shape.touches.node.len()],
            means: vec![0.0; shape.means[nodes]],
            covariances: vec![0.0; shape.covariances[nodes]],
            shifts: vec![0.0; shape.means[nodes]],
            precisions: vec![0.0; shape.covariances[nodes]],
        }
    }

    /// What each touch says, as sites.
    pub(super) fn said(&self) -> Sites {
        let (tau, nu) = self.said.iter().copied().unzip();
        Sites { tau, nu }
    }

    /// Lets each touch say this.
    pub(super) fn say(&mut self, said: Sites) {
        self.said = said.tau.into_iter().zip(said.nu).collect();
    }
}

impl Sites {
    pub(super) fn minus(mut self, other: &Self) -> Self {
        self.tau.iter_mut().zip(&other.tau).for_each(|(a, b)| *a -= b);
        self.nu.iter_mut().zip(&other.nu).for_each(|(a, b)| *a -= b);
        self
    }
}

/// Sweeps over comparisons: the messages, and for each chain the node that is open, with what is known of it from all sides.
pub(super) struct Sweeper<'a> {
    pub(super) prior: &'a ChainsPrior,
    pub(super) shape: &'a Shape,
    pub(super) observations: &'a [Observation],
    /// Where the observations of each projection begin.
    pub(super) begins: &'a [usize],
    pub(super) likelihoods: &'a Likelihoods,
    pub(super) factors: Factors,
    pub(super) messages: Messages,
    pub(super) open: Vec<usize>,
    /// The belief about each chain's open node, in the chain's own place.
    pub(super) mean: Vec<f64>,
    pub(super) covariance: Vec<f64>,
    pub(super) places: Vec<(usize, usize)>,
    pub(super) scratch: Scratch,
    pub(super) shift: Vec<f64>,
    pub(super) precision: Vec<f64>,
    /// Marginals of the touches of one comparison, without what it says itself.
    pub(super) cavities: Vec<(f64, f64)>,
    /// Whether sites stay, so that only messages settle.
    pub(super) fixed: bool,
}

/// No node is open.
const CLOSED: usize = usize::MAX;
/// The least that a cavity may keep of a marginal's precision.
pub(super) const NARROWEST: f64 = 1e-10;

impl<'a> Sweeper<'a> {
    pub(super) fn new(
        prior: &'a ChainsPrior,
        (observations, begins): (&'a [Observation], &'a [usize]),
        likelihoods: &'a Likelihoods,
        factors: Factors,
        messages: Messages,
    ) -> Self {
        let shape = &*prior.chains.shape;
        let mut places = Vec::with_capacity(shape.chains.len());
        let (mut means, mut covariances) = (0, 0);
        for chain in &shape.chains {
            places.push((means, covariances));
            means += chain.dim;
            covariances += chain.dim * chain.dim;
        }
        Self {
            prior,
            shape,
            observations,
            begins,
            likelihoods,
            factors,
            messages,
            open: vec![CLOSED; shape.chains.len()],
            mean: vec![0.0; means],
            covariance: vec![0.0; covariances],
            places,
            scratch: Scratch::default(),
            shift: Vec::new(),
            precision: Vec::new(),
            cavities: Vec::new(),
            fixed: false,
        }
    }

    /// All comparisons of `range` in the order of their times, or back. Returns the largest mismatch of moments.
    pub(super) fn pass(&mut self, range: Range<usize>, forwards: bool) -> f64 {
        self.close();
        let shape = self.shape;
        let mut residual = 0.0_f64;
        for k in range.clone() {
            let k = if forwards { k } else { range.end - 1 - (k - range.start) };
            let mismatch = self.update(shape.order[k] as usize, forwards);
            residual = if mismatch.is_nan() { f64::INFINITY } else { residual.max(mismatch) };
        }
        residual
    }

    /// What is known of nodes is not what was said any more.
    pub(super) fn close(&mut self) {
        self.open.fill(CLOSED);
    }

    /// Brings what was said back along every chain: what is known of each node from after it.
    pub(super) fn look_back(&mut self) {
        let shape = self.shape;
        for chain in &shape.chains {
            chain.nodes.clone().rev().for_each(|node| self.look_back_to(node));
        }
    }

    /// One comparison: what its sides are without it, its site, and what it tells them.
    fn update(&mut self, edge: usize, forwards: bool) -> f64 {
        let shape = self.shape;
        let touches = shape.touches.of(edge);
        let mut cavities = std::mem::take(&mut self.cavities);
        cavities.clear();
        let (mut mean, mut variance) = (0.0, 0.0);
        for touch in touches.clone() {
            let node = shape.touches.node[touch] as usize;
            self.enter(node, forwards);
            let cavity = without(self.marginal(touch, node), self.messages.said[touch]);
            mean += cavity.0;
            variance += cavity.1;
            cavities.push(cavity);
        }
        let mismatch = self.site(edge, (mean, variance));
        let own = self.begins[edge]..self.begins[edge + 1];
        let sites = &self.messages.sites;
        let (tau, nu) = of_factor(&self.observations[own.clone()], &sites.tau[own.clone()], &sites.nu[own]);
        for (touch, cavity) in touches.zip(&cavities) {
            let (rest_mean, rest) = (mean - cavity.0, (variance - cavity.1).max(0.0));
            let widening = 1.0 + tau * rest;
            let new = (tau / widening, (nu - tau * rest_mean) / widening);
            self.tell(touch, new);
        }
        self.cavities = cavities;
        mismatch
    }

    /// The new site of a comparison whose difference is, without it, of this mean and variance.
    fn site(&mut self, edge: usize, (mean, variance): (f64, f64)) -> f64 {
        if self.fixed {
            return 0.0;
        }
        let own = self.begins[edge]..self.begins[edge + 1];
        let factor = &self.observations[own.clone()];
        let sites = &mut self.messages.sites;
        let (tau, nu) = of_factor(factor, &sites.tau[own.clone()], &sites.nu[own.clone()]);
        let marginal = with((mean, variance), (tau, nu));
        let updated = update_factor(self.likelihoods, factor, self.factors, (tau, nu), marginal, 0.0);
        for (m, update) in own.zip(updated.each()) {
            (sites.tau[m], sites.nu[m]) = (update.tau, update.nu);
        }
        updated.first.mismatch
    }

    /// A touch says something new of its node, which is open.
    fn tell(&mut self, touch: usize, new: (f64, f64)) {
        let node = self.shape.touches.node[touch] as usize;
        let chain = self.shape.chain_of[node] as usize;
        let (dim, (m, c)) = (self.shape.chains[chain].dim, self.places[chain]);
        let old = std::mem::replace(&mut self.messages.said[touch], new);
        let (mean, covariance) = (&mut self.mean[m..m + dim], &mut self.covariance[c..c + dim * dim]);
        let change = (new.0 - old.0, new.1 - old.1);
        small::multiply(mean, covariance, self.shape.touches.factors(touch), change, &mut self.scratch);
    }

    pub(super) fn marginal(&self, touch: usize, node: usize) -> (f64, f64) {
        let chain = self.shape.chain_of[node] as usize;
        let (dim, (m, c)) = (self.shape.chains[chain].dim, self.places[chain]);
        let (mean, covariance) = (&self.mean[m..m + dim], &self.covariance[c..c + dim * dim]);
        small::along(self.shape.touches.factors(touch), mean, covariance)
    }

    /// Opens a node: what its neighbour knows is brought to it, and all that is known of it put together.
    pub(super) fn enter(&mut self, node: usize, forwards: bool) {
        let shape = self.shape;
        let chain = shape.chain_of[node] as usize;
        if self.open[chain] == node {
            return;
        }
        self.open[chain] = node;
        // Nodes of which nothing is said are passed on the way.
        let silent = |n: usize| shape.touches_of(n).is_empty();
        let nodes = &shape.chains[chain].nodes;
        if forwards {
            let first = (nodes.start..node).rev().take_while(|&n| silent(n)).last().unwrap_or(node);
            (first..=node).for_each(|n| self.look_ahead_to(n));
        } else {
            let last = (node + 1..nodes.end).take_while(|&n| silent(n)).last().unwrap_or(node);
            (node..=last).rev().for_each(|n| self.look_back_to(n));
        }
        let (dim, (m, c)) = (shape.chains[chain].dim, self.places[chain]);
        let (vector, square) =
            (shape.means[node]..shape.means[node + 1], shape.covariances[node]..shape.covariances[node + 1]);
        let (mean, covariance) = (&mut self.mean[m..m + dim], &mut self.covariance[c..c + dim * dim]);
        mean.copy_from_slice(&self.messages.means[vector.clone()]);
        covariance.copy_from_slice(&self.messages.covariances[square.clone()]);
        small::combine(
            mean,
            covariance,
            &self.messages.shifts[vector],
            &self.messages.precisions[square],
            &mut self.scratch,
        );
        for &touch in shape.touches_of(node) {
            let factors = shape.touches.factors(touch as usize);
            small::multiply(mean, covariance, factors, self.messages.said[touch as usize], &mut self.scratch);
        }
    }

    /// What is known of a node from before it: of the node before, with what was said there, one step on.
    pub(super) fn look_ahead_to(&mut self, node: usize) {
        let shape = self.shape;
        let vector = shape.means[node]..shape.means[node + 1];
        let square = shape.covariances[node]..shape.covariances[node + 1];
        let noise = &self.prior.noises[square.clone()];
        let first = shape.chain(node).nodes.start == node;
        let messages = &mut self.messages;
        if first {
            messages.means[vector].fill(0.0);
            messages.covariances[square].copy_from_slice(noise);
            return;
        }
        let (earlier, mean) = messages.means.split_at_mut(vector.start);
        let (earlier_squares, covariance) = messages.covariances.split_at_mut(square.start);
        let (mean, covariance) = (&mut mean[..vector.len()], &mut covariance[..square.len()]);
        mean.copy_from_slice(&earlier[shape.means[node - 1]..]);
        covariance.copy_from_slice(&earlier_squares[shape.covariances[node - 1]..]);
        for &touch in shape.touches_of(node - 1) {
            let factors = shape.touches.factors(touch as usize);
            small::multiply(mean, covariance, factors, messages.said[touch as usize], &mut self.scratch);
        }
        small::ahead(mean, covariance, &self.prior.transitions[square], noise, &mut self.scratch);
    }

    /// What is known of a node from after it.
    pub(super) fn look_back_to(&mut self, node: usize) {
        let shape = self.shape;
        let vector = shape.means[node]..shape.means[node + 1];
        let square = shape.covariances[node]..shape.covariances[node + 1];
        if shape.chain(node).nodes.end == node + 1 {
            self.messages.shifts[vector].fill(0.0);
            self.messages.precisions[square].fill(0.0);
            return;
        }
        self.bring_all(node + 1);
        let next = shape.covariances[node + 1]..shape.covariances[node + 2];
        let (transition, noise) = (&self.prior.transitions[next.clone()], &self.prior.noises[next]);
        small::back(&mut self.shift, &mut self.precision, transition, noise, &mut self.scratch);
        self.messages.shifts[vector].copy_from_slice(&self.shift);
        self.messages.precisions[square].copy_from_slice(&self.precision);
    }

    /// All that is known of a node but from before it, as a shift and a precision.
    pub(super) fn bring_all(&mut self, node: usize) {
        let shape = self.shape;
        let d = shape.chain(node).dim;
        self.shift.clear();
        self.shift.extend_from_slice(&self.messages.shifts[shape.means[node]..shape.means[node + 1]]);
        self.precision.clear();
        self.precision.extend_from_slice(
            &self.messages.precisions[shape.covariances[node]..shape.covariances[node + 1]],
        );
        for &touch in shape.touches_of(node) {
            let (tau, nu) = self.messages.said[touch as usize];
            let factors = shape.touches.factors(touch as usize);
            for (i, a) in factors.iter().enumerate() {
                self.shift[i] += nu * a;
                factors.iter().enumerate().for_each(|(j, b)| self.precision[i * d + j] += tau * a * b);
            }
        }
    }
}

/// The cavity of a marginal without a message.
pub(super) fn without((mean, variance): (f64, f64), (tau, nu): (f64, f64)) -> (f64, f64) {
    let left = (1.0 - tau * variance).max(NARROWEST);
    ((mean - nu * variance) / left, variance / left)
}

/// A marginal with a message.
pub(super) fn with((mean, variance): (f64, f64), (tau, nu): (f64, f64)) -> (f64, f64) {
    let widening = 1.0 + tau * variance;
    ((mean + nu * variance) / widening, variance / widening)
}

//! Draws of the utilities of many items at once: one item a row, one draw a column.

use std::collections::HashMap;

use super::names::Names;
use super::{BLOCK, Form, Joint, Mixture, Posterior, SparsePosterior};
use crate::Error;
use crate::points::Points;
use rand_chacha::ChaCha8Rng;
use rather_numerics::linalg::{Matrix, TriangularFeatures, add_lower_gram, dot, transpose_product};
use rather_numerics::random::normals;
use rather_numerics::watch;

/// The most items that are drawn, and the most whose utilities are linear functions of latent variables, which takes a covariance of all.
pub(crate) const MOST: usize = 5_000;
const MOST_OF_LATENT: usize = 1_000;
/// A share of an item's prior variance that is none.
const NOTHING: f64 = 1e-9;

impl Joint {
    /// `number` draws of all utilities.
    pub(crate) fn draws(&self, number: usize, rng: &mut ChaCha8Rng) -> Result<Matrix, Error> {
        let mut out = drawn(self.covariance.clone(), number, rng)?;
        for k in 0..number {
            out.col_mut(k).iter_mut().zip(&self.mean).for_each(|(f, m)| *f += m);
        }
        Ok(out)
    }
}

impl Posterior {
    /// `number` draws of the utilities of `points`.
    ///
    /// # Formula
    /// With the features $\varphi$ of an item, $\psi=R^{-1}\varphi$ and $e\sim N(0,I)$, a draw is $m+\psi^\top e$, and what the features leave of the prior, which is
    /// drawn from its own covariance. Of `R` features, `N` items and `S` draws the time is that of `N R (R + S)` multiplications.
    pub(crate) fn draws(
        &self,
        points: &Points,
        number: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Matrix, Error> {
        let noise = noise(self.prior.rank(), number, rng);
        let mut out = Matrix::zeros(points.len(), number);
        let mut rest = Vec::with_capacity(points.len());
        let mut is_alone = Vec::with_capacity(points.len());
        let independent = self.kernel.is_white() && !points.are_teams();
        let all: Vec<usize> = (0..points.len()).collect();
        for block in all.chunks(BLOCK) {
            watch::check()?;
            let these = points.select(block);
            let e = self.embed(&these);
            add(&mut out, block, &transpose_product(&e.shrunk, &noise));
            for k in 0..number {
                out.col_mut(k)[block[0]..].iter_mut().zip(&e.mean).for_each(|(f, m)| *f += m);
            }
            for (i, &own) in self.kernel.diagonal(&these).iter().enumerate() {
                let features = e.features.col(i);
                let left = own - dot(features, features);
                rest.push(if left > NOTHING * own { left } else { 0.0 });
                // What features of low rank leave of two items is taken for independent. Names that were never compared are.
                is_alone.push(self.prior.low_rank || independent && features.iter().all(|&x| x == 0.0));
            }
        }
        let open = |alone: bool| -> Vec<usize> {
            all.iter().copied().filter(|&i| rest[i] > 0.0 && is_alone[i] == alone).collect()
        };
        let alone = open(true);
        // An item that comes twice is the same both times, unless it is of low rank.
        let which: Vec<usize> = match independent {
            true => numbered(alone.iter().map(|&i| points.id(i))),
            false => (0..alone.len()).collect(),
        };
        let different = which.iter().max().map_or(0, |last| last + 1);
        for k in 0..number {
            let each = normals(different, rng);
            alone.iter().zip(&which).for_each(|(&i, &e)| out[(i, k)] += rest[i].sqrt() * each[e]);
        }
        let together = open(false);
        if !together.is_empty() {
            let these = points.select(&together);
            let features = self.embed(&these).features;
            let mut left = self.kernel.matrix(&these);
            // Its lower triangle, of which draws are made.
            add_lower_gram(&mut left, -1.0, &features);
            add(&mut out, &together, &drawn(left, number, rng)?);
        }
        Ok(out)
    }
}

impl Mixture {
    /// `number` draws, of each component as many as its weight says.
    pub(crate) fn draws(
        &self,
        points: &Points,
        number: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Matrix, Error> {
        let mut out = Matrix::zeros(points.len(), number);
        let (mut done, mut sum) = (0, 0.0);
        for (weight, posterior) in self.components() {
            sum += weight;
            let until = ((sum * number as f64).round() as usize).min(number);
            let part = posterior.draws(points, until.saturating_sub(done), rng)?;
            (0..part.cols()).for_each(|k| out.col_mut(done + k).copy_from_slice(part.col(k)));
            done = until.max(done);
        }
        Ok(out)
    }
}

impl SparsePosterior {
    /// The most items of which draws take little time.
    pub(crate) fn most_drawn(&self) -> usize {
        match &self.form {
            Form::Names(_) => MOST,
            Form::Joint(_) | Form::Chains(..) => MOST_OF_LATENT,
        }
    }

    /// `number` draws of the utilities of `points`: with a factor by solving with it, else from the variances of all differences.
    pub(crate) fn draws(
        &self,
        points: &Points,
        number: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Matrix, Error> {
        match &self.form {
            Form::Names(names) => names.draws(points, number, rng),
            Form::Joint(_) | Form::Chains(..) => self.joint_of(points).draws(number, rng),
        }
    }

    /// The covariance of utilities; `None` where messages are passed, which tell variances alone.
    pub(crate) fn covariance(&self, points: &Points) -> Option<Matrix> {
        match &self.form {
            Form::Names(names) => names.covariance(points),
            Form::Joint(prior) => Some(prior.covariance(&self.outcome().posterior, points)),
            Form::Chains(..) => None,
        }
    }

    /// The joint Gaussian: by the covariance of utilities, else by their variances and those of their differences.
    pub(crate) fn joint_of(&self, points: &Points) -> Joint {
        if let Some(covariance) = self.covariance(points) {
            return Joint { mean: self.utilities(points).mean, covariance };
        }
        let n = points.len();
        let each = self.utilities(points);
        let pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
        let apart = self.differences(points, &pairs).variance;
        let covariance = Matrix::from_fn(n, n, |i, j| {
            let (i, j) = (i.max(j), i.min(j));
            let between = if i == j { 0.0 } else { apart[i * (i - 1) / 2 + j] };
            0.5 * (each.variance[i] + each.variance[j] - between)
        });
        Joint { mean: each.mean, covariance }
    }
}

impl Names {
    /// Draws of the utilities of `points`.
    ///
    /// # Formula
    /// For $Q=D+B^\top WB$, $Q^{-1}(D^{1/2}e_1+B^\top W^{1/2}e_2)\sim N(0,Q^{-1})$ (Papandreou and Yuille, *Gaussian sampling by local perturbations*, 2010). Where
    /// messages are passed, items are as independent as they are in [`Names::differences`].
    fn draws(&self, points: &Points, number: usize, rng: &mut ChaCha8Rng) -> Result<Matrix, Error> {
        let own = self.utilities(points);
        let mut strangers: Vec<u64> = Vec::new();
        let mut places = Vec::with_capacity(points.len());
        for i in 0..points.len() {
            places.push(self.node(points, i).ok_or_else(|| {
                let id = points.id(i);
                strangers.iter().position(|known| *known == id).unwrap_or_else(|| {
                    strangers.push(id);
                    strangers.len() - 1
                })
            }));
        }
        let mut out = Matrix::zeros(points.len(), number);
        for k in 0..number {
            watch::check()?;
            let nodes = self.precision().perturbation(rng);
            let new = normals(strangers.len(), rng);
            let alone = if nodes.is_none() { normals(own.mean.len(), rng) } else { Vec::new() };
            for (i, f) in out.col_mut(k).iter_mut().enumerate() {
                let moved = match (&places[i], &nodes) {
                    (Ok(node), Some(nodes)) => nodes[*node],
                    (Ok(_), None) => own.variance[i].sqrt() * alone[i],
                    (Err(stranger), _) => own.variance[i].sqrt() * new[*stranger],
                };
                *f = own.mean[i] + moved;
            }
        }
        Ok(out)
    }
}

/// `rows x columns` standard normal numbers.
pub(super) fn noise(rows: usize, columns: usize, rng: &mut ChaCha8Rng) -> Matrix {
    let mut out = Matrix::zeros(rows, columns);
    (0..columns).for_each(|k| out.col_mut(k).copy_from_slice(&normals(rows, rng)));
    out
}

/// `number` draws from the normal distribution with this covariance, of which only the lower triangle is read.
fn drawn(covariance: Matrix, number: usize, rng: &mut ChaCha8Rng) -> Result<Matrix, Error> {
    let features = TriangularFeatures::new(covariance).ok_or(Error::Covariance)?.in_order();
    Ok(transpose_product(&features, &noise(features.rows(), number, rng)))
}

/// The different ones of `ids` in the order in which they come: the number of each.
fn numbered(ids: impl Iterator<Item = u64>) -> Vec<usize> {
    let mut known = HashMap::new();
    ids.map(|id| {
        let next = known.len();
        *known.entry(id).or_insert(next)
    })
    .collect()
}

/// Adds the rows of `part` to those of `out` at `places`.
fn add(out: &mut Matrix, places: &[usize], part: &Matrix) {
    for k in 0..part.cols() {
        let column = out.col_mut(k);
        places.iter().zip(part.col(k)).for_each(|(&i, x)| column[i] += x);
    }
}

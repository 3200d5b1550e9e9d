//! The posterior over utilities: predictions of utilities, differences and choices.
//!
//! In feature space a new item has features `phi = T^-T k` (`T` the features of the first nodes, a triangle; `k` its
//! covariances with these nodes), and what
//! the features leave of its variance is untouched by the data:
//! `mean = phi' E[w]`, `cov = k** - phi' phi + phi' B^-1 phi`, a sum of two
//! positive terms where the textbook form subtracts.

mod averages;
mod blocks;
mod contrast;
mod draws;
mod expected;
mod given;
mod gumbel;
mod joint;
mod mixture;
mod names;
mod pairs;
mod pullback;
mod ratio;
mod sets;
mod sparse;

#[doc(hidden)]
pub use blocks::BlocksPosterior;
#[doc(hidden)]
pub use contrast::{ContrastGradient, Contrasts};
pub(crate) use draws::MOST as MOST_DRAWN;
pub(crate) use expected::{Asked, by_projection, of_moments};
pub use joint::{Joint, Sampler};
pub use mixture::Mixture;
pub(crate) use mixture::mixed;
pub(crate) use names::Names;
pub(crate) use sets::{edges_of, extremes, of_answers};
pub(crate) use sparse::Form;
#[doc(hidden)]
pub use sparse::SparsePosterior;

use crate::Error;
use crate::evidence::{Evidence, Problem};
use crate::inference::observations::{Edge, Observation, Observations};
use crate::inference::prior::{Prior, Space};
use crate::inference::sites::Sites;
use crate::inference::{self, Method, Outcome, Settings};
use crate::kernel::Kernel;
use crate::likelihood::{AnswerIndex, AnswerModel, Lapses, Likelihoods, Preference, Values};
use crate::points::Points;
use rather_numerics::linalg::{
    Matrix, TriangularFeatures, add_lower_gram, dot, mirror_lower, solve_lower, solve_lower_transposed,
    squared_distance,
};
use rather_numerics::watch::{self, Steps};

/// A Gaussian approximation of the posterior over the utilities of any items.
#[derive(Debug, Clone)]
pub struct Posterior {
    kernel: Kernel,
    likelihoods: Likelihoods,
    points: Points,
    pub(crate) observations: Observations,
    method: Method,
    pub(crate) prior: Prior,
    pub(crate) outcome: Outcome,
    /// The features of the first `rank` nodes, a lower triangle.
    pivots: Matrix,
}

/// Means and variances, one an item or one a pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    /// Means.
    pub mean: Vec<f64>,
    /// Variances.
    pub variance: Vec<f64>,
}

/// Items in the posterior's feature space.
pub(crate) struct Embedded {
    /// `phi`, one item a column.
    pub(crate) features: Matrix,
    /// `R^-1 phi` with `B = R R'`.
    shrunk: Matrix,
    mean: Vec<f64>,
}

/// The items of some pairs, and the pairs as positions among them.
struct Used {
    points: Points,
    embedded: Embedded,
    /// Their prior variances.
    own: Vec<f64>,
    pairs: Vec<(usize, usize)>,
}

/// The difference of two items in the posterior's feature space.
struct Difference {
    /// The variance that the features leave.
    rest: f64,
    features: Vec<f64>,
}

/// Items, or pairs, that are embedded at a time: memory does not grow with their number.
const BLOCK: usize = 1024;
/// The share of the largest variance that counts as nothing;
const NOTHING: f64 = 1e-11;
/// and that of the noise's where pairs are scored: of a difference's variance it changes the information by less than 1e-5 bits.
const UNTOLD: f64 = 1e-5;

fn in_blocks(points: &Points, moments: impl Fn(&Points) -> Moments) -> Moments {
    let mut out =
        Moments { mean: Vec::with_capacity(points.len()), variance: Vec::with_capacity(points.len()) };
    let all: Vec<usize> = (0..points.len()).collect();
    for block in all.chunks(BLOCK) {
        if watch::ends() {
            // Nobody reads the rest, and callers count on one entry an item.
            out.mean.resize(points.len(), f64::NAN);
            out.variance.resize(points.len(), f64::NAN);
            break;
        }
        let Moments { mean, variance } = moments(&points.select(block));
        out.mean.extend(mean);
        out.variance.extend(variance);
    }
    out
}

/// What features leave of these variances.
fn left(own: &[f64], features: &Matrix) -> Vec<f64> {
    own.iter().enumerate().map(|(i, k)| (k - dot(features.col(i), features.col(i))).max(0.0)).collect()
}

impl Posterior {
    /// The posterior that inference found for `problem`.
    pub fn new(problem: &Problem<'_>, kernel: Kernel, values: impl Into<Values>, evidence: Evidence) -> Self {
        let Evidence { prior, outcome } = evidence;
        let rank = prior.rank();
        let pivots = Matrix::from_fn(rank, rank, |i, j| prior.features[(i, j)]);
        Self {
            kernel,
            likelihoods: problem.observations.responses.likelihoods(&values.into()),
            points: problem.points.clone(),
            observations: problem.observations.clone(),
            method: problem.method,
            prior,
            outcome,
            pivots,
        }
    }

    /// How inference went.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// The standard deviation `s` of the noise of a difference.
    pub fn s(&self) -> f64 {
        self.likelihoods.comparison.s()
    }

    /// What may be answered to two items as they are shown, of which the answers told nothing yet, with which probability.
    pub fn answer_model(&self) -> AnswerModel {
        self.likelihoods.answer_model().blurred(self.likelihoods.pair_variance())
    }

    /// What an item may be rated, the highest level first, as a function of its utility; `None` where nothing was rated.
    pub fn rating_model(&self) -> Option<AnswerModel> {
        self.likelihoods.rating_model()
    }

    /// What answers say, at the values of their parameters.
    pub(crate) fn likelihoods(&self) -> &Likelihoods {
        &self.likelihoods
    }

    /// The representation that inference used.
    pub fn prior(&self) -> &Prior {
        &self.prior
    }

    /// Means and variances of the utilities of `points`. The prior mean is 0: only differences say something.
    pub fn utilities(&self, points: &Points) -> Moments {
        in_blocks(points, |points| {
            let e = self.embed(points);
            let own = self.kernel.diagonal(points);
            let variance = own
                .iter()
                .enumerate()
                .map(|(i, &k)| {
                    let (phi, psi) = (e.features.col(i), e.shrunk.col(i));
                    (k - dot(phi, phi)).max(0.0) + dot(psi, psi)
                })
                .collect();
            Moments { mean: e.mean, variance }
        })
    }

    /// The joint covariance of the utilities of `points`.
    pub fn covariance(&self, points: &Points) -> Matrix {
        self.covariance_of(points, &self.embed(points))
    }

    fn covariance_of(&self, points: &Points, e: &Embedded) -> Matrix {
        let own = self.kernel.diagonal(points);
        let largest = own.iter().copied().fold(0.0, f64::max);
        let mut out = if left(&own, &e.features).iter().all(|left| *left <= NOTHING * largest) {
            Matrix::zeros(points.len(), points.len())
        } else {
            let mut rest = self.kernel.matrix(points);
            add_lower_gram(&mut rest, -1.0, &e.features);
            rest
        };
        add_lower_gram(&mut out, 1.0, &e.shrunk);
        mirror_lower(&mut out);
        for i in 0..points.len() {
            out[(i, i)] = out[(i, i)].max(0.0);
        }
        out
    }

    /// The means of `points`, and features whose inner products are their covariances but for a share of the noise's variance that no answer
    /// tells; `None` where those would be no fewer than the points, or leave more.
    pub(crate) fn whole_features(&self, points: &Points) -> Option<(Vec<f64>, Matrix)> {
        let most = (points.len() / 2).checked_sub(self.prior.rank())?;
        let Embedded { features, shrunk, mean } = self.embed(points);
        let left = left(&self.kernel.diagonal(points), &features);
        let untold = UNTOLD * self.s().powi(2) / left.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        // What the prior's features leave has features of its own.
        let column = |i: usize| {
            let mut column = self.kernel.cross(points, &points.select(&[i])).col(0).to_vec();
            let taken = features.transpose_times(features.col(i));
            column.iter_mut().zip(taken).for_each(|(covariance, taken)| *covariance -= taken);
            column
        };
        let rest = TriangularFeatures::by_columns(&left, column, untold, most)?.in_order();
        let mut all = Matrix::zeros(shrunk.rows() + rest.rows(), points.len());
        for i in 0..points.len() {
            let (first, last) = all.col_mut(i).split_at_mut(shrunk.rows());
            first.copy_from_slice(shrunk.col(i));
            last.copy_from_slice(rest.col(i));
        }
        Some((mean, all))
    }

    /// Utilities relative to the average utility of `reference`: `f(x) - mean of f over reference`.
    pub fn relative_utilities(&self, points: &Points, reference: &Points) -> Moments {
        let r = self.embed(reference);
        let n = reference.len() as f64;
        let average = |m: &Matrix| m.times(&vec![1.0 / n; reference.len()]);
        let (phi_r, psi_r) = (average(&r.features), average(&r.shrunk));
        let mean_r = r.mean.iter().sum::<f64>() / n;
        // Of low rank, what the features leave of two items is independent, and of an average nothing is left: no need to go
        // through all pairs.
        let low_rank = self.prior.low_rank;
        let k_rr = if low_rank {
            dot(&phi_r, &phi_r)
        } else {
            let all: Vec<usize> = (0..reference.len()).collect();
            let sum = |block: &[usize]| {
                self.kernel.cross(reference, &reference.select(block)).data().iter().sum::<f64>()
            };
            all.chunks(BLOCK).map(sum).sum::<f64>() / (n * n)
        };
        in_blocks(points, |points| {
            let e = self.embed(points);
            let with_average: Vec<f64> = if low_rank {
                e.features.transpose_times(&phi_r)
            } else {
                let cross = self.kernel.cross(reference, points);
                (0..points.len()).map(|i| cross.col(i).iter().sum::<f64>() / n).collect()
            };
            let own = self.kernel.diagonal(points);
            let variance = (0..points.len())
                .map(|i| {
                    let prior = own[i] - 2.0 * with_average[i] + k_rr;
                    let left = prior - squared_distance(e.features.col(i), &phi_r);
                    left.max(0.0) + squared_distance(e.shrunk.col(i), &psi_r)
                })
                .collect();
            Moments { mean: e.mean.iter().map(|m| m - mean_r).collect(), variance }
        })
    }

    /// Means and variances of `f(left) - f(right)` for pairs of positions in `points`.
    pub fn differences(&self, points: &Points, pairs: &[(usize, usize)]) -> Moments {
        let mut out = Moments { mean: Vec::new(), variance: Vec::new() };
        for pairs in pairs.chunks(BLOCK) {
            if watch::ends() {
                // Nobody reads the rest, and callers count on one entry a pair.
                out.mean.resize(out.mean.len() + pairs.len(), f64::NAN);
                out.variance.resize(out.mean.len(), f64::NAN);
                continue;
            }
            let used = self.embed_used(points, pairs);
            for &(a, b) in &used.pairs {
                let e = &used.embedded;
                out.mean.push(e.mean[a] - e.mean[b]);
                out.variance
                    .push(self.rest(&used, a, b) + squared_distance(e.shrunk.col(a), e.shrunk.col(b)));
            }
        }
        out
    }

    /// The joint covariance of the differences of many pairs.
    pub fn difference_covariance(&self, points: &Points, pairs: &[(usize, usize)]) -> Matrix {
        let c = self.covariance(points);
        Matrix::from_fn(pairs.len(), pairs.len(), |m, n| {
            let ((a, b), (p, q)) = (pairs[m], pairs[n]);
            c[(a, p)] - c[(a, q)] - c[(b, p)] + c[(b, q)]
        })
    }

    /// The probability that the left item of each pair is preferred,
    /// `Phi(E z / sqrt(s^2 + var z))` with `z` the difference (Wang and McKenna 2010, section 6).
    pub fn probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        self.probabilities_of(AnswerIndex::CHOICE, points, pairs)
    }

    /// As [`Posterior::probabilities`], of somebody to whom the first item of each pair is shown on the left: a learned advantage of the
    /// left counts.
    pub fn shown_probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        self.probabilities_of(self.likelihoods.shown()[0], points, pairs)
    }

    fn probabilities_of(&self, answer: AnswerIndex, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        let z = self.with_pair_effects(points, pairs);
        let likelihood = self.likelihoods.of(answer);
        z.mean.iter().zip(&z.variance).map(|(&m, &v)| likelihood.probability(m, v)).collect()
    }

    /// The probability that each of `points` is of the positive class, `Phi(E f / sqrt(noise^2 + var f))` (Rasmussen and
    /// Williams 2006, eq. 3.82 with their noise of 1).
    pub fn label_probabilities(&self, points: &Points) -> Vec<f64> {
        let f = self.utilities(points);
        f.mean
            .iter()
            .zip(&f.variance)
            .map(|(&m, &v)| self.likelihoods.of(AnswerIndex::LABEL).probability(m, v))
            .collect()
    }

    /// What may be said of each pair, its first item shown on the left, with its probability; empty where only who is preferred can be
    /// said.
    pub fn outcomes(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<Vec<(Preference, f64)>> {
        let z = self.with_pair_effects(points, pairs);
        z.mean.iter().zip(&z.variance).map(|(&m, &v)| self.likelihoods.outcome_probabilities(m, v)).collect()
    }

    /// The probabilities of the levels of a rating of each of `points`, the lowest first; empty where nothing was rated.
    pub fn ratings(&self, points: &Points) -> Vec<Vec<f64>> {
        let f = self.utilities(points);
        f.mean.iter().zip(&f.variance).map(|(&m, &v)| self.likelihoods.levels(m, v)).collect()
    }

    /// As [`Posterior::probabilities`], by the ratio of two evidences: that of the data with "left rather than
    /// right" added, over the sum of it and that of the data with "right rather than left". Nearer to the
    /// exact probability, whose distribution is skewed, and one run of inference an answer dearer.
    ///
    /// # Errors
    /// [`Error::Inference`] if a run breaks down; [`Unsupported::EvidenceRatio`](crate::Unsupported::EvidenceRatio) for response models with lapses or outliers.
    pub fn sharp_probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Result<Vec<f64>, Error> {
        let found = self.sharp(points, pairs, &[(1.0, AnswerIndex::CHOICE), (-1.0, AnswerIndex::CHOICE)])?;
        Ok(found.into_iter().map(|p| p[0]).collect())
    }

    /// As [`Posterior::sharp_probabilities`], of somebody to whom the first item of each pair is shown on the left.
    ///
    /// # Errors
    /// As [`Posterior::sharp_probabilities`].
    pub fn sharp_shown_probabilities(
        &self,
        points: &Points,
        pairs: &[(usize, usize)],
    ) -> Result<Vec<f64>, Error> {
        let [left, right] = self.likelihoods.shown();
        let found = self.sharp(points, pairs, &[(1.0, left), (-1.0, right)])?;
        Ok(found.into_iter().map(|p| p[0]).collect())
    }

    /// As [`Posterior::outcomes`], by the evidences of the data with each outcome added, over their sum.
    ///
    /// # Errors
    /// As [`Posterior::sharp_probabilities`].
    pub fn sharp_outcomes(
        &self,
        points: &Points,
        pairs: &[(usize, usize)],
    ) -> Result<Vec<Vec<(Preference, f64)>>, Error> {
        let outcomes = self.likelihoods.outcomes();
        let answers: Vec<(f64, AnswerIndex)> =
            outcomes.iter().map(|&(_, sign, answer)| (sign, answer)).collect();
        let named = |p: Vec<f64>| outcomes.iter().map(|outcome| outcome.0).zip(p).collect();
        Ok(self.sharp(points, pairs, &answers)?.into_iter().map(named).collect())
    }

    /// The probabilities of answers, of which one is given, about each pair: their evidences over the sum. An answer is about the
    /// difference with a sign.
    fn sharp(
        &self,
        points: &Points,
        pairs: &[(usize, usize)],
        answers: &[(f64, AnswerIndex)],
    ) -> Result<Vec<Vec<f64>>, Error> {
        let response_model = &self.observations.responses.response_model;
        if response_model.lapses != Lapses::Never || response_model.robust || response_model.pair_effect {
            return Err(crate::Unsupported::EvidenceRatio.into());
        }
        let mut out = Vec::with_capacity(pairs.len());
        let steps = Steps::start("probabilities", pairs.len());
        for pairs in pairs.chunks(BLOCK) {
            for d in self.embed_pairs(points, pairs) {
                watch::check()?;
                let extended = self.prior.with_node(&d.features, d.rest.sqrt());
                let evidence =
                    |&(sign, answer): &(f64, AnswerIndex)| self.log_evidence_with(&extended, sign, answer);
                let evidences = answers.iter().map(evidence).collect::<Result<Vec<f64>, Error>>()?;
                let share = |of: &f64| 1.0 / evidences.iter().map(|other| (other - of).exp()).sum::<f64>();
                out.push(evidences.iter().map(share).collect());
                steps.add(1);
            }
        }
        Ok(out)
    }

    /// The differences of pairs in feature space.
    fn embed_pairs(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<Difference> {
        let used = self.embed_used(points, pairs);
        let minus = |m: &Matrix, a, b| m.col(a).iter().zip(m.col(b)).map(|(x, y)| x - y).collect();
        let one = |&(a, b): &(usize, usize)| Difference {
            rest: self.rest(&used, a, b),
            features: minus(&used.embedded.features, a, b),
        };
        used.pairs.iter().map(one).collect()
    }

    /// The items that occur in pairs, and no others.
    fn embed_used(&self, points: &Points, pairs: &[(usize, usize)]) -> Used {
        let mut used: Vec<usize> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        used.sort_unstable();
        used.dedup();
        let at = |item: usize| used.partition_point(|&x| x < item);
        let points = points.select(&used);
        Used {
            embedded: self.embed(&points),
            own: self.kernel.diagonal(&points),
            pairs: pairs.iter().map(|&(a, b)| (at(a), at(b))).collect(),
            points,
        }
    }

    /// What the features leave of the prior variance of a difference.
    fn rest(&self, Used { points, embedded, own, .. }: &Used, a: usize, b: usize) -> f64 {
        let k_ab = self.kernel.cross(&points.select(&[a]), &points.select(&[b]))[(0, 0)];
        let told = squared_distance(embedded.features.col(a), embedded.features.col(b));
        (own[a] + own[b] - 2.0 * k_ab - told).max(0.0)
    }

    fn log_evidence_with(&self, extended: &Prior, sign: f64, answer: AnswerIndex) -> Result<f64, Error> {
        let mut observations = self.observations.merged.clone();
        observations.push(Observation::new(extended.edges.len() - 1, sign, 1.0, answer));
        let mut start: Sites = self.outcome.sites.clone();
        start.tau.push(0.0);
        start.nu.push(0.0);
        let settings = Settings::default();
        inference::run(self.method, extended, &observations, &self.likelihoods, start, &settings)
            .filter(|outcome| outcome.trustworthy)
            .map(|outcome| outcome.log_evidence)
            .ok_or(Error::Inference)
    }

    /// Which of `points` the answers say anything about, be it through others like them; of the rest nothing is known but the prior.
    pub(crate) fn touches(&self, points: &Points) -> Vec<bool> {
        let all: Vec<usize> = (0..points.len()).collect();
        let block = |block: &[usize]| {
            let features = self.embed(&points.select(block)).features;
            (0..block.len()).map(|i| features.col(i).iter().any(|&x| x != 0.0)).collect::<Vec<bool>>()
        };
        all.chunks(BLOCK).flat_map(block).collect()
    }

    /// The features of `points`, what inference made of them, and their means.
    pub(crate) fn embed(&self, points: &Points) -> Embedded {
        self.embed_covariances(self.covariances_with_nodes(points))
    }

    /// The covariances of the nodes with `points`.
    fn covariances_with_nodes(&self, points: &Points) -> Matrix {
        let nodes = &self.prior.order[..self.prior.rank()];
        match self.prior.space {
            Space::Items => self.kernel.cross(&self.points.select(nodes), points),
            Space::Pairs => {
                let ends: Vec<Edge> = nodes.iter().map(|&e| self.prior.item_edges[e]).collect();
                let plus: Vec<usize> = ends.iter().map(Edge::plus).collect();
                let mut k = self.kernel.cross(&self.points.select(&plus), points);
                let (rows, minus): (Vec<usize>, Vec<usize>) =
                    ends.iter().enumerate().filter_map(|(row, e)| Some((row, e.minus()?))).unzip();
                let other = self.kernel.cross(&self.points.select(&minus), points);
                for j in 0..points.len() {
                    for (from, &row) in rows.iter().enumerate() {
                        k[(row, j)] -= other[(from, j)];
                    }
                }
                k
            }
        }
    }

    /// What has these covariances with the nodes, one a column: items, or sums of them.
    fn embed_covariances(&self, covariances: Matrix) -> Embedded {
        let mut features = covariances;
        solve_lower_transposed(&self.pivots, &mut features);
        let mut shrunk = features.clone();
        solve_lower(&self.outcome.posterior.factor, &mut shrunk);
        let mean = features.transpose_times(&self.outcome.posterior.weights);
        Embedded { features, shrunk, mean }
    }
}

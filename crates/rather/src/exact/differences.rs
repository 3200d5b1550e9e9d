//! The noisy differences behind the comparisons.

use rand_chacha::ChaCha8Rng;

use super::noisy_set::NoisySet;
use super::truncated::UpperTail;
use crate::Error;
use crate::inference::observations::Observations;
use crate::inference::prior::Prior;
use rather_numerics::linalg::{Matrix, axpy, solve_lower_transposed_vec, solve_lower_vec, transpose_product};
use rather_numerics::random::{normal, normals};

/// Comparisons that exact inference holds at most, repeated ones counted.
pub const MOST_COMPARISONS: usize = 5_000;

/// Whether exact inference holds so many comparisons.
///
/// # Errors
/// [`Error::ExactSize`] if not.
pub fn check_size(comparisons: f64) -> Result<(), Error> {
    if comparisons > MOST_COMPARISONS as f64 {
        return Err(Error::ExactSize { comparisons, limit: MOST_COMPARISONS });
    }
    Ok(())
}

/// Whether a noise is one.
///
/// # Errors
/// [`Error::Parameter`] if it is not positive and finite.
pub(super) fn check_noise(noise: f64) -> Result<(), Error> {
    if noise <= 0.0 || !noise.is_finite() {
        let requirement = "it must be positive and finite";
        return Err(Error::Parameter { name: "noise".into(), value: noise, requirement });
    }
    Ok(())
}

/// The noisy differences $y_m=p_m^\top w+s e_m$, one a comparison, with $w\sim\mathcal N(0,I)$ the prior's features'
/// weights, $p_m$ the projection signed so that the winner counts positively, $e_m\sim\mathcal N(0,1)$ and
/// $s=\sqrt2 \sigma$. The data say $y>0$, so the posterior of $y$ is $\mathcal N(0,S)$, $S=P^\top P+s^2I$, cut to the
/// positive orthant. Repeated comparisons are noisy differences of their own. An answer about a set is several, whose noise is correlated:
/// they share that of their options.
///
/// # References
/// Takeno, Nomura and Karasuyama, *Towards practical preferential Bayesian optimization with skew Gaussian processes*
/// (2023), arXiv:2302.01513; their $v$ is $-y$.
#[derive(Debug, Clone)]
pub struct NoisyDifferences {
    /// The distinct projections, `rank x edges`.
    projections: Matrix,
    /// For each comparison its projection and its sign; those of answers about sets come last.
    comparisons: Vec<(usize, f64)>,
    /// How many comparisons are plain, and the answers about sets that the others are of.
    plain: usize,
    sets: Vec<NoisySet>,
    s: f64,
    /// Cholesky factor `R` of `B = I + P P' / s^2`, the precision of `w` given `y`.
    factor: Matrix,
}

impl NoisyDifferences {
    /// The noisy differences of `observations` under `prior`, for noise of standard deviation `noise` an item.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the noise is not positive; [`Error::ExactSize`] if there are too many comparisons; [`Unsupported::NoisyDifferences`](crate::Unsupported::NoisyDifferences) if there are
    /// other answers, or answers with weights;
    /// [`Error::Inference`] if the covariance breaks down.
    pub fn new(prior: &Prior, observations: &Observations, noise: f64) -> Result<Self, Error> {
        check_noise(noise)?;
        check_size(observations.differences())?;
        if !observations.has_noisy_differences() {
            return Err(crate::Unsupported::NoisyDifferences.into());
        }
        let s = std::f64::consts::SQRT_2 * noise;
        let mut projections = Matrix::zeros(prior.rank(), prior.edges.len());
        for (e, edge) in prior.edges.iter().enumerate() {
            projections.col_mut(e).copy_from_slice(prior.features.col(edge.plus()));
            if let Some(minus) = edge.minus() {
                axpy(-1.0, prior.features.col(minus), projections.col_mut(e));
            }
        }
        let (mut comparisons, mut sets) = (Vec::new(), Vec::new());
        let mut tau = vec![0.0; prior.edges.len()];
        let mut plain = 0;
        for (_, of_answer) in observations.answers() {
            let o = &of_answer[0];
            let Some(order) = observations.order(o) else {
                tau[o.edge()] += o.count() / (s * s);
                comparisons.extend(std::iter::repeat_n((o.edge(), o.sign()), o.count() as usize));
                plain = comparisons.len();
                continue;
            };
            let set = NoisySet::new(order, of_answer, 0);
            set.add_precision(o.count() / (s * s), &mut tau);
            for _ in 0..o.count() as usize {
                sets.push(set.at(comparisons.len()));
                comparisons.extend(set.comparisons());
            }
        }
        let factor = prior.absorb(&tau, &vec![0.0; tau.len()]).ok_or(Error::Inference)?.factor;
        Ok(Self { projections, comparisons, plain, sets, s, factor })
    }

    /// Number of comparisons.
    pub fn len(&self) -> usize {
        self.comparisons.len()
    }

    /// Whether there are no comparisons.
    pub fn is_empty(&self) -> bool {
        self.comparisons.is_empty()
    }

    /// Number of features of the prior.
    pub fn rank(&self) -> usize {
        self.projections.rows()
    }

    /// The standard deviation $s$ of the noise of a difference.
    pub fn s(&self) -> f64 {
        self.s
    }

    /// The Cholesky factor $R$ of the precision $B=I+PP^\top/s^2$ of $w$ given $y$ (lower triangle).
    pub fn factor(&self) -> &Matrix {
        &self.factor
    }

    /// Whether $S$ is singular: answers about sets have more comparisons than differences that are independent.
    pub fn is_singular(&self) -> bool {
        self.sets.iter().any(NoisySet::is_singular)
    }

    /// The standard deviation of the noise of an option.
    fn noise(&self) -> f64 {
        self.s * std::f64::consts::FRAC_1_SQRT_2
    }

    /// $S=P^\top P+s^2I$, and beside the diagonal what comparisons of a set share of their noise.
    pub fn covariance(&self) -> Matrix {
        let among = transpose_product(&self.projections, &self.projections);
        let mut out = Matrix::from_fn(self.len(), self.len(), |m, n| {
            let ((e, a), (f, b)) = (self.comparisons[m], self.comparisons[n]);
            a * b * among[(e.max(f), e.min(f))]
        });
        out.add_diagonal(self.s * self.s);
        let of_option = 0.5 * self.s * self.s;
        self.sets.iter().for_each(|set| set.add_covariance(of_option, |m, n, shared| out[(m, n)] += shared));
        out
    }

    /// The noiseless differences, one an edge, for weights `w`.
    pub fn project(&self, w: &[f64]) -> Vec<f64> {
        self.projections.transpose_times(w)
    }

    /// A draw of $\mathcal N(0,S)$, not cut.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let z = self.project(&normals(self.rank(), rng));
        let plain = self.comparisons[..self.plain].iter();
        let mut y: Vec<f64> = plain.map(|&(e, sign)| sign * z[e] + self.s * normal(rng)).collect();
        self.sets.iter().for_each(|set| set.draw(&z, self.noise(), rng, &mut y));
        y
    }

    /// $R^{-1}P y/s^2$: the mean of $w$ given $y$ is $R^{-\top}$ times it.
    pub fn half_mean(&self, y: &[f64]) -> Vec<f64> {
        self.half_mean_of_sums(&self.sums(y))
    }

    /// The sums of $y$ over the comparisons of each pair, signed as the pair's projection, and what the noisy utilities of sets say of it: all that the
    /// utilities depend on.
    pub fn sums(&self, y: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.projections.cols()];
        for (&(e, sign), y) in self.comparisons[..self.plain].iter().zip(y) {
            sums[e] += sign * y;
        }
        self.sets.iter().for_each(|set| set.add_sums(y, 1.0, &mut sums));
        sums
    }

    /// What the noisy utilities of answers about sets say of each projection: the precision and the precision times the mean of a Gaussian site. `None`
    /// without such answers.
    pub(super) fn said_by_sets(&self, y: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        if self.sets.is_empty() {
            return None;
        }
        let (mut tau, mut nu) = (vec![0.0; self.projections.cols()], vec![0.0; self.projections.cols()]);
        let precision = 1.0 / (self.s * self.s);
        for set in &self.sets {
            set.add_precision(precision, &mut tau);
            set.add_sums(y, precision, &mut nu);
        }
        Some((tau, nu))
    }

    /// As [`NoisyDifferences::half_mean`], from the sums of $y$.
    pub fn half_mean_of_sums(&self, sums: &[f64]) -> Vec<f64> {
        let mut half = self.projections.times(sums);
        half.iter_mut().for_each(|h| *h /= self.s * self.s);
        solve_lower_vec(&self.factor, &mut half);
        half
    }

    /// A draw of the noiseless differences given `y`, one an edge.
    pub fn differences_given(&self, y: &[f64], rng: &mut ChaCha8Rng) -> Vec<f64> {
        let mut w = self.half_mean(y);
        w.iter_mut().for_each(|w| *w += normal(rng));
        solve_lower_transposed_vec(&self.factor, &mut w);
        self.project(&w)
    }

    /// Where chains start: $y>0$ near the noiseless differences `z`, of plain comparisons drawn given them.
    pub fn start(&self, z: &[f64], rng: &mut ChaCha8Rng) -> Vec<f64> {
        let mut y = vec![0.0; self.len()];
        self.redraw_plain(z, &mut y, rng);
        self.sets.iter().for_each(|set| set.start(z, self.noise(), rng, &mut y));
        y
    }

    /// Draws $y$ anew given the noiseless differences `z` and that $y>0$: of plain comparisons independent truncated normals, of sets by a step from where
    /// they are.
    pub fn redraw(&self, z: &[f64], y: &mut [f64], rng: &mut ChaCha8Rng) {
        self.redraw_plain(z, y, rng);
        self.sets.iter().for_each(|set| set.redraw(z, self.noise(), rng, y));
    }

    fn redraw_plain(&self, z: &[f64], y: &mut [f64], rng: &mut ChaCha8Rng) {
        let bound = |&(e, sign): &(usize, f64)| -sign * z[e] / self.s;
        let plain = self.comparisons[..self.plain].iter();
        y.iter_mut().zip(plain).for_each(|(y, c)| *y = self.s * UpperTail::above(bound(c)).sample(rng));
    }
}

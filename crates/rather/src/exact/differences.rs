//! The noisy differences behind the comparisons.

use rand_chacha::ChaCha8Rng;

use super::truncated::UpperTail;
use crate::Error;
use crate::inference::observations::Observation;
use crate::inference::prior::Prior;
use crate::likelihood::AnswerIndex;
use rather_numerics::linalg::{Matrix, axpy, solve_lower_transposed_vec, solve_lower_vec, transpose_product};
use rather_numerics::random::{normal, normals};

/// Comparisons that exact inference holds at most, repeated ones counted.
pub const MOST_COMPARISONS: usize = 5_000;

/// Whether exact inference holds so many comparisons.
///
/// # Errors
/// [`Error::ExactSize`] if not.
pub fn check_size(observations: &[Observation]) -> Result<(), Error> {
    let comparisons: f64 = observations.iter().map(|o| o.count()).sum();
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
/// positive orthant. Repeated comparisons are noisy differences of their own.
///
/// # References
/// Takeno, Nomura and Karasuyama, *Towards practical preferential Bayesian optimization with skew Gaussian processes*
/// (2023), arXiv:2302.01513; their $v$ is $-y$.
#[derive(Debug, Clone)]
pub struct NoisyDifferences {
    /// The distinct projections, `rank x edges`.
    projections: Matrix,
    /// For each comparison its projection and its sign.
    comparisons: Vec<(usize, f64)>,
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
    pub fn new(prior: &Prior, observations: &[Observation], noise: f64) -> Result<Self, Error> {
        check_noise(noise)?;
        check_size(observations)?;
        let whole = |o: &Observation| o.answer == AnswerIndex::CHOICE && o.count().fract() == 0.0;
        if !observations.iter().all(whole) {
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
        let comparisons = observations
            .iter()
            .flat_map(|o| std::iter::repeat_n((o.edge(), o.sign()), o.count() as usize))
            .collect();
        let mut tau = vec![0.0; prior.edges.len()];
        for o in observations {
            tau[o.edge()] += o.count() / (s * s);
        }
        let factor = prior.absorb(&tau, &vec![0.0; tau.len()]).ok_or(Error::Inference)?.factor;
        Ok(Self { projections, comparisons, s, factor })
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

    /// $S=P^\top P+s^2I$.
    pub fn covariance(&self) -> Matrix {
        let among = transpose_product(&self.projections, &self.projections);
        let mut out = Matrix::from_fn(self.len(), self.len(), |m, n| {
            let ((e, a), (f, b)) = (self.comparisons[m], self.comparisons[n]);
            a * b * among[(e.max(f), e.min(f))]
        });
        out.add_diagonal(self.s * self.s);
        out
    }

    /// The noiseless differences, one an edge, for weights `w`.
    pub fn project(&self, w: &[f64]) -> Vec<f64> {
        self.projections.transpose_times(w)
    }

    /// A draw of $\mathcal N(0,S)$, not cut.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let z = self.project(&normals(self.rank(), rng));
        self.comparisons.iter().map(|&(e, sign)| sign * z[e] + self.s * normal(rng)).collect()
    }

    /// $R^{-1}P y/s^2$: the mean of $w$ given $y$ is $R^{-\top}$ times it.
    pub fn half_mean(&self, y: &[f64]) -> Vec<f64> {
        self.half_mean_of_sums(&self.sums(y))
    }

    /// The sums of $y$ over the comparisons of each pair, signed as the pair's projection: all that the utilities depend on.
    pub fn sums(&self, y: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.projections.cols()];
        for (&(e, sign), y) in self.comparisons.iter().zip(y) {
            sums[e] += sign * y;
        }
        sums
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

    /// A draw of $y$ given the noiseless differences `z` and that $y>0$: independent truncated normals.
    pub fn given_differences(&self, z: &[f64], rng: &mut ChaCha8Rng) -> Vec<f64> {
        let bound = |&(e, sign): &(usize, f64)| -sign * z[e] / self.s;
        self.comparisons.iter().map(|c| self.s * UpperTail::above(bound(c)).sample(rng)).collect()
    }
}

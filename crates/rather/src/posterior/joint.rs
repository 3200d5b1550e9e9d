//! The joint posterior over a finite set of items, for many questions about pairs of them.

use rand_chacha::ChaCha8Rng;

use super::Posterior;
use crate::Error;
use crate::points::Points;
use rather_numerics::linalg::{Matrix, TriangularFeatures, axpy, dot};
use rather_numerics::random::{normals, uniform};

/// A Gaussian over the utilities of some items, by their positions. The difference of any two takes no more than reading
/// three covariances.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Means, one an item.
    pub mean: Vec<f64>,
    /// Covariances, items x items.
    pub covariance: Matrix,
}

impl Posterior {
    /// The joint posterior over the utilities of `points`.
    pub fn joint(&self, points: &Points) -> Joint {
        let e = self.embed(points);
        Joint { covariance: self.covariance_of(points, &e), mean: e.mean }
    }
}

impl Joint {
    /// Number of items.
    pub fn len(&self) -> usize {
        self.mean.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.mean.is_empty()
    }

    /// The mean and the variance of `f(i) - f(j)`.
    #[inline]
    pub fn difference(&self, i: usize, j: usize) -> (f64, f64) {
        let c = &self.covariance;
        (self.mean[i] - self.mean[j], (c[(i, i)] + c[(j, j)] - 2.0 * c[(i, j)]).max(0.0))
    }

    /// What draws are made of.
    ///
    /// # Errors
    /// [`Error::Covariance`] if the covariance holds something that is not a number.
    pub fn sampler(&self) -> Result<Sampler<'_>, Error> {
        Sampler::of([(1.0, self)].into_iter())
    }

    /// Takes in a Gaussian observation of `f(i) - f(j)` that changes no mean and takes the share `beta` off the
    /// difference's precision to come: $\Sigma\leftarrow\Sigma-\beta cc^\top$, $c=\Sigma(e_i-e_j)$.
    pub fn shrink(&mut self, i: usize, j: usize, beta: f64) {
        let mut c = self.covariance.col(i).to_vec();
        axpy(-1.0, self.covariance.col(j), &mut c);
        for (k, &ck) in c.iter().enumerate() {
            axpy(-beta * ck, &c, self.covariance.col_mut(k));
        }
        for k in 0..self.len() {
            self.covariance[(k, k)] = self.covariance[(k, k)].max(0.0);
        }
    }
}

/// Draws of the utilities of some items, from one Gaussian or from several by their weights.
#[derive(Debug, Clone)]
pub struct Sampler<'a> {
    components: Vec<Drawn<'a>>,
}

/// One Gaussian that is drawn from.
#[derive(Debug, Clone)]
struct Drawn<'a> {
    weight: f64,
    mean: &'a [f64],
    /// One item a column: its covariances are inner products of columns.
    features: Matrix,
}

impl<'a> Sampler<'a> {
    /// Draws from a mixture, whose weights add up to 1.
    pub(crate) fn of(components: impl Iterator<Item = (f64, &'a Joint)>) -> Result<Self, Error> {
        let one = |(weight, joint): (f64, &'a Joint)| {
            let features = TriangularFeatures::new(joint.covariance.clone()).ok_or(Error::Covariance)?;
            Ok(Drawn { weight, mean: &joint.mean, features: features.in_order() })
        };
        Ok(Self { components: components.map(one).collect::<Result<_, Error>>()? })
    }

    /// One draw of all utilities.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        self.draw_of(rng).1
    }

    /// One draw, and the position of the Gaussian that it is from.
    pub(crate) fn draw_of(&self, rng: &mut ChaCha8Rng) -> (usize, Vec<f64>) {
        let last = self.components.len() - 1;
        let mut left = if last == 0 { 0.0 } else { uniform(rng) };
        let at = self.components.iter().position(|c| {
            left -= c.weight;
            left < 0.0
        });
        let at = at.unwrap_or(last);
        let Drawn { mean, features, .. } = &self.components[at];
        let e = normals(features.rows(), rng);
        (at, mean.iter().enumerate().map(|(i, m)| m + dot(features.col(i), &e)).collect())
    }
}

//! The joint posterior over a finite set of items, for many questions about pairs of them.

use rand_chacha::ChaCha8Rng;

use super::Posterior;
use super::draws::noise;
use crate::Error;
use crate::points::Points;
use rather_numerics::linalg::{Matrix, TriangularFeatures, axpy, dot, transpose_product};
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
    pub fn sampler(&self) -> Result<Sampler, Error> {
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
pub struct Sampler {
    components: Vec<Drawn>,
}

/// One Gaussian that is drawn from.
#[derive(Debug, Clone)]
struct Drawn {
    weight: f64,
    mean: Vec<f64>,
    /// One item a column: its covariances are inner products of columns.
    features: Matrix,
}

/// What the features of draws leave of any variance, as a share of the largest: a hundredth of a standard deviation, a tenth of what draws are off by.
const NEGLIGIBLE: f64 = 1e-4;
/// Where items take more features than one for so many of them, or there are fewer than so many, all at once are faster than one after the other.
const SHARE: usize = 3;
const MANY: usize = 128;

impl Posterior {
    /// What draws of the utilities of `points` are made of. Where utilities are smooth a few features say it all, which are found without the
    /// covariance of all items: `O(n rank^2)`.
    fn drawn(&self, weight: f64, points: &Points) -> Result<Drawn, Error> {
        let smooth = points.dims() > 0 && points.len() > MANY;
        let features = smooth.then(|| self.features_of_draws(points)).flatten();
        match features {
            Some(features) => Ok(Drawn { weight, mean: self.embed(points).mean, features }),
            None => Drawn::of(weight, &self.joint(points)),
        }
    }

    fn features_of_draws(&self, points: &Points) -> Option<Matrix> {
        let e = self.embed(points);
        let column = |i: usize| {
            let mut column = self.kernel.cross(points, &points.select(&[i])).col(0).to_vec();
            for (j, covariance) in column.iter_mut().enumerate() {
                let taken = dot(e.features.col(i), e.features.col(j));
                *covariance += dot(e.shrunk.col(i), e.shrunk.col(j)) - taken;
            }
            column
        };
        let own = self.utilities(points).variance;
        let most = points.len() / SHARE;
        Some(TriangularFeatures::by_columns(&own, column, NEGLIGIBLE, most)?.in_order())
    }
}

impl Drawn {
    fn of(weight: f64, joint: &Joint) -> Result<Self, Error> {
        let features = TriangularFeatures::new(joint.covariance.clone()).ok_or(Error::Covariance)?;
        Ok(Self { weight, mean: joint.mean.clone(), features: features.in_order() })
    }
}

impl Sampler {
    /// Draws from a mixture, whose weights add up to 1.
    pub(crate) fn of<'a>(components: impl Iterator<Item = (f64, &'a Joint)>) -> Result<Self, Error> {
        Ok(Self {
            components: components
                .map(|(weight, joint)| Drawn::of(weight, joint))
                .collect::<Result<_, _>>()?,
        })
    }

    /// Draws of the utilities of `points` from a mixture of posteriors, whose weights add up to 1.
    pub(crate) fn at(points: &Points, components: &[(f64, &Posterior)]) -> Result<Self, Error> {
        let drawn = components.iter().map(|(weight, posterior)| posterior.drawn(*weight, points));
        Ok(Self { components: drawn.collect::<Result<_, _>>()? })
    }

    /// `number` draws, of each Gaussian as many as its weight says: its position, and draws, one item a row, one draw a column.
    pub(crate) fn draws(&self, number: usize, rng: &mut ChaCha8Rng) -> impl Iterator<Item = (usize, Matrix)> {
        let (mut done, mut sum) = (0, 0.0);
        self.components.iter().enumerate().map(move |(at, Drawn { weight, mean, features })| {
            sum += weight;
            let until = ((sum * number as f64).round() as usize).clamp(done, number);
            let mut out = transpose_product(features, &noise(features.rows(), until - done, rng));
            done = until;
            for k in 0..out.cols() {
                out.col_mut(k).iter_mut().zip(mean).for_each(|(f, m)| *f += m);
            }
            (at, out)
        })
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

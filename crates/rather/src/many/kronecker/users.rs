//! All users in the feature space of their covariance, exactly.

use crate::Error;
use crate::many::users::UserPrior;
use crate::points::Points;
use rather_numerics::linalg::{Matrix, TriangularFeatures, dot, solve_lower_transposed};

/// `K_u = Psi' Psi`, to working precision, and the way to the features of someone else.
#[derive(Debug, Clone)]
pub(super) struct UserFeatures {
    pub(super) prior: UserPrior,
    /// `Psi`, rank x users.
    pub(super) features: Matrix,
    /// What the features leave of each user's variance: nothing, unless they are those of a few users only.
    pub(super) rest: Vec<f64>,
    /// The users that features are computed from, by their numbers, and what is known of them; their own features.
    chosen: Vec<usize>,
    base: Option<Points>,
    triangle: Matrix,
    /// Rows onto which features were projected, if they are not all of them.
    onto: Option<Matrix>,
}

/// Variance, relative to the largest, that features need not carry.
const NEGLIGIBLE: f64 = 1e-13;

impl UserFeatures {
    /// The features of all users; with `among`, only those that these users span.
    pub(super) fn new(
        prior: &UserPrior,
        users: usize,
        points: Option<&Points>,
        among: Option<&[usize]>,
    ) -> Result<Self, Error> {
        prior.check()?;
        let points = match (&prior.kernel, points) {
            (None, _) => None,
            (Some(_), Some(points)) if points.len() == users => Some(points),
            (Some(_), Some(points)) => {
                let (expected, found) = (users, points.len());
                return Err(Error::Length { what: "the users' features", expected, found });
            }
            (Some(_), None) => {
                return Err(Error::ManyUsers {
                    model: "kronecker",
                    problem: "has a kernel over users, and the users have no features; leave the kernel out",
                });
            }
        };
        let k = prior.matrix(users, points);
        let among: Vec<usize> = among.map_or_else(|| (0..users).collect(), <[usize]>::to_vec);
        let (chosen, triangle) = pivots(&k, &among)?;
        let mut features = Matrix::from_fn(chosen.len(), users, |i, u| k[(chosen[i], u)]);
        solve_lower_transposed(&triangle, &mut features);
        let left = |u: usize| {
            let left = k[(u, u)] - dot(features.col(u), features.col(u));
            // What rounding and negligible features leave is nothing.
            if left > 1e-10 * k[(u, u)] { left } else { 0.0 }
        };
        let rest = (0..users).map(left).collect();
        let base = points.map(|p| p.select(&chosen));
        Ok(Self { prior: prior.clone(), features, rest, chosen, base, triangle, onto: None })
    }

    /// These features in the space of those of all users: `T'` with `T'T = I`, so that `T' psi` are these of who has `psi`.
    pub(super) fn within(&self, all: &Self) -> Matrix {
        let mut out = Matrix::from_fn(self.rank(), all.rank(), |i, a| all.features[(a, self.chosen[i])]);
        solve_lower_transposed(&self.triangle, &mut out);
        out
    }

    pub(super) fn rank(&self) -> usize {
        self.features.rows()
    }

    /// The same in fewer features: the products of all of them with the rows of `onto`, which are orthonormal.
    pub(super) fn onto(&self, onto: &Matrix) -> Self {
        let users = self.features.cols();
        let mut features = Matrix::zeros(onto.rows(), users);
        (0..users).for_each(|u| features.col_mut(u).copy_from_slice(&onto.times(self.features.col(u))));
        let left = |u: usize| {
            let [whole, kept] = [self.features.col(u), features.col(u)].map(|psi| dot(psi, psi));
            self.rest[u] + (whole - kept).max(0.0)
        };
        let rest = (0..users).map(left).collect();
        Self { features, rest, onto: Some(onto.clone()), ..self.clone() }
    }

    /// Features of someone new, and the variance that they leave.
    pub(super) fn newcomer(&self, points: Option<&Points>) -> Result<(Vec<f64>, f64), Error> {
        let base_rank = self.triangle.rows();
        let mut k = Matrix::from_fn(base_rank, 1, |_, _| self.prior.common);
        let mut own = self.prior.common + self.prior.individual;
        if let (Some(kernel), Some(base)) = (&self.prior.kernel, &self.base) {
            let points = points.ok_or(Error::ManyUsers {
                model: "kronecker",
                problem: "was learned from users' features, so a new user needs features, too",
            })?;
            if points.len() != 1 {
                return Err(Error::Length { what: "the newcomer", expected: 1, found: points.len() });
            }
            let cross = kernel.cross(base, points);
            (0..base_rank).for_each(|i| k[(i, 0)] += self.prior.share * cross[(i, 0)]);
            own += self.prior.share * kernel.diagonal(points)[0];
        }
        solve_lower_transposed(&self.triangle, &mut k);
        let all = k.col(0);
        let features = self.onto.as_ref().map_or_else(|| all.to_vec(), |onto| onto.times(all));
        let rest = (own - dot(&features, &features)).max(0.0);
        Ok((features, rest))
    }
}

/// The users among whom `k` has its rank, and their features, a lower triangle `T` with `K = T' T`.
fn pivots(k: &Matrix, among: &[usize]) -> Result<(Vec<usize>, Matrix), Error> {
    let factored = |chosen: &[usize]| {
        let k = Matrix::from_fn(chosen.len(), chosen.len(), |i, j| k[(chosen[i], chosen[j])]);
        TriangularFeatures::new(k).ok_or(Error::Covariance)
    };
    let all = factored(among)?;
    let largest = among.iter().map(|&u| k[(u, u)]).fold(0.0, f64::max);
    let rank = all.features.rows();
    // Pivots come in increasing order: what is small is at the beginning.
    let small = |&j: &usize| all.features[(j, j)].powi(2) < NEGLIGIBLE * largest;
    let dropped = (0..rank).take_while(small).count();
    let chosen: Vec<usize> = all.order[dropped..rank].iter().map(|&i| among[i]).collect();
    let own = factored(&chosen)?;
    let rank = own.features.rows();
    let triangle = Matrix::from_fn(rank, rank, |i, j| own.features[(i, j)]);
    Ok((own.order[..rank].iter().map(|&i| chosen[i]).collect(), triangle))
}

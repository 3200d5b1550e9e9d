//! How alike are users? The prior covariance of their weights, `K_u = share k(u, u') + individual I + common 1 1'`.
//!
//! | model | share | individual | common |
//! |---|---|---|---|
//! | CP of Houlsby et al. (2012): nothing is known about users | 0 | 1 | 0 |
//! | the same with a population mean, the default | 0 | 1 | 0.5 |
//! | CPU: users with like features are alike | 1 | 0 (the authors' programs: 0.1) | 0 |
//! | mixed: as much of the features as the evidence supports | 1 - rho | rho | any |

use crate::Error;
use crate::kernel::Kernel;
use crate::points::Points;
use rather_numerics::linalg::{Matrix, TriangularFeatures, dot, solve_lower_transposed};

use super::low_rank::LowRank;

/// The prior covariance of users' weights.
#[derive(Debug, Clone, PartialEq)]
pub struct UserPrior {
    /// The kernel over users' features, if they have any.
    pub kernel: Option<Kernel>,
    /// What it is multiplied with.
    pub share: f64,
    /// The variance that each user has alone. With 0, users of equal features are forced to agree.
    pub individual: f64,
    /// The variance of the mean that all users share. With 0, a newcomer without features is a coin toss.
    pub common: f64,
}

impl UserPrior {
    /// Nothing is known about users: `K_u = I + common 1 1'`.
    pub fn exchangeable(common: f64) -> Self {
        Self { kernel: None, share: 0.0, individual: 1.0, common }
    }

    /// Users with features: `K_u = (1 - individual) k + individual I + common 1 1'`.
    pub fn with_features(kernel: Kernel, individual: f64, common: f64) -> Self {
        Self { kernel: Some(kernel), share: 1.0 - individual, individual, common }
    }

    /// # Errors
    /// [`Error::Parameter`] for a part that is negative or not finite, or a sum of 0.
    pub fn check(&self) -> Result<(), Error> {
        for (name, value) in [("share", self.share), ("individual", self.individual), ("common", self.common)]
        {
            if !(value.is_finite() && value >= 0.0) {
                let requirement = "a part of the users' covariance must be finite and not negative";
                return Err(Error::Parameter { name: name.into(), value, requirement });
            }
        }
        let features = if self.kernel.is_some() { self.share } else { 0.0 };
        if features + self.individual + self.common > 0.0 {
            return Ok(());
        }
        let requirement = "the users' covariance must not be zero";
        Err(Error::Parameter { name: "individual".into(), value: self.individual, requirement })
    }

    /// The covariance matrix of users, `U x U`.
    pub fn matrix(&self, users: usize, points: Option<&Points>) -> Matrix {
        let mut out = match (&self.kernel, points) {
            (Some(kernel), Some(points)) => {
                let mut k = kernel.matrix(points);
                k.data_mut().iter_mut().for_each(|x| *x *= self.share);
                k
            }
            _ => Matrix::zeros(users, users),
        };
        out.data_mut().iter_mut().for_each(|x| *x += self.common);
        out.add_diagonal(self.individual);
        out
    }
}

/// The features of the known users under a [`UserPrior`], and the way to those of any other user.
#[derive(Debug, Clone)]
pub struct Users {
    /// The prior.
    pub prior: UserPrior,
    /// The features of the known users; their last row is that of the population mean, if it varies.
    pub low_rank: LowRank,
    /// Users from which the features of the kernel are computed, and these users' own features.
    base: Option<(Points, Matrix)>,
    /// The inducing users, if the kernel is approximated from some.
    pub inducing: Option<Vec<usize>>,
}

/// Variance, relative to the largest, that features of smooth kernels need not carry; it goes to the diagonal.
const NEGLIGIBLE: f64 = 1e-11;

impl Users {
    /// The features of `users` users. `points` holds their features if the prior has a kernel; with `inducing`,
    /// the kernel is that of FITC with these users as inducing ones.
    ///
    /// # Errors
    /// [`Error::Covariance`], [`Error::Parameter`] as [`UserPrior::check`], [`Error::Length`] if there are fewer
    /// rows of features than users, [`Error::ManyUsers`] if the prior has a kernel and the users no features.
    pub fn new(
        prior: &UserPrior,
        users: usize,
        points: Option<&Points>,
        inducing: Option<&[usize]>,
    ) -> Result<Self, Error> {
        prior.check()?;
        let mut out = Self {
            prior: prior.clone(),
            low_rank: LowRank { features: Matrix::zeros(0, users), rest: vec![prior.individual; users] },
            base: None,
            inducing: inducing.map(<[usize]>::to_vec),
        };
        let mut features = Matrix::zeros(0, users);
        if let Some(kernel) = &prior.kernel {
            let points = points.ok_or(Error::ManyUsers {
                model: "users'",
                problem: "has a kernel over users, and the users have no features; leave the kernel out",
            })?;
            if points.len() != users {
                return Err(Error::Length {
                    what: "the users' features",
                    expected: users,
                    found: points.len(),
                });
            }
            let chosen = inducing.map_or_else(|| points.clone(), |i| points.select(i));
            out.base = Some(base(kernel, &chosen, prior.share)?);
            features = out.span(points);
            for (u, k) in kernel.diagonal(points).into_iter().enumerate() {
                let left = prior.share * k - dot(features.col(u), features.col(u));
                // Rounding aside, only FITC and negligible features leave something.
                out.low_rank.rest[u] += if left > 1e-14 * k { left } else { 0.0 };
            }
        }
        out.low_rank.features = with_last_row(&features, prior.common.sqrt());
        Ok(out)
    }

    /// The kernel's features of `points`, `rank x points`.
    fn span(&self, points: &Points) -> Matrix {
        let (Some((base, triangle)), Some(kernel)) = (&self.base, &self.prior.kernel) else {
            return Matrix::zeros(0, points.len());
        };
        let mut k = kernel.cross(base, points);
        k.data_mut().iter_mut().for_each(|x| *x *= self.prior.share);
        solve_lower_transposed(triangle, &mut k);
        k
    }

    /// The users from which features are computed, and these users' own features `T`, `share K = T' T`.
    pub(super) fn base(&self) -> Option<(&Points, &Matrix)> {
        self.base.as_ref().map(|(points, triangle)| (points, triangle))
    }

    /// Features and prior variance of a user who is not among the known ones.
    ///
    /// # Errors
    /// [`Error::ManyUsers`] if the prior has a kernel and the newcomer no features; [`Error::Length`] if `points`
    /// does not hold exactly one user.
    pub fn newcomer(&self, points: Option<&Points>) -> Result<(Vec<f64>, f64), Error> {
        let (features, own) = match &self.prior.kernel {
            None => (Matrix::zeros(0, 1), 0.0),
            Some(kernel) => {
                let points = points.ok_or(Error::ManyUsers {
                    model: "users'",
                    problem: "was learned from users' features, so a new user needs features, too",
                })?;
                if points.len() != 1 {
                    return Err(Error::Length { what: "the newcomer", expected: 1, found: points.len() });
                }
                (self.span(points), self.prior.share * kernel.diagonal(points)[0])
            }
        };
        let all = with_last_row(&features, self.prior.common.sqrt());
        Ok((all.col(0).to_vec(), own + self.prior.individual + self.prior.common))
    }
}

/// The pivots of a kernel's covariance over `points`, times `share`, and their features `T` with `share K = T' T`.
fn base(kernel: &Kernel, points: &Points, share: f64) -> Result<(Points, Matrix), Error> {
    let scaled = |points: &Points| {
        let mut k = kernel.matrix(points);
        k.data_mut().iter_mut().for_each(|x| *x *= share);
        TriangularFeatures::new(k).ok_or(Error::Covariance)
    };
    let mut factored = scaled(points)?;
    let mut points = points.clone();
    let pivot = |f: &TriangularFeatures, j: usize| f.features[(j, j)].powi(2);
    let rank = factored.features.rows();
    // Pivots come in increasing order: what is small is at the beginning.
    let largest = if rank > 0 { pivot(&factored, rank - 1) } else { 0.0 };
    let dropped = (0..rank).take_while(|&j| pivot(&factored, j) < NEGLIGIBLE * largest).count();
    if dropped > 0 {
        points = points.select(&factored.order[dropped..rank]);
        factored = scaled(&points)?;
    }
    let rank = factored.features.rows();
    let triangle = Matrix::from_fn(rank, rank, |i, j| factored.features[(i, j)]);
    Ok((points.select(&factored.order[..rank]), triangle))
}

fn with_last_row(features: &Matrix, value: f64) -> Matrix {
    if value == 0.0 {
        return features.clone();
    }
    let rows = features.rows();
    Matrix::from_fn(rows + 1, features.cols(), |i, j| if i < rows { features[(i, j)] } else { value })
}

//! The full posterior in fewer features: predictions cost what these few cost.

use super::{Items, Kronecker, UserFeatures};
use crate::Error;
use crate::many::answers::UserAnswers;
use crate::many::{UserModel, UserPosterior};
use rather_numerics::linalg::{Matrix, axpy, symmetric_eigen};
use rather_numerics::parallel;

impl Kronecker {
    /// The model that predicts from as few directions in the space of the users' features as a `loss` of accuracy allows. The directions are those in
    /// which the posterior has most that the prior has not, eigenvectors of
    /// $$ \sum_x\big(m_xm_x^\top+I-(B^{-1})_{xx}\big) $$
    /// over the features $x$ of items. Means alone need no more directions than items have features; further ones narrow the variances. What
    /// directions leave of a user's variance is that of the prior. The loss is the one that the full model expects: where the two prefer
    /// different sides of an answered pair, its probability of its own side less that of the other, averaged over all answered pairs,
    /// $$ \frac1n\sum_{(u,i,j)}(2p-1)\,[\text{the sides differ}],\quad p=\max(P(i\succ j),P(j\succ i)). $$
    ///
    /// # Errors
    /// [`Error::Covariance`] if the posterior's moments are not finite.
    pub fn compressed(&self, answers: &UserAnswers, loss: f64) -> Result<Self, Error> {
        let directions = self.directions()?;
        let most = directions.cols();
        let found = self.fewest(answers, (most, loss), |count| Ok(((), self.along(&directions, count))));
        found.map(|((), model)| model)
    }

    /// The model that predicts from this many directions, at most all, in the order of [`Kronecker::compressed`].
    ///
    /// # Errors
    /// As [`Kronecker::compressed`].
    pub fn in_directions(&self, count: usize) -> Result<Self, Error> {
        let directions = self.directions()?;
        let count = count.min(directions.cols());
        Ok(self.along(&directions, count))
    }

    /// The directions, one a column, the one with most first.
    fn directions(&self) -> Result<Matrix, Error> {
        let (_, vectors) = symmetric_eigen(&self.told_of_users()).ok_or(Error::Covariance)?;
        let (rows, columns) = (vectors.rows(), vectors.cols());
        Ok(Matrix::from_fn(rows, columns, |i, j| vectors[(i, columns - 1 - j)]))
    }

    fn along(&self, directions: &Matrix, count: usize) -> Self {
        let users = Matrix::from_fn(count, directions.rows(), |i, a| directions[(a, i)]);
        let rank = self.items.rank();
        let items = Matrix::from_fn(rank, rank, |i, j| f64::from(u8::from(i == j)));
        let features = self.users.onto(&users);
        self.projected(&Onto { users, items }, features, self.items.clone())
    }

    /// The posterior in the features `users` and `items`, onto which `onto` leads.
    pub(super) fn projected(&self, onto: &Onto, users: UserFeatures, items: Items) -> Self {
        let half = onto.rows(&self.inverse);
        let other_half = Matrix::from_fn(half.cols(), half.rows(), |i, j| half[(j, i)]);
        let mut model = self.clone();
        model.outcome.posterior.weights = onto.column(&self.outcome.posterior.weights);
        model.inverse = onto.rows(&other_half);
        // What belongs to inference alone is in the features of the full model, and goes with it.
        model.prior = self.prior.of_features(users.features.clone(), items.rank());
        model.outcome.posterior.factor = Matrix::default();
        (model.items, model.users) = (items, users);
        model
    }

    /// What `make` makes of the smallest number, up to `most`, with which no more than `loss` of accuracy is lost.
    pub(super) fn fewest<T>(
        &self,
        answers: &UserAnswers,
        (most, loss): (usize, f64),
        make: impl Fn(usize) -> Result<(T, Self), Error>,
    ) -> Result<(T, Self), Error> {
        let expected = Preferred::of(self, answers)?;
        // The loss falls with the number, but for little: the smallest one is found by halving.
        let (mut too_few, mut enough) = (0, most);
        let mut found = make(most)?;
        while too_few + 1 < enough {
            let middle = usize::midpoint(too_few, enough);
            let here = make(middle)?;
            if expected.lost(&here.1)? <= loss {
                (enough, found) = (middle, here);
            } else {
                too_few = middle;
            }
        }
        Ok(found)
    }

    /// What the posterior has in the space of the users' features that the prior has not: the second moments of the weights, less one, summed over the
    /// features of items.
    pub(super) fn told_of_users(&self) -> Matrix {
        let (users, items) = self.ranks();
        let mean = &self.outcome.posterior.weights;
        let of_pair = |a: usize, b: usize| {
            let one = |x: usize| {
                let (a, b) = (a * items + x, b * items + x);
                mean[a] * mean[b] + f64::from(u8::from(a == b)) - self.inverse[(a, b)]
            };
            (0..items).map(one).sum()
        };
        Matrix::from_fn(users, users, of_pair)
    }
}

/// The way from the full model's features to fewer: `T'`, rank x rank of the full one, with `T'T = I`, for users and for items.
pub(super) struct Onto {
    pub(super) users: Matrix,
    pub(super) items: Matrix,
}

impl Onto {
    /// `(T_u x T_x)' a`.
    fn column(&self, a: &[f64]) -> Vec<f64> {
        let (of_users, of_items) = (self.users.rows(), self.items.rows());
        let mut out = vec![0.0; of_users * of_items];
        for (user, block) in a.chunks_exact(self.items.cols()).enumerate() {
            let items = self.items.times(block);
            for (to, out) in out.chunks_exact_mut(of_items).enumerate() {
                axpy(self.users[(to, user)], &items, out);
            }
        }
        out
    }

    /// The same of every column.
    fn rows(&self, a: &Matrix) -> Matrix {
        let columns = parallel::map(a.cols(), 1, |j| self.column(a.col(j)));
        Matrix::from_fn(self.users.rows() * self.items.rows(), a.cols(), |i, j| columns[j][i])
    }
}

/// What the full model prefers of every answered pair.
struct Preferred {
    /// Of each user: pairs, and by how much the probability of the first is above that of the second.
    ahead: Vec<Vec<((usize, usize), f64)>>,
}

impl Preferred {
    fn of(full: &Kronecker, answers: &UserAnswers) -> Result<Self, Error> {
        let edges = answers.edges();
        let mut pairs: Vec<Vec<(usize, usize)>> = vec![Vec::new(); answers.users()];
        for asked in &full.prior.asked {
            let edge = &edges[asked.pair];
            pairs[asked.user].extend(edge.minus().map(|minus| (edge.plus(), minus)));
        }
        let of_user = |(user, pairs): (usize, Vec<(usize, usize)>)| {
            let ahead = probabilities(full, &full.user(user)?, &pairs)?.into_iter().map(|p| 2.0 * p - 1.0);
            Ok(pairs.into_iter().zip(ahead).collect())
        };
        Ok(Self { ahead: pairs.into_iter().enumerate().map(of_user).collect::<Result<_, Error>>()? })
    }

    /// The accuracy that `model` loses, as the full one expects it.
    fn lost(&self, model: &Kronecker) -> Result<f64, Error> {
        let (mut lost, mut all) = (0.0, 0.0_f64);
        for (user, of_user) in self.ahead.iter().enumerate() {
            let pairs: Vec<(usize, usize)> = of_user.iter().map(|(pair, _)| *pair).collect();
            let found = probabilities(model, &model.user(user)?, &pairs)?;
            for ((_, ahead), p) in of_user.iter().zip(found) {
                lost += if ahead * (2.0 * p - 1.0) < 0.0 { ahead.abs() } else { 0.0 };
                all += 1.0;
            }
        }
        Ok(lost / all.max(1.0))
    }
}

fn probabilities(
    model: &Kronecker,
    user: &UserPosterior,
    pairs: &[(usize, usize)],
) -> Result<Vec<f64>, Error> {
    Ok(model.predict_with(user, pairs)?.probability)
}

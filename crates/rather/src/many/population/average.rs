//! Users on average.

use super::Population;
use crate::Error;
use crate::many::UserPosterior;
use rather_numerics::linalg::{Matrix, axpy};

/// Users that are averaged over, at most: the average hardly changes beyond, and a posterior takes time.
const MOST: usize = 2_000;

impl Population {
    /// Someone drawn at random from those who answered: the mean of their mean utilities, and a covariance that holds what is
    /// not known about each of them and how they differ. Of more than 2,000, only 2,000 at even distances count.
    ///
    /// # Errors
    /// Those of [`super::UserModel::user`].
    pub fn average_user(&self) -> Result<UserPosterior, Error> {
        let said: Vec<usize> =
            (0..self.users.keys().len()).filter(|&u| !self.answers.of_user(u).is_empty()).collect();
        let n = said.len().min(MOST);
        let picked = (0..n).map(|k| said[k * said.len() / n]);
        let rank = self.model().items().rank();
        let weight = 1.0 / n as f64;
        let mut out =
            UserPosterior { mean: vec![0.0; rank], covariance: Matrix::zeros(rank, rank), scale: 0.0 };
        for u in picked {
            let user = self.model().user(u)?;
            axpy(weight, &user.mean, &mut out.mean);
            axpy(weight, user.covariance.data(), out.covariance.data_mut());
            for (j, &m) in user.mean.iter().enumerate() {
                axpy(weight * m, &user.mean, out.covariance.col_mut(j));
            }
            out.scale += weight * user.scale;
        }
        let mean = out.mean.clone();
        for (j, &m) in mean.iter().enumerate() {
            axpy(-m, &mean, out.covariance.col_mut(j));
            out.covariance[(j, j)] = out.covariance[(j, j)].max(0.0);
        }
        Ok(out)
    }
}

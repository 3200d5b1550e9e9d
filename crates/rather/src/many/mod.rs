//! Many users: what one user's answers say about another's utilities.
//!
//! | model | idea | source |
//! |---|---|---|
//! | [`Collaborative`] | every utility function is a weighted sum of a few that all users share | Houlsby et al. (2012) |
//! | [`Kronecker`] | one function of user and item, with covariance `K_users x K_items` | Bonilla et al. (2010); Abbasnejad et al. |
//! | [`Hierarchical`] | one Gaussian prior for all users, learned from all of them | Birlutiu et al. (2009) |
//! | [`PerUser`] | every user alone | Chu and Ghahramani (2005) |
//! | [`Pooled`] | everyone as one | the same |
//!
//! All of them believe something Gaussian about each user's utilities ([`UserPosterior`]) over the same features of
//! items ([`Items`]), and answer the same questions ([`UserModel`]). Utilities are in units of the noise of a
//! difference, `s = 1`, unless a model is told otherwise.
//!
//! ```
//! use rather::answers::Answer;
//! use rather::kernel::{Schema, parse};
//! use rather::many::{UserAnswers, PerUser, UserModel};
//! use rather::points::Points;
//!
//! let schema = Schema { names: vec!["price".into()], categorical: vec![false], context: 0 };
//! let items = Points::from_rows(&[[0.0], [1.0], [2.0]]);
//! let ask = |user, winner, loser| Answer::rather(winner, loser).by(user);
//! let answers = UserAnswers::new(2, 3, &[ask(0, 0, 1), ask(0, 1, 2), ask(1, 2, 0)])?;
//! let model = PerUser::fit(&items, &answers, &parse("se", &schema, false)?, 0.7)?;
//! assert_eq!(model.rank(0)?[0].item, 0);
//! assert!(model.predict(1, &[(2, 1)])?.probability[0] > 0.5);
//! # Ok::<(), rather::Error>(())
//! ```

#[doc(hidden)]
pub mod acquisition;
pub(crate) mod alone;
#[doc(hidden)]
pub mod answers;
#[doc(hidden)]
pub mod collaborative;
mod common_prior;
mod evidences;
#[doc(hidden)]
pub mod hierarchical;
#[doc(hidden)]
pub mod items;
#[doc(hidden)]
pub mod kronecker;
#[doc(hidden)]
pub mod learning;
#[doc(hidden)]
pub mod low_rank;
#[doc(hidden)]
pub mod memory;
#[doc(hidden)]
pub mod per_user;
#[doc(hidden)]
pub mod pooled;
pub mod population;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod responses;
pub(crate) mod segments;
#[doc(hidden)]
pub mod shares;
#[doc(hidden)]
pub mod shrinkage;
#[doc(hidden)]
pub mod user_posterior;
#[doc(hidden)]
pub mod users;

#[doc(hidden)]
pub use answers::Record;
pub use answers::UserAnswers;
pub use collaborative::Collaborative;
pub(crate) use common_prior::fold;
pub use hierarchical::{Hierarchical, HierarchicalSettings};
#[doc(hidden)]
pub use items::{Embedded, Items};
pub use kronecker::Kronecker;
#[doc(hidden)]
pub use learning::Learning;
pub use per_user::PerUser;
pub use pooled::Pooled;
pub use population::{Kind, Population};
pub use report::{Notice, Report};
#[doc(hidden)]
pub use responses::UserResponses;
#[doc(hidden)]
pub use segments::{Member, Segment, Segments};
pub use shrinkage::Shrinkage;
pub use user_posterior::UserPosterior;
pub use users::UserPrior;

use crate::Error;
use crate::acquisition::pool::Scored;
use crate::acquisition::{Request, suggest};
use crate::answers::{Answers, check_known};
use crate::comparisons::Edge;
use crate::inference::set_factor;
use crate::model::Ranked;
use crate::points::Points;

/// A prediction for some pairs of items.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Means of the differences of utilities.
    pub mean: Vec<f64>,
    /// Their variances, without the noise of an answer.
    pub variance: Vec<f64>,
    /// The probabilities that the left item is preferred.
    pub probability: Vec<f64>,
}

/// The questions that every model of many users answers.
pub trait UserModel: Send + Sync + std::fmt::Debug {
    /// The items that the model knows.
    fn items(&self) -> &Items;

    /// Number of users that the model knows.
    fn users(&self) -> usize;

    /// How answers come about.
    fn responses(&self) -> &UserResponses;

    /// How the fit went.
    fn report(&self) -> &Report;

    /// What the model believes about the utilities of a user it knows.
    ///
    /// # Errors
    /// [`Error::NewUser`].
    fn user(&self, user: usize) -> Result<UserPosterior, Error>;

    /// What the model believes about the utilities of someone new: from features (one row, encoded like the known
    /// users'), from a handful of answers about known items, from both, or from nothing but everyone else. What is
    /// believed about everyone else stays as it is.
    ///
    /// # Errors
    /// [`Error::ManyUsers`] if the model lives on users' features and there are none; those of [`UserResponses::of_newcomer`] for an answer;
    /// [`Error::Inference`] if the numbers break down.
    fn newcomer(&self, features: Option<&Points>, answers: &Answers) -> Result<UserPosterior, Error>;

    /// Log evidence, in nats.
    fn log_evidence(&self) -> f64 {
        self.report().log_evidence
    }

    /// Predictions for a known user and pairs of known items.
    ///
    /// # Errors
    /// [`Error::NewUser`]; [`Error::UnknownItem`], whose row is the pair.
    fn predict(&self, user: usize, pairs: &[(usize, usize)]) -> Result<Prediction, Error> {
        let posterior = self.user(user)?;
        self.predict_with(&posterior, pairs)
    }

    /// Predictions from what is believed about a user, known or new, for pairs of known items.
    ///
    /// # Errors
    /// [`Error::UnknownItem`], whose row is the pair.
    fn predict_with(&self, user: &UserPosterior, pairs: &[(usize, usize)]) -> Result<Prediction, Error> {
        let items = self.items().len();
        for (row, &(i, j)) in pairs.iter().enumerate() {
            check_known(row, [i, j], items)?;
        }
        let z = user.differences(&self.items().known(), pairs);
        let choice = self.responses().likelihoods().choice();
        let chance = |(&m, &v): (&f64, &f64)| choice.probability(m, v);
        let probability = z.mean.iter().zip(&z.variance).map(chance).collect();
        Ok(Prediction { mean: z.mean, variance: z.variance, probability })
    }

    /// The log probability that a user gives one of `answers` (of a measured value, its log density), whose records are `of_answer`: the integral
    /// $\log\int t(z) N(z; m, cv) dz$ over what is believed about its projections, for each $c$ of `inflations`, with which variances are multiplied. `items` are the known ones.
    fn log_predictive(
        &self,
        user: &UserPosterior,
        items: &Embedded,
        (answers, of_answer): (&UserAnswers, &[Record]),
        inflations: &[f64],
    ) -> Vec<f64> {
        let about: Vec<Edge> = of_answer.iter().map(|record| answers.edges()[record.edge]).collect();
        let record = of_answer[0];
        let z = user.projections(items, &about);
        let signed: Vec<f64> = of_answer.iter().zip(&z.mean).map(|(record, m)| record.sign * m).collect();
        let likelihoods = self.responses().likelihoods();
        let with = |inflation: &f64| match likelihoods.set(record.answer) {
            Some(set) => {
                let variances = z.variance.iter().map(|v| inflation * v);
                let of_pairs: Vec<(f64, f64)> = signed.iter().copied().zip(variances).collect();
                set_factor::log_probability(set, &of_pairs)
            }
            None => likelihoods.of(record.answer).tilt(signed[0], inflation * z.variance[0]).log_z,
        };
        inflations.iter().map(with).collect()
    }

    /// The next comparisons to ask someone, known or new ([`suggest`]).
    ///
    /// # Errors
    /// As [`suggest`]; [`Error::ManyUsers`] for an acquisition function that conditions on a draw.
    fn suggest(&self, user: &UserPosterior, request: &Request<'_>) -> Result<Vec<Scored>, Error> {
        let items = self.items().known();
        suggest(&acquisition::UserUtilities { model: self, user, items: &items }, request)
    }

    /// The known items by a known user's mean utility, best first.
    ///
    /// # Errors
    /// [`Error::NewUser`].
    fn rank(&self, user: usize) -> Result<Vec<Ranked>, Error> {
        Ok(self.user(user)?.rank(&self.items().known()))
    }
}

/// # Errors
/// [`Error::NewUser`] unless `user < users`.
pub(crate) fn check_user(user: usize, users: usize) -> Result<(), Error> {
    if user < users { Ok(()) } else { Err(Error::NewUser { user, users }) }
}

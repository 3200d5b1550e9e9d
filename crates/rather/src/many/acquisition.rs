//! What an acquisition function sees of a model of many users.
//!
//! What a model believes about a user is a Gaussian over the items' utilities, so every function of
//! [`crate::acquisition`] applies to one user as it does to a single person; to someone new ([`UserModel::newcomer`]) too, by what everyone else's
//! answers make one expect.
//!
//! What an answer says about the other users is not counted: it is second to what it says about the one who gives it.
//!
//! # Examples
//! ```
//! use rather::acquisition::Request;
//! use rather::acquisition::pool::Pairs;
//! use rather::answers::Answer;
//! use rather::kernel::{Schema, parse};
//! use rather::many::{PerUser, UserAnswers, UserModel};
//! use rather::points::Points;
//!
//! let schema = Schema { names: vec!["price".into()], categorical: vec![false], context: 0 };
//! let items = Points::from_rows(&[[0.0], [1.0], [5.0]]);
//! let answers = UserAnswers::new(1, 3, &[Answer::rather(0, 1).by(0)])?;
//! let model = PerUser::fit(&items, &answers, &parse("se", &schema, false)?, 0.7)?;
//! let next = model.suggest(&model.user(0)?, &Request::new("bald".parse()?, Pairs::All, 1, 0))?;
//! // Nothing is known about the third item, and much about the other two.
//! assert_eq!(next[0].opponent, 2);
//! # Ok::<(), rather::Error>(())
//! ```

use super::UserModel;
use super::items::Embedded;
use super::user_posterior::UserPosterior;
use crate::Error;
use crate::acquisition::{Acquisition, Component, Utilities};
use crate::posterior::Joint;

/// The utilities of items for one of a model's users, known or new.
#[derive(Debug)]
pub struct UserUtilities<'a, M: UserModel + ?Sized> {
    /// The model.
    pub model: &'a M,
    /// What it believes about the user.
    pub user: &'a UserPosterior,
    /// The items, in the features of the model.
    pub items: &'a Embedded,
}

impl<M: UserModel + ?Sized> Utilities for UserUtilities<'_, M> {
    fn items(&self) -> usize {
        self.items.len()
    }

    fn components(
        &self,
        items: &[usize],
        _acquisition: &Acquisition,
        _seed: u64,
    ) -> Result<Vec<Component<'_>>, Error> {
        let (mean, covariance) = self.user.utilities(&self.items.some(items));
        let answers = self.model.responses().likelihoods().answer_model();
        Ok(vec![Component::new(Joint { mean, covariance }, answers)])
    }

    fn check(&self, acquisition: &Acquisition) -> Result<(), Error> {
        if acquisition.conditions_on_a_draw() {
            return Err(crate::Unsupported::Draw.into());
        }
        Ok(())
    }
}

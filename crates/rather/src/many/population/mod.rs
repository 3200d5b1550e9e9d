//! A model of many users by names: items and users as their tables have them, one of the models of [`crate::many`], kernels
//! learned by evidence.
//!
//! ```
//! use rather::answers::{Answer, Answers};
//! use rather::features::{Column, ColumnValues};
//! use rather::many::population::{Population, PopulationData, PopulationSettings};
//! use rather::many::Kind;
//! use rather::model::Items;
//!
//! let names = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect();
//! let price = Column { name: "price".into(), values: ColumnValues::Numeric(vec![1.0, 2.0, 3.0]) };
//! let items = Items { keys: names(&["tea", "coffee", "wine"]), columns: vec![price] };
//! let users = Items { keys: names(&["ann", "bob"]), columns: vec![] };
//! let ask = |user, winner, loser| Answer::rather(winner, loser).by(user).times(2);
//! let answers: Answers = [ask(0, 0, 1), ask(0, 1, 2), ask(1, 2, 0)].into_iter().collect();
//! let data = PopulationData { items: &items, users: &users, answers: &answers };
//! let settings = PopulationSettings::new(Kind::PerUser);
//! let population = Population::fit(&data, &settings, &|_| ())?;
//! let ann = population.users().position("ann").unwrap();
//! let best = population.model().rank(ann)?[0].item;
//! assert_eq!(population.items().keys()[best], "tea");
//! # Ok::<(), rather::Error>(())
//! ```

mod average;
mod fit;
mod kernels;
mod loading;
mod notice;
mod parts;
mod settings;
mod spread;

pub use notice::PopulationNotice;
#[doc(hidden)]
pub use parts::{PopulationHeader, PopulationParts, UserPart};
#[doc(hidden)]
pub use settings::Kind;
pub use settings::PopulationSettings;

use std::collections::BTreeSet;

use super::alone::UserProblem;
use super::{
    Collaborative, Hierarchical, Kronecker, PerUser, Pooled, Shrinkage, UserAnswers, UserModel,
    UserPosterior, UserPrior, check_user,
};
use crate::Error;
use crate::Unsupported;
use crate::answers::Answers;
use crate::catalogue::{Catalogue, Items};
use crate::learn::Hyperparameters;
use crate::learn::choice::Tried;
use crate::model::Naming;
use crate::points::Points;

/// Who said what about which items.
#[derive(Debug, Clone, Copy)]
pub struct PopulationData<'a> {
    /// The items.
    pub items: &'a Items,
    /// The users, with features if they have any.
    pub users: &'a Items,
    /// The answers.
    pub answers: &'a Answers,
}

/// A fitted model of one of the kinds.
#[derive(Debug, Clone)]
enum Fitted {
    PerUser(PerUser),
    Hierarchical(Hierarchical),
    Kronecker(Kronecker),
    Collaborative(Collaborative),
    Pooled(Pooled),
}

/// A learned model of many users.
#[derive(Debug, Clone)]
pub struct Population {
    kind: Kind,
    items: Catalogue,
    users: Catalogue,
    answers: UserAnswers,
    hyperparameters: Hyperparameters,
    user_hyperparameters: Option<Hyperparameters>,
    user_prior: UserPrior,
    tried: Vec<Tried>,
    notices: Vec<PopulationNotice>,
    naming: Naming,
    fitted: Fitted,
}

impl Population {
    /// Which model it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The fitted model; items and users are numbered as in [`Population::items`] and [`Population::users`].
    pub fn model(&self) -> &dyn UserModel {
        match &self.fitted {
            Fitted::PerUser(model) => model,
            Fitted::Hierarchical(model) => model,
            Fitted::Kronecker(model) => model,
            Fitted::Collaborative(model) => model,
            Fitted::Pooled(model) => model,
        }
    }

    /// How the tables called items and users.
    pub fn naming(&self) -> &Naming {
        &self.naming
    }

    /// The model with another [`Population::naming`].
    ///
    /// # Errors
    /// [`Error::ModelParts`] if keys are no whole numbers where names are said to be, or there are ratings.
    pub fn with_naming(self, naming: Naming) -> Result<Self, Error> {
        let model = Self { naming, ..self };
        model.check_naming()?;
        Ok(model)
    }

    /// The items.
    pub fn items(&self) -> &Catalogue {
        &self.items
    }

    /// The users; without features if the model has no use for any.
    pub fn users(&self) -> &Catalogue {
        &self.users
    }

    /// The known items, encoded.
    pub fn points(&self) -> &Points {
        self.items.points()
    }

    /// The answers learned from.
    pub fn answers(&self) -> &UserAnswers {
        &self.answers
    }

    /// The problem of one user alone.
    ///
    /// # Errors
    /// [`Unsupported::Draw`] for a model whose users share functions, which are themselves uncertain; [`Error::NewUser`];
    /// [`Error::NoComparisons`] for a user without answers.
    pub(crate) fn alone(&self, user: usize) -> Result<UserProblem<'_>, Error> {
        check_user(user, self.model().users())?;
        match &self.fitted {
            Fitted::PerUser(model) => model.alone(user),
            Fitted::Hierarchical(model) => model.fitted().alone(user),
            Fitted::Pooled(model) => model.everyone().alone(0),
            Fitted::Kronecker(_) | Fitted::Collaborative(_) => Err(Unsupported::Draw.into()),
        }
    }

    /// The positions of the items that occur in an answer, in increasing order.
    pub(crate) fn compared(&self) -> Vec<usize> {
        let edges = self.answers.edges().iter();
        let items: BTreeSet<usize> =
            edges.flat_map(|edge| [Some(edge.plus()), edge.minus()]).flatten().collect();
        items.into_iter().collect()
    }

    /// The item kernel and the noise.
    pub fn hyperparameters(&self) -> &Hyperparameters {
        &self.hyperparameters
    }

    /// How alike users are taken to be.
    pub fn user_prior(&self) -> &UserPrior {
        &self.user_prior
    }

    /// Item kernels that were tried.
    pub fn tried(&self) -> &[Tried] {
        &self.tried
    }

    /// What is worth knowing about the fit.
    pub fn notices(&self) -> &[PopulationNotice] {
        &self.notices
    }

    /// Number of latent functions of a collaborative model.
    pub fn functions(&self) -> Option<usize> {
        match &self.fitted {
            Fitted::Collaborative(model) => Some(model.settings().functions),
            _ => None,
        }
    }

    /// Whether someone new needs features to be predicted.
    pub fn needs_user_features(&self) -> bool {
        self.user_prior.kernel.is_some()
    }

    /// The item kernel as an expression.
    pub fn kernel_expression(&self) -> String {
        self.hyperparameters.kernel.describe(&self.items.encoder().schema())
    }

    /// The hyperparameters in the units of the tables: those of the item kernel and the noise, those of the user kernel
    /// (`users.lengthscale`), and the parts of the users' covariance that the kind knows.
    pub fn reported_hyperparameters(&self) -> Vec<(String, f64)> {
        let mut out = self.items.in_units(&self.hyperparameters);
        if let Some(users) = &self.user_hyperparameters {
            let mut entries = self.users.in_units(users);
            entries.pop(); // the noise
            out.extend(entries.into_iter().map(|(name, value)| (format!("users.{name}"), value)));
            out.push(("users.individual".into(), self.user_prior.individual));
        }
        if matches!(self.kind, Kind::Collaborative | Kind::Kronecker) {
            out.push(("users.common".into(), self.user_prior.common));
        }
        // Nothing is said where nothing is inflated, as in models of before.
        if let Fitted::Collaborative(model) = &self.fitted {
            let settings = model.settings();
            let both = [
                ("users.inflation", settings.inflation),
                ("newcomers.inflation", settings.newcomer_inflation),
            ];
            let inflated = both.into_iter().filter(|(_, times)| *times != 1.0);
            out.extend(inflated.map(|(name, times)| (name.into(), times)));
        }
        if let Fitted::Hierarchical(model) = &self.fitted
            && let Some(Shrinkage { strength, common }) = model.shrinkage()
        {
            out.push(("users.common".into(), *common));
            out.push(("users.strength".into(), *strength));
        }
        out
    }

    /// What is believed about someone new, from features (one row of a table), answers, both or nothing
    /// ([`UserModel::newcomer`]).
    ///
    /// # Errors
    /// Those of [`UserModel::newcomer`] and [`Catalogue::encode`].
    pub fn newcomer(&self, features: Option<&Items>, answers: &Answers) -> Result<UserPosterior, Error> {
        let points = match features {
            Some(row) if self.needs_user_features() => Some(self.users.encode(row)?),
            _ => None,
        };
        self.model().newcomer(points.as_ref(), answers)
    }
}

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
//! let ann = population.user_position("ann").unwrap();
//! let best = population.model().rank(ann)?[0].item;
//! assert_eq!(population.item_keys()[best], "tea");
//! # Ok::<(), rather::Error>(())
//! ```

mod average;
mod fit;
mod kernels;
mod loading;
mod notice;
mod parts;
mod settings;

pub use notice::PopulationNotice;
pub use parts::{PopulationHeader, PopulationParts, UserPart};
pub use settings::{Kind, PopulationSettings};

use std::collections::HashMap;

use super::{
    Collaborative, Consensus, Hierarchical, Kronecker, PerUser, UserAnswers, UserModel, UserPosterior,
    UserPrior,
};
use crate::Error;
use crate::answers::Answers;
use crate::features::{Column, ColumnValues, Encoder};
use crate::learn::Hyperparameters;
use crate::learn::choice::Tried;
use crate::model::{Items, Naming};
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
    Consensus(Consensus),
}

/// A learned model of many users.
#[derive(Debug, Clone)]
pub struct Population {
    kind: Kind,
    items: Side,
    users: Side,
    labels: Option<Column>,
    answers: UserAnswers,
    hyperparameters: Hyperparameters,
    user_hyperparameters: Option<Hyperparameters>,
    user_prior: UserPrior,
    tried: Vec<Tried>,
    notices: Vec<PopulationNotice>,
    naming: Naming,
    fitted: Fitted,
}

/// Items or users by name, with their features as kernels see them.
#[derive(Debug, Clone)]
struct Side {
    keys: Vec<String>,
    positions: HashMap<String, usize>,
    encoder: Encoder,
    points: Points,
}

impl Side {
    fn new(keys: Vec<String>, encoder: Encoder, points: Points) -> Self {
        let positions = keys.iter().cloned().zip(0..).collect();
        Self { keys, positions, encoder, points }
    }

    /// Encodes a table; a row with a known name is that one.
    fn encode(&self, table: &Items) -> Result<Points, Error> {
        let mut unknown = self.keys.len() as u64;
        let mut id = |key: &String| match self.positions.get(key) {
            Some(&known) => known as u64,
            None => {
                unknown += 1;
                unknown - 1
            }
        };
        self.encoder.encode(&table.columns, table.keys.iter().map(&mut id).collect())
    }
}

impl Population {
    /// Which model it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The fitted model; items and users are numbered as in [`Population::item_keys`] and [`Population::user_keys`].
    pub fn model(&self) -> &dyn UserModel {
        match &self.fitted {
            Fitted::PerUser(model) => model,
            Fitted::Hierarchical(model) => model,
            Fitted::Kronecker(model) => model,
            Fitted::Collaborative(model) => model,
            Fitted::Consensus(model) => model,
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

    /// The items' names.
    pub fn item_keys(&self) -> &[String] {
        &self.items.keys
    }

    /// The users' names.
    pub fn user_keys(&self) -> &[String] {
        &self.users.keys
    }

    /// The position of the item called `key`.
    pub fn item_position(&self, key: &str) -> Option<usize> {
        self.items.positions.get(key).copied()
    }

    /// The position of the user called `key`.
    pub fn user_position(&self, key: &str) -> Option<usize> {
        self.users.positions.get(key).copied()
    }

    /// A text for item `i` to show beside its name, if the table has a column of labels.
    pub fn label(&self, i: usize) -> Option<&str> {
        match &self.labels.as_ref()?.values {
            ColumnValues::Text(values) => values.get(i).map(String::as_str),
            ColumnValues::Numeric(_) => None,
        }
    }

    /// How items' features are encoded.
    pub fn item_encoder(&self) -> &Encoder {
        &self.items.encoder
    }

    /// How users' features are encoded; no features if the model has no use for any.
    pub fn user_encoder(&self) -> &Encoder {
        &self.users.encoder
    }

    /// Encodes a table of items, new or known; an item that has a known one's name is taken to be that one.
    ///
    /// # Errors
    /// Those of [`Encoder::encode`].
    pub fn encode_items(&self, items: &Items) -> Result<Points, Error> {
        self.items.encode(items)
    }

    /// Encodes a table of users.
    ///
    /// # Errors
    /// Those of [`Encoder::encode`].
    pub fn encode_users(&self, users: &Items) -> Result<Points, Error> {
        self.users.encode(users)
    }

    /// The known items, encoded.
    pub fn points(&self) -> &Points {
        &self.items.points
    }

    /// The answers learned from.
    pub fn answers(&self) -> &UserAnswers {
        &self.answers
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
        self.hyperparameters.kernel.describe(&self.items.encoder.schema())
    }

    /// The hyperparameters in the units of the tables: those of the item kernel and the noise, those of the user kernel
    /// (`users.lengthscale`), and the parts of the users' covariance that the kind knows.
    pub fn reported_hyperparameters(&self) -> Vec<(String, f64)> {
        let mut out = in_units(&self.hyperparameters, &self.items.encoder);
        if let Some(users) = &self.user_hyperparameters {
            let mut entries = in_units(users, &self.users.encoder);
            entries.pop(); // the noise
            out.extend(entries.into_iter().map(|(name, value)| (format!("users.{name}"), value)));
            out.push(("users.individual".into(), self.user_prior.individual));
        }
        if matches!(self.kind, Kind::Collaborative | Kind::Kronecker) {
            out.push(("users.common".into(), self.user_prior.common));
        }
        out
    }

    /// What is believed about someone new, from features (one row of a table), answers, both or nothing
    /// ([`UserModel::newcomer`]).
    ///
    /// # Errors
    /// Those of [`UserModel::newcomer`] and [`Encoder::encode`].
    pub fn newcomer(&self, features: Option<&Items>, answers: &Answers) -> Result<UserPosterior, Error> {
        let points = match features {
            Some(row) if self.needs_user_features() => Some(self.encode_users(row)?),
            _ => None,
        };
        self.model().newcomer(points.as_ref(), answers)
    }
}

/// Values in the units of the table.
fn in_units(h: &Hyperparameters, encoder: &Encoder) -> Vec<(String, f64)> {
    let parameters = h.kernel.parameters();
    let units = encoder.units();
    let unit = |i: usize| parameters.get(i).and_then(|p| p.dim).map_or(1.0, |d| units[d]);
    h.entries.iter().enumerate().map(|(i, e)| (e.name.clone(), e.value * unit(i))).collect()
}

//! Whose utilities a model has learned, and what it tells of itself, whosever they are.

use std::path::Path;
use std::sync::Arc;

use pyo3::prelude::*;
use rather::Person;
use rather::check::{Check, CheckSettings, check, check_user};
use rather::inference::Status;
use rather::learn::Hyperparameters;
use rather::many::UserPosterior;
use rather::many::population::Population;
use rather::model::{Catalogue, Model, Naming, Notice};

use crate::errors::{named, of_library};

/// Whose utilities a model has learned.
pub(crate) enum Whose {
    /// One person's.
    Single(Arc<Model>),
    /// Many users'.
    Many(Arc<Population>),
    /// Those of one of many users, known or new.
    /// With the place of a known one.
    User(Arc<Population>, UserPosterior, Option<usize>),
}

impl Whose {
    /// The model of a single person, for what only that answers.
    pub(crate) fn single(&self) -> PyResult<&Arc<Model>> {
        match self {
            Self::Single(model) => Ok(model),
            _ => Err(named(
                "ParameterError",
                "a model of many users does not answer this; ask one of a single user".to_owned(),
            )),
        }
    }

    /// The model of many users.
    pub(crate) fn population(&self) -> PyResult<&Arc<Population>> {
        match self {
            Self::Many(population) | Self::User(population, ..) => Ok(population),
            Self::Single(_) => {
                Err(named("ParameterError", "this is a model of a single user, without users".to_owned()))
            }
        }
    }

    /// Whose utilities are asked about.
    pub(crate) fn person(&self) -> PyResult<Person<'_>> {
        match self {
            Self::Single(model) => Ok(Person::Single(model)),
            Self::User(population, user, _) => Ok(Person::User(population, user.clone())),
            Self::Many(_) => {
                Err(named("ParameterError", "this is a model of many users; choose one of them".to_owned()))
            }
        }
    }

    /// Writes the model to a file.
    pub(crate) fn save(&self, path: &Path) -> Result<(), rather_io::Error> {
        match self {
            Self::Single(model) => rather_io::save_model(path, model),
            Self::Many(population) | Self::User(population, ..) => {
                rather_io::save_population(path, population)
            }
        }
    }

    /// The items that it was learned from.
    pub(crate) fn items(&self) -> &Catalogue {
        match self {
            Self::Single(model) => model.items(),
            Self::Many(population) | Self::User(population, ..) => population.items(),
        }
    }

    /// How its table called items, users and ratings.
    pub(crate) fn naming(&self) -> &Naming {
        match self {
            Self::Single(model) => model.naming(),
            Self::Many(population) | Self::User(population, ..) => population.naming(),
        }
    }

    /// Row numbers of the items that were compared.
    pub(crate) fn compared(&self) -> PyResult<Vec<usize>> {
        match self {
            // The same for every one of them.
            Self::Many(population) => {
                let first = population.model().user(0).map_err(of_library)?;
                Ok(Person::User(population, first).compared())
            }
            _ => Ok(self.person()?.compared()),
        }
    }

    /// The kernel as an expression.
    pub(crate) fn kernel_expression(&self) -> String {
        match self {
            Self::Single(model) => model.kernel_expression(),
            Self::Many(population) | Self::User(population, ..) => population.kernel_expression(),
        }
    }

    /// The kernel and the noise.
    pub(crate) fn hyperparameters(&self) -> &Hyperparameters {
        match self {
            Self::Single(model) => model.hyperparameters(),
            Self::Many(population) | Self::User(population, ..) => population.hyperparameters(),
        }
    }

    /// Names and values of the hyperparameters, in the units of the table.
    pub(crate) fn reported_hyperparameters(&self) -> Vec<(String, f64)> {
        match self {
            Self::Single(model) => model.reported_hyperparameters(),
            Self::Many(population) | Self::User(population, ..) => population.reported_hyperparameters(),
        }
    }

    /// In nats.
    pub(crate) fn log_evidence(&self) -> f64 {
        match self {
            Self::Single(model) => model.report().log_evidence,
            Self::Many(population) | Self::User(population, ..) => population.model().log_evidence(),
        }
    }

    /// How inference ended.
    pub(crate) fn status(&self) -> Status {
        match self {
            Self::Single(model) => model.report().status,
            Self::Many(population) | Self::User(population, ..) => population.model().report().status,
        }
    }

    /// What is worth knowing about the fit, in sentences.
    pub(crate) fn notices(&self) -> Vec<String> {
        match self {
            Self::Single(model) => model.report().notices.iter().map(ToString::to_string).collect(),
            Self::Many(population) | Self::User(population, ..) => {
                population.notices().iter().map(ToString::to_string).collect()
            }
        }
    }

    /// Those of the notices that are to be known before the numbers are used.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let Self::Single(model) = self else { return Vec::new() };
        let matters = |notice: &&Notice| {
            use Notice as N;
            let kinds =
                matches!(notice, N::Disconnected { .. } | N::Consistent { .. } | N::UnusedFeatures { .. });
            kinds
                || matches!(
                    notice,
                    N::Feature { .. } | N::ForcedEqual { .. } | N::FellBack | N::NotMixed { .. }
                )
        };
        model.report().notices.iter().filter(matters).map(ToString::to_string).collect()
    }

    /// How near the approximation is to the exact posterior.
    pub(crate) fn check(&self, settings: &CheckSettings) -> Result<Check, rather::Error> {
        match self {
            Self::Single(model) => check(model, settings),
            Self::User(population, _, Some(user)) => check_user(population, *user, settings),
            Self::User(_, _, None) | Self::Many(_) => Err(rather::Error::NoComparisons),
        }
    }
}

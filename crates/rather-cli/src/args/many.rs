//! Flags about many users.

use crate::failure::Failure;
use clap::{Args, ValueEnum};
use rather::many::Kind;
use std::path::PathBuf;

/// Whose answers make a model.
#[derive(Debug, Args)]
#[command(next_help_heading = "Many users")]
pub(crate) struct ManyArgs {
    /// How users share information; all but single need a column `user` [default: single, or collaborative with --users]
    #[arg(long = "model", value_enum, value_name = "MODEL")]
    pub(crate) kind: Option<ModelKind>,
    /// Table of users: the key first, then features (a key alone is fine)
    #[arg(long, value_name = "USERS")]
    pub(crate) users: Option<PathBuf>,
}

impl ManyArgs {
    /// The model of many users that is asked for, if one is.
    pub(crate) fn kind(&self) -> Option<Kind> {
        match (self.kind, &self.users) {
            (None, Some(_)) => Some(Kind::Collaborative),
            (kind, _) => kind.and_then(ModelKind::kind),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelKind {
    /// One person: the column `user` is not used
    Single,
    /// An independent model for every user
    PerUser,
    /// One Gaussian process over users and items (Kronecker product of their kernels)
    Kronecker,
    /// Exchangeable users: one prior, learned from all of them
    Hierarchical,
    /// Weighted sums of a few latent functions that all users share
    Collaborative,
    /// Pooled: one utility for all users
    #[value(alias = "consensus")]
    Pooled,
}

impl ModelKind {
    /// The model of many users that it is, if it is one.
    pub(crate) fn kind(self) -> Option<Kind> {
        match self {
            Self::Single => None,
            Self::PerUser => Some(Kind::PerUser),
            Self::Kronecker => Some(Kind::Kronecker),
            Self::Hierarchical => Some(Kind::Hierarchical),
            Self::Collaborative => Some(Kind::Collaborative),
            Self::Pooled => Some(Kind::Pooled),
        }
    }
}

/// Whose utilities a model of many users gives.
#[derive(Debug, Args)]
#[command(next_help_heading = "Models of many users")]
pub(crate) struct WhoArgs {
    /// This user, known to the model or given by --answers or --users [default: a new user of the same population]
    #[arg(long, value_name = "USER")]
    pub(crate) user: Option<String>,
    /// Comparisons by new users; with a column `user` if there are several
    #[arg(long, value_name = "ANSWERS")]
    pub(crate) answers: Option<PathBuf>,
    /// Table of new users, with the same features as the users of the model
    #[arg(long, value_name = "USERS")]
    pub(crate) users: Option<PathBuf>,
    /// What columns of answers or pairs are, whatever they are called: winner, left, outcome, user and so on
    #[arg(long, value_name = "ROLE=COL", value_delimiter = ',', value_parser = crate::fitted::role)]
    pub(crate) columns: Vec<(String, String)>,
}

impl WhoArgs {
    /// That `--columns` is about a table: answers, or `pairs` if they are read.
    pub(crate) fn check_columns(&self, pairs: bool) -> Result<(), Failure> {
        if self.columns.is_empty() || pairs || self.answers.is_some() {
            return Ok(());
        }
        Err(Failure::User("--columns needs a table of answers; give --answers, or leave it out".to_owned()))
    }

    /// The first of these flags that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--user", self.user.is_some()),
            ("--answers", self.answers.is_some()),
            ("--users", self.users.is_some()),
        ];
        flags.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }
}

//! Flags about many users.

use clap::{Args, ValueEnum};
use rather::many::Kind;
use std::path::PathBuf;

/// Whose answers make a model.
#[derive(Debug, Args)]
#[command(next_help_heading = "Many users")]
pub(crate) struct ManyArgs {
    /// How users are learned from; the other models need a column `user` [default: single, or collaborative with --users]
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
    /// All answers as those of one person
    Single,
    /// Every user alone
    PerUser,
    /// One utility of user and item, alike where both are
    Kronecker,
    /// One prior for all users, learned from all of them
    Hierarchical,
    /// Utilities that are sums of a few that all users share
    Collaborative,
    /// All answers as those of one person, in a model that knows its users
    Consensus,
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
            Self::Consensus => Some(Kind::Consensus),
        }
    }
}

/// Of whom a model of many users is asked.
#[derive(Debug, Args)]
#[command(next_help_heading = "Models of many users")]
pub(crate) struct WhoArgs {
    /// This user, known to the model or told of by --answers or --users [default: any user, drawn at random]
    #[arg(long, value_name = "USER")]
    pub(crate) user: Option<String>,
    /// Comparisons by people whom the model does not know; with a column `user` if they are several
    #[arg(long, value_name = "ANSWERS")]
    pub(crate) answers: Option<PathBuf>,
    /// Table of people whom the model does not know, with the features of its users
    #[arg(long, value_name = "USERS")]
    pub(crate) users: Option<PathBuf>,
}

impl WhoArgs {
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

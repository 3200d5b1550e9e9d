//! Whom a question is about: a user that the model knows, someone new, or users on average.

use crate::args::WhoArgs;
use crate::data;
use crate::failure::Failure;
use crate::fitted::Fitted;
use crate::output::Output;
use crate::pool::read_new;
use rather::Person;
use rather::answers::Answers;
use rather::features::{Column, ColumnValues};
use rather::likelihood::Preference;
use rather::many::Population;
use rather::model::{Items, Model};
use rather_io::{ItemTable, Reading, Tied, list, quote};
use std::path::Path;

/// The people that may be asked about.
pub(crate) enum People<'a> {
    /// The one person of a model.
    One(&'a Model),
    /// The users of a model of many, and newcomers.
    Many(Box<Users<'a>>),
}

impl<'a> People<'a> {
    /// Those of a model, and the newcomers of whom `args` tell.
    pub(crate) fn read(fitted: &'a Fitted<'_>, args: &'a WhoArgs, out: &mut Output) -> Result<Self, Failure> {
        let Some(model) = fitted.many() else {
            refuse(fitted, args.given())?;
            return Ok(Self::One(fitted.single()?));
        };
        Users::read(model, fitted.path, args, out).map(|users| Self::Many(Box::new(users)))
    }

    /// Whom the flags ask for; without `--user` the only newcomer, else users on average.
    pub(crate) fn asked(&self) -> Result<Person<'a>, Failure> {
        match self {
            Self::One(model) => Ok(Person::Single(model)),
            Self::Many(users) => users.asked(),
        }
    }

    /// Someone new of whom nothing but the flags' answers and features is known.
    pub(crate) fn someone_new(&self) -> Result<Person<'a>, Failure> {
        match self {
            Self::One(model) => Ok(Person::Single(model)),
            Self::Many(users) => users.someone_new(),
        }
    }

    /// The user called `name`; one person has whatever name.
    pub(crate) fn named(&self, name: &str) -> Result<Person<'a>, Failure> {
        match self {
            Self::One(model) => Ok(Person::Single(model)),
            Self::Many(users) => users.named(name),
        }
    }
}

/// Refuses a flag about users for a model of one person.
pub(crate) fn refuse(fitted: &Fitted<'_>, flag: Option<&str>) -> Result<(), Failure> {
    match flag {
        Some(flag) if fitted.many().is_none() => Err(Failure::User(format!(
            "{} is a model of one person and does not use {flag}; rather fit --model collaborative learns the preferences \
             of each user",
            fitted.path.display()
        ))),
        _ => Ok(()),
    }
}

/// The users of a model of many, and people whom it does not know.
pub(crate) struct Users<'a> {
    model: &'a Population,
    path: &'a Path,
    asked: Option<&'a str>,
    /// Of people whom the model does not know.
    answers: Vec<Newcomer>,
    answers_path: Option<&'a Path>,
    features: Option<ItemTable>,
}

impl<'a> Users<'a> {
    /// Reads what `args` tell of newcomers.
    fn read(
        model: &'a Population,
        path: &'a Path,
        args: &'a WhoArgs,
        out: &mut Output,
    ) -> Result<Self, Failure> {
        let answers = match &args.answers {
            Some(answers) => newcomers(answers, (path, model), &args.columns, out)?,
            None => Vec::new(),
        };
        let known = answers
            .iter()
            .filter_map(|(name, _)| name.as_ref())
            .find(|n| model.users().position(n).is_some());
        if let (Some(name), Some(file)) = (known, &args.answers) {
            return Err(Failure::User(format!(
                "{} has answers of {}, whom {} knows already; fit the model again with all answers, or leave these out",
                file.display(),
                quote(name),
                path.display()
            )));
        }
        let features = match &args.users {
            Some(_) if !model.needs_user_features() => {
                return Err(Failure::User(format!(
                    "{} was learned without features of users, so it cannot use --users; leave it out",
                    path.display()
                )));
            }
            Some(users) => Some(read_new(users, model.users().encoder(), "the users of the model")?),
            None => None,
        };
        let (asked, answers_path) = (args.user.as_deref(), args.answers.as_deref());
        Ok(Self { model, path, asked, answers, answers_path, features })
    }

    /// What is believed about whom the flags ask for; without `--user` about the only newcomer, else about users on
    /// average.
    fn asked(&self) -> Result<Person<'a>, Failure> {
        match self.asked {
            Some(name) => self.named(name),
            None => match (&self.answers[..], &self.features) {
                ([], None) => Ok(Person::User(self.model, self.model.average_user()?)),
                ([], Some(table)) if table.len() == 1 => self.named(&table.keys[0]),
                ([(None, said)], _) => self.newcomer("the new user", None, said),
                ([(Some(name), _)], _) => self.named(name),
                _ => Err(Failure::User(format!(
                    "there are several new users, {}; choose one with --user",
                    list(&self.newcomers())
                ))),
            },
        }
    }

    /// What is believed about someone new of whom nothing but the flags' answers and features is known.
    fn someone_new(&self) -> Result<Person<'a>, Failure> {
        match (self.asked, &self.answers[..], &self.features) {
            (None, [], None) => self.newcomer("the new user", None, &Answers::default()),
            _ => self.asked(),
        }
    }

    fn newcomers(&self) -> Vec<String> {
        let of_table = self.features.iter().flat_map(|table| &table.keys);
        let mut all: Vec<String> =
            self.answers.iter().filter_map(|(name, _)| name.clone()).chain(of_table.cloned()).collect();
        all.sort();
        all.dedup();
        all
    }

    /// What is believed about the user called `name`.
    fn named(&self, name: &str) -> Result<Person<'a>, Failure> {
        if let Some(user) = self.model.users().position(name) {
            if let [(None, _)] = &self.answers[..] {
                return Err(Failure::User(format!(
                    "{} knows {} already, so --answers cannot be those of this user; fit the model again with all answers",
                    self.path.display(),
                    quote(name)
                )));
            }
            return Ok(Person::User(self.model, self.model.model().user(user)?));
        }
        let said = self.answers.iter().find(|(who, _)| who.as_deref().is_none_or(|who| who == name));
        let row = self.features.as_ref().and_then(|table| Some((table, table.index(name)?)));
        if said.is_none() && row.is_none() {
            return Err(self.unknown(name));
        }
        let nothing = Answers::default();
        self.newcomer(&quote(name), row, said.map_or(&nothing, |(_, said)| said))
    }

    fn newcomer(
        &self,
        who: &str,
        row: Option<(&ItemTable, usize)>,
        said: &Answers,
    ) -> Result<Person<'a>, Failure> {
        if self.model.needs_user_features() && row.is_none() {
            let names: Vec<String> =
                self.model.users().encoder().features.iter().map(|(name, _)| name.clone()).collect();
            return Err(Failure::User(format!(
                "{} was learned with users' features ({}), and those of {who} are missing; give a table with them as \
                 --users, or fit without --users",
                self.path.display(),
                names.join(", ")
            )));
        }
        let row = row.map(|(table, at)| one_row(table, at));
        Ok(Person::User(self.model, self.model.newcomer(row.as_ref(), said)?))
    }

    /// The sentence on someone of whom nothing is known.
    fn unknown(&self, name: &str) -> Failure {
        let place = match self.answers_path {
            Some(answers) => format!("neither {} nor {} knows", self.path.display(), answers.display()),
            None => format!("{} does not know", self.path.display()),
        };
        let features = if self.model.needs_user_features() { " and features as --users" } else { "" };
        let near = near(self.model, name).map_or_else(String::new, |near| format!("{near} Else "));
        Failure::User(format!(
            "{place} the user {}; {near}give a few answers of this user as --answers{features}, or leave the user out for \
             users on average",
            quote(name)
        ))
    }
}

/// The sentence on someone who is none of the users of a model.
pub(crate) fn unknown(path: &Path, model: &Population, name: &str) -> Failure {
    let remedy = near(model, name).unwrap_or_else(|| "choose a user of the model".to_owned());
    Failure::User(format!("{} does not know the user {}; {remedy}", path.display(), quote(name)))
}

/// Who may be meant by the name of nobody.
fn near(model: &Population, name: &str) -> Option<String> {
    Some(format!("did you mean {}?", quote(rather_io::closest(name, model.users().keys())?)))
}

/// One row of a table.
fn one_row(table: &ItemTable, at: usize) -> Items {
    let value = |values: &ColumnValues| match values {
        ColumnValues::Numeric(x) => ColumnValues::Numeric(vec![x[at]]),
        ColumnValues::Text(x) => ColumnValues::Text(vec![x[at].clone()]),
    };
    let column = |c: &Column| Column { name: c.name.clone(), values: value(&c.values) };
    Items { keys: vec![table.keys[at].clone()], columns: table.columns.iter().map(column).collect() }
}

/// Somebody, if named, and what they said.
type Newcomer = (Option<String>, Answers);

/// A few people's answers about the items of a model, which is in the file at `place`, by user; a table without users is of one person, who has
/// no name.
fn newcomers(
    path: &Path,
    (place, model): (&Path, &Population),
    roles: &[(String, String)],
    out: &mut Output,
) -> Result<Vec<Newcomer>, Failure> {
    let keys = model.items().keys().to_vec();
    let items = ItemTable::new(place.to_path_buf(), "item".to_owned(), keys, Vec::new())?;
    let outcomes = model.model().responses().likelihoods().outcomes();
    let ties = outcomes.iter().any(|(outcome, ..)| *outcome == Preference::Tie);
    let tied = if ties { Tied::Kept } else { Tied::Dropped };
    let (read, _) =
        data::read_as(path, &items, (tied, &Reading { roles, ..Reading::ANY }), model.naming(), out)?;
    if read.users.is_empty() {
        return Ok(vec![(None, read.answers)]);
    }
    let mut people: Vec<Newcomer> =
        read.users.iter().map(|name| (Some(name.clone()), Answers::default())).collect();
    for answer in read.answers.iter() {
        people[answer.user().unwrap_or_default()].1.push(answer);
    }
    match people.iter().find(|(_, said)| said.is_empty()) {
        Some((Some(name), _)) => Err(Failure::User(format!(
            "{}: the answers of {} are all ties, which this model does not use; add a comparison that has a winner",
            path.display(),
            quote(name)
        ))),
        _ => Ok(people),
    }
}

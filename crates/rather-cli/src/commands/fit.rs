//! `rather fit`: learn the utility of items from comparisons, to one person or to each of many users.

mod report;
mod text;

use crate::args::FitArgs;
use crate::data::{self, Sided, Tables, Users};
use crate::failure::Failure;
use crate::follow::finish_on_ctrl_c;
use crate::hint;
use crate::output::Output;
use crate::pool::Pool;
use crate::ranking::Line;
use rather::Person;
use rather::many::Population;
use rather::many::population::{PopulationData, PopulationSettings};
use rather::model::{FitSettings, Model};
use rather_io::{ColumnTold, Saved};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What was learned, for people and for programs.
struct Learned<'a> {
    model: &'a Saved,
    /// Whose ranking is shown.
    person: &'a Person<'a>,
    ranking: Vec<Line<'a>>,
    /// How the columns of items were read.
    columns: &'a [ColumnTold],
    /// Number of users.
    users: usize,
    /// The ratings that the levels stand for.
    levels: &'a [f64],
    seconds: f64,
}

/// Runs the command.
pub(crate) fn run(args: &FitArgs, seed: u64, mut out: Output) -> Result<(), Failure> {
    let start = Instant::now();
    let settings = Settings::new(args, seed)?;
    if let Some(output) = &args.output {
        let tables = args.items.iter().chain([&args.comparisons]);
        check_output(output, &tables.chain(&args.many.users).chain(&args.answers.also).collect::<Vec<_>>())?;
    }
    let users = match settings {
        Settings::One(_) => Users::Pooled,
        Settings::Many(_) => Users::Apart(args.many.users.as_deref()),
    };
    let flags = (&args.answers, &args.tables);
    // Models of many users know no columns of comparisons, so that a kernel that names one is refused, and no teams.
    let sided = match &settings {
        Settings::One(settings) => Sided {
            kernel: Some(args.model.kernel.as_str()),
            teams: true,
            by: None,
            any_column: settings.tries_columns(),
            of_users: args.model.of_users(),
        },
        Settings::Many(_) => Sided { of_users: args.model.of_users(), ..Sided::default() },
    };
    let mut tables = Tables::read(args.items.as_deref(), &args.comparisons, users, flags, sided, &mut out)?;
    let model = learn(&mut tables, &settings, &out).map_err(|e| data::explain(e, &args.model))?;
    notices(&model).into_iter().for_each(|notice| out.warn(notice));
    if matches!(&model, Saved::Single(model) if !model.report().trustworthy) {
        let sentence = "inference found no reliable posterior for these answers, so no model was saved; \
                        try --inference laplace, or a larger noise (--fix noise=...)";
        return Err(Failure::Internal(sentence.to_owned()));
    }
    if let Some(output) = &args.output {
        rather_io::save(output, &model)?;
    }
    let person = match &model {
        Saved::Single(model) => Person::Single(model),
        Saved::Many(population) => Person::User(population, population.average_user()?),
    };
    let pool = Pool::of_model(person.items());
    let learned = Learned {
        model: &model,
        person: &person,
        ranking: Line::all(&person, &pool)?,
        columns: &tables.told,
        users: tables.users.keys.len(),
        levels: &tables.naming.levels,
        seconds: start.elapsed().as_secs_f64(),
    };
    // Saved and shown as any other; but a script must not take it for the model that it asked for.
    let ended = if out.watch().is_ending() { Err(Failure::Interrupted(None)) } else { Ok(()) };
    if out.json {
        let warnings = out.warnings().to_vec();
        return out.json(&report::Report::new(&learned, warnings)).and(ended);
    }
    let mut text = text::describe(&learned);
    if let Some(output) = &args.output {
        text += &format!("\nsaved as {}\n", output.display());
    }
    out.text(&text).and(ended)
}

/// What would make saving fail, found before the fit rather than after.
fn check_output(output: &Path, inputs: &[&PathBuf]) -> Result<(), Failure> {
    rather_io::check_writable(output)?;
    let same = |input: &&&PathBuf| match (output.canonicalize(), input.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    match inputs.iter().find(same) {
        Some(_) => Err(Failure::User(format!(
            "the model would overwrite the table {}; give -o another name",
            output.display()
        ))),
        None => Ok(()),
    }
}

/// The library's settings for the flags.
enum Settings {
    One(Box<FitSettings>),
    Many(Box<PopulationSettings>),
}

impl Settings {
    fn new(args: &FitArgs, seed: u64) -> Result<Self, Failure> {
        let (model, answers) = (&args.model, &args.answers);
        match args.many.kind() {
            Some(kind) => Ok(Self::Many(Box::new(data::settings_of_many(model, answers, kind, seed)?))),
            None if args.many.users.is_some() => {
                Err(Failure::User("--model single does not use --users; keep one".to_owned()))
            }
            None => Ok(Self::One(Box::new(data::settings(model, answers, seed)?))),
        }
    }
}

/// Learns from the answers, which are not kept.
fn learn(tables: &mut Tables, settings: &Settings, out: &Output) -> Result<Saved, rather::Error> {
    let answers = std::mem::take(&mut tables.answers);
    let (items, users, naming) = (&tables.items, &tables.users, tables.naming.clone());
    match settings {
        Settings::One(settings) => {
            finish_on_ctrl_c(out.watch().clone());
            let model = match &tables.context {
                None => Model::fit_given(items, answers, &users.keys, settings, &|_| ())?,
                Some(sides) => Model::fit_in_context(items, sides, answers, &users.keys, settings, &|_| ())?,
            };
            Ok(Saved::Single(Box::new(model.with_naming(naming)?)))
        }
        Settings::Many(settings) => {
            let data = PopulationData { items, users, answers: &answers };
            let population = Population::fit(&data, settings, &|_| ())?;
            Ok(Saved::Many(Box::new(population.with_naming(naming)?)))
        }
    }
}

fn notices(model: &Saved) -> Vec<String> {
    match model {
        Saved::Single(model) => model.report().notices.iter().map(hint::with_flags).collect(),
        Saved::Many(population) => population.notices().iter().map(ToString::to_string).collect(),
    }
}

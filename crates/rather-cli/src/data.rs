//! Tables as the library takes them, and what their user should know about them.

use crate::args::{
    AnswerArgs, Lapse, Link, Missing, ModelArgs, PairEffect, Rankings, TableArgs, Ties, Units,
};
use crate::failure::Failure;
use crate::hint;
use crate::output::Output;
use crate::table::{count, counted};
use rather::Comparison;
use rather::answers::{Answer, Answers};
use rather::context::Sides;
use rather::kernel::named_columns;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::{self, Lapses, ResponseModel};
use rather::many::Kind;
use rather::many::population::PopulationSettings;
use rather::model::{FitSettings, Items, Naming};
use rather::representation as held;
use rather_io::{AnswerData, AnswerTable, ColumnTold, ItemOptions, ItemTable, Reading, Table, Tied};
use std::path::{Path, PathBuf};

/// Items, users, and who said what of them.
pub(crate) struct Tables {
    /// The items.
    pub(crate) items: Items,
    /// The name of the column of their keys.
    pub(crate) key_name: String,
    /// How their columns were read.
    pub(crate) told: Vec<ColumnTold>,
    /// Who answered; or those of a table of users.
    pub(crate) users: Items,
    /// What was said.
    pub(crate) answers: Answers,
    /// Number of ties among what was read.
    pub(crate) ties: u64,
    /// The ratings and the words that levels and grades stand for.
    pub(crate) naming: Naming,
    /// The sides that answers are about, in the place of items, if columns of comparisons were read.
    pub(crate) context: Option<Sides>,
}

/// Whether users are told apart.
#[derive(Clone, Copy)]
pub(crate) enum Users<'a> {
    /// All answers are one person's.
    Pooled,
    /// Each has answers of their own; a table has all of them, if there is one.
    Apart(Option<&'a Path>),
}

/// What may be compared besides items as they are.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sided<'a> {
    /// The kernel, whose columns that are no features of items are columns of comparisons.
    pub(crate) kernel: Option<&'a str>,
    /// Whether teams may be compared.
    pub(crate) teams: bool,
    /// A column of comparisons that is read besides.
    pub(crate) by: Option<&'a str>,
    /// Whether the columns that the choice of a kernel may try are read.
    pub(crate) any_column: bool,
    /// A flag that needs several users.
    pub(crate) of_users: Option<&'static str>,
}

impl Tables {
    /// Reads the table of items, that of users, and those of answers: `first`, and those that `args` add.
    pub(crate) fn read(
        items: Option<&Path>,
        first: &PathBuf,
        users: Users<'_>,
        (args, tables): (&AnswerArgs, &TableArgs),
        sided: Sided<'_>,
        out: &mut Output,
    ) -> Result<Self, Failure> {
        let item_table = match items {
            Some(path) => read_items(Table::open(path)?, tables)?,
            None => read_items(items_named(first, tables)?, tables)?,
        };
        let complete = tables.missing == Missing::Error;
        let user_table = match users {
            Users::Apart(Some(path)) => {
                Some(rather_io::read_items(path, &ItemOptions { complete, ..ItemOptions::default() })?)
            }
            _ => None,
        };
        for note in item_table.notes.iter().chain(user_table.iter().flat_map(|table| &table.notes)) {
            out.warn(hint::of_table(note));
        }
        let tied = match tables.ties {
            Ties::Learn => Tied::Kept,
            ties => without_ties(ties),
        };
        // The kernel's columns that are no features of items are columns of comparisons.
        let mut wanted = sided.kernel.map(named_columns).unwrap_or_default();
        wanted.retain(|name| !item_table.columns.iter().any(|column| same(&column.name, name)));
        let besides = sided.by.filter(|by| !wanted.iter().any(|name| same(name, by)));
        wanted.extend(besides.map(str::to_owned));
        let (read, context) = read_answers(
            first,
            (&item_table, user_table.as_ref()),
            (args, &wanted, &sided, &tables.columns),
            tied,
            out,
        )?;
        let AnswerData { answers, users: names, levels, grades, ties, .. } = read;
        let (answers, users) = match users {
            Users::Pooled => {
                if names.len() > 1 {
                    out.warn(one_of_many(first, names.len()));
                }
                (answers, Items { keys: names, columns: Vec::new() })
            }
            Users::Apart(_) => by_user(first, &answers, names, user_table)?,
        };
        let (key_name, told) = (item_table.key_name, item_table.told);
        let items = Items { keys: item_table.keys, columns: item_table.columns };
        let naming = Naming { levels, grades, ..Naming::default() };
        Ok(Self { items, key_name, told, users, answers, ties, naming, context })
    }
}

/// Answers by users, numbered as in their table if there is one; `names` are those who answered.
fn by_user(
    first: &Path,
    answers: &Answers,
    names: Vec<String>,
    table: Option<ItemTable>,
) -> Result<(Answers, Items), Failure> {
    if names.is_empty() {
        return Err(Failure::User(format!(
            "{} has no column \"user\", which names the user of each answer; add it, or take --model single",
            first.display()
        )));
    }
    let at: Vec<usize> = match &table {
        None => (0..names.len()).collect(),
        Some(users) => names.iter().map(|name| users.index(name).unwrap_or(0)).collect(),
    };
    // Of several tables, one may not tell who answered.
    let of = |answer: Answer| match answer.user() {
        Some(user) => Ok(answer.by(at[user])),
        None => Err(Failure::User(format!(
            "a table beside {} has no column \"user\", which names the user of each answer; add it",
            first.display()
        ))),
    };
    let users = match table {
        None => Items { keys: names, columns: Vec::new() },
        Some(ItemTable { keys, columns, .. }) => Items { keys, columns },
    };
    Ok((answers.iter().map(of).collect::<Result<_, _>>()?, users))
}

/// The answers of the table `first`, and of those that `args` add, about `items`, by users of whom `known`, if given, are all.
fn read_answers(
    first: &PathBuf,
    (items, known): (&ItemTable, Option<&ItemTable>),
    (args, wanted, sided, roles): (&AnswerArgs, &[String], &Sided<'_>, &[(String, String)]),
    tied: Tied,
    out: &mut Output,
) -> Result<(AnswerData, Option<Sides>), Failure> {
    let reading = Reading {
        rankings: rankings(args.rankings),
        users: known,
        context: wanted,
        // Columns that are not asked for are looked for in one table.
        any_column: sided.any_column && args.also.is_empty(),
        teams: sided.teams,
        roles,
        ..Reading::ANY
    };
    let paths = std::iter::once(first).chain(&args.also);
    let read = paths.map(|path| rather_io::read_answers(path, items, &reading));
    let mut read = read.collect::<Result<Vec<_>, _>>()?;
    let context = rather_io::join_sides(&mut read)?;
    if args.position_bias && read.iter().all(|table| !table.sides) {
        return Err(Failure::User(format!(
            "--position-bias needs to know which item was on the left, and {} has no such column; write left,right,outcome",
            first.display()
        )));
    }
    let answers = settle(first, read, tied, out)?;
    let of_users = if args.user_noise { Some("--user-noise") } else { sided.of_users };
    if let Some(flag) = of_users.filter(|_| answers.users.len() < 2) {
        return Err(Failure::User(format!(
            "{flag} needs a column \"user\" with at least two users, and {} has none",
            first.display()
        )));
    }
    Ok((answers, context))
}

/// What becomes of a ranking.
pub(crate) fn rankings(asked: Rankings) -> rather_io::Rankings {
    match asked {
        Rankings::Pairs => rather_io::Rankings::Pairs,
        Rankings::Adjacent => rather_io::Rankings::Adjacent,
        Rankings::Joint => rather_io::Rankings::Joint,
    }
}

/// What becomes of a tie where ties are not learned.
pub(crate) fn without_ties(ties: Ties) -> Tied {
    match ties {
        Ties::Learn | Ties::Drop => Tied::Dropped,
        Ties::Both => Tied::Both,
    }
}

/// The answers of tables, of which `first` is named where ties are left out.
fn settle(
    first: &Path,
    tables: Vec<AnswerTable>,
    tied: Tied,
    out: &mut Output,
) -> Result<AnswerData, Failure> {
    for note in tables.iter().flat_map(|table| &table.notes) {
        out.warn(note);
    }
    let answers = rather_io::settle(tables, tied)?;
    if tied == Tied::Dropped {
        warn_of_ties(first, answers.ties, answers.answers.is_empty(), out)?;
    }
    Ok(answers)
}

/// Says that ties are left out; that is an error if nothing else is there.
fn warn_of_ties(path: &Path, ties: u64, alone: bool, out: &mut Output) -> Result<(), Failure> {
    let path = path.display();
    if alone {
        return Err(Failure::User(format!(
            "{path} has ties only, and ties are left out; --ties both takes each as one comparison each way"
        )));
    }
    if ties > 0 {
        let were = if ties == 1 { "was" } else { "were" };
        out.warn(format!(
            "{path}: {} {were} left out; --ties both takes each as one comparison each way",
            counted(ties, "tie")
        ));
    }
    Ok(())
}

fn one_of_many(path: &Path, users: usize) -> String {
    format!(
        "{}: the answers of {} users are pooled; --model collaborative learns the preferences of each user",
        path.display(),
        count(users as u64)
    )
}

/// The items that the table of answers names.
fn items_named(answers: &Path, args: &TableArgs) -> Result<Table, Failure> {
    if answers == Path::new("-") {
        let sentence = "standard input is read once, so the items cannot be found in it first; give a table of items, \
                        or the comparisons as a file";
        return Err(Failure::User(sentence.to_owned()));
    }
    Ok(rather_io::items_in(Table::open(answers)?, &args.columns)?)
}

/// Reads the items with the columns that `args` ask for.
fn read_items(table: Table, args: &TableArgs) -> Result<ItemTable, Failure> {
    let features = table.header().get(1..).unwrap_or_default().to_vec();
    for name in args.features.iter().chain(&args.drop) {
        if !features.iter().any(|known| same(known, name)) {
            let (path, column) = (table.path().to_path_buf(), name.clone());
            return Err(rather_io::Error::UnknownColumn { path, column, known: features }.into());
        }
    }
    let named = |names: &[String], column: &str| names.iter().any(|name| same(name, column));
    let wanted = |column: &str| {
        !named(&args.drop, column) && (args.features.is_empty() || named(&args.features, column))
    };
    let options =
        ItemOptions { categorical: args.categorical.clone(), complete: args.missing == Missing::Error };
    read_columns(table, wanted, options)
}

/// Reads the items with the features that are `wanted`. The others are read as categories, so that no number in
/// them can be wrong, and left out.
pub(crate) fn read_columns(
    table: Table,
    wanted: impl Fn(&str) -> bool,
    mut options: ItemOptions,
) -> Result<ItemTable, Failure> {
    let features = table.header().get(1..).unwrap_or_default();
    let unwanted: Vec<String> =
        features.iter().filter(|column| !column.is_empty() && !wanted(column)).cloned().collect();
    options.categorical.extend(unwanted);
    let mut table = rather_io::items_of(table, &options)?;
    table.columns.retain(|column| wanted(&column.name));
    table.told.retain(|told| wanted(&told.column));
    Ok(table)
}

/// Whether two names mean the same column.
pub(crate) fn same(a: &str, b: &str) -> bool {
    a.trim().eq_ignore_ascii_case(b.trim())
}

/// Reads comparisons of two items, without ties.
pub(crate) fn read_comparisons(
    path: &Path,
    items: &ItemTable,
    roles: &[(String, String)],
    out: &mut Output,
) -> Result<Vec<Comparison>, Failure> {
    let table = rather_io::read_answers(path, items, &Reading { roles, ..Reading::COMPARISONS })?;
    let answers = settle(path, vec![table], Tied::Dropped, out)?;
    if answers.users.len() > 1 {
        out.warn(one_of_many(path, answers.users.len()));
    }
    Ok(answers.comparisons())
}

/// Reads answers of any kind for a model that knows their ratings and words of strength by `naming`.
pub(crate) fn read_as(
    path: &Path,
    items: &ItemTable,
    (tied, reading): (Tied, &Reading<'_>),
    naming: &Naming,
    out: &mut Output,
) -> Result<(AnswerData, Option<Sides>), Failure> {
    let mut table = rather_io::read_answers(path, items, reading)?;
    let sides = table.context.take();
    for note in &table.notes {
        out.warn(note);
    }
    let answers = rather_io::settle_as(vec![table], tied, naming);
    if tied == Tied::Dropped {
        warn_of_ties(path, answers.ties, answers.answers.is_empty(), out)?;
    }
    Ok((answers, sides))
}

/// The library's settings of a model of one person for these flags.
pub(crate) fn settings(args: &ModelArgs, answers: &AnswerArgs, seed: u64) -> Result<FitSettings, Failure> {
    check_scale(args)?;
    let kernel = match args.kernel.trim() {
        auto if auto.eq_ignore_ascii_case("auto") => KernelChoice::Auto { ard: args.ard },
        expression => KernelChoice::Given(KernelSpec { expression: expression.to_owned(), ard: args.ard }),
    };
    Ok(FitSettings {
        kernel,
        inference: crate::inference::settings(args, seed)?,
        half_life: args.half_life,
        memory: args.memory.unwrap_or(held::MEMORY),
        units: match args.units {
            Some(Units::ComparisonNoise) => rather::learn::Units::ComparisonNoise,
            Some(Units::ItemNoise) | None => rather::learn::Units::ItemNoise,
        },
        fixed: args.fix.clone(),
        priors: !args.no_priors,
        raw_features: args.raw_features,
        response_model: response_model(args, answers),
    })
}

/// The library's settings of a model of many users for these flags.
pub(crate) fn settings_of_many(
    args: &ModelArgs,
    answers: &AnswerArgs,
    kind: Kind,
    seed: u64,
) -> Result<PopulationSettings, Failure> {
    crate::inference::check_many(args, kind)?;
    let FitSettings { kernel, response_model, fixed, priors, raw_features, memory, .. } =
        settings(args, answers, seed)?;
    let of_kind = PopulationSettings::new(kind);
    Ok(PopulationSettings { kernel, response_model, fixed, priors, raw_features, memory, seed, ..of_kind })
}

fn response_model(args: &ModelArgs, answers: &AnswerArgs) -> ResponseModel {
    let &AnswerArgs { position_bias, user_noise, robust, .. } = answers;
    ResponseModel {
        link: match args.link {
            Link::Probit => likelihood::Link::Probit,
            Link::Logistic => likelihood::Link::Logistic,
        },
        lapses: match args.lapse {
            None | Some(Lapse::Share(0.0)) => Lapses::Never,
            Some(Lapse::Share(share)) => Lapses::Rate(share),
            Some(Lapse::Learn) => Lapses::Learned,
            Some(Lapse::ByUser) => Lapses::ByUser,
        },
        bias: position_bias,
        user_noise,
        robust,
        pair_effect: args.pair_effect == PairEffect::Learn,
    }
}

/// Only one flag may say what utilities are measured in.
fn check_scale(args: &ModelArgs) -> Result<(), Failure> {
    let base = |name: &str| name.split('[').next().unwrap_or(name).rsplit('.').next().map(str::to_lowercase);
    for (i, (name, value)) in args.fix.iter().enumerate() {
        let earlier = args.fix[..i].iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        if let Some((_, first)) = earlier.filter(|(_, first)| first != value) {
            return Err(Failure::User(format!("--fix gives {name} twice, {first} and {value}; keep one")));
        }
        let scale = matches!(base(name).as_deref(), Some("noise" | "variance"));
        if let (true, Some(units)) = (scale, args.units) {
            let units = match units {
                Units::ItemNoise => "item-noise",
                Units::ComparisonNoise => "comparison-noise",
            };
            return Err(Failure::User(format!(
                "--units {units} and --fix {name}={value} both set the unit of utilities; keep one"
            )));
        }
    }
    Ok(())
}

/// Says more where the library knows the fault but not the flags.
pub(crate) fn explain(error: rather::Error, args: &ModelArgs) -> Failure {
    match &error {
        rather::Error::UnknownParameter { name, .. } if name.contains('[') && !args.ard => {
            Failure::User(format!("{error}; only --ard gives each feature a lengthscale"))
        }
        rather::Error::HoldOut => Failure::User(format!("{error}; --by pairs needs none")),
        rather::Error::Unsupported(rather::Unsupported::StreamingNoise) => {
            Failure::User(format!("{error} (--fix noise=...)"))
        }
        rather::Error::UnknownParameter { .. } if args.kernel.eq_ignore_ascii_case("auto") => {
            Failure::User(format!("{error}; --kernel names another one"))
        }
        _ => error.into(),
    }
}

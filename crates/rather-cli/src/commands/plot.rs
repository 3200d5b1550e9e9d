//! `rather plot`: figures of a model, as SVG or PNG.

use crate::args::{FigureKind, PlotArgs};
use crate::data;
use crate::failure::Failure;
use crate::fitted::Fitted;
use crate::output::Output;
use crate::people::{People, refuse};
use rather::model::Model;
use rather_io::ItemTable;
use rather_plot::from_model::{self, EvidenceGrid};
use rather_plot::{Figure, Look, Ranking};
use serde::Serialize;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Instant;

/// Items shown unless `--top` says otherwise.
const TOP_RANKING: usize = 60;
const TOP_CHOICES: usize = 40;
const TOP_CAREERS: usize = 6;
const TOP_SEGMENTS: usize = 12;
/// Pixels for every unit of a drawing: sharp on screens and in print.
const SHARP: f64 = 2.0;

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    figure: FigureKind,
    output: &'a Path,
    width: f64,
    height: f64,
    caption: &'a str,
    seconds: f64,
    warnings: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(args: &PlotArgs, mut out: Output) -> Result<(), Failure> {
    let start = Instant::now();
    check_flags(args)?;
    let format = Format::of(&args.output)?;
    rather_io::check_writable(&args.output)?;
    let fitted = Fitted::open(&args.model, &mut out)?;
    if same_file(&args.output, &args.model) {
        return Err(Failure::User("the figure would overwrite the model; give -o another name".to_owned()));
    }
    let figure = draw(args, &fitted, &mut out)?;
    let content = match format {
        Format::Svg => figure.as_svg().as_bytes().to_vec(),
        Format::Png => figure.to_png(SHARP).map_err(failure)?,
    };
    fs::write(&args.output, content).map_err(|error| unwritable(&args.output, &error))?;
    if out.json {
        let report = Report {
            figure: args.figure,
            output: &args.output,
            width: figure.width(),
            height: figure.height(),
            caption: figure.caption(),
            seconds: start.elapsed().as_secs_f64(),
            warnings: out.warnings().to_vec(),
        };
        return out.json(&report);
    }
    out.text(&format!("saved as {}\n", args.output.display()))
}

/// What is drawn into the file.
enum Format {
    Svg,
    Png,
}

impl Format {
    fn of(path: &Path) -> Result<Self, Failure> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            _ => Err(Failure::User(format!(
                "{} is neither an .svg nor a .png file; end the name of the figure in one of them",
                path.display()
            ))),
        }
    }
}

fn draw(args: &PlotArgs, fitted: &Fitted<'_>, out: &mut Output) -> Result<Figure, Failure> {
    let top = |default| args.top.map_or(default, |top| usize::try_from(top).unwrap_or(usize::MAX));
    let look = Look { width: args.width, height: args.height, title: args.title.clone() };
    if args.figure == FigureKind::Ranking {
        let person = People::read(fitted, &args.who, out)?.asked()?;
        let ranking = from_model::ranking(&person, top(TOP_RANKING));
        return named(ranking, args.who.user.as_deref()).draw(&look).map_err(failure);
    }
    if let (FigureKind::Effect, Some(feature)) = (args.figure, args.feature.first()) {
        let person = People::read(fitted, &args.who, out)?.asked()?;
        return from_model::effect(&person, feature).and_then(|f| f.draw(&look)).map_err(failure);
    }
    if matches!(args.figure, FigureKind::Users | FigureKind::Segments) {
        return of_many(args, fitted, top, &look);
    }
    let model = of_one(args, fitted)?;
    let figure = match (args.figure, &args.feature[..]) {
        (FigureKind::Map, [x, y, ..]) => from_model::map(model, x, y).and_then(|f| f.draw(&look)),
        (FigureKind::Careers, _) => from_model::careers(model, top(TOP_CAREERS)).and_then(|f| f.draw(&look)),
        (FigureKind::Evidence, _) => evidence(args, model).and_then(|f| f.draw(&look)),
        (FigureKind::Reliability, _) => return reliability(args, model, &look, out),
        (FigureKind::Choices, []) => from_model::choices(model, top(TOP_CHOICES)).draw(&look),
        (FigureKind::Choices, [feature, ..]) => {
            from_model::choice_map(model, feature).and_then(|f| f.draw(&look))
        }
        (_, features) => {
            let feature = features.first().map_or("", String::as_str);
            from_model::utility(model, feature).and_then(|f| f.draw(&look))
        }
    };
    figure.map_err(|error| explain(args, error))
}

/// How users differ, of a model of many.
fn of_many(
    args: &PlotArgs,
    fitted: &Fitted<'_>,
    top: impl Fn(usize) -> usize,
    look: &Look,
) -> Result<Figure, Failure> {
    let name = args.figure.name();
    if let Some(flag) = args.who.given() {
        return Err(Failure::User(format!(
            "{flag} means nothing to the figure \"{name}\", which has all users"
        )));
    }
    let Some(population) = fitted.many() else {
        return Err(Failure::User(format!(
            "{} is a model of one person, and the figure \"{name}\" is for one of many; rather fit --model collaborative learns the \
             preferences of each user",
            args.model.display()
        )));
    };
    let drawn = match args.figure {
        FigureKind::Segments => {
            from_model::segments(population, args.number.map(usize::from), top(TOP_SEGMENTS))
                .and_then(|f| f.draw(look))
        }
        _ => from_model::users(population, top(TOP_RANKING)).and_then(|f| f.draw(look)),
    };
    drawn.map_err(failure)
}

/// The ranking of the user of this name.
fn named(ranking: Ranking, user: Option<&str>) -> Ranking {
    let Some(user) = user else { return ranking };
    let utility = ranking.utility.replacen("utility", &format!("utility to {user}"), 1);
    Ranking { utility, ..ranking }
}

/// The model of one person, which all figures but a ranking and an effect need.
fn of_one<'a>(args: &PlotArgs, fitted: &'a Fitted<'_>) -> Result<&'a Model, Failure> {
    if fitted.many().is_some() {
        return Err(Failure::User(format!(
            "{} is a model of many users: its figures are users, segments, ranking and effect (--user U for one user); \"{}\" is for a model of one person",
            args.model.display(),
            args.figure.name()
        )));
    }
    refuse(fitted, args.who.given())?;
    fitted.single()
}

fn evidence(args: &PlotArgs, model: &Model) -> Result<rather_plot::Surface, rather_plot::Error> {
    let grid = EvidenceGrid { x: args.x.clone(), y: args.y.clone(), size: args.grid.map(usize::from) };
    from_model::evidence(model, &grid)
}

fn reliability(args: &PlotArgs, model: &Model, look: &Look, out: &mut Output) -> Result<Figure, Failure> {
    let Some(path) = &args.pairs else {
        return Err(Failure::User(
            "a reliability diagram needs comparisons that the model was not learned from; give --pairs PAIRS"
                .to_owned(),
        ));
    };
    let items = ItemTable::new(args.model.clone(), "item".to_owned(), model.keys().to_vec(), Vec::new())?;
    let held_out = data::read_comparisons(path, &items, &args.who.columns, out)?;
    let table = from_model::reliability(model, model.points(), &held_out);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let table = rather_plot::Reliability { note: format!("Tested on {name}."), ..table };
    table.draw(look).map_err(failure)
}

/// That every flag has a meaning for the figure, and those that it needs are there.
fn check_flags(args: &PlotArgs) -> Result<(), Failure> {
    use FigureKind::{
        Careers, Choices, Effect, Evidence, Map, Ranking, Reliability, Segments, Users, Utility,
    };
    args.who.check_columns(args.pairs.is_some())?;
    let kind = args.figure;
    let given = [
        ("--feature", !args.feature.is_empty(), &[Utility, Effect, Map, Choices][..]),
        ("--x", args.x.is_some(), &[Evidence]),
        ("--y", args.y.is_some(), &[Evidence]),
        ("--grid", args.grid.is_some(), &[Evidence]),
        ("--top", args.top.is_some(), &[Ranking, Users, Segments, Choices, Careers]),
        ("--number", args.number.is_some(), &[Segments]),
        ("--pairs", args.pairs.is_some(), &[Reliability]),
    ];
    for (flag, is_given, kinds) in given {
        if is_given && !kinds.contains(&kind) {
            let kinds: Vec<&str> = kinds.iter().map(|k| k.name()).collect();
            return Err(Failure::User(format!(
                "{flag} means nothing to the figure \"{}\"; it is for {}",
                kind.name(),
                kinds.join(", ")
            )));
        }
    }
    if kind == Choices && !args.feature.is_empty() && args.top.is_some() {
        let sentence = "--feature draws values of a feature against each other, --top items; keep one";
        return Err(Failure::User(sentence.to_owned()));
    }
    let wanted = match kind {
        Utility | Effect => 1..=1,
        Map => 2..=2,
        Choices => 0..=1,
        Careers | Evidence | Ranking | Reliability | Segments | Users => 0..=0,
    };
    if wanted.contains(&args.feature.len()) {
        return Ok(());
    }
    let needs = match kind {
        Map => "two features: --feature F --feature G",
        Choices => "one --feature F, or none for the items",
        _ => "one feature: --feature F",
    };
    Err(Failure::User(format!("the figure \"{}\" needs {needs}", kind.name())))
}

/// Says more where the library knows the fault but not the flags.
fn explain(args: &PlotArgs, error: rather_plot::Error) -> Failure {
    use rather_plot::Error::{AmbiguousHyperparameter, UnknownHyperparameter};
    match error {
        UnknownHyperparameter { .. } | AmbiguousHyperparameter { .. }
            if args.x.is_none() || args.y.is_none() =>
        {
            Failure::User(format!("{error}; --x and --y name the two of the figure"))
        }
        error => failure(error),
    }
}

fn failure(error: rather_plot::Error) -> Failure {
    match error {
        rather_plot::Error::Picture { .. } | rather_plot::Error::Length { .. } => {
            Failure::Internal(error.to_string())
        }
        rather_plot::Error::NotFinite { .. } => Failure::User(format!(
            "{error}: the features are too far apart for the model to predict between them"
        )),
        error => Failure::User(error.to_string()),
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::User(format!("could not write {}: {error}", path.display()))
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

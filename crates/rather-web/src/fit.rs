//! Utilities of items, learned from answers of any kind.

use crate::sentence::Sentence;
use rather::inference::Status;
use rather::kernel::named_columns;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::{Link, ResponseModel};
use rather::model::{FitSettings, Items, Model, Naming};
use rather_io::{AnswerData, ItemTable, Reading, Table, Tied};
use serde::{Deserialize, Serialize};

/// What is to be learned, and how.
#[derive(Deserialize)]
pub(crate) struct Request {
    /// What the table of answers is called.
    name: String,
    /// A table of items with features, as text; without one, items are what the answers name.
    items: Option<String>,
    /// A kernel's expression; without one it is chosen.
    kernel: Option<String>,
    #[serde(default)]
    ard: bool,
    #[serde(default)]
    position_bias: bool,
    #[serde(default)]
    logistic: bool,
    /// Whether ties are left out.
    #[serde(default)]
    drop_ties: bool,
}

/// What was learned: keys as `rather fit --json` has them.
#[derive(Serialize)]
pub(crate) struct Fitted {
    items: usize,
    kernel: String,
    hyperparameters: Vec<(String, f64)>,
    log_evidence: f64,
    converged: bool,
    warnings: Vec<String>,
    ranking: Vec<Line>,
}

/// An item in its place.
#[derive(Serialize)]
struct Line {
    item: String,
    rank: usize,
    mean: f64,
    sd: f64,
}

/// Learns as `rather fit` does with the same flags.
pub(crate) fn fit(request: Request, file: Vec<u8>) -> Result<Fitted, Sentence> {
    let settings = request.settings();
    let table = || Table::from_bytes(request.name.as_ref(), file.clone());
    let items = match &request.items {
        Some(text) => Table::from_bytes("items".as_ref(), text.clone().into_bytes())?,
        None => rather_io::items_in(table()?, &[])?,
    };
    let items = rather_io::items_of(items, &Default::default())?;
    let mut warnings: Vec<String> = items.notes.iter().map(ToString::to_string).collect();
    let context = columns_of_comparisons(request.kernel.as_deref().unwrap_or("auto"), &items);
    let reading =
        Reading { context: &context, any_column: settings.tries_columns(), teams: true, ..Reading::ANY };
    let mut read = vec![rather_io::answers_of(table()?, &items, &reading)?];
    warnings.extend(read.iter().flat_map(|table| &table.notes).map(ToString::to_string));
    let sides = rather_io::join_sides(&mut read)?;
    let tied = if request.drop_ties { Tied::Dropped } else { Tied::Kept };
    let AnswerData { answers, users, levels, grades, .. } = rather_io::settle(read, tied)?;
    let items = Items { keys: items.keys, columns: items.columns };
    let model = match &sides {
        None => Model::fit_given(&items, answers, &users, &settings, &|_| ())?,
        Some(sides) => Model::fit_in_context(&items, sides, answers, &users, &settings, &|_| ())?,
    };
    if !model.report().trustworthy {
        let sentence = "inference found no reliable posterior for these answers; try another kernel";
        return Err(Sentence(sentence.to_owned()));
    }
    let model = model.with_naming(Naming { levels, grades, ..Naming::default() })?;
    warnings.extend(model.report().notices.iter().map(ToString::to_string));
    Ok(Fitted::of(&model, warnings))
}

impl Request {
    fn settings(&self) -> FitSettings {
        let kernel = match &self.kernel {
            Some(expression) if !expression.trim().eq_ignore_ascii_case("auto") => {
                KernelChoice::Given(KernelSpec { expression: expression.clone(), ard: self.ard })
            }
            _ => KernelChoice::Auto { ard: self.ard },
        };
        let link = if self.logistic { Link::Logistic } else { Link::Probit };
        let response_model = ResponseModel { link, bias: self.position_bias, ..ResponseModel::default() };
        FitSettings { kernel, response_model, ..FitSettings::default() }
    }
}

/// The columns that a kernel names and items do not have.
fn columns_of_comparisons(kernel: &str, items: &ItemTable) -> Vec<String> {
    let mut named = named_columns(kernel);
    named.retain(|name| {
        !items.columns.iter().any(|column| column.name.trim().eq_ignore_ascii_case(name.trim()))
    });
    named
}

impl Fitted {
    fn of(model: &Model, warnings: Vec<String>) -> Self {
        let line = |(rank, ranked): (usize, rather::model::Ranked)| Line {
            item: model.keys()[ranked.item].clone(),
            rank,
            mean: ranked.mean,
            sd: ranked.sd,
        };
        Self {
            items: model.keys().len(),
            kernel: model.kernel_expression(),
            hyperparameters: model.reported_hyperparameters(),
            log_evidence: model.report().log_evidence,
            converged: model.report().status == Status::Converged,
            warnings,
            ranking: (1..).zip(model.rank(model.points())).map(line).collect(),
        }
    }
}

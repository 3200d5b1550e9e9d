//! The default beside peers on real tables: held-out log loss, folds by pair and by item.
//!
//! Every table is a list of decided comparisons, with or without features of the items. Folds by pair keep all answers about two items
//! together; folds by item test what is said of a fifth of the items. All methods have the same folds. A large table is subsampled to
//! `--most` comparisons: by whole pairs drawn at random, or, where pairs are compared very often, by the first comparisons of each.

pub(crate) mod crowds;
mod folds;
mod peers;
pub(crate) mod read;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use rather::Comparison;
use rather::evaluate::Scores;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::model::{FitSettings, Items, Model};

use folds::Fold;
use read::Table;

/// Arguments of the comparison on tables.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: crate::Data,
    /// Tables; all if none is named.
    #[arg(long, value_delimiter = ',')]
    tables: Vec<String>,
    /// Comparisons a table is subsampled to.
    #[arg(long, default_value_t = 4000)]
    most: usize,
    /// Folds that are tried, of five.
    #[arg(long, default_value_t = 5)]
    folds: usize,
    /// Other kernels of rather to try beside the default, by their expression.
    #[arg(long, value_delimiter = ';')]
    kernels: Vec<String>,
    /// A Python with scikit-learn and choix, and BoTorch if PairwiseGP is wanted (experiments/peers/setup.sh makes one).
    #[arg(long, default_value = "target/peers/bin/python")]
    python: PathBuf,
    /// The peers' drivers.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/peers"))]
    drivers: PathBuf,
    /// Leave out the peers.
    #[arg(long)]
    alone: bool,
    /// Also print which kernel was chosen, fold by fold.
    #[arg(long)]
    chosen: bool,
    /// Seed of subsamples and folds.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// A method's mean log loss over the folds; `None` if it did not finish.
type Loss = (String, Option<f64>);

pub(crate) fn run(options: &Options) -> Result<()> {
    let peers = !options.alone && options.python.exists();
    if !peers && !options.alone {
        eprintln!(
            "no Python at {}: make the peers' environment with experiments/peers/setup.sh, or name one with --python; \
             without it only rather is measured",
            options.python.display()
        );
    }
    println!(
        "| table | split | items | comparisons | seconds a fit | default | other methods | default less the best of them |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut gaps = Vec::new();
    for name in
        read::NAMES.iter().filter(|n| options.tables.is_empty() || options.tables.iter().any(|t| t == *n))
    {
        let table = read::read(name, &options.data.folder)?.subsampled(options.most, options.seed);
        let mut splits = vec![("pair", folds::by_pair(&table, options.seed))];
        if !table.items.columns.is_empty() {
            splits.push(("item", folds::by_item(&table, options.seed)));
        }
        for (split, mut folds) in splits {
            folds.truncate(options.folds);
            gaps.extend(row(name, split, &table, &folds, options, peers)?);
        }
    }
    if !gaps.is_empty() {
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let worst = gaps.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        println!(
            "\n{} rows: default less the best peer {mean:+.4} on average, {worst:+.4} at worst",
            gaps.len()
        );
    }
    Ok(())
}

/// Prints one row; how much the default is worse than the best peer, if there are peers.
fn row(
    name: &str,
    split: &str,
    table: &Table,
    folds: &[Fold],
    options: &Options,
    peers: bool,
) -> Result<Option<f64>> {
    let start = Instant::now();
    let default = rather(table, folds, &FitSettings::default(), options.chosen)?;
    let seconds = start.elapsed().as_secs_f64() / folds.len() as f64;
    let mut others = Vec::new();
    for expression in &options.kernels {
        let (expression, ard) = match expression.strip_suffix(" ard") {
            Some(expression) => (expression, true),
            None => (expression.as_str(), false),
        };
        let spec = KernelSpec { expression: expression.to_owned(), ard };
        let settings = FitSettings { kernel: KernelChoice::Given(spec), ..FitSettings::default() };
        let loss = rather(table, folds, &settings, false).ok();
        others.push((format!("{expression}{}", if ard { " ard" } else { "" }), loss));
    }
    let of_peers = if peers { peers::losses(table, folds, options)? } else { Vec::new() };
    let best = of_peers.iter().filter_map(|(_, loss)| *loss).fold(f64::INFINITY, f64::min);
    let gap = best.is_finite().then_some(default - best);
    let shown = |(name, loss): &Loss| match loss {
        Some(loss) => format!("{name} {loss:.4}"),
        None => format!("{name} –"),
    };
    let all: Vec<String> = others.iter().chain(&of_peers).map(shown).collect();
    println!(
        "| {name} | {split} | {} | {} | {seconds:.2} | {default:.4} | {} | {} |",
        table.items.keys.len(),
        table.comparisons.len(),
        all.join(", "),
        gap.map_or(String::new(), |gap| format!("{gap:+.4}"))
    );
    Ok(gap)
}

/// The mean log loss of a model over the folds, every comparison counted once.
fn rather(table: &Table, folds: &[Fold], settings: &FitSettings, tell: bool) -> Result<f64> {
    let mut scored = Vec::new();
    for fold in folds {
        let said = |&k: &usize| {
            let (winner, loser) = table.comparisons[k];
            Comparison { winner, loser, count: 1.0 }
        };
        let train: Vec<Comparison> = fold.train.iter().map(said).collect();
        let items = Items { keys: table.items.keys.clone(), columns: table.items.columns.clone() };
        let model = Model::fit(&items, &train, settings, &|_| ())?;
        let pairs: Vec<(usize, usize)> = fold.test.iter().map(|&k| table.comparisons[k]).collect();
        let p = model.probabilities(model.points(), &pairs);
        if tell {
            report(&model, Scores::new(&p.iter().map(|&p| (p, 1.0)).collect::<Vec<_>>()).log_loss);
        }
        scored.extend(p.into_iter().map(|p| (p, 1.0)));
    }
    Ok(Scores::new(&scored).log_loss)
}

/// Which kernels were tried, on standard error.
fn report(model: &Model, log_loss: f64) {
    let report = model.report();
    for tried in &report.tried {
        let ard = if tried.kernel.ard { " ard" } else { "" };
        eprintln!("    {:10.3} {:10.3}  {}{ard}", tried.log_evidence, tried.score, tried.kernel.expression);
    }
    let at: Vec<String> =
        model.reported_hyperparameters().iter().map(|(name, value)| format!("{name} {value:.3}")).collect();
    eprintln!(
        "  log loss {log_loss:.4}, {} settings: {}: {}",
        report.evaluations,
        model.kernel_expression(),
        at.join(", ")
    );
}

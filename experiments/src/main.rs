//! The papers' tables and figures, one command each. Data stays where it is: its folder is an argument.

mod answers;
mod arena;
mod bald;
mod calibration;
mod choices;
mod context;
mod dynamics;
mod houlsby;
mod pbo;
mod peers;
mod policy;
mod regression;
mod scale;
mod schoonderbeek;
mod sort;
mod speed;
mod studies;
mod tables;
mod takeno;
mod tuning;
mod wang_mckenna;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A fit makes matrices and drops them soon, which takes the system's allocator a tenth of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(about, version)]
struct Arguments {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Subcommand)]
enum Experiment {
    /// Wang and McKenna (2010), Table 1: test error on four data sets, beside the published figures.
    WangMckenna(wang_mckenna::Options),
    /// Takeno's note: EP and Laplace against the exact posterior, for growing numbers of duels.
    Takeno(takeno::Options),
    /// Houlsby et al. (2012), Table 2: test error of five models on 100 users of five data sets, beside the published one.
    HoulsbyTable2(houlsby::table2::Options),
    /// Houlsby et al. (2012), Table 3: ten questions to each of up to 1,000 users, by BALD, by entropy and at random.
    HoulsbyTable3(houlsby::table3::Options),
    /// Houlsby et al. (2012), supplement, figure 2: evidence and test error over two lengthscales.
    HoulsbyEvidence(houlsby::evidence::Options),
    /// New users on Sushi: error after 0 to 20 answers of their own, from everyone else's answers and alone.
    Newcomers(houlsby::newcomers::Options),
    /// Sushi as in Simpson and Gurevych (2020): 100 users with 5 and 20 pairs, and 5,000 users of 100 items.
    SushiCrowd(houlsby::sushi_crowd::Options),
    /// Abbasnejad, Bonilla and Sanner, figure 1: EP, sparse EP and Laplace on Sushi, over numbers of preferences.
    Abbasnejad(houlsby::abbasnejad::Options),
    /// Schoonderbeek (2014): recursive preference learning and tuning by duels, beside the recursion as printed.
    Schoonderbeek(schoonderbeek::Options),
    /// Tuning with simulated listeners: duels until the recommended setting is good, for each acquisition function.
    Tuning(tuning::Options),
    /// Preferential optimisation of twelve test functions: the recommended setting's regret, policy by policy and beside other programs.
    Pbo(pbo::Options),
    /// Houlsby et al. (2012), supplement, Table 1: labels needed for 95 % of the accuracy of the whole pool.
    Bald(bald::Options),
    /// Leaderboards from votes: coverage of intervals in made-up arenas, judges without a human, files of made-up votes.
    Arena(arena::Options),
    /// Many items and comparisons: features of low rank beside the whole covariance, time and memory.
    Scale(scale::Options),
    /// Every kind of answer: recovery of parameters by simulation, lapses, ties, ratings beside comparisons, football.
    Answers(answers::Options),
    /// Time and memory of what a person waits for.
    Speed(speed::Options),
    /// Time, memory and scores beside peers from Python on the same files: BoTorch's PairwiseGP, choix, evalica.
    Peers(peers::Options),
    /// The default on real tables beside Bradley-Terry, logistic regression, choix and PairwiseGP: log loss by pair and by item.
    Tables(tables::Options),
    /// Stated against true probabilities, and how often 95 % intervals hold the truth, in simulated worlds: one person and many users.
    Calibration(calibration::Options),
    /// Comparisons in context: football with home advantage and margins, length control, planted weights, teams.
    Context(context::Options),
    /// Choices of several by many people: conjoint tasks, best and worst answers, rankings taken jointly.
    Choices(choices::Options),
    /// Skill over time: tennis, what one fit costs, and each date predicted from all before.
    Dynamics(dynamics::Options),
    /// Studies with simulated people: stated probabilities of the best, regret at "good enough", many dimensions.
    Studies(studies::Options),
    /// Sorting a list by a simulated judge: the order after parts of a standard trial, and how long choosing takes.
    Sort(sort::Options),
    /// One fit of `peers`, in a process of its own.
    #[command(hide = true)]
    PeersFit(peers::FitOptions),
}

/// The folder of data sets, for every experiment that needs one.
#[derive(clap::Args)]
struct Data {
    /// Folder of the data sets, one folder each.
    #[arg(long = "data", env = "RATHER_DATA", default_value = "../shared/data")]
    folder: PathBuf,
}

fn main() -> ExitCode {
    match run(&Arguments::parse().experiment) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(experiment: &Experiment) -> anyhow::Result<()> {
    match experiment {
        Experiment::WangMckenna(options) => wang_mckenna::run(options),
        Experiment::Takeno(options) => takeno::run(options),
        Experiment::HoulsbyTable2(options) => houlsby::table2::run(options),
        Experiment::HoulsbyTable3(options) => houlsby::table3::run(options),
        Experiment::HoulsbyEvidence(options) => houlsby::evidence::run(options),
        Experiment::Newcomers(options) => houlsby::newcomers::run(options),
        Experiment::SushiCrowd(options) => houlsby::sushi_crowd::run(options),
        Experiment::Abbasnejad(options) => houlsby::abbasnejad::run(options),
        Experiment::Schoonderbeek(options) => schoonderbeek::run(options),
        Experiment::Tuning(options) => tuning::run(options),
        Experiment::Pbo(options) => pbo::run(options),
        Experiment::Bald(options) => bald::run(options),
        Experiment::Arena(options) => arena::run(options),
        Experiment::Scale(options) => scale::run(options),
        Experiment::Answers(options) => answers::run(options),
        Experiment::Speed(options) => speed::run(options),
        Experiment::Peers(options) => peers::run(options),
        Experiment::Tables(options) => tables::run(options),
        Experiment::Calibration(options) => calibration::run(options),
        Experiment::Context(options) => context::run(options),
        Experiment::Dynamics(options) => dynamics::run(options),
        Experiment::Choices(options) => choices::run(options),
        Experiment::Studies(options) => studies::run(options),
        Experiment::Sort(options) => sort::run(options),
        Experiment::PeersFit(options) => peers::run_fit(options),
    }
}

/// The folder of the published data for tests; `None`, said on standard error, where it is not and `RATHER_REQUIRE` does not hold the word
/// `data`.
#[cfg(test)]
fn published_data() -> Option<PathBuf> {
    let beside = || concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data").into();
    let folder: PathBuf = std::env::var_os("RATHER_DATA").map_or_else(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    let required = std::env::var("RATHER_REQUIRE").is_ok_and(|these| these == "1" || these.contains("data"));
    assert!(
        !required,
        "there is no folder {}, and RATHER_REQUIRE says that the data are here",
        folder.display()
    );
    eprintln!("skipped: there is no folder {} (set RATHER_DATA)", folder.display());
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// The arguments of a command are otherwise checked when it is first parsed.
    #[test]
    fn the_arguments_of_every_command_are_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_table_is_printed_by_name() {
        let line = ["experiments", "schoonderbeek", "--tables", "prediction", "--functions", "1"];
        run(&Arguments::try_parse_from(line).unwrap().experiment).unwrap();
    }

    #[test]
    fn an_unknown_table_is_refused_with_those_there_are() {
        let line = ["experiments", "schoonderbeek", "--tables", "tunning"];
        let error = Arguments::try_parse_from(line).err().unwrap().to_string();
        assert!(error.contains("tuning"), "{error}");
    }
}

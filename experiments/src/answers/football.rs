//! Five seasons of football: draws as ties, and playing at home as a position bias.

use std::path::Path;

use anyhow::{Context, Result};
use rather::answers::Answer;
use rather::evaluate::split;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::ResponseModel;
use rather::model::{FitSettings, Items, Model};

use super::ties::{WAYS, losses, print, share, taken};

const FOLDS: usize = 10;

pub(super) fn run(data: &Path, seed: u64) -> Result<()> {
    let path = data.join("sports_results/football_premier_league_2008_2013.csv");
    let (items, games) = read(&path)?;
    println!(
        "football: {} games of {} teams, {FOLDS} folds, kernel white (teams by name), log loss in nats",
        games.len(),
        items.keys.len()
    );
    println!(
        "draws {:.3}; without a tie likelihood a draw is given its share in the training games\n",
        share(&games)
    );
    let parts = split(games.len(), FOLDS, seed);
    for bias in [false, true] {
        let settings = FitSettings {
            kernel: KernelChoice::Given(KernelSpec { expression: "white".into(), ard: false }),
            response_model: ResponseModel { bias, ..ResponseModel::default() },
            ..FitSettings::default()
        };
        let mut rows: Vec<[Vec<f64>; 2]> = vec![Default::default(); WAYS.len()];
        for (at, part) in parts.iter().enumerate() {
            let others = parts.iter().enumerate().filter(|(n, _)| *n != at).flat_map(|(_, rows)| rows);
            let training: Vec<Answer> = others.map(|&r| games[r]).collect();
            let test: Vec<Answer> = part.iter().map(|&r| games[r]).collect();
            for (way, row) in WAYS.iter().zip(&mut rows) {
                let model = Model::fit_answers(&items, &taken(&training, way), &[], &settings, &|_| ())?;
                let [all, decided] = losses(&model, &test, share(&training));
                row[0].push(all);
                row[1].push(decided);
            }
        }
        println!("{}", if bias { "home advantage learned" } else { "no home advantage" });
        print(&rows);
    }
    let response_model = ResponseModel { bias: true, ..ResponseModel::default() };
    let settings = FitSettings {
        kernel: KernelChoice::Given(KernelSpec { expression: "white".into(), ard: false }),
        response_model,
        ..FitSettings::default()
    };
    let model = Model::fit_answers(&items, &games, &[], &settings, &|_| ())?;
    println!("\nall games, log evidence {:.2}", model.report().log_evidence);
    for (name, value) in model.reported_hyperparameters() {
        println!("{name:<10} {value:.3}");
    }
    Ok(())
}

/// Teams, and games with the home team on the left.
fn read(path: &Path) -> Result<(Items, Vec<Answer>)> {
    let mut reader =
        csv::Reader::from_path(path).with_context(|| format!("the experiment needs {}", path.display()))?;
    let mut keys: Vec<String> = Vec::new();
    let mut games = Vec::new();
    for record in reader.records() {
        let record = record?;
        let mut number = |name: &str| {
            keys.iter().position(|key| key == name).unwrap_or_else(|| {
                keys.push(name.to_owned());
                keys.len() - 1
            })
        };
        let (home, away) = (number(&record[1]), number(&record[2]));
        let game = match &record[3] {
            "1" => Answer::better(home, away, 1),
            "-1" => Answer::better(away, home, 1),
            _ => Answer::tie(home, away),
        };
        games.push(game.shown_left(home));
    }
    Ok((Items { keys, columns: Vec::new() }, games))
}

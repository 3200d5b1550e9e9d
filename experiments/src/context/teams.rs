//! A game of teams with planted skills: how well they are found, and how often 95 % intervals hold them.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use rand::seq::SliceRandom;
use rather::answers::Answer;
use rather::context::Sides;
use rather::likelihood::ResponseModel;
use rather_numerics::random::{normal, stream};

use super::fit;
use super::length_control::correlation;
use crate::speed::cpu_seconds;

const PLAYERS: usize = 1_000;
const SIZE: usize = 5;
const GAMES: usize = 20_000;
/// The standard deviation of the noise of a game, where that of a skill is 1.
const NOISE: f64 = 2.0;

pub(super) fn run(out: Option<&Path>) -> Result<()> {
    let mut rng = stream(7, 0);
    let skills: Vec<f64> = (0..PLAYERS).map(|_| normal(&mut rng)).collect();
    let mut players: Vec<u32> = (0..PLAYERS as u32).collect();
    let mut games: Vec<[Vec<u32>; 2]> = Vec::with_capacity(GAMES);
    for _ in 0..GAMES {
        let (drawn, _) = players.partial_shuffle(&mut rng, 2 * SIZE);
        let strength = |team: &[u32]| team.iter().map(|&player| skills[player as usize]).sum::<f64>();
        let (a, b) = drawn.split_at(SIZE);
        let won = strength(a) - strength(b) + NOISE * normal(&mut rng) > 0.0;
        games.push(if won { [a.to_vec(), b.to_vec()] } else { [b.to_vec(), a.to_vec()] });
    }
    if let Some(folder) = out {
        write(folder, &skills, &games)?;
    }
    let start = cpu_seconds();
    let teams: Vec<Vec<(u32, f64)>> =
        games.iter().flatten().map(|team| team.iter().map(|&player| (player, 1.0)).collect()).collect();
    let sides = Sides { items: (0..teams.len() as u32).collect(), columns: vec![], teams };
    let answers: Vec<Answer> = (0..GAMES).map(|game| Answer::rather(2 * game, 2 * game + 1)).collect();
    let keys = (0..PLAYERS).map(|player| player.to_string()).collect();
    let model = fit(keys, &sides, &answers, "white", ResponseModel::default())?;
    let seconds = cpu_seconds() - start;
    let found = model.utilities(model.points());
    // In units of the noise of a game, relative to the average over all players.
    let average = skills.iter().sum::<f64>() / PLAYERS as f64;
    let inside = (0..PLAYERS)
        .filter(|&p| {
            let error = NOISE * found.mean[p] - (skills[p] - average);
            error.abs() <= 1.96 * NOISE * found.variance[p].sqrt()
        })
        .count();
    println!(
        "teams: {PLAYERS} players, {GAMES} games of {SIZE} against {SIZE}: correlation with the truth {:.4}, \
         95 % intervals hold {:.1} %; {seconds:.1} CPU s",
        correlation(&found.mean, &skills),
        100.0 * inside as f64 / PLAYERS as f64
    );
    Ok(())
}

/// `games.csv`, winners first, and `skills.csv`.
fn write(folder: &Path, skills: &[f64], games: &[[Vec<u32>; 2]]) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut file = std::io::BufWriter::new(std::fs::File::create(folder.join("games.csv"))?);
    writeln!(file, "winner,loser")?;
    let team = |players: &[u32]| players.iter().map(u32::to_string).collect::<Vec<_>>().join(" + ");
    for [winner, loser] in games {
        writeln!(file, "{},{}", team(winner), team(loser))?;
    }
    let mut file = std::io::BufWriter::new(std::fs::File::create(folder.join("skills.csv"))?);
    writeln!(file, "item,skill")?;
    for (player, skill) in skills.iter().enumerate() {
        writeln!(file, "{player},{skill}")?;
    }
    file.flush()?;
    Ok(())
}

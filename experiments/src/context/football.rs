//! International football: win, draw and loss of 2018 from the matches of 2000 to 2017, without fitting again.

use std::cmp::Ordering;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use rather::answers::Answer;
use rather::context::Sides;
use rather::likelihood::ResponseModel;
use rather_numerics::calendar::days;

use super::{Names, column, fit, print_weights};
use crate::speed::cpu_seconds;

const TIME: &str = "white[item] + white[item]*wiener[date]";

/// A match: its day, both teams, their goals, and whether nobody was at home.
struct Match {
    day: f64,
    teams: [u32; 2],
    goals: [f64; 2],
    neutral: bool,
}

pub(super) fn run(data: &Path) -> Result<()> {
    let (names, matches) = read(data)?;
    let (first, last) = (days([2000, 1, 1]), days([2018, 1, 1]));
    let (past, rest): (Vec<&Match>, Vec<&Match>) =
        matches.iter().filter(|m| m.day >= first).partition(|m| m.day < last);
    let test: Vec<&Match> = rest.into_iter().filter(|m| m.day < days([2019, 1, 1])).collect();
    println!("football: {} matches of 2000 to 2017, {} of 2018 predicted", past.len(), test.len());
    let home = format!("{TIME} + linear[home]");
    let ways = [
        (TIME, Told::Outcome),
        (&home, Told::Outcome),
        (TIME, Told::Grade),
        (&home, Told::Grade),
        (&home, Told::Difference),
    ];
    for (kernel, told) in ways {
        let start = cpu_seconds();
        let answers: Vec<Answer> = past.iter().enumerate().map(|(m, game)| told.answer(m, game)).collect();
        let model = fit(names.all.clone(), &sides(&past), &answers, kernel, ResponseModel::default())?;
        let points = model.encode_sides(&sides(&test))?;
        let pairs: Vec<(usize, usize)> = (0..test.len()).map(|m| (2 * m, 2 * m + 1)).collect();
        let mut loss = 0.0;
        for (game, outcomes) in test.iter().zip(model.outcomes(&points, &pairs)) {
            let told = if game.goals[0] > game.goals[1] {
                "left"
            } else if game.goals[0] < game.goals[1] {
                "right"
            } else {
                "tie"
            };
            // By few goals or by many.
            let of = outcomes.iter().filter(|(name, _)| name.ends_with(told));
            let p: f64 = of.map(|(_, p)| p).sum();
            loss -= p.ln();
        }
        println!(
            "{told:?}, {kernel}: log loss {:.4}, log evidence {:.1}, {:.1} CPU s",
            loss / test.len() as f64,
            model.report().log_evidence,
            cpu_seconds() - start
        );
        print_weights(&model);
    }
    Ok(())
}

/// What is learned of a match.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Told {
    /// Win, draw or loss.
    Outcome,
    /// Won by one, two, three or more goals, or a draw: thresholds are learned.
    Grade,
    /// The difference of goals, with normal noise. (Student's is not log-concave, which messages along chains need.)
    Difference,
}

impl Told {
    /// What match `m` says; its sides are in the order of the table.
    fn answer(self, m: usize, game: &Match) -> Answer {
        let difference = game.goals[0] - game.goals[1];
        if self == Self::Difference {
            return Answer::difference(2 * m, 2 * m + 1, difference);
        }
        let most = if self == Self::Grade { 3.0 } else { 1.0 };
        let grade = difference.abs().min(most) as u8;
        match difference.total_cmp(&0.0) {
            Ordering::Greater => Answer::better(2 * m, 2 * m + 1, grade),
            Ordering::Less => Answer::better(2 * m + 1, 2 * m, grade),
            Ordering::Equal => Answer::tie(2 * m, 2 * m + 1),
        }
    }
}

fn sides(matches: &[&Match]) -> Sides {
    let home = |m: &&Match| [f64::from(!m.neutral), 0.0];
    Sides {
        items: matches.iter().flat_map(|m| m.teams).collect(),
        columns: vec![
            column("date", matches.iter().flat_map(|m| [m.day; 2]).collect(), true, true),
            column("home", matches.iter().flat_map(home).collect(), false, false),
        ],
        teams: vec![],
    }
}

fn read(data: &Path) -> Result<(Names, Vec<Match>)> {
    let path = data.join("international_football/matches.csv.gz");
    let file = std::fs::File::open(&path).with_context(|| path.display().to_string())?;
    let (mut names, mut matches) = (Names::default(), Vec::new());
    for row in csv::Reader::from_reader(GzDecoder::new(file)).records() {
        let row = row?;
        // What has not been played yet has no goals.
        let (Ok(home), Ok(away)) = (row[3].parse(), row[4].parse()) else { continue };
        let part = |range| row[0].get(range).and_then(|text: &str| text.parse().ok());
        let date = [part(0..4), part(5..7), part(8..10)].map(|n: Option<i64>| n.unwrap_or(0));
        matches.push(Match {
            day: days(date),
            teams: [names.number(&row[1]), names.number(&row[2])],
            goals: [home, away],
            neutral: &row[8] == "TRUE",
        });
    }
    Ok((names, matches))
}

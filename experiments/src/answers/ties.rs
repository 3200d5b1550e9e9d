//! Ties learned as ties, left out, or split into half a comparison either way: log loss of what is said next.

use anyhow::Result;
use rather::answers::Answer;
use rather::likelihood::{Reply, ResponseModel};
use rather::model::{FitSettings, Model};

use super::world::{Person, World, settings, summary};

const ITEMS: usize = 40;
const ANSWERS: usize = 200;
const HELD_OUT: usize = 1000;
/// Gives about 30 % ties in these worlds.
const TIE: f64 = 1.0;

/// What becomes of ties.
pub(super) const WAYS: [&str; 3] = ["tie likelihood", "ties left out", "ties split"];

/// The answers as one of [`WAYS`] takes them.
pub(super) fn taken(said: &[Answer], way: &str) -> Vec<Answer> {
    let is_tie = |o: &Answer| o.reply.datum == 0.0 && o.reply.kind == Reply::TIE.kind;
    let plain = |o: &Answer| {
        let rather = Answer::rather(o.plus, o.minus.unwrap_or(o.plus));
        if o.reply.side > 0 {
            rather.shown_left(o.plus)
        } else {
            rather.shown_left(o.minus.unwrap_or(o.plus))
        }
    };
    match way {
        "tie likelihood" => said.to_vec(),
        "ties left out" => said.iter().filter(|o| !is_tie(o)).map(plain).collect(),
        // Half a comparison either way is a whole one either way, while a decided one counts twice.
        _ => said
            .iter()
            .flat_map(|o| {
                let (a, b) = (o.plus, o.minus.unwrap_or(o.plus));
                let turned =
                    Answer { plus: b, minus: Some(a), reply: Reply { side: -o.reply.side, ..o.reply }, ..*o };
                if is_tie(o) { vec![plain(o), plain(&turned)] } else { vec![plain(o).times(2)] }
            })
            .collect(),
    }
}

/// The log loss of all answers (a model without ties gives them their share), and of the decided ones given that they are.
pub(super) fn losses(model: &Model, test: &[Answer], share: f64) -> [f64; 2] {
    let pairs: Vec<(usize, usize)> = test.iter().map(|o| (o.plus, o.minus.unwrap_or(o.plus))).collect();
    let shown: Vec<(usize, usize)> =
        test.iter().zip(&pairs).map(|(o, &(a, b))| if o.reply.side > 0 { (a, b) } else { (b, a) }).collect();
    let outcomes = model.outcomes(model.points(), &shown);
    let choices = model.probabilities(model.points(), &pairs);
    let (mut all, mut decided, mut count) = (0.0, 0.0, 0.0);
    for (n, o) in test.iter().enumerate() {
        // Predicted as shown: the winner is on its own side.
        let side = if o.reply.side > 0 { 0 } else { 1 };
        let (won, tie) = match outcomes[n].as_slice() {
            [left, tie, right] => ([left.1, right.1][side], tie.1),
            [left, right] => ((1.0 - share) * [left.1, right.1][side], share),
            _ => ((1.0 - share) * choices[n], share),
        };
        let tied = o.reply.datum == 0.0;
        all -= if tied { tie } else { won }.ln();
        if !tied {
            decided -= (won / (1.0 - tie)).ln();
            count += 1.0;
        }
    }
    [all / test.len() as f64, decided / count]
}

/// The share of ties.
pub(super) fn share(said: &[Answer]) -> f64 {
    said.iter().filter(|o| o.reply.datum == 0.0).count() as f64 / said.len() as f64
}

pub(super) fn run(repeats: usize, seed: u64) -> Result<()> {
    println!("ties: {ITEMS} items, {ANSWERS} answers; log loss on {HELD_OUT} more, in nats");
    println!("Without a tie likelihood a tie is given its share in the training answers.\n");
    let mut rows: Vec<[Vec<f64>; 2]> = vec![Default::default(); WAYS.len()];
    let mut shares = Vec::new();
    let settings = FitSettings { ..settings(ResponseModel::default()) };
    for number in 0..repeats {
        let mut world = World::new(ITEMS, seed, number);
        let person = Person { tie: TIE, ..Person::default() };
        let said: Vec<Answer> = (0..ANSWERS).map(|_| world.say(&person)).collect();
        let test: Vec<Answer> = (0..HELD_OUT).map(|_| world.say(&person)).collect();
        shares.push(share(&said));
        for (way, row) in WAYS.iter().zip(&mut rows) {
            let model = Model::fit_answers(&world.items(), &taken(&said, way), &[], &settings, &|_| ())?;
            let [all, decided] = losses(&model, &test, share(&said));
            row[0].push(all);
            row[1].push(decided);
        }
    }
    let (mean, _) = summary(&shares);
    println!("share of ties {mean:.3}");
    print(&rows);
    Ok(())
}

/// One row a way: both losses, and how far behind the first way.
pub(super) fn print(rows: &[[Vec<f64>; 2]]) {
    println!("{:<16} {:>18} {:>20} {:>18} {:>20}", "", "all answers", "behind", "decided ones", "behind");
    for (way, row) in WAYS.iter().zip(rows) {
        print!("{way:<16}");
        for (k, width) in [(0, 18), (1, 18)] {
            let behind: Vec<f64> = row[k].iter().zip(&rows[0][k]).map(|(a, b)| a - b).collect();
            let [x, y] = [&row[k], &behind].map(|x| summary(x));
            print!(
                " {:>width$} {:>20}",
                format!("{:.4} ± {:.4}", x.0, x.1),
                format!("{:+.4} ± {:.4}", y.0, y.1)
            );
        }
        println!();
    }
}

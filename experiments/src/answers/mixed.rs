//! Ratings and comparisons in one model, against either alone.

use anyhow::Result;
use rather::answers::Answer;
use rather::likelihood::ResponseModel;
use rather::model::Model;

use super::world::{Person, World, settings, summary};

const ITEMS: usize = 40;
const RATINGS: usize = 20;
const COMPARISONS: usize = 40;
const HELD_OUT: usize = 1000;
const THRESHOLDS: [f64; 4] = [-2.4, -0.6, 0.7, 2.2];

pub(super) fn run(repeats: usize, seed: u64) -> Result<()> {
    println!(
        "mixed: {RATINGS} ratings on five levels and {COMPARISONS} comparisons of {ITEMS} items; {HELD_OUT} noisy comparisons held out\n"
    );
    let names = ["ratings alone", "comparisons alone", "both"];
    let mut rows: Vec<[Vec<f64>; 2]> = vec![Default::default(); 3];
    for number in 0..repeats {
        let mut world = World::new(ITEMS, seed, number);
        let rate = |world: &mut World| {
            let item = world.pair().0;
            let value = world.noisy(item, 1.0);
            Answer::rated(item, THRESHOLDS.iter().filter(|t| value > **t).count() as u16)
        };
        let ratings: Vec<Answer> = (0..RATINGS).map(|_| rate(&mut world)).collect();
        let comparisons: Vec<Answer> = (0..COMPARISONS).map(|_| world.say(&Person::default())).collect();
        let test: Vec<Answer> = (0..HELD_OUT).map(|_| world.say(&Person::default())).collect();
        let pairs: Vec<(usize, usize)> = test.iter().map(|o| (o.plus, o.minus.unwrap_or(o.plus))).collect();
        let both = [ratings.clone(), comparisons.clone()].concat();
        for (said, row) in [ratings, comparisons, both].iter().zip(&mut rows) {
            let model =
                Model::fit_answers(&world.items(), said, &[], &settings(ResponseModel::default()), &|_| ())?;
            let p = model.probabilities(model.points(), &pairs);
            row[0].push(100.0 * p.iter().filter(|p| **p > 0.5).count() as f64 / HELD_OUT as f64);
            row[1].push(-p.iter().map(|p| p.ln()).sum::<f64>() / HELD_OUT as f64);
        }
    }
    println!("{:<18} {:>16} {:>18}", "", "accuracy, %", "log loss");
    for (name, row) in names.iter().zip(&rows) {
        let [a, l] = [&row[0], &row[1]].map(|x| summary(x));
        println!(
            "{name:<18} {:>16} {:>18}",
            format!("{:.2} ± {:.2}", a.0, a.1),
            format!("{:.4} ± {:.4}", l.0, l.1)
        );
    }
    Ok(())
}

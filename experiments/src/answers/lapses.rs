//! People who answer at random now and then: held-out accuracy with and without a lapse rate in the model.

use anyhow::Result;
use rather::answers::Answer;
use rather::likelihood::{Lapses, ResponseModel};
use rather::model::Model;

use super::world::{Person, World, settings, summary};

const ITEMS: usize = 40;
const HELD_OUT: usize = 1000;
/// How far utilities are apart: 2.5 and 25 standard deviations of the noise of an item.
const SPREADS: [f64; 2] = [1.0, 10.0];

pub(super) fn run(repeats: usize, seed: u64) -> Result<()> {
    println!(
        "lapses: {ITEMS} items; accuracy, in percent, on {HELD_OUT} comparisons without lapses and without noise\n"
    );
    println!(
        "{:>8} {:>8} {:>8} {:>14} {:>14} {:>18} {:>14}",
        "spread", "answers", "random", "plain", "lapse", "lapse less plain", "rate learned"
    );
    let sizes = SPREADS.into_iter().flat_map(|times| [200, 500].map(|answers| (times, answers)));
    for (times, answers, rate) in sizes.flat_map(|(times, answers)| [0.0, 0.2].map(|r| (times, answers, r))) {
        let (mut plain, mut lapse, mut gain, mut learned) = (vec![], vec![], vec![], vec![]);
        for number in 0..repeats {
            let mut world = World::spread(ITEMS, times, seed, number);
            let person = Person { lapse: rate, ..Person::default() };
            let said: Vec<Answer> = (0..answers).map(|_| world.say(&person)).collect();
            let pairs: Vec<(usize, usize)> = (0..HELD_OUT).map(|_| world.pair()).collect();
            let fit = |lapses| {
                let settings = settings(ResponseModel { lapses, ..ResponseModel::default() });
                Model::fit_answers(&world.items(), &said, &[], &settings, &|_| ())
            };
            let accuracy = |model: &Model| {
                let right =
                    |(&(a, b), p): (&(usize, usize), f64)| (p > 0.5) == (world.utility[a] > world.utility[b]);
                let p = model.probabilities(model.points(), &pairs);
                100.0 * pairs.iter().zip(p).filter(|&x| right(x)).count() as f64 / HELD_OUT as f64
            };
            let (a, b) = (fit(Lapses::Never)?, fit(Lapses::Learned)?);
            let (x, y) = (accuracy(&a), accuracy(&b));
            plain.push(x);
            lapse.push(y);
            gain.push(y - x);
            let entries = &b.hyperparameters().entries;
            learned.extend(entries.iter().find(|e| e.name == "lapse").map(|e| e.value));
        }
        let two = |x: &[f64]| {
            let (mean, error) = summary(x);
            format!("{mean:.2} ± {error:.2}")
        };
        println!(
            "{:>8} {answers:>8} {:>6} % {:>14} {:>14} {:>18} {:>14}",
            2.5 * times,
            100.0 * rate,
            two(&plain),
            two(&lapse),
            two(&gain),
            two(&learned)
        );
    }
    Ok(())
}

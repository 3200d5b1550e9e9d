//! Psychometric thresholds of made-up observers.

use rather::Person;
use rather::answers::Answer;
use rather::features::{Column, ColumnValues};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::model::{FitSettings, Items, Model};
use rather_numerics::random::{stream, uniform};
use rather_numerics::special::normal::{cdf, quantile};

const LEVELS: usize = 25;

fn items() -> Items {
    let x = (0..LEVELS).map(|i| 10.0 * i as f64 / (LEVELS - 1) as f64).collect();
    let column = Column { name: "x".into(), values: ColumnValues::Numeric(x) };
    Items { keys: (0..LEVELS).map(|i| i.to_string()).collect(), columns: vec![column] }
}

/// Whether the 95 % intervals of the thresholds of 50 and 75 % hold those of an observer who answers yes with the probability `Phi((x - at) / width)`
/// to `trials` stimuli at random.
fn held(seed: u64, trials: usize) -> [bool; 2] {
    let mut rng = stream(seed, 5);
    let mut between = |low: f64, high: f64| low + (high - low) * uniform(&mut rng);
    let (at, width) = (between(3.0, 7.0), between(0.7, 2.0));
    let answers: Vec<Answer> = (0..trials)
        .map(|_| {
            let level = (between(0.0, LEVELS as f64) as usize).min(LEVELS - 1);
            let x = 10.0 * level as f64 / (LEVELS - 1) as f64;
            Answer::labelled(level, between(0.0, 1.0) < cdf((x - at) / width))
        })
        .collect();
    let kernel = KernelChoice::Given(KernelSpec { expression: "se".into(), ard: false });
    let settings = FitSettings { kernel, ..FitSettings::default() };
    let model = Model::fit_answers(&items(), &answers, &[], &settings, &|_| ()).unwrap();
    let x: Vec<f64> = (0..=100).map(|k| 0.1 * f64::from(k)).collect();
    let column = Column { name: "x".into(), values: ColumnValues::Numeric(x.clone()) };
    let keys = (0..=100).map(|k| format!("x{k}")).collect();
    let points = model.encode(&Items { keys, columns: vec![column] }).unwrap();
    let found = Person::Single(&model).thresholds(&points, &x, &[0.5, 0.75], 1).unwrap();
    [(0, 0.5), (1, 0.75)].map(|(k, p)| {
        let truth = at + width * quantile(p);
        let (lower, upper) = (found[k].lower.unwrap_or(0.0), found[k].upper.unwrap_or(10.0));
        (lower..=upper).contains(&truth)
    })
}

/// Of 300 observers the 95 % intervals of either threshold hold .93 to .97. The share of 300 has a standard error of .013: where an interval holds 95 %, one in
/// eight such tests would miss that, so the seeds are fixed and these numbers are theirs.
#[test]
fn intervals_hold_the_thresholds_of_made_up_observers() {
    let observers = 300;
    let mut counts = [0; 2];
    for seed in 0..observers {
        let held = held(seed, 80);
        (0..2).for_each(|k| counts[k] += usize::from(held[k]));
    }
    let shares = counts.map(|count| count as f64 / observers as f64);
    println!("{shares:?}");
    assert!(shares.iter().all(|share| (0.93..=0.97).contains(share)), "{shares:?}");
}

//! One pass over answers about items that are known by name only.

use crate::common::Chance;
use rather::Comparison;
use rather::inference::Method;
use rather::model::{FitSettings, Items, Model};

fn answers(chance: &mut Chance, utility: &[f64], count: usize) -> Vec<Comparison> {
    let mut out = Vec::new();
    while out.len() < count {
        let (a, b) = (chance.below(utility.len()), chance.below(utility.len()));
        if a != b {
            let left = utility[a] - utility[b] + std::f64::consts::SQRT_2 * chance.normal() > 0.0;
            let (winner, loser) = if left { (a, b) } else { (b, a) };
            out.push(Comparison { winner, loser, count: 1.0 });
        }
    }
    out
}

/// Accuracy and log loss.
fn scores(model: &Model, test: &[Comparison]) -> (f64, f64) {
    let pairs: Vec<(usize, usize)> = test.iter().map(|c| (c.winner, c.loser)).collect();
    let p = model.probabilities(model.points(), &pairs);
    let n = p.len() as f64;
    (p.iter().filter(|p| **p > 0.5).count() as f64 / n, -p.iter().map(|p| p.ln()).sum::<f64>() / n)
}

/// Where a basis of 64 points was 17 points of accuracy worse.
#[test]
fn three_hundred_names_are_as_good_as_in_a_batch() {
    let mut chance = Chance(7);
    let utility: Vec<f64> = (0..300).map(|_| 1.5 * chance.normal()).collect();
    let (train, test) = (answers(&mut chance, &utility, 3000), answers(&mut chance, &utility, 4000));
    let items = Items { keys: (0..300).map(|i| format!("p{i}")).collect(), columns: vec![] };
    let fit = |method: Method| {
        let settings = FitSettings { inference: method.into(), ..FitSettings::default() };
        Model::fit(&items, &train, &settings, &|_| ()).unwrap()
    };
    let (batch, streamed) = (fit(Method::Ep), fit(Method::Streaming));
    let ((accuracy, loss), (by_stream, lost)) = (scores(&batch, &test), scores(&streamed, &test));
    println!("batch {accuracy:.4} {loss:.5}, streaming {by_stream:.4} {lost:.5}");
    assert!(lost <= loss + 0.003, "{lost} of {loss}");
    assert!(by_stream >= accuracy - 0.005, "{by_stream} of {accuracy}");
    assert!(streamed.report().notices.is_empty(), "{:?}", streamed.report().notices);
}

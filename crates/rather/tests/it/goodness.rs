//! Posterior predictive checks: answers that the model explains, and two ways in which it does not.

use crate::common::close;
use rather::Comparison;
use rather::model::{Ep, FitSettings, Inference, Items, Model, PairEffect};

fn model(items: usize, said: &[Comparison]) -> Model {
    let items = Items { keys: (0..items).map(|i| format!("i{i}")).collect(), columns: vec![] };
    let inference = Inference::Ep(Ep { pair_effect: PairEffect::Off, ..Ep::default() });
    Model::fit(&items, said, &FitSettings { inference, ..FitSettings::default() }, &|_| ()).unwrap()
}

fn duel(winner: usize, loser: usize, count: f64) -> Comparison {
    Comparison { winner, loser, count }
}

/// Each pair is answered 9 to 3 for the better one: consistent, and no more alike than noise makes it.
#[test]
fn answers_with_a_scale_fit() {
    let said: Vec<Comparison> = (0..5)
        .flat_map(|j| (0..j).map(move |i| (i, j)))
        .flat_map(|(i, j)| [duel(i, j, 8.0 + (j - i) as f64), duel(j, i, 3.0)])
        .collect();
    let found = model(5, &said).goodness(0).unwrap().unwrap();
    assert_eq!((found.repeated_pairs, found.triads, found.circular), (10, 10, 0));
    assert!(found.dispersion_p > 0.05 && found.dispersion < 2.0, "{found:?}");
    close(found.circular_p, 1.0, 1e-12, "at least none is certain");
}

/// Circles of five items that no scale explains: A over B over C over D over E over A, and over the one after the next.
#[test]
fn circles_do_not_fit() {
    let said: Vec<Comparison> =
        (0..5).flat_map(|i| [duel(i, (i + 1) % 5, 12.0), duel(i, (i + 2) % 5, 12.0)]).collect();
    let found = model(5, &said).goodness(0).unwrap().unwrap();
    // A regular tournament of five has the most circular triads: (n³ - n) / 24 (Kendall and Babington Smith 1940).
    assert_eq!((found.triads, found.circular), (10, 5));
    assert!(found.dispersion > 2.0 && found.dispersion_p < 0.01, "{found:?}");
    assert!(found.expected_circular < 5.0 && found.circular_p < 0.3, "{found:?}");
}

#[test]
fn where_nothing_is_repeated_nothing_is_dispersed() {
    let found = model(3, &[duel(0, 1, 1.0), duel(1, 2, 1.0), duel(2, 0, 1.0)]).goodness(0).unwrap().unwrap();
    assert_eq!((found.repeated_pairs, found.triads, found.circular), (0, 1, 1));
    assert!((found.dispersion, found.dispersion_p) == (0.0, 1.0) && found.circular_p > 0.1, "{found:?}");
}

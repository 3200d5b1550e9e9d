//! `rather evaluate`.

use crate::lab::{Lab, keys};

#[test]
fn folds_are_scored() {
    let lab = Lab::new();
    let text = lab.text("evaluate items.csv duels.csv --folds 3 --kernel se --json");
    assert_eq!(keys(&text), ["accuracy", "log_loss", "brier", "comparisons", "folds", "seconds"]);
    let scores = lab.json("evaluate items.csv duels.csv --folds 3 --kernel se");
    assert_eq!((&scores["comparisons"], &scores["folds"]), (&9.into(), &3.into()));
    let seeded =
        |seed: u32| lab.json(&format!("evaluate items.csv duels.csv --folds 3 --kernel se --seed {seed}"));
    assert_eq!(seeded(0)["log_loss"], scores["log_loss"]);
    assert_ne!(seeded(1)["log_loss"], scores["log_loss"]);
    let people = lab.text("evaluate items.csv duels.csv --folds 3 --kernel se --quiet");
    for part in ["guessing", "50.00 %", "0.6931", "0.2500", "9 comparisons tested, 3 folds"] {
        assert!(people.contains(part), "{people}");
    }
}

#[test]
fn a_test_table_is_scored_by_one_model() {
    let lab = Lab::new();
    lab.write("test.csv", "winner,loser,count\nt5,t1,3\nt6,t2,2\n");
    let scores = lab.json("evaluate items.csv duels.csv --test test.csv --kernel se");
    assert_eq!((&scores["comparisons"], &scores["folds"]), (&5.into(), &1.into()));
    assert_eq!(scores["accuracy"], 1.0);
    assert!(scores["log_loss"].as_f64().unwrap() < 0.6);
}

#[test]
fn items_that_no_training_comparison_names_are_a_guess() {
    let lab = Lab::new();
    lab.write("items.csv", "item\na\nb\nc\nd\n");
    lab.write("duels.csv", "winner,loser\na,b\n");
    lab.write("test.csv", "winner,loser\nc,d\n");
    let scores = lab.json("evaluate items.csv duels.csv --test test.csv");
    assert_eq!(scores["accuracy"], 0.5);
    assert!((scores["brier"].as_f64().unwrap() - 0.25).abs() < 1e-12);
}

#[test]
fn folds_need_comparisons() {
    let lab = Lab::new();
    assert_eq!(
        lab.error("evaluate items.csv duels.csv --folds 10 --quiet"),
        "10 folds need at least 10 comparisons, and there are only 9 comparisons; ask for fewer --folds"
    );
    lab.write("duels.csv", "winner,loser\nt1,t2\n");
    assert_eq!(
        lab.error("evaluate items.csv duels.csv --quiet"),
        "5 folds need at least 5 comparisons, and there is 1 comparison; give --test PAIRS"
    );
    assert_eq!(lab.run("evaluate items.csv duels.csv --folds 2 --test duels.csv").status, 2);
}

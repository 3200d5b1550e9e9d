//! `--inference streaming`.

use crate::lab::Lab;
use std::fmt::Write as _;
use std::fs;

/// Twelve teas by price and 120 answers of one who likes 6 best and is sometimes wrong.
fn tasted() -> Lab {
    let lab = Lab::new();
    let mut items = "tea,price\n".to_owned();
    (0..12).for_each(|i| writeln!(items, "t{i},{i}").unwrap());
    lab.write("items.csv", items);
    let mut duels = "winner,loser\n".to_owned();
    for n in 0..120 {
        let (a, b) = ((7 * n + n / 12) % 12, (5 * n + 3 + n / 7) % 12);
        if a == b {
            continue;
        }
        let better = (6_i32 - a).abs() < (6_i32 - b).abs();
        let (winner, loser) = if better != (n % 11 == 0) { (a, b) } else { (b, a) };
        writeln!(duels, "t{winner},t{loser}").unwrap();
    }
    lab.write("duels.csv", duels);
    lab
}

#[test]
fn a_streaming_fit_is_near_the_batch() {
    let lab = tasted();
    let fixed = "--kernel se --fix lengthscale=1 --fix variance=10 --fix noise=1";
    let fit = lab.json(&format!("fit items.csv duels.csv {fixed} --inference streaming -o m.rather"));
    assert_eq!((&fit["inference"], &fit["converged"]), (&"streaming".into(), &true.into()));
    assert_eq!(fit["streaming"]["answers"], fit["comparisons"]);
    assert_eq!(fit["streaming"]["kept"], fit["comparisons"]);
    let basis = fit["streaming"]["basis"].as_u64().unwrap();
    assert!((4..=12).contains(&basis), "{basis}");
    let ep = lab.json(&format!("fit items.csv duels.csv {fixed} --pair-effect off"));
    assert_eq!(
        (&ep["streaming"], &ep["hyperparameters"]),
        (&serde_json::Value::Null, &fit["hyperparameters"])
    );
    // All answers are kept and revisited: what differs is the basis, which leaves at most a fiftieth of the variance.
    let number = |json: &serde_json::Value| json["log_evidence"].as_f64().unwrap();
    assert!((number(&fit) - number(&ep)).abs() < 0.1, "{} {}", fit["log_evidence"], ep["log_evidence"]);
    for (a, b) in fit["ranking"].as_array().unwrap().iter().zip(ep["ranking"].as_array().unwrap()) {
        let mean = |line: &serde_json::Value| line["mean"].as_f64().unwrap();
        assert!((mean(a) - mean(b)).abs() < 0.1, "{a} {b}");
    }
    assert_eq!(fit["ranking"][0]["item"], ep["ranking"][0]["item"]);
}

#[test]
fn a_saved_streaming_model_ranks_predicts_and_draws() {
    let lab = tasted();
    let fit = lab.json("fit items.csv duels.csv --inference streaming --keep 40 -o m.rather");
    assert_eq!(fit["streaming"]["kept"], 40);
    assert_eq!(lab.ranking("m.rather"), fit["ranking"]);
    lab.write("pairs.csv", "left,right\nt6,t0\nt11,t5\n");
    let predicted = lab.json("predict m.rather pairs.csv");
    assert_eq!(predicted, lab.json("predict m.rather pairs.csv --sharp"));
    let p = |i: usize| predicted[i]["probability"].as_f64().unwrap();
    assert!(p(0) > 0.9 && p(1) < 0.5, "{predicted}");
    for figure in ["utility --feature price", "choices", "ranking", "evidence --grid 5"] {
        lab.text(&format!("plot m.rather {figure} -o f.svg"));
        assert!(fs::read_to_string(lab.path("f.svg")).unwrap().contains("</svg>"), "{figure}");
    }
    let check = lab.json("check m.rather --samples 400");
    assert_eq!((&check["inference"], &check["sharp"]), (&"streaming".into(), &serde_json::Value::Null));
    // Kernels were tried in their order, the better one stayed.
    assert_eq!(fit["tried"].as_array().unwrap().len(), 4);
    let again = lab.json("fit items.csv duels.csv --inference streaming --keep 40 --threads 1");
    assert_eq!(again["ranking"], fit["ranking"]);
}

#[test]
fn people_read_what_was_learned_and_kept() {
    let lab = tasted();
    let text = lab.text("fit items.csv duels.csv --kernel se --inference streaming --keep 40 --quiet");
    let whole = text.replace('\n', " ");
    assert!(
        whole.contains("one pass over 109 answers on ") && whole.contains("40 kept and refined"),
        "{text}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

/// A taste that changes on the way: only who forgets ranks by the new one, whichever the way of inference.
#[test]
fn a_half_life_and_a_drift_follow_a_taste_that_moves() {
    let lab = tasted();
    let mut duels = "winner,loser\n".to_owned();
    for n in 0..200 {
        let (a, b) = ((7 * n) % 12, (7 * n + 1 + n % 5) % 12);
        let (low, high) = (a.min(b), a.max(b));
        let (winner, loser) = if n < 130 { (low, high) } else { (high, low) };
        writeln!(duels, "t{winner},t{loser}").unwrap();
    }
    lab.write("duels.csv", duels);
    let best = |flags: &str| {
        let line = format!("fit items.csv duels.csv --kernel se {flags}");
        lab.json(&line)["ranking"][0]["item"].as_str().unwrap().to_owned()
    };
    for inference in ["streaming", "ep", "laplace"] {
        assert_eq!(best(&format!("--inference {inference} --half-life 15")), "t11", "{inference}");
        assert_ne!(best(&format!("--inference {inference}")), "t11", "{inference}");
    }
    assert_eq!(best("--inference streaming --drift 15"), "t11");
    let text = lab.text("fit items.csv duels.csv --kernel se --half-life 15 --quiet").replace('\n', " ");
    // 1 / (1 - 2^(-1/15)), less what 200 answers leave of it.
    assert!(
        text.contains("An answer counts half after 15 others; all of them together count as 22.1 new ones."),
        "{text}"
    );
    assert!(text.contains("200 comparisons"), "{text}");
}

#[test]
fn flags_that_do_not_fit_are_refused() {
    let lab = tasted();
    let say = |flags: &str| lab.error(&format!("fit items.csv duels.csv {flags}"));
    assert!(say("--keep 5").contains("--keep needs --inference streaming"));
    assert!(say("--drift 5").contains("--drift needs --inference streaming"));
    assert!(say("--inference streaming --drift 5 --half-life 5").contains("--half-life"));
    assert!(say("--half-life 0").contains("from 1 to 1e9"));
    assert!(say("--inference streaming --samples 10").contains("--samples needs --inference exact"));
    assert!(say("--inference streaming --space pairs").contains("--space pairs"));
    assert!(say("--inference streaming --kernel se --fix variance=2").contains("does not learn the noise"));
    assert!(say("--inference streaming --lapse 1").contains("from 0 to 0.9"));
    assert!(say("--inference streaming --half-life 0").contains("from 1 to 1e9"));
}

/// Items known by name only are each a basis point; too few of those are a warning.
#[test]
fn items_without_features_are_learned_by_name() {
    let lab = tasted();
    lab.write("names.csv", "tea\n".to_owned() + &(0..12).map(|i| format!("t{i}\n")).collect::<String>());
    let fit = lab.json("fit names.csv duels.csv --inference streaming");
    assert_eq!(fit["streaming"]["basis"], 12);
    assert_eq!(fit["ranking"][0]["item"], "t6");
    let few = lab.run("fit names.csv duels.csv --inference streaming --basis 5");
    assert!(
        few.stderr.contains("5 basis points leave much of the prior variance unexplained"),
        "{}",
        few.stderr
    );
}

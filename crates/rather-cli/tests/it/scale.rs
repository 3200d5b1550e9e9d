//! How the prior is held, and in how much memory.

use crate::lab::Lab;
use std::fmt::Write as _;

/// Items by two features, and comparisons of a smooth taste that is sometimes wrong.
pub(crate) fn many(items: usize, comparisons: usize) -> Lab {
    let lab = Lab::new();
    let place = |i: usize| [(i as f64 * 0.618_034).fract(), (i as f64 * 0.754_878).fract()];
    let mut table = "item,x,y\n".to_owned();
    for i in 0..items {
        let [x, y] = place(i);
        writeln!(table, "i{i},{x},{y}").unwrap();
    }
    lab.write("items.csv", table);
    let utility = |i: usize| {
        let [x, y] = place(i);
        (5.0 * x).sin() + 2.0 * y * x
    };
    let mut table = "winner,loser\n".to_owned();
    // A linear congruential generator (Knuth's), whose upper bits are random enough.
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..comparisons {
        let a = random(items);
        let b = (a + 1 + random(items - 1)) % items;
        let better = utility(a) > utility(b);
        let (winner, loser) = if better != (random(9) == 0) { (a, b) } else { (b, a) };
        writeln!(table, "i{winner},i{loser}").unwrap();
    }
    lab.write("duels.csv", table);
    lab
}

#[test]
fn few_features_say_what_the_whole_says() {
    let lab = many(60, 400);
    let whole = lab.json("fit items.csv duels.csv --kernel se");
    assert_eq!(whole["representation"]["representation"], "whole");
    assert_eq!(whole["representation"]["because"]["reason"], "small");
    let fixed: String = ["lengthscale", "variance", "noise"]
        .iter()
        .map(|name| format!(" --fix {name}={}", whole["hyperparameters"][*name]))
        .collect();
    let line = format!("fit items.csv duels.csv --kernel se{fixed}");
    let whole = lab.json(&line);
    let number = |json: &serde_json::Value| json["log_evidence"].as_f64().unwrap();
    for inducing in ["covering", "k-means", "random", "informative"] {
        let fit = lab.json(&format!("{line} --sparse 60 --inducing {inducing}"));
        assert_eq!(fit["representation"]["representation"]["low-rank"], 60);
        assert!((number(&fit) - number(&whole)).abs() < 1e-6 * number(&whole).abs(), "{inducing}");
        let fit = lab.json(&format!("{line} --sparse 30 --inducing {inducing}"));
        assert!((number(&fit) - number(&whole)).abs() < 1.0, "{inducing}: {fit} {whole}");
    }
    let text = lab.text("fit items.csv duels.csv --kernel se --sparse 12 -o m.rather --quiet");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("The prior is held by 12 features of inducing items, as asked for"), "{text}");
    // What is saved says the same, with the same bits for one thread and two.
    let learned = lab.json("fit items.csv duels.csv --sparse 12 --threads 1 -o m.rather");
    assert_eq!(lab.json("rank m.rather"), learned["ranking"]);
    // The exact posterior is that of the whole prior; a baseline by names alone has no inducing items.
    let check = lab.json("check m.rather --samples 400 --seed 1");
    assert!(check["agreement"].is_object() || check["verdict"].is_string(), "{check}");
    let evaluated = lab.json("evaluate items.csv duels.csv --sparse 12 --folds 2");
    assert!(evaluated["accuracy"].as_f64().unwrap() > 0.7, "{evaluated}");
    let again = lab.json("fit items.csv duels.csv --sparse 12 --threads 2");
    assert_eq!((&learned["ranking"], &learned["log_evidence"]), (&again["ranking"], &again["log_evidence"]));
}

#[test]
fn memory_decides() {
    let lab = many(400, 2000);
    let fit = lab.json("fit items.csv duels.csv --kernel se --memory 4M");
    let because = &fit["representation"]["because"];
    assert_eq!((&because["reason"], &because["allowed"]), (&"memory".into(), &(4 << 20).into()));
    let features = fit["representation"]["representation"]["low-rank"].as_u64().unwrap();
    assert!((16..400).contains(&features), "{features}");
    let run = lab.run("fit items.csv duels.csv --memory 600K");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains(" KiB, and 600 KiB are allowed; allow more"), "{}", run.stderr);
}

#[test]
fn what_does_not_go_together_is_one_sentence() {
    let lab = many(20, 60);
    lab.write("names.csv", "item\n".to_owned() + &(0..20).map(|i| format!("i{i}\n")).collect::<String>());
    for (line, sentence) in [
        (
            "fit items.csv duels.csv --representation sparse",
            "a sparse precision is for items without features",
        ),
        ("fit names.csv duels.csv --sparse 5", "items without features have no features of low rank"),
        ("fit items.csv duels.csv --sparse 5 --inference laplace", "need the whole covariance"),
        ("fit items.csv duels.csv --representation whole --sparse 5", "--sparse and --inducing go with"),
        (
            "fit items.csv duels.csv --representation whole --inducing random",
            "--sparse and --inducing go with",
        ),
        ("fit items.csv duels.csv --memory much", "write a number of bytes such as 2G or 500M"),
        ("fit items.csv duels.csv --sparse 0", "1..=20000"),
    ] {
        let run = lab.run(line);
        assert_eq!(run.status, 2, "{line}: {}", run.stderr);
        assert!(run.stderr.contains(sentence), "{line}: {}", run.stderr);
    }
}

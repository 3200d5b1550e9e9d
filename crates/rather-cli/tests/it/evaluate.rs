//! `rather evaluate`.

use crate::lab::{Lab, keys};

#[test]
fn folds_are_scored() {
    let lab = Lab::new();
    let text = lab.text("evaluate items.csv duels.csv --ties drop --folds 3 --kernel se --json");
    let promised = ["accuracy", "log_loss", "brier", "comparisons", "folds", "seconds"];
    assert_eq!(keys(&text)[..6], promised);
    assert_eq!(keys(&text)[6..10], ["ece", "reliability", "baseline", "by"]);
    let more = ["rps", "crps", "coverage_50", "coverage_95", "baselines", "clusters", "conclusion"];
    assert_eq!(keys(&text)[10..], more);
    let scores = lab.json("evaluate items.csv duels.csv --ties drop --folds 3 --kernel se");
    assert_eq!((&scores["comparisons"], &scores["folds"]), (&9.into(), &3.into()));
    let seeded = |seed: u32| {
        lab.json(&format!("evaluate items.csv duels.csv --ties drop --folds 3 --kernel se --seed {seed}"))
    };
    assert_eq!(seeded(0)["log_loss"], scores["log_loss"]);
    assert_ne!(seeded(1)["log_loss"], scores["log_loss"]);
    let people = lab.text("evaluate items.csv duels.csv --ties drop --folds 3 --kernel se --quiet");
    for part in [
        "guessing",
        "50.00 %",
        "0.6931",
        "0.2500",
        "no features",
        "calibration error",
        "9 comparisons tested, 3 folds of pairs",
    ] {
        assert!(people.contains(part), "{people}");
    }
}

#[test]
fn a_test_table_is_scored_by_one_model() {
    let lab = Lab::new();
    lab.write("test.csv", "winner,loser,count\nt5,t1,3\nt6,t2,2\n");
    let scores = lab.json("evaluate items.csv duels.csv --ties drop --test test.csv --kernel se");
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
    let scores = lab.json("evaluate items.csv duels.csv --ties drop --test test.csv");
    assert_eq!(scores["accuracy"], 0.5);
    assert!((scores["brier"].as_f64().unwrap() - 0.25).abs() < 1e-12);
}

#[test]
fn calibration_stands_beside_a_model_without_features() {
    let lab = Lab::new();
    let scores = lab.json("evaluate items.csv duels.csv --ties drop --folds 3 --kernel se");
    let bins = scores["reliability"].as_array().unwrap();
    assert_eq!((bins.len(), &bins[0]["from"], &bins[9]["to"]), (10, &0.0.into(), &1.0.into()));
    assert_eq!(bins.iter().map(|b| b["count"].as_u64().unwrap()).sum::<u64>(), 9);
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let gaps = bins.iter().filter(|b| !b["predicted"].is_null());
    let gaps =
        gaps.map(|b| number(&b["count"]) / 9.0 * (number(&b["observed"]) - number(&b["predicted"])).abs());
    assert!((number(&scores["ece"]) - gaps.sum::<f64>()).abs() < 1e-12);
    let white = lab.json("evaluate items.csv duels.csv --ties drop --folds 3 --kernel white");
    for key in ["accuracy", "log_loss", "brier", "ece"] {
        assert_eq!(scores["baseline"][key], white[key], "{key}");
    }
    let alone = lab.json("evaluate items.csv duels.csv --ties drop --folds 3 --kernel se --baselines none");
    assert_eq!((&alone["baseline"], &alone["log_loss"]), (&serde_json::Value::Null, &scores["log_loss"]));
    let fixed =
        lab.run("evaluate items.csv duels.csv --ties drop --folds 3 --kernel se --fix lengthscale=2 --quiet");
    assert_eq!(fixed.status, 0, "{}", fixed.stderr);
}

#[test]
fn unseen_items_are_predicted_from_features() {
    let lab = Lab::new();
    let scores = lab.json("evaluate items.csv duels.csv --ties drop --folds 5 --by items --kernel se");
    assert_eq!((&scores["by"], &scores["folds"]), (&"items".into(), &5.into()));
    // Every part is one item, and so each comparison is tested in the parts of both of its items.
    assert_eq!(scores["comparisons"], 18);
    let people =
        lab.text("evaluate items.csv duels.csv --ties drop --folds 5 --by items --kernel se --quiet");
    assert!(people.contains("18 comparisons tested, 5 folds of unseen items"), "{people}");

    assert_eq!(
        lab.error("evaluate items.csv duels.csv --ties drop --folds 6 --by items --quiet"),
        "6 folds need at least 6 compared items, and there are only 5 compared items; ask for fewer --folds"
    );
    lab.write("bare.csv", "tea\nt1\nt2\nt3\nt4\nt5\nt6\n");
    assert_eq!(
        lab.error("evaluate bare.csv duels.csv --folds 2 --by items --quiet"),
        "items can be held out only if they have features for prediction, and these have none; \
         --by pairs needs none"
    );
    lab.write("star.csv", "winner,loser\nt1,t2\nt1,t3\nt1,t4\n");
    let sentence = lab.error("evaluate items.csv star.csv --folds 4 --by items --quiet");
    assert!(sentence.contains("leaves nothing to learn from when these items are held out"), "{sentence}");
    assert_eq!(lab.run("evaluate items.csv duels.csv --ties drop --by items --test star.csv").status, 2);
}

#[test]
fn folds_need_comparisons() {
    let lab = Lab::new();
    assert_eq!(
        lab.error("evaluate items.csv duels.csv --ties drop --folds 10 --quiet"),
        "10 folds need at least 10 compared pairs, and there are only 7 compared pairs; ask for fewer --folds"
    );
    lab.write("duels.csv", "winner,loser\nt1,t2\n");
    assert_eq!(
        lab.error("evaluate items.csv duels.csv --ties drop --quiet"),
        "5 folds need at least 5 compared pairs, and there is 1 compared pair; give --test PAIRS"
    );
    assert_eq!(lab.run("evaluate items.csv duels.csv --ties drop --folds 2 --test duels.csv").status, 2);
}

/// A row with a count of 3 and three rows are the same data.
#[test]
fn counts_and_rows_score_alike() {
    let lab = Lab::new();
    let rows = ["t1,t2,left", "t2,t3,right", "t3,t4,right", "t5,t4,left", "t1,t5,right", "t2,t4,left"];
    lab.write(
        "counts.csv",
        "left,right,outcome,count\n".to_owned() + &rows.map(|row| format!("{row},3\n")).concat(),
    );
    lab.write(
        "rows.csv",
        "left,right,outcome\n".to_owned() + &rows.map(|row| format!("{row}\n")).concat().repeat(3),
    );
    let scores = |name: &str| lab.json(&format!("evaluate items.csv {name} --folds 3 --kernel se"));
    let [counts, rows] = ["counts.csv", "rows.csv"].map(scores);
    for key in ["accuracy", "log_loss", "brier", "comparisons"] {
        let [a, b] = [&counts, &rows].map(|scores| scores[key].as_f64().unwrap());
        // The sums run over the rows in another order.
        assert!((a - b).abs() < 1e-12, "{key}: {a} {b}");
    }
}

/// What `fit` learns is tested: ties, ratings, values, with the flags of `fit`.
#[test]
fn every_kind_of_answer_is_tested() {
    let lab = Lab::new();
    let text = lab.text("evaluate items.csv duels.csv --folds 3 --kernel se --json");
    assert_eq!(keys(&text)[17..], ["kinds"]);
    let scores = lab.json("evaluate items.csv duels.csv --folds 3 --kernel se");
    assert_eq!(scores["comparisons"], 10, "the tie is one of them");
    let [graded] = &scores["kinds"].as_array().unwrap()[..] else { panic!("{scores}") };
    assert_eq!((&graded["kind"], &graded["answers"]), (&"graded".into(), &10.into()));
    assert!((graded["guessing"].as_f64().unwrap() - 3.0_f64.ln()).abs() < 1e-12);
    assert_eq!(graded["log_loss"], scores["log_loss"]);
    lab.write("rated.csv", "item,rating\nt1,1\nt2,2\nt3,3\nt4,2\nt5,3\nt6,1\n");
    lab.write("values.csv", "item,value\nt1,0.3\nt2,1.1\nt3,2.2\nt4,2.9\nt5,4.1\n");
    let all =
        lab.json("evaluate items.csv duels.csv --also rated.csv --also values.csv --folds 3 --kernel se");
    let kinds: Vec<&str> =
        all["kinds"].as_array().unwrap().iter().map(|kind| kind["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["graded", "measured", "rating"]);
    assert_eq!(all["kinds"][1]["accuracy"], serde_json::Value::Null);
    let values = lab.json("evaluate items.csv values.csv --folds 3 --kernel se --robust");
    assert_eq!((&values["accuracy"], &values["brier"]), (&serde_json::Value::Null, &serde_json::Value::Null));
    assert!(values["log_loss"].as_f64().unwrap().is_finite());
    let people = lab.text("evaluate items.csv duels.csv --also rated.csv --folds 3 --kernel se --quiet");
    for part in ["kind of answer", "rating", "predictions", "16 answers tested, 3 folds of pairs"] {
        assert!(people.contains(part), "{people}");
    }
    lab.write("test.csv", "left,right,outcome\nt1,t5,right\nt2,t3,tie\n");
    let tested = lab.json("evaluate items.csv duels.csv --test test.csv --kernel se");
    assert_eq!(tested["kinds"][0]["answers"], 2);
    // Where nobody was learned to tie, ties are left out and that is said; rankings become what is asked for; what is fixed is so in the baseline.
    lab.write("plain.csv", "winner,loser\nt2,t1\nt3,t2\nt4,t3\nt5,t4\nt3,t1\nt6,t5\n");
    let run = lab.run("evaluate items.csv plain.csv --test test.csv --kernel se");
    assert!(run.stderr.contains("left out") && run.stdout.contains("1 comparison tested"), "{}", run.stderr);
    lab.write("ranks.csv", "ranking\nt6 > t4 > t2 > t1\n");
    let ranked =
        |flags: &str| lab.json(&format!("evaluate items.csv plain.csv --test ranks.csv --kernel se {flags}"));
    assert_eq!(
        (&ranked("")["comparisons"], &ranked("--rankings adjacent")["comparisons"]),
        (&6.into(), &3.into())
    );
    let lapsing = |fix: &str| {
        lab.json(&format!("evaluate items.csv plain.csv --folds 3 --kernel se --lapse learn {fix}"))
    };
    assert_ne!(lapsing("")["baseline"]["log_loss"], lapsing("--fix lapse=0.3")["baseline"]["log_loss"]);
    lab.write("levels.csv", "item,rating\nt1,7\n");
    let refused = lab.error("evaluate items.csv rated.csv --test levels.csv --kernel se");
    assert!(refused.contains("there is not"), "{refused}");
    let streaming = lab.json("evaluate items.csv duels.csv --folds 3 --kernel se --inference streaming");
    assert_eq!((&streaming["comparisons"], &streaming["kinds"][0]["kind"]), (&10.into(), &"graded".into()));
}

/// Two tables are one table: a side that both tell of is one side, and equal answers about it one factor.
#[test]
fn a_table_in_two_parts_is_scored_as_one() {
    let lab = Lab::new();
    let languages = ["en", "de", "fr"];
    let row = |k: usize| {
        let (left, right, language) = (1 + k % 6, 1 + (k + 1 + k / 6 % 5) % 6, languages[k * 7 / 3 % 3]);
        let outcome = match (k * k + 3 * k) % 7 {
            0 => "tie",
            1 => "right",
            _ if left > right => "left",
            _ => "right",
        };
        format!("t{left},t{right},{outcome},{language}\n")
    };
    let rows: Vec<String> = (0..120).map(row).collect();
    let table = |rows: &[String]| format!("left,right,outcome,language\n{}", rows.concat());
    lab.write("all.csv", table(&rows));
    lab.write("first.csv", table(&rows[..50]));
    lab.write("rest.csv", table(&rows[50..]));
    for kernel in ["white", "white+white[item]*white[language]"] {
        let flags = format!("--by language --kernel {kernel} --baselines none --hyperparameters maximise");
        let whole = lab.json(&format!("evaluate items.csv all.csv {flags}"));
        let parts = lab.json(&format!("evaluate items.csv first.csv --also rest.csv {flags}"));
        assert_eq!((&whole["log_loss"], &whole["folds"]), (&parts["log_loss"], &3.into()), "{kernel}");
    }
}

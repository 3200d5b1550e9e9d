//! `--inference exact` and `rather check`.

use crate::lab::{Lab, keys};
use std::fs;

fn fitted(inference: &str) -> Lab {
    let lab = Lab::new();
    lab.text(&format!(
        "fit items.csv duels.csv --ties drop --kernel se --inference {inference} -o model.rather --quiet"
    ));
    lab
}

#[test]
fn an_exact_fit_says_how_sampling_went() {
    let lab = Lab::new();
    let fit = lab.json("fit items.csv duels.csv --ties drop --kernel se --inference exact --samples 1000");
    assert_eq!((&fit["inference"], &fit["converged"]), (&"exact".into(), &true.into()));
    let exact = &fit["exact"];
    assert_eq!((&exact["sampler"], &exact["draws"]), (&"minimax-tilting".into(), &1000.into()));
    assert!(exact["effective_samples"].as_f64().unwrap() > 100.0);
    assert!(exact["r_hat"].as_f64().unwrap() < 1.05);
    assert_eq!(exact["log_evidence"], fit["log_evidence"]);
    assert!(exact["log_evidence_error"].as_f64().unwrap() < 0.01);
    let ep = lab.json("fit items.csv duels.csv --ties drop --kernel se");
    assert_eq!(exact["ep_log_evidence"], ep["log_evidence"]);
    assert_eq!((&ep["exact"], &ep["hyperparameters"]), (&serde_json::Value::Null, &fit["hyperparameters"]));
    let people = lab.text("fit items.csv duels.csv --ties drop --kernel se --inference exact --quiet");
    for part in ["4,000 exact draws", "split R-hat 1.0", "by expectation propagation -"] {
        let whole = people.replace('\n', " ");
        assert!(whole.contains(part), "{part}\n{people}");
    }
    assert!(people.lines().all(|line| line.chars().count() <= 80), "{people}");
}

#[test]
fn a_saved_exact_model_predicts_the_same() {
    let lab = fitted("exact");
    let fit = lab.json("fit items.csv duels.csv --ties drop --kernel se --inference exact -o other.rather");
    assert_eq!(lab.ranking("model.rather"), fit["ranking"]);
    assert_eq!(fs::read(lab.path("model.rather")).unwrap(), fs::read(lab.path("other.rather")).unwrap());
    lab.write("pairs.csv", "left,right\nt1,t2\nt6,t5\n");
    let exact = lab.json("predict model.rather pairs.csv");
    assert_eq!(exact, lab.json("predict model.rather pairs.csv --sharp"));
    lab.text("fit items.csv duels.csv --kernel se -o ep.rather --quiet");
    let ep = lab.json("predict ep.rather pairs.csv");
    for (e, a) in exact.as_array().unwrap().iter().zip(ep.as_array().unwrap()) {
        let [e, a] = [e, a].map(|p| p["probability"].as_f64().unwrap());
        assert!(e != a && (e - a).abs() < 0.05, "{e} {a}");
    }
    lab.text(
        "fit items.csv duels.csv --ties drop --kernel se --inference exact --seed 1 -o other.rather --quiet",
    );
    assert_ne!(exact, lab.json("predict other.rather pairs.csv"));
}

#[test]
fn few_draws_are_a_warning() {
    let lab = Lab::new();
    let run =
        lab.run("fit items.csv duels.csv --ties drop --kernel se --inference exact --samples 40 -o m --json");
    let fit: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.status, &fit["converged"]), (0, &false.into()));
    assert!(
        run.stderr.contains("warning: sampling did not converge: the largest split R-hat is "),
        "{}",
        run.stderr
    );
    assert!(lab.run("rank m").stderr.contains("warning: m: sampling did not converge"));
    assert_eq!(lab.json("check m --samples 40")["verdict"], "unsettled");
}

#[test]
fn limits_have_their_sentence() {
    let lab = Lab::new();
    assert_eq!(
        lab.error("fit items.csv duels.csv --samples 100 --quiet"),
        "--samples needs --inference exact"
    );
    lab.write("duels.csv", "winner,loser,count\nt1,t2,5001\n");
    let sentence = "exact inference is limited to 5000 comparisons, repeated ones included, but there are 5001; \
                    expectation propagation has no such limit";
    assert_eq!(lab.error("fit items.csv duels.csv --inference exact --quiet"), sentence);
    lab.text("fit items.csv duels.csv --kernel se -o model.rather --quiet");
    assert_eq!(lab.error("check model.rather"), sentence);
    assert_eq!(lab.run("check model.rather --samples 0").status, 2);
    assert_eq!(lab.run("check nothing.rather").status, 2);
}

#[test]
fn check_has_the_promised_keys() {
    let lab = fitted("ep");
    let expected = [
        "inference",
        "items",
        "comparisons",
        "converged",
        "residual",
        "means",
        "sd_ratio",
        "probabilities",
        "sharp",
        "evidence",
        "sampler",
        "verdict",
        "sentence",
        "goodness",
        "seconds",
    ];
    assert_eq!(keys(&lab.text("check model.rather --json")), expected);
    let found = lab.json("check model.rather --samples 2000");
    assert_eq!((&found["inference"], &found["items"]), (&"ep".into(), &5.into()));
    assert_eq!((&found["comparisons"], &found["converged"]), (&9.into(), &true.into()));
    assert_eq!((&found["probabilities"]["pairs"], &found["sharp"]["pairs"]), (&10.into(), &10.into()));
    assert_eq!(found["sampler"]["draws"], 2000);
    assert_eq!(found["verdict"], "good", "{found}");
    assert!(found["sentence"].as_str().unwrap().starts_with("Good: expectation propagation"), "{found}");
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    assert!(number(&found["means"]["largest"]) >= number(&found["means"]["median"]));
    let evidence = &found["evidence"];
    let difference = number(&evidence["approximate"]) - number(&evidence["exact"]);
    assert!(difference.abs() < 0.05 && number(&evidence["error"]) < 0.01, "{evidence}");
    let again = lab.json("check model.rather --samples 2000");
    assert_eq!(found["means"], again["means"]);
    assert_ne!(found["means"], lab.json("check model.rather --samples 2000 --seed 9")["means"]);
}

#[test]
fn people_get_a_verdict_first() {
    for (inference, method) in
        [("ep", "expectation propagation"), ("laplace", "Laplace"), ("exact", "expectation")]
    {
        let lab = fitted(inference);
        let text = lab.text("check model.rather");
        let first = text.replace('\n', " ");
        assert!(
            ["Good: ", "Usable: ", "Poor: "].iter().any(|v| first.starts_with(&format!("{v}{method}"))),
            "{text}"
        );
        for part in
            ["difference from exact", "mean utility, in sd", "probability, 10 pairs", "--sharp", "R-hat"]
        {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

/// The example of the README: the exact evidence is near that of expectation propagation, and the posterior too.
#[test]
fn the_teas_are_learned_well() {
    let lab = Lab::new();
    for name in ["teas.csv", "tastings.csv"] {
        let from = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
        fs::copy(from, lab.path(name)).unwrap();
    }
    let fit = lab.json("fit teas.csv tastings.csv --kernel matern52 --inference exact -o model.rather");
    let [exact, ep] = ["log_evidence", "ep_log_evidence"].map(|key| fit["exact"][key].as_f64().unwrap());
    let error = fit["exact"]["log_evidence_error"].as_f64().unwrap();
    assert!((exact - ep).abs() < 0.2 && error < 0.05, "{exact} ± {error}, {ep}");
    let found = lab.json("check model.rather");
    assert!(["good", "usable"].contains(&found["verdict"].as_str().unwrap()), "{found}");
}

#[test]
fn exact_inference_is_evaluated() {
    let lab = Lab::new();
    let line = "evaluate items.csv duels.csv --folds 3 --kernel se --baselines none";
    let exact = lab.json(&format!("{line} --inference exact --samples 500"));
    // Exact inference is at the maximum of the evidence.
    let ep = lab.json(&format!("{line} --hyperparameters maximise"));
    let [exact, ep] = [exact, ep].map(|s| s["log_loss"].as_f64().unwrap());
    assert!(exact != ep && (exact - ep).abs() < 0.05, "{exact} {ep}");
}

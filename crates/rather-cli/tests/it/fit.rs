//! `rather fit` and what it prints.

use crate::lab::{DUELS, ITEMS, Lab, keys};
use rather::Comparison;
use rather::features::{Column, ColumnValues};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::model::{FitSettings, Items, Model};
use std::io::Write;
use std::sync::Arc;

#[test]
fn json_has_the_promised_keys_first() {
    let text = Lab::new().text("fit items.csv duels.csv --json");
    let promised = [
        "items",
        "comparisons",
        "users",
        "inference",
        "kernel",
        "hyperparameters",
        "log_evidence",
        "sweeps",
        "residual",
        "converged",
        "seconds",
        "warnings",
    ];
    assert_eq!(keys(&text)[..promised.len()], promised);
    assert_eq!(text.lines().count(), 1);
}

#[test]
fn json_tells_what_was_learned() {
    let fit = Lab::new().json("fit items.csv duels.csv");
    assert_eq!((&fit["items"], &fit["comparisons"], &fit["users"]), (&6.into(), &9.into(), &3.into()));
    assert_eq!((&fit["inference"], &fit["converged"]), (&"ep".into(), &true.into()));
    assert_eq!(fit["hyperparameters"]["noise"], 1.0);
    assert!(fit["log_evidence"].as_f64().unwrap() < 0.0 && fit["residual"].as_f64().unwrap() < 1e-8);
    assert!(fit["tried"].as_array().unwrap().len() >= 4);
    assert_eq!(fit["ranking"].as_array().unwrap().len(), 6);
    let warnings: Vec<&str> =
        fit["warnings"].as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
    let expected = [
        "duels.csv: the answers of 3 users are pooled; --model collaborative learns the preferences of each user",
        "the column \"name\" differs for every item: it is a description, not a feature",
    ];
    assert_eq!(warnings, expected);
}

#[test]
fn people_get_a_page_of_80_columns() {
    let lab = Lab::new();
    let run = lab.run("fit items.csv duels.csv -o model.rather");
    assert_eq!(run.status, 0);
    for part in [
        "6 items (1 never compared), 9 comparisons, 1 tie, 3 users",
        "kernel tried",
        "prior median",
        "--no-priors",
        "log evidence -",
        "converged (residual",
        "rank  item  label",
        "Oolong",
        "95 % interval",
        "relative to the average of the compared items",
        "saved as model.rather",
    ] {
        assert!(run.stdout.contains(part), "{part}\n{}", run.stdout);
    }
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
    assert!(run.stderr.lines().all(|line| line.starts_with("warning: ")), "{}", run.stderr);
    assert_eq!(lab.run("fit items.csv duels.csv --quiet").stderr, "");
}

#[test]
fn many_items_are_shown_in_part() {
    let lab = Lab::new();
    let keys: Vec<String> = (0..21).map(|i| format!("i{i}")).collect();
    let duels: String = keys.windows(2).map(|pair| format!("{},{}\n", pair[0], pair[1])).collect();
    lab.write("items.csv", format!("item\n{}\n", keys.join("\n")));
    lab.write("duels.csv", format!("winner,loser\n{duels}"));
    let text = lab.text("fit items.csv duels.csv");
    assert!(
        text.contains("  10  i9") && text.contains("… and 11 more") && !text.contains("  11  "),
        "{text}"
    );
}

#[test]
fn the_program_gives_the_evidence_of_the_library() {
    let lab = Lab::new();
    lab.write("items.csv", "item,x,y\na,0.1,0\nb,0.4,1\nc,0.9,0.3\nd,0.5,0.5\n");
    lab.write("duels.csv", "winner,loser,count\na,b,2\nb,c,1\nd,a,1\nb,a,1\n");
    let flags = "--fix variance=1 --fix lengthscale=0.5 --fix noise=0.3 --raw-features --kernel se";
    let column = |name: &str, values: [f64; 4]| Column {
        name: name.into(),
        values: ColumnValues::Numeric(values.to_vec()),
    };
    let items = Items {
        keys: ["a", "b", "c", "d"].map(String::from).to_vec(),
        columns: vec![column("x", [0.1, 0.4, 0.9, 0.5]), column("y", [0.0, 1.0, 0.3, 0.5])],
    };
    let comparisons = [(0, 1, 2), (1, 2, 1), (3, 0, 1), (1, 0, 1)].map(|(winner, loser, count)| Comparison {
        winner,
        loser,
        count: f64::from(count),
    });
    let settings = FitSettings {
        kernel: KernelChoice::Given(KernelSpec { expression: "se".into(), ard: false }),
        fixed: [("variance", 1.0), ("lengthscale", 0.5), ("noise", 0.3)].map(|(n, v)| (n.into(), v)).to_vec(),
        raw_features: true,
        ..FitSettings::default()
    };
    let model = Model::fit(&items, &comparisons, &settings, &|_| ()).unwrap();
    let expected = model.report().log_evidence;
    for more in ["", " --space items", " --space duels"] {
        let fit = lab.json(&format!("fit items.csv duels.csv {flags}{more}"));
        let evidence = fit["log_evidence"].as_f64().unwrap();
        assert!((evidence - expected).abs() < 1e-9, "{more}: {evidence} {expected}");
        assert_eq!(fit["hyperparameters"]["lengthscale"], 0.5);
    }
    let laplace = lab.json(&format!("fit items.csv duels.csv {flags} --inference laplace"));
    assert_eq!(laplace["inference"], "laplace");
    assert!((laplace["log_evidence"].as_f64().unwrap() - expected).abs() > 1e-4);
}

#[test]
fn ties_can_count_either_way() {
    let lab = Lab::new();
    assert_eq!(lab.json("fit items.csv duels.csv --ties both")["comparisons"], 11);
    lab.write("duels.csv", "left,right,outcome\nt1,t2,tie\n");
    assert_eq!(
        lab.error("fit items.csv duels.csv --ties drop"),
        "duels.csv has ties only, and ties are left out; --ties both takes each as one comparison each way"
    );
    assert_eq!(lab.json("fit items.csv duels.csv --ties both")["comparisons"], 2);
}

#[test]
fn columns_are_chosen_left_out_and_made_categories() {
    let lab = Lab::new();
    let names = |flags: &str| {
        let fit = lab.json(&format!("fit items.csv duels.csv --ties drop --kernel se --ard {flags}"));
        fit["hyperparameters"].as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ")
    };
    let all = names("");
    for part in ["se.lengthscale[price]", "se.lengthscale[black]", "categorical.lengthscale"] {
        assert!(all.contains(part), "{all}");
    }
    assert_eq!(names("--features PRICE"), "lengthscale noise variance");
    assert_eq!(names("--drop price --drop Black"), "lengthscale noise variance");
    assert!(names("--features price,black --categorical black").contains("categorical.lengthscale"));
}

#[test]
fn the_first_column_of_texts_that_all_differ_is_a_label() {
    let lab = Lab::new();
    let fit = lab.json("fit items.csv duels.csv --features price,name");
    assert_eq!(fit["ranking"][0]["label"].as_str().map(str::is_empty), Some(false));
    assert!(lab.json("fit items.csv duels.csv --features price")["ranking"][0].get("label").is_none());
}

#[test]
fn what_is_left_out_may_be_no_number() {
    let lab = Lab::new();
    lab.write("items.csv", "item,x,note\nt1,1,5\nt2,2,NaN\nt3,3,6\nt4,4,oh\nt5,5,7\n");
    assert!(lab.error("fit items.csv duels.csv").contains("line 5, column \"note\""));
    lab.text("fit items.csv duels.csv --drop note");
    lab.text("fit items.csv duels.csv --features x");
}

#[test]
fn a_constant_feature_is_dropped_with_a_warning() {
    let lab = Lab::new();
    lab.write("items.csv", "item,x,same\nt1,1,5\nt2,2,5\nt3,3,5\nt4,4,5\nt5,5,5\n");
    let run = lab.run("fit items.csv duels.csv --json --kernel se --ard");
    assert_eq!(run.status, 0);
    assert!(run.stderr.contains("warning: the feature \"same\" is 5 for every item and was left out\n"));
    assert!(run.stdout.contains("the feature \\\"same\\\" is 5 for every item and was left out"));
    assert!(!run.stdout.contains("[same]"));
}

#[test]
fn gzip_and_parquet_give_the_same_fit() {
    let lab = Lab::new();
    let csv = lab.json("fit items.csv duels.csv --kernel se");
    lab.write("items.csv.gz", gzip(ITEMS));
    lab.write("duels.csv.gz", gzip(DUELS));
    let gzip = lab.json("fit items.csv.gz duels.csv.gz --kernel se");
    assert_eq!(csv["log_evidence"], gzip["log_evidence"]);
    lab.write("duels.parquet", parquet(DUELS));
    lab.write("items.parquet", parquet(ITEMS));
    let parquet = lab.json("fit items.parquet duels.parquet --kernel se");
    assert_eq!((&csv["log_evidence"], &csv["ranking"]), (&parquet["log_evidence"], &parquet["ranking"]));
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// A table of text as Parquet: numbers as such, all else as strings.
fn parquet(csv: &str) -> Vec<u8> {
    use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let column = |i: usize| -> (&str, ArrayRef) {
        let cells = || rows[1..].iter().map(|row| row[i]);
        match cells().map(|cell| cell.parse::<f64>()).collect::<Result<Vec<_>, _>>() {
            Ok(numbers) => (rows[0][i], Arc::new(Float64Array::from(numbers))),
            Err(_) => (rows[0][i], Arc::new(cells().map(Some).collect::<StringArray>())),
        }
    };
    let batch = RecordBatch::try_from_iter((0..rows[0].len()).map(column)).unwrap();
    let mut bytes = Vec::new();
    let mut writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn threads_do_not_change_the_result() {
    let lab = Lab::new();
    let evidence = |threads: u32| {
        lab.json(&format!("fit items.csv duels.csv --threads {threads}"))["log_evidence"].as_f64().unwrap()
    };
    assert!((evidence(1) - evidence(4)).abs() < 1e-9 * evidence(1).abs());
}

#[test]
fn hyperparameters_can_be_fixed_in_the_units_of_the_table() {
    let lab = Lab::new();
    let fit = lab.json(
        "fit items.csv duels.csv --features price --kernel se --fix lengthscale=3.5 --units duel-noise",
    );
    let learned = &fit["hyperparameters"];
    assert!((learned["lengthscale"].as_f64().unwrap() - 3.5).abs() < 1e-12);
    assert!((learned["noise"].as_f64().unwrap() - 0.5f64.sqrt()).abs() < 1e-12);
    assert!(fit["priors"]["lengthscale"].is_null() && fit["priors"]["variance"]["median"].is_number());
    let bare = lab.json("fit items.csv duels.csv --kernel se --no-priors");
    assert!(bare["priors"]["variance"].is_null());
}

//! Bad input: one sentence that says where and what to do, exit status 2, nothing on standard output.

use crate::lab::{ITEMS, Lab};

/// The sentence about these tables.
fn sentence(items: impl AsRef<[u8]>, duels: impl AsRef<[u8]>) -> String {
    let lab = Lab::new();
    lab.write("items.csv", items);
    lab.write("duels.csv", duels);
    lab.error("fit items.csv duels.csv --quiet")
}

const DUEL: &str = "winner,loser\na,b\n";

#[test]
fn files() {
    let lab = Lab::new();
    assert_eq!(lab.error("fit none.csv duels.csv"), "none.csv does not exist; check its name and folder");
    assert_eq!(lab.error("fit items.csv none.csv"), "none.csv does not exist; check its name and folder");
    assert_eq!(lab.error("rank none.rather"), "none.rather does not exist; check its name and folder");
    assert_eq!(lab.error("fit . duels.csv"), ". is a folder; name a file");
    assert_eq!(
        lab.error("rank items.csv"),
        "items.csv is not a model file (it has no header); name a file written by rather"
    );
}

#[test]
fn empty_files() {
    let empty = "is empty; its first line must be a header with the names of the columns";
    assert_eq!(sentence("", DUEL), format!("items.csv {empty}"));
    assert_eq!(sentence(ITEMS, ""), format!("duels.csv {empty}"));
    assert_eq!(
        sentence("item,x\n", DUEL),
        "items.csv has a header but no items; write one line for each item"
    );
    assert_eq!(sentence(ITEMS, "winner,loser\n"), "duels.csv has no comparisons; write at least one");
}

#[test]
fn a_missing_column() {
    assert_eq!(
        sentence(ITEMS, "winner,looser\nt1,t2\n"),
        "duels.csv has no column \"loser\", which is needed with \"winner\"; its columns are \"winner\", \"looser\""
    );
}

#[test]
fn values_that_are_no_numbers() {
    let cell = |value: &str| sentence(format!("item,x\na,1\nb,{value}\nc,2\n"), DUEL);
    let missing = |value: &str| {
        let lab = Lab::new();
        lab.write("items.csv", format!("item,x\na,1\nb,{value}\nc,2\n"));
        lab.error("fit items.csv duels.csv --missing error")
    };
    let place = "items.csv, line 3, column \"x\"";
    assert_eq!(
        missing("NaN"),
        format!("{place}: \"NaN\" means a missing value; write a number, or remove the line or the column")
    );
    assert_eq!(
        cell("-inf"),
        format!("{place}: \"-inf\" is not finite; write a finite number, or remove the line or the column")
    );
    assert_eq!(
        cell("cheap"),
        format!(
            "{place}: \"cheap\" is not a number; write a number, or pass --categorical x to treat the column as categories"
        )
    );
    assert_eq!(
        missing(""),
        format!("{place}: the cell is empty; fill it in, or remove the line or the column")
    );
}

#[test]
fn keys() {
    assert_eq!(
        sentence("item\na\nb\na\n", DUEL),
        "items.csv, line 4: the key \"a\" is already in line 2; every item needs its own key"
    );
    assert_eq!(
        sentence("item\nAssam\nOolong\n", "winner,loser\nAssam,Oolnog\n"),
        "duels.csv, line 2, column \"loser\": there is no item \"Oolnog\" in items.csv; did you mean \"Oolong\"?"
    );
    assert_eq!(
        sentence("item\na\nb\n", "winner,loser\na,b\nb,b\n"),
        "duels.csv, line 3: the item \"b\" is compared with itself; name two different items"
    );
}

#[test]
fn latin_1() {
    let table = [b"item,x\na,1\ncaf".as_slice(), &[0xe9], b",2\n"].concat();
    assert_eq!(
        sentence(table, DUEL),
        "items.csv, line 3, column \"item\": the text is not UTF-8; save the file as UTF-8"
    );
}

#[test]
fn enormous_numbers() {
    let large = format!("item,x\na,1\nb,2{}\nc,3\n", "0".repeat(300));
    let shown = format!("2{}", "0".repeat(39));
    assert_eq!(
        sentence(large, DUEL),
        format!(
            "items.csv, line 3, column \"x\": \"{shown}…\" is too large to compute with; give the column in a larger \
             unit, with values up to 1e150"
        )
    );
    assert_eq!(
        sentence("item,x\na,1e300\nb,2e300\nc,3e300\n", DUEL),
        "items.csv, line 2, column \"x\": \"1e300\" is too large to compute with; give the column in a larger unit, \
         with values up to 1e150"
    );
}

#[test]
fn a_number_of_a_hundred_digits_is_one() {
    let lab = Lab::new();
    let digits = "1234567890".repeat(10);
    lab.write("items.csv", format!("item,x\nt1,{digits}\nt2,2{digits}\nt3,3\nt4,4\nt5,5\n"));
    let fit = lab.json("fit items.csv duels.csv");
    assert!(fit["ranking"].as_array().unwrap().iter().all(|line| line["mean"].is_number()));
}

#[test]
fn flags() {
    let lab = Lab::new();
    let fit = |flags: &str| lab.error(&format!("fit items.csv duels.csv --quiet {flags}"));
    assert_eq!(
        fit("--features prize"),
        "items.csv has no feature \"prize\"; its features are \"price\", \"black\", \"region\", \"name\""
    );
    assert_eq!(fit("--drop prize").split(';').next(), Some("items.csv has no feature \"prize\""));
    assert_eq!(fit("--categorical prize").split(';').next(), Some("items.csv has no feature \"prize\""));
    assert_eq!(
        fit("--kernel sse"),
        "there is no kernel called \"sse\"; the kernels are se, matern12, matern32, matern52, rq, multiscale, \
         periodic, linear, constant, white, independent, wiener, brownian, iwiener, integrated_wiener, categorical"
    );
    assert_eq!(
        fit("--kernel se+"),
        "in the kernel expression, the name of a kernel or \"(\" is expected at character 4, not the end"
    );
    assert_eq!(
        fit("--features price --kernel se --fix width=2"),
        "there is no hyperparameter called \"width\"; this kernel's are variance, lengthscale, noise, tie"
    );
    assert_eq!(
        fit("--units item-noise --fix noise=0.5"),
        "--units item-noise and --fix noise=0.5 both set the unit of utilities; keep one"
    );
    assert_eq!(
        fit("--units duel-noise --fix se.variance=2"),
        "--units comparison-noise and --fix se.variance=2 both set the unit of utilities; keep one"
    );
    assert_eq!(fit("--fix noise=1 --fix Noise=2"), "--fix gives Noise twice, 1 and 2; keep one");
    assert!(
        fit("--features price --kernel se --fix lengthscale[price]=2")
            .ends_with("only --ard gives each feature a lengthscale")
    );
}

#[test]
fn flags_that_clap_refuses() {
    let lab = Lab::new();
    for flags in [
        "--inference magic",
        "--fix noise",
        "--fix noise=-1",
        "--fix noise=NaN",
        "--threads 0",
        "--tolerance 2",
        "--ties keep",
        "--features price --drop black",
        "--seed -1",
        "--nonsense",
    ] {
        let run = lab.run(&format!("fit items.csv duels.csv {flags}"));
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{flags}: {}", run.stderr);
        assert!(run.stderr.starts_with("error: "), "{flags}: {}", run.stderr);
    }
    assert_eq!(lab.run("evaluate items.csv duels.csv --folds 1").status, 2);
    assert_eq!(lab.run("").status, 2);
}

#[test]
fn outputs_are_checked_before_the_fit() {
    let lab = Lab::new();
    let fit = |flags: &str| lab.error(&format!("fit items.csv duels.csv --quiet {flags}"));
    assert_eq!(fit("-o ."), ". is a folder; name a file");
    assert_eq!(
        fit("-o no/model"),
        "no/model cannot be written because its folder does not exist; make the folder first"
    );
    assert_eq!(fit("-o items.csv"), "the model would overwrite the table items.csv; give -o another name");
    assert_eq!(std::fs::read_to_string(lab.path("items.csv")).unwrap(), ITEMS);
}

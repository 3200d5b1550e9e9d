//! Regrets of runs as JSON lines, and the table of them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result};
use rather::design::Prior;
use serde::{Deserialize, Serialize};

use crate::policy::DEFAULT;

/// The policy that any other should be better than.
const RANDOM: &str = "random";

/// A run: of `rather`, or of another program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) function: String,
    pub(super) policy: String,
    pub(super) seed: u64,
    /// How many comparisons a dimension; another program need not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) comparisons: Option<usize>,
    /// What was believed before the first answer; of another program nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) prior: Option<Prior>,
    /// Of the recommended setting, in units of the function's standard deviation.
    pub(super) regret: f64,
}

/// The records of a file, one a line.
pub(super) fn read(path: &Path) -> Result<Vec<Record>> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    let mut records = Vec::new();
    for (i, line) in BufReader::new(file).lines().enumerate() {
        let line = line?;
        if !line.trim().is_empty() {
            let place = || format!("{}, line {}", path.display(), i + 1);
            records.push(serde_json::from_str(&line).with_context(place)?);
        }
    }
    Ok(records)
}

/// Median and 90 % quantile of a policy's regrets for a function.
struct Row<'a> {
    policy: &'a str,
    runs: usize,
    median: f64,
    high: f64,
}

/// The rows of one function, policies in the order of their first runs.
fn rows<'a>(function: &str, records: &'a [Record]) -> Vec<Row<'a>> {
    let mut seen = BTreeSet::new();
    let of_function = || records.iter().filter(|r| r.function == function);
    let policies = of_function().map(|r| r.policy.as_str()).filter(|p| seen.insert(*p)).collect::<Vec<_>>();
    let row = |policy| {
        let mut regrets: Vec<f64> = of_function().filter(|r| r.policy == policy).map(|r| r.regret).collect();
        regrets.sort_by(f64::total_cmp);
        Row { policy, runs: regrets.len(), median: quantile(&regrets, 0.5), high: quantile(&regrets, 0.9) }
    };
    policies.into_iter().map(row).collect()
}

/// The `q`-quantile of sorted numbers, linear between them.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = (sorted.len() - 1) as f64 * q;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

/// The table of `functions`, and how the default does in it.
pub(super) fn table<'a>(functions: impl Iterator<Item = &'a str>, records: &[Record]) -> String {
    let mut out =
        String::from("| function | policy | runs | median regret | 90 % quantile |\n|---|---|---|---|---|\n");
    let (mut compared, mut not_above) = (0, 0);
    let mut above_random = Vec::new();
    for function in functions {
        let rows = rows(function, records);
        for Row { policy, runs, median, high } in &rows {
            let _ = writeln!(out, "| {function} | {policy} | {runs} | {median:.3e} | {high:.3e} |");
        }
        let median = |policy| rows.iter().find(|r| r.policy == policy).map(|r| r.median);
        let Some(default) = median(DEFAULT).filter(|_| rows.len() > 1) else { continue };
        compared += 1;
        not_above += usize::from(rows.iter().all(|r| default <= r.median));
        if median(RANDOM).is_some_and(|random| default > random) {
            above_random.push(function);
        }
    }
    if compared > 0 {
        let above =
            if above_random.is_empty() { "never".into() } else { format!("on {}", above_random.join(", ")) };
        let _ = writeln!(
            out,
            "\nthe default's median is at or below every other's on {not_above} of {compared} functions, and above random's {above}"
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(policy: &str, regrets: &[f64]) -> Vec<Record> {
        let record = |(seed, &regret): (usize, &f64)| Record {
            function: "f".into(),
            policy: policy.into(),
            seed: seed as u64,
            comparisons: None,
            prior: None,
            regret,
        };
        regrets.iter().enumerate().map(record).collect()
    }

    #[test]
    fn quantiles_are_linear_between_regrets() {
        assert!((quantile(&[1.0, 2.0, 4.0, 8.0], 0.5) - 3.0).abs() < 1e-12);
        assert!((quantile(&[1.0, 2.0, 4.0, 8.0], 0.9) - 6.8).abs() < 1e-12);
        assert!((quantile(&[5.0], 0.9) - 5.0).abs() < 1e-12);
    }

    #[test]
    fn the_last_line_says_where_the_default_is_behind() {
        let ahead = [records("default", &[0.1, 0.2, 0.3]), records("random", &[0.2, 0.2, 0.9])].concat();
        let text = table(["f", "g"].into_iter(), &ahead);
        assert!(text.ends_with("on 1 of 1 functions, and above random's never\n"), "{text}");
        let behind = [ahead, records("peer", &[0.1, 0.1, 0.1])].concat();
        assert!(table(["f"].into_iter(), &behind).contains("on 0 of 1 functions"));
        let worse = [records("default", &[0.4]), records("random", &[0.3])].concat();
        assert!(table(["f"].into_iter(), &worse).ends_with("above random's on f\n"));
    }

    #[test]
    fn records_come_back_from_a_file_and_a_bad_line_is_named() {
        let path = std::env::temp_dir().join(format!("rather-pbo-{}.jsonl", std::process::id()));
        let record = Record { comparisons: Some(30), ..records("default", &[0.25])[0].clone() };
        let line = serde_json::to_string(&record).unwrap();
        let peer = r#"{"function":"f","policy":"peer","seed":3,"regret":0.5}"#;
        std::fs::write(&path, format!("{line}\n\n{peer}\n")).unwrap();
        let both = read(&path).unwrap();
        assert_eq!((both.len(), &both[0], both[1].comparisons), (2, &record, None));
        std::fs::write(&path, format!("{line}\n{{}}\n")).unwrap();
        assert!(read(&path).unwrap_err().to_string().ends_with("line 2"));
        std::fs::remove_file(&path).unwrap();
    }
}

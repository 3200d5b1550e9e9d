//! What a fit's process prints, as rows of the table; and how times grow.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What one process says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Measured {
    /// It fitted.
    Fitted {
        /// Processor seconds of the fit, the median over repetitions.
        seconds: f64,
        /// Peak memory of the process, in MB (2^20 bytes).
        peak_mb: f64,
        /// Share of held-out pairs whose winner is preferred.
        accuracy: f64,
        /// Mean of the negative log probability of what was answered, in nats.
        log_loss: f64,
    },
    /// It failed; what it said.
    Failed {
        /// Its own words.
        error: String,
    },
}

impl Measured {
    /// The time, if it fitted.
    pub(crate) fn seconds(&self) -> Option<f64> {
        match self {
            Self::Fitted { seconds, .. } => Some(*seconds),
            Self::Failed { .. } => None,
        }
    }
}

pub(crate) const HEADER: &str =
    "| problem | method | hyperparameters | CPU s | x rather | peak MB | accuracy | log loss |
|---|---|---|--:|--:|--:|--:|--:|";

/// A row of the table: medians over data sets, of ratios those of pairs of runs on the same one.
pub(crate) struct Row<'a> {
    pub(crate) problem: &'a str,
    pub(crate) method: &'a str,
    pub(crate) how: &'a str,
    /// One a data set.
    pub(crate) runs: Vec<Run>,
}

/// What was measured on one data set.
pub(crate) struct Run {
    pub(crate) measured: Measured,
    /// The time of `rather` with the same data and hyperparameters.
    pub(crate) rather: Option<f64>,
}

impl fmt::Display for Row<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "| {} | {} | {} | ", self.problem, self.method, self.how)?;
        let (mut all, mut ratios): ([Vec<f64>; 4], Vec<f64>) = (Default::default(), Vec::new());
        for Run { measured, rather } in &self.runs {
            match measured {
                Measured::Fitted { seconds, peak_mb, accuracy, log_loss } => {
                    all.iter_mut()
                        .zip([seconds, peak_mb, accuracy, log_loss])
                        .for_each(|(all, x)| all.push(*x));
                    ratios.extend(rather.map(|rather| seconds / rather));
                }
                Measured::Failed { error } => return write!(out, "{} | | | | |", shortened(error)),
            }
        }
        let ratio = if ratios.is_empty() { String::new() } else { format!("{:.3}", median(ratios)) };
        let [seconds, peak_mb, accuracy, log_loss] = all.map(median);
        write!(out, "{seconds:.4} | {ratio} | {peak_mb:.0} | {accuracy:.4} | {log_loss:.4} |")
    }
}

/// The middle one, or the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    0.5 * (values[(n - 1) / 2] + values[n / 2])
}

/// The machine, in a line.
pub(crate) fn machine() -> String {
    let of = |file: &str, key: &str| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(key)).map(str::to_owned);
        line.and_then(|line| Some(line.split_once(':')?.1.trim().to_owned()))
    };
    let name = of("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown processor".into());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory = of("/proc/meminfo", "MemTotal").unwrap_or_else(|| "unknown".into());
    format!("{name}, {cores} threads, {memory} of memory; every fit on one thread, in a process of its own")
}

/// The beginning of a long message: a peer's can be pages.
fn shortened(message: &str) -> String {
    const ROOM: usize = 160;
    match message.char_indices().nth(ROOM) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_string(),
    }
}

/// A time, for the exponent of its growth.
pub(crate) struct Timed {
    pub(crate) method: String,
    /// What kind of problem: times of different kinds are not compared.
    pub(crate) kind: &'static str,
    pub(crate) comparisons: usize,
    pub(crate) seconds: f64,
}

/// Fitted exponents of the time in the number of comparisons, over the sizes a method was run with.
pub(crate) fn exponents(timed: &[Timed]) -> String {
    let mut groups: Vec<(&str, &str)> = Vec::new();
    for t in timed {
        if !groups.contains(&(t.kind, &t.method)) {
            groups.push((t.kind, &t.method));
        }
    }
    let mut text = String::new();
    for (kind, method) in groups {
        let of_group = timed.iter().filter(|t| (t.kind, t.method.as_str()) == (kind, method));
        let points: Vec<(f64, f64)> =
            of_group.map(|t| ((t.comparisons as f64).ln(), t.seconds.ln())).collect();
        if let Some(slope) = slope(&points) {
            let sizes = points.len();
            text += &format!(
                "- {kind}: time of {method} ~ comparisons^{slope:.2} over {sizes} sizes (items grow along)\n"
            );
        }
    }
    text
}

/// The least-squares slope through two points or more that are not above each other.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let spread: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    (spread > 0.0).then(|| points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_is_found() {
        let timed = |comparisons: usize| Timed {
            method: "m".into(),
            kind: "k",
            comparisons,
            seconds: 1e-6 * (comparisons as f64).powf(1.5),
        };
        assert_eq!(exponents(&[timed(10), timed(100), timed(1000)]).matches("^1.50 over 3").count(), 1);
        assert_eq!(exponents(&[timed(10)]), "", "one size says nothing");
        assert_eq!(exponents(&[timed(10), timed(10)]), "");
    }

    #[test]
    fn both_answers_of_a_process_are_read() {
        let fitted = r#"{"seconds": 1.0, "peak_mb": 2.0, "accuracy": 0.5, "log_loss": 0.7}"#;
        assert_eq!(serde_json::from_str::<Measured>(fitted).unwrap().seconds(), Some(1.0));
        let failed: Measured = serde_json::from_str(r#"{"error": "no"}"#).unwrap();
        assert!(failed.seconds().is_none());
        let row = |runs| Row { problem: "p", method: "m", how: "fixed", runs }.to_string();
        assert_eq!(row(vec![Run { measured: failed, rather: Some(1.0) }]), "| p | m | fixed | no | | | | |");
        let run = |seconds| Run {
            measured: Measured::Fitted { seconds, peak_mb: 2.0, accuracy: 0.5, log_loss: 0.7 },
            rather: Some(0.5),
        };
        assert_eq!(
            row(vec![run(1.0), run(3.0), run(2.0)]),
            "| p | m | fixed | 2.0000 | 4.000 | 2 | 0.5000 | 0.7000 |"
        );
    }
}

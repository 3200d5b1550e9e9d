//! Results, one line of JSON each, so that an interrupted run goes on where it stopped.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// What one method did on one split.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Outcome {
    pub(super) set: String,
    pub(super) labels: String,
    pub(super) method: String,
    pub(super) split: u64,
    /// Share of test pairs predicted the wrong way round; a tie counts half.
    pub(super) error: f64,
    /// Share of test pairs with a prediction of exactly one half.
    pub(super) undecided: f64,
    /// Mean log loss, in nats.
    pub(super) log_loss: f64,
    /// Seconds of fitting.
    pub(super) seconds: f64,
    pub(super) log_evidence: f64,
    pub(super) cycles: usize,
    pub(super) converged: bool,
}

/// What identifies an outcome.
pub(super) type Key = (String, String, String, u64);

impl Outcome {
    pub(super) fn key(&self) -> Key {
        (self.set.clone(), self.labels.clone(), self.method.clone(), self.split)
    }
}

/// The outcomes so far, and the file that new ones are added to.
pub(super) struct Results {
    found: HashMap<Key, Outcome>,
    file: Option<File>,
}

impl Results {
    /// Reads what is there. A last line that was cut off by an interruption is run again.
    pub(super) fn open(path: Option<&Path>) -> Result<Self> {
        let mut found = HashMap::new();
        let Some(path) = path else { return Ok(Self { found, file: None }) };
        if let Ok(file) = File::open(path) {
            for line in BufReader::new(file).lines() {
                if let Ok(outcome) = serde_json::from_str::<Outcome>(&line?) {
                    found.insert(outcome.key(), outcome);
                }
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(Self { found, file: Some(file) })
    }

    pub(super) fn get(&self, key: &Key) -> Option<&Outcome> {
        self.found.get(key)
    }

    pub(super) fn add(&mut self, outcome: Outcome) -> Result<()> {
        if let Some(file) = &mut self.file {
            // A whole line at once; the line break first ends a line that was cut off.
            file.write_all(format!("\n{}\n", serde_json::to_string(&outcome)?).as_bytes())?;
            file.flush()?;
        }
        self.found.insert(outcome.key(), outcome);
        Ok(())
    }
}

//! Results, one line of JSON each, so that an interrupted run goes on where it stopped.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What is kept of one run.
pub(super) trait Outcome: Clone + Serialize + DeserializeOwned {
    /// What identifies the run.
    fn key(&self) -> String;
}

/// The outcomes so far, and the file that new ones are added to.
pub(super) struct Results<T> {
    found: HashMap<String, T>,
    file: Option<File>,
}

impl<T: Outcome> Results<T> {
    /// Reads what is there. A last line that was cut off by an interruption is run again.
    pub(super) fn open(path: Option<&Path>) -> Result<Self> {
        let mut found = HashMap::new();
        let Some(path) = path else { return Ok(Self { found, file: None }) };
        if let Ok(file) = File::open(path) {
            for line in BufReader::new(file).lines() {
                if let Ok(outcome) = serde_json::from_str::<T>(&line?) {
                    found.insert(outcome.key(), outcome);
                }
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(Self { found, file: Some(file) })
    }

    /// The outcome of the run `key`: what the file has, or else that of `run`, which is added to the file.
    pub(super) fn get_or(&mut self, key: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
        if let Some(outcome) = self.found.get(key) {
            return Ok(outcome.clone());
        }
        let outcome = run()?;
        self.keep(key, &outcome)?;
        Ok(outcome)
    }

    /// The outcomes of several runs, those that the file has not side by side.
    pub(super) fn get_each(
        &mut self,
        keys: &[String],
        run: impl Fn(usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>>
    where
        T: Send,
    {
        let known: Vec<Option<T>> = keys.iter().map(|key| self.found.get(key).cloned()).collect();
        let results = Mutex::new(self);
        let one = |(n, known): (usize, Option<T>)| -> Result<T> {
            if let Some(outcome) = known {
                return Ok(outcome);
            }
            let outcome = run(n)?;
            results.lock().unwrap_or_else(PoisonError::into_inner).keep(&keys[n], &outcome)?;
            Ok(outcome)
        };
        known.into_par_iter().enumerate().map(one).collect()
    }

    fn keep(&mut self, key: &str, outcome: &T) -> Result<()> {
        debug_assert_eq!(outcome.key(), key);
        if let Some(file) = &mut self.file {
            // A whole line at once; the line break first ends a line that was cut off.
            file.write_all(format!("\n{}\n", serde_json::to_string(outcome)?).as_bytes())?;
            file.flush()?;
        }
        self.found.insert(key.to_string(), outcome.clone());
        Ok(())
    }
}

/// Whether a data set and a method are asked for: `sushi`, `CP`, `sushi/CP`; all are if nothing is.
pub(super) fn wanted(only: &[String], set: &str, method: &str) -> bool {
    let asked = |o: &String| match o.split_once('/') {
        Some((s, m)) => s.eq_ignore_ascii_case(set) && m.eq_ignore_ascii_case(method),
        None => o.eq_ignore_ascii_case(set) || o.eq_ignore_ascii_case(method),
    };
    only.is_empty() || only.iter().any(asked)
}

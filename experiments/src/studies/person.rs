//! A simulated person in a study.

use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Result, anyhow, bail};
use rand_chacha::ChaCha8Rng;
use rather_numerics::random::{normal, stream};
use rather_study::analysis::advice::Advice;
use rather_study::{Alternative, Answer, Ask, Definition, Study, Value};

const NAME: &str = "person";

/// Somebody who answers by utilities and noise of standard deviation 1.
pub(super) struct Person<'a> {
    study: Study,
    utility: &'a dyn Fn(&Alternative) -> f64,
    noise: ChaCha8Rng,
    _folder: tempfile::TempDir,
}

impl<'a> Person<'a> {
    pub(super) fn new(
        definition: &Definition,
        seed: u64,
        utility: &'a dyn Fn(&Alternative) -> f64,
    ) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let study = Study::create(&folder.path().join("study.db"), "study", definition)?;
        Ok(Self { study, utility, noise: stream(seed, 1), _folder: folder })
    }

    /// Answers one question.
    pub(super) fn answer(&mut self) -> Result<()> {
        let Ask::Duel(asked) = self.study.ask(NAME)? else { bail!("the study has an end") };
        let z = (self.utility)(&asked.left) - (self.utility)(&asked.right) + normal(&mut self.noise);
        let answer = if z > 0.0 { Answer::Left } else { Answer::Right };
        self.study.tell(NAME, Some(asked.number), answer, None)?;
        Ok(())
    }

    pub(super) fn advice(&mut self) -> Result<Advice> {
        Ok(self.study.advice(NAME)?)
    }

    pub(super) fn utility(&self, alternative: &Alternative) -> f64 {
        (self.utility)(alternative)
    }
}

/// What `one` gives for so many people. A study chooses in a thread of its own, whose work is shared out among rayon's threads: people who
/// waited in these would wait for themselves.
pub(super) fn each<T: Send>(people: u64, one: impl Fn(u64) -> Result<T> + Sync) -> Result<Vec<T>> {
    let next = AtomicU64::new(0);
    let work = || -> Result<Vec<(u64, T)>> {
        let mut out = Vec::new();
        loop {
            let person = next.fetch_add(1, Ordering::Relaxed);
            if person >= people {
                return Ok(out);
            }
            out.push((person, one(person)?));
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let found = std::thread::scope(|scope| {
        let started: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let ended = started.into_iter().map(|w| w.join().map_err(|_| anyhow!("a thread panicked"))?);
        ended.collect::<Result<Vec<_>>>()
    })?;
    let mut all: Vec<(u64, T)> = found.into_iter().flatten().collect();
    all.sort_by_key(|(person, _)| *person);
    Ok(all.into_iter().map(|(_, found)| found).collect())
}

/// The values of a setting that are numbers, in order.
pub(super) fn numbers(alternative: &Alternative) -> Vec<f64> {
    match alternative {
        Alternative::Item(_) => Vec::new(),
        Alternative::Setting(setting) => {
            setting.values.iter().filter_map(|(_, value)| value.number()).collect()
        }
    }
}

/// The values of a setting that are categories, in order.
pub(super) fn categories(alternative: &Alternative) -> Vec<&str> {
    let Alternative::Setting(setting) = alternative else { return Vec::new() };
    let values = setting.values.iter();
    values
        .filter_map(|(_, value)| if let Value::Text(text) = value { Some(text.as_str()) } else { None })
        .collect()
}

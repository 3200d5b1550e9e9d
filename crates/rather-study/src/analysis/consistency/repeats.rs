//! Pairs that were answered more than once.

use super::{counted, percent};
use crate::analysis::{comparisons, outcome, pair};
use crate::learner::Record;
use serde::Serialize;
use std::collections::BTreeMap;

/// Answers to the same pair, on whichever side the two stood.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Repeats {
    /// Number of pairs that were answered more than once.
    pub pairs: usize,
    /// Number of answers to them after the first.
    pub repeats: usize,
    /// How many of these agreed with the answer before: the same side, however much better, or no preference again.
    pub agreed: usize,
}

impl Repeats {
    pub(super) fn of(record: &Record) -> Self {
        // What was said of each pair, as a preference for the smaller number.
        let mut said: BTreeMap<(usize, usize), Vec<Option<bool>>> = BTreeMap::new();
        for duel in &comparisons(record).collect::<Vec<_>>() {
            let preferred = outcome(duel).map(|(winner, loser)| winner < loser);
            said.entry(pair(duel)).or_default().push(preferred);
        }
        said.retain(|_, answers| answers.len() > 1);
        let agreed = said.values().flat_map(|answers| answers.windows(2)).filter(|w| w[0] == w[1]).count();
        let repeats = said.values().map(|answers| answers.len() - 1).sum();
        Self { pairs: said.len(), repeats, agreed }
    }

    pub(super) fn sentence(&self) -> String {
        if self.repeats == 0 {
            return "no comparison was repeated yet".to_owned();
        }
        format!(
            "{} of {} repeated the answer before ({})",
            self.agreed,
            counted(self.repeats, "repeated answer"),
            percent(self.agreed as f64 / self.repeats as f64)
        )
    }
}

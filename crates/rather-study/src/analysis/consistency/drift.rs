//! Whether a person's taste changed in the course of the study.

use super::Fit;
use crate::Error;
use crate::analysis::answered;
use crate::learner::{Learner, Record};
use serde::Serialize;

/// Two explanations of the answers: one taste throughout, or one for the first half and another for the second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Drift {
    /// How many nats better two tastes explain the answers: log evidence of the halves less that of the whole.
    pub nats: f64,
}

/// Fewer answers say next to nothing.
const FEWEST: usize = 10;
/// Odds of 20 to 1.
const STRONG: f64 = 3.0;
/// Odds of 3 to 1.
const WEAK: f64 = 1.1;

impl Drift {
    /// # Formula
    /// $\log Z(\text{first half})+\log Z(\text{second half})-\log Z(\text{all})$: the logarithm of the Bayes factor. Two tastes
    /// that need not be alike explain any answers, and pay for that by spreading their bets.
    pub(super) fn of(learner: &Learner, record: &Record, whole: &Fit) -> Result<Option<Self>, Error> {
        let answers = answered(record).count();
        if answers < FEWEST {
            return Ok(None);
        }
        let mut halves = [Vec::new(), Vec::new()];
        for (i, duel) in answered(record).enumerate() {
            halves[usize::from(2 * i >= answers)].push(*duel);
        }
        let mut nats = -whole.log_evidence();
        for duels in halves {
            let half = Record { duels, ..record.clone() };
            nats += Fit::new(learner, &half, &whole.thresholds, 1.0)?.log_evidence();
        }
        Ok(Some(Self { nats }))
    }

    /// Whether the answers are clearly better explained by a change.
    pub fn is_strong(&self) -> bool {
        self.nats > STRONG
    }

    pub(super) fn sentence(&self) -> String {
        let said = if self.is_strong() {
            "drift: the later answers differ from the earlier ones"
        } else if self.nats > WEAK {
            "possible drift: the later answers may differ from the earlier ones"
        } else {
            "no drift: the later answers agree with the earlier ones"
        };
        format!("{said} ({:+.1} nats for a change)", self.nats)
    }
}

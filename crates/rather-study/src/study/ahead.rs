//! Choosing ahead: while a person listens, the next duel is chosen for every answer they may give.

use super::Study;
use crate::Error;
use crate::history::OpenDuel;
use crate::learner::{Cut, Said};
use std::time::Duration;

/// Where more than this may be answered, as the best and the worst of five or more, the next question is chosen once the answer is there: most plans
/// would be for nothing.
const MOST_PLANNED: usize = 16;

impl Study {
    /// Chooses the duel that follows the open one, for each answer that may be given to it, and keeps the choices in the
    /// file, where the next [`Study::ask`] finds them, in whatever process. Returns how many are ready.
    ///
    /// Each choice has the same time limit as asking. Before each of them, `go_on` is asked whether to go on.
    ///
    /// # Errors
    /// As [`Study::ask`].
    pub fn plan_ahead(&mut self, participant: &str, go_on: &dyn Fn() -> bool) -> Result<usize, Error> {
        self.admit(participant)?;
        self.sync_for(participant)?;
        let Some(open) = self.histories[participant].open.clone() else { return Ok(0) };
        let answers = self.definition().takes();
        if answers.len() > MOST_PLANNED {
            return Ok(0);
        }
        let mut situations = Vec::with_capacity(answers.len());
        let OpenDuel { left, right, others, .. } = &open;
        for answer in answers {
            let then = Said { left, right, others, answer, count: 1 };
            situations.push(self.situation(participant, Some(then))?);
        }
        let wanted: Vec<String> = situations.iter().map(|(_, fingerprint)| fingerprint.clone()).collect();
        let mut ready = 0;
        for (record, fingerprint) in situations {
            if !go_on() {
                break;
            }
            if self.plan(participant, &fingerprint)?.is_some() {
                ready += 1;
                continue;
            }
            let choice = self.choose(participant, record, Duration::MAX)?;
            if choice.cut == Some(Cut::Model) {
                // Asking may have more luck.
                continue;
            }
            let Ok(plan) = serde_json::to_string(&choice) else { continue };
            let mut transaction = self.journal.begin_derived()?;
            transaction.put_plan(participant, (&fingerprint, &plan), &wanted)?;
            transaction.commit()?;
            ready += 1;
            // Somebody may have answered elsewhere: then the rest is of no use.
            self.sync(participant)?;
            if self.histories[participant].open.as_ref().is_none_or(|now| now.number != open.number) {
                break;
            }
        }
        Ok(ready)
    }
}

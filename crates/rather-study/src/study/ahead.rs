//! Choosing ahead: while a person listens, the next duel is chosen for every answer they may give.

use super::Study;
use crate::history::OpenDuel;
use crate::learner::{Cut, Said};
use crate::{Alternative, Answer, Error};
use std::time::Duration;

/// Where more than this may be answered, as the best and the worst of five or more, the next question is chosen once the answer is there: most plans
/// would be for nothing.
const MOST_PLANNED: usize = 16;

/// What may be asked next, as far as it is known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Successors {
    /// The options of the questions that were chosen ahead, each once, the more likely first; without those of the open question.
    pub options: Vec<Alternative>,
    /// Whether there is a choice for every answer, or none will be made.
    pub complete: bool,
}

impl Study {
    /// The options of the questions that may follow the open one, as far as [`Study::plan_ahead`] has chosen them.
    ///
    /// # Errors
    /// As [`Study::ask`].
    pub fn successors(&mut self, participant: &str) -> Result<Successors, Error> {
        self.admit(participant)?;
        self.sync_for(participant)?;
        let mut answers = self.definition().takes();
        let open = self.histories[participant].open.clone();
        let Some(open) = open.filter(|_| answers.len() <= MOST_PLANNED) else {
            return Ok(Successors { complete: true, ..Successors::default() });
        };
        // Ties are the fewest.
        answers.sort_by_key(|answer| answer.plain() == Answer::Tie);
        let OpenDuel { left, right, others, .. } = &open;
        let mut found = Successors { complete: true, ..Successors::default() };
        for answer in answers {
            let then = Said { left, right, others, answer, count: 1 };
            let (_, fingerprint) = self.situation(participant, Some(then))?;
            let Some(plan) = self.plan(participant, &fingerprint)? else {
                found.complete = false;
                continue;
            };
            for option in [plan.left, plan.right].into_iter().chain(plan.others) {
                if !found.options.contains(&option) && !open.options().any(|other| *other == option) {
                    found.options.push(option);
                }
            }
        }
        Ok(found)
    }

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

#[cfg(test)]
mod tests {
    use crate::{Answer, Ask, Definition, Study};

    #[test]
    fn what_may_come_next_is_what_comes() {
        let folder = tempfile::tempdir().unwrap();
        let items = ["a", "b", "c", "d", "e"];
        let mut study =
            Study::create(&folder.path().join("s.db"), "tea", &Definition::of_items(items)).unwrap();
        assert!(study.successors("ann").unwrap().complete, "nothing is open");
        let Ask::Duel(first) = study.ask("ann").unwrap() else { panic!("it has no end") };
        let before = study.successors("ann").unwrap();
        assert!(!before.complete && before.options.is_empty());
        study.plan_ahead("ann", &|| true).unwrap();
        let found = study.successors("ann").unwrap();
        assert!(found.complete);
        study.tell("ann", Some(first.number), Answer::Right, None).unwrap();
        let Ask::Duel(second) = study.ask("ann").unwrap() else { panic!("it has no end") };
        let known: Vec<_> = found.options.iter().chain(first.options()).collect();
        assert!(second.planned && second.options().all(|option| known.contains(&option)));
    }
}

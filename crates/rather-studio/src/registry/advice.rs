//! What was recommended last, kept until something changes: it takes a while to find out.

use lru::LruCache;
use rather_study::analysis::advice::Advice;
use rather_study::definition::Pooling;
use rather_study::{Error, Study};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

/// Participants whose advice is kept.
const MOST: NonZeroUsize = NonZeroUsize::new(200).unwrap();

/// What an advice rests on: of every participant who matters, how far they are.
type Stamp = Vec<(u64, u32)>;

/// Advice by participant.
#[derive(Debug)]
pub struct Advices(Mutex<LruCache<String, (Stamp, Arc<Advice>)>>);

impl Default for Advices {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(MOST)))
    }
}

impl Advices {
    /// The advice for a participant now; `None` before the first answer.
    ///
    /// # Errors
    /// If the study cannot be read or learned from.
    pub fn now(&self, study: &mut Study, participant: &str) -> Result<Option<Arc<Advice>>, Error> {
        let stamp = stamp(study, participant)?;
        if let Some((known, advice)) = self.kept().get(participant)
            && *known == stamp
        {
            return Ok(Some(Arc::clone(advice)));
        }
        let advice = match study.advice(participant) {
            Ok(advice) => Arc::new(advice),
            Err(Error::NoAnswers { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        self.kept().put(participant.to_owned(), (stamp, Arc::clone(&advice)));
        Ok(Some(advice))
    }

    /// The advice that was found last, which a few answers may have overtaken.
    pub fn last(&self, participant: &str) -> Option<Arc<Advice>> {
        self.kept().get(participant).map(|(_, advice)| Arc::clone(advice))
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, LruCache<String, (Stamp, Arc<Advice>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stamp(study: &mut Study, participant: &str) -> Result<Stamp, Error> {
    let names = match study.definition().participants.model {
        Pooling::Separate => vec![participant.to_owned()],
        Pooling::Together | Pooling::Collaborative => study.participants()?,
    };
    let far = |name: &String| {
        let history = study.history(name)?;
        let last = history.entries.last().map_or(0, |entry| entry.event);
        Ok((last.unsigned_abs(), history.undone))
    };
    names.iter().map(far).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rather_study::{Answer, Ask, Definition};

    #[test]
    fn advice_is_found_again_until_something_changes() {
        let folder = tempfile::tempdir().unwrap();
        let mut study =
            Study::create(&folder.path().join("s.db"), "tea", &Definition::of_items(["a", "b", "c"]))
                .unwrap();
        let advices = Advices::default();
        assert!(advices.now(&mut study, "ann").unwrap().is_none() && advices.last("ann").is_none());
        let answer = |study: &mut Study| {
            let Ask::Duel(asked) = study.ask("ann").unwrap() else { panic!("it has no end") };
            study.tell("ann", Some(asked.number), Answer::Left, None).unwrap();
        };
        answer(&mut study);
        let first = advices.now(&mut study, "ann").unwrap().unwrap();
        assert!(Arc::ptr_eq(&first, &advices.now(&mut study, "ann").unwrap().unwrap()));
        answer(&mut study);
        assert!(Arc::ptr_eq(&first, &advices.last("ann").unwrap()));
        let second = advices.now(&mut study, "ann").unwrap().unwrap();
        assert_eq!((first.answers, second.answers), (1, 2));
        study.undo("ann", None).unwrap();
        assert_eq!(advices.now(&mut study, "ann").unwrap().unwrap().answers, 1);
    }
}

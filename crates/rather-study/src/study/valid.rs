//! Whether an event fits the definition of its study. What was recorded did; what does not was damaged since.

use crate::Alternative;
use crate::definition::check_name;
use crate::event::{EventRow, options_of};
use crate::learner::{Arena, Learner};

/// Whether `event` may be in a study.
///
/// # Errors
/// What is wrong with it, in words.
pub(crate) fn check(learner: &Learner, event: &EventRow) -> Result<(), String> {
    let id = event.id;
    check_name(&event.participant).map_err(|e| format!("event {id} is of no participant: {e}"))?;
    if event.count == 0 {
        return Err(format!("event {id} counts 0 times"));
    }
    let (options, expected) = (options_of(event)?, learner.definition.options);
    // What is undone names none; a half question is found where it is read.
    if options.len() > 2 && options.len() != expected {
        let found = options.len();
        return Err(format!(
            "event {id} is about {found} options, and a question of the study about {expected}"
        ));
    }
    for alternative in &options {
        check_side(learner, alternative).map_err(|problem| format!("event {id}: {problem}"))?;
    }
    Ok(())
}

fn check_side(learner: &Learner, alternative: &Alternative) -> Result<(), String> {
    match (&learner.subject, alternative) {
        // The definition would search its list.
        (Arena::Pool { numbers, .. }, Alternative::Item(key)) => match numbers.get(key) {
            Some(_) => Ok(()),
            None => Err(format!("{} is no item of the study", rather_io::quote(key))),
        },
        (Arena::Domain { .. }, Alternative::Item(text)) => {
            Err(format!("{} is no setting of the study", rather_io::quote(text)))
        }
        (_, setting) => learner.definition.normalised(setting).map(|_| ()),
    }
}

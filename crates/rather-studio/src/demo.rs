//! The studies that a new file begins with: a noise suppressor to tune by ear.

use crate::Error;
use crate::presentation::Presentation;
use crate::refusal::Refusal;
use crate::registry::Registry;
use crate::render::setup::SUPPRESSOR;
use crate::render::suppressor::{FLOOR, space};
use rather::design::Policy;
use rather_study::Definition;
use rather_study::definition::Subject;

/// Makes the demo studies in a file that has no study at all, put away or not.
///
/// # Errors
/// If the file cannot be written.
pub fn make(registry: &Registry) -> Result<(), Error> {
    if !registry.is_new()? {
        return Ok(());
    }
    for (title, both, answers) in
        [("Noise: how much to take away", false, 15), ("Noise: how much, and how hard", true, 40)]
    {
        registry.make(&definition(title, both, answers), &[]).map_err(reason)?;
    }
    Ok(())
}

/// The floor of the suppressor alone, or with `both` its over-subtraction, too.
pub fn definition(title: &str, both: bool, answers: u32) -> Definition {
    let presentation = Presentation {
        renderer: Some(SUPPRESSOR.to_owned()),
        units: [(FLOOR.to_owned(), "dB".to_owned())].into(),
        demo: true,
        ..Presentation::default()
    };
    let mut definition = Definition {
        title: title.to_owned(),
        question: "Which sounds better?".to_owned(),
        policy: Policy::default(),
        presentation: presentation.entries(),
        ..Definition::new(Subject::Parameters(space(both)))
    };
    definition.stop.answers = Some(answers);
    definition
}

fn reason(refusal: Refusal) -> Error {
    Error::Server { reason: refusal.sentence }
}

//! Why an alternative cannot be shown, for those who run the studio and for those who do not.

use crate::refusal::{Code, Refusal};
use crate::registry::Live;
use crate::render::RenderError;
use crate::render::cache::Refused;
use crate::view::{Reader, letter};
use rather_study::Alternative;

/// Why an alternative cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unshown {
    /// The renderer of this name failed.
    Renderer(String, RenderError),
    /// Anything else, such as too many renderings at once.
    Other(Refusal),
}

impl Unshown {
    /// Why `alternative` was not rendered. A failure goes to the log, with the study and the setting.
    pub fn of(refused: Refused, live: &Live, alternative: &Alternative) -> Self {
        let error = match refused {
            Refused::Busy => {
                let sentence = "too much is being rendered at once; try again in a moment";
                return Self::Other(Refusal::new(Code::Busy, sentence));
            }
            Refused::Failed(error) => error,
        };
        let renderer = live.presentation.renderer.clone().unwrap_or_default();
        let (study, name) = (rather_io::quote(&live.name), rather_io::quote(&renderer));
        let complaints = match &error {
            RenderError::Ended { complaints, .. } if complaints.lines().count() > 1 => {
                format!("\n{complaints}")
            }
            _ => String::new(),
        };
        eprintln!("error: study {study}: the renderer {name} failed on {alternative}: {error}{complaints}");
        Self::Renderer(renderer, error)
    }

    /// The reason, as a part of a sentence. Whoever runs the studio is told all, others nothing of its machine.
    pub fn reason(&self, reader: Reader) -> String {
        match (self, reader) {
            (Self::Renderer(name, error), Reader::Operator) => {
                format!("the renderer {} failed: {error}", rather_io::quote(name))
            }
            (Self::Renderer(_, error), _) => {
                format!("the program that renders it did not succeed: {}", error.plain())
            }
            (Self::Other(refusal), _) => refusal.sentence.clone(),
        }
    }
}

/// Why a question cannot be answered, if some of its options cannot be shown: a sentence.
pub fn blocked(options: &[Option<&Unshown>], reader: Reader) -> Option<String> {
    let reason = options.iter().flatten().next()?.reason(reader);
    let letters: Vec<String> = (0..options.len()).filter(|&i| options[i].is_some()).map(letter).collect();
    let which = match letters.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => return None,
    };
    Some(format!("{which} cannot be shown: {reason}"))
}

impl From<Refusal> for Unshown {
    fn from(refusal: Refusal) -> Self {
        Self::Other(refusal)
    }
}

impl From<Unshown> for Refusal {
    fn from(unshown: Unshown) -> Self {
        match unshown {
            Unshown::Renderer(_, error) => Self::new(
                Code::Renderer,
                format!(
                    "the renderer did not succeed: {}; skip this pair, or inform the operator of the study",
                    error.plain()
                ),
            ),
            Unshown::Other(refusal) => refusal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn participants_learn_less_than_the_operator() {
        let error =
            RenderError::Ended { status: "exit status: 3".into(), complaints: "no /home/ann/x".into() };
        let unshown = Unshown::Renderer("synth".into(), error);
        assert_eq!(
            blocked(&[None, Some(&unshown)], Reader::Operator).unwrap(),
            "B cannot be shown: the renderer \"synth\" failed: it ended with exit status: 3: no /home/ann/x"
        );
        let told = blocked(&[Some(&unshown), Some(&unshown)], Reader::Participant).unwrap();
        assert_eq!(told, "A and B cannot be shown: the program that renders it did not succeed: it failed");
        assert_eq!(blocked(&[None, None], Reader::Operator), None);
        let told =
            blocked(&[Some(&unshown), None, Some(&unshown), Some(&unshown)], Reader::Participant).unwrap();
        assert!(told.starts_with("A, C and D cannot be shown: "), "{told}");
    }
}

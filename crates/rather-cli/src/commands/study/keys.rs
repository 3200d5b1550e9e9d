//! What a person types in the terminal.

use crate::failure::Failure;
use crate::output::printable;
use rather_study::definition::Answers;
use rather_study::{Answer, Definition, Error};
use std::io::{self, Write};

/// What the participant types.
pub(in crate::commands) enum Key {
    Answer(Answer),
    Undo,
    Quit,
}

/// What may be typed where a study takes these answers.
fn prompt(takes: Answers) -> String {
    let what = match takes {
        Answers::Best => "number of the best,",
        Answers::BestAndWorst => "numbers of the best and of the worst, as in 1 3;",
        Answers::Sides => "l left, r right,",
        Answers::Ties => "l left, r right, t no preference,",
        Answers::Graded => "ll left much better, l left, t no preference, r right, rr right much better,",
        Answers::Numbers(kind) => {
            let scale = kind.scale().unwrap_or(1);
            return format!(
                "a number: {scale} left much better, 0 no preference, -{scale} right much better; s skip, u undo, q quit: "
            );
        }
    };
    format!("{what} s skip, u undo, q quit: ")
}

/// Bytes of standard input that are read: more than anybody presses in a session, and an end for what never ends.
pub(in crate::commands) const MOST_KEYS: u64 = 1 << 20;

/// Reads the next key, until it is one.
pub(in crate::commands) fn read_key(
    definition: &Definition,
    lines: &mut impl Iterator<Item = io::Result<String>>,
    screen: &mut impl Write,
) -> Result<Key, Failure> {
    loop {
        write!(screen, "{}", prompt(definition.answers))?;
        screen.flush()?;
        let Some(line) = lines.next() else {
            writeln!(screen)?;
            return Ok(Key::Quit);
        };
        let line =
            line.map_err(|error| Failure::Internal(format!("could not read standard input: {error}")))?;
        let typed = line.trim().to_lowercase();
        let known = match typed.as_str() {
            "u" | "undo" => return Ok(Key::Undo),
            "q" | "quit" => return Ok(Key::Quit),
            "s" => Some(Answer::Skip),
            _ if definition.is_of_sets() || definition.answers.numbers().is_some() => None,
            "l" | "1" => Some(Answer::Left),
            "r" | "2" => Some(Answer::Right),
            "ll" => Some(Answer::MuchLeft),
            "rr" => Some(Answer::MuchRight),
            "t" => Some(Answer::Tie),
            _ => None,
        };
        let known = known.filter(|&answer| definition.check_answer(answer).is_ok());
        match known.map_or_else(|| definition.parse_answer(&typed), Ok) {
            Ok(answer) => return Ok(Key::Answer(answer)),
            Err(error @ (Error::NoOption { .. } | Error::SameExtremes { .. })) => {
                writeln!(screen, "{}", printable(&error.to_string()))?;
            }
            Err(_) => writeln!(screen, "\"{}\" is not one of the keys", printable(&typed))?,
        }
    }
}

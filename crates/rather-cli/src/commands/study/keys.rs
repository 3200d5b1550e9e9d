//! What a person types in the terminal.

use crate::failure::Failure;
use crate::output::printable;
use rather_study::Answer;
use rather_study::definition::Answers;
use std::io::{self, Write};

/// What the participant types.
pub(in crate::commands) enum Key {
    Answer(Answer),
    Undo,
    Quit,
}

/// What may be typed where a study takes these answers.
fn prompt(takes: Answers) -> &'static str {
    match takes {
        Answers::Sides => "l left, r right, s skip, u undo, q quit: ",
        Answers::Ties => "l left, r right, t no preference, s skip, u undo, q quit: ",
        Answers::Graded => {
            "ll left much better, l left, t no preference, r right, rr right much better, s skip, u undo, q quit: "
        }
    }
}

/// Bytes of standard input that are read: more than anybody presses in a session, and an end for what never ends.
pub(in crate::commands) const MOST_KEYS: u64 = 1 << 20;

/// Reads the next key, until it is one.
pub(in crate::commands) fn read_key(
    takes: Answers,
    lines: &mut impl Iterator<Item = io::Result<String>>,
    screen: &mut impl Write,
) -> Result<Key, Failure> {
    loop {
        write!(screen, "{}", prompt(takes))?;
        screen.flush()?;
        let Some(line) = lines.next() else {
            writeln!(screen)?;
            return Ok(Key::Quit);
        };
        let line =
            line.map_err(|error| Failure::Internal(format!("could not read standard input: {error}")))?;
        let typed = line.trim().to_lowercase();
        let answer = match typed.as_str() {
            "u" | "undo" => return Ok(Key::Undo),
            "q" | "quit" => return Ok(Key::Quit),
            "l" | "1" => Some(Answer::Left),
            "r" | "2" => Some(Answer::Right),
            "ll" => Some(Answer::MuchLeft),
            "rr" => Some(Answer::MuchRight),
            "t" => Some(Answer::Tie),
            "s" => Some(Answer::Skip),
            words => takes.parse(words).ok(),
        };
        if let Some(answer) = answer.filter(|&answer| takes.allow(answer)) {
            return Ok(Key::Answer(answer));
        }
        writeln!(screen, "\"{}\" is not one of the keys", printable(&typed))?;
    }
}

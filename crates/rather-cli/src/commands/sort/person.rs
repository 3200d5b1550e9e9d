//! The person at the terminal as the judge.

use super::Asked;
use crate::commands::study::{Key, MOST_KEYS, read_key};
use crate::failure::Failure;
use crate::output::{Output, printable};
use rather_study::sort::{Question, Sort};
use rather_study::study::SOMEBODY;
use rather_study::{Answer, Error};
use std::io::{self, BufRead, Read, Write};

/// Asks until the list is sorted well enough, the budget is spent, or the person quits.
pub(super) fn ask(sort: &mut Sort, both_orders: bool, out: &mut Output) -> Result<Asked, Failure> {
    let mut lines = io::stdin().lock().take(MOST_KEYS).lines();
    let mut waiting: Vec<Question> = Vec::new();
    loop {
        if waiting.is_empty() {
            // With both orders the second comes next.
            waiting = sort.questions(if both_orders { 2 } else { 1 }, &[])?;
        }
        let Some(&question) = waiting.first() else { break };
        let progress = sort.progress()?;
        let mut screen = out.screen();
        let side = |item: usize| printable(&sort.keys()[item]);
        let (number, budget) = (progress.answers + 1, progress.budget);
        writeln!(screen, "{number} of {budget}: {}", printable(&sort.study().definition().question))?;
        writeln!(screen, "  left   {}\n  right  {}", side(question.left), side(question.right))?;
        match read_key(sort.study().definition(), &mut lines, &mut screen)? {
            Key::Answer(answer) => {
                sort.tell(SOMEBODY, question, answer)?;
                match answer {
                    // Nor in the other order.
                    Answer::Skip => waiting.clear(),
                    _ => drop(waiting.remove(0)),
                }
            }
            Key::Undo => match sort.undo(SOMEBODY) {
                Ok(()) => waiting.clear(),
                Err(error @ Error::NothingToUndo { .. }) => {
                    writeln!(screen, "{}", printable(&error.to_string()))?
                }
                Err(error) => return Err(error.into()),
            },
            Key::Quit => break,
        }
    }
    Ok(Asked::default())
}

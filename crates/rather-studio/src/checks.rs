//! Duels that check on a participant: an earlier one again, or the same on both sides.

use crate::presentation::Presentation;
use rather_study::definition::Subject;
use rather_study::history::{Entry, History, Source};
use rather_study::{Alternative, Answer, Check, Definition};
use std::collections::HashSet;

/// A check to ask: its sides, and its kind.
pub type Due = ((Alternative, Alternative), Check);

/// The check that the next duel of a participant has to be, if any. None while a duel waits or after as many answers as the study asks for.
///
/// It depends on the history alone, so that an answer that is taken back and given again leads to the same check.
pub fn due(history: &History, definition: &Definition, presentation: &Presentation) -> Option<Due> {
    let budget = definition.stop.answers;
    if history.open.is_some() || budget.is_some_and(|budget| answered(history) >= budget) {
        return None;
    }
    let trained = u32::try_from(of_training(history).count()).unwrap_or(u32::MAX);
    if trained < presentation.training && answered(history) == 0 {
        return Some((training(definition, trained as usize), Check::Training));
    }
    // Checks fall among what counts, as if there had been no training.
    let number = history.asked - trained.min(history.asked) + 1;
    let falls = |every: u32, number: u32| every > 1 && number > 0 && number.is_multiple_of(every);
    if falls(presentation.catches, number) {
        return Some((catch(history)?, Check::Catch));
    }
    // A repeat that a catch trial pushed aside comes right after it.
    let pushed = falls(presentation.catches, number - 1) && falls(presentation.repeats, number - 1);
    if falls(presentation.repeats, number) || pushed {
        return Some((repeat(history)?, Check::Repeat));
    }
    None
}

/// What was answered, or passed over, to get used to the task.
fn of_training(history: &History) -> impl Iterator<Item = &Entry> {
    history.entries.iter().filter(|entry| entry.check == Some(Check::Training))
}

/// How many duels of the kind of the open one were answered: of training those passed over, too.
pub fn done(history: &History) -> usize {
    let training = history.open.as_ref().is_some_and(|open| open.check == Some(Check::Training));
    if training {
        return of_training(history).count();
    }
    let counts = |e: &&Entry| {
        e.source == Source::Asked && e.answer != Answer::Skip && e.check != Some(Check::Training)
    };
    history.entries.iter().filter(counts).count()
}

/// The sides of training duel `k`, from 0: settings that are far apart, or items, of another group each time where they have groups.
fn training(definition: &Definition, k: usize) -> (Alternative, Alternative) {
    match &definition.subject {
        Subject::Parameters(space) => {
            let [low, middle, high] =
                [0.0, 0.5, 1.0].map(|u| Alternative::Setting(crate::making::at(space, u)));
            match k % 3 {
                1 if middle != low => (high, middle),
                2 if middle != low => (middle, low),
                _ if k.is_multiple_of(2) => (low, high),
                _ => (high, low),
            }
        }
        Subject::Items(items) => {
            let groups = definition.groups().unwrap_or_else(|| vec![(0..items.keys.len()).collect()]);
            let group = &groups[k % groups.len()];
            let first = 2 * (k / groups.len());
            let item = |place: usize| Alternative::Item(items.keys[group[place % group.len()]].clone());
            (item(first), item(first + 1))
        }
    }
}

/// How many duels of about `budget` answers there will be, catch trials included, which do not count as answers.
pub fn total(presentation: &Presentation, budget: u32) -> u32 {
    match presentation.catches {
        0 | 1 => budget,
        every => budget + budget.saturating_sub(1) / (every - 1),
    }
}

/// Number of answers to which the budget applies.
fn answered(history: &History) -> u32 {
    let counts = |e: &&Entry| e.is_answer() && e.source == Source::Asked;
    history.entries.iter().filter(counts).count().try_into().unwrap_or(u32::MAX)
}

/// What was preferred last, twice.
fn catch(history: &History) -> Option<(Alternative, Alternative)> {
    let last = history.entries.iter().rfind(|e| e.is_answer())?;
    let side = if last.answer.plain() == Answer::Right { &last.right } else { &last.left };
    Some((side.clone(), side.clone()))
}

/// The duel that was answered longest ago and not repeated yet, with its sides exchanged: it is remembered least, and says
/// most about a taste that changes.
fn repeat(history: &History) -> Option<(Alternative, Alternative)> {
    let repeated: HashSet<(String, String)> = history
        .entries
        .iter()
        .filter(|e| e.check == Some(Check::Repeat))
        .map(|e| (e.right.to_string(), e.left.to_string()))
        .collect();
    let fresh = |e: &&Entry| {
        e.is_answer()
            && e.source == Source::Asked
            && e.check.is_none()
            && !repeated.contains(&(e.left.to_string(), e.right.to_string()))
    };
    history.entries.iter().find(fresh).map(|e| (e.right.clone(), e.left.clone()))
}

/// How many comparisons a participant answered again, and how many of them alike.
pub fn repeats(history: &History) -> (usize, usize) {
    let again = history.entries.iter().filter(|e| e.check == Some(Check::Repeat) && e.is_answer());
    let pairs = again.filter_map(|e| {
        let first =
            |other: &&Entry| other.check.is_none() && (&other.left, &other.right) == (&e.right, &e.left);
        Some((history.entries.iter().find(first)?, e))
    });
    let alike: Vec<bool> =
        pairs.map(|(first, again)| again.answer.plain() == mirrored(first.answer.plain())).collect();
    (alike.len(), alike.iter().filter(|alike| **alike).count())
}

/// The same answer where the sides are exchanged.
fn mirrored(answer: Answer) -> Answer {
    match answer {
        Answer::Left => Answer::Right,
        Answer::Right => Answer::Left,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(key: &str) -> Alternative {
        Alternative::Item(key.to_owned())
    }

    fn entry(duel: u32, sides: (&str, &str), answer: Answer, check: Option<Check>) -> Entry {
        Entry {
            event: i64::from(duel),
            duel: Some(duel),
            left: item(sides.0),
            right: item(sides.1),
            others: Vec::new(),
            answer,
            count: 1,
            asked: None,
            time: 0,
            source: Source::Asked,
            check,
            timing: None,
        }
    }

    fn history(entries: Vec<Entry>) -> History {
        let mut history = History::default();
        (history.asked, history.entries) = (entries.len() as u32, entries);
        history
    }

    fn asked_of(history: &History, presentation: &Presentation, budget: Option<u32>) -> Option<Due> {
        let mut definition = Definition::of_items(["a", "b", "c", "d", "e"]);
        definition.stop.answers = budget;
        due(history, &definition, presentation)
    }

    #[test]
    fn training_comes_first_and_checks_fall_as_if_there_were_none() {
        let shown = Presentation { training: 2, ..every(2, 0) };
        let trained = |n: u32, answer| entry(n, ("a", "b"), answer, Some(Check::Training));
        let mut entries = Vec::new();
        assert_eq!(
            asked_of(&history(Vec::new()), &shown, None),
            Some(((item("a"), item("b")), Check::Training))
        );
        entries.push(trained(1, Answer::Left));
        assert_eq!(
            asked_of(&history(entries.clone()), &shown, None),
            Some(((item("c"), item("d")), Check::Training))
        );
        entries.push(trained(2, Answer::Skip));
        assert_eq!(asked_of(&history(entries.clone()), &shown, None), None);
        assert_eq!((done(&history(entries.clone())), history(entries.clone()).answers()), (0, 0));
        entries.push(entry(3, ("a", "b"), Answer::Left, None));
        assert_eq!(asked_of(&history(entries), &shown, None).unwrap().1, Check::Repeat);
    }

    fn every(repeats: u32, catches: u32) -> Presentation {
        Presentation { repeats, catches, ..Presentation::default() }
    }

    #[test]
    fn a_repeat_is_the_oldest_answer_with_its_sides_exchanged() {
        let asked = vec![
            entry(1, ("a", "b"), Answer::Skip, None),
            entry(2, ("c", "d"), Answer::Left, None),
            entry(3, ("e", "f"), Answer::Right, None),
        ];
        let (sides, check) = asked_of(&history(asked.clone()), &every(4, 0), None).unwrap();
        assert_eq!((sides, check), ((item("d"), item("c")), Check::Repeat));
        let mut more = asked;
        more.push(entry(4, ("d", "c"), Answer::Right, Some(Check::Repeat)));
        assert_eq!(asked_of(&history(more.clone()), &every(5, 0), None).unwrap().0, (item("f"), item("e")));
        assert_eq!(asked_of(&history(more), &every(4, 0), None), None);
    }

    #[test]
    fn a_catch_trial_shows_the_last_preferred_twice_and_pushes_a_repeat_aside() {
        let asked = vec![entry(1, ("a", "b"), Answer::Right, None)];
        let (sides, check) = asked_of(&history(asked.clone()), &every(2, 2), None).unwrap();
        assert_eq!((sides, check), ((item("b"), item("b")), Check::Catch));
        let mut more = asked;
        more.push(entry(2, ("b", "b"), Answer::Tie, Some(Check::Catch)));
        assert_eq!(asked_of(&history(more), &every(2, 2), None).unwrap().1, Check::Repeat);
    }

    #[test]
    fn repeats_agree_where_the_other_side_is_preferred() {
        let again = |answer| entry(2, ("b", "a"), answer, Some(Check::Repeat));
        let first = || entry(1, ("a", "b"), Answer::Left, None);
        assert_eq!(repeats(&history(vec![first(), again(Answer::Right)])), (1, 1));
        assert_eq!(repeats(&history(vec![first(), again(Answer::Left)])), (1, 0));
        assert_eq!(repeats(&history(vec![first()])), (0, 0));
    }

    #[test]
    fn there_is_no_check_before_an_answer_nor_after_the_last() {
        assert_eq!(asked_of(&history(Vec::new()), &every(1, 1), None), None);
        let asked = vec![entry(1, ("a", "b"), Answer::Right, None)];
        assert_eq!(asked_of(&history(asked), &every(2, 0), Some(1)), None);
    }

    #[test]
    fn catch_trials_come_on_top_of_the_answers() {
        let totals = [0, 5, 10].map(|every_so_many| total(&every(0, every_so_many), 15));
        // Every fifth duel is a catch trial: of 18 duels, the 5th, 10th and 15th are, and 15 are answers.
        assert_eq!(totals, [15, 18, 16]);
    }
}

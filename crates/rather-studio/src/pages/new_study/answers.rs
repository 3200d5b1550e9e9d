//! The third step: answers and people.

use super::fields::{Errors, input, select, textarea, tick};
use crate::form::StudyForm;
use maud::{Markup, html};
use rather::acquisition::{Acquisition, Goal};
use rather_study::definition::Answers;

/// Acquisition functions for people: name, words.
fn acquisitions() -> Vec<(String, &'static str)> {
    let useful = Acquisition::all().filter(|a| a.goal() != Goal::Baseline);
    useful.map(|a| (a.to_string(), a.title())).collect()
}

/// Opponents for people.
const OPPONENTS: [(&str, &str); 3] =
    [("winner", "the winner of the last comparison"), ("best", "the best so far"), ("any", "anything")];

/// Whose answers are learned from.
const LEARNING: [(&str, &str); 3] = [
    ("separate", "from each person\u{2019}s own answers"),
    ("collaborative", "each person\u{2019}s preferences, from all answers (collaborative)"),
    ("together", "one pooled model of all answers"),
];

/// How answers are taken in.
const INFERENCES: [(&str, &str); 2] = [
    ("ep", "all together (expectation propagation)"),
    ("streaming", "one after the other, online (streaming)"),
];

/// What may be answered, for people: name, words.
fn kinds_of_answers() -> Vec<(&'static str, String)> {
    let words = |answers: Answers| match answers {
        Answers::Sides => "one of the two".to_owned(),
        Answers::Ties => "one of the two, or no preference".to_owned(),
        Answers::Graded => "a little or much better, or no preference".to_owned(),
        Answers::Numbers(kind) => {
            let scale = kind.scale().unwrap_or(1);
            format!("by how much, from 0 to {scale} for either ({})", kind.0.name())
        }
        Answers::Best => "of more than two, the best".to_owned(),
        Answers::BestAndWorst => "of more than two, the best and the worst".to_owned(),
    };
    Answers::known().into_iter().map(|answers| (answers.name(), words(answers))).collect()
}

const OPTIONS: [(&str, &str); 11] = [
    ("2", "2, which are compared"),
    ("3", "3"),
    ("4", "4"),
    ("5", "5"),
    ("6", "6"),
    ("7", "7"),
    ("8", "8"),
    ("9", "9"),
    ("10", "10"),
    ("11", "11"),
    ("12", "12"),
];

/// Distances between checks.
const EVERY: [(&str, &str); 4] =
    [("0", "never"), ("20", "every 20th"), ("10", "every 10th"), ("5", "every 5th")];

pub(super) fn step(form: &StudyForm, errors: &Errors<'_>) -> Markup {
    html! { (duels(form, errors)) (people(form, errors)) (programs(form, errors)) }
}

/// The fields of [`duels`] that are hidden at first.
const HOW: [&str; 7] = ["acquisition", "opponent", "half_life", "inference", "drift", "repeats", "catches"];

fn duels(form: &StudyForm, errors: &Errors<'_>) -> Markup {
    let acquisitions = acquisitions();
    let acquisitions: Vec<(&str, &str)> =
        acquisitions.iter().map(|(name, words)| (&**name, *words)).collect();
    let kinds = kinds_of_answers();
    let kinds: Vec<(&str, &str)> = kinds.iter().map(|(name, words)| (*name, &**words)).collect();
    html! {
        (input("duels", "Number of comparisons", "For each participant; empty for no limit.", &form.duels, errors))
        (select("options", "Options of a question", "Of more than two items of a list the best is asked, or the best and the worst.", &OPTIONS, &form.options, errors))
        (select("answers", "Answer options", "", &kinds, &form.answers, errors))
        fieldset.ticks {
            legend { "The page of a comparison" }
            (tick("blind", "Hide settings and names", form.blind))
            (tick("restart", "Start sounds over at each switch", form.restart))
            (tick("loudness", "Play both sounds equally loud", form.loudness))
            (tick("hear_both", "Take an answer only when both sounds were played", form.hear_both))
        }
        details.more open[HOW.iter().any(|f| errors.of(f).is_some())] {
            summary { "How comparisons are chosen and checked, and how the model is learned" }
            (select("acquisition", "The next comparison is", "", &acquisitions, &form.acquisition, errors))
            (select("opponent", "against", "", &OPPONENTS, &form.opponent, errors))
            (input("half_life", "Half-life of answers", "An answer counts half after so many others. Leave this empty for all to count the same.",
                &form.half_life, errors))
            (select("inference", "Answers are processed", "", &INFERENCES, &form.inference, errors))
            (input("drift", "Drift of preferences, in answers", "For preferences that drift, with streaming: the correlation of a utility with its earlier value halves in so many answers. Leave this empty if they do not.",
                &form.drift, errors))
            (select("repeats", "Repeat an earlier comparison", "To measure how consistent answers are.", &EVERY, &form.repeats, errors))
            (select("catches", "Show the same on both sides", "Catch trials: no preference is right.", &EVERY, &form.catches, errors))
        }
    }
}

/// The fields of [`people`] that may be wrong.
const PEOPLE: [&str; 4] = ["participants", "training", "questionnaire", "redirect"];

fn people(form: &StudyForm, errors: &Errors<'_>) -> Markup {
    let languages: Vec<(&str, &str)> = crate::languages::all().collect();
    html! {
        details.more open[!form.participants.is_empty() || PEOPLE.iter().any(|f| errors.of(f).is_some())] {
            summary { "Participants" }
            (textarea("participants", "Names", "One per line; each gets a link. Leave this empty to answer yourself, or to make links later.",
                &form.participants, 3, errors))
            (select("learning", "Learn", "With everyone\u{2019}s answers, the tenth person needs fewer comparisons than the first.", &LEARNING, &form.learning, errors))
            (select("language", "Language of their pages", "", &languages, &form.language, errors))
            (input("training", "Training comparisons", "So many at the beginning show what to do, and do not count.", &form.training, errors))
            (textarea("instructions", "Instructions", "What who comes by a link reads first.", &form.instructions, 3, errors))
            (textarea("consent", "Consent", "What they must agree to before they begin. Leave this empty if there is nothing.", &form.consent, 2, errors))
            (tick("volume_check", "Set the volume first, and test for headphones (for sounds)", form.volume_check))
            (textarea("questionnaire", "Questions at the end", "One per line; choices after the question: Headphones? yes | no. A star at the end of a line: may be left open.",
                &form.questionnaire, 3, errors))
            (textarea("thanks", "At the end", "What they read when all is answered.", &form.thanks, 2, errors))
            (input("redirect", "And then", "A web address to which they go on, such as that of a questionnaire.", &form.redirect, errors))
        }
    }
}

/// What programs of the operator are told.
fn programs(form: &StudyForm, errors: &Errors<'_>) -> Markup {
    html! {
        details.more open[!form.webhook.is_empty() || errors.of("webhook").is_some()] {
            summary { "Programs" }
            (input("webhook", "Webhook", "A web address, of http, to which each answer is reported as JSON when it is given.", &form.webhook, errors))
        }
    }
}

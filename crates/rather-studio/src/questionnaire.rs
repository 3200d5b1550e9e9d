//! Questions to participants about themselves or the study, which are no comparisons.

use rather_io::quote;
use serde::{Deserialize, Serialize};

/// A question, and what may be answered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// What is asked.
    pub question: String,
    /// What may be chosen; anything may be written if there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Whether it may be left open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// More questions than this are another study.
const MOST: usize = 100;
/// Longer questions and answers are mistakes.
const LONGEST: usize = 2000;

/// Whether these can be asked.
///
/// # Errors
/// What is wrong with the first that cannot.
pub fn check(questions: &[Question]) -> Result<(), String> {
    if questions.len() > MOST {
        return Err(format!("{} questions are more than {MOST}; ask fewer", questions.len()));
    }
    for (i, Question { question, choices, .. }) in questions.iter().enumerate() {
        if question.trim().is_empty() || question.len() > LONGEST {
            return Err(format!("question {} is empty or too long; write up to {LONGEST} characters", i + 1));
        }
        if questions[..i].iter().any(|other| other.question == *question) {
            return Err(format!("{} is asked twice; remove one", quote(question)));
        }
        if choices.len() == 1 || choices.iter().any(|choice| choice.trim().is_empty()) {
            return Err(format!(
                "{} needs at least two choices, none of them empty, or no choices at all",
                quote(question)
            ));
        }
    }
    Ok(())
}

/// Questions as a form has them, one per line: `Your age?`, or `Headphones? yes | no` with choices after the question mark or a colon. A star at the
/// end says that it may be left open.
pub fn read(text: &str) -> Vec<Question> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(read_line).collect()
}

fn read_line(line: &str) -> Question {
    let (line, optional) = line.strip_suffix('*').map_or((line, false), |line| (line.trim_end(), true));
    let split = line.contains('|').then(|| line.find(['?', ':'])).flatten();
    let Some(at) = split else {
        return Question { question: line.to_owned(), choices: Vec::new(), optional };
    };
    // A colon only separates; a question mark belongs to the question.
    let (question, rest) = line.split_at(at + 1);
    let question = question.strip_suffix(':').unwrap_or(question).trim().to_owned();
    let choices = rest.split('|').map(|choice| choice.trim().to_owned()).collect();
    Question { question, choices, optional }
}

/// The answers to questions, in their order, as they were sent.
///
/// # Errors
/// The sentence that says which answer is missing or none.
pub fn answers(
    questions: &[Question],
    sent: impl Fn(usize) -> Option<String>,
) -> Result<Vec<(String, String)>, String> {
    let mut answers = Vec::new();
    for (i, Question { question, choices, optional }) in questions.iter().enumerate() {
        let answer = sent(i).unwrap_or_default().trim().to_owned();
        let known = choices.is_empty() || choices.contains(&answer);
        match answer.as_str() {
            "" if *optional => continue,
            "" => {
                return Err(format!(
                    "{} has no answer; go back and answer it, nothing was recorded",
                    quote(question)
                ));
            }
            _ if answer.len() > LONGEST => {
                return Err(format!("the answer to {} is too long; shorten it", quote(question)));
            }
            _ if !known => return Err(format!("{} is no answer to {}", quote(&answer), quote(question))),
            _ => answers.push((question.clone(), answer)),
        }
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_questions_with_or_without_choices() {
        let read = read("Your age?\n\nHeadphones? yes | no\nHearing: good | fair | poor *\nRemarks *\n");
        let choices: Vec<usize> = read.iter().map(|q| q.choices.len()).collect();
        assert_eq!(choices, [0, 2, 3, 0]);
        assert_eq!((read[1].question.as_str(), read[2].question.as_str()), ("Headphones?", "Hearing"));
        assert_eq!(read.iter().map(|q| q.optional).collect::<Vec<_>>(), [false, false, true, true]);
        assert_eq!(check(&read), Ok(()));
        assert!(check(&super::read("Age? 1 |")).unwrap_err().contains("none of them empty"));
        assert!(check(&super::read("Age?\nAge?")).unwrap_err().contains("asked twice"));
    }

    #[test]
    fn answers_are_those_that_may_be_given() {
        let asked = read("Your age?\nHeadphones? yes | no\nRemarks *");
        let given = |all: [&str; 3]| answers(&asked, |i| Some(all[i].to_owned()));
        assert_eq!(given(["30", "yes", ""]).unwrap().len(), 2);
        assert!(given(["", "yes", ""]).unwrap_err().contains("\"Your age?\" has no answer"));
        assert!(given(["30", "perhaps", ""]).unwrap_err().contains("\"perhaps\" is no answer"));
    }
}

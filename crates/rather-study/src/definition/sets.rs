//! Questions about sets of options: what they need, and what goes with them.

use crate::{Answer, Error};

use super::{Answers, Definition, Fault, Pooling, Subject, Ties, fault};
use rather::acquisition::{Acquisition, Bald};
use rather::design::{Inference, Opponent};

/// The most options of a question.
pub const MOST_OPTIONS: usize = 12;

impl Definition {
    /// The same with questions about so many `options`, to which these `answers` may be given. Sets have no opponent that all are set against.
    ///
    /// # Examples
    /// ```
    /// use rather_study::Definition;
    /// use rather_study::definition::Answers;
    ///
    /// let teas = Definition::of_items(["Assam", "Keemun", "Oolong", "Sencha"]).asking(3, Answers::Best);
    /// assert!(teas.check().is_ok() && teas.asking(5, Answers::Best).check().is_err());
    /// ```
    #[must_use]
    pub fn asking(mut self, options: usize, answers: Answers) -> Self {
        (self.options, self.answers) = (options, answers);
        if self.is_of_sets() {
            self.policy = self.policy.with_opponent(Opponent::Any);
        }
        self
    }

    /// Whether a question is about a set of more than two options.
    pub fn is_of_sets(&self) -> bool {
        self.options > 2
    }

    /// The answer that of the options called so, in their order, these are the best and the worst one.
    ///
    /// # Errors
    /// [`Error::NotShown`], [`Error::SameExtremes`], and those of [`Definition::check_answer`] if the other number is asked.
    pub fn extremes(&self, shown: &[String], best: &str, worst: Option<&str>) -> Result<Answer, Error> {
        let number = |name: &str| {
            let place =
                shown.iter().position(|option| option == name).and_then(|place| u8::try_from(place + 1).ok());
            place.ok_or_else(|| Error::NotShown { name: name.to_owned(), options: shown.to_vec() })
        };
        let answer = match (number(best)?, worst.map(number).transpose()?) {
            (_, _) if Some(best) == worst => {
                return Err(Error::SameExtremes { option: rather_io::quote(best) });
            }
            (best, None) => Answer::Best(best),
            (best, Some(worst)) => Answer::BestAndWorst(best, worst),
        };
        self.check_answer(answer).map(|()| answer)
    }

    /// The number of options and the answers go together, and so does everything else with sets.
    pub(super) fn check_sets(&self) -> Result<(), Fault> {
        let options = self.options;
        match (options, self.answers.are_of_sets()) {
            (2, false) => return Ok(()),
            (2, true) => {
                let problem = format!(
                    "answers = \"{}\" needs questions about more than two; write options = 4, or any number from 3 to {MOST_OPTIONS}",
                    self.answers.name()
                );
                return Err(fault(["answers"], problem));
            }
            (3..=MOST_OPTIONS, false) => {
                let problem = format!(
                    "options = {options} takes answers = \"best\" or \"best and worst\", not \"{}\"",
                    self.answers.name()
                );
                return Err(fault(["answers"], problem));
            }
            (3..=MOST_OPTIONS, true) => {}
            _ => {
                return Err(fault(
                    ["options"],
                    format!("options = {options} must be from 2 to {MOST_OPTIONS}"),
                ));
            }
        }
        match &self.subject {
            Subject::Items(items) if items.keys.len() < options => {
                let there = items.keys.len();
                return Err(fault(
                    ["options"],
                    format!("options = {options} is more than the {there} items; add items"),
                ));
            }
            Subject::Items(_) => {}
            Subject::Parameters(_) => {
                let problem = format!(
                    "options = {options} needs a list of items, and this study compares settings of parameters; write the settings to \
                     choose among as items, or remove options"
                );
                return Err(fault(["options"], problem));
            }
        }
        self.check_beside_sets()
    }

    /// What a study of sets does not have.
    fn check_beside_sets(&self) -> Result<(), Fault> {
        let options = self.options;
        let policy = &self.policy;
        if policy.opponent != Opponent::Any {
            let problem = format!(
                "opponent = \"{}\" is for comparisons of two; take opponent = \"any\" with options = {options}",
                policy.opponent
            );
            return Err(fault(["policy", "opponent"], problem));
        }
        if policy.acquisition != Acquisition::new(&Bald) {
            let problem = format!(
                "{} chooses comparisons of two, and options = {options} is chosen by information gain; take acquisition = \"bald\"",
                policy.acquisition
            );
            return Err(fault(["policy", "acquisition"], problem));
        }
        if self.ties != Ties::Learn {
            return Err(fault(
                ["ties"],
                format!("ties is for comparisons of two; remove it with options = {options}"),
            ));
        }
        if self.inference == Inference::Streaming {
            let problem = format!(
                "streaming inference is for comparisons of two; take inference = \"ep\" with options = {options}"
            );
            return Err(fault(["inference"], problem));
        }
        if self.half_life.is_some() {
            return Err(fault(
                ["half_life"],
                format!("half_life is for comparisons of two; remove it with options = {options}"),
            ));
        }
        if self.participants.model == Pooling::Collaborative {
            let problem = format!(
                "the model \"collaborative\" is for comparisons of two; take model = \"separate\" or \"together\" with options = {options}"
            );
            return Err(fault(["participants", "model"], problem));
        }
        Ok(())
    }
}

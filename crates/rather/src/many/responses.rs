//! How users' answers come about: one response model for all of them.

use std::sync::Arc;

use super::answers::UserAnswers;
use crate::Error;
use crate::answers::{Answer, Answers};
use crate::inference::observations::{Observation, Observations};
use crate::likelihood::{AnswerIndex, Likelihoods, Reply, Responses, Values};

/// What users may say, the parameters of its likelihoods, and these.
#[derive(Debug, Clone)]
pub struct UserResponses {
    responses: Arc<Responses>,
    values: Values,
    likelihoods: Likelihoods,
}

impl UserResponses {
    /// The likelihoods of `answers` at `values` of the noise of an item and of the other parameters.
    pub fn new(answers: &UserAnswers, values: Values) -> Self {
        let responses = Arc::clone(answers.responses());
        let likelihoods = responses.likelihoods(&values);
        Self { responses, values, likelihoods }
    }

    /// What was said, and how people answer.
    pub fn responses(&self) -> &Responses {
        &self.responses
    }

    /// The likelihoods.
    pub fn likelihoods(&self) -> &Likelihoods {
        &self.likelihoods
    }

    /// The values of the parameters, the noise of an item first.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The answers of somebody new about `items` items, merged, and their likelihoods: what nobody has said before has the parameters of what
    /// was said.
    ///
    /// # Errors
    /// Those of [`Answer::check`]; [`Error::Answer`] for one whose likelihood has parameters that were not learned, as a tie has where nobody
    /// answered that.
    pub fn of_newcomer(&self, items: usize, answers: &Answers) -> Result<(Observations, Likelihoods), Error> {
        for (row, answer) in answers.iter().enumerate() {
            answer.check(row, items)?;
            if !self.responses.has_learned(&answer.reply) {
                let problem = "is of a kind that this model has not learned from, such as a tie, a grade or a rating; leave it out";
                return Err(Error::Answer { row, problem });
            }
        }
        // Nothing was learned of the newcomer's own noise and offset.
        let own = answers.iter().map(|a| Answer { reply: Reply { user: None, ..a.reply }, ..a }).collect();
        let mut merged = Observations::of(&own, &[], self.responses.response_model);
        let all = self.responses.with(merged.responses.replies.iter().copied());
        let place = |said: &Reply| all.replies.iter().position(|s| s.key() == said.key()).unwrap_or_default();
        let places: Vec<AnswerIndex> =
            merged.responses.replies.iter().map(|said| AnswerIndex(place(said) as u32)).collect();
        let moved =
            |o: &Observation| Observation::new(o.edge(), o.sign(), o.count(), places[o.answer.0 as usize]);
        merged.merged = merged.merged.iter().map(moved).collect();
        let likelihoods = match all.replies.len() == self.responses.replies.len() {
            true => self.likelihoods.clone(),
            false => all.likelihoods(&all.values(&self.responses, &self.values)),
        };
        merged.responses = Arc::new(all);
        Ok((merged, likelihoods))
    }
}

//! A held-out answer as a question: what it is about, and everything that could have been answered.

use std::collections::HashMap;

use crate::answers::{Answer, Answers};
use crate::comparisons::Edge;
use crate::likelihood::{AnswerIndex, Kind, Reply, Responses};

/// One question, with the answer that was given.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The projection: a pair, of which the item that comes first counts positively, or one item.
    pub about: Edge,
    /// Everything that may be answered, with the sign with which it is about the projection. Of a measured value only that value.
    pub options: Vec<(AnswerIndex, f64)>,
    /// Which of them was answered; `None` if they are not everything that may be.
    pub given: Option<usize>,
    /// Of a number that was measured, also of a difference: that answer, and the sign with which it is about the projection.
    pub measured: Option<(AnswerIndex, f64)>,
    /// Of an answer about a set of items, taken jointly: that answer, and the items in the order in which it puts them.
    pub set: Option<(AnswerIndex, Vec<usize>)>,
    /// The kind of answer.
    pub kind: Kind,
    /// How often it was answered.
    pub count: f64,
}

/// Questions, and what may be said in answer to them.
#[derive(Debug, Clone)]
pub struct Questions {
    /// All that may be said: what a model was learned from, and more.
    pub responses: Responses,
    /// One an answer, in their order.
    pub all: Vec<Question>,
}

impl Questions {
    /// The questions that `answers` answer, for a model that was learned from `responses`.
    pub fn of(responses: &Responses, answers: &Answers) -> Self {
        let ties = responses.has_ties();
        let responses = responses.with(answers.distinct().map(|answer| outcome(answer, ties).reply));
        let in_order: Vec<(Answer, Vec<(Reply, f64)>)> = answers
            .iter()
            .map(|answer| {
                let answer = in_order(outcome(answer, ties));
                let options = responses.options(&answer.reply);
                (answer, options)
            })
            .collect();
        let numbers =
            |answer: &Answer| answer.reply.is_difference() || answer.reply.kind == Reply::measured(0.0).kind;
        // Of numbers with parameters that nothing was learned of there is no distribution.
        let told = responses.with(answers.distinct().filter(numbers).map(|answer| answer.reply));
        let names = |all: &Responses| all.parameters(1.0).into_iter().map(|p| p.name).collect::<Vec<_>>();
        let known = names(&responses);
        let responses = if names(&told).iter().all(|name| known.contains(name)) { told } else { responses };
        let every = in_order.iter().flat_map(|(_, options)| options).map(|(said, _)| *said);
        let responses = responses.with(in_order.iter().map(|(answer, _)| answer.reply).chain(every));
        let places: HashMap<_, u32> = responses.replies.iter().map(Reply::key).zip(0..).collect();
        let place = |said: &Reply| AnswerIndex(places.get(&said.key()).copied().unwrap_or_default());
        let question = |(as_told, (answer, options)): (Answer, (Answer, Vec<(Reply, f64)>))| {
            let turned = as_told.pair().is_some_and(|(plus, minus)| plus > minus);
            let towards = if turned == as_told.positive { -1.0 } else { 1.0 };
            let measured = numbers(&as_told).then(|| places.get(&as_told.reply.key())).flatten();
            let sign = if answer.positive { 1.0 } else { -1.0 };
            let is_given =
                |(said, towards): &(Reply, f64)| said.datum == answer.reply.datum && *towards == sign;
            let mut listed: Vec<(AnswerIndex, f64)> =
                options.iter().map(|(said, sign)| (place(said), *sign)).collect();
            if listed.is_empty() {
                listed.push((place(&answer.reply), sign));
            }
            let set = answer.is_of_set().then(|| (place(&answer.reply), answer.items().collect()));
            Question {
                set,
                about: Edge::new(answer.plus, answer.minus),
                options: listed,
                given: options.iter().position(is_given),
                measured: measured.map(|&place| (AnswerIndex(place), towards)),
                kind: answer.reply.kind,
                count: answer.count,
            }
        };
        let all = answers.iter().zip(in_order).map(question).collect();
        Self { responses, all }
    }
}

/// Of a difference, which item was better: what is predicted of a comparison.
fn outcome(answer: Answer, ties: bool) -> Answer {
    if !answer.reply.is_difference() {
        return answer;
    }
    let said = match (answer.is_tie(), ties) {
        (true, _) => Reply::TIE,
        (false, true) => Reply::better(1),
        (false, false) => Reply::CHOICE,
    };
    Answer { reply: Reply { kind: said.kind, datum: said.datum, ..answer.reply }, ..answer }
}

/// The same answer about a pair, written with the item of the smaller number first.
fn in_order(answer: Answer) -> Answer {
    let Some((plus, minus)) = answer.pair() else { return answer };
    if plus < minus {
        return answer;
    }
    let said = Reply { side: -answer.reply.side, ..answer.reply };
    Answer { plus: minus, minus: Some(plus), positive: answer.is_tie(), reply: said, ..answer }
}

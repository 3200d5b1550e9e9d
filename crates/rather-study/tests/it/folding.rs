//! Random sequences of everything that can happen, against a simple model of it.

use crate::lab::{Lab, item, numbered};
use proptest::prelude::*;
use rather_study::definition::Answers;
use rather_study::{Answer, Ask, Error};

#[derive(Debug, Clone)]
enum Step {
    Ask,
    Tell(Answer),
    Pair(u8, u8, Answer),
    Undo,
    /// Goes on in another process.
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let answer = prop::sample::select(Answer::ALL.to_vec());
    prop_oneof![
        4 => Just(Step::Ask),
        4 => answer.clone().prop_map(Step::Tell),
        1 => (0..5_u8, 0..5_u8, answer).prop_map(|(a, b, answer)| Step::Pair(a, b, answer)),
        2 => Just(Step::Undo),
        1 => Just(Step::Reopen),
    ]
}

/// A duel: its number, left, right.
type Shown = (u32, String, String);

/// What should be: a stack of answers and an open duel.
#[derive(Debug, Default)]
struct Model {
    stack: Vec<(Option<Shown>, String, String, Answer)>,
    open: Option<Shown>,
    asked: u32,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn histories_are_what_happened(steps in prop::collection::vec((0..2_usize, step()), 1..60)) {
        let lab = Lab::new();
        let mut definition = numbered(5);
        definition.policy.acquisition = "random".parse().unwrap();
        definition.answers = Answers::Graded;
        let mut study = lab.study(&definition);
        let mut models = [Model::default(), Model::default()];
        for (who, step) in steps {
            let (name, model) = (["ann", "bob"][who], &mut models[who]);
            match step {
                Step::Ask => {
                    let Ask::Duel(asked) = study.ask(name).unwrap() else { panic!() };
                    let shown = (asked.number, asked.left.to_string(), asked.right.to_string());
                    match &model.open {
                        Some(open) => prop_assert_eq!((open, true), (&shown, asked.again)),
                        None => {
                            prop_assert_eq!((asked.number, asked.again), (model.asked + 1, false));
                            model.asked += 1;
                            model.open = Some(shown);
                        }
                    }
                }
                Step::Tell(answer) => match (study.tell(name, None, answer, None), model.open.take()) {
                    (Ok(told), Some((number, left, right))) => {
                        prop_assert_eq!((told.duel, told.left.to_string()), (Some(number), left.clone()));
                        let duel = Some((number, left.clone(), right.clone()));
                        model.stack.push((duel, left, right, answer));
                    }
                    (told, open) => {
                        let none = matches!(told, Err(Error::NoOpenDuel { .. })) && open.is_none();
                        prop_assert!(none);
                    }
                },
                Step::Pair(a, b, answer) => {
                    let (a, b) = (a.to_string(), b.to_string());
                    let told = study.tell_pair(name, (&item(&a), &item(&b)), answer, None);
                    prop_assert_eq!(told.is_ok(), a != b);
                    if a != b {
                        model.stack.push((None, a, b, answer));
                    }
                }
                Step::Undo => match (study.undo(name, None), model.stack.pop()) {
                    (Ok(undone), Some((duel, left, _, answer))) => {
                        prop_assert_eq!((undone.left.to_string(), undone.answer), (left, answer));
                        model.open = duel.or(model.open.take());
                    }
                    (undone, last) => {
                        let none = matches!(undone, Err(Error::NothingToUndo { .. })) && last.is_none();
                        prop_assert!(none);
                    }
                },
                Step::Reopen => study = lab.again(),
            }
            for (name, model) in ["ann", "bob"].iter().zip(&models) {
                let history = study.history(name).unwrap();
                let found: Vec<_> = history
                    .entries
                    .iter()
                    .map(|e| (e.duel, e.left.to_string(), e.right.to_string(), e.answer))
                    .collect();
                let expected: Vec<_> = model
                    .stack
                    .iter()
                    .map(|(duel, left, right, answer)| (duel.as_ref().map(|d| d.0), left.clone(), right.clone(), *answer))
                    .collect();
                prop_assert_eq!(found, expected);
                prop_assert_eq!(history.open.as_ref().map(|o| o.number), model.open.as_ref().map(|o| o.0));
                let answers = model.stack.iter().filter(|e| e.3 != Answer::Skip).count() as u64;
                prop_assert_eq!(history.answers(), answers);
            }
        }
    }
}

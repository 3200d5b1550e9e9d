//! Which duels are asked.

use crate::lab::{Lab, ask, item, mixed, numbered, opinion};
use rather::design::Inference;
use rather_study::{Answer, Ask, Asked, Definition, Error, Study};

/// Asks and answers `n` duels.
fn run(study: &mut Study, participant: &str, n: usize, ahead: bool) -> Vec<Asked> {
    (0..n)
        .map(|_| {
            let asked = ask(study, participant);
            if ahead {
                study.plan_ahead(participant, &|| true).unwrap();
            }
            study.tell(participant, Some(asked.number), opinion(&asked), None).unwrap();
            asked
        })
        .collect()
}

fn sides(asked: &[Asked]) -> Vec<String> {
    asked.iter().map(|a| format!("{} | {}", a.left, a.right)).collect()
}

#[test]
fn the_same_answers_give_the_same_questions() {
    let moving = Definition { inference: Inference::Streaming, drift: Some(10.0), ..mixed() };
    let forgetful = Definition { half_life: Some(10.0), ..mixed() };
    for definition in [numbered(12), mixed(), moving, forgetful] {
        let (plain, ahead, restarted) = (Lab::new(), Lab::new(), Lab::new());
        let first = run(&mut plain.study(&definition), "ann", 12, false);
        let second = run(&mut ahead.study(&definition), "ann", 12, true);
        assert_eq!(sides(&first), sides(&second));
        assert!(first.iter().all(|a| !a.planned && a.cut.is_none()));
        assert!(second[1..].iter().all(|a| a.planned && a.cut.is_none()));
        // A process for every step.
        drop(restarted.study(&definition));
        let third: Vec<Asked> = (0..12).flat_map(|_| run(&mut restarted.again(), "ann", 1, false)).collect();
        assert_eq!(sides(&first), sides(&third));
        // Another seed, other questions.
        let other = Definition { seed: 1, ..definition };
        let fourth = run(&mut Lab::new().study(&other), "ann", 12, false);
        assert_ne!(sides(&first), sides(&fourth));
    }
}

#[test]
fn a_duel_is_never_asked_twice_in_a_row_and_sides_are_balanced() {
    for definition in [numbered(6), mixed()] {
        let lab = Lab::new();
        let asked = run(&mut lab.study(&definition), "ann", 60, false);
        let sorted = |a: &Asked| {
            let mut pair = [a.left.to_string(), a.right.to_string()];
            pair.sort();
            pair
        };
        assert!(asked.iter().all(|a| a.left != a.right));
        assert!(asked.windows(2).all(|w| sorted(&w[0]) != sorted(&w[1])));
        // The winner of the last duel stays; which side it is on is balanced. Of 59 fair coins, 16 to 43 heads have a
        // probability of 0.9997.
        let stayed = asked.windows(2).filter(|w| {
            let winner = if opinion(&w[0]) == Answer::Left { &w[0].left } else { &w[0].right };
            *winner == w[1].left
        });
        let left = stayed.count();
        assert!((16..=43).contains(&left), "{left}");
    }
}

#[test]
fn asking_again_gives_the_open_duel() {
    let lab = Lab::new();
    let mut study = lab.study(&numbered(5));
    let first = ask(&mut study, "ann");
    let again = ask(&mut lab.again(), "ann");
    assert_eq!(again, Asked { again: true, ..first.clone() });
    // Everybody has duels of their own.
    let other = ask(&mut study, "bob");
    assert_eq!((other.number, other.again), (1, false));
    let told = study.tell("ann", Some(1), Answer::Tie, None).unwrap();
    assert_eq!((told.answers, told.again), (1, false));
    assert!(study.tell("ann", Some(1), Answer::Tie, None).unwrap().again);
    assert_eq!(ask(&mut study, "ann").number, 2);
    assert_eq!(ask(&mut study, "bob"), Asked { again: true, ..other });
}

#[test]
fn what_cannot_be_answered_has_its_sentence() {
    let lab = Lab::new();
    let mut study = lab.study(&numbered(5));
    let say = |result: Result<rather_study::Told, Error>| result.unwrap_err().to_string();
    assert_eq!(
        say(study.tell("ann", None, Answer::Left, None)),
        "there is no open comparison for ann; ask for one first"
    );
    assert_eq!(
        say(study.tell("ann", Some(3), Answer::Left, None)),
        "comparison 3 of ann was never asked; the last one was comparison 0"
    );
    ask(&mut study, "ann");
    study.tell("ann", None, Answer::Left, None).unwrap();
    assert_eq!(
        say(study.tell("ann", Some(1), Answer::Right, None)),
        "comparison 1 of ann was answered with \"left\" already; undo removes an answer"
    );
    assert_eq!(say(study.undo("bob", None)), "participant \"bob\" has no answer to undo");
    assert_eq!(say(study.tell(" ", None, Answer::Left, None)), "participant: a name is empty; write one");
    let pair = |study: &mut Study, a: &str, b: &str| {
        say(study.tell_pair("ann", (&item(a), &item(b)), Answer::Left, None))
    };
    assert_eq!(pair(&mut study, "1", "1"), "\"1\" is compared with itself; name two different ones");
    assert_eq!(
        pair(&mut study, "1", "9"),
        "there is no item \"9\" in this study; the items are \"0\", \"1\", \"2\", \"3\", \"4\""
    );
    // Undone, answered otherwise: the next duel that had been asked is no longer open.
    ask(&mut study, "ann");
    study.undo("ann", None).unwrap();
    assert_eq!(
        say(study.tell("ann", Some(2), Answer::Left, None)),
        "comparison 2 of ann is no longer open, because an earlier answer was undone; ask again"
    );
    assert_eq!(ask(&mut study, "ann").number, 1);

    let home = Lab::new();
    let mut named = home.study(&{
        let mut definition = numbered(3);
        definition.participants.names = vec!["ann".into(), "bob".into()];
        definition
    });
    assert_eq!(
        named.ask("cid").unwrap_err().to_string(),
        "\"cid\" is not a participant of this study; the participants are \"ann\", \"bob\""
    );
    assert_eq!(
        named.participant(None).unwrap_err().to_string(),
        "this study has the participants \"ann\", \"bob\"; name one with --participant"
    );
}

#[test]
fn keys_make_an_answer_count_once() {
    let lab = Lab::new();
    let mut study = lab.study(&numbered(5));
    let (a, b) = (item("1"), item("2"));
    let first = study.tell_pair("ann", (&a, &b), Answer::Left, Some("k1")).unwrap();
    let second = lab.again().tell_pair("ann", (&a, &b), Answer::Left, Some("k1")).unwrap();
    assert_eq!((first.again, second.again, second.answers), (false, true, 1));
    let reused = study.tell_pair("ann", (&a, &b), Answer::Right, Some("k1")).unwrap_err();
    assert_eq!(
        reused.to_string(),
        "the key \"k1\" was used for another answer already; use a new key for every answer"
    );
    // Without a key, saying it again counts again.
    study.tell_pair("ann", (&a, &b), Answer::Left, None).unwrap();
    assert_eq!(study.tell_pair("ann", (&a, &b), Answer::Left, None).unwrap().answers, 3);
    // Undoing has keys, too: tried twice, it takes back one answer.
    study.undo("ann", Some("u1")).unwrap();
    let again = study.undo("ann", Some("u1")).unwrap();
    assert_eq!((again.again, again.answers), (true, 2));
    assert!(study.undo("ann", Some("k1")).is_err());
    // A key of an answer to the open duel outlives the duel.
    let asked = ask(&mut study, "ann");
    study.tell("ann", None, Answer::Skip, Some("k2")).unwrap();
    let again = study.tell("ann", None, Answer::Skip, Some("k2")).unwrap();
    assert_eq!((again.duel, again.again), (Some(asked.number), true));
}

#[test]
fn undo_opens_the_duel_again_and_answering_alike_asks_alike() {
    let lab = Lab::new();
    let mut study = lab.study(&numbered(8));
    run(&mut study, "ann", 3, false);
    let fourth = ask(&mut study, "ann");
    study.tell("ann", None, opinion(&fourth), None).unwrap();
    let fifth = ask(&mut study, "ann");
    let undone = study.undo("ann", None).unwrap();
    assert_eq!((undone.duel, undone.answers), (Some(fourth.number), 3));
    let again = ask(&mut study, "ann");
    assert_eq!(
        (&again.left, &again.right, again.number, again.again),
        (&fourth.left, &fourth.right, 4, true)
    );
    study.tell("ann", Some(4), opinion(&again), None).unwrap();
    let next = ask(&mut study, "ann");
    assert_eq!((&next.left, &next.right), (&fifth.left, &fifth.right));
    assert_eq!(next.number, 6);
    // All the way back.
    for left in (0..4).rev() {
        assert_eq!(study.undo("ann", None).unwrap().answers, left);
    }
    assert!(matches!(study.undo("ann", None), Err(Error::NothingToUndo { .. })));
    assert_eq!(study.history("ann").unwrap().undone, 5);
}

#[test]
fn a_skipped_pair_is_not_asked_next_and_budgets_end() {
    let mut definition = numbered(5);
    definition.stop.answers = Some(4);
    let lab = Lab::new();
    let mut study = lab.study(&definition);
    let mut last: Option<Asked> = None;
    for _ in 0..12 {
        let asked = ask(&mut study, "ann");
        if let Some(last) = &last {
            assert!((&asked.left, &asked.right) != (&last.left, &last.right));
            assert!((&asked.left, &asked.right) != (&last.right, &last.left));
        }
        study.tell("ann", None, Answer::Skip, None).unwrap();
        last = Some(asked);
    }
    let history = study.history("ann").unwrap();
    assert_eq!((history.answers(), history.skipped()), (0, 12));
    run(&mut study, "ann", 4, false);
    assert_eq!(study.ask("ann").unwrap(), Ask::Finished { answers: 4 });
    // Taking one back makes room for one.
    study.undo("ann", None).unwrap();
    run(&mut study, "ann", 1, false);
    assert_eq!(study.ask("ann").unwrap(), Ask::Finished { answers: 4 });
}

#[test]
fn together_everybody_learns_from_everybody() {
    let mut definition = numbered(6);
    definition.participants.model = rather_study::definition::Pooling::Together;
    let lab = Lab::new();
    let mut study = lab.study(&definition);
    let alone = Lab::new();
    let mut separate = alone.study(&numbered(6));
    let (mut pooled, mut own) = (Vec::new(), Vec::new());
    for round in 0..12 {
        let name = ["ann", "bob"][round % 2];
        pooled.extend(run(&mut study, name, 1, false));
        own.extend(run(&mut separate, name, 1, false));
    }
    assert_ne!(sides(&pooled), sides(&own));
    assert!(pooled.iter().all(|a| a.left != a.right));
}

/// A study that could ask nothing is not made, and no file either.
#[test]
fn a_policy_that_cannot_choose_is_refused_at_once() {
    let lab = Lab::new();
    let mut definition = numbered(4);
    definition.policy.acquisition = "ucb:2".parse().unwrap();
    definition.policy.opponent = rather::design::Opponent::Any;
    let path = lab.path("none.study");
    let refused = [
        Study::create(&path, "none", &definition).unwrap_err().to_string(),
        Study::in_memory("none", &definition, || 0).unwrap_err().to_string(),
    ];
    for sentence in refused {
        assert!(sentence.ends_with("set the opponent to best or winner"), "{sentence}");
    }
    assert!(!path.exists());
}

//! Sorting a list: what is asked, what is believed, and that it goes on where it was.

use rather_numerics::random::{normal, stream};
use rather_study::Answer;
use rather_study::definition::Items;
use rather_study::sort::{Goal, Question, Settings, Sort, Stop};
use std::collections::HashSet;

fn items(n: usize) -> Items {
    Items { keys: (0..n).map(|i| format!("item {i}")).collect(), columns: vec![] }
}

/// A list of which item `i` is worth `i`.
fn open(folder: &tempfile::TempDir, n: usize, settings: Settings) -> Sort {
    Sort::open(&folder.path().join("list.study"), &items(n), "Which is larger?", 3, settings).unwrap()
}

fn larger(question: Question) -> Answer {
    if question.left > question.right { Answer::Left } else { Answer::Right }
}

#[test]
fn the_first_questions_join_all_items_and_no_two_in_a_batch_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let mut sort = open(&folder, 10, Settings::new(10));
    let first = sort.questions(4, &[]).unwrap();
    let rest = sort.questions(9, &first).unwrap();
    assert_eq!((first.len(), rest.len()), (4, 5), "a tree of ten nodes has nine edges");
    let touched: HashSet<usize> = first.iter().chain(&rest).flat_map(|q| [q.left, q.right]).collect();
    assert_eq!(touched.len(), 10);
    first.iter().chain(&rest).for_each(|&q| sort.tell("ann", q, larger(q)).unwrap());
    let batch = sort.questions(9, &[]).unwrap();
    let pairs: HashSet<(usize, usize)> =
        batch.iter().map(|q| (q.left.min(q.right), q.left.max(q.right))).collect();
    assert_eq!((batch.len(), pairs.len()), (9, 9));
    // While these wait, others are asked.
    let others = sort.questions(9, &batch).unwrap();
    assert!(others.iter().all(|q| !pairs.contains(&(q.left.min(q.right), q.left.max(q.right)))));
}

#[test]
fn it_goes_on_as_if_it_had_not_been_interrupted() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let settings = || Settings { budget: 20, ..Settings::new(8) };
    let mut whole = open(&one, 8, settings());
    let mut asked = Vec::new();
    while whole.progress().unwrap().stop.is_none() {
        let question = whole.questions(1, &[]).unwrap()[0];
        asked.push(question);
        whole.tell("ann", question, larger(question)).unwrap();
    }
    assert_eq!(whole.progress().unwrap().stop, Some(Stop::Budget));
    assert!(whole.questions(5, &[]).unwrap().is_empty());
    for &expected in &asked {
        // Opened anew for every question.
        let mut part = open(&other, 8, settings());
        assert_eq!(part.questions(1, &[]).unwrap(), [expected]);
        part.tell("ann", expected, larger(expected)).unwrap();
    }
}

#[test]
fn goals_are_what_they_say() {
    for goal in [Goal::Best(0.8), Goal::Top { k: 2, probability: 0.7 }, Goal::Regret(0.3)] {
        let folder = tempfile::tempdir().unwrap();
        let mut sort = open(&folder, 6, Settings { goal, budget: 300, ..Settings::new(6) });
        assert_eq!(sort.progress().unwrap().reached, None);
        while sort.progress().unwrap().stop.is_none() {
            let question = sort.questions(1, &[]).unwrap()[0];
            sort.tell("ann", question, larger(question)).unwrap();
        }
        let progress = sort.progress().unwrap();
        assert_eq!(progress.stop, Some(Stop::Goal), "{goal:?} after {} answers", progress.answers);
        let reached = progress.reached.unwrap();
        match goal {
            Goal::Best(p) | Goal::Top { probability: p, .. } => assert!((p..=1.0).contains(&reached)),
            Goal::Regret(limit) => assert!((0.0..limit).contains(&reached)),
            Goal::Budget => unreachable!(),
        }
        let model = sort.model().unwrap().unwrap();
        assert_eq!(model.rank(model.points())[0].item, 5);
    }
}

/// A judge with a bias to the left, who is asked in both orders.
#[test]
fn both_orders_leave_a_bias_without_effect() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { both_orders: true, budget: 80, ..Settings::new(6) };
    let mut sort = open(&folder, 6, settings);
    let mut rng = stream(4, 4);
    while sort.progress().unwrap().stop.is_none() {
        for question in sort.questions(3, &[]).unwrap() {
            let ahead = question.left as f64 - question.right as f64 + 1.5 + normal(&mut rng);
            sort.tell("ann", question, if ahead > 0.0 { Answer::Left } else { Answer::Right }).unwrap();
        }
    }
    let asked: Vec<Question> = sort.answers().unwrap().iter().map(|told| told.question).collect();
    let times = |left, right| asked.iter().filter(|&&q| q == Question { left, right }).count();
    let uneven =
        (0..6).flat_map(|a| (0..a).map(move |b| (a, b))).filter(|&(a, b)| times(a, b) != times(b, a));
    assert_eq!(uneven.count(), 0);
    let model = sort.model().unwrap().unwrap();
    let bias = model.reported_hyperparameters().iter().find(|(name, _)| name == "bias").unwrap().1;
    assert!(bias > 0.5, "{bias}");
    let order: Vec<usize> = model.rank(model.points()).iter().map(|ranked| ranked.item).collect();
    assert_eq!((order[0], order[5]), (5, 0), "{order:?}");
}

fn pair(question: Question) -> (usize, usize) {
    (question.left.min(question.right), question.left.max(question.right))
}

#[test]
fn a_pair_that_was_skipped_is_asked_after_all_others() {
    let folder = tempfile::tempdir().unwrap();
    let mut sort = open(&folder, 4, Settings { budget: 30, ..Settings::new(4) });
    // Somebody who always skips sees all six pairs, and then all six again.
    for _ in 0..2 {
        let mut seen = HashSet::new();
        for _ in 0..6 {
            let question = sort.questions(1, &[]).unwrap()[0];
            seen.insert(pair(question));
            sort.tell("ann", question, Answer::Skip).unwrap();
        }
        assert_eq!(seen.len(), 6);
    }
    assert_eq!((sort.progress().unwrap().answers, sort.answers().unwrap().len()), (0, 0));
}

/// Nobody knows item 0.
#[test]
fn an_item_that_nobody_can_compare_does_not_stop_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut sort = open(&folder, 6, Settings { budget: 30, ..Settings::new(6) });
    let mut skipped = Vec::new();
    while sort.progress().unwrap().stop.is_none() {
        let question = sort.questions(1, &[]).unwrap()[0];
        let unknown = pair(question).0 == 0;
        sort.tell("ann", question, if unknown { Answer::Skip } else { larger(question) }).unwrap();
        skipped.extend(unknown.then(|| pair(question)));
    }
    skipped.sort_unstable();
    assert_eq!(skipped, [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)], "each once");
    let model = sort.model().unwrap().unwrap();
    let known: Vec<usize> =
        model.rank(model.points()).iter().map(|ranked| ranked.item).filter(|&item| item > 0).collect();
    assert_eq!(known, [5, 4, 3, 2, 1]);
}

/// With both orders a pair is two questions, of which one was skipped.
#[test]
fn the_other_order_of_a_skipped_question_is_not_due() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { both_orders: true, budget: 30, ..Settings::new(4) };
    let mut sort = open(&folder, 4, settings);
    let two = sort.questions(2, &[]).unwrap();
    assert_eq!(pair(two[0]), pair(two[1]));
    sort.tell("ann", two[0], larger(two[0])).unwrap();
    sort.tell("ann", two[1], Answer::Skip).unwrap();
    assert_ne!(pair(sort.questions(1, &[]).unwrap()[0]), pair(two[0]));
}

#[test]
fn another_list_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(&folder, 4, Settings::new(4)));
    let path = folder.path().join("list.study");
    let refused = |items: &Items| Sort::open(&path, items, "?", 0, Settings::new(4)).unwrap_err().to_string();
    assert!(refused(&items(5)).contains("is a study of other items (\"item 4\" differs)"));
    let mut turned = items(4);
    turned.keys.reverse();
    assert!(refused(&turned).contains("in another order"));
}

//! Several people's answers to one study: what all say together, and who says something else.

use rather_study::analysis::agreement::Agreement;
use rather_study::definition::{Pooling, read_toml_text};
use rather_study::{Alternative, Answer, Ask, Asked, Definition, Study};
use std::path::Path;

/// Answers so many questions as `prefers` says of the two sides.
fn answer(study: &mut Study, name: &str, n: usize, prefers: impl Fn(&Asked) -> Answer) {
    for _ in 0..n {
        let Ask::Duel(asked) = study.ask(name).unwrap() else { panic!("it has no end") };
        let answer = prefers(&asked);
        study.tell(name, Some(asked.number), answer, None).unwrap();
    }
}

/// Compares every item with every other one; in alphabetical order if `forwards`, else the other way round.
fn compare_all(study: &mut Study, name: &str, items: &[&str], forwards: bool) {
    for (i, first) in items.iter().enumerate() {
        for second in &items[i + 1..] {
            let options = [*first, *second].map(|key| Alternative::Item(key.into()));
            let answer = if forwards { Answer::Left } else { Answer::Right };
            study.tell_about(name, &options, answer, None).unwrap();
        }
    }
}

fn study(definition: &Definition) -> (tempfile::TempDir, Study) {
    let folder = tempfile::tempdir().unwrap();
    let study = Study::create(&folder.path().join("s.db"), "s", definition).unwrap();
    (folder, study)
}

fn check(found: &Agreement) {
    for judge in &found.judges {
        assert_eq!(judge.utilities.len(), found.places.len());
        let sum: f64 = judge.utilities.iter().sum();
        assert!(sum.abs() < 1e-6, "relative to their average: {sum}");
    }
}

#[test]
fn who_says_the_opposite_is_a_misfit_and_concordance_falls() {
    const ITEMS: [&str; 5] = ["a", "b", "c", "d", "e"];
    for model in [Pooling::Separate, Pooling::Together, Pooling::Collaborative] {
        let mut definition = Definition::of_items(ITEMS);
        definition.participants.model = model;
        let (_folder, mut study) = study(&definition);
        assert_eq!(study.agreement().unwrap(), Agreement::default(), "nobody has answered");
        for name in ["ann", "bob", "cat"] {
            compare_all(&mut study, name, &ITEMS, true);
        }
        let alike = study.agreement().unwrap();
        check(&alike);
        let order: Vec<String> = alike.places.iter().map(|place| place.alternative.to_string()).collect();
        assert_eq!(order, ITEMS, "{model:?}");
        assert!(alike.concordance.unwrap() > 0.99, "{model:?}: {:?}", alike.concordance);
        assert!(alike.reliability.unwrap() > 0.5, "{model:?}: {:?}", alike.reliability);
        assert!(alike.judges.iter().all(|judge| judge.fit.unwrap().infit < 1.0), "{:?}", alike.judges);
        let comparisons: Vec<usize> =
            alike.places.iter().map(|place| place.fit.unwrap().comparisons).collect();
        assert_eq!(comparisons, [12; 5], "each item with four others, by three participants");
        compare_all(&mut study, "dan", &ITEMS, false);
        let found = study.agreement().unwrap();
        check(&found);
        let fit = |name: &str| found.judges.iter().find(|j| j.participant == name).unwrap().fit.unwrap();
        assert!(fit("dan").infit > 1.2 && fit("dan").outfit > 1.2, "{model:?}: {:?}", fit("dan"));
        assert!(fit("ann").infit < 1.0, "{model:?}: {:?}", fit("ann"));
        // The model of one's own is learned from others' answers, too, where it is collaborative.
        assert!(found.concordance < alike.concordance || model == Pooling::Collaborative, "{model:?}");
        assert!(found.reliability < alike.reliability, "{model:?}: {:?}", found.reliability);
    }
}

#[test]
fn settings_are_looked_at_from_end_to_end_and_ties_are_no_misfit() {
    let text = "answers = \"ties\"\n[parameters]\nx = { type = \"float\", low = 0, high = 1 }\n";
    let (_folder, mut study) = study(&read_toml_text(text, Path::new("test")).unwrap());
    let x = |side: &Alternative| match side {
        Alternative::Setting(setting) => setting.get("x").and_then(|x| x.number()).unwrap(),
        Alternative::Item(_) => panic!("a setting"),
    };
    let larger = |asked: &Asked| match x(&asked.left) - x(&asked.right) {
        difference if difference.abs() < 0.1 => Answer::Tie,
        difference if difference > 0.0 => Answer::Left,
        _ => Answer::Right,
    };
    for name in ["ann", "bob"] {
        answer(&mut study, name, 8, larger);
    }
    let found = study.agreement().unwrap();
    check(&found);
    assert_eq!((found.places.len(), found.reliability), (41, None));
    let (first, last) = (&found.places[0], &found.places[40]);
    assert_eq!((x(&first.alternative), x(&last.alternative)), (0.0, 1.0));
    assert!(first.utility.mean < last.utility.mean && first.fit.is_none());
    assert!(found.concordance.unwrap() > 0.7, "{:?}", found.concordance);
    assert!(
        found.judges.iter().all(|judge| judge.fit.is_some_and(|fit| fit.infit < 1.2)),
        "{:?}",
        found.judges
    );
}

#[test]
fn of_sets_each_answer_is_compared_with_the_others() {
    let definition =
        Definition::of_items(["a", "b", "c", "d"]).asking(3, rather_study::definition::Answers::Best);
    let (_folder, mut study) = study(&definition);
    let best = |asked: &Asked| {
        let options: Vec<String> = asked.options().map(ToString::to_string).collect();
        let first = (0..options.len()).min_by_key(|&i| &options[i]).unwrap();
        Answer::try_from(format!("best {}", first + 1)).unwrap()
    };
    answer(&mut study, "ann", 5, best);
    let found = study.agreement().unwrap();
    assert_eq!(found.judges[0].fit.unwrap().comparisons, 10);
    assert_eq!(found.concordance, None, "there is one judge");
}

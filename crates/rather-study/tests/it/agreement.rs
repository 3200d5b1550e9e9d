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

fn alphabetically(asked: &Asked) -> Answer {
    if asked.left.to_string() < asked.right.to_string() { Answer::Left } else { Answer::Right }
}

fn backwards(asked: &Asked) -> Answer {
    if alphabetically(asked) == Answer::Left { Answer::Right } else { Answer::Left }
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
    for model in [Pooling::Separate, Pooling::Together, Pooling::Collaborative] {
        let mut definition = Definition::of_items(["a", "b", "c", "d", "e"]);
        definition.participants.model = model;
        let (_folder, mut study) = study(&definition);
        assert_eq!(study.agreement().unwrap(), Agreement::default(), "nobody has answered");
        for name in ["ann", "bob", "cat"] {
            answer(&mut study, name, 12, alphabetically);
        }
        let alike = study.agreement().unwrap();
        check(&alike);
        assert_eq!(alike.places[0].alternative, Alternative::Item("a".into()), "{model:?}");
        // Questions are about the best items: in which order each has the worst ones is open.
        assert!(alike.concordance.unwrap() > 0.7, "{model:?}: {:?}", alike.concordance);
        assert!(alike.reliability.unwrap() > 0.5, "{model:?}: {:?}", alike.reliability);
        assert!(alike.judges.iter().all(|judge| judge.fit.unwrap().infit < 1.0), "{:?}", alike.judges);
        let comparisons: usize = alike.places.iter().filter_map(|place| Some(place.fit?.comparisons)).sum();
        assert_eq!(comparisons, 2 * 36, "each is about two items");
        answer(&mut study, "dan", 12, backwards);
        let found = study.agreement().unwrap();
        check(&found);
        let fit = |name: &str| found.judges.iter().find(|j| j.participant == name).unwrap().fit.unwrap();
        // What nobody else compares is learned from the misfit's own answers: the outfit may be small.
        assert!(fit("dan").infit > 1.2, "{model:?}: {:?}", fit("dan"));
        for name in ["ann", "bob", "cat"] {
            assert!(fit(name).infit < fit("dan").infit, "{model:?}: {:?}", fit(name));
        }
        assert!(found.reliability < alike.reliability);
        assert!(found.concordance < alike.concordance, "{model:?}");
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

//! What the answers say: advice, connectivity, consistency.

use crate::lab::{Lab, ask, item, mixed, noisy_opinion, numbered, opinion};
use rather_numerics::random::{normal, stream};
use rather_study::analysis::advice::Stop;
use rather_study::{Alternative, Answer, Check, Definition, Error, Study};

/// Says that `a` is rather had than `b`.
fn prefer(study: &mut Study, a: usize, b: usize) {
    study.tell_pair("ann", (&item(&a.to_string()), &item(&b.to_string())), Answer::Left, None).unwrap();
}

#[test]
fn the_best_is_found_and_it_says_when_to_stop() {
    for (definition, most) in [(numbered(8), 60), (mixed(), 80)] {
        let lab = Lab::new();
        let mut study = lab.study(&definition);
        assert!(matches!(study.advice("ann"), Err(Error::NoAnswers { .. })));
        let mut said = Vec::new();
        // The noise that studies assume: of a judge without any they go on to ask for ever smaller differences.
        let mut noise = stream(1, 0);
        let advice = loop {
            let asked = ask(&mut study, "ann");
            study.tell("ann", None, noisy_opinion(&asked, normal(&mut noise)), None).unwrap();
            let advice = study.advice("ann").unwrap();
            said.push(advice.expected_regret);
            if advice.stop == Stop::GoodEnough || said.len() == most {
                break advice;
            }
            assert!(advice.more_answers != Some(0));
        };
        assert_eq!((advice.stop, advice.more_answers), (Stop::GoodEnough, Some(0)), "{said:?}");
        assert!(advice.expected_regret < 0.2 && advice.probability_good_enough > 0.5);
        assert!(advice.utility.low < advice.utility.mean && advice.utility.mean > 0.0);
        match &advice.recommended {
            Alternative::Item(key) => {
                assert!(key == "7" || key == "6", "{key}");
                let best = advice.probability_best.unwrap();
                assert!((0.4..=1.0).contains(&best));
                let first = &advice.ranking[0];
                assert_eq!((&first.alternative, first.probability_best), (&advice.recommended, Some(best)));
            }
            Alternative::Setting(setting) => {
                let x = setting.get("x").unwrap().number().unwrap();
                assert!(
                    (x - 7.0).abs() < 1.5 && setting.get("mode").unwrap().to_string() == "b",
                    "{setting}"
                );
                assert_eq!(advice.probability_best, None);
            }
        }
        assert!(advice.ranking.windows(2).all(|w| w[0].utility.mean >= w[1].utility.mean));
        // Another process says the same.
        assert_eq!(lab.again().advice("ann").unwrap(), advice);
    }
}

#[test]
fn groups_that_nothing_joins_are_said() {
    let lab = Lab::new();
    let mut study = lab.study(&numbered(7));
    assert_eq!(study.connectivity("ann").unwrap().sentence(), "nothing was compared yet");
    prefer(&mut study, 0, 1);
    prefer(&mut study, 1, 2);
    prefer(&mut study, 4, 3);
    let found = study.connectivity("ann").unwrap();
    assert_eq!((found.compared, found.never_compared, found.is_connected()), (5, 2, false));
    assert_eq!(
        found.sentence(),
        "the graph of comparisons has 2 components (\"0\" and 2 more, \"3\" and 1 more): nothing shows which of \
         two from different components is better; 2 items were never compared"
    );
    // A skipped duel joins nothing.
    study.tell_pair("ann", (&item("0"), &item("3")), Answer::Skip, None).unwrap();
    assert!(!study.connectivity("ann").unwrap().is_connected());
    study.tell_pair("ann", (&item("0"), &item("3")), Answer::Tie, None).unwrap();
    assert_eq!(
        study.connectivity("ann").unwrap().sentence(),
        "the graph of comparisons is connected (5 alternatives); 2 items were never compared"
    );
}

#[test]
fn repeats_and_circles_are_counted() {
    let lab = Lab::new();
    let mut study = lab.study(&numbered(6));
    for (a, b) in [(0, 1), (1, 0), (0, 1), (2, 3), (2, 3), (3, 4), (4, 2)] {
        prefer(&mut study, a, b);
    }
    let found = study.consistency("ann").unwrap();
    assert_eq!((found.repeats.pairs, found.repeats.repeats, found.repeats.agreed), (2, 3, 1));
    assert_eq!((found.cycles.triads, found.cycles.circular), (1, 1));
    let sentences = found.sentences().join("\n");
    assert!(sentences.contains("1 of 3 repeated answers repeated the answer before (33 %)"), "{sentences}");
    assert!(
        sentences.contains("such as \"2\" rather than \"3\" rather than \"4\" rather than \"2\""),
        "{sentences}"
    );
}

/// Many answers of somebody whose utility is the number of an item times `scale`, with noise of standard deviation 1,
/// about pairs in turn.
fn answer_all(study: &mut Study, rounds: usize, scale: f64, reversed_from: usize) {
    let mut rng = rather_numerics::random::stream(3, 0);
    let mut n = 0;
    for _ in 0..rounds {
        for (a, b) in (0..8_usize).flat_map(|a| (a + 1..8).map(move |b| (a, b))) {
            let sign = if n >= reversed_from { -1.0 } else { 1.0 };
            let z = sign * scale * (b as f64 - a as f64) + rather_numerics::random::normal(&mut rng);
            if z > 0.0 {
                prefer(study, b, a)
            } else {
                prefer(study, a, b)
            }
            n += 1;
        }
    }
}

#[test]
fn cannot_tell_is_not_careless() {
    // Utilities that hardly differ: answers go both ways, which is no carelessness.
    let home = Lab::new();
    let mut faint = home.study(&numbered(8));
    answer_all(&mut faint, 3, 0.05, usize::MAX);
    let found = faint.consistency("ann").unwrap();
    assert!(found.surprises.cannot_tell >= 10 && !found.surprises.is_careless(), "{found:?}");

    // Clear preferences, then a few answers against them, of which the mildest is one that chance may bring.
    let home = Lab::new();
    let mut clear = home.study(&numbered(8));
    answer_all(&mut clear, 4, 1.0, usize::MAX);
    let before = clear.consistency("ann").unwrap().surprises;
    assert!(!before.is_careless(), "{before:?}");
    for (winner, loser) in [(0, 7), (1, 7), (0, 6), (1, 6), (2, 7), (0, 5)] {
        prefer(&mut clear, winner, loser);
    }
    let found = clear.consistency("ann").unwrap();
    assert!(found.surprises.is_careless() && found.surprises.careless >= 5, "{found:?}");
    let worst = &found.surprises.examples[0];
    assert_eq!((worst.winner.to_string(), worst.loser.to_string()), ("0".to_owned(), "7".to_owned()));
    assert!(
        found
            .sentences()
            .iter()
            .any(|s| s.starts_with("careless: ") && s.contains("significantly more than expected"))
    );
}

#[test]
fn noise_and_drift_are_told_from_each_other() {
    let consistency = |scale: f64, reversed: usize| {
        let home = Lab::new();
        let mut study = home.study(&numbered(8));
        answer_all(&mut study, 3, scale, reversed);
        study.consistency("ann").unwrap()
    };
    // The prior expects utilities to spread by 2; here they spread by 0.1, 2.3 and 11 times the noise.
    let factors: Vec<f64> =
        [0.05, 1.0, 5.0].iter().map(|&scale| consistency(scale, usize::MAX).noise.unwrap().factor).collect();
    assert!(factors[0] > 2.0 && (0.4..2.0).contains(&factors[1]) && factors[2] < 0.6, "{factors:?}");
    // A taste that turns round half way through is no noise.
    let steady = consistency(0.7, usize::MAX).drift.unwrap();
    let turned = consistency(0.7, 42).drift.unwrap();
    assert!(!steady.is_strong() && steady.nats < 0.0 && turned.is_strong(), "{steady:?} {turned:?}");
}

#[test]
fn somebody_who_always_takes_the_left_is_found_out() {
    let home = Lab::new();
    let mut study = home.study(&numbered(10));
    for _ in 0..20 {
        ask(&mut study, "ann");
        study.tell("ann", None, Answer::Left, None).unwrap();
    }
    let found = study.consistency("ann").unwrap();
    let sides = found.sides.unwrap();
    assert_eq!((sides.left, sides.right), (20, 0));
    assert!(sides.by_chance < 1e-5);
    assert!(
        found
            .sentences()
            .contains(&"the left side won 20 of 20 (100 %), a significant position bias".to_owned())
    );
}

#[test]
fn checks_are_asked_and_not_learned_from() {
    let lab = Lab::new();
    let mut study = lab.study(&numbered(5));
    let first = ask(&mut study, "ann");
    // An open duel comes first.
    let (a, b) = (item("1"), item("2"));
    assert_eq!(study.ask_check("ann", (&a, &a), Check::Catch).unwrap().number, first.number);
    study.tell("ann", None, opinion(&first), None).unwrap();
    let expected = ask(&mut lab.again(), "bob");
    let before = study.advice("ann").unwrap();

    let catch = study.ask_check("ann", (&a, &a), Check::Catch).unwrap();
    assert_eq!((catch.check, &catch.left, &catch.right, catch.number), (Some(Check::Catch), &a, &a, 2));
    assert_eq!(ask(&mut lab.again(), "ann").check, Some(Check::Catch));
    assert!(study.plan_ahead("ann", &|| true).unwrap() > 0);
    assert_eq!(study.tell("ann", Some(2), Answer::Right, None).unwrap().answers, 1);
    assert_eq!(study.undo("ann", None).unwrap().answers, 1);
    assert_eq!(ask(&mut study, "ann").check, Some(Check::Catch));
    study.tell("ann", Some(2), Answer::Left, None).unwrap();
    let after = study.advice("ann").unwrap();
    assert_eq!(before, after);
    let history = study.history("ann").unwrap();
    assert_eq!(
        (history.undone, history.taken_back.len(), history.taken_back[0].check),
        (1, 1, Some(Check::Catch))
    );
    let caught = study.consistency("ann").unwrap().catches.unwrap();
    assert_eq!((caught.answered, caught.noticed, caught.left), (1, 0, 1));

    let next = ask(&mut study, "ann");
    assert!(next.planned && next.check.is_none());
    study.tell("ann", None, Answer::Skip, None).unwrap();
    let repeat = study.ask_check("ann", (&first.right, &first.left), Check::Repeat).unwrap();
    study.tell("ann", Some(repeat.number), Answer::Left, None).unwrap();
    assert_eq!(study.history("ann").unwrap().answers(), 2);
    assert_eq!(study.consistency("ann").unwrap().repeats.repeats, 1);
    assert!(study.ask_check("ann", (&a, &b), Check::Catch).is_err());
    assert!(study.ask_check("ann", (&a, &a), Check::Repeat).is_err());
    assert_eq!(ask(&mut study, "bob"), rather_study::Asked { again: true, ..expected });
}

#[test]
fn together_the_advice_is_everybodys() {
    let mut definition = Definition::of_items(["a", "b", "c"]);
    definition.participants.model = rather_study::definition::Pooling::Together;
    let home = Lab::new();
    let mut study = home.study(&definition);
    for name in ["ann", "bob", "cid"] {
        study.tell_pair(name, (&item("b"), &item("a")), Answer::Left, None).unwrap();
    }
    let advice = study.advice("ann").unwrap();
    assert_eq!((advice.answers, advice.recommended), (3, item("b")));
    assert_eq!(study.consistency("ann").unwrap().surprises.answers, 1);
}

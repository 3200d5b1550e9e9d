//! Questions about sets of options: what is told is learned, kept, taken back, exchanged; what is no answer is refused.

use crate::lab::{Lab, ask, item, numbered};
use proptest::prelude::*;
use rather::answers::Answer as Given;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::model::{Ep, FitSettings, Inference, Integration, Items, Model, PairEffect};
use rather_study::definition::{Answers, Pooling, read_toml_text};
use rather_study::history::Entry;
use rather_study::store::check;
use rather_study::{Alternative, Answer, Ask, Asked, Check, Definition, Error, Format, Study};
use std::collections::HashSet;

fn sets(items: usize, options: usize, answers: Answers) -> Definition {
    numbered(items).asking(options, answers)
}

/// What somebody says who likes a high number.
fn opinion(asked: &Asked, answers: Answers) -> Answer {
    let of = |option: &Alternative| option.to_string().parse::<i64>().unwrap();
    let numbers = || (1..).zip(asked.options().map(of));
    let best = numbers().max_by_key(|(_, utility)| *utility).unwrap().0;
    let worst = numbers().min_by_key(|(_, utility)| *utility).unwrap().0;
    match answers {
        Answers::BestAndWorst => Answer::BestAndWorst(best, worst),
        _ => Answer::Best(best),
    }
}

fn names(asked: &Asked) -> Vec<String> {
    asked.options().map(ToString::to_string).collect()
}

#[test]
fn a_study_of_sets_finds_the_best() {
    for answers in [Answers::Best, Answers::BestAndWorst] {
        let lab = Lab::new();
        let mut study = lab.study(&sets(8, 4, answers));
        let mut before = Vec::new();
        for round in 1..=8 {
            let asked = ask(&mut study, "ann");
            let mut shown = names(&asked);
            shown.sort();
            let different: HashSet<&String> = shown.iter().collect();
            assert!(different.len() == 4 && shown != before, "{shown:?} after {before:?}");
            // Asked again, in whatever process, it is the same.
            let again = ask(&mut lab.again(), "ann");
            assert!(again.again && names(&again) == names(&asked));
            let told = study.tell("ann", Some(asked.number), opinion(&asked, answers), None).unwrap();
            assert_eq!(told.options().collect::<Vec<_>>(), asked.options().collect::<Vec<_>>());
            assert_eq!(told.answers, round);
            before = shown;
        }
        let advice = study.advice("ann").unwrap();
        assert_eq!((advice.recommended, advice.answers), (item("7"), 8), "{answers:?}");
        assert_eq!(advice.ranking[0].alternative, item("7"));
        let standing = study.standing("ann").unwrap();
        assert_eq!((standing.answers, standing.skipped, standing.ties), (8, 0, 0));
        assert!(study.connectivity("ann").unwrap().is_connected());
        let consistency = study.consistency("ann").unwrap();
        assert_eq!((consistency.cycles.circular, consistency.sides), (0, None));
        assert!(consistency.repeats.repeats > 0 && consistency.noise.unwrap().factor < 1.0);
    }
}

#[test]
fn all_participants_may_answer_as_one() {
    let lab = Lab::new();
    let mut definition = sets(6, 3, Answers::Best);
    definition.participants.model = Pooling::Together;
    let mut study = lab.study(&definition);
    for name in ["ann", "bob", "ann", "bob"] {
        let asked = ask(&mut study, name);
        study.tell(name, None, opinion(&asked, Answers::Best), None).unwrap();
    }
    assert_eq!(study.advice("ann").unwrap().answers, 4);
}

/// Answers as they are told: the options of a question, and the places of the best and the worst.
fn told() -> impl Strategy<Value = Vec<(Vec<usize>, Option<usize>)>> {
    let set = Just((0..7).collect::<Vec<usize>>()).prop_shuffle().prop_map(|items| items[..4].to_vec());
    prop::collection::vec((set, prop::option::of(1..4_usize)), 1..7)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// What a study believes is what a model believes that was fitted to the answers themselves, under the same prior.
    #[test]
    fn what_was_told_is_in_the_posterior(told in told(), both in any::<bool>()) {
        let lab = Lab::new();
        let answers = if both { Answers::BestAndWorst } else { Answers::Best };
        let mut definition = sets(7, 4, answers);
        definition.prior.learn = false;
        let mut study = lab.study(&definition);
        let mut given = Vec::new();
        for (options, worst) in &told {
            // The option of the first place is the best, wherever it is shown.
            let shown = [options[1], options[0], options[2], options[3]].map(|i| item(&i.to_string()));
            let worst = worst.unwrap_or(3);
            let place = |at: usize| [2, 1, 3, 4][at];
            let (answer, bottom) = match both {
                true => (Answer::BestAndWorst(place(0), place(worst)), 1),
                false => (Answer::Best(place(0)), 0),
            };
            study.tell_about("ann", &shown, answer, None).unwrap();
            let mut order = options.clone();
            order.swap(worst, 3);
            given.push(Given::ordered(&order, 1, bottom).unwrap());
        }
        let items = Items { keys: (0..7).map(|i| i.to_string()).collect(), columns: Vec::new() };
        let ep = Ep { integration: Integration::Off, pair_effect: PairEffect::Off, ..Ep::default() };
        let settings = FitSettings {
            kernel: KernelChoice::Given(KernelSpec { expression: "white".into(), ard: false }),
            inference: Inference::Ep(ep),
            fixed: vec![("variance".to_owned(), 1.0), ("noise".to_owned(), rather::design::Prior::NOISE)],
            ..FitSettings::default()
        };
        let model = Model::fit_answers(&items, &given, &[], &settings, &|_| ()).unwrap();
        let expected = model.belief().utilities(model.points());
        let all: Vec<Alternative> = items.keys.iter().map(|key| item(key)).collect();
        let snapshot = study.snapshot("ann").unwrap();
        let found = snapshot.posterior().utilities(&snapshot.points(&all).unwrap());
        for (found, expected) in [(&found.mean, &expected.mean), (&found.variance, &expected.variance)] {
            for (a, b) in found.iter().zip(expected) {
                // Both runs end within the tolerance of expectation propagation.
                prop_assert!((a - b).abs() < 1e-4, "{found:?} {expected:?}");
            }
        }
    }
}

#[test]
fn plans_are_found_and_undoing_opens_the_question_again() {
    let lab = Lab::new();
    let mut study = lab.study(&sets(6, 4, Answers::BestAndWorst));
    let first = ask(&mut study, "ann");
    study.tell("ann", None, opinion(&first, Answers::BestAndWorst), None).unwrap();
    let second = ask(&mut study, "ann");
    // Twelve answers and a skip.
    assert_eq!(study.plan_ahead("ann", &|| true).unwrap(), 13);
    study.tell("ann", Some(second.number), Answer::Skip, None).unwrap();
    let third = ask(&mut lab.again(), "ann");
    assert!(third.planned && third.number == 3);
    let undone = study.undo("ann", None).unwrap();
    assert_eq!((undone.answer, undone.others), (Answer::Skip, second.others.clone()));
    let again = ask(&mut study, "ann");
    assert_eq!((names(&again), again.number), (names(&second), 2));
    study.undo("ann", None).unwrap();
    assert_eq!(names(&ask(&mut lab.again(), "ann")), names(&first));
    assert_eq!(study.history("ann").unwrap().answers(), 0);
}

#[test]
fn questions_with_too_many_answers_are_not_planned() {
    let lab = Lab::new();
    let mut study = lab.study(&sets(8, 5, Answers::BestAndWorst));
    ask(&mut study, "ann");
    assert_eq!(study.plan_ahead("ann", &|| true).unwrap(), 0);
}

/// The part of a log that another study would have, too.
fn said(entries: &[Entry]) -> Vec<(Vec<String>, Answer, u32)> {
    let one = |e: &Entry| (e.options().map(ToString::to_string).collect(), e.answer, e.count);
    entries.iter().map(one).collect()
}

#[test]
fn answers_go_out_and_come_in() {
    for answers in [Answers::Best, Answers::BestAndWorst] {
        let lab = Lab::new();
        let definition = sets(7, 3, answers);
        let mut study = lab.study(&definition);
        for skipped in [false, true, false, false] {
            let asked = ask(&mut study, "ann");
            let answer = if skipped { Answer::Skip } else { opinion(&asked, answers) };
            study.tell("ann", None, answer, None).unwrap();
        }
        study.undo("ann", None).unwrap();
        let expected: Vec<_> = said(&study.history("ann").unwrap().entries)
            .into_iter()
            .filter(|(_, answer, _)| *answer != Answer::Skip)
            .collect();
        assert_eq!(expected.len(), 2);
        for format in [Format::Csv, Format::Jsonl] {
            let text = study.export(format, None).unwrap();
            let path = lab.path(&format!("answers.{format}"));
            std::fs::write(&path, text).unwrap();
            let copy = Lab::new();
            let mut copy = copy.study(&definition);
            let imported = copy.import(&path, format, None, false).unwrap();
            assert_eq!((imported.answers, imported.notes.len()), (2, 0));
            assert_eq!(said(&copy.history("ann").unwrap().entries), expected, "{format}");
            assert!(matches!(copy.import(&path, format, None, false), Err(Error::Imported { .. })));
        }
        assert!(study.export(Format::Toc, None).unwrap().contains("# DATA TYPE: toc"));
        assert_eq!(
            study.export(Format::Soi, None).unwrap_err().to_string(),
            "soi has comparisons of two, and this study asks about 3 options; take csv or jsonl"
        );
    }
}

/// The table that `export` writes is one that `fit` reads.
#[test]
fn exported_answers_are_a_table_of_choices() {
    let lab = Lab::new();
    let mut study = lab.study(&sets(5, 3, Answers::BestAndWorst));
    let shown = ["4", "0", "2"].map(item);
    study.tell_about("ann", &shown, Answer::BestAndWorst(1, 2), None).unwrap();
    let text = study.export(Format::Csv, None).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("option_1,option_2,option_3,best,worst,user,count,time"));
    assert!(lines.next().unwrap().starts_with("4,0,2,4,0,ann,1,20"));
}

#[test]
fn tables_that_do_not_fit_have_their_sentence() {
    let lab = Lab::new();
    let mut study = lab.study(&sets(5, 3, Answers::Best));
    let mut import = |name: &str, text: &str| {
        let path = lab.path(name);
        std::fs::write(&path, text).unwrap();
        let error = study.import(&path, Format::of_path(&path).unwrap(), Some("ann"), false).unwrap_err();
        error.to_string().replace(&format!("{}", path.display()), name)
    };
    for (name, text, sentence) in [
        (
            "a.csv",
            "winner,loser\n0,1\n",
            "the columns of a.csv are \"winner\", \"loser\", but this study asks about 3 options: they must be option_1 to option_3 and best",
        ),
        (
            "b.csv",
            "option_1,option_2,option_3,option_4,best\n0,1,2,3,0\n",
            "the columns of b.csv are \"option_1\", \"option_2\", \"option_3\", \"option_4\", \"best\", but",
        ),
        (
            "c.csv",
            "option_1,option_2,option_3,best\n0,1,2,4\n",
            "c.csv, line 2: \"4\" is not an option of this question; its options are \"0\", \"1\", \"2\"",
        ),
        (
            "d.csv",
            "option_1,option_2,option_3,best\n0,1,1,0\n",
            "d.csv, line 2: \"1\" is compared with itself",
        ),
        (
            "e.jsonl",
            "{\"options\": [\"0\", \"1\"], \"best\": \"0\"}\n",
            "e.jsonl, line 1: a question of this study is about 3 options, and 2 were named; name 3",
        ),
        (
            "f.jsonl",
            "{\"options\": [\"0\", \"1\", \"2\"], \"outcome\": \"best 4\"}\n",
            "f.jsonl, line 1: there is no option 4 in a question about 3; write a number from 1 to 3",
        ),
        (
            "g.toi",
            "# NUMBER ALTERNATIVES: 2\n",
            "toi has comparisons of two, and this study asks about 3 options",
        ),
    ] {
        let found = import(name, text);
        assert!(found.starts_with(sentence) && !found.contains('\n'), "{name}: {found}");
    }
}

#[test]
fn answers_that_are_none_have_their_sentence() {
    let lab = Lab::new();
    let mut study = lab.study(&sets(6, 4, Answers::BestAndWorst));
    let asked = ask(&mut study, "ann");
    let mut refused = |answer: Answer| study.tell("ann", None, answer, None).unwrap_err().to_string();
    assert_eq!(
        refused(Answer::BestAndWorst(5, 1)),
        "there is no option 5 in a question about 4; write a number from 1 to 4"
    );
    assert_eq!(
        refused(Answer::BestAndWorst(2, 2)),
        "option 2 cannot be both the best and the worst; name two different ones"
    );
    for answer in [Answer::Best(1), Answer::Left, Answer::Tie] {
        let sentence =
            "is not an answer of this study; write \"best N, worst M\" with N and M from 1 to 4, or skip";
        assert_eq!(refused(answer), format!("\"{answer}\" {sentence}"));
    }
    let shown = names(&asked);
    let missing = (0..6).map(|i| i.to_string()).find(|name| !shown.contains(name)).unwrap();
    let mut by_name = |best: &str, worst: Option<&str>| study.extremes("ann", None, best, worst);
    assert_eq!(by_name(&shown[2], Some(&shown[0])).unwrap(), Answer::BestAndWorst(3, 1));
    let sentence = by_name(&missing, Some(&shown[0])).unwrap_err().to_string();
    assert!(
        sentence.starts_with(&format!("\"{missing}\" is not an option of this question; its options are "))
    );
    let sentence = by_name(&shown[1], Some(&shown[1])).unwrap_err().to_string();
    assert_eq!(
        sentence,
        format!("option \"{}\" cannot be both the best and the worst; name two different ones", shown[1])
    );
    assert!(by_name(&shown[1], None).is_err());
    let two = study.tell_pair("ann", (&item("0"), &item("1")), Answer::Left, None).unwrap_err();
    assert_eq!(two.to_string(), "a question of this study is about 4 options, and 2 were named; name 4");
    let twice = ["0", "1", "2", "1"].map(item);
    let twice = study.tell_about("ann", &twice, Answer::BestAndWorst(1, 2), None).unwrap_err();
    assert_eq!(twice.to_string(), "\"1\" is compared with itself; name two different ones");
    assert!(study.ask_check("ann", (&item("0"), &item("0")), Check::Catch).is_err());
    assert_eq!(study.history("ann").unwrap().entries.len(), 0);
    // And a study of pairs takes no answer about a set.
    let pairs = Lab::new();
    let mut pairs = pairs.study(&numbered(3));
    ask(&mut pairs, "ann");
    assert!(pairs.tell("ann", None, Answer::Best(1), None).is_err());
}

#[test]
fn answers_told_twice_count_once() {
    let lab = Lab::new();
    let mut study = lab.study(&sets(6, 3, Answers::Best));
    let asked = ask(&mut study, "ann");
    study.tell("ann", Some(asked.number), Answer::Best(2), Some("k")).unwrap();
    let again = lab.again().tell("ann", Some(asked.number), Answer::Best(2), Some("k")).unwrap();
    assert!(again.again && again.answers == 1 && again.others == asked.others);
    assert!(study.tell("ann", Some(asked.number), Answer::Best(2), None).unwrap().again);
    assert!(study.tell("ann", Some(asked.number), Answer::Best(1), Some("k")).is_err());
    let named = ["5", "1", "3"].map(item);
    assert!(!study.tell_about("ann", &named, Answer::Best(1), Some("l")).unwrap().again);
    assert!(study.tell_about("ann", &named, Answer::Best(1), Some("l")).unwrap().again);
    let otherwise = ["5", "3", "1"].map(item);
    assert!(study.tell_about("ann", &otherwise, Answer::Best(1), Some("l")).is_err());
}

/// Programs of version 1 would not understand the file; files of pairs stay theirs.
#[test]
fn only_a_file_with_sets_is_of_the_second_version() {
    let version = |path: &std::path::Path| -> i64 {
        let connection = rusqlite::Connection::open(path).unwrap();
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    };
    let lab = Lab::new();
    drop(lab.study(&numbered(3)));
    let path = lab.path("s.study");
    assert_eq!(version(&path), 1);
    let mut study = Study::create(&path, "sets", &sets(4, 3, Answers::Best)).unwrap();
    ask(&mut study, "ann");
    study.tell("ann", None, Answer::Best(3), None).unwrap();
    drop(study);
    assert_eq!(version(&path), 2);
    let mut pairs = Study::open(&path, Some("s")).unwrap();
    assert!(matches!(pairs.ask("ann").unwrap(), Ask::Duel(asked) if asked.others.is_empty()));
    drop(pairs);
    let report = check::check(&path).unwrap();
    assert!(report.ok, "{:?}", report.problems);
    assert_eq!(report.studies[1].answers, 1);
}

#[test]
fn events_that_do_not_fit_the_definition_are_damage() {
    let lab = Lab::new();
    drop(lab.study(&sets(5, 3, Answers::Best)));
    let path = lab.path("s.study");
    for (event, (left, right, outcome)) in (1..).zip([
        (r#"["0","1","2","3"]"#, None, "best 1"),
        (r#"["0","1","2"]"#, None, "best 4"),
        (r#"["0","1","2"]"#, None, "left"),
        (r#"["0","1"]"#, None, "best 1"),
        (r#"["0",1,"2"]"#, None, "best 1"),
        (r#""0""#, Some(r#""1""#), "best 1"),
    ]) {
        let connection = rusqlite::Connection::open(&path).unwrap();
        let sql = "INSERT INTO events (study, participant, key, kind, time, left_side, right_side, outcome)
                   VALUES (1, ?1, ?1, 'answered', 9000000000000, ?2, ?3, ?4)";
        let name = format!("p{event}");
        connection.execute(sql, rusqlite::params![name, left, right, outcome]).unwrap();
        drop(connection);
        let error = lab.again().history(&name).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. } | Error::UnknownKind { .. }), "{left}: {error}");
    }
    assert_eq!(check::check(&path).unwrap().problems.len(), 6);
}

#[test]
fn a_definition_in_toml_says_what_is_asked() {
    let text = "items = [\"a\", \"b\", \"c\", \"d\"]\noptions = 4\nanswers = \"best and worst\"\n";
    let definition = read_toml_text(text, "sets.toml".as_ref()).unwrap();
    assert_eq!((definition.options, definition.takes().len()), (4, 13));
    let lab = Lab::new();
    let mut study = lab.study(&definition);
    // Of all items there is one set, again and again.
    for _ in 0..3 {
        let asked = ask(&mut study, "ann");
        assert_eq!(asked.options().count(), 4);
        study.tell("ann", None, Answer::BestAndWorst(1, 2), None).unwrap();
    }
}

//! Studies that take sides alone, ties, or grades.

use crate::lab::{Lab, ask, item, numbered};
use proptest::prelude::*;
use rather::design::{Family, Prior};
use rather_study::analysis::consistency::Verdict;
use rather_study::definition::{Answers, Pooling, Ties};
use rather_study::history::Entry;
use rather_study::{Alternative, Answer, Definition, Error, Format, Study};

fn taking(answers: Answers, items: usize) -> Definition {
    Definition { answers, ..numbered(items) }
}

fn utilities(study: &mut Study, items: usize) -> Vec<f64> {
    let all: Vec<Alternative> = (0..items).map(|i| item(&i.to_string())).collect();
    study.snapshot("ann").unwrap().utilities(&all).unwrap().iter().map(|u| u.mean).collect()
}

#[test]
fn every_study_takes_its_answers_and_no_others() {
    for answers in [Answers::Sides, Answers::Ties, Answers::Graded] {
        let lab = Lab::new();
        let mut study = lab.study(&taking(answers, 4));
        for answer in Answer::ALL {
            let asked = ask(&mut study, "ann");
            match study.tell("ann", Some(asked.number), answer, None) {
                Ok(told) => assert!(answers.all(2).contains(&answer) && told.answer == answer),
                Err(Error::UnknownAnswer { text, known }) => {
                    assert_eq!((text.as_str(), known), (&*answer.name(), answers.all(2)));
                    assert!(!answers.all(2).contains(&answer));
                }
                Err(other) => panic!("{other}"),
            }
        }
        let history = study.history("ann").unwrap();
        assert_eq!(history.entries.len(), answers.all(2).len());
        assert_eq!(history.answers(), answers.all(2).len() as u64 - 1);
    }
    let lab = Lab::new();
    let mut study = lab.study(&taking(Answers::Sides, 4));
    let refused = study.tell_pair("ann", (&item("0"), &item("1")), Answer::Tie, None).unwrap_err();
    assert_eq!(refused.to_string(), "\"tie\" is not an answer of this study; write left, right or skip");
    let refused = study.tell_pair("ann", (&item("0"), &item("1")), Answer::MuchLeft, None).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "\"much left\" is not an answer of this study; write left, right or skip"
    );
}

#[test]
fn duels_are_chosen_ahead_for_every_answer() {
    for answers in [Answers::Sides, Answers::Ties, Answers::Graded] {
        for answer in answers.all(2) {
            let lab = Lab::new();
            let mut study = lab.study(&taking(answers, 5));
            for first in [Answer::Left, answer, Answer::Right] {
                let asked = ask(&mut study, "ann");
                study.tell("ann", Some(asked.number), first, None).unwrap();
            }
            let open = ask(&mut study, "ann");
            assert_eq!(study.plan_ahead("ann", &|| true).unwrap(), answers.all(2).len());
            study.tell("ann", Some(open.number), answer, None).unwrap();
            assert!(ask(&mut study, "ann").planned, "{answer}");
        }
    }
}

#[test]
fn grades_and_ties_move_the_model_as_they_should() {
    let between = |answer| {
        let lab = Lab::new();
        let mut study = lab.study(&taking(Answers::Graded, 3));
        for (sides, answer) in
            [(("1", "2"), Answer::MuchRight), (("2", "1"), Answer::Tie), (("0", "1"), answer)]
        {
            study.tell_pair("ann", (&item(sides.0), &item(sides.1)), answer, None).unwrap();
        }
        let found = utilities(&mut study, 3);
        found[0] - found[1]
    };
    let found = [Answer::MuchLeft, Answer::Left, Answer::Tie, Answer::Right, Answer::MuchRight].map(between);
    assert!(found.windows(2).all(|w| w[0] > w[1]), "{found:?}");
}

/// A prior whose hyperparameters are known, so that an answer can only narrow what is believed.
const KNOWN: Prior = Prior { family: Family::Se, lengthscale: 0.3, sd: 2.0, learn: false, additive: false };

/// What a tie says may be chosen: learned it is a tie with a threshold, split it is half a comparison each way, dropped it is nothing.
#[test]
fn ties_say_what_the_definition_says() {
    let variance = |ties, tied: bool| {
        let lab = Lab::new();
        let mut study = lab.study(&Definition { ties, prior: KNOWN, ..numbered(3) });
        study.tell_pair("ann", (&item("0"), &item("2")), Answer::Left, None).unwrap();
        if tied {
            study.tell_pair("ann", (&item("0"), &item("1")), Answer::Tie, None).unwrap();
        }
        let snapshot = study.snapshot("ann").unwrap();
        let points = snapshot.points(&[item("0"), item("1")]).unwrap();
        snapshot.posterior().differences(&points, &[(0, 1)]).variance[0]
    };
    let before = variance(Ties::Drop, false);
    assert_eq!(variance(Ties::Drop, true), before);
    let (learned, split) = (variance(Ties::Learn, true), variance(Ties::Both, true));
    assert!(learned < split && split < before, "{learned} {split} {before}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, ..ProptestConfig::default() })]

    /// Whatever was said and taken back, what is believed follows from the answers that remain, to the bit; and it is the same in another
    /// process.
    #[test]
    fn answers_that_remain_are_all_that_counts(
        steps in prop::collection::vec((0..6_usize, 1..5_usize, prop::option::of(0..6_usize)), 1..40),
        streaming: bool,
    ) {
        let lab = Lab::new();
        let mut definition = taking(Answers::Graded, 6);
        definition.policy.acquisition = "random".parse().unwrap();
        if streaming {
            definition.inference = rather::design::Inference::Streaming;
        }
        let mut study = lab.study(&definition);
        let mut remaining: Vec<(String, String, Answer)> = Vec::new();
        for (a, step, said) in steps {
            let (left, right) = (a.to_string(), ((a + step) % 6).to_string());
            match said {
                Some(said) => {
                    study.tell_pair("ann", (&item(&left), &item(&right)), Answer::ALL[said], None).unwrap();
                    remaining.push((left, right, Answer::ALL[said]));
                }
                None => prop_assert_eq!(study.undo("ann", None).is_ok(), remaining.pop().is_some()),
            }
        }
        let other = Lab::new();
        let mut fresh = other.study(&definition);
        for (left, right, answer) in &remaining {
            fresh.tell_pair("ann", (&item(left), &item(right)), *answer, None).unwrap();
        }
        let found = utilities(&mut study, 6);
        prop_assert!(found.iter().all(|u| u.is_finite()));
        prop_assert_eq!(&found, &utilities(&mut fresh, 6));
        prop_assert_eq!(&found, &utilities(&mut lab.again(), 6));
        if remaining.iter().any(|(.., answer)| *answer != Answer::Skip) {
            let (one, two) = (study.consistency("ann").unwrap(), fresh.consistency("ann").unwrap());
            prop_assert_eq!(one, two);
            prop_assert_eq!(study.advice("ann").unwrap(), fresh.advice("ann").unwrap());
        }
    }
}

/// A file as it was written before studies said which answers they take, and before ties had a likelihood.
#[test]
fn files_of_before_open_and_mean_what_they_meant() {
    const DEFINITION: &str = r#"{"title":"","question":"Which do you prefer?","subject":{"items":{"keys":["0","1","2"],"columns":[]}},
        "seed":0,"participants":{"names":[],"model":"separate"},"policy":{"acquisition":"bald","opponent":"winner","initial":2},
        "prior":{"family":"se","lengthscale":0.3,"sd":2.0,"learn":false},"inference":"ep","ties":"both",
        "stop":{"answers":null,"regret":0.2},"time_limit":1.0,"presentation":{}}"#;
    let said = [("0", "1", "left"), ("1", "2", "tie"), ("0", "2", "tie"), ("2", "1", "right")];
    let lab = Lab::new();
    drop(lab.study(&numbered(3)));
    // The triggers do not mind studies, only events; the layout of files is the same.
    let file = rusqlite::Connection::open(lab.path("s.study")).unwrap();
    file.execute("UPDATE studies SET definition = ?1", [DEFINITION]).unwrap();
    for (n, (left, right, outcome)) in said.iter().enumerate() {
        file.execute(
            "INSERT INTO events (study, participant, key, kind, time, left_side, right_side, outcome)
             VALUES (1, 'ann', ?1, 'answered', 0, ?2, ?3, ?4)",
            [&n.to_string(), &format!("\"{left}\""), &format!("\"{right}\""), &(*outcome).to_owned()],
        )
        .unwrap();
    }
    drop(file);
    let mut old = lab.again();
    assert_eq!((old.definition().answers, old.definition().ties), (Answers::Ties, Ties::Both));
    let snapshot = old.snapshot("ann").unwrap();
    let all: Vec<Alternative> = ["0", "1", "2"].map(item).to_vec();
    let points = snapshot.points(&all).unwrap();
    let moments = snapshot.posterior().utilities(&points);
    // Half a comparison each way, by the engine's own hand.
    use rather::Comparison;
    use rather::inference::observations::Observations;
    let rather = |winner, loser, count| Comparison { winner, loser, count };
    let mut observations = Observations::new(&[
        rather(0, 1, 2.0),
        rather(1, 2, 1.0),
        rather(2, 1, 1.0),
        rather(0, 2, 1.0),
        rather(2, 0, 1.0),
        rather(1, 2, 2.0),
    ]);
    observations.merged.iter_mut().for_each(|o| *o = o.times(0.5 * o.count()));
    let problem = rather::evidence::Problem {
        points: &points,
        observations: &observations,
        method: rather::inference::Method::Ep,
        space: None,
        inducing: None,
    };
    let kernel = KNOWN.kernel(&[]).unwrap();
    let noise = rather::design::Prior::NOISE;
    let evidence = problem.evaluate(&kernel, noise, None, &rather::inference::Settings::default()).unwrap();
    let expected = rather::posterior::Posterior::new(&problem, kernel, noise, evidence).utilities(&points);
    for (a, b) in
        moments.mean.iter().zip(&expected.mean).chain(moments.variance.iter().zip(&expected.variance))
    {
        // Features below a millionth of a variance are left out.
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }
    // It goes on as it was made.
    let asked = ask(&mut old, "ann");
    old.tell("ann", Some(asked.number), Answer::Tie, None).unwrap();
    assert!(old.tell_pair("ann", (&item("0"), &item("1")), Answer::MuchLeft, None).is_err());
}

/// Answers of every kind, a skip among them.
fn graded(lab: &Lab) -> Study {
    let mut study = lab.study(&taking(Answers::Graded, 6));
    for (n, answer) in Answer::ALL.into_iter().chain([Answer::MuchLeft]).enumerate() {
        let (left, right) = (item(&(n % 6).to_string()), item(&((n + 1) % 6).to_string()));
        study.tell_pair("ann", (&left, &right), answer, None).unwrap();
    }
    study
}

fn said(study: &mut Study) -> Vec<(String, String, Answer)> {
    let entries = &study.history("ann").unwrap().entries;
    let answers = entries.iter().filter(|e| e.is_answer());
    let one = |e: &Entry| (e.left.to_string(), e.right.to_string(), e.answer);
    let mut out: Vec<_> = answers.flat_map(|e| std::iter::repeat_n(one(e), e.count as usize)).collect();
    // Orders have no sides.
    for (left, right, answer) in &mut out {
        if answer.plain() == Answer::Right {
            std::mem::swap(left, right);
            *answer = if *answer == Answer::Right { Answer::Left } else { Answer::MuchLeft };
        } else if *answer == Answer::Tie && left > right {
            std::mem::swap(left, right);
        }
    }
    out.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    out
}

#[test]
fn grades_survive_the_formats_that_can_say_them() {
    let lab = Lab::new();
    let mut study = graded(&lab);
    let whole = said(&mut study);
    let plain: Vec<_> = whole.iter().map(|(l, r, a)| (l.clone(), r.clone(), a.plain())).collect();
    for format in [Format::Csv, Format::Jsonl, Format::Winner, Format::Toi] {
        let text = study.export(format, None).unwrap();
        let other = Lab::new();
        let mut copy = other.study(&taking(Answers::Graded, 6));
        let name = other.path(&format!("answers.{format}"));
        let imported = copy.import_bytes(&name, text.as_bytes(), format, Some("ann"), false).unwrap();
        assert_eq!((imported.answers, imported.ties), (6, 1), "{format}");
        let keeps = matches!(format, Format::Csv | Format::Jsonl);
        assert_eq!(&said(&mut copy), if keeps { &whole } else { &plain }, "{format}");
    }
}

#[test]
fn imports_keep_to_the_answers_of_the_study() {
    let graded = "left,right,outcome\n0,1,much left\n1,2,>>\n2,3,a little right\n3,0,right\n";
    let lab = Lab::new();
    let mut study = lab.study(&taking(Answers::Ties, 4));
    let mut import =
        |text: &str| study.import_bytes("a.csv".as_ref(), text.as_bytes(), Format::Csv, Some("ann"), false);
    let imported = import(graded).unwrap();
    assert_eq!(
        imported.notes,
        [
            "a.csv: 2 of the answers say how much better, which this study does not use; they count as plain preferences"
        ]
    );
    let wrong = import("left,right,outcome\n0,1,best\n").unwrap_err().to_string();
    assert!(wrong.starts_with("a.csv, line 2: \"best\" is no outcome; write left, right, tie, "), "{wrong}");
    assert!(said(&mut study).iter().all(|(.., answer)| *answer == Answer::Left));

    let lab = Lab::new();
    let mut study = lab.study(&taking(Answers::Sides, 4));
    let tie = "left,right,outcome\n0,1,left\n1,2,tie\n";
    let refused = study.import_bytes("a.csv".as_ref(), tie.as_bytes(), Format::Csv, Some("ann"), false);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "a.csv, line 3: it prefers neither side, and this study takes no ties; leave it out, or make the study with \
         answers = \"ties\""
    );
    assert_eq!(study.history("ann").unwrap().answers(), 0, "all or none");
}

/// What a study exports, `rather fit` reads for what it is.
#[test]
fn exported_answers_are_grades_to_a_table() {
    let lab = Lab::new();
    let mut study = graded(&lab);
    let path = lab.path("answers.csv");
    std::fs::write(&path, study.export(Format::Csv, None).unwrap()).unwrap();
    let keys = (0..6).map(|i| i.to_string()).collect();
    let items = rather_io::ItemTable::new("items.csv".into(), "item".into(), keys, Vec::new()).unwrap();
    let table = rather_io::read_answers(&path, &items, &rather_io::Reading::default()).unwrap();
    let answers = rather_io::settle(vec![table], rather_io::Tied::Kept).unwrap();
    let strengths: Vec<f64> = answers.answers.iter().map(|o| o.reply.datum).collect();
    let expected: Vec<f64> = study
        .history("ann")
        .unwrap()
        .entries
        .iter()
        .filter_map(|e| e.answer.strength())
        .map(|s| f64::from(s.abs()))
        .collect();
    assert_eq!(strengths, expected);
}

#[test]
fn consistency_knows_ties_and_grades() {
    let lab = Lab::new();
    let mut study = lab.study(&taking(Answers::Graded, 4));
    let mut tell = |left: &str, right: &str, answer| {
        study.tell_pair("ann", (&item(left), &item(right)), answer, None).unwrap();
    };
    // Round in a circle but for the tie, then the tie decided.
    tell("0", "1", Answer::MuchLeft);
    tell("2", "1", Answer::Right);
    tell("2", "0", Answer::Tie);
    let found = study.consistency("ann").unwrap();
    assert_eq!((found.cycles.triads, found.cycles.circular), (0, 0), "a tie is no arc");
    study.tell_pair("ann", (&item("0"), &item("2")), Answer::MuchRight, None).unwrap();
    study.tell_pair("ann", (&item("1"), &item("0")), Answer::Right, None).unwrap();
    let found = study.consistency("ann").unwrap();
    assert_eq!((found.cycles.triads, found.cycles.circular), (1, 1));
    // 0 and 1 were answered twice for 0; 0 and 2 once with a tie, once for 2.
    assert_eq!((found.repeats.pairs, found.repeats.repeats, found.repeats.agreed), (2, 2, 1));
    assert_eq!(found.sides.map(|sides| (sides.left, sides.right)), Some((1, 3)));
    // "Much better" against what everything else says is careless.
    for _ in 0..6 {
        for (better, worse) in [("3", "0"), ("3", "1"), ("3", "2")] {
            study.tell_pair("ann", (&item(better), &item(worse)), Answer::MuchLeft, None).unwrap();
        }
    }
    study.tell_pair("ann", (&item("1"), &item("3")), Answer::MuchLeft, None).unwrap();
    let found = study.consistency("ann").unwrap();
    let worst = &found.surprises.examples[0];
    assert_eq!((worst.winner.to_string().as_str(), worst.loser.to_string().as_str()), ("1", "3"));
    assert_eq!((worst.verdict, found.surprises.careless), (Verdict::Careless, 1), "{worst:?}");
    assert!(found.noise.is_some() && found.drift.is_some());
}

#[test]
fn models_that_do_not_hear_grades_say_so() {
    let lab = Lab::new();
    let mut definition = taking(Answers::Graded, 4);
    definition.participants.model = Pooling::Collaborative;
    let mut study = lab.study(&definition);
    assert!(study.notes()[0].starts_with("the model \"collaborative\" does not use how much better"));
    study.tell_pair("ann", (&item("0"), &item("1")), Answer::MuchLeft, None).unwrap();
    study.tell_pair("ann", (&item("1"), &item("2")), Answer::Tie, None).unwrap();
    assert!(study.advice("ann").is_ok());
    definition.policy.acquisition = "believer".parse().unwrap();
    definition.participants.model = Pooling::Separate;
    let fault = definition.check().unwrap_err().to_string();
    assert!(fault.starts_with("policy.acquisition: believer draws plain comparisons"), "{fault}");
    definition.answers = Answers::Ties;
    definition.ties = Ties::Both;
    assert_eq!(definition.check(), Ok(()));
}

fn numbers() -> Answers {
    "difference".parse().unwrap()
}

#[test]
fn a_study_of_numbers_learns_how_much_better() {
    let lab = Lab::new();
    let mut study = lab.study(&taking(numbers(), 4));
    let takes = study.definition().takes();
    let by = [Answer::LeftBy(3), Answer::LeftBy(2), Answer::LeftBy(1), Answer::Tie];
    let other = [Answer::RightBy(1), Answer::RightBy(2), Answer::RightBy(3), Answer::Skip];
    assert_eq!(takes, [by, other].concat());
    for (text, answer) in [
        ("3", Answer::LeftBy(3)),
        ("-1", Answer::RightBy(1)),
        ("0", Answer::Tie),
        ("left-by-2", Answer::LeftBy(2)),
        ("skip", Answer::Skip),
    ] {
        assert_eq!(study.definition().parse_answer(text).unwrap(), answer);
    }
    for wrong in ["4", "left", "much right", "right by 9"] {
        let sentence = study.definition().parse_answer(wrong).unwrap_err().to_string();
        let hint =
            "is not an answer of this study; write a number from 3 (left) over 0 to -3 (right), or skip";
        assert_eq!(sentence, format!("\"{wrong}\" {hint}"));
    }
    // Evenly spaced, so that numbers are their distances.
    for _ in 0..3 {
        for (left, right) in [(0, 1), (1, 2), (3, 2), (0, 2), (3, 1), (0, 3)] {
            let number = i8::try_from(right).unwrap() - i8::try_from(left).unwrap();
            let answer = study.definition().parse_answer(&(-number).to_string()).unwrap();
            study
                .tell_pair("ann", (&item(&left.to_string()), &item(&right.to_string())), answer, None)
                .unwrap();
        }
    }
    let u = utilities(&mut study, 4);
    assert!(u.windows(2).all(|pair| pair[1] > pair[0]), "{u:?}");
    let even = (u[3] - u[0]) / (u[1] - u[0]);
    // Where only the order is told, the outer gaps would be as wide as the inner ones or wider than what the prior allows; numbers fix them.
    assert!((2.0..4.5).contains(&even), "{u:?}");
    let asked = ask(&mut study, "ann");
    study.tell("ann", Some(asked.number), Answer::RightBy(2), None).unwrap();
    assert!(study.consistency("ann").is_ok() && study.snapshot("ann").is_ok());
}

#[test]
fn numbers_are_exported_and_read_for_what_they_are() {
    let lab = Lab::new();
    let mut study = lab.study(&taking(numbers(), 4));
    let told = [
        (0, 1, Answer::RightBy(2)),
        (1, 2, Answer::Tie),
        (2, 3, Answer::LeftBy(1)),
        (3, 0, Answer::LeftBy(3)),
    ];
    for (left, right, answer) in told {
        study.tell_pair("ann", (&item(&left.to_string()), &item(&right.to_string())), answer, None).unwrap();
    }
    let whole = said(&mut study);
    let csv = study.export(Format::Csv, None).unwrap();
    let header = csv.lines().next().unwrap();
    assert!(header.starts_with("left,right,difference,user,count,time"), "{header}");
    assert!(csv.contains("0,1,-2,ann,1,") && csv.contains("1,2,0,ann,1,"), "{csv}");
    for format in [Format::Csv, Format::Jsonl] {
        let text = study.export(format, None).unwrap();
        let other = Lab::new();
        let mut copy = other.study(&taking(numbers(), 4));
        let name = other.path(&format!("answers.{format}"));
        copy.import_bytes(&name, text.as_bytes(), format, Some("ann"), false).unwrap();
        assert_eq!(said(&mut copy), whole, "{format}");
    }
    // A table of differences to a fit; a side without a number is none to a study of numbers; the sign alone to one of sides.
    let path = lab.path("answers.csv");
    std::fs::write(&path, &csv).unwrap();
    let keys = (0..4).map(|i| i.to_string()).collect();
    let items = rather_io::ItemTable::new("items.csv".into(), "item".into(), keys, Vec::new()).unwrap();
    let table = rather_io::read_answers(&path, &items, &rather_io::Reading::default()).unwrap();
    let answers = rather_io::settle(vec![table], rather_io::Tied::Kept).unwrap().answers;
    let found: Vec<_> = answers.iter().map(|a| (a.reply.kind.0.name(), a.reply.datum)).collect();
    assert_eq!(found, [("difference", 2.0), ("difference", 0.0), ("difference", 1.0), ("difference", 3.0)]);
    let sides = "left,right,outcome\n0,1,left\n";
    let refused = study.import_bytes("a.csv".as_ref(), sides.as_bytes(), Format::Csv, Some("bob"), false);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "a.csv, line 2: \"left\" is not an answer of this study; write a number from 3 (left) over 0 to -3 (right), or skip"
    );
    let other = Lab::new();
    let mut plain = other.study(&taking(Answers::Ties, 4));
    let log = study.export(Format::Jsonl, None).unwrap();
    let imported =
        plain.import_bytes("a.jsonl".as_ref(), log.as_bytes(), Format::Jsonl, Some("ann"), false).unwrap();
    assert_eq!((imported.answers, imported.ties, imported.notes.len()), (4, 1, 1));
}

#[test]
fn numbers_go_with_what_answers_go_with() {
    let text = |more: &str| format!("items = [\"a\", \"b\", \"c\"]\nanswers = \"difference\"\n{more}");
    let read = |more: &str| rather_study::definition::read_toml_text(&text(more), "s.toml".as_ref());
    let definition = read("").unwrap();
    assert_eq!(definition.answers, numbers());
    let again = rather_study::definition::read_toml_text(&definition.to_toml(), "s.toml".as_ref()).unwrap();
    assert_eq!(again, definition);
    let json = serde_json::to_value(&definition).unwrap();
    assert_eq!(
        (&json["answers"], serde_json::from_value::<Definition>(json.clone()).unwrap()),
        (&"difference".into(), definition)
    );
    for more in ["ties = \"both\"", "options = 3", "[policy]\nacquisition = \"believer\""] {
        assert!(read(more).is_err(), "{more}");
    }
    let wrong =
        rather_study::definition::read_toml_text(&text("").replace("difference", "many"), "s.toml".as_ref())
            .unwrap_err();
    let sentence = wrong.to_string();
    assert!(
        sentence.contains("write sides, ties, graded or difference, or, of several options"),
        "{sentence}"
    );
}

//! Answers out and in again.

use crate::lab::{Lab, ask, item, mixed, numbered, opinion};
use rather_study::{Answer, Check, Definition, Format, Study};
use std::fs;
use std::path::PathBuf;

/// Two people, with ties, a skip, something taken back, and a catch trial.
fn busy(study: &mut Study) {
    for (i, name) in ["ann", "bob", "ann", "ann", "bob", "ann", "ann"].into_iter().enumerate() {
        let asked = ask(study, name);
        let answer = match i {
            3 => Answer::Tie,
            4 => Answer::Skip,
            _ => opinion(&asked),
        };
        study.tell(name, None, answer, None).unwrap();
    }
    study.undo("ann", None).unwrap();
    study.tell("ann", None, Answer::Skip, None).unwrap();
    let asked = ask(study, "bob");
    study.tell("bob", None, opinion(&asked), None).unwrap();
    let same = asked.left;
    study.ask_check("bob", (&same, &same), Check::Catch).unwrap();
    study.tell("bob", None, Answer::Left, None).unwrap();
}

/// What counts: who said what of which two.
fn answers(study: &mut Study) -> Vec<(String, String, String, Answer, u32)> {
    let mut out = Vec::new();
    for name in study.participants().unwrap() {
        let entries = &study.history(&name).unwrap().entries;
        out.extend(
            entries
                .iter()
                .filter(|e| e.is_answer())
                .map(|e| (name.clone(), e.left.to_string(), e.right.to_string(), e.answer, e.count)),
        );
    }
    out
}

fn write(lab: &Lab, name: &str, text: &str) -> PathBuf {
    fs::write(lab.path(name), text).unwrap();
    lab.path(name)
}

#[test]
fn what_goes_out_comes_in_again() {
    for definition in [numbered(6), mixed()] {
        for format in [Format::Csv, Format::Jsonl, Format::Winner] {
            let lab = Lab::new();
            let mut study = lab.study(&definition);
            busy(&mut study);
            let text = match study.export(format, None) {
                Ok(text) => text,
                // Settings have no names.
                Err(error) => {
                    assert!(format == Format::Winner && error.to_string().contains("export csv instead"));
                    continue;
                }
            };
            let file = write(&lab, &format!("out.{format}"), &text);
            let other = Lab::new();
            let mut copy = other.study(&definition);
            let imported = copy.import(&file, format, None, false).unwrap();
            assert_eq!((imported.answers, imported.ties, imported.participants.len()), (6, 1, 2), "{format}");
            assert!(imported.notes.is_empty());
            assert_eq!(answers(&mut copy), answers(&mut study), "{format}");
            let times = |study: &mut Study| {
                study.history("ann").unwrap().entries.iter().map(|e| e.time).collect::<Vec<_>>()
            };
            let (was, is) = (times(&mut study), times(&mut copy));
            assert_eq!(is[..], was[..is.len()]);

            // The same file counts once, unless one insists; imported answers are not undone.
            let again = copy.import(&file, format, None, false).unwrap_err().to_string();
            let already = "was imported already, with its 6 answers; name another participant if they are of somebody else, or add them \
                           again with --again";
            assert!(again.ends_with(already), "{again}");
            copy.import(&file, format, None, true).unwrap();
            copy.import(&file, format, None, true).unwrap();
            assert_eq!(answers(&mut copy).len(), 18);
            assert!(copy.undo("ann", None).is_err());
            // One goes on where the other was.
            assert!(!ask(&mut copy, "ann").again);
        }
    }
}

/// The same answers, given by somebody else: a file that names nobody is each participant's own.
#[test]
fn a_file_is_taken_once_for_each_participant() {
    let lab = Lab::new();
    let mut study = lab.study(&numbered(3));
    let file = write(&lab, "a.csv", "winner,loser\n1,2\n2,0\n");
    let mut import = |name: &str, again: bool| study.import(&file, Format::Csv, Some(name), again);
    assert_eq!(import("ann", false).unwrap().answers, 2);
    assert_eq!(import("bob", false).unwrap().answers, 2);
    for name in ["ann", "bob"] {
        assert!(import(name, false).unwrap_err().to_string().contains("with its 2 answers"), "{name}");
    }
    assert_eq!(import("ann", true).unwrap().answers, 2);
    assert_eq!(answers(&mut study).len(), 6);
}

#[test]
fn a_log_holds_what_was_taken_back() {
    let lab = Lab::new();
    let mut study = lab.study(&numbered(6));
    busy(&mut study);
    let log = study.export(Format::Jsonl, None).unwrap();
    let lines: Vec<serde_json::Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["definition"]["subject"]["items"]["keys"][0], "0");
    let count = |kind: &str| lines.iter().filter(|line| line["kind"] == kind).count();
    assert_eq!((count("asked"), count("answered"), count("skipped"), count("undone")), (9, 8, 2, 1));
    let undone = lines.iter().find(|line| line["kind"] == "undone").unwrap();
    assert!(lines.iter().any(|line| line["event"] == undone["undoes"] && line["kind"] == "answered"));
    let ann = study.export(Format::Jsonl, Some("ann")).unwrap();
    assert!(ann.contains("\"ann\"") && !ann.contains("\"bob\""));
}

#[test]
fn answers_are_orders_of_two() {
    let lab = Lab::new();
    let mut study = lab.study(&Definition::of_items(["tea", "coffee, black", "water"]));
    let (tea, coffee, water) = (item("tea"), item("coffee, black"), item("water"));
    for (a, b, answer) in
        [(&tea, &coffee, Answer::Left), (&coffee, &tea, Answer::Right), (&water, &tea, Answer::Right)]
    {
        study.tell_pair("ann", (a, b), answer, None).unwrap();
    }
    let soi = study.export(Format::Soi, None).unwrap();
    let (header, orders): (Vec<&str>, Vec<&str>) = soi.lines().partition(|line| line.starts_with('#'));
    assert_eq!(orders, ["2: 1,2", "1: 1,3"]);
    for line in [
        "# FILE NAME: s.soi",
        "# DATA TYPE: soi",
        "# NUMBER ALTERNATIVES: 3",
        "# NUMBER VOTERS: 3",
        "# NUMBER UNIQUE ORDERS: 2",
        "# ALTERNATIVE NAME 2: coffee, black",
    ] {
        assert!(header.contains(&line), "{line}");
    }
    study.tell_pair("ann", (&tea, &coffee), Answer::Tie, None).unwrap();
    assert_eq!(
        study.export(Format::Soi, None).unwrap_err().to_string(),
        "there is 1 tie among the answers, and soi has none; export toi instead"
    );
    let toi = study.export(Format::Toi, None).unwrap();
    assert!(toi.ends_with("2: 1,2\n1: 1,3\n1: {1,2}\n"), "{toi}");
    let file = write(&lab, "answers.toi", &toi);
    let other = Lab::new();
    let mut copy = other.study(&Definition::of_items(["water", "tea", "coffee, black"]));
    let imported = copy.import(&file, Format::Toi, Some("cid"), false).unwrap();
    assert_eq!((imported.answers, imported.ties, imported.participants), (4, 1, vec!["cid".to_owned()]));
    let mut said = answers(&mut copy);
    said.sort_by_key(|s| s.4);
    let of = |left: &str, right: &str, answer, count| {
        ("cid".to_owned(), left.to_owned(), right.to_owned(), answer, count)
    };
    assert_eq!(said[2], of("tea", "coffee, black", Answer::Left, 2));
    assert!(said.contains(&of("tea", "coffee, black", Answer::Tie, 1)));
}

#[test]
fn rankings_are_learned_ones() {
    let lab = Lab::new();
    let mut study = lab.study(&numbered(4));
    for (name, sign) in [("ann", 1), ("bob", -1), ("cid", 1)] {
        for (a, b) in [(3, 2), (2, 1), (1, 0), (3, 0)] {
            let answer = if sign > 0 { Answer::Left } else { Answer::Right };
            study.tell_pair(name, (&item(&a.to_string()), &item(&b.to_string())), answer, None).unwrap();
        }
    }
    let soc = study.export(Format::Soc, None).unwrap();
    assert!(
        soc.contains("# DATA TYPE: soc\n# MODIFICATION TYPE: induced\n")
            && soc.ends_with("2: 4,3,2,1\n1: 1,2,3,4\n"),
        "{soc}"
    );
    // An item that nobody compared is worth as much as another such one.
    let home = Lab::new();
    let mut wide = home.study(&numbered(5));
    wide.tell_pair("ann", (&item("1"), &item("2")), Answer::Left, None).unwrap();
    assert_eq!(
        wide.export(Format::Soc, None).unwrap_err().to_string(),
        "the answers of ann do not distinguish \"0\" and \"3\", and soc has no ties; export toc instead"
    );
    let toc = wide.export(Format::Toc, None).unwrap();
    assert!(toc.ends_with("1: 2,{1,4,5},3\n"), "{toc}");
    // An order of five makes ten answers.
    let file = write(&lab, "ranking.toc", &toc);
    let imported = Lab::new().study(&numbered(5)).import(&file, Format::Toc, Some("ann"), false).unwrap();
    assert_eq!((imported.answers, imported.ties), (10, 3));
}

#[test]
fn other_programs_tables_come_in() {
    for (name, text, expected) in [
        ("a.csv", "winner,loser\n1,2\n2,0\n", vec![("1", "2", Answer::Left), ("0", "2", Answer::Right)]),
        (
            "b.csv",
            "left;right;winner;judge\n1;2;2;x\n1;2;TIE;y\n",
            vec![("1", "2", Answer::Right), ("1", "2", Answer::Tie)],
        ),
        (
            "c.csv",
            "ranking\n1 > 2 > 0\n",
            vec![("1", "2", Answer::Left), ("0", "1", Answer::Right), ("2", "0", Answer::Left)],
        ),
        (
            "d.jsonl",
            "{\"model_a\":\"1\",\"model_b\":\"2\",\"winner\":\"model_b\"}\n\n",
            vec![("1", "2", Answer::Right)],
        ),
        (
            "e.jsonl",
            "{\"left\":\"1\",\"right\":\"2\",\"winner\":\"1\",\"user\":\"me\",\"turn\":3}",
            vec![("1", "2", Answer::Left)],
        ),
        // PrefLib before 2022.
        (
            "f.soc",
            "3\n1,0\n2,1\n3,2\n2,2,1\n2,3,1,2\n",
            vec![("2", "0", Answer::Left), ("1", "2", Answer::Right), ("0", "1", Answer::Left)],
        ),
    ] {
        let lab = Lab::new();
        let mut study = lab.study(&numbered(3));
        let file = write(&lab, name, text);
        study.import(&file, Format::of_path(&file).unwrap(), Some("me"), false).unwrap();
        let said: Vec<(String, String, Answer)> =
            answers(&mut study).into_iter().map(|s| (s.1, s.2, s.3)).collect();
        let expected: Vec<(String, String, Answer)> =
            expected.into_iter().map(|(l, r, a)| (l.to_owned(), r.to_owned(), a)).collect();
        assert_eq!(said, expected, "{name}");
    }
}

/// Which alternative stood on the left is not known of a winner and a loser: no position bias is made up.
#[test]
fn answers_without_sides_have_no_position_bias() {
    let lab = Lab::new();
    let mut study = lab.study(&numbered(3));
    let rows: String = (0..40).map(|n| format!("{},{}\n", n % 3, (n + 1) % 3)).collect();
    let file = write(&lab, "a.csv", &format!("winner,loser\n{rows}"));
    study.import(&file, Format::Csv, Some("ann"), false).unwrap();
    let said = answers(&mut study);
    let of = |answer: Answer| said.iter().filter(|s| s.3 == answer).count();
    assert_eq!((of(Answer::Left), of(Answer::Right)), (20, 20));
    let wins = |s: &(String, String, String, Answer, u32)| {
        let winner = if s.3 == Answer::Left { &s.1 } else { &s.2 };
        winner.clone()
    };
    let winners: Vec<String> = said.iter().map(wins).collect();
    let expected: Vec<String> = (0..40).map(|n| (n % 3).to_string()).collect();
    assert_eq!(winners, expected);
}

#[test]
fn mistakes_are_named_with_their_line_and_nothing_is_added() {
    let items = [
        (
            "a.csv",
            "winner,loser\n1,2\n1,9\n",
            "a.csv, line 3: there is no item \"9\" in this study; the items are \"0\", \"1\", \"2\"",
        ),
        (
            "a.csv",
            "winner,loser\n1,1\n",
            "a.csv, line 2: \"1\" is compared with itself; name two different ones",
        ),
        (
            "a.csv",
            "left,right,outcome\n1,2,3\n",
            "a.csv, line 2: \"3\" is no outcome; write left, right, tie, \"1\" or \"2\"",
        ),
        (
            "a.csv",
            "winner,loser,count\n1,2,0\n",
            "a.csv, line 2: \"0\" is not a count; write a whole number from 1",
        ),
        (
            "a.csv",
            "winner,loser,time\n1,2,noon\n",
            "a.csv, line 2: \"noon\" is not a time; write it as 2026-11-21T09:30:00Z",
        ),
        ("a.csv", "winner,loser\n", "a.csv has no comparisons; write at least one"),
        (
            "a.csv",
            "x,y\n1,2\n",
            "the columns of a.csv are \"x\", \"y\", but they must be winner and loser; or left, right and outcome (or winner); or ranking; rename them",
        ),
        (
            "a.csv",
            "winner,loser,user\n1,2,dan\n",
            "a.csv, line 2: \"dan\" is not a participant of this study; the participants are \"ann\", \"bob\"",
        ),
        (
            "a.csv",
            "winner,loser\n1,2\n",
            "a.csv, line 2: the participant is missing; add a column user, or name one with --participant",
        ),
        (
            "a.jsonl",
            "{\"left\":\"1\"}\n",
            "a.jsonl, line 1: it has no \"right\"; a line needs left, right and outcome (or winner)",
        ),
        (
            "a.jsonl",
            "\n{\"left\":\"1\",\"right\":\"2\",\n",
            "a.jsonl, line 2: this is not a JSON object of an answer: EOF while parsing a value",
        ),
        (
            "a.soi",
            "# ALTERNATIVE NAME 1: 0\n# ALTERNATIVE NAME 2: 1\n1: 1,3\n",
            "a.soi, line 3: there is no alternative 3; the header names 2",
        ),
        (
            "a.soi",
            "# ALTERNATIVE NAME 1: 0\n# ALTERNATIVE NAME 2: tea\n1: 1,2\n",
            "a.soi, line 2: there is no item \"tea\" in this study",
        ),
        (
            "a.soi",
            "# ALTERNATIVE NAME 1: 0\n1: 1,1\n",
            "a.soi, line 2: alternative 1 appears in the order twice; keep one",
        ),
        ("a.soi", "left,right\n", "a.soi, line 1: \"left,right\" is no beginning of a PrefLib file"),
        (
            "a.soi",
            "3\n1,0\n",
            "a.soi, line 2: the file ends here, but 3 alternatives and a line of counts must follow",
        ),
        ("a.toi", "# ALTERNATIVE NAME 1: 0\n2\n", "a.toi, line 2: \"2\" is no order; write COUNT: 1,2,3"),
    ];
    let lab = Lab::new();
    let mut definition = numbered(3);
    definition.participants.names = vec!["ann".into(), "bob".into()];
    let mut study = lab.study(&definition);
    for (name, text, sentence) in items {
        let file = write(&lab, name, text);
        let found =
            study.import(&file, Format::of_path(&file).unwrap(), None, false).unwrap_err().to_string();
        let found = found.replace(&format!("{}/", file.parent().unwrap().display()), "");
        assert!(found.starts_with(sentence), "{name}: {found}");
    }
    assert!(answers(&mut study).is_empty());

    let lab = Lab::new();
    let mut study = lab.study(&mixed());
    for (text, sentence) in [
        (
            "left.x,left.n,left.mode,right.x,right.n,right.mode,outcome\n1,2,a,1,2,c,left\n",
            "a.csv, line 2: right.mode = c must be one of \"a\", \"b\"",
        ),
        (
            "left.x,left.n,left.mode,right.x,right.n,right.mode,outcome\n1,2,a,1,2,a,left\n",
            "a.csv, line 2: \"x = 1, n = 2, mode = a\" is compared with itself",
        ),
        (
            "left.x,left.n,left.mode,right.x,right.n,outcome\n1,2,a,1,2,left\n",
            "a.csv has no column \"right.mode\"; every parameter needs",
        ),
        (
            "winner,loser\n\"x=1,n=2,mode=a\",x=1\n",
            "a.csv, line 2: \"x=1\" is no setting of this study: it lacks the parameter \"n\"",
        ),
    ] {
        let file = write(&lab, "a.csv", text);
        let found = study.import(&file, Format::Csv, Some("ann"), false).unwrap_err().to_string();
        let found = found.replace(&format!("{}/", file.parent().unwrap().display()), "");
        assert!(found.starts_with(sentence), "{found}");
    }
    assert_eq!(
        study.export(Format::Csv, None).unwrap_err().to_string(),
        "participant anybody has no answers to export yet; ask and tell first"
    );
    let named = numbered(2);
    let words = Definition::of_items(["left", "right"]);
    for (definition, wrong) in [(named, false), (words, true)] {
        let home = Lab::new();
        let mut study = home.study(&definition);
        let asked = ask(&mut study, "ann");
        study.tell("ann", Some(asked.number), Answer::Left, None).unwrap();
        assert_eq!(study.export(Format::Winner, None).is_err(), wrong);
    }
    assert!(Format::of_path("answers".as_ref()).is_err() && "xls".parse::<Format>().is_err());
}

/// An order of n alternatives stands for n (n - 1) / 2 answers: too many are refused before they are made, by the line that brings
/// them.
#[test]
fn long_orders_are_refused_by_line() {
    let lab = Lab::new();
    let mut study = lab.study(&numbered(2_000));
    let mut text = "# FILE NAME: long.soc\n".to_owned();
    (0..2_000).for_each(|i| text += &format!("# ALTERNATIVE NAME {}: {i}\n", i + 1));
    let order: Vec<String> = (1..=2_000).map(|i| i.to_string()).collect();
    (0..4).for_each(|_| text += &format!("1: {}\n", order.join(",")));
    let path = write(&lab, "long.soc", &text);
    let refused = |study: &mut Study, path: &PathBuf, format| {
        let error = study.import(path, format, Some("ann"), false).unwrap_err().to_string();
        error
            .replace(&format!("{}/", lab.path("").display()), "")
            .replace(&lab.path("").display().to_string(), "")
    };
    assert_eq!(
        refused(&mut study, &path, Format::Soc),
        "long.soc, line 2002: an order of 2000 alternatives makes 1999000 answers, and a study takes up to 1000000 at once; import \
         fewer orders, or shorter ones"
    );
    // Short ones that were given very often are too many as well.
    let path =
        write(&lab, "often.soc", "# ALTERNATIVE NAME 1: 1\n# ALTERNATIVE NAME 2: 2\n999999: 1,2\n2: 2,1\n");
    assert!(
        refused(&mut study, &path, Format::Soc)
            .starts_with("often.soc, line 4: an order of 2 alternatives, given 2 times, makes 2 answers")
    );
    let names: Vec<String> = (0..2_000).map(|i| i.to_string()).collect();
    let path = write(&lab, "long.csv", &format!("ranking\n{}\n", names.join(" > ")));
    assert_eq!(
        refused(&mut study, &path, Format::Csv),
        "long.csv, line 2: a ranking of 2000 items makes 1999000 comparisons, and all rankings together may make 1000000; rank \
         fewer items, or compare neighbours only (--rankings adjacent)"
    );
}

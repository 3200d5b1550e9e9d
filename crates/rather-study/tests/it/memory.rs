//! A study in memory is the same as one in a file.

use rather_study::{Alternative, Answer, Ask, Check, Definition, Error, Format, Study};

/// Asks, answers, skips, undoes, names a pair and imports: all kinds of events.
fn work(study: &mut Study) {
    for i in 0..8 {
        let Ask::Duel(asked) = study.ask("ann").unwrap() else { panic!("it has no end") };
        let answer = match i {
            2 => Answer::Skip,
            5 => Answer::Tie,
            _ if asked.left.to_string() < asked.right.to_string() => Answer::Left,
            _ => Answer::Right,
        };
        study.tell("ann", Some(asked.number), answer, Some(&format!("k{i}"))).unwrap();
        assert!(study.tell("ann", Some(asked.number), answer, Some(&format!("k{i}"))).unwrap().again);
        study.plan_ahead("ann", &|| true).unwrap();
    }
    study.undo("ann", None).unwrap();
    let [a, b] = ["Assam", "Oolong"].map(|key| Alternative::Item(key.into()));
    study.tell_pair("ben", (&a, &b), Answer::Left, None).unwrap();
    study.ask_check("ben", (&a, &a), Check::Catch).unwrap();
    study.tell("ben", None, Answer::Right, None).unwrap();
    let csv = b"left,right,outcome\nSencha,Oolong,left\nAssam,Sencha,tie\n";
    let import =
        |study: &mut Study| study.import_bytes("a.csv".as_ref(), csv, Format::Csv, Some("ben"), false);
    assert_eq!(import(study).unwrap().answers, 2);
    assert!(matches!(import(study), Err(Error::Imported { answers: 2, .. })));
}

/// The log without the times.
fn log(study: &mut Study) -> Vec<serde_json::Value> {
    let log = study.export(Format::Jsonl, None).unwrap();
    let line = |line: &str| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        line.as_object_mut().unwrap().remove("time");
        line
    };
    log.lines().map(line).collect()
}

#[test]
fn memory_and_a_file_have_the_same_log() {
    let folder = tempfile::tempdir().unwrap();
    let definition = Definition::of_items(["Assam", "Keemun", "Oolong", "Sencha"]);
    let definition = Definition { seed: 5, time_limit: 600.0, ..definition };
    let mut on_disk = Study::create(&folder.path().join("tea.study"), "tea", &definition).unwrap();
    let mut in_memory = Study::in_memory("tea", &definition, || 1_000_000_000_123).unwrap();
    work(&mut on_disk);
    work(&mut in_memory);
    assert_eq!(log(&mut in_memory), log(&mut on_disk));
    assert_eq!(in_memory.advice("ann").unwrap(), on_disk.advice("ann").unwrap());
    assert_eq!(in_memory.participants().unwrap(), ["ann", "ben"]);

    // Either log is taken up, and goes on in the same way.
    for study in [&mut on_disk, &mut in_memory] {
        let log = study.export(Format::Jsonl, None).unwrap();
        let mut later = Study::from_log(log.as_bytes(), || 0).unwrap();
        assert_eq!(later.export(Format::Jsonl, None).unwrap(), log);
        assert_eq!(later.ask("ann").unwrap(), study.ask("ann").unwrap());
        assert_eq!(later.history("ben").unwrap(), study.history("ben").unwrap());
    }
}

#[test]
fn a_log_that_is_none_has_its_sentence() {
    let definition = Definition::of_items(["a", "b", "c"]);
    let mut study = Study::in_memory("s", &definition, || 0).unwrap();
    study.ask("ann").unwrap();
    let log = study.export(Format::Jsonl, None).unwrap();
    let sentence = |log: &str| Study::from_log(log.as_bytes(), || 0).unwrap_err().to_string();
    for (wrong, expected) in [
        (String::new(), "log, line 1: this is not the first line of a study's log: "),
        (
            log.replace("\"kind\":\"asked\"", "\"kind\":7"),
            "log, line 2: this is not an event of a study's log: ",
        ),
        (log.replace("1970-01-01", "yesterday"), "log, line 2: \"yesterdayT00:00:00.000Z\" is not a time; "),
        (format!("{log}{}", log.lines().nth(1).unwrap()), "s is damaged (event 1 comes after event 1); "),
        (log.replace("\"kind\":\"asked\"", "\"kind\":\"dreamt\""), "s has an event of the kind \"dreamt\", "),
    ] {
        assert!(sentence(&wrong).starts_with(expected), "{}", sentence(&wrong));
    }
}

//! Groups of people whose preferences are alike.

use crate::lab::Lab;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Two of three people like items in one order, the third likes them in the opposite one.
fn two_kinds(people: usize) -> String {
    let mut out = "user,best,worst,option_1,option_2,option_3,option_4\n".to_owned();
    for person in 0..people {
        for task in 0..6 {
            let shown: Vec<usize> = (0..6).filter(|&item| item != task && item != (task + 2) % 6).collect();
            let (first, last) = (shown[0], shown[3]);
            let (best, worst) = if person % 3 == 0 { (last, first) } else { (first, last) };
            let options: Vec<String> = shown.iter().map(|k| format!("t{k}")).collect();
            writeln!(out, "p{person},t{best},t{worst},{}", options.join(",")).unwrap();
        }
    }
    out
}

#[test]
fn segments_are_those_that_were_planted() {
    let lab = Lab::new();
    lab.write("items.csv", "item\nt0\nt1\nt2\nt3\nt4\nt5\n");
    lab.write("tasks.csv", two_kinds(18));
    lab.text("fit items.csv tasks.csv --model hierarchical --rankings joint -o m.rather --quiet");
    let found = lab.json("segments m.rather");
    let segments = found["segments"].as_array().unwrap();
    assert_eq!(segments.len(), 2, "{found}");
    assert!((segments[0]["share"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!(
        (&segments[0]["utilities"][0]["item"], &segments[1]["utilities"][0]["item"]),
        (&"t0".into(), &"t5".into())
    );
    assert!(found["silhouette"].as_f64().unwrap() > 0.5, "{found}");
    for (person, member) in found["members"].as_array().unwrap().iter().enumerate() {
        assert_eq!(member["segment"], if person % 3 == 0 { 2 } else { 1 });
        assert!(member["probability"].as_f64().unwrap() > 0.95, "{member}");
    }
    // CSV has the same.
    let csv = lab.text("segments m.rather --csv");
    let of: BTreeMap<&str, &str> = csv
        .lines()
        .skip(1)
        .map(|line| (line.split(',').next().unwrap(), line.split(',').nth(1).unwrap()))
        .collect();
    assert_eq!((of["p0"], of["p1"], of.len()), ("2", "1", 18));
    let text = lab.text("segments m.rather --number 2 --top 3");
    assert!(text.contains("segment 1 (67 %)") && text.contains("they stand apart"), "{text}");
    // The head, three items, and the note.
    assert_eq!(text.split("\n\n").next().unwrap().lines().count(), 4, "{text}");
}

#[test]
fn what_has_no_segments_says_so() {
    let lab = Lab::new();
    lab.write("items.csv", "item\nt0\nt1\nt2\nt3\nt4\nt5\n");
    lab.write("tasks.csv", two_kinds(3));
    lab.text("fit items.csv tasks.csv --model hierarchical --rankings joint -o m.rather --quiet");
    for number in ["1", "4"] {
        let error = lab.error(&format!("segments m.rather --number {number}"));
        assert!(error.contains("two segments at least, and as many users with answers"), "{error}");
    }
    lab.text("fit items.csv tasks.csv --rankings joint -o one.rather --quiet");
    assert_eq!(
        lab.error("segments one.rather"),
        "one.rather is a model of one person, and segments are of many; rather fit --model hierarchical learns the preferences of each user"
    );
}

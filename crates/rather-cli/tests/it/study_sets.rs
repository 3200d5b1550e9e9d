//! `rather study` of questions about sets of options.

use crate::lab::Lab;
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

/// A study of the six teas, four at a time.
fn teas(take: &str) -> Lab {
    let lab = Lab::new();
    lab.text(&format!("study new tea.study --items items.csv --options 4 {take} --seed 3"));
    lab
}

/// The options from the dearest to the cheapest, by their numbers.
fn by_price(asked: &Value) -> Vec<usize> {
    let price = |number: &usize| asked["options"][number - 1]["price"].as_f64().unwrap();
    let mut numbers: Vec<usize> = (1..=asked["options"].as_array().unwrap().len()).collect();
    numbers.sort_by(|a, b| price(b).total_cmp(&price(a)));
    numbers
}

#[test]
fn the_best_and_the_worst_of_four_find_the_best_item() {
    let lab = teas("--take best-and-worst");
    for answers in 1..=8 {
        let asked = lab.json("study ask tea.study");
        assert_eq!((&asked["left"], asked["takes"].as_array().unwrap().len()), (&Value::Null, 13));
        let order = by_price(&asked);
        let number = &asked["comparison"];
        let told = lab.json(&format!("study tell tea.study {},{} --comparison {number}", order[0], order[3]));
        assert_eq!(told["answer"], format!("best {}, worst {}", order[0], order[3]));
        assert_eq!((&told["answers"], &told["options"]), (&json!(answers), &asked["options"]));
    }
    assert_eq!(lab.json("study best tea.study")["recommended"]["item"], "t6");
    let status = lab.json("study status tea.study");
    assert_eq!(
        (&status["participants"][0]["answers"], &status["consistency"]["sides"]),
        (&json!(8), &Value::Null)
    );
    assert!(lab.text("study status tea.study").contains("connected"));
    assert!(lab.text("study check tea.study").contains("tea"));
    // What is exported is a table of choices, and an answer is one.
    lab.text("study export tea.study -o answers.csv");
    let fitted = lab.json("fit items.csv answers.csv --rankings joint -o tea.rather");
    assert_eq!(fitted["answers"]["joint"], 8, "{fitted}");
    lab.text("study new copy.study --items items.csv --options 4 --take best-and-worst");
    assert_eq!(lab.json("study import copy.study answers.csv")["answers"], 8);
}

#[test]
fn options_are_told_by_number_or_by_name() {
    let lab = teas("");
    let text = lab.text("study ask tea.study");
    assert!(text.contains("   1  t") && text.contains("   4  t") && !text.contains("left"), "{text}");
    assert!(text.contains("answer with: rather study tell tea.study 1    (the number of the best, or skip)"));
    let asked = lab.json("study ask tea.study");
    let name = asked["options"][2]["item"].as_str().unwrap();
    assert_eq!(
        lab.text("study tell tea.study best-3"),
        format!("comparison 1: {name} is the best of 4; 1 answer so far\n")
    );
    let undone = lab.text("study undo tea.study");
    assert!(undone.starts_with(&format!("undone: comparison 1: {name} is the best of 4; 0 answers remain")));
    assert_eq!(lab.json(&format!("study tell tea.study --best {name}"))["answer"], "best 3");
    let own = "--option t1 --option t5 --option t2 --option t3";
    let told = lab.json(&format!("study tell tea.study --best t5 {own}"));
    assert_eq!(
        (&told["answer"], &told["comparison"], &told["answers"]),
        (&json!("best 2"), &Value::Null, &json!(2))
    );
    lab.text("study ask tea.study");
    assert!(lab.text("study skip tea.study").starts_with("comparison 2: skipped \"t"));
}

#[test]
fn what_is_no_answer_has_one_sentence() {
    let lab = teas("--take best-and-worst");
    lab.text("study ask tea.study");
    let asked = lab.json("study ask tea.study");
    let shown: Vec<&str> = (0..4).map(|i| asked["options"][i]["item"].as_str().unwrap()).collect();
    let missing = (1..=6).map(|i| format!("t{i}")).find(|name| !shown.contains(&name.as_str())).unwrap();
    let (first, second) = (shown[0], shown[1]);
    for (told, sentence) in [
        ("5,1".to_owned(), "there is no option 5 in a question about 4; write a number from 1 to 4"),
        ("2,2".to_owned(), "option 2 cannot be both the best and the worst"),
        (
            "2".to_owned(),
            "\"2\" is not an answer of this study; write \"best N, worst M\" with N and M from 1 to 4",
        ),
        ("left".to_owned(), "\"left\" is not an answer of this study"),
        (format!("--best {missing} --worst {first}"), "is not an option of this question; its options are"),
        (format!("--best {first} --worst {first}"), "cannot be both the best and the worst"),
        (format!("--best {first}"), "is not an answer of this study; write \"best N, worst M\""),
        (format!("1,2 --option {first} --option {second}"), "is about 4 options, and 2 were named; name 4"),
        ("1,2 --left t1 --right t2".to_owned(), "is about 4 options, and 2 were named; name 4"),
    ] {
        let said = lab.error(&format!("study tell tea.study {told}"));
        assert!(said.contains(sentence), "{told}: {said}");
    }
    assert_eq!(lab.json("study status tea.study")["participants"][0]["answers"], 0);
    for (new, sentence) in [
        ("--items items.csv --options 7", "options = 7 is more than the 6 items; add items"),
        (
            "--items items.csv --options 4 --take graded",
            "options = 4 takes answers = \"best\" or \"best and worst\"",
        ),
        ("--items items.csv --take best", "needs questions about more than two"),
        ("--items items.csv --options 4 --acquisition ucb:2", "is chosen by information gain"),
        ("--items items.csv --options 4 --opponent best", "opponent = \"best\" is for comparisons of two"),
        ("--items items.csv --options 4 --half-life 20", "half_life is for comparisons of two"),
        ("--parameter gain=float(0,9) --options 3", "options = 3 needs a list of items"),
    ] {
        let said = lab.error(&format!("study new other.study {new}"));
        assert!(said.contains(sentence), "{new}: {said}");
    }
}

#[test]
fn people_choose_of_sets_in_the_terminal() {
    let lab = teas("--take best-and-worst");
    let mut child = lab
        .command("study run tea.study")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"1 4\n2 2\nl\n2 1\nu\ns\nq\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let screen = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{screen}");
    for words in [
        "numbers of the best and of the worst",
        "comparison 1: t",
        "option 2 cannot be both the best and the worst",
        "\"l\" is not one of the keys",
        "undone: comparison 2: t",
        "comparison 2: skipped \"t",
        "best so far: t",
    ] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
}

//! `rather study`.

use crate::lab::Lab;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::process::Stdio;

/// A study of the six teas.
fn teas() -> Lab {
    let lab = Lab::new();
    lab.text("study new tea.study --items items.csv --answers 12 --seed 3");
    lab
}

/// Which side a person takes who wants the dearest tea.
fn dearest(asked: &Value) -> &'static str {
    let price = |side: &str| asked[side]["price"].as_f64().unwrap();
    if price("left") > price("right") { "left" } else { "right" }
}

/// Answers duels until there are no more, or `most` were answered; the duels.
fn answer(lab: &Lab, file: &str, most: usize) -> Vec<Value> {
    let mut asked = Vec::new();
    while asked.len() < most {
        let duel = lab.json(&format!("study ask {file}"));
        if duel["finished"] == true {
            break;
        }
        let told =
            lab.json(&format!("study tell {file} {} --comparison {}", dearest(&duel), duel["comparison"]));
        assert_eq!(told["answers"], asked.len() + 1);
        asked.push(duel);
    }
    asked
}

#[test]
fn a_study_from_the_first_duel_to_the_best_item() {
    let lab = teas();
    let asked = answer(&lab, "tea.study", 100);
    assert_eq!(asked.len(), 12);
    let end = lab.json("study ask tea.study");
    assert_eq!((&end["finished"], &end["left"], &end["answers"]), (&json!(true), &Value::Null, &json!(12)));
    let best = lab.json("study best tea.study");
    assert_eq!(best["recommended"]["item"], "t6", "{best}");
    assert_eq!(best["stop"], "finished");
    let status = lab.json("study status tea.study");
    assert_eq!(status["participants"][0]["answers"], 12);
    assert_eq!(status["participants"][0]["finished"], true);
    assert!(!status["sentences"].as_array().unwrap().is_empty());
    assert!(lab.text("study best tea.study").starts_with("best so far: t6"));
    assert!(lab.text("study status tea.study").contains("12"));
}

#[test]
fn the_same_answers_give_the_same_questions() {
    let (one, other) = (teas(), teas());
    let (a, b) = (answer(&one, "tea.study", 6), answer(&other, "tea.study", 6));
    for (a, b) in a.iter().zip(&b) {
        assert_eq!((&a["left"], &a["right"]), (&b["left"], &b["right"]));
    }
    for pair in a.windows(2) {
        let sides = |d: &Value| {
            let mut sides = [d["left"]["item"].to_string(), d["right"]["item"].to_string()];
            sides.sort();
            sides
        };
        assert_ne!(sides(&pair[0]), sides(&pair[1]), "the same duel twice in a row");
    }
}

#[test]
fn items_are_compared_within_their_groups() {
    let lab = Lab::new();
    lab.write("answers.csv", "name,prompt,model\na1,cat,1\na2,cat,2\nb1,dog,1\nb2,dog,2\n");
    lab.text("study new models.study --items answers.csv --within prompt");
    for _ in 0..4 {
        let asked = lab.json("study ask models.study");
        assert_eq!(asked["left"]["prompt"], asked["right"]["prompt"], "{asked}");
        lab.text("study tell models.study left");
    }
    // The four say nothing of each other: zero is zero, whatever rounding makes of it.
    let best = lab.text("study best models.study");
    assert!(!best.contains("e-") && !best.contains("-0.00"), "{best}");
    let wrong = lab.error("study new other.study --items answers.csv --within color");
    assert!(wrong.contains("the items have no column \"color\"; the columns are"), "{wrong}");
}

#[test]
fn undo_and_skip_and_telling_twice() {
    let lab = teas();
    let first = lab.json("study ask tea.study");
    lab.json("study tell tea.study left --comparison 1");
    let again = lab.json("study tell tea.study left --comparison 1");
    assert_eq!((&again["again"], &again["answers"]), (&json!(true), &json!(1)));
    let said = lab.error("study tell tea.study right --comparison 1");
    assert!(said.contains("comparison 1") && said.contains("left"), "{said}");
    let undone = lab.json("study undo tea.study");
    assert_eq!((&undone["comparison"], &undone["answers"]), (&json!(1), &json!(0)));
    let open = lab.json("study ask tea.study");
    assert_eq!((&open["left"], &open["again"]), (&first["left"], &json!(true)));
    let skipped = lab.json("study skip tea.study");
    assert_eq!((&skipped["answer"], &skipped["answers"]), (&json!("skip"), &json!(0)));
    let next = lab.json("study ask tea.study");
    assert_ne!((&next["left"], &next["right"]), (&first["left"], &first["right"]));
    lab.text("study undo tea.study");
    assert_eq!(lab.error("study undo tea.study"), "participant \"me\" has no answer to undo");
}

#[test]
fn parameters_are_asked_in_their_units_and_told_by_value() {
    let lab = Lab::new();
    lab.write(
        "hearing.toml",
        "title = \"Hearing aid\"\n[parameters]\ngain = { type = \"float\", low = 0, high = 20, step = 0.5 }\n\
         ratio = { type = \"float\", low = 1, high = 10, scale = \"log\" }\n\
         taps = { type = \"integer\", low = 1, high = 8 }\nmode = { type = \"categorical\", choices = [\"a\", \"b\"] }\n",
    );
    lab.text("study new h.study --from hearing.toml");
    for _ in 0..4 {
        let asked = lab.json("study ask h.study --no-ahead");
        for side in [&asked["left"], &asked["right"]] {
            let gain = side["gain"].as_f64().unwrap();
            assert!((0.0..=20.0).contains(&gain) && (2.0 * gain).fract() == 0.0, "{side}");
            assert!((1.0..=10.0).contains(&side["ratio"].as_f64().unwrap()), "{side}");
            assert!((1..=8).contains(&side["taps"].as_i64().unwrap()), "{side}");
            assert!(side["mode"] == "a" || side["mode"] == "b", "{side}");
        }
        lab.text("study tell h.study tie");
    }
    let line = "study tell h.study left --left gain=3,ratio=2,taps=1,mode=a --right";
    assert_eq!(lab.json(&format!("{line} gain=5,ratio=2,taps=1,mode=b"))["answers"], 5);
    for (wrong, named) in [
        ("gain=50,ratio=2,taps=1,mode=b", "50"),
        ("gain=5,ratio=2,taps=1", "mode"),
        ("gain=5,ratio=2,taps=1,mode=z", "z"),
        ("gain=5,ratio=2,taps=1.5,mode=a", "1.5"),
        ("pain=5,ratio=2,taps=1,mode=a", "pain"),
    ] {
        let said = lab.error(&format!("{line} {wrong}"));
        assert!(said.contains(named), "{wrong}: {said}");
    }
}

#[test]
fn answers_leave_and_enter_in_every_format() {
    let lab = teas();
    answer(&lab, "tea.study", 8);
    for ending in ["csv", "jsonl", "soi"] {
        lab.text(&format!("study export tea.study -o out.{ending}"));
        lab.text(&format!("study new {ending}.study --items items.csv"));
        let read = lab.json(&format!("study import {ending}.study out.{ending} --participant me"));
        assert_eq!(read["answers"], 8, "{ending}: {read}");
        assert!(
            lab.error(&format!("study import {ending}.study out.{ending} --participant me"))
                .contains("--again")
        );
    }
    lab.text("study export tea.study --format winner -o winner.csv");
    assert!(fs::read_to_string(lab.path("winner.csv")).unwrap().starts_with("left,right,winner"));
    // What a study wrote, `rather fit` reads.
    lab.text("fit items.csv out.csv --kernel se -o m.rather");
    assert_eq!(lab.json("rank m.rather --top 1")[0]["item"], "t6");
    lab.write("wrong.csv", "left,right,winner\nt1,t2,t1\nt1,t9,t9\n");
    let said = lab.error("study import tea.study wrong.csv");
    assert!(said.contains("wrong.csv") && said.contains("line 3") && said.contains("t9"), "{said}");
    assert_eq!(lab.json("study status tea.study")["participants"][0]["answers"], 8);
}

#[test]
fn people_answer_in_the_terminal() {
    let lab = teas();
    let mut child = lab
        .command("study run tea.study")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"l\nwhat\nr\nt\nu\ns\nq\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        said.contains("comparison 1") && said.contains("undone") && said.contains("best so far"),
        "{said}"
    );
    assert_eq!(lab.json("study status tea.study")["participants"][0]["answers"], 2);
}

/// The winner stays only once the initial design is done.
#[test]
fn an_initial_design_is_as_long_as_asked_for() {
    let lab = Lab::new();
    lab.text("study new x.study --parameter x=float(0,1) --initial 2");
    let asked: Vec<Value> = (0..3)
        .map(|_| {
            let asked = lab.json("study ask x.study --no-ahead");
            lab.text("study tell x.study left");
            asked
        })
        .collect();
    let has = |asked: &Value, setting: &Value| asked["left"] == *setting || asked["right"] == *setting;
    assert!(!has(&asked[1], &asked[0]["left"]) && has(&asked[2], &asked[1]["left"]), "{asked:?}");
    assert!(lab.error("study new y.study --parameter x=float(0,1) --initial 0").contains("--initial"));
}

#[test]
fn a_study_takes_the_answers_that_it_says() {
    let lab = Lab::new();
    let made = lab.json("study new graded.study --items items.csv --take graded");
    assert_eq!(made["takes"], json!(["left", "right", "tie", "skip", "much left", "much right"]));
    for (said, told) in [
        ("much-left", "much left"),
        ("much_right", "much right"),
        (">>", "much left"),
        ("tie", "tie"),
        ("left", "left"),
    ] {
        assert_eq!(lab.json("study ask graded.study --no-ahead")["takes"], made["takes"]);
        assert_eq!(lab.json(&format!("study tell graded.study {said}"))["answer"], told);
    }
    assert!(lab.text("study undo graded.study").starts_with("undone: comparison 5: "));
    let hint = lab.text("study ask graded.study");
    assert!(
        hint.ends_with("study tell graded.study left    (or right, tie, skip, much-left, much-right)\n"),
        "{hint}"
    );
    let said = lab.text("study tell graded.study much-right");
    assert!(said.contains(" is much better than "), "{said}");
    lab.text("study ask graded.study --no-ahead");
    lab.text("study tell graded.study right");
    // `rather fit` reads grades for what they are.
    lab.text("study export graded.study -o out.csv");
    let fitted = lab.json("fit items.csv out.csv --kernel linear");
    assert!(fitted["hyperparameters"].to_string().contains("grade[2]"), "{fitted}");

    let sides = lab.json("study new sides.study --items items.csv --take sides");
    assert_eq!(sides["takes"], json!(["left", "right", "skip"]));
    lab.text("study ask sides.study --no-ahead");
    for wrong in ["tie", "much-left", "maybe"] {
        let said = lab.error(&format!("study tell sides.study {wrong}"));
        assert_eq!(said, format!("\"{wrong}\" is not an answer of this study; write left, right or skip"));
    }
    let said = lab.error("study import sides.study out.csv");
    assert!(said.contains("out.csv, line 5: it prefers neither side"), "{said}");
    let said = lab.error("study new none.study --items items.csv --take all");
    assert!(said.contains("write sides, ties, graded or difference"), "{said}");
    lab.text("study new numbers.study --items items.csv --take difference");
    let asked = lab.json("study ask numbers.study --no-ahead");
    assert_eq!(asked["takes"][0], "left by 3");
    let said = lab.text("study tell numbers.study -2");
    assert!(said.contains(" is better than ") && said.contains(" by 2; 1 answer so far"), "{said}");
    let said = lab.error("study tell numbers.study left");
    assert!(said.ends_with("write a number from 3 (left) over 0 to -3 (right), or skip"), "{said}");
}

#[test]
fn grades_are_typed_in_the_terminal() {
    let lab = Lab::new();
    lab.text("study new graded.study --items items.csv --take graded");
    lab.text("study new sides.study --items items.csv --take sides");
    for (file, counted) in [("graded.study", 4), ("sides.study", 1)] {
        let mut child = lab
            .command(&format!("study run {file}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(b"ll\nrr\nt\nl\nq\n").unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said.contains("is much better than"), file == "graded.study", "{said}");
        assert_eq!(lab.json(&format!("study status {file}"))["participants"][0]["answers"], counted);
    }
}

#[test]
fn several_people_and_several_studies_in_a_file() {
    let lab = Lab::new();
    lab.text("study new s.study --study black --items items.csv --participant ann --participant bob");
    lab.text("study new s.study --study green --items items.csv");
    let said = lab.error("study ask s.study");
    assert!(said.contains("black") && said.contains("green") && said.contains("--study"), "{said}");
    let said = lab.error("study ask s.study --study black");
    assert!(said.contains("ann") && said.contains("bob") && said.contains("--participant"), "{said}");
    let said = lab.error("study ask s.study --study black --participant cid");
    assert!(said.contains("cid") && said.contains("ann"), "{said}");
    lab.text("study ask s.study --study black --participant ann");
    lab.text("study tell s.study left --study black --participant ann");
    lab.text("study ask s.study --study black --participant bob");
    let status = lab.json("study status s.study --study black");
    let answers: Vec<&Value> =
        status["participants"].as_array().unwrap().iter().map(|p| &p["answers"]).collect();
    assert_eq!(answers, [1, 0], "{status}");
    let said = lab.error("study new s.study --study black --items items.csv");
    assert!(said.contains("black"), "{said}");
}

#[test]
fn files_that_are_no_studies_give_one_sentence() {
    let lab = teas();
    answer(&lab, "tea.study", 3);
    let whole = fs::read(lab.path("tea.study")).unwrap();
    lab.write("cut.study", &whole[..whole.len() / 2]);
    lab.write("text.study", "left,right\n");
    lab.write("empty.study", "");
    let mut newer = whole;
    // The version of the schema is SQLite's user_version: four bytes at 60.
    newer[60..64].copy_from_slice(&999_u32.to_be_bytes());
    lab.write("newer.study", newer);
    for (name, expected) in [
        ("cut", "cut.study"),
        ("text", "not a study file"),
        ("empty", "empty.study"),
        ("newer", "newer"),
        ("none", "none.study"),
    ] {
        for command in ["ask", "tell", "best", "status"] {
            let answer = if command == "tell" { " left" } else { "" };
            let said = lab.error(&format!("study {command} {name}.study{answer}"));
            assert!(said.contains(expected), "{name}: {said}");
        }
    }
}

/// A flag changes what it names and nothing else, but that the default function, which needs an opponent, gives way where there is none.
#[test]
fn another_opponent_leaves_the_acquisition_function_that_a_file_names() {
    let lab = Lab::new();
    lab.write("d.toml", "items = [\"a\", \"b\"]\n[policy]\nacquisition = \"bald\"\nopponent = \"any\"\n");
    lab.write("u.toml", "items = [\"a\", \"b\"]\n");
    let made = |name: &str, arguments: &str| {
        lab.text(&format!("study new {name}.study {arguments}"));
        let log = lab.text(&format!("study export {name}.study --format jsonl"));
        let first: serde_json::Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
        ["acquisition", "opponent"].map(|key| first["definition"]["policy"][key].as_str().unwrap().to_owned())
    };
    assert_eq!(made("a", "--from d.toml --opponent winner"), ["bald", "winner"]);
    assert_eq!(made("b", "--from u.toml --opponent any"), ["bald", "any"]);
    assert_eq!(made("c", "--from u.toml --opponent best"), ["bald-improvement:1.5", "best"]);
}

#[test]
fn definitions_with_mistakes_give_one_sentence() {
    let lab = Lab::new();
    let fails = |arguments: &str, expected: &[&str]| {
        let said = lab.error(&format!("study new new.study {arguments}"));
        assert!(expected.iter().all(|e| said.contains(e)), "{arguments}: {said}");
        assert!(!lab.path("new.study").exists(), "{arguments} left a file");
    };
    fails("", &["--items", "--parameter", "--from"]);
    fails("--parameter gain", &["gain"]);
    fails("--parameter gain=float(1)", &["float(1)"]);
    fails("--parameter gain=float(2,1)", &["2", "1"]);
    fails("--parameter gain=float(0,1,log)", &["log", "0"]);
    fails("--parameter gain=float(0,1) --parameter gain=float(0,1)", &["gain"]);
    fails("--parameter mode=categorical(a)", &["mode"]);
    fails("--parameter taps=integer(1,1)", &["taps"]);
    fails("--items items.csv --acquisition bold", &["bold"]);
    fails("--items none.csv", &["none.csv"]);
    for (text, expected) in [
        ("items = [\"a\"]\n", "two items"),
        ("items = [\"a\", \"a\"]\n", "\"a\""),
        ("itens = [\"a\", \"b\"]\n", "itens"),
        ("items = [\"a\", \"b\"]\n[stop]\nregret = -1\n", "regret"),
        ("items = [\"a\", \"b\"]\n[prior]\nlengthscale = 0\n", "lengthscale"),
        ("items = [\"a\", \"b\"\n", "line 1"),
        ("items = [\"a\", \"b\"]\ntime_limit = \"soon\"\n", "expected a number"),
    ] {
        lab.write("d.toml", text);
        fails("--from d.toml", &[expected, "d.toml"]);
    }
}

#[test]
fn two_processes_may_tell_at_once() {
    let lab = Lab::new();
    lab.text("study new s.study --items items.csv");
    let children: Vec<_> = (0..8)
        .map(|i| {
            let line = format!(
                "study tell s.study left --left t{} --right t{} --participant p{}",
                i % 5 + 1,
                i % 5 + 2,
                i % 2
            );
            lab.command(&line).stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let status = lab.json("study status s.study");
    let answers: u64 =
        status["participants"].as_array().unwrap().iter().map(|p| p["answers"].as_u64().unwrap()).sum();
    assert_eq!(answers, 8);
}

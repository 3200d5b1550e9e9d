//! `rather sort`.

use crate::lab::Lab;
use serde_json::Value;
use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Twelve lengths, as words of so many letters, in no order.
fn words() -> Lab {
    let lab = Lab::new();
    let list: Vec<String> = [7, 3, 11, 1, 9, 5, 2, 12, 8, 4, 10, 6].iter().map(|&n| "x".repeat(n)).collect();
    lab.write("list.txt", list.join("\n") + "\n");
    // The longer word is better; who was asked is written down.
    lab.write(
        "longer.sh",
        "echo \"$1 $2\" >> asked\nif [ ${#1} -gt ${#2} ]; then echo left; else echo right; fi\n",
    );
    lab.write("shorter.sh", "if [ ${#1} -lt ${#2} ]; then echo left; else echo right; fi\n");
    lab
}

/// The program with the words of `line` split as a shell does; all of standard output as JSON.
fn sort(lab: &Lab, arguments: &[&str]) -> Value {
    let output = lab.command("sort --json").args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn order(report: &Value) -> Vec<usize> {
    report["ranking"].as_array().unwrap().iter().map(|line| line["item"].as_str().unwrap().len()).collect()
}

/// The sentence of a run that must fail.
fn error(lab: &Lab, arguments: &[&str]) -> String {
    let output = lab.command("sort").args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8(output.stderr).unwrap()
}

const LONGER: &str = "sh longer.sh {left} {right}";

#[test]
fn a_list_is_sorted_and_gone_on_with() {
    let lab = words();
    let first = sort(&lab, &["list.txt", "--judge", LONGER, "--budget", "20"]);
    assert_eq!(
        (&first["answers"], &first["calls"], &first["stop"]),
        (&20.into(), &20.into(), &"budget".into())
    );
    let second = sort(&lab, &["list.txt", "--judge", LONGER, "--budget", "33"]);
    assert_eq!((&second["answers"], &second["calls"]), (&33.into(), &13.into()));
    let found = order(&second);
    assert_eq!((found[0], found[11]), (12, 1), "{found:?}");
    let wrong: usize = (1..=12_usize).rev().zip(&found).map(|(n, &m)| n.abs_diff(m)).sum();
    assert!(wrong <= 4, "{found:?}");
    // It is a study as any other.
    assert!(lab.text("study status list.study").contains("33"));
    let csv = String::from_utf8(
        lab.command("sort list.txt --csv --quiet --budget 33 --judge").arg(LONGER).output().unwrap().stdout,
    );
    assert!(csv.unwrap().starts_with("item,mean,sd,rank,"));
}

#[test]
fn a_goal_ends_it_before_the_budget() {
    let lab = words();
    let report = sort(&lab, &["list.txt", "--judge", LONGER, "--budget", "400", "--until", "top:3:0.9"]);
    assert_eq!(report["stop"], "goal", "{report}");
    assert!(report["reached"].as_f64().unwrap() >= 0.9 && report["answers"].as_u64().unwrap() < 400);
    let mut top = order(&report)[..3].to_vec();
    top.sort_unstable();
    assert_eq!(top, [10, 11, 12]);
}

/// It fails every tenth time and hangs every fiftieth.
#[test]
fn a_judge_that_fails_and_hangs_does_not_stop_it() {
    let lab = words();
    lab.write(
        "moody.sh",
        "echo x >> calls\nn=$(wc -l < calls)\nif [ $((n % 50)) = 0 ]; then sleep 1000; fi\nif [ $((n % 10)) = 0 ]; then exit 3; fi\n\
         if [ ${#1} -gt ${#2} ]; then echo left; else echo right; fi\n",
    );
    let judge = "moody=sh moody.sh {left} {right}";
    let report = sort(&lab, &["list.txt", "--judge", judge, "--budget", "60", "--timeout", "5"]);
    assert_eq!((&report["answers"], &report["stop"]), (&60.into(), &"budget".into()));
    let calls = fs::read_to_string(lab.path("calls")).unwrap().lines().count();
    assert_eq!(report["calls"], calls);
    assert!(calls >= 66, "{calls}");
    assert_eq!(report["judges"][0]["failures"], 0, "asked again, it answered");
}

/// Money ends it if nothing else does.
const MONEY: [&str; 4] = ["--price", "1", "--spend", "200"];

#[test]
fn a_judge_that_always_skips_is_asked_no_more() {
    let lab = words();
    lab.write("skips.sh", "echo \"$1 $2\" >> skipped\necho skip\n");
    let skips = "nobody=sh skips.sh {left} {right}";
    let found = error(&lab, &[&["list.txt", "--judge", skips], &MONEY[..]].concat());
    assert!(
        found.contains("the judge \"nobody\" answered none of 10 questions one after the other"),
        "{found}"
    );
    assert!(found.contains("no other judge is left") && found.matches("error:").count() == 1, "{found}");
    let skipped = fs::read_to_string(lab.path("skipped")).unwrap();
    let pairs: HashSet<(usize, usize)> = skipped
        .lines()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(a, b)| (a.len().min(b.len()), a.len().max(b.len())))
        .collect();
    assert_eq!((skipped.lines().count(), pairs.len()), (10, 10), "no pair is asked again: {skipped}");
    // Others go on without it.
    let both = ["list.txt", "--judge", skips, "--judge", LONGER, "--budget", "30"];
    let output = lab.command("sort --json").args(both).args(MONEY).output().unwrap();
    let warning = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && warning.contains("and is not asked any more"), "{warning}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["answers"], &report["stop"]), (&30.into(), &"budget".into()));
    let nobody = report["judges"].as_array().unwrap().iter().find(|judge| judge["name"] == "nobody").unwrap();
    // Ten in each run, and the one that waits for its question when it is asked no more takes it.
    assert!((20..=21).contains(&nobody["skipped"].as_u64().unwrap()), "{nobody}");
    assert!(nobody["answers"] == 0 && nobody["agreement"].is_null(), "{nobody}");
}

#[test]
fn what_was_learned_is_shown_when_no_judge_is_left() {
    let lab = words();
    lab.write(
        "tires.sh",
        "if [ $(wc -l < asked) -lt 15 ]; then sh longer.sh \"$1\" \"$2\"; else echo skip; fi\n",
    );
    lab.write("asked", "");
    let output =
        lab.command("sort list.txt --judge").arg("sh tires.sh {left} {right}").args(MONEY).output().unwrap();
    let (text, sentence) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(2));
    assert!(
        sentence.contains("answered none of 10 questions") && sentence.contains("in the study"),
        "{sentence}"
    );
    assert!(text.contains("P(best)") && text.contains("15 answers, 25 calls"), "{text}");
}

#[test]
fn killed_and_resumed_it_asks_nothing_twice() {
    let lab = words();
    lab.write("slow.sh", "sleep 0.05\nsh longer.sh \"$1\" \"$2\"\n");
    let arguments = ["list.txt", "--judge", "sh slow.sh {left} {right}", "--budget", "40"];
    let mut child =
        lab.command("sort").args(arguments).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let asked = || fs::read_to_string(lab.path("asked")).map_or(0, |text| text.lines().count());
    let since = Instant::now();
    while asked() < 12 && since.elapsed() < Duration::from_secs(120) {
        sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = asked();
    let report = sort(&lab, &arguments);
    let (calls, answers) = (report["calls"].as_u64().unwrap(), report["answers"].as_u64().unwrap());
    assert_eq!(answers, 40);
    // At most the question that was open then is asked again: every answer that came was on the disk.
    assert!((before - 1..=before).contains(&(40 - calls as usize)), "{before} asked, then {calls}");
}

#[test]
fn judges_of_unequal_worth_are_told_apart() {
    let lab = words();
    lab.write("coin.sh", "n=$(cat coins 2>/dev/null || echo 7)\nn=$(( (n * 1103515245 + 12345) % 2147483648 ))\necho $n > coins\n\
                          if [ $((n / 65536 % 2)) = 0 ]; then echo A; else echo B; fi\n");
    let judges = [
        "list.txt",
        "--judge",
        "good=sh longer.sh {left} {right}",
        "--judge",
        "coin=sh coin.sh {left} {right}",
    ];
    let report = sort(&lab, &[&judges[..], &["--budget", "120"]].concat());
    let of =
        |name: &str| report["judges"].as_array().unwrap().iter().find(|judge| judge["name"] == name).unwrap();
    let (good, coin) = (of("good"), of("coin"));
    assert!(good["noise"].as_f64() < coin["noise"].as_f64(), "{report}");
    assert!(good["agreement"].as_f64() > coin["agreement"].as_f64());
    let found = order(&report);
    let wrong: usize = (1..=12_usize).rev().zip(&found).map(|(n, &m)| n.abs_diff(m)).sum();
    assert!(wrong <= 14, "{found:?}");
}

#[test]
fn both_orders_are_asked_and_money_is_kept() {
    let lab = words();
    let report =
        sort(&lab, &["list.txt", "--judge", LONGER, "--both-orders", "--price", "0.5", "--spend", "12"]);
    assert_eq!((&report["calls"], &report["spent"]), (&24.into(), &12.0.into()));
    let asked = fs::read_to_string(lab.path("asked")).unwrap();
    let pairs: Vec<(&str, &str)> = asked.lines().map(|line| line.split_once(' ').unwrap()).collect();
    assert!(pairs.chunks(2).all(|two| two[0] == (two[1].1, two[1].0)), "{pairs:?}");
}

#[test]
fn a_person_sorts_in_the_terminal() {
    let lab = Lab::new();
    lab.write("list.txt", "a\nbb\nccc\n");
    let mut child = lab
        .command("sort list.txt --ask --question Longer? --budget 4")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"l\nu\nr\nwhat\nt\nq\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    assert!(text.contains("1 of 4: Longer?") && text.contains("\"what\" is not one of the keys"), "{text}");
    assert!(text.contains("2 answers"), "{text}");
}

#[test]
fn what_is_wrong_is_one_sentence() {
    let lab = words();
    lab.write("twice.txt", "a\nb\n\na\n");
    lab.write("one.txt", "a\n");
    for (arguments, sentence) in [
        (vec!["twice.txt", "--judge", LONGER], "twice.txt, line 4: \"a\" stands in line 1 already"),
        (vec!["one.txt", "--judge", LONGER], "one.txt has 1 item; sorting needs two at least"),
        (vec!["none.txt", "--judge", LONGER], "none.txt could not be read"),
        (vec!["list.txt", "--judge", "sh longer.sh {left}"], "must have {left} and {right}"),
        (vec!["list.txt", "--judge", "sh x {left} {right} {why}"], "there is no {why}"),
        (vec!["list.txt", "--judge", LONGER, "--judge", LONGER], "two judges are called \"sh\""),
        (vec!["list.txt", "--judge", LONGER, "--until", "sure"], "write best:0.95"),
        (vec!["list.txt", "--judge", LONGER, "--price", "1"], "--spend"),
        (vec!["list.txt"], "--judge <COMMAND>"),
        (vec!["list.txt", "--judge", "./nothing {left} {right}"], "could not be started"),
        (vec!["list.txt", "--judge", "echo {left} or {right}"], "it wrote"),
        (vec!["-", "--judge", LONGER], "name the study with --study"),
    ] {
        let found = error(&lab, &arguments);
        assert!(found.contains(sentence), "{arguments:?}: {found}");
    }
    // The study that failed is there, and of these items.
    lab.write("other.txt", "a\nb\n");
    let found = error(&lab, &["other.txt", "--study", "list.study", "--judge", LONGER]);
    assert!(found.contains("is a study of other items (\"a\" differs)"), "{found}");
}

//! Columns of comparisons: a kernel names them, pairs have them, `--at` says where items are looked at.

use crate::lab::Lab;

const TEAMS: &str = "team\nann\nbob\ncid\ndan\n";

/// Ninety matches, a day each: ann loses to all at first and beats all later; who is at home wins more often than not.
fn matches() -> String {
    let mut out = "left,right,outcome,date,home_left,home_right\n".to_owned();
    let names = ["ann", "bob", "cid", "dan"];
    for m in 0..90 {
        let (left, right) = (names[m % 4], names[(m + 1 + m / 4 % 3) % 4]);
        let home = usize::from(m % 3 == 0);
        let winner = match (left, right) {
            ("ann", _) => {
                if m < 45 {
                    "right"
                } else {
                    "left"
                }
            }
            (_, "ann") => {
                if m < 45 {
                    "left"
                } else {
                    "right"
                }
            }
            _ if m % 7 == 0 => "right",
            _ => {
                if home == 1 {
                    "left"
                } else {
                    "right"
                }
            }
        };
        let (month, day) = (1 + m / 28, 1 + m % 28);
        out += &format!("{left},{right},{winner},2026-{month:02}-{day:02},{home},{}\n", 1 - home);
    }
    out
}

const KERNEL: &str = "white[item]+white[item]*matern32[date]+linear[home]";

fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("teams.csv", TEAMS);
    lab.write("matches.csv", matches());
    lab
}

fn fitted() -> Lab {
    let lab = lab();
    lab.text(&format!("fit teams.csv matches.csv --kernel {KERNEL} -o m.rather"));
    lab
}

#[test]
fn skill_over_time_and_home_advantage() {
    let lab = fitted();
    let best = |at: &str| lab.json(&format!("rank m.rather{at}"))[0]["item"].as_str().unwrap().to_owned();
    assert_eq!(best(""), "ann");
    assert_eq!(best(" --at date=2026-04-01"), "ann");
    assert_ne!(best(" --at date=2026-01-20"), "ann");
    lab.write("pairs.csv", "left,right,date,home_left,home_right\nbob,cid,2026-02-01,1,0\nbob,cid,2026-02-01,0,1\nann,dan,2026-01-15,0,1\nann,dan,2026-03-30,0,1\n");
    let said = lab.json("predict m.rather pairs.csv");
    let p = |row: usize| said[row]["probability"].as_f64().unwrap();
    assert!(p(0) > 0.5 && p(1) < 0.5 && p(0) - p(1) > 0.2, "{said}");
    assert!(p(2) < 0.3 && p(3) > 0.6, "{said}");
    // Without the columns, by --at.
    lab.write("plain.csv", "left,right\nann,dan\n");
    let at = |day: &str| {
        lab.json(&format!("predict m.rather plain.csv --at date={day}"))[0]["probability"].as_f64()
    };
    assert!(at("2026-01-15") < Some(0.4) && at("2026-03-30") > Some(0.6));
}

#[test]
fn careers_are_drawn() {
    let lab = fitted();
    lab.text("plot m.rather careers --top 2 -o careers.svg");
    let figure = std::fs::read_to_string(lab.path("careers.svg")).unwrap();
    assert!(figure.contains(">ann</text>") && figure.contains(">2026-02</text>"), "{figure}");
    assert!(figure.contains("2 more are not shown."));
    lab.text("fit teams.csv matches.csv --kernel white -o w.rather");
    for (line, sentence) in [
        ("plot w.rather careers -o w.svg", "careers need comparisons with a time"),
        (
            "plot m.rather careers --feature date -o w.svg",
            "--feature means nothing to the figure \"careers\"",
        ),
    ] {
        let run = lab.run(line);
        assert!(run.status == 2 && run.stderr.contains(sentence), "{line}: {}", run.stderr);
    }
}

#[test]
fn effects_of_levels_are_kept_in_files() {
    let lab = lab();
    let table = matches();
    let courts = table.lines().enumerate().map(|(k, line)| match k {
        0 => format!("{line},court\n"),
        _ => format!("{line},{}\n", ["clay", "grass"][k % 2]),
    });
    lab.write("courts.csv", courts.collect::<String>());
    let fit = lab.json("fit teams.csv courts.csv --kernel white[item]+white[item]*white[court] -o c.rather");
    let ranking = |at: &str| lab.ranking(&format!("c.rather{at}"));
    assert_eq!(ranking(""), fit["ranking"]);
    assert_ne!(ranking(" --at court=clay"), ranking(" --at court=grass"));
    // A level that never was is none.
    assert_eq!(ranking(" --at court=carpet"), ranking(""));
}

#[test]
fn the_weight_of_a_column_is_its_effect() {
    let lab = lab();
    for representation in ["full --hyperparameters maximise", "sparse-precision"] {
        let fit = lab.json(&format!(
            "fit teams.csv matches.csv --kernel white[item]+linear[home] --representation {representation} -o h.rather"
        ));
        let weight = &fit["weights"][0];
        assert_eq!((&weight["column"], fit["weights"].as_array().unwrap().len()), (&"home".into(), 1));
        let (mean, sd) = (weight["mean"].as_f64().unwrap(), weight["sd"].as_f64().unwrap());
        assert!(sd > 0.05 && mean > 2.0 * sd, "{weight}");
        // Home against away is one unit more than neutral ground, away against home one less.
        lab.write("pairs.csv", "left,right,home_left,home_right\nbob,cid,1,0\nbob,cid,0,0\nbob,cid,0,1\n");
        let said = lab.json("predict h.rather pairs.csv");
        let p = |row: usize| said[row]["probability"].as_f64().unwrap();
        assert!(p(0) > p(1) && p(1) > p(2), "{said}");
    }
    let text = lab.text("fit teams.csv matches.csv --kernel white[item]+linear[home]");
    assert!(text.contains("one unit of") && text.contains("home"), "{text}");
}

#[test]
fn representations_agree() {
    let lab = fitted();
    lab.text(&format!(
        "fit teams.csv matches.csv --kernel {KERNEL} --representation sparse-precision -o s.rather"
    ));
    lab.text(&format!("fit teams.csv matches.csv --kernel {KERNEL} --representation full --hyperparameters maximise -o f.rather"));
    let (sparse, full) = (lab.json("rank s.rather"), lab.json("rank f.rather"));
    for (a, b) in sparse.as_array().unwrap().iter().zip(full.as_array().unwrap()) {
        assert_eq!(a["item"], b["item"]);
        assert!((a["mean"].as_f64().unwrap() - b["mean"].as_f64().unwrap()).abs() < 1e-3, "{a} {b}");
    }
}

#[test]
fn wrong_columns_have_their_sentences() {
    let lab = fitted();
    let refused = |command: &str, expected: &str| {
        let message = lab.error(command);
        assert!(message.contains(expected), "{command}: {message}");
    };
    let fit = |kernel: &str| format!("fit teams.csv matches.csv --kernel {kernel}");
    refused(&fit("white[item]+linear[tokens]"), "there is no feature called \"tokens\"");
    refused(
        &fit("white[item]+matern12[date]"),
        "is the same on both sides of every comparison, so it cancels",
    );
    refused(&fit("white[item]*wiener[home]"), "acts on one column of numbers or dates of the comparisons");
    lab.write("bad.csv", matches().replacen("2026-01-05", "2026-02-30", 1));
    refused(
        &format!("fit teams.csv bad.csv --kernel {KERNEL}"),
        "bad.csv, line 6, column \"date\": \"2026-02-30\" is no date",
    );
    refused(&format!("fit teams.csv bad.csv --kernel {KERNEL}"), "write 2026-01-31");
    lab.write("bad.csv", matches().replacen(",1,0\n", ",yes,0\n", 1));
    refused(
        &format!("fit teams.csv bad.csv --kernel {KERNEL}"),
        "\"yes\" is no number, and most other cells of this column are",
    );
    lab.write("bad.csv", matches().replacen("home_right", "Date", 1));
    refused(&format!("fit teams.csv bad.csv --kernel {KERNEL}"), "has two columns");
    refused("rank m.rather --at date=soon", "is no number and no date");
    refused(
        "rank m.rather --at court=clay",
        "there is no feature called \"court\"; the features are date, home",
    );
    refused("rank m.rather --at date", "write NAME=VALUE");
    lab.write("pairs.csv", "left,right,date\nann,bob,2026-01-05\n");
    refused("predict m.rather pairs.csv", "pairs.csv has no column \"home\"");
    lab.text("fit teams.csv matches.csv --kernel white -o w.rather");
    refused("rank w.rather --at date=2026-01-05", "this one names none");
}

#[test]
fn by_winner_and_loser_the_columns_of_the_sides_are_theirs() {
    let lab = lab();
    lab.write(
        "votes.csv",
        "winner,loser,tokens_winner,tokens_loser\nann,bob,9,1\nbob,cid,8,2\ncid,ann,9,3\ndan,ann,1,2\nann,cid,7,2\nbob,dan,9,2\n",
    );
    lab.text("fit teams.csv votes.csv --kernel white[item]+linear[tokens] -o v.rather");
    lab.write("pairs.csv", "left,right,tokens_left,tokens_right\nann,bob,9,1\nann,bob,1,9\n");
    let said = lab.json("predict v.rather pairs.csv");
    assert!(said[0]["probability"].as_f64() > said[1]["probability"].as_f64(), "{said}");
}

/// Every command takes a model of comparisons with columns.
#[test]
fn all_commands_take_the_model() {
    let lab = lab();
    lab.write("teams.csv", "team,budget\nann,3\nbob,5\ncid,4\ndan,2\n");
    lab.text(&format!("fit teams.csv matches.csv --kernel se[budget]+{KERNEL} -o m.rather"));
    for figure in ["utility --feature budget", "choices --feature budget", "choices", "ranking", "evidence"] {
        lab.text(&format!("plot m.rather {figure} -o figure.svg"));
    }
    lab.text("suggest m.rather");
    lab.text("check m.rather");
    lab.write("more.csv", "team,budget\nann,3\neve,6\n");
    assert_eq!(lab.json("rank m.rather --items more.csv").as_array().unwrap().len(), 2);
    lab.write("pairs.csv", "left,right,date,home_left,home_right\nbob,cid,2026-02-01,1,0\n");
    lab.text("predict m.rather pairs.csv --sharp");
    for inference in ["laplace", "exact --samples 200", "streaming"] {
        lab.text(&format!("fit teams.csv matches.csv --kernel {KERNEL} --inference {inference} -o i.rather"));
        lab.json("predict i.rather pairs.csv");
    }
}

/// Teams in the place of items, in tables of comparisons and of pairs.
#[test]
fn teams_are_named_in_cells() {
    let lab = lab();
    lab.write("games.csv", "left,right,outcome\nann + bob,cid,left\nann*0.5 + dan,bob,right\ncid + dan,ann,left\nann+bob,dan + cid,tie\nbob,ann,bob\n");
    lab.text("fit teams.csv games.csv -o g.rather");
    lab.write("pairs.csv", "left,right\ndan + ann,bob\ncid,dan\nbob,ann + dan\n");
    let said = lab.json("predict g.rather pairs.csv");
    assert_eq!(said[0]["left"], "dan + ann");
    let p = |row: usize| said[row]["probability"].as_f64().unwrap();
    assert!((p(0) + p(2) - 1.0).abs() < 1e-12, "{said}");
    assert_eq!(lab.json("rank g.rather").as_array().unwrap().len(), 4);
    let refused = |cell: &str, expected: &str| {
        lab.write("bad.csv", format!("left,right,outcome\nann,bob,left\n{cell},bob,left\n"));
        let message = lab.error("fit teams.csv bad.csv");
        assert!(message.contains(expected) && message.contains("line 3"), "{message}");
    };
    refused("ann*x + cid", "\"ann*x\" has a weight that is not a positive number");
    refused("ann + ann", "\"ann\" is in the team twice");
    refused("ann + eve", "there is no item \"eve\"");
    let kernel = lab.error("fit teams.csv games.csv --inference laplace");
    assert!(kernel.contains("comparisons of teams need"), "{kernel}");
    lab.text("fit teams.csv matches.csv -o m.rather");
    assert!(lab.error("predict m.rather pairs.csv").contains("comparisons of teams need"));
}

/// A judge's probability, a difference and what is good or bad are answers like others.
#[test]
fn other_answers_about_two_items() {
    let lab = lab();
    lab.write("judged.csv", "left,right,probability\nann,bob,0.9\nbob,cid,0.6\ncid,ann,0\n");
    let fit = lab.json("fit teams.csv judged.csv");
    assert_eq!((&fit["answers"]["comparisons"], &fit["ranking"][0]["item"]), (&3.into(), &"ann".into()));
    lab.write("goals.csv", "left,right,difference\nann,bob,3\nbob,cid,0\ncid,ann,-2\nbob,dan,1\n");
    lab.text("fit teams.csv goals.csv -o g.rather");
    lab.write("pairs.csv", "left,right\nann,cid\n");
    let said = &lab.json("predict g.rather pairs.csv")[0];
    let total: f64 = ["left", "tie", "right"].iter().map(|o| said["outcomes"][o].as_f64().unwrap()).sum();
    assert!((total - 1.0).abs() < 1e-9, "{said}");
    let scores = lab.json("evaluate teams.csv goals.csv --folds 2");
    assert_eq!(scores["kinds"][0]["kind"], "graded");
    lab.write("votes.csv", "left,right,winner\nann,bob,both good\ncid,dan,tie (bothbad)\nann,cid,left\n");
    assert_eq!(lab.json("fit teams.csv votes.csv")["answers"]["good_or_bad"], 4);
    let refused = |table: &str, expected: &str| {
        lab.write("bad.csv", table);
        let message = lab.error("fit teams.csv bad.csv");
        assert!(message.contains(expected) && message.contains("line 2"), "{message}");
    };
    refused(
        "left,right,probability\nann,bob,1.2\n",
        "\"1.2\" is not a probability; write a number from 0 to 1",
    );
    refused("winner,loser,difference\nann,bob,-2\n", "\"-2\" is negative");
    refused("winner,loser,difference\nann,bob,far\n", "\"far\" is not a number");
    refused("winner,loser,count\nann,bob,-1\n", "\"-1\" is not a count; write a positive number");
}

/// Each period is tested on what came before, each level on the others.
#[test]
fn evaluation_by_a_column() {
    let lab = lab();
    let by = |flags: &str| lab.json(&format!("evaluate teams.csv matches.csv {flags}"));
    let rolling = by(&format!("--kernel {KERNEL} --by date --period month"));
    let parts = rolling["parts"].as_array().unwrap();
    let names: Vec<&str> = parts.iter().map(|part| part["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["2026-02-01", "2026-03-01", "2026-04-01"]);
    let tested: u64 = parts.iter().map(|part| part["answers"].as_u64().unwrap()).sum();
    assert_eq!((tested, &rolling["folds"]), (90 - 28, &3.into()));
    // What is asked by may be no part of the model.
    assert_eq!(by("--kernel white --by date --folds 4")["parts"].as_array().unwrap().len(), 4);
    // Both sides' values are told apart by who comes first: observed shares are no certainties.
    let bins = rolling["reliability"].as_array().unwrap();
    assert!(bins.iter().any(|bin| bin["observed"].as_f64() < Some(0.5)), "{rolling}");
    let refused = |flags: &str, expected: &str| {
        let message = lab.error(&format!("evaluate teams.csv matches.csv {flags}"));
        assert!(message.contains(expected), "{flags}: {message}");
    };
    refused("--by court", "has no such column");
    refused("--by home", "has a value for each side");
    refused("--period month", "--period is for --by COLUMN");
    refused("--by date --period fortnight", "write year, month, week, day, or a positive number of days");
    refused("--by date --period 5000", "all comparisons are in one period");
    refused("--by date --folds 3 --period year", "cannot be used with");
    // On a table of its own, with the columns of the kernel.
    let table = matches();
    let (early, late) =
        table.split_at(table.find("2026-03-01").map(|at| table[..at].rfind('\n').unwrap() + 1).unwrap());
    lab.write("early.csv", early);
    lab.write("late.csv", format!("{}\n{late}", table.lines().next().unwrap()));
    let tested = lab.json(&format!("evaluate teams.csv early.csv --test late.csv --kernel {KERNEL}"));
    assert!(tested["log_loss"].as_f64() > Some(0.0) && tested["comparisons"].as_u64() > Some(20), "{tested}");
}

/// `position` is a column of every table that tells the sides as they were shown; a judge's own position bias is a weight of it by user.
#[test]
fn position_is_a_column_of_its_own() {
    let lab = lab();
    let own = matches().lines().enumerate().fold(String::new(), |out, (row, line)| {
        let user =
            if row == 0 { "user,position_left,position_right" } else { ["ada,1,0", "eve,1,0"][row % 2] };
        out + line + "," + user + "\n"
    });
    let without = own.replace("position_left,position_right", "x,y");
    lab.write("own.csv", own);
    lab.write("without.csv", without);
    let fit = |table: &str| lab.json(&format!("fit teams.csv {table} --kernel white+linear[position]"));
    let (given, shown) = (fit("own.csv"), fit("without.csv"));
    assert_eq!((&given["log_evidence"], &given["weights"]), (&shown["log_evidence"], &shown["weights"]));
    let kernel = "white+linear[position]+linear[position]*white[user]";
    let by_user = lab.json(&format!("fit teams.csv without.csv --kernel {kernel} -o m.rather"));
    let weights: Vec<&str> = by_user["weights"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|w| w["column"].as_str().or(w["name"].as_str()))
        .collect();
    assert!(weights.iter().any(|name| name.contains("eve")), "{by_user}");
    lab.write("pairs.csv", "left,right,user\nann,bob,ada\nbob,ann,ada\n");
    let swapped = lab.json("predict m.rather pairs.csv");
    let p = |row: usize| swapped[row]["probability"].as_f64().unwrap();
    assert!((p(0) + p(1) - 1.0).abs() > 1e-3, "{swapped}");
    lab.write("won.csv", "winner,loser\nann,bob\nbob,cid\n");
    assert!(lab.error("fit teams.csv won.csv --kernel white+linear[position]").contains("position"));
}

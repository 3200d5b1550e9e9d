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
fn effects_of_levels_are_kept_in_files() {
    let lab = lab();
    let table = matches();
    let courts = table.lines().enumerate().map(|(k, line)| match k {
        0 => format!("{line},court\n"),
        _ => format!("{line},{}\n", ["clay", "grass"][k % 2]),
    });
    lab.write("courts.csv", courts.collect::<String>());
    let fit = lab.json("fit teams.csv courts.csv --kernel white[item]+white[item]*white[court] -o c.rather");
    let ranking = |at: &str| lab.json(&format!("rank c.rather{at}"));
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

//! The scores of `rather evaluate` against those computed here from what `rather predict` says, for every kind of answer and every way of
//! holding out: whole parts are written as tables of their own.

use crate::lab::Lab;
use serde_json::Value;

/// One setting of the hyperparameters and one kernel: predictions are of one Gaussian.
const MODEL: &str = "--kernel se --hyperparameters maximise --pair-effect off";

fn close(a: f64, b: f64, what: &str) {
    assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{what}: {a} {b}");
}

fn of(json: &Value, key: &str) -> f64 {
    json[key].as_f64().unwrap_or_else(|| panic!("{key}: {json}"))
}

/// Items along x, and rows of a table of answers made by a rule with some noise.
fn lab() -> Lab {
    let lab = Lab::new();
    let items: String = (0..8).map(|i| format!("i{i},{}\n", 0.5 * f64::from(i))).collect();
    lab.write("x.csv", format!("item,x\n{items}"));
    lab
}

/// The pairs of a made-up table, each with a number between -1 and 1 that stands for noise.
fn pairs(n: usize) -> Vec<(usize, usize, f64)> {
    let noise = |k: usize| ((k * 7919 + 13) % 1000) as f64 / 500.0 - 1.0;
    (0..n).map(|k| (k % 8, (k * 3 + 1 + k / 8) % 8, noise(k))).filter(|(a, b, _)| a != b).collect()
}

/// Log loss, accuracy, Brier and ranked probability scores, and coverage of 50 and 95 %, of outcomes in their order.
fn scores_of(all: &[(Vec<f64>, usize)]) -> [f64; 6] {
    let mut sums = [0.0; 6];
    for (p, given) in all {
        let best = p.iter().copied().fold(0.0, f64::max);
        sums[0] -= p[*given].ln();
        sums[1] += f64::from(u8::from(p[*given] == best));
        sums[2] += 0.5
            * p.iter().enumerate().map(|(k, p)| (p - f64::from(u8::from(k == *given))).powi(2)).sum::<f64>();
        let below = |k: usize| p[..k].iter().sum::<f64>();
        let passed = |k: usize| f64::from(u8::from(*given < k));
        let steps = p.len() - 1;
        sums[3] += (1..=steps).map(|k| (below(k) - passed(k)).powi(2)).sum::<f64>() / steps as f64;
        for (place, tail) in [(4, 0.25), (5, 0.025)] {
            // The smallest outcomes that reach either end.
            let reach = |q: f64| (0..p.len()).find(|&k| below(k + 1) >= q).unwrap_or(steps);
            sums[place] += f64::from(u8::from((reach(tail)..=reach(1.0 - tail)).contains(given)));
        }
    }
    sums.map(|sum| sum / all.len() as f64)
}

fn agree(found: &Value, expected: [f64; 6], is_ordered: bool) {
    for (key, at) in [("log_loss", 0), ("accuracy", 1), ("brier", 2), ("rps", 3)] {
        close(of(found, key), expected[at], key);
    }
    if is_ordered {
        close(of(found, "coverage_50"), expected[4], "coverage_50");
        close(of(found, "coverage_95"), expected[5], "coverage_95");
    } else {
        assert!(found["coverage_50"].is_null() && found["crps"].is_null());
    }
}

/// Choices, ties and grades: probabilities of `predict` of the pair as it is shown.
#[test]
fn of_pairs() {
    let lab = lab();
    let mut tables = [String::new(), String::new(), String::new()];
    for (a, b, noise) in pairs(60) {
        let z = 0.5 * (a as f64 - b as f64) + 1.5 * noise;
        let side = if z > 0.0 { "left" } else { "right" };
        tables[0] += &format!("i{a},i{b},{side}\n");
        tables[1] += &format!("i{a},i{b},{}\n", if z.abs() < 0.5 { "tie" } else { side });
        let graded = match z.abs() {
            ..0.4 => "tie".to_owned(),
            0.4..1.4 => side.to_owned(),
            _ => format!("much {side}"),
        };
        tables[2] += &format!("i{a},i{b},{graded}\n");
    }
    for (rows, names) in tables.iter().zip([
        &["left", "right"][..],
        &["left", "tie", "right"],
        &["much left", "left", "tie", "right", "much right"],
    ]) {
        let lines: Vec<&str> = rows.lines().collect();
        let (training, test) = lines.split_at(40);
        for (name, rows) in [("training.csv", training), ("test.csv", test)] {
            lab.write(name, format!("left,right,outcome\n{}\n", rows.join("\n")));
        }
        lab.text(&format!("fit x.csv training.csv {MODEL} -o m.rather --quiet"));
        let predicted = lab.json("predict m.rather test.csv");
        let found =
            lab.json(&format!("evaluate x.csv training.csv --test test.csv {MODEL} --baselines none"));
        let one = |(row, p): (&&str, &Value)| {
            let outcome = row.split(',').nth(2).unwrap();
            let given = names.iter().position(|name| *name == outcome).unwrap();
            let all = match names.len() {
                2 => vec![of(p, "probability"), 1.0 - of(p, "probability")],
                _ => names.iter().map(|name| of(&p["outcomes"], name)).collect(),
            };
            (all, given)
        };
        let all: Vec<_> = test.iter().zip(predicted.as_array().unwrap()).map(one).collect();
        agree(&found, scores_of(&all), names.len() > 2);
        if names.len() > 2 {
            // If neither wins, neither counts.
            let (p, _) = &all[0];
            let middle = p.len() / 2;
            let [left, right] = [&p[..middle], &p[middle + 1..]].map(|side| side.iter().sum::<f64>());
            close(of(&predicted[0], "probability_without_tie"), left / (left + right), "without a tie");
        }
    }
}

/// Ratings, labels, values and differences.
#[test]
fn of_single_items_and_numbers() {
    let lab = lab();
    let rows = |of: &dyn Fn(usize, f64) -> String, from: usize, to: usize| -> String {
        pairs(70)[from..to].iter().map(|&(a, _, noise)| format!("i{a},{}\n", of(a, noise))).collect()
    };
    let rating = |a: usize, noise: f64| ((0.5 * a as f64 + noise).clamp(0.0, 3.9) as usize + 1).to_string();
    let label = |a: usize, noise: f64| (if 0.5 * a as f64 + noise > 2.0 { "yes" } else { "no" }).to_owned();
    let value = |a: usize, noise: f64| format!("{:.3}", 3.0 * a as f64 + 4.0 * noise);
    type Write<'a> = &'a dyn Fn(usize, f64) -> String;
    let kinds: [(&str, Write<'_>); 3] = [("rating", &rating), ("label", &label), ("value", &value)];
    for (kind, rule) in kinds {
        let (training, test) = (rows(rule, 0, 45), rows(rule, 45, 60));
        lab.write("training.csv", format!("item,{kind}\n{training}"));
        lab.write("test.csv", format!("item,{kind}\n{test}"));
        lab.text(&format!("fit x.csv training.csv {MODEL} -o m.rather --quiet"));
        let predicted = lab.json("predict m.rather test.csv");
        let found =
            lab.json(&format!("evaluate x.csv training.csv --test test.csv {MODEL} --baselines none"));
        let rows: Vec<(&Value, &str)> = (predicted.as_array().unwrap().iter())
            .zip(test.lines().map(|row| row.split(',').nth(1).unwrap()))
            .collect();
        match kind {
            "value" => {
                let mut sums = [0.0; 4];
                for (p, y) in &rows {
                    // A Gaussian, whose 95 % interval has this width.
                    let (mean, y) = (of(p, "value"), y.parse::<f64>().unwrap());
                    let sd = (of(p, "value_upper") - of(p, "value_lower")) / (2.0 * 1.959_963_984_540_054);
                    let z = (y - mean) / sd;
                    let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
                    let cdf = rather_numerics::special::normal::cdf(z);
                    sums[0] -= (density / sd).ln();
                    sums[1] +=
                        sd * (z * (2.0 * cdf - 1.0) + 2.0 * density - 1.0 / std::f64::consts::PI.sqrt());
                    sums[2] += f64::from(u8::from((0.25..0.75).contains(&cdf)));
                    sums[3] += f64::from(u8::from((0.025..0.975).contains(&cdf)));
                }
                let expected = sums.map(|sum| sum / rows.len() as f64);
                for (key, expected) in ["log_loss", "crps", "coverage_50", "coverage_95"].iter().zip(expected)
                {
                    close(of(&found, key), expected, key);
                }
                assert!(found["accuracy"].is_null() && found["rps"].is_null());
            }
            "label" => {
                let one = |(p, y): &(&Value, &str)| {
                    let yes = of(p, "probability_of_yes");
                    (vec![yes, 1.0 - yes], usize::from(*y == "no"))
                };
                agree(&found, scores_of(&rows.iter().map(one).collect::<Vec<_>>()), false);
            }
            _ => {
                let one = |(p, y): &(&Value, &str)| {
                    let levels = p["ratings"].as_object().unwrap();
                    let p = (1..=levels.len()).map(|level| levels[&level.to_string()].as_f64().unwrap());
                    (p.collect(), y.parse::<usize>().unwrap() - 1)
                };
                let all: Vec<(Vec<f64>, usize)> = rows.iter().map(one).collect();
                agree(&found, scores_of(&all), true);
                let expected: f64 = all[0].0.iter().zip(1..).map(|(p, level)| p * f64::from(level)).sum();
                close(of(rows[0].0, "rating"), expected, "expected rating");
            }
        }
    }
}

/// Differences that are whole numbers: the CRPS is a sum over whole numbers, of probabilities that add up from `predict`'s interval of one Gaussian.
#[test]
fn of_differences() {
    let lab = lab();
    let all: Vec<String> = pairs(60)
        .into_iter()
        .map(|(a, b, noise)| format!("i{a},i{b},{}\n", (1.5 * (a as f64 - b as f64) + 3.0 * noise).round()))
        .collect();
    for (name, rows) in [("training.csv", &all[..40]), ("test.csv", &all[40..])] {
        lab.write(name, format!("left,right,difference\n{}", rows.concat()));
    }
    lab.text(&format!("fit x.csv training.csv {MODEL} -o m.rather --quiet"));
    let fit = lab.json(&format!("fit x.csv training.csv {MODEL}"));
    let parameter = |name: &str| of(&fit["hyperparameters"], name);
    let (noise, tie) = (parameter("noise"), parameter("tie"));
    let predicted = lab.json("predict m.rather test.csv");
    let mut crps = 0.0;
    for (p, row) in predicted.as_array().unwrap().iter().zip(&all[40..]) {
        let y: f64 = row.trim().split(',').nth(2).unwrap().parse().unwrap();
        let sd = (of(p, "difference_upper") - of(p, "difference_lower")) / (2.0 * 1.959_963_984_540_054);
        let total = (2.0 * noise * noise + sd * sd).sqrt();
        // Half a unit is the threshold of a tie.
        let up_to = |k: f64| {
            rather_numerics::special::normal::cdf(((2.0 * k + 1.0) * tie - of(p, "difference")) / total)
        };
        let gap = |k: i32| (up_to(f64::from(k)) - f64::from(u8::from(f64::from(k) >= y))).powi(2);
        crps += (-400..=400).map(gap).sum::<f64>() / (all.len() - 40) as f64;
        close(of(p, "reported_difference"), of(p, "difference") / (2.0 * tie), "expected difference");
        assert!(of(p, "reported_lower").fract() == 0.0 && of(p, "reported_upper") > of(p, "reported_lower"));
    }
    let found = lab.json(&format!("evaluate x.csv training.csv --test test.csv {MODEL} --baselines none"));
    close(of(&found, "crps"), crps, "crps");
    assert!(of(&found, "coverage_95") > 0.7 && found["kinds"][0]["crps"] == found["crps"]);
}

/// Each part by itself: as many parts as there are pairs, rows, items, users or levels leave no choice which are together.
#[test]
fn of_folds() {
    let lab = lab();
    let (users, courts) = (["ann", "bob", "cid"], ["clay", "grass"]);
    let rows: Vec<(usize, usize, String)> = (0..12)
        .map(|k| {
            let (a, b) = ([0, 1, 2, 3][k % 4], [1, 2, 3, 4][k % 4]);
            let won = [b, b, a][k % 3];
            let lost = a + b - won;
            (
                a,
                b,
                format!("i{won},i{lost},{},{},2026-0{}-01\n", users[k / 2 % 3], courts[k / 3 % 2], 1 + k / 4),
            )
        })
        .collect();
    const HEADER: &str = "winner,loser,user,court,date\n";
    let write = |name: &str, which: &dyn Fn(usize) -> bool| {
        let some: String =
            rows.iter().enumerate().filter(|(k, _)| which(*k)).map(|(_, row)| row.2.as_str()).collect();
        lab.write(name, HEADER.to_owned() + &some);
    };
    write("all.csv", &|_| true);
    let flags = format!("{MODEL} --baselines none --quiet");
    // The log loss of the rows of `test` on a model of those of `training`, and how many.
    let by_hand = |parts: &[(Vec<usize>, Vec<usize>)]| {
        let mut sums = [0.0; 2];
        for (training, test) in parts {
            write("some.csv", &|k| training.contains(&k));
            write("held.csv", &|k| test.contains(&k));
            let found = lab.json(&format!("evaluate x.csv some.csv --test held.csv {flags}"));
            sums[0] += of(&found, "log_loss") * test.len() as f64;
            sums[1] += test.len() as f64;
        }
        sums[0] / sums[1]
    };
    let cell = |k: usize, column: usize| rows[k].2.trim().split(',').nth(column).unwrap().to_owned();
    let level = |k: &usize, column: usize| cell(*k, column);
    let parts = |of: &dyn Fn(usize) -> Vec<String>| -> Vec<(Vec<usize>, Vec<usize>)> {
        let mut levels: Vec<String> = (0..12).flat_map(of).collect();
        levels.sort();
        levels.dedup();
        levels.iter().map(|level| (0..12).partition(|&k| !of(k).contains(level))).collect()
    };
    let cases = [
        ("pairs", "--folds 4", parts(&|k| vec![format!("{} {}", rows[k].0, rows[k].1)])),
        ("comparisons", "--folds 12", parts(&|k| vec![format!("{k:02}")])),
        ("items", "--folds 5", parts(&|k| vec![rows[k].0.to_string(), rows[k].1.to_string()])),
        ("users", "--folds 3", parts(&|k| vec![cell(k, 2)])),
        ("court", "", parts(&|k| vec![cell(k, 3)])),
        (
            "date",
            "--period month",
            ["2026-02-01", "2026-03-01"]
                .iter()
                .map(|at| {
                    let rows =
                        |wanted: &dyn Fn(&str) -> bool| (0..12).filter(|k| wanted(&level(k, 4))).collect();
                    (rows(&|date| date < *at), rows(&|date| date == *at))
                })
                .collect(),
        ),
    ];
    for (by, folds, parts) in cases {
        let found = lab.json(&format!("evaluate x.csv all.csv --by {by} {folds} {flags}"));
        close(of(&found, "log_loss"), by_hand(&parts), by);
        assert_eq!(found["folds"], parts.len(), "{by}");
    }
}

/// Baselines stand beside the model on the same folds, also of many users' models and of several tables.
#[test]
fn baselines_and_the_conclusion() {
    let lab = lab();
    // Who wins follows from x, in 48 pairs.
    let rows: String = pairs(60)
        .into_iter()
        .map(|(a, b, noise)| {
            let won = if a as f64 - b as f64 + 2.0 * noise > 0.0 { (a, b) } else { (b, a) };
            format!("i{},i{},u{}\n", won.0, won.1, a % 4)
        })
        .collect();
    lab.write("d.csv", format!("winner,loser,user\n{rows}"));
    let found = lab.json("evaluate x.csv d.csv --folds 4 --kernel linear --quiet");
    let baselines = found["baselines"].as_array().unwrap();
    let names: Vec<&str> = baselines.iter().map(|b| b["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["names", "linear", "base_rates", "elo"]);
    for baseline in baselines {
        close(of(baseline, "difference"), of(baseline, "log_loss") - of(&found, "log_loss"), "difference");
    }
    // The model is one of them; names only are what was the baseline; without sides a base rate is a half.
    assert_eq!((of(&baselines[1], "difference"), of(&baselines[1], "difference_error")), (0.0, 0.0));
    assert_eq!(found["baseline"]["log_loss"], baselines[0]["log_loss"]);
    assert!((of(&baselines[2], "log_loss") - std::f64::consts::LN_2).abs() < 1e-3);
    assert_eq!(found["clusters"], "pairs");
    assert!(found["conclusion"].as_str().unwrap().contains("log loss"), "{found}");
    let by_users = lab.json("evaluate x.csv d.csv --folds 4 --by users --kernel linear --quiet");
    assert_eq!(by_users["clusters"], "users");
    let text = lab.text("evaluate x.csv d.csv --folds 4 --kernel se --quiet");
    let sentence = lab.json("evaluate x.csv d.csv --folds 4 --kernel se --quiet")["conclusion"].clone();
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains(sentence.as_str().unwrap()), "{text}");
    for part in ["no features", "linear", "base rates", "Elo", "Standard errors are by pairs."] {
        assert!(flat.contains(part), "{text}");
    }
    // Ratings have no games, so there are no ratings of Elo.
    lab.write("r.csv", "item,rating\ni0,1\ni1,1\ni3,2\ni5,2\ni6,3\ni7,3\ni2,1\n");
    let rated = lab.json("evaluate x.csv d.csv --also r.csv --folds 4 --kernel se --quiet");
    assert_eq!(rated["baselines"].as_array().unwrap().len(), 3);
    for by in ["pairs", "comparisons", "users", "items"] {
        let many = lab.json(&format!("evaluate x.csv d.csv --users --folds 3 --by {by} --quiet"));
        assert!(many["models"].as_array().unwrap().iter().any(|m| of(m, "rps") == of(m, "brier")), "{many}");
    }
    lab.write("bare.csv", "winner,loser\ni0,i1\ni2,i1\ni3,i1\n");
    let refused = lab.error("evaluate x.csv bare.csv --folds 2 --by users");
    assert!(refused.contains("has no column \"user\""), "{refused}");
}

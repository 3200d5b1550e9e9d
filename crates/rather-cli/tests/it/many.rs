//! Models of many users on the command line.

use crate::lab::{Lab, keys};

/// Who likes what: two tastes over six teas, three answers a user.
fn crowd(users: usize) -> String {
    let mut rows = "user,winner,loser\n".to_owned();
    for u in 0..users {
        for (a, b) in [(1, 3 + u % 4), (2, 5), (2 + u % 2, 6)] {
            let (a, b) = if u % 2 == 0 { (a, b) } else { (b, a) };
            if a != b {
                rows += &format!("u{u},t{a},t{b}\n");
            }
        }
    }
    rows
}

fn people(users: usize) -> String {
    let row = |u: usize| format!("u{u},{}\n", 20 + 30 * (u % 2) + u % 5);
    "name,age\n".to_owned() + &(0..users).map(row).collect::<String>()
}

fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("crowd.csv", crowd(12));
    lab.write("people.csv", people(13));
    lab.write("pairs.csv", "user,left,right\nu0,t1,t6\nu1,t1,t6\n");
    lab
}

fn fitted(model: &str) -> Lab {
    let lab = lab();
    lab.text(&format!("fit items.csv crowd.csv --model {model} -o m.rather --quiet"));
    lab
}

#[test]
fn every_model_fits_ranks_and_predicts() {
    for model in ["per-user", "kronecker", "hierarchical", "collaborative", "pooled"] {
        let lab = fitted(model);
        let json = lab.json(&format!("fit items.csv crowd.csv --model {model}"));
        assert_eq!((json["model"].as_str(), json["users"].as_u64()), (Some(model), Some(12)));
        assert_eq!(json["converged"], true);
        let p = lab.json("predict m.rather pairs.csv");
        assert_eq!((p[0]["user"].as_str(), p[1]["user"].as_str()), (Some("u0"), Some("u1")));
        let [a, b] = [&p[0], &p[1]].map(|p| p["probability"].as_f64().unwrap());
        assert!((model == "pooled" && a == b) || (a > 0.5 && b < 0.5), "{model} {a} {b}");
        let ranking = lab.json("rank m.rather --user u0 --top 2");
        assert_eq!(ranking.as_array().unwrap().len(), 2);
        lab.text("rank m.rather");
        lab.text("suggest m.rather --user u3 -n 2");
        lab.text("suggest m.rather --newcomer -n 2");
    }
}

#[test]
fn one_of_many_users_is_checked_against_the_exact_posterior() {
    for model in ["per-user", "hierarchical", "pooled"] {
        let lab = fitted(model);
        let found = lab.json("check m.rather --user u0 --samples 1000");
        assert_eq!((&found["user"], &found["inference"]), (&"u0".into(), &"ep".into()));
        // Three answers a user, about four or five items; of all users about six.
        let answers = if model == "pooled" { 36 } else { 3 };
        assert_eq!((&found["comparisons"], &found["converged"]), (&answers.into(), &true.into()), "{found}");
        assert_ne!(found["verdict"], "unsettled");
        let largest = found["probabilities"]["largest"].as_f64().unwrap();
        assert!(largest < 0.05, "{model}: {found}");
        let text = lab.text("check m.rather --user u0 --samples 1000").replace('\n', " ");
        assert!(text.contains("The fit converged"), "{text}");
    }
    let lab = lab();
    lab.text("fit items.csv crowd.csv --model single -o one.rather --quiet");
    let sentence = "one.rather is a model of one person and does not use --user; rather fit --model collaborative learns the \
                    preferences of each user";
    assert_eq!(lab.error("check one.rather --user u0"), sentence);
}

#[test]
fn the_report_has_its_keys() {
    let lab = lab();
    let text = lab.text("fit items.csv crowd.csv --users people.csv --json --quiet");
    assert_eq!(
        keys(&text),
        [
            "items",
            "comparisons",
            "users",
            "model",
            "inference",
            "kernel",
            "hyperparameters",
            "log_evidence",
            "sweeps",
            "residual",
            "converged",
            "seconds",
            "warnings",
            "evidence",
            "functions",
            "skipped",
            "tried",
            "ranking",
            "answers",
            "levels",
            "columns"
        ]
    );
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((json["model"].as_str(), json["users"].as_u64()), (Some("collaborative"), Some(13)));
    assert_eq!(
        json["warnings"][0],
        "the column \"name\" differs for every item: it is a description, not a feature"
    );
    assert!(json["hyperparameters"]["users.lengthscale"].as_f64().unwrap() > 0.0);
    let warnings = json["warnings"].as_array().unwrap();
    assert!(
        warnings.iter().any(|w| w == "1 user gave no answer and is predicted as a newcomer"),
        "{warnings:?}"
    );
}

#[test]
fn everyone_as_one_says_so() {
    let run = lab().run("fit items.csv crowd.csv");
    assert_eq!(run.status, 0);
    let note = "warning: crowd.csv: the answers of 12 users are pooled; --model collaborative learns the preferences of \
                each user";
    assert!(run.stderr.lines().any(|line| line == note), "{}", run.stderr);
}

#[test]
fn what_is_wrong_with_users_is_one_sentence() {
    let lab = lab();
    lab.write("nobody.csv", "winner,loser\nt1,t2\n");
    lab.write("gap.csv", "user,winner,loser\nann,t1,t2\n,t2,t3\n");
    lab.write("other.csv", "user,winner,loser\nu1,t1,t2\nu99,t2,t3\n");
    lab.write("twice.csv", "name,age\nu1,2\nu1,3\n");
    let cases = [
        (
            "fit items.csv nobody.csv --model collaborative",
            "nobody.csv has no column \"user\", which names the user of each answer; add it, or take --model single",
        ),
        (
            "fit items.csv gap.csv --model hierarchical",
            "gap.csv, line 3, column \"user\": the cell is empty; fill it in, or remove the line or the column",
        ),
        (
            "fit items.csv other.csv --users people.csv",
            "other.csv, line 3, column \"user\": there is no user \"u99\" in people.csv; did you mean \"u9\"?",
        ),
        (
            "fit items.csv crowd.csv --users twice.csv",
            "twice.csv, line 3: the key \"u1\" is already in line 2; every item needs its own key",
        ),
        (
            "fit items.csv crowd.csv --users people.csv --model single",
            "--model single does not use --users; keep one",
        ),
        (
            "fit items.csv crowd.csv --model collaborative --inference exact",
            "--inference exact is for a model of one person (--model single), not for the collaborative model",
        ),
    ];
    for (line, sentence) in cases {
        assert_eq!(lab.error(line), sentence);
    }
}

#[test]
fn whom_the_model_does_not_know() {
    let lab = fitted("collaborative");
    lab.write("zoe.csv", "winner,loser\nt6,t1\nt5,t2\n");
    lab.write("both.csv", "user,winner,loser\nzoe,t6,t1\nyan,t1,t6\n");
    lab.write("known.csv", "user,winner,loser\nu1,t6,t1\n");
    lab.write("asked.csv", "user,left,right\nzoe,t1,t6\n");
    lab.write("pair.csv", "left,right\nt6,t1\n");
    let cases = [
        (
            "rank m.rather --user zoe",
            "m.rather does not know the user \"zoe\"; give a few answers of this user as --answers, or leave the user out for \
             users on average",
        ),
        (
            "rank m.rather --user u111",
            "m.rather does not know the user \"u111\"; did you mean \"u11\"? Else give a few answers of this user as --answers, \
             or leave the user out for users on average",
        ),
        (
            "predict m.rather asked.csv",
            "m.rather does not know the user \"zoe\"; give a few answers of this user as --answers, or leave the user out for \
             users on average",
        ),
        (
            "predict m.rather asked.csv --user u1",
            "asked.csv has a column \"user\", and --user names one, too; keep one of them",
        ),
        (
            "rank m.rather --answers both.csv",
            "there are several new users, \"yan\", \"zoe\"; choose one with --user",
        ),
        (
            "rank m.rather --answers known.csv --user u1",
            "known.csv has answers of \"u1\", whom m.rather knows already; fit the model again with all answers, or leave these \
             out",
        ),
        (
            "rank m.rather --users people.csv",
            "m.rather was learned without features of users, so it cannot use --users; leave it out",
        ),
        ("check m.rather", "m.rather is a model of many users; choose one with --user"),
        ("check m.rather --user u77", "m.rather does not know the user \"u77\"; did you mean \"u7\"?"),
        (
            "check m.rather --user u1",
            "of one of many users there is no exact posterior to draw from, which acquisition functions that condition on a draw \
             and, where users share functions, checks need; take bald or improvement, and check a per-user, pooled or hierarchical \
             model",
        ),
        (
            "plot m.rather utility --feature price -o u.svg",
            "m.rather is a model of many users: its figures are users, segments, ranking and effect (--user U for one user); \
             \"utility\" is for a model of one person",
        ),
    ];
    for (line, sentence) in cases {
        assert_eq!(lab.error(line), sentence);
    }
    let probability = |line: &str| lab.json(line)[0]["probability"].as_f64().unwrap();
    let before = probability("predict m.rather pair.csv");
    let alone = probability("predict m.rather pair.csv --answers zoe.csv");
    assert!(alone > before, "{alone} {before}");
    let named = probability("predict m.rather asked.csv --answers both.csv");
    assert!(named < 0.5, "{named}");
    assert!(probability("predict m.rather pair.csv --answers both.csv --user yan") < before);
    lab.text("rank m.rather --answers zoe.csv");
    lab.text("suggest m.rather --newcomer --answers zoe.csv");
    lab.text("plot m.rather ranking --user u1 -o u1.svg");
}

#[test]
fn newcomers_have_features() {
    let lab = lab();
    lab.write("new.csv", "name,age\nzoe,51\n");
    lab.text("fit items.csv crowd.csv --users people.csv -o m.rather --quiet");
    assert_eq!(
        lab.error("suggest m.rather --newcomer"),
        "m.rather was learned with users' features (age), and those of the new user are missing; give a table with them as \
         --users, or fit without --users"
    );
    lab.text("rank m.rather --users new.csv");
    lab.text("suggest m.rather --users new.csv --user zoe");
}

#[test]
fn a_model_of_one_person_has_no_users() {
    let lab = Lab::new().with_model();
    assert_eq!(
        lab.error("rank model.rather --user ann"),
        "model.rather is a model of one person and does not use --user; rather fit --model collaborative learns the \
         preferences of each user"
    );
}

#[test]
fn models_are_compared_on_the_same_folds() {
    let lab = lab();
    let json = lab.json("evaluate items.csv crowd.csv --folds 3 --users");
    let models = json["models"].as_array().unwrap();
    assert_eq!(models.len(), 5);
    let best = json["best"].as_str().unwrap();
    assert!(json["sentence"].as_str().unwrap().starts_with(&format!("Use --model {best}: ")));
    let smallest = models.iter().map(|m| m["log_loss"].as_f64().unwrap()).fold(f64::MAX, f64::min);
    let found = models.iter().find(|m| m["model"] == best).unwrap();
    assert_eq!(found["log_loss"].as_f64(), Some(smallest));
    let text = lab.text("evaluate items.csv crowd.csv --folds 3 --users people.csv");
    assert!(text.contains("behind the best") && text.contains("Use --model "), "{text}");
}

/// One answer each, of many: fits, and a user without any is predicted, too.
#[test]
fn many_users_with_one_answer_each() {
    let lab = Lab::new();
    let row = |u: usize| format!("u{u},t{},t{}\n", 1 + u % 6, 1 + (u + 1 + u / 7 % 4) % 6);
    lab.write("each.csv", "user,winner,loser\n".to_owned() + &(0..2000).map(row).collect::<String>());
    for model in ["collaborative", "hierarchical"] {
        let json = lab.json(&format!("fit items.csv each.csv --model {model} --quiet"));
        assert_eq!(json["users"], 2000);
    }
}

/// Two tastes, in ties, grades and ratings: learned by every model, predicted, saved, and asked of somebody new.
#[test]
fn answers_of_every_kind_are_learned_by_every_model() {
    let lab = lab();
    let mut graded = "user,left,right,outcome\n".to_owned();
    let mut rated = "user,item,rating\n".to_owned();
    for u in 0..8 {
        for (a, b) in [(1, 2), (3, 6), (2, 5), (5, 1), (4, 6), (2, 3)] {
            let likes = if u % 2 == 0 { b - a } else { a - b };
            let outcome = match likes {
                3.. => "much right",
                2 => "right",
                -1..=1 => "tie",
                -2 => "left",
                _ => "much left",
            };
            graded += &format!("u{u},t{a},t{b},{outcome}\n");
        }
        rated +=
            &format!("u{u},t{},{}\nu{u},t{},2\n", 1 + u % 6, if u % 2 == 0 { 1 } else { 3 }, 1 + (u + 3) % 6);
    }
    lab.write("graded.csv", graded);
    lab.write("rated.csv", rated);
    lab.write("zoe.csv", "left,right,outcome\nt1,t6,much right\nt2,t3,tie\n");
    lab.write("pair.csv", "left,right\nt1,t6\n");
    for model in ["per-user", "kronecker", "hierarchical", "collaborative", "pooled"] {
        let fit = format!("fit items.csv graded.csv --also rated.csv --kernel white --model {model}");
        let learned = lab.json(&format!("{fit} -o m.rather --position-bias"));
        let names: Vec<&String> = learned["hyperparameters"].as_object().unwrap().keys().collect();
        for name in ["tie", "grade[2]", "bias", "rating.first"] {
            assert!(names.iter().any(|known| *known == name), "{model}: {names:?}");
        }
        let predicted = lab.json("predict m.rather pairs.csv");
        let outcomes = predicted[0]["outcomes"].as_object().unwrap();
        let words: Vec<&String> = outcomes.keys().collect();
        assert_eq!(words, ["left", "much left", "much right", "right", "tie"], "{model}");
        let total: f64 = outcomes.values().map(|p| p.as_f64().unwrap()).sum();
        assert!((total - 1.0).abs() < 1e-9);
        let csv = lab.text("predict m.rather pairs.csv --csv");
        let columns: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
        assert_eq!(columns[..4], ["user", "left", "right", "probability"], "{model}");
        let of =
            ["much left", "left", "tie", "right", "much right"].map(|name| format!("probability of {name}"));
        assert_eq!(columns[4..9], of, "{model}");
        assert!(lab.text("predict m.rather pairs.csv").contains("much right"));
        let probability = |line: &str| lab.json(line)[0]["probability"].as_f64().unwrap();
        let before = probability("predict m.rather pair.csv");
        assert!(probability("predict m.rather pair.csv --answers zoe.csv") < before, "{model}");
    }
    let refused = lab.error("fit items.csv graded.csv --model collaborative --lapse 0.05");
    assert!(refused.contains("log-concave"), "{refused}");
    lab.write("nobody.csv", "item,rating\nt1,3\nt2,1\n");
    assert_eq!(
        lab.error("fit items.csv graded.csv --also nobody.csv --model per-user"),
        "a table beside graded.csv has no column \"user\", which names the user of each answer; add it"
    );
    lab.text("fit items.csv crowd.csv --model per-user -o plain.rather --quiet");
    lab.write("rates.csv", "item,rating\nt1,3\nt2,1\n");
    let refused = lab.error("rank plain.rather --answers rates.csv");
    assert!(refused.contains("has not learned from") || refused.contains("there is not"), "{refused}");
}

/// What is asked of a model of one person is asked of users in the same way: about any items, in the same units, with the same warnings.
#[test]
fn users_are_asked_about_any_items() {
    let lab = fitted("hierarchical");
    lab.text("fit items.csv crowd.csv --model single -o one.rather --quiet");
    let table = std::fs::read_to_string(lab.path("items.csv")).unwrap();
    let line = |key: &str| table.lines().find(|line| line.starts_with(key)).unwrap().to_owned();
    let header = table.lines().next().unwrap();
    lab.write("alone.csv", format!("{header}\n{}\n", line("t3")));
    lab.write("few.csv", format!("{header}\n{}\n{}\n", line("t3"), line("t5")));
    for who in ["one.rather", "m.rather --user u1", "m.rather"] {
        let all = lab.json(&format!("rank {who}"));
        let own = all.as_array().unwrap().iter().find(|line| line["item"] == "t3").unwrap();
        let alone = lab.json(&format!("rank {who} --items alone.csv"));
        for key in ["mean", "sd"] {
            let [a, b] = [own, &alone[0]].map(|line| line[key].as_f64().unwrap());
            assert!((a - b).abs() < 1e-6, "{who} {key} {a} {b}");
        }
        let text = lab.text(&format!("rank {who}"));
        assert!(text.contains("relative to the average of the compared items"), "{text}");
        let next = lab.json(&format!("suggest {who} --pool few.csv -n 1"));
        let mut pair = [next[0]["left"].as_str().unwrap(), next[0]["right"].as_str().unwrap()];
        pair.sort_unstable();
        assert_eq!(pair, ["t3", "t5"]);
    }
    assert!(lab.error("predict m.rather pairs.csv --sharp").contains("or many users"));
    assert_eq!(
        lab.error("evaluate items.csv crowd.csv --users --baselines none"),
        "--baselines is for a model of one person; with --users, models are compared on the same folds"
    );
    lab.write(
        "ties.csv",
        "user,left,right,outcome\nann,t1,t2,left\nann,t2,t3,tie\nbob,t3,t1,left\nbob,t5,t2,tie\n",
    );
    let fit = lab.json("fit items.csv ties.csv --model per-user -o tied.rather");
    assert_eq!((&fit["comparisons"], &fit["answers"]["ties"]), (&2.into(), &2.into()));
    // A score is the information of all three answers: more than that of two could be.
    let line = lab.run("suggest tied.rather --user ann -n 1 --json");
    assert!(line.stderr.is_empty(), "{}", line.stderr);
}

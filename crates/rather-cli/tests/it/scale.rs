//! How the prior is held, and in how much memory.

use crate::lab::Lab;
use std::fmt::Write as _;
#[cfg(target_os = "linux")]
use std::{process::Stdio, time::Duration};

/// Items by two features, and comparisons of a smooth taste that is sometimes wrong.
pub(crate) fn many(items: usize, comparisons: usize) -> Lab {
    let lab = Lab::new();
    let place = |i: usize| [(i as f64 * 0.618_034).fract(), (i as f64 * 0.754_878).fract()];
    let mut table = "item,x,y\n".to_owned();
    for i in 0..items {
        let [x, y] = place(i);
        writeln!(table, "i{i},{x},{y}").unwrap();
    }
    lab.write("items.csv", table);
    let utility = |i: usize| {
        let [x, y] = place(i);
        (5.0 * x).sin() + 2.0 * y * x
    };
    let mut table = "winner,loser\n".to_owned();
    // A linear congruential generator (Knuth's), whose upper bits are random enough.
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..comparisons {
        let a = random(items);
        let b = (a + 1 + random(items - 1)) % items;
        let better = utility(a) > utility(b);
        let (winner, loser) = if better != (random(9) == 0) { (a, b) } else { (b, a) };
        writeln!(table, "i{winner},i{loser}").unwrap();
    }
    lab.write("duels.csv", table);
    lab
}

#[test]
fn few_features_say_what_the_whole_says() {
    let lab = many(60, 400);
    let whole = lab.json("fit items.csv duels.csv --kernel se");
    assert_eq!(whole["representation"]["representation"], "full");
    assert_eq!(whole["representation"]["because"]["reason"], "small");
    let fixed: String = ["lengthscale", "variance", "noise"]
        .iter()
        .map(|name| format!(" --fix {name}={}", whole["hyperparameters"][*name]))
        .collect();
    let line = format!("fit items.csv duels.csv --kernel se{fixed}");
    let whole = lab.json(&line);
    let number = |json: &serde_json::Value| json["log_evidence"].as_f64().unwrap();
    for inducing in ["covering", "k-means", "random", "informative"] {
        let fit = lab.json(&format!("{line} --inducing-points 60 --inducing {inducing}"));
        assert_eq!(fit["representation"]["representation"]["low-rank"], 60);
        assert!((number(&fit) - number(&whole)).abs() < 1e-6 * number(&whole).abs(), "{inducing}");
        let fit = lab.json(&format!("{line} --inducing-points 30 --inducing {inducing}"));
        assert!((number(&fit) - number(&whole)).abs() < 1.0, "{inducing}: {fit} {whole}");
    }
    let text = lab.text("fit items.csv duels.csv --kernel se --inducing-points 12 -o m.rather --quiet");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Prior: low-rank covariance of 12 inducing points, as requested"), "{text}");
    // What is saved says the same, with the same bits for one thread and two.
    let learned = lab.json("fit items.csv duels.csv --inducing-points 12 --threads 1 -o m.rather");
    assert_eq!(lab.ranking("m.rather"), learned["ranking"]);
    // The exact posterior is that of the full covariance, of which twelve points leave too much out. A baseline by names alone has no
    // inducing points.
    let check = lab.json("check m.rather --samples 400 --seed 1");
    assert_eq!(
        (&check["verdict"], &check["probabilities"]["pairs"]),
        (&"poor".into(), &1770.into()),
        "{check}"
    );
    let evaluated = lab.json("evaluate items.csv duels.csv --inducing-points 12 --folds 2");
    assert!(evaluated["accuracy"].as_f64().unwrap() > 0.7, "{evaluated}");
    let again = lab.json("fit items.csv duels.csv --inducing-points 12 --threads 2");
    assert_eq!((&learned["ranking"], &learned["log_evidence"]), (&again["ranking"], &again["log_evidence"]));
}

#[test]
fn memory_decides() {
    let lab = many(400, 2000);
    let fit = lab.json("fit items.csv duels.csv --kernel se --memory 4M");
    let because = &fit["representation"]["because"];
    assert_eq!((&because["reason"], &because["allowed"]), (&"memory".into(), &(4 << 20).into()));
    let features = fit["representation"]["representation"]["low-rank"].as_u64().unwrap();
    assert!((16..400).contains(&features), "{features}");
    let run = lab.run("fit items.csv duels.csv --memory 600K");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains(" KiB, and 600 KiB are allowed; allow more"), "{}", run.stderr);
}

/// Items by name and random comparisons of them.
fn names(items: usize, comparisons: usize) -> Lab {
    let lab = many(items, comparisons);
    let keys: String = (0..items).map(|i| format!("i{i}\n")).collect();
    lab.write("names.csv", "item\n".to_owned() + &keys);
    lab
}

/// The most memory that a run of the program held, in bytes, and what it wrote as JSON.
#[cfg(target_os = "linux")]
fn peak(lab: &Lab, line: &str) -> (u64, serde_json::Value) {
    let mut child = lab.command(line).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut out = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut out, &mut text).map(|_| text)
    });
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let held =
            status.lines().find_map(|l| l.strip_prefix("VmHWM:")).and_then(|l| l.split_whitespace().next());
        peak = held.and_then(|kib| kib.parse::<u64>().ok()).map_or(peak, |kib| 1024 * kib);
        std::thread::sleep(Duration::from_millis(2));
    }
    (peak, serde_json::from_str(&reader.join().unwrap().unwrap()).unwrap())
}

/// What the program takes by itself, with two threads, and what an allocator keeps of small pieces.
#[cfg(target_os = "linux")]
const PROGRAM: u64 = 40 << 20;

/// The limit is one for the whole program: tables, answers, everything.
#[test]
#[cfg(target_os = "linux")]
fn the_limit_is_kept_for_names() {
    let lab = names(5_000, 200_000);
    for limit in ["64M", "100M"] {
        let allowed = u64::from(limit == "64M") * (64 << 20) + u64::from(limit == "100M") * (100 << 20);
        let line = format!("fit names.csv duels.csv --memory {limit} --fix noise=1 --json -o m.rather");
        let (peak, fit) = peak(&lab, &line);
        let held = &fit["representation"];
        let estimated = held["estimated"].as_u64().unwrap();
        println!("{limit}: {estimated} bytes estimated, {peak} taken");
        assert!(estimated <= allowed && held["allowed"].as_u64() == Some(allowed), "{held}");
        assert!(peak <= allowed + PROGRAM, "{peak} of {allowed} bytes");
    }
}

#[test]
fn what_does_not_fit_is_refused_before_the_fit() {
    let lab = names(5_000, 100_000);
    for line in [
        "fit names.csv duels.csv --memory 10M -o m.rather",
        "fit names.csv duels.csv --memory 100K",
        "fit items.csv duels.csv --memory 10M",
        "fit items.csv duels.csv --memory 500M --representation full",
        "evaluate names.csv duels.csv --memory 10M",
    ] {
        let run = lab.run(line);
        assert_eq!(run.status, 2, "{line}: {}", run.stderr);
        assert!(run.stderr.contains(" allowed; allow more"), "{line}: {}", run.stderr);
        assert!(!lab.path("m.rather").exists());
    }
    let lab = many(40, 200);
    let exact = "fit items.csv duels.csv --kernel se --inference exact --samples 20000 --memory 20M";
    let run = lab.run(exact);
    assert_eq!(run.status, 2, "{}", run.stderr);
    assert!(
        run.stderr.contains("needs at least") && run.stderr.contains("20 MiB are allowed"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_model_of_many_users_keeps_to_the_limit() {
    let lab = many(40, 400);
    let rows: String =
        (0..400).map(|n| format!("u{},i{},i{}\n", n % 20, n % 40, (n + 1 + n / 40) % 40)).collect();
    lab.write("users.csv", "user,winner,loser\n".to_owned() + &rows);
    for model in ["collaborative", "hierarchical", "kronecker", "per-user", "pooled"] {
        let run = lab.run(&format!("fit items.csv users.csv --model {model} --memory 50K"));
        assert_eq!(run.status, 2, "{model}: {}", run.stderr);
        assert!(run.stderr.contains("and 50 KiB are allowed; allow more"), "{model}: {}", run.stderr);
    }
}

#[test]
fn what_does_not_go_together_is_one_sentence() {
    let lab = many(20, 60);
    lab.write("names.csv", "item\n".to_owned() + &(0..20).map(|i| format!("i{i}\n")).collect::<String>());
    for (line, sentence) in [
        ("fit items.csv duels.csv --representation sparse", "a sparse precision for kernels of effects"),
        ("fit names.csv duels.csv --inducing-points 5", "a low-rank covariance is for items with features"),
        (
            "fit items.csv duels.csv --inducing-points 5 --inference laplace",
            "--inducing-points needs --inference ep",
        ),
        (
            "fit items.csv duels.csv --representation full --inducing-points 5",
            "--inducing-points and --inducing need",
        ),
        (
            "fit items.csv duels.csv --representation full --inducing random",
            "--inducing-points and --inducing need",
        ),
        ("fit items.csv duels.csv --memory much", "write a number of bytes such as 2G or 500M"),
        ("fit items.csv duels.csv --inducing-points 0", "1..=20000"),
    ] {
        let run = lab.run(line);
        assert_eq!(run.status, 2, "{line}: {}", run.stderr);
        assert!(run.stderr.contains(sentence), "{line}: {}", run.stderr);
    }
}

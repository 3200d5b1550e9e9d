//! Votes in, a leaderboard out.

use crate::lab::Lab;
use serde_json::Value;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

/// What a vote is for.
#[derive(Clone, Copy, PartialEq, Debug)]
enum For {
    Left,
    Right,
    Neither,
    BothBad,
}
use For::{BothBad, Left, Neither, Right};

/// Votes about three items, of which alpha is the best and gamma the worst: left, right, outcome.
fn votes() -> Vec<(&'static str, &'static str, For)> {
    let mut all = Vec::new();
    for (winner, loser, times) in [("alpha", "beta", 6), ("alpha", "gamma", 8), ("beta", "gamma", 6)] {
        all.extend((0..times).map(|_| (winner, loser, Left)));
        all.extend((0..times).map(|_| (loser, winner, Right)));
        all.extend([(loser, winner, Left), (winner, loser, Neither), (loser, winner, Neither)]);
    }
    all.push(("beta", "gamma", BothBad));
    all
}

/// A table with a line a vote.
fn table(header: &str, of: impl Fn(&str, &str, For) -> Option<String>) -> String {
    let mut out = header.to_owned();
    votes().into_iter().filter_map(|(left, right, what)| of(left, right, what)).for_each(|line| out += &line);
    out
}

/// One of four words.
fn word(what: For, words: [&str; 4]) -> &str {
    words[what as usize]
}

/// A line with the two items and the word, without the votes that there is no word for.
fn plain(separator: &'static str, words: [&'static str; 4]) -> impl Fn(&str, &str, For) -> Option<String> {
    move |left, right, what| {
        let word = word(what, words);
        (!word.is_empty()).then(|| format!("{left}{separator}{right}{separator}{word}\n"))
    }
}

fn object(left: &str, right: &str, what: For) -> Option<String> {
    let word = word(what, ["model_a", "model_b", "tie", "tie (bothbad)"]);
    Some(format!(
        "{{\"model_a\": \"{left}\", \"model_b\": \"{right}\", \"winner\": \"{word}\", \"turn\": 1}}"
    ))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// The ratings of a board by item.
fn rating(board: &Value, item: &str) -> f64 {
    let line = board["board"].as_array().unwrap().iter().find(|line| line["item"] == item);
    number(&line.unwrap_or_else(|| panic!("no {item} in {board}"))["rating"])
}

#[test]
fn every_spelling_is_read_without_a_flag() {
    let by_name = |left: &str, right: &str, what: For| {
        Some(format!("{left},{right},{}\n", word(what, [left, right, "tie", "both_bad"])))
    };
    let winner = |left: &str, right: &str, what: For| match what {
        Left => Some(format!("{left},{right}\n")),
        Right => Some(format!("{right},{left}\n")),
        Neither | BothBad => None,
    };
    let game = |left: &str, right: &str, what: For| {
        let result = word(what, ["1-0", "0-1", "1/2-1/2", "*"]);
        Some(format!("[White \"{left}\"]\n[Black \"{right}\"]\n[Result \"{result}\"]\n\n1. e4 {result}\n\n"))
    };
    let objects = || votes().into_iter().filter_map(|(l, r, what)| object(l, r, what)).collect::<Vec<_>>();
    let bad = 1.0;
    let tables: Vec<(&str, String, f64, f64)> = vec![
        ("arena.jsonl", objects().join("\n"), 6.0, bad),
        ("arena.json", format!("[{}]", objects().join(",\n")), 6.0, bad),
        ("elo.json", format!("{{\"battles\": [{}]}}", objects().join(", ")), 6.0, bad),
        (
            "words.csv",
            table("left,right,outcome\n", plain(",", ["left", "right", "tie", "both bad"])),
            6.0,
            bad,
        ),
        ("names.csv", table("model_a,model_b,winner\n", by_name), 6.0, bad),
        (
            "letters.tsv",
            table("option_a\toption_b\tpreference\n", plain("\t", ["A", "B", "tie", "bothbad"])),
            6.0,
            bad,
        ),
        (
            "sides.csv",
            table(
                "model_left;model_right;vote\n",
                plain(";", ["left_wins", "right_wins", "draw", "both_bad"]),
            ),
            6.0,
            bad,
        ),
        ("shares.csv", table("left,right,winner\n", plain(",", ["1", "0", "0.5", ""])), 6.0, 0.0),
        ("signs.csv", table("system_1,system_2,label\n", plain(",", ["1", "-1", "0", ""])), 6.0, 0.0),
        (
            "judge.csv",
            table("model_a,model_b,verdict\n", plain(",", ["[[A>B]]", "[[B>A]]", "[[A=B]]", ""])),
            6.0,
            0.0,
        ),
        (
            "mt.csv",
            table("model_1,model_2,winner\n", plain(",", ["model_1", "model_2", "tie", ""])),
            6.0,
            0.0,
        ),
        (
            "alpaca.csv",
            table("generator_1,generator_2,preference\n", plain(",", ["1.0", "2.0", "1.5", ""])),
            6.0,
            0.0,
        ),
        (
            "results.csv",
            table("player1,player2,result\n", plain(",", ["1-0", "0-1", "1/2-1/2", ""])),
            6.0,
            0.0,
        ),
        ("score.csv", table("player_a,player_b,score\n", plain(",", ["1", "0", "0.5", ""])), 6.0, 0.0),
        (
            "goals.csv",
            table("home_team,away_team,home_score,away_score\n", plain(",", ["2,0", "0,2", "1,1", ""])),
            0.0,
            0.0,
        ),
        (
            "bothbad.csv",
            table("model_a,model_b,winner\n", plain(",", ["model_a", "model_b", "tie", "tie (bothbad)"])),
            6.0,
            bad,
        ),
        ("greater.csv", table("left,right,winner\n", plain(",", [">", "<", "=", ""])), 6.0, 0.0),
        ("numbers.csv", table("item_1,item_2,winner\n", plain(",", ["1", "2", "", ""])), 0.0, 0.0),
        ("x.csv", table("left,right,winner\n", plain(",", ["X", "Y", "tie", ""])), 6.0, 0.0),
        (
            "conditions.csv",
            table("condition_A,condition_B,is_A_selected\n", plain(",", ["1", "0", "", ""])),
            0.0,
            0.0,
        ),
        (
            "annotators.csv",
            table("generator_1,generator_2,preference\n", plain(",", ["1.02", "1.97", "1.5", ""])),
            // Averages over annotators are probabilities: a half is none who said "tie".
            0.0,
            0.0,
        ),
        ("duels.csv", table("winner,loser\n", winner), 0.0, 0.0),
        ("dpo.csv", table("chosen,rejected\n", winner), 0.0, 0.0),
        ("order.csv", table("rank_1,rank_2\n", winner), 0.0, 0.0),
        ("games.pgn", table("", game), 6.0, 0.0),
    ];
    let lab = Lab::new();
    for (name, text, ties, both_bad) in tables {
        lab.write(name, text);
        let found = lab.json(&format!("arena {name} --quiet"));
        let order: Vec<&str> =
            found["board"].as_array().unwrap().iter().map(|l| l["item"].as_str().unwrap()).collect();
        assert_eq!(order, ["alpha", "beta", "gamma"], "{name}: {found}");
        let read = &found["read"];
        assert_eq!((number(&read["ties"]), number(&read["both_bad"])), (ties, both_bad), "{name}: {read}");
        let unfinished = if name == "games.pgn" { 1 } else { 0 };
        assert_eq!(read["left_out"].as_array().map(Vec::len), Some(unfinished), "{name}: {read}");
    }
    // Compressed, and through a pipe.
    let text = objects().join("\n");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    lab.write("arena.jsonl.gz", gzip.finish().unwrap());
    let expected = lab.json("arena arena.jsonl")["board"].clone();
    assert_eq!(lab.json("arena arena.jsonl.gz")["board"], expected);
    let mut child =
        lab.command("arena - --json").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let piped: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!((&piped["board"], &piped["source"]), (&expected, &"standard input".into()));
}

#[test]
fn items_may_be_called_as_sides_are() {
    let lab = Lab::new();
    // B was on the left and won: the name, not the side.
    lab.write("v.csv", "model_a,model_b,winner\nB,A,B\nB,A,B\nA,C,A\nC,B,B\n");
    let found = lab.json("arena v.csv --quiet");
    assert_eq!(found["board"][0]["item"], "B");
    assert_eq!((number(&found["read"]["left"]), number(&found["read"]["right"])), (3.0, 1.0));
}

#[test]
fn other_names_of_columns_need_a_flag_that_is_named() {
    let lab = Lab::new();
    lab.write("v.csv", "this,that,who\nx,y,this\n");
    let error = lab.error("arena v.csv");
    assert!(error.contains("--columns left=...,right=...,outcome=..."), "{error}");
    lab.write("v.csv", "this,that,who\nx,y,left\nx,z,right\n");
    let found = lab.json("arena v.csv --columns left=this,right=that,outcome=who --quiet");
    assert_eq!(found["board"][0]["item"], "z");
    lab.write("w.csv", "model_a,model_b,winner\nx,y,yes\nx,y,no way\nx,y,model_a\n");
    let error = lab.error("arena w.csv");
    assert!(error.contains("line 2") && error.contains("--columns"), "{error}");
}

#[test]
fn files_with_flaws_are_read_and_the_flaws_reported() {
    let head = "model_a,model_b,winner\nx,y,model_a\ny,z,model_b\nz,x,tie\n";
    let files: Vec<(&str, String, &str, u64, &str)> = vec![
        ("self.csv", format!("{head}x,x,tie\ny,y,model_a\n"), "self_comparison", 2, "line 5"),
        ("skip.csv", format!("{head}x,y,skipped\n"), "unknown_outcome", 1, "line 5"),
        ("short.csv", format!("{head}x,y\nz,y,model_b\n"), "ragged", 1, "line 5"),
        ("empty.csv", format!("{head}x,,model_a\n,y,model_b\nx,y,\n"), "empty_cell", 3, "line 5"),
        ("windows.csv", format!("\u{feff}{}x,x,tie\r\n", head.replace('\n', "\r\n")), "self_comparison", 1, "line 5"),
        ("semicolons.csv", format!("{}x;y;?\n", head.replace(',', ";")), "unknown_outcome", 1, "line 5"),
        (
            "ids.csv",
            "question_id,model_a,model_b,winner,judge\n1,x,y,model_a,j\n2,y,z,tie,j\n1,x,y,model_a,j\n1,x,y,model_a,k\n".to_owned(),
            "duplicate",
            1,
            "line 4",
        ),
        (
            "null.jsonl",
            "{\"model_a\":\"x\",\"model_b\":\"y\",\"winner\":\"model_a\"}\n{\"model_a\":\"x\",\"model_b\":\"y\",\"winner\":null}\n\n{\"model_b\":\"y\",\"winner\":\"tie\",\"model_a\":\"z\"}\n".to_owned(),
            "empty_cell",
            1,
            "line 2",
        ),
        (
            "missing.jsonl",
            "{\"model_a\":\"x\",\"model_b\":\"y\",\"winner\":\"model_a\"}\n{\"model_a\":\"x\",\"winner\":\"model_a\"}\n{\"model_a\":\"z\",\"model_b\":\"y\",\"winner\":\"tie\"}\n".to_owned(),
            "empty_cell",
            1,
            "line 2",
        ),
        (
            "counts.csv",
            "left,right,votes_left,votes_right\nx,y,3,1\ny,z,many,2\nx,z,4,0\n".to_owned(),
            "bad_value",
            1,
            "line 3",
        ),
        (
            "open.pgn",
            "[White \"x\"]\n[Black \"y\"]\n[Result \"1-0\"]\n\n[White \"x\"]\n[Black \"y\"]\n[Result \"*\"]\n\n[White \"z\"]\n[Black \"y\"]\n[Result \"1-0\"]\n".to_owned(),
            "unknown_outcome",
            1,
            "line 5",
        ),
    ];
    let lab = Lab::new();
    for (name, text, flaw, rows, place) in files {
        lab.write(name, text);
        let found = lab.json(&format!("arena {name} --quiet"));
        let left_out = found["read"]["left_out"].as_array().unwrap();
        assert_eq!(left_out.len(), 1, "{name}: {left_out:?}");
        assert_eq!((&left_out[0]["flaw"], &left_out[0]["rows"]), (&flaw.into(), &rows.into()), "{name}");
        let first = left_out[0]["first"].as_str().unwrap();
        assert!(first.contains(name) && first.contains(place), "{first}");
        let strict = lab.run(&format!("arena {name} --quiet --strict"));
        assert_eq!(strict.status, 2, "{name}");
        assert!(
            strict.stderr.contains("--strict") && strict.stdout.contains("Left out"),
            "{name}: {}",
            strict.stderr
        );
    }
    // What cannot be passed over.
    lab.write(
        "cut.jsonl",
        "{\"model_a\":\"x\",\"model_b\":\"y\",\"winner\":\"model_a\"}\n{\"model_a\":\"x\",\"mod",
    );
    assert!(lab.error("arena cut.jsonl").contains("line 2"));
    lab.write("ratings.csv", "item,rating\nx,3\n");
    assert!(lab.error("arena ratings.csv").contains("--columns"));
}

/// A generator of pseudo-random numbers (Knuth's linear congruential one, of which the upper bits are taken).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn logistic(&mut self) -> f64 {
        let u = self.uniform();
        (u / (1.0 - u)).ln()
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.uniform() * n as f64) as usize).min(n - 1)
    }

    /// Two different ones of `n`.
    fn pair(&mut self, n: usize) -> (usize, usize) {
        let (a, b) = (self.below(n), self.below(n - 1));
        (a, if b < a { b } else { b + 1 })
    }
}

/// Logits of a vote for the left: who votes, and which are compared.
type Logit<'a> = dyn Fn(usize, usize, usize, &mut Random) -> f64 + 'a;

/// Votes of `voters` voters about `items` items, with ties.
fn arena(items: usize, voters: usize, votes: usize, random: &mut Random, logit: &Logit<'_>) -> String {
    let mut out = "left,right,outcome,voter,date\n".to_owned();
    for k in 0..votes {
        let ((a, b), voter) = (random.pair(items), k % voters);
        let z = logit(voter, a, b, random) + random.logistic();
        let what = if z.abs() < 0.4 {
            "tie"
        } else if z > 0.0 {
            "left"
        } else {
            "right"
        };
        writeln!(out, "m{a},m{b},{what},v{voter},2026-0{}-1{}", 1 + 9 * k / (votes + 1), k % 10).unwrap();
    }
    out
}

#[test]
fn intervals_hold_as_many_true_ratings_and_ranks_as_they_say() {
    const ITEMS: usize = 10;
    let (mut ratings, mut ranks, mut all) = (0.0, 0.0, 0.0);
    let lab = Lab::new();
    for seed in 1..=24 {
        let mut random = Random(seed);
        let u: Vec<f64> = (0..ITEMS).map(|_| 0.8 * random.normal()).collect();
        let mean = u.iter().sum::<f64>() / ITEMS as f64;
        lab.write("v.csv", arena(ITEMS, 200, 600, &mut random, &|_, a, b, _| u[a] - u[b] + 0.1));
        let found = lab.json("arena v.csv --quiet");
        for line in found["board"].as_array().unwrap() {
            let item: usize = line["item"].as_str().unwrap()[1..].parse().unwrap();
            let truth = 1000.0 + 400.0 / 10.0_f64.ln() * (u[item] - mean);
            let rank = 1 + u.iter().filter(|&&other| other > u[item]).count();
            let (lower, upper) = (number(&line["lower"]), number(&line["upper"]));
            let (low, high) = (number(&line["rank_low"]) as usize, number(&line["rank_high"]) as usize);
            ratings += f64::from(u8::from(lower <= truth && truth <= upper));
            ranks += f64::from(u8::from((low..=high).contains(&rank)));
            all += 1.0;
        }
    }
    let (ratings, ranks) = (ratings / all, ranks / all);
    // 240 intervals: two standard errors are 2.8 %.
    assert!((0.915..=0.985).contains(&ratings), "{ratings}");
    assert!(ranks >= 0.935, "{ranks}");
}

#[test]
fn voters_who_cast_many_votes_widen_intervals() {
    let lab = Lab::new();
    let mut random = Random(7);
    let u = [1.0, 0.5, 0.0, -0.5, -1.0];
    let tastes: Vec<f64> = (0..30 * 5).map(|_| 1.2 * random.normal()).collect();
    let taste = |voter: usize, item: usize| tastes[5 * voter + item];
    lab.write(
        "clustered.csv",
        arena(5, 30, 1500, &mut random, &|v, a, b, _| u[a] - u[b] + taste(v, a) - taste(v, b)),
    );
    let found = lab.json("arena clustered.csv --quiet");
    assert!(number(&found["intervals_by_voters"]) > 1.5, "{found}");
    // Where everybody votes once, nothing changes.
    lab.write("once.csv", arena(5, 400, 400, &mut random, &|_, a, b, _| u[a] - u[b]));
    let once = lab.json("arena once.csv --quiet");
    assert!((number(&once["intervals_by_voters"]) - 1.0).abs() < 1e-9);
    let without = lab.text("arena once.csv --columns user=date --quiet");
    assert!(without.contains("date is the voter"), "{without}");
}

/// The sentence of a check, if it found a problem.
fn concern(found: &Value, check: &str) -> Option<String> {
    let finding = found["audit"].as_array().unwrap().iter().find(|f| f["check"] == check)?;
    (finding["concern"] == true).then(|| finding["sentence"].as_str().unwrap().to_owned())
}

#[test]
fn the_audit_finds_what_was_planted_and_nothing_else() {
    let lab = Lab::new();
    let mut random = Random(11);
    let u = [1.2, 0.4, 0.0, -0.4, -1.2];
    let honest = |_: usize, a: usize, b: usize, _: &mut Random| u[a] - u[b];
    lab.write("honest.csv", arena(5, 40, 2000, &mut random, &honest));
    let found = lab.json("arena honest.csv --quiet");
    for finding in found["audit"].as_array().unwrap() {
        assert_eq!(finding["concern"], false, "{finding}");
    }
    assert_eq!(lab.run("arena honest.csv --quiet --strict").status, 0);
    // Voter 3 clicks on the left, voter 5 votes against the others.
    let bad = |v: usize, a: usize, b: usize, _: &mut Random| match v {
        3 => 20.0,
        5 => 3.0 * (u[b] - u[a]),
        _ => u[a] - u[b],
    };
    lab.write("bad.csv", arena(5, 40, 4000, &mut random, &bad));
    let sentence = concern(&lab.json("arena bad.csv --quiet"), "suspicious voters").unwrap();
    assert!(
        sentence.contains("\"v3\" (for the left side") && sentence.contains("\"v5\" (against the others"),
        "{sentence}"
    );
    assert!(sentence.starts_with("2 voters"), "{sentence}");
    // Items that are never compared with the others.
    let mut apart = arena(5, 40, 400, &mut random, &honest);
    apart += "other,more,left,v1,2026-01-01\nmore,other,right,v2,2026-01-02\n";
    lab.write("apart.csv", apart);
    let found = lab.json("arena apart.csv --quiet");
    let sentence = concern(&found, "connection").unwrap();
    assert!(sentence.contains("2 groups") && sentence.contains("\"other\""), "{sentence}");
    assert!(concern(&found, "balance").unwrap().contains("\"more\""));
    // The best item becomes worse.
    let mut later = arena(5, 40, 2000, &mut random, &honest).replace("2026-0", "2025-0");
    let worse = |_: usize, a: usize, b: usize, _: &mut Random| {
        let of = |item: usize| if item == 0 { -1.0 } else { u[item] };
        of(a) - of(b)
    };
    later += arena(5, 40, 2000, &mut random, &worse).split_once('\n').unwrap().1;
    lab.write("drift.csv", later);
    let sentence = concern(&lab.json("arena drift.csv --quiet"), "drift").unwrap();
    assert!(sentence.contains("\"m0\" (-"), "{sentence}");
    // One voter has cast most of the votes.
    let mut loud = arena(5, 40, 400, &mut random, &honest);
    loud += &arena(5, 1, 400, &mut random, &honest).split_once('\n').unwrap().1.replace(",v0,", ",me,");
    lab.write("loud.csv", loud);
    assert!(concern(&lab.json("arena loud.csv --quiet"), "loudest voter").unwrap().contains("\"me\""));
}

#[test]
fn judges_have_noises_and_sides_of_their_own() {
    let lab = Lab::new();
    let mut random = Random(5);
    let u = [1.5, 0.5, -0.5, -1.5];
    // Judge 0 is good, 1 votes at random, 2 prefers the left.
    let logit = |v: usize, a: usize, b: usize, _: &mut Random| match v {
        0 => 1.5 * (u[a] - u[b]),
        1 => 0.0,
        _ => u[a] - u[b] + 1.5,
    };
    lab.write("v.csv", arena(4, 3, 900, &mut random, &logit).replace("voter", "judge"));
    let found = lab.json("arena v.csv --quiet");
    let judges = found["judges"].as_array().unwrap();
    let of = |name: &str| judges.iter().find(|j| j["judge"] == name).unwrap();
    let worth = |j: &Value| (number(&j["agreement"]), number(&j["noise"]), number(&j["lapse"]));
    let (good, bad) = (worth(of("v0")), worth(of("v1")));
    assert!(good.0 > 0.8 && bad.0 < 0.65, "{judges:?}");
    assert!(bad.1 > 1.5 * good.1 || bad.2 > 0.3 + good.2, "{judges:?}");
    assert!(number(&of("v2")["left"]) > 5.0 * number(&of("v2")["left_error"]), "{judges:?}");
    assert!(
        number(&of("v2")["flipped"]) > 0.0 && concern(&found, "sided judges").unwrap().contains("\"v2\"")
    );
    assert!(found["intervals_by_voters"].is_null());
}

#[test]
fn style_is_taken_out_where_it_is_asked_for() {
    let lab = Lab::new();
    let mut random = Random(9);
    // m1 is better, m0 is longer; each unit of length is worth half a unit.
    let (u, long) = ([0.0, 0.3, -0.3], [2.0, 0.0, 1.0]);
    let mut table = "model_a,model_b,winner,tokens_a,tokens_b,note_a,note_b\n".to_owned();
    for _ in 0..3000 {
        let (a, b) = random.pair(3);
        let [x, y] = [a, b].map(|i| long[i] + random.normal());
        let winner =
            if u[a] - u[b] + 0.5 * (x - y) + random.logistic() > 0.0 { "model_a" } else { "model_b" };
        writeln!(table, "m{a},m{b},{winner},{x:.3},{y:.3},p,q").unwrap();
    }
    lab.write("v.csv", table);
    let raw = lab.json("arena v.csv --quiet");
    assert_eq!(
        (&raw["board"][0]["item"], &raw["read"]["numbers_of_sides"]),
        (&"m0".into(), &serde_json::json!(["tokens"]))
    );
    let fair = lab.json("arena v.csv --style found --quiet");
    assert_eq!(fair["board"][0]["item"], "m1");
    let weight = &fair["style"][0];
    assert_eq!(weight["column"], "tokens");
    // A standard deviation of the column, about 1.29, is worth half as much in log odds.
    let truth = 400.0 / 10.0_f64.ln() * 0.5 * 1.29;
    assert!(number(&weight["lower"]) < truth && truth < number(&weight["upper"]), "{weight}");
    assert!(lab.error("arena v.csv --style bold").contains("no columns bold_a and bold_b"));
    assert!(lab.error("arena v.csv --by language").contains("no column language"));
}

#[test]
fn boards_by_a_column_differ_where_votes_do() {
    let lab = Lab::new();
    let mut random = Random(21);
    let mut table = "model_a,model_b,winner,language\n".to_owned();
    for k in 0..3000 {
        let (a, b) = random.pair(3);
        // m2 is the best in German, the worst in English.
        let of = |i: usize| match (i, k % 3) {
            (2, 0) => 1.5,
            (2, _) => -1.5,
            (i, _) => 0.3 * i as f64,
        };
        let winner = if of(a) - of(b) + random.logistic() > 0.0 { "model_a" } else { "model_b" };
        writeln!(table, "m{a},m{b},{winner},{}", if k % 3 == 0 { "de" } else { "en" }).unwrap();
    }
    lab.write("v.csv", table);
    let found = lab.json("arena v.csv --by language --quiet");
    let boards = found["boards"].as_array().unwrap();
    let first =
        |level: &str| boards.iter().find(|b| b["level"] == level).unwrap()["board"][0]["item"].clone();
    assert_eq!((first("de"), first("en")), ("m2".into(), "m1".into()));
}

#[test]
fn a_saved_board_takes_more_votes() {
    let lab = Lab::new();
    let mut random = Random(31);
    let u = [1.0, 0.4, 0.0, -0.4, -1.0];
    let all = arena(5, 100, 800, &mut random, &|_, a, b, _| u[a] - u[b] + 0.2);
    let (header, rows) = all.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let part = |rows: &[&str]| format!("{header}\n{}\n", rows.join("\n"));
    lab.write("all.csv", part(&rows) + "new,m0,left,v1,2026-09-01\n");
    lab.write("first.csv", part(&rows[..500]));
    lab.write("second.csv", part(&rows[500..]) + "new,m0,left,v1,2026-09-01\n");
    lab.text("arena first.csv -o board.rather --quiet");
    let grown = lab.json("arena board.rather --add second.csv -o grown.rather --quiet");
    lab.text("arena all.csv -o all.rather --quiet");
    // A saved board counts votes as independent, so that it is compared with the saved one of all votes.
    let [grown_again, whole] = ["grown", "all"].map(|name| lab.json(&format!("arena {name}.rather --quiet")));
    for line in whole["board"].as_array().unwrap() {
        let item = line["item"].as_str().unwrap();
        assert!((rating(&grown, item) - number(&line["rating"])).abs() < 0.5, "{item}: {grown}");
        assert!((rating(&grown_again, item) - number(&line["rating"])).abs() < 0.5, "{item}");
    }
    let of =
        |item: &str| grown["board"].as_array().unwrap().iter().find(|l| l["item"] == item).unwrap().clone();
    assert!(of("new")["rank_before"].is_null() && of("m0")["rank_before"] == 1, "{grown}");
    assert!(lab.text("arena board.rather --add second.csv --quiet").contains("new"));
    // What a board cannot do is refused.
    assert!(lab.error("arena board.rather --style tokens").contains("--style is for a table of votes"));
    assert!(lab.error("arena all.csv --add second.csv").contains("save its board first"));
    // Other commands take a board, too.
    assert_eq!(lab.json("rank board.rather")[0]["item"], "m0");
    assert_eq!(lab.json("suggest board.rather -n 2").as_array().map(Vec::len), Some(2));
}

#[test]
fn ratings_have_units_and_an_anchor() {
    let lab = Lab::new();
    let mut random = Random(41);
    let u = [0.8, 0.0, -0.8];
    lab.write("v.csv", arena(3, 100, 900, &mut random, &|_, a, b, _| u[a] - u[b]));
    let [elo, jod, wins] =
        ["elo", "jod", "win-rate"].map(|units| lab.json(&format!("arena v.csv --units {units} --quiet")));
    let apart = |board: &Value| rating(board, "m0") - rating(board, "m2");
    // 400 / ln 10 points a logit, ln 3 logits a JOD.
    let logits = apart(&elo) / (400.0 / 10.0_f64.ln());
    assert!((apart(&jod) - logits / 3.0_f64.ln()).abs() < 1e-9);
    let average: f64 = ["m0", "m1", "m2"].iter().map(|item| rating(&elo, item)).sum();
    assert!((average / 3.0 - 1000.0).abs() < 1e-6);
    assert!(rating(&wins, "m0") > 60.0 && rating(&wins, "m0") < 90.0 && rating(&wins, "m2") > 10.0, "{wins}");
    let anchored = lab.json("arena v.csv --anchor m1=1114 --quiet");
    assert!((rating(&anchored, "m1") - 1114.0).abs() < 1e-9 && (apart(&anchored) - apart(&elo)).abs() < 1e-6);
    let line = &anchored["board"][1];
    assert_eq!(
        (&line["item"], &line["lower"], &line["upper"]),
        (&"m1".into(), &1114.0.into(), &1114.0.into())
    );
    assert!(lab.error("arena v.csv --anchor m9=3").contains("not an item of the votes"));
    assert!(lab.error("arena v.csv --anchor m1=x").contains("is not a number"));
    assert!(lab.error("arena v.csv --anchor m1 --units win-rate").contains("leave one of them out"));
    // Later votes alone.
    let later = lab.json("arena v.csv --since 2026-05-01 --quiet");
    assert_eq!(number(&later["read"]["votes"]) + number(&later["read"]["before"]), 900.0);
    assert!(number(&later["read"]["before"]) > 100.0);
    lab.write("undated.csv", "winner,loser\nx,y\n");
    assert!(lab.error("arena undated.csv --since 2026-05-01").contains("--columns date=COLUMN"));
}

#[test]
fn the_pages_hold_all_and_load_nothing() {
    let lab = Lab::new();
    let mut random = Random(51);
    let table =
        arena(4, 30, 600, &mut random, &|_, a, b, _| 0.5 * (b as f64 - a as f64)).replace("m3", "<b>&\"x|y");
    lab.write("v.csv", table.replace("<b>&\"x|y", "<b>&x|y"));
    let markdown = lab.text("arena v.csv --quiet --markdown --html v.html --svg v.svg");
    assert!(markdown.starts_with("# Leaderboard") && markdown.contains("\\<b\\>&x\\|y"), "{markdown}");
    let html = std::fs::read_to_string(lab.path("v.html")).unwrap();
    assert!(html.contains("&lt;b&gt;&amp;x|y") && !html.contains("<b>&"), "names are escaped");
    for part in ["Audit", "Look at this first", "Judges", "What to ask next", "<svg"] {
        assert_eq!(html.contains(part), part != "Look at this first", "{part}");
    }
    for outside in ["src=", "href=", "<script", "url(", "@import"] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(std::fs::read_to_string(lab.path("v.svg")).unwrap().starts_with("<svg"));
    assert!(lab.error("arena v.csv --html v.txt").contains("is no .html file"));
    assert!(lab.text("arena v.csv --quiet --top 2").contains("… and 2 more"));
}

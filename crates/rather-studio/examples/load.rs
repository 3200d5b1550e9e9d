//! Many participants answering one study at once, and how long they wait for the next duel:
//!
//! ```sh
//! RUST_MIN_STACK=16777216 cargo run --release -p rather-studio --example load -- 50 60 0
//! ```
//!
//! The arguments: participants, seconds, and seconds that each thinks before an answer (0: none at all, which no person
//! does). The stack of threads is the program's. The studio is started on a file of its own and asked over loopback, in the same process: both share the machine.

use rather_studio::{Config, Server};
use reqwest::Client;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// What one participant saw.
#[derive(Debug, Default)]
struct Seen {
    name: String,
    answers: u64,
    errors: Vec<String>,
    waits: Vec<Duration>,
}

/// A study of two parameters; each participant has a model of their own.
const STUDY: &str = "
title = \"Load\"
[parameters]
floor = { type = \"float\", low = -40, high = 0 }
subtraction = { type = \"float\", low = 0.5, high = 4 }
";

#[tokio::main]
async fn main() {
    let number = |place: usize, usual: f64| {
        let text = std::env::args().nth(place);
        text.map_or(usual, |text| {
            text.parse().expect("participants, seconds, seconds of thought: three numbers")
        })
    };
    let (participants, seconds, thought) = (number(1, 50.0) as usize, number(2, 60.0), number(3, 0.0));
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("load.db");
    let config =
        Config { demo: false, listen: "127.0.0.1:0".parse().expect("an address"), ..Config::local(data) };
    let server = Server::start(config).await.expect("the studio starts");
    let root = format!("http://{}/api/v1/studies", server.address());
    tokio::spawn(server.run(std::future::pending()));
    let client = Client::builder().no_proxy().build().expect("a client");
    let made = send(&client, &root, json!({ "toml": STUDY })).await.expect("a study");
    let study = format!("{root}/{}", made["id"].as_str().expect("an id"));

    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let thought = Duration::from_secs_f64(thought);
    let each = |i: usize| tokio::spawn(participate(client.clone(), study.clone(), i, end, thought));
    let people: Vec<_> = (0..participants).map(each).collect();
    let mut seen = Vec::new();
    for person in people {
        seen.push(person.await.expect("a participant ends"));
    }
    report(&seen, &kept(&client, &study).await, seconds);
}

/// Answers until `end`.
async fn participate(client: Client, study: String, i: usize, end: Instant, thought: Duration) -> Seen {
    let mut seen = Seen { name: format!("person {i}"), ..Seen::default() };
    let mut next = send(&client, &format!("{study}/ask"), json!({ "participant": seen.name })).await;
    for n in 0_usize.. {
        let turn = match &next {
            Ok(turn) => turn["next"].clone(),
            Err(error) => {
                seen.errors.push(error.clone());
                return seen;
            }
        };
        // Not all at the same moment: from half to one and a half times the thought.
        tokio::time::sleep(thought.mul_f64(0.5 + ((i * 37 + n * 11) % 100) as f64 / 100.0)).await;
        if Instant::now() >= end {
            return seen;
        }
        let answer = if (i + n).is_multiple_of(2) { "left" } else { "right" };
        let body = json!({ "participant": seen.name, "duel": turn["duel"], "answer": answer, "key": format!("{i}/{n}") });
        let start = Instant::now();
        next = send(&client, &format!("{study}/tell"), body).await;
        if next.is_ok() {
            seen.answers += 1;
            seen.waits.push(start.elapsed());
        }
    }
    seen
}

async fn send(client: &Client, url: &str, body: Value) -> Result<Value, String> {
    let response = client.post(url).json(&body).send().await.map_err(|e| e.to_string())?;
    let status = response.status();
    let text = response.text().await.map_err(|e| e.to_string())?;
    if !status.is_success() {
        return Err(format!("{status}: {text}"));
    }
    serde_json::from_str(&text).map_err(|e| e.to_string())
}

/// How many answers the studio has of everybody.
async fn kept(client: &Client, study: &str) -> HashMap<String, u64> {
    let response = client.get(format!("{study}/participants")).send().await.expect("an answer");
    let found: Value = response.json().await.expect("participants");
    let people = found["participants"].as_array().expect("a list");
    let of =
        |p: &Value| (p["name"].as_str().unwrap_or_default().to_owned(), p["answers"].as_u64().unwrap_or(0));
    people.iter().map(of).collect()
}

fn report(seen: &[Seen], kept: &HashMap<String, u64>, seconds: f64) {
    let mut waits: Vec<Duration> = seen.iter().flat_map(|s| s.waits.clone()).collect();
    waits.sort_unstable();
    let answers: u64 = seen.iter().map(|s| s.answers).sum();
    let errors: Vec<&String> = seen.iter().flat_map(|s| &s.errors).collect();
    let lost: u64 =
        seen.iter().map(|s| s.answers.saturating_sub(kept.get(&s.name).copied().unwrap_or(0))).sum();
    println!(
        "{} participants, {seconds} s: {answers} answers ({:.0} a second)",
        seen.len(),
        answers as f64 / seconds
    );
    println!("errors {}, lost answers {lost}", errors.len());
    if let Some(error) = errors.first() {
        println!("the first error: {error}");
    }
    let quantile =
        |q: f64| waits.get(((waits.len() as f64 - 1.0) * q).round() as usize).copied().unwrap_or_default();
    for (name, q) in [("median", 0.5), ("95 %", 0.95), ("99 %", 0.99), ("longest", 1.0)] {
        println!("{name:>8}  {:6.1} ms", 1000.0 * quantile(q).as_secs_f64());
    }
}

//! A studio that is killed while many answer: what it acknowledged is there when it starts again.
//!
//! The studio that is killed is this test program itself, told by a variable of the environment what to do.

use rather_studio::{Config, Server};
use reqwest::Client;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const FILE: &str = "RATHER_STUDIO_CHILD_FILE";
const PARTICIPANTS: usize = 30;
const ROUNDS: usize = 3;

/// What the child does: nothing in an ordinary run of the tests.
#[tokio::test(flavor = "multi_thread")]
async fn child() {
    let Ok(file) = std::env::var(FILE) else { return };
    let config = Config { demo: false, listen: "127.0.0.1:0".parse().unwrap(), ..Config::local(file) };
    let server = Server::start(config).await.unwrap();
    println!("\nhere http://{}", server.address());
    server.run(std::future::pending()).await.unwrap();
}

/// Starts the child; its address.
fn start(file: &Path) -> (Child, String) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::child", "--nocapture"])
        .env(FILE, file)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let url =
        lines.find_map(|line| line.strip_prefix("here ").map(str::to_owned)).expect("it says where it is");
    (child, url)
}

async fn post(client: &Client, url: &str, body: &Value) -> Option<Value> {
    let response = client.post(url).json(body).send().await.ok()?;
    assert!(response.status().is_success(), "{url}: {}", response.status());
    // The connection may break in the middle of an answer.
    serde_json::from_str(&response.text().await.ok()?).ok()
}

/// Participant and duel of each answer that was acknowledged.
type Acknowledged = Arc<Mutex<HashSet<(String, u64)>>>;

/// Answers until the studio is gone.
async fn participate(study: String, i: usize, acknowledged: Acknowledged) {
    let (client, name) = (Client::new(), format!("person {i}"));
    let mut turn = post(&client, &format!("{study}/ask"), &json!({ "participant": name })).await;
    while let Some(duel) = turn.as_ref().and_then(|turn| turn["next"]["duel"].as_u64()) {
        let body = json!({ "participant": name, "duel": duel, "answer": if (duel + i as u64).is_multiple_of(2) { "left" } else { "right" } });
        turn = post(&client, &format!("{study}/tell"), &body).await;
        if turn.is_some() {
            acknowledged.lock().unwrap().insert((name.clone(), duel));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_studio_has_lost_nothing_that_it_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("studio.db");
    let acknowledged = Acknowledged::default();
    let client = Client::new();
    for round in 0..ROUNDS {
        let (mut child, url) = start(&file);
        if round == 0 {
            let made =
                post(&client, &format!("{url}/api/v1/studies"), &json!({ "toml": crate::lab::ONE })).await;
            assert_eq!(made.unwrap()["id"], "one");
        }
        let study = format!("{url}/api/v1/studies/one");
        let before = acknowledged.lock().unwrap().len();
        let people: Vec<_> = (0..PARTICIPANTS)
            .map(|i| tokio::spawn(participate(study.clone(), i, Arc::clone(&acknowledged))))
            .collect();
        // In the middle of the work, whenever that is on this machine.
        while acknowledged.lock().unwrap().len() < before + 3 * PARTICIPANTS {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // On Unix that is SIGKILL: the program cannot tidy up.
        child.kill().unwrap();
        child.wait().unwrap();
        for person in people {
            person.await.unwrap();
        }
    }
    let (mut child, url) = start(&file);
    let response = client.get(format!("{url}/api/v1/studies/one/history")).send().await.unwrap();
    let history: Value = response.json().await.unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let all = history["answers"].as_array().unwrap();
    let kept: HashSet<(String, u64)> = all
        .iter()
        .map(|a| (a["participant"].as_str().unwrap().to_owned(), a["duel"].as_u64().unwrap()))
        .collect();
    assert_eq!(kept.len(), all.len(), "every duel has one answer");
    let acknowledged = acknowledged.lock().unwrap();
    let lost: Vec<_> = acknowledged.difference(&kept).collect();
    assert!(
        lost.is_empty(),
        "{} of {} acknowledged answers are lost: {lost:?}",
        lost.len(),
        acknowledged.len()
    );
    println!("{} answers acknowledged before {ROUNDS} kills, all kept", acknowledged.len());
}

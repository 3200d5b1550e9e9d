//! Lists of very many items: pages are windows, and memory stays within bounds.

use crate::lab::Lab;
use reqwest::{Method, StatusCode};
use serde_json::json;
use std::fmt::Write;
use std::time::Instant;

const ITEMS: usize = 20_000;

/// The most memory that this process has had, in megabytes; nothing where the system does not tell.
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
}

fn toml() -> String {
    let mut toml = "title = \"Many\"\nitems = [".to_owned();
    (0..ITEMS).for_each(|i| write!(toml, "\"item {i}\",").unwrap());
    toml + "]\n"
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_thousand_items_cost_no_more_than_their_number() {
    let before = most_memory();
    let lab = Lab::start().await;
    let study = lab.study(&toml()).await;
    let path = format!("/studies/{study}");
    let mut turn = lab.api(Method::POST, &format!("{path}/ask"), Some(json!({}))).await;
    for answers in 1..=50 {
        let answer = if answers % 3 == 0 { "right" } else { "left" };
        let told = json!({ "duel": turn["next"]["duel"], "answer": answer });
        turn = lab.api(Method::POST, &format!("{path}/tell"), Some(told)).await;
        if answers == 1 || answers == 50 {
            let start = Instant::now();
            let page = lab.get(&format!("{path}/result")).await;
            assert_eq!(page.status(), StatusCode::OK);
            let page = page.text().await.unwrap();
            println!("{answers} answers: the page of {} bytes took {:?}", page.len(), start.elapsed());
            assert!(page.contains("1–50 of 20,000") && page.len() < 200_000);
            let figure = lab.get(&format!("{path}/figures/ranking.svg?participant=me")).await;
            assert_eq!(figure.status(), StatusCode::OK);
        }
    }
    let last = lab.api(Method::GET, &format!("{path}/result?offset=19990&limit=50"), None).await;
    assert_eq!((&last["ranking_offset"], &last["ranking_total"]), (&json!(19_990), &json!(ITEMS)));
    assert_eq!(last["ranking"].as_array().unwrap().len(), 10);
    let first = lab.api(Method::GET, &format!("{path}/result?limit=5"), None).await;
    assert_eq!(first["ranking"].as_array().unwrap().len(), 5);
    assert_eq!((&first["history_total"], first["history"].as_array().unwrap().len()), (&json!(50), 5));
    let posterior = lab.api(Method::GET, &format!("{path}/posterior?offset=100&limit=3"), None).await;
    assert_eq!(posterior["points"].as_array().unwrap().len(), 3);
    assert_eq!(
        (&posterior["points"][0]["alternative"], &posterior["total"]),
        (&json!("item 100"), &json!(ITEMS))
    );
    let refused = lab.get(&format!("/api/v1{path}/result?limit=5000")).await;
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    // One matrix of 20,000 x 20,000 numbers alone has 3,200 MB. Other tests of this process, run at the same time, are in the figure.
    if let (Some(before), Some(after)) = (before, most_memory()) {
        println!("memory: {before} MB before, {after} MB at most");
        assert!(after < 1000, "{after} MB");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_result_of_two_thousand_items_is_there_in_a_moment() {
    let lab = Lab::start().await;
    let names: Vec<String> = (0..2000).map(|i| format!("\"item {i}\"")).collect();
    let study = lab.study(&format!("title = \"Many\"\nitems = [{}]\n", names.join(","))).await;
    let path = format!("/studies/{study}");
    let mut fastest = std::time::Duration::MAX;
    for answers in 1..=12 {
        let turn = lab.api(Method::POST, &format!("{path}/ask"), Some(json!({}))).await;
        let told = json!({ "duel": turn["next"]["duel"], "answer": if answers % 3 == 0 { "right" } else { "left" } });
        lab.api(Method::POST, &format!("{path}/tell"), Some(told)).await;
        if answers > 9 {
            // Each with an answer that it has not seen. The fastest says what the work is; others may have waited for other tests.
            let start = Instant::now();
            assert_eq!(lab.get(&format!("{path}/result")).await.status(), StatusCode::OK);
            fastest = fastest.min(start.elapsed());
        }
    }
    println!("the result of 2,000 items took {fastest:?}");
    assert!(fastest.as_millis() < 300, "{fastest:?}");
}

//! Requests as they should not be, and answers as browsers want them.

use crate::lab::{Lab, ONE, TOKEN, header};
use rather_studio::security::host::PublicOrigin;
use rather_studio::security::token::OperatorToken;
use reqwest::{Client, Method, StatusCode};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;

/// The status of the answer to a request that no client would send.
async fn status(lab: &Lab, request: String) -> String {
    let place = lab.url.strip_prefix("http://").unwrap().to_owned();
    let ask = move || {
        let mut stream = TcpStream::connect(place).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        String::from_utf8_lossy(&answer[9..]).into_owned()
    };
    tokio::task::spawn_blocking(ask).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_has_one_host() {
    let lab = Lab::start().await;
    let own = lab.url.strip_prefix("http://").unwrap();
    let ask = |line: &str, hosts: &[&str]| {
        let hosts: String = hosts.iter().map(|host| format!("Host: {host}\r\n")).collect();
        format!("GET {line} HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n")
    };
    assert_eq!(status(&lab, ask("/api", &[own])).await, "200");
    assert_eq!(status(&lab, ask(&format!("http://{own}/api"), &[own])).await, "200");
    assert_eq!(status(&lab, ask("/api", &[own, "evil.example"])).await, "421");
    assert_eq!(status(&lab, ask("http://evil.example/api", &[own])).await, "421");
}

#[tokio::test]
async fn an_encrypted_origin_stays_encrypted() {
    let lab = Lab::with(|config| {
        config.public = Some(PublicOrigin::parse("https://lab.example").unwrap());
        config.token = Some(OperatorToken::new(TOKEN, "test").unwrap());
    })
    .await;
    let page = lab.get("/sign-in").await;
    assert_eq!(header(page.headers(), "strict-transport-security"), "max-age=31536000");
    let plain = Lab::start().await;
    assert_eq!(header(plain.get("/").await.headers(), "strict-transport-security"), "");
}

#[tokio::test]
async fn only_files_and_lists_have_large_bodies() {
    let lab = Lab::start().await;
    let study = lab.study(ONE).await;
    let post = async |path: &str, bytes: usize| {
        let body = json!({ "participant": "x".repeat(bytes) });
        lab.post(&format!("/api/v1/studies/{study}{path}"), body).await.status()
    };
    assert_eq!(post("/ask", 100_000).await, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(post("/posterior", 100_000).await, StatusCode::BAD_REQUEST, "it is read, and is no list");
    assert_eq!(post("/posterior", 5 << 20).await, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn figures_are_compressed_for_who_reads_that_and_pages_are_not() {
    let lab = Lab::start().await;
    let study = lab.study(ONE).await;
    let path = format!("/studies/{study}");
    let turn = lab.api(Method::POST, &format!("{path}/ask"), Some(json!({}))).await;
    let tell = json!({ "duel": turn["next"]["duel"], "answer": "left" });
    lab.api(Method::POST, &format!("{path}/tell"), Some(tell)).await;
    let get = async |path: String, encoding: &str| {
        let request = Client::new().get(format!("{}{path}", lab.url)).header("accept-encoding", encoding);
        request.send().await.unwrap()
    };
    let figure = format!("{path}/figures/utility-1.svg");
    let plain = get(figure.clone(), "identity").await;
    let packed = get(figure, "gzip, br").await;
    assert_eq!(header(packed.headers(), "content-encoding"), "gzip");
    let (plain, packed) = (plain.bytes().await.unwrap(), packed.bytes().await.unwrap());
    assert!(2 * packed.len() < plain.len(), "{} of {} bytes", packed.len(), plain.len());
    let page = get(format!("{path}/result"), "gzip").await;
    assert_eq!(header(page.headers(), "content-encoding"), "", "a page has secrets");
}

#[tokio::test]
async fn names_that_are_formulas_to_a_spreadsheet_are_texts_and_come_back() {
    let lab = Lab::start().await;
    let study = lab.study("title = \"Odd\"\nitems = [\"=1+2\", \"-3 dB\", \"tea\"]\n").await;
    let path = format!("/api/v1/studies/{study}");
    for answer in ["left", "right", "left"] {
        let turn: serde_json::Value = lab.post(&format!("{path}/ask"), json!({})).await.json().await.unwrap();
        lab.post(&format!("{path}/tell"), json!({ "duel": turn["next"]["duel"], "answer": answer })).await;
    }
    let table = lab.get(&format!("{path}/export?format=csv&spreadsheet=true")).await.text().await.unwrap();
    assert!(table.contains("'=1+2") || table.contains("'-3 dB"), "{table}");
    let page = lab.get(&format!("/studies/{study}/result")).await.text().await.unwrap();
    assert!(page.contains("export?format=csv&amp;spreadsheet=true"), "the page's button has them so");
    let copy = lab.api(Method::POST, &format!("/studies/{study}/copy"), None).await;
    let import = format!("/api/v1/studies/{}/import?format=csv", copy["id"].as_str().unwrap());
    let sent = lab.request(Method::POST, &import).header("content-type", "text/csv");
    let csrf = lab.csrf("/").await;
    let sent = sent.header("x-csrf-token", csrf).body(table).send().await.unwrap();
    assert_eq!(sent.status(), StatusCode::OK, "{}", sent.text().await.unwrap());
}

#[tokio::test]
async fn circles_and_people_are_shown_as_people_read_them() {
    let lab = Lab::start().await;
    let study = lab.study("title = \"Level\"\n[parameters]\nfloor = { type = \"float\", low = -20, high = 0 }\n[presentation]\nunits = { floor = \"dB\" }\n").await;
    let path = format!("/studies/{study}");
    // A circle, twice.
    let floors = [-18.4321, -11.2345, -1.3254];
    for (k, (left, right)) in [(0, 1), (1, 2), (2, 0), (0, 1), (1, 2), (2, 0)].into_iter().enumerate() {
        let setting = |i: usize| json!({ "floor": floors[i] });
        let tell = json!({ "left": setting(left), "right": setting(right), "answer": "left", "key": format!("key {k}") });
        lab.post(&format!("/api/v1{path}/tell"), tell).await;
    }
    let result = lab.api(Method::GET, &format!("{path}/result"), None).await;
    let said = result["consistency"]["sentences"].to_string();
    assert!(said.contains("circular") && said.contains("floor −") && said.contains("dB"), "{said}");
    assert!(!said.contains("floor = ") && !said.contains("1.3254"), "{said}");
    // A hundred participants are two pages of a table.
    for i in 0..100 {
        lab.api(Method::POST, &format!("{path}/participants"), Some(json!({ "name": format!("p{i:03}") })))
            .await;
    }
    let page = lab.get(&format!("{path}/result")).await.text().await.unwrap();
    assert!(
        page.matches("(the old one ends)</").count() <= 60 && page.contains("people=50#people"),
        "a part of them"
    );
    let last = lab.get(&format!("{path}/result?people=100")).await.text().await.unwrap();
    assert!(last.contains("p099</th>") && !last.contains("p000</th>"), "and the rest on the next pages");
}

//! Connections that are opened and left: they must not keep anybody out.

use crate::lab::{Lab, TOKEN};
use rather_studio::security::token::OperatorToken;
use reqwest::header::AUTHORIZATION;
use reqwest::{Client, StatusCode};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A connection that has sent a part of a request.
fn half_open(lab: &Lab) -> TcpStream {
    let mut stream = TcpStream::connect(lab.url.strip_prefix("http://").unwrap()).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n").unwrap();
    stream
}

/// Waits until the other side has closed; what it still sends is of no interest.
fn closed(stream: &mut TcpStream) {
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    match stream.read_to_end(&mut Vec::new()) {
        Ok(_) => {}
        // Data that was not read makes it a reset.
        Err(e) => assert_eq!(e.kind(), ErrorKind::ConnectionReset, "the connection is still open"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_header_that_never_ends_is_given_up() {
    let lab = Lab::with(|config| config.limits.header = Duration::from_millis(300)).await;
    let mut stream = half_open(&lab);
    let start = Instant::now();
    closed(&mut stream);
    println!("closed after {:?}", start.elapsed());
    assert_eq!(lab.get("/").await.status(), StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn half_open_connections_make_room_for_visitors() {
    let lab = Lab::with(|config| {
        // As with few file descriptors: far fewer places than connections.
        config.limits.connections = 16;
        config.limits.header = Duration::from_secs(3600);
    })
    .await;
    let mut all = Vec::new();
    for _ in 0..200 {
        all.push(half_open(&lab));
    }
    let start = Instant::now();
    for _ in 0..3 {
        // A new connection each time.
        let page = Client::new().get(&lab.url).send().await.unwrap();
        assert_eq!(page.status(), StatusCode::OK);
    }
    println!("three new visitors were served in {:?}", start.elapsed());
    // The oldest had to go.
    closed(&mut all[0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_at_work_is_left_alone() {
    let lab = Lab::with(|config| {
        config.limits.connections = 8;
        config.token = Some(OperatorToken::new(TOKEN, "test").unwrap());
    })
    .await;
    // A wrong token takes half a second to be answered.
    let wrong =
        Client::new().get(format!("{}/api/v1/studies", lab.url)).header(AUTHORIZATION, "Bearer wrong");
    let answered = tokio::spawn(wrong.send());
    tokio::time::sleep(Duration::from_millis(100)).await;
    for _ in 0..50 {
        half_open(&lab);
    }
    assert_eq!(answered.await.unwrap().unwrap().status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_tokens_are_slowed_and_the_right_one_is_not() {
    let lab = Lab::with(|config| config.token = Some(OperatorToken::new(TOKEN, "test").unwrap())).await;
    let studies = format!("{}/api/v1/studies", lab.url);
    let with = |token: &str| Client::new().get(&studies).header(AUTHORIZATION, format!("Bearer {token}"));
    let guesses: Vec<_> = (0..40).map(|i| tokio::spawn(with(&format!("guess-{i}")).send())).collect();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let start = Instant::now();
    assert_eq!(with(TOKEN).send().await.unwrap().status(), StatusCode::OK);
    println!("the right token was answered after {:?}", start.elapsed());
    // Answered one after the other, each later than the one before: forty take minutes, and most still wait.
    let answered = guesses.iter().filter(|guess| guess.is_finished()).count();
    assert!(answered < 20, "{answered} of 40 wrong tokens were answered at once");
    guesses.iter().for_each(tokio::task::JoinHandle::abort);
}

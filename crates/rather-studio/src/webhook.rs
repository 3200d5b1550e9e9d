//! Webhooks: events of a study, sent to an address of the operator's.
//!
//! No answer waits for one: events stand in a queue, and one thread sends them, each within a few seconds. They go over plain HTTP, to a program on this machine
//! or in its network, since the studio has no encryption of its own; a program elsewhere is reached through a proxy that encrypts.

use serde::Serialize;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;
use ureq::http::Uri;

/// Events that may wait; what comes beyond is not sent.
const MOST_WAITING: usize = 1000;
/// How long a delivery may take.
const PATIENCE: Duration = Duration::from_secs(3);
/// How often a delivery is tried, and how long the next try waits.
const TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_millis(500);
/// The `User-Agent` of calls.
const USER_AGENT: &str = concat!("rather/", env!("CARGO_PKG_VERSION"));

/// What happened.
#[derive(Debug, Clone, Serialize)]
pub struct Event {
    /// The study's id.
    pub study: String,
    /// Who answered.
    pub participant: String,
    /// `answered`, `skipped` or `undone`.
    pub event: &'static str,
    /// The number of the comparison, where one is named.
    pub duel: Option<u32>,
    /// What was said.
    pub answer: Option<String>,
    /// How many answers this participant has given since.
    pub answers: usize,
}

/// An event on its way.
#[derive(Debug)]
struct Delivery {
    address: String,
    body: Vec<u8>,
}

/// The queue of all studies. Its thread ends with it.
#[derive(Debug)]
pub struct Webhooks {
    queue: SyncSender<Delivery>,
}

impl Default for Webhooks {
    fn default() -> Self {
        let (queue, deliveries) = sync_channel(MOST_WAITING);
        let thread = std::thread::Builder::new().name("webhooks".to_owned());
        if let Err(error) = thread.spawn(move || send_all(&deliveries)) {
            eprintln!("error: webhooks cannot be called: {error}");
        }
        Self { queue }
    }
}

impl Webhooks {
    /// Sends an event to `address` when it is its turn.
    pub fn send(&self, address: &str, event: &Event) {
        let Ok(body) = serde_json::to_vec(event) else { return };
        if self.queue.try_send(Delivery { address: address.to_owned(), body }).is_err() {
            eprintln!(
                "warning: an event was not sent to the webhook {address}: too many of them wait already"
            );
        }
    }
}

fn send_all(deliveries: &Receiver<Delivery>) {
    let client = client();
    for delivery in deliveries {
        if let Err(problem) = deliver(&client, &delivery) {
            eprintln!("warning: an event was not sent to the webhook {}: {problem}", delivery.address);
        }
    }
}

/// What sends: straight to the address that was named, not to where it redirects or where the environment has a proxy.
fn client() -> ureq::Agent {
    let settings = ureq::Agent::config_builder()
        .timeout_global(Some(PATIENCE))
        .max_redirects(0)
        .proxy(None)
        .user_agent(USER_AGENT);
    settings.build().into()
}

fn deliver(client: &ureq::Agent, delivery: &Delivery) -> Result<(), String> {
    let mut tried = 1;
    loop {
        let post = client.post(&delivery.address).content_type("application/json");
        let problem = match post.send(&delivery.body) {
            Ok(response) if response.status().is_success() => return Ok(()),
            Ok(response) => format!("it answered {}", response.status()),
            Err(error) => error.to_string(),
        };
        if tried == TRIES {
            return Err(problem);
        }
        std::thread::sleep(PAUSE);
        tried += 1;
    }
}

/// Whether an address can be a webhook's; none if it is empty.
///
/// # Errors
/// The rest of the sentence that says what is wrong.
pub fn check(address: &str) -> Result<(), String> {
    let is_http = |uri: &Uri| uri.scheme_str() == Some("http") && uri.host().is_some_and(|h| !h.is_empty());
    if address.is_empty() || address.parse().is_ok_and(|uri| is_http(&uri)) {
        return Ok(());
    }
    Err(format!(
        "{} is no address of a webhook; write one that begins with http://, such as http://127.0.0.1:9000/answers",
        rather_io::quote(address)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn addresses_are_of_plain_http() {
        for right in ["", "http://127.0.0.1:9000/x?y=1", "http://box", "http://[::1]:80/"] {
            assert_eq!(check(right), Ok(()), "{right}");
        }
        for wrong in
            ["https://x/", "ftp://x", "http://", "http:///x", "http://a b/", "http://x/\r\nHost: y", "x"]
        {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }

    /// A receiver that answers each request with the next status; its address.
    fn receiver(statuses: &'static [&'static str]) -> (String, std::thread::JoinHandle<usize>) {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/answers", listener.local_addr().unwrap());
        let thread = std::thread::spawn(move || {
            for status in statuses {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = Vec::new();
                while !request.ends_with(b"{}") {
                    let mut piece = [0; 1024];
                    let read = stream.read(&mut piece).unwrap();
                    assert!(read > 0, "the request ended early");
                    request.extend_from_slice(&piece[..read]);
                }
                let head = "Location: /elsewhere\r\nContent-Length: 0\r\nConnection: close";
                write!(stream, "HTTP/1.1 {status}\r\n{head}\r\n\r\n").unwrap();
            }
            statuses.len()
        });
        (address, thread)
    }

    #[test]
    fn what_fails_is_tried_again_and_a_redirect_is_a_failure() {
        for (statuses, delivered) in [
            (&["204 No Content"] as &[_], true),
            (&["500 Internal Server Error", "302 Found", "200 OK"], true),
            (&["404 Not Found", "404 Not Found", "404 Not Found"], false),
        ] {
            let (address, receiver) = receiver(statuses);
            let delivery = Delivery { address, body: b"{}".to_vec() };
            assert_eq!(deliver(&client(), &delivery).is_ok(), delivered, "{statuses:?}");
            assert_eq!(receiver.join().unwrap(), statuses.len());
        }
    }
}

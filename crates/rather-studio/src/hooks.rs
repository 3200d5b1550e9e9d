//! Word of each answer, sent to an address of the operator's.
//!
//! An answer waits for none of it: calls stand in a queue, and one thread sends them, each within a few seconds. They go over plain HTTP, to a program on this machine
//! or in its network; a program elsewhere is reached through a proxy that encrypts.

use serde::Serialize;
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

/// Calls that may wait; what comes beyond is not sent.
const MOST_WAITING: usize = 1000;
/// How long connecting, and each piece of an exchange, may take.
const PATIENCE: Duration = Duration::from_secs(3);
/// How often a call is tried, and how long the next try waits.
const TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_millis(500);

/// What happened.
#[derive(Debug, Clone, Serialize)]
pub struct Word {
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

#[derive(Debug)]
struct Call {
    address: String,
    body: Vec<u8>,
}

/// The queue. Its thread ends with it.
#[derive(Debug)]
pub struct Hooks {
    queue: SyncSender<Call>,
}

impl Default for Hooks {
    fn default() -> Self {
        let (queue, calls) = sync_channel(MOST_WAITING);
        let thread = std::thread::Builder::new().name("hooks".to_owned());
        if let Err(error) = thread.spawn(move || send_all(&calls)) {
            eprintln!("error: word of answers cannot be sent: {error}");
        }
        Self { queue }
    }
}

impl Hooks {
    /// Sends word to `address` when it is its turn.
    pub fn send(&self, address: &str, word: &Word) {
        let Ok(body) = serde_json::to_vec(word) else { return };
        if self.queue.try_send(Call { address: address.to_owned(), body }).is_err() {
            eprintln!("warning: word of an answer was not sent to {address}: too many wait already");
        }
    }
}

fn send_all(calls: &Receiver<Call>) {
    for call in calls {
        let mut tried = 0;
        while let Err(problem) = post(&call) {
            tried += 1;
            if tried == TRIES {
                eprintln!("warning: word of an answer was not sent to {}: {problem}", call.address);
                break;
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// Host with port, and path, of an address.
fn parts(address: &str) -> Option<(String, String, String)> {
    let rest = address.strip_prefix("http://")?;
    let (host, path) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._:[]".contains(&b);
    if host.is_empty() || !host.bytes().all(plain) || !path.bytes().all(|b| b.is_ascii_graphic()) {
        return None;
    }
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let connect = if has_port { host.to_owned() } else { format!("{host}:80") };
    Some((connect, host.to_owned(), path.to_owned()))
}

/// Whether word can be sent to an address; none if it is empty.
///
/// # Errors
/// The rest of the sentence that says what is wrong.
pub fn check(address: &str) -> Result<(), String> {
    if address.is_empty() || parts(address).is_some() {
        return Ok(());
    }
    Err(format!(
        "{} is no address to send word to; write one that begins with http://, such as http://127.0.0.1:9000/answers",
        rather_io::quote(address)
    ))
}

fn post(Call { address, body }: &Call) -> Result<(), String> {
    let words = |error: std::io::Error| error.to_string();
    let (connect, host, path) = parts(address).ok_or("it is no address")?;
    let place = connect.to_socket_addrs().map_err(words)?.next().ok_or("it has no place in the network")?;
    let mut stream = TcpStream::connect_timeout(&place, PATIENCE).map_err(words)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(words)?;
    stream.set_write_timeout(Some(PATIENCE)).map_err(words)?;
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), body].concat()).map_err(words)?;
    // `HTTP/1.1 200`: the rest is of no interest.
    let mut status = [0; 12];
    stream.read_exact(&mut status).map_err(words)?;
    match status.get(9) {
        Some(b'2') => Ok(()),
        _ => Err(format!("it answered {}", String::from_utf8_lossy(&status[9..]))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_plain() {
        assert_eq!(
            parts("http://127.0.0.1:9000/x?y=1"),
            Some(("127.0.0.1:9000".into(), "127.0.0.1:9000".into(), "/x?y=1".into()))
        );
        assert_eq!(parts("http://box").unwrap().0, "box:80");
        for wrong in ["https://x/", "ftp://x", "http://", "http://a b/", "http://x/\r\nHost: y", "x"] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
        assert_eq!(check(""), Ok(()));
    }
}

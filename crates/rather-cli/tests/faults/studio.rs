//! The studio on the layer that fails, told by HTTP.

use crate::how_many;
use crate::layer::{Fault, KINDS, folder, operations, program, run};
use rather_study::Study;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

/// A running studio.
pub(crate) struct Studio {
    pub(crate) child: Child,
    address: String,
}

impl Studio {
    /// Starts it on `s.study`; `None` if it ends before it listens.
    pub(crate) fn start(folder: &Path, fault: Fault<'_>, log: Option<&Path>) -> Option<Self> {
        let mut command = program(folder, fault, log);
        command.args(["studio", "s.study", "--listen", "127.0.0.1:0", "--no-demo", "--json"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = match serde_json::from_str(&line) {
            Ok(said) => said,
            Err(_) => {
                child.wait().unwrap();
                return None;
            }
        };
        let address =
            said["url"].as_str().unwrap().trim_start_matches("http://").trim_end_matches('/').to_owned();
        Some(Self { child, address })
    }

    /// Sends a request; status and body, or `None` if the studio is gone.
    pub(crate) fn send(&self, method: &str, path: &str, body: &Value) -> Option<(u16, Vec<u8>)> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(&self.address).ok()?;
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).ok()?;
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).ok()?;
        let end = reply.windows(4).position(|w| w == b"\r\n\r\n")?;
        let status = std::str::from_utf8(&reply[..end]).ok()?.split(' ').nth(1)?.parse().ok()?;
        Some((status, reply.split_off(end + 4)))
    }

    /// Tells an answer; whether it was acknowledged.
    pub(crate) fn tell(&self, key: usize) -> bool {
        let body = json!({ "left": "a", "right": "b", "answer": "left", "key": format!("studio {key}") });
        matches!(self.send("POST", "/api/v1/studies/s/tell", &body), Some((200, _)))
    }

    pub(crate) fn signal(&self, name: &str) {
        let done =
            std::process::Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status();
        assert!(done.unwrap().success());
    }
}

/// Tells `n` answers to a studio and stops it; the number of operations in the log when each was acknowledged.
pub(crate) fn session(folder: &Path, log: &Path, n: usize) -> Vec<usize> {
    let mut studio = Studio::start(folder, None, Some(log)).unwrap();
    let at = (0..n).map(|key| {
        assert!(studio.tell(key));
        operations(log).len()
    });
    let at = at.collect();
    studio.signal("TERM");
    assert!(studio.child.wait().unwrap().success());
    at
}

#[test]
fn a_studio_loses_nothing_that_it_acknowledged() {
    const TELLS: usize = 10;
    let home = folder();
    let start = home.path().join("start");
    fs::create_dir(&start).unwrap();
    fs::write(start.join("items.csv"), "tea\na\nb\nc\n").unwrap();
    assert!(run(&start, "study new s.study --items items.csv", None, None).status.success());
    let log = home.path().join("log");
    let whole = home.path().join("whole");
    crate::layer::copy(&start, &whole);
    session(&whole, &log, TELLS);
    let operations = operations(&log).len();
    let faults: Vec<(usize, &str)> = (1..=operations).flat_map(|at| KINDS.map(|kind| (at, kind))).collect();
    let wanted = how_many(faults.len(), 150);
    let mut acknowledged = 0;
    for n in 0..wanted {
        let fault = faults[n * faults.len() / wanted];
        let work = home.path().join("work");
        crate::layer::copy(&start, &work);
        let mut keys = Vec::new();
        if let Some(mut studio) = Studio::start(&work, Some(fault), None) {
            keys.extend((0..TELLS).filter(|&key| studio.tell(key)));
            // Half of them are stopped, half of them killed.
            studio.signal(if n % 2 == 0 { "TERM" } else { "KILL" });
            studio.child.wait().unwrap();
        }
        acknowledged += keys.len();
        let mut study = Study::open(&work.join("s.study"), None).unwrap_or_else(|e| panic!("{fault:?}: {e}"));
        for key in &keys {
            let body = study.tell_pair(
                "me",
                (&item("a"), &item("b")),
                rather_study::Answer::Left,
                Some(&format!("studio {key}")),
            );
            assert!(body.unwrap().again, "{fault:?}: answer {key} is lost");
        }
        drop(study);
        assert!(rather_study::store::check::check(&work.join("s.study")).unwrap().ok, "{fault:?}");
        fs::remove_dir_all(&work).unwrap();
    }
    println!(
        "{wanted} faults of {} in a studio: {acknowledged} answers acknowledged, none lost",
        faults.len()
    );
}

fn item(key: &str) -> rather_study::Alternative {
    rather_study::Alternative::Item(key.to_owned())
}

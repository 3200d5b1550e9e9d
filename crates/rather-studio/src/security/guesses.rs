//! Wrong tokens: each costs its address time, and leaves a line in the log.
//!
//! The right token is never slowed, whoever tried wrong ones before: nobody can lock the operator out.

use crate::connections::Peer;
use lru::LruCache;
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What the first wrong token costs; every further one costs twice as much as the one before.
const FIRST: Duration = Duration::from_millis(500);
/// No wrong token costs more.
const LONGEST: Duration = Duration::from_secs(2);
/// An address that sends none for so long starts again.
const FORGOTTEN: Duration = Duration::from_secs(15 * 60);
/// Between two lines of the log.
const QUIET: Duration = Duration::from_secs(1);
/// Addresses that are remembered.
const MOST: NonZeroUsize = NonZeroUsize::new(10_000).unwrap();

/// Who sent wrong tokens.
#[derive(Debug)]
pub struct Guesses {
    known: Mutex<Known>,
}

#[derive(Debug)]
struct Known {
    by_peer: LruCache<Peer, Guesser>,
    /// When the last line was written.
    line: Option<Instant>,
    /// Wrong tokens since then.
    unsaid: u64,
}

#[derive(Debug, Clone, Copy)]
struct Guesser {
    wrong: u32,
    last: Instant,
    /// When the answer to the last one goes out: those sent at once are answered one after the other.
    answered: Instant,
}

impl Default for Guesses {
    fn default() -> Self {
        let known = Known { by_peer: LruCache::new(MOST), line: None, unsaid: 0 };
        Self { known: Mutex::new(known) }
    }
}

impl Guesses {
    /// Writes down a wrong token from `peer`, and waits as long as that costs.
    pub async fn wrong(&self, peer: Peer) {
        let (wait, line) = self.note(peer, Instant::now());
        if let Some(line) = line {
            eprintln!("{line}");
        }
        tokio::time::sleep(wait).await;
    }

    /// How long the answer to a wrong token must wait, and the line of the log if it is time for one.
    fn note(&self, peer: Peer, now: Instant) -> (Duration, Option<String>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = Guesser { wrong: 0, last: now, answered: now };
        let before = known.by_peer.get(&peer).copied();
        let before = before.filter(|g| now.duration_since(g.last) < FORGOTTEN).unwrap_or(fresh);
        let cost = FIRST.saturating_mul(1 << before.wrong.min(10)).min(LONGEST);
        let answered = before.answered.max(now) + cost;
        known.by_peer.put(peer, Guesser { wrong: before.wrong.saturating_add(1), last: now, answered });
        known.unsaid += 1;
        let due = known.line.is_none_or(|line| now.duration_since(line) >= QUIET);
        let line = due.then(|| line(&peer.0, known.unsaid));
        if due {
            (known.line, known.unsaid) = (Some(now), 0);
        }
        (answered - now, line)
    }
}

fn line(address: &dyn Display, wrong: u64) -> String {
    match wrong {
        1 => format!("warning: a wrong token was sent from {address}"),
        n => format!("warning: a wrong token was sent from {address}; {n} since the last such line"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_tokens_cost_more_and_more_and_others_nothing() {
        let guesses = Guesses::default();
        let (one, other) = (peer(1), peer(2));
        let start = Instant::now();
        let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
        let wait = |peer, seconds| guesses.note(peer, at(seconds)).0.as_secs_f64();
        // Sent at once, they are answered one after the other.
        assert_eq!([wait(one, 0.0), wait(one, 0.0), wait(one, 0.0)], [0.5, 1.5, 3.5]);
        assert_eq!(wait(other, 0.0), 0.5);
        // However many there were, one costs no more than this.
        assert_eq!([wait(one, 10.0), wait(one, 20.0)], [2.0, 2.0]);
        assert_eq!(wait(one, 60.0 + 16.0 * 60.0), 0.5, "forgotten");
    }

    #[test]
    fn the_log_has_a_line_a_second() {
        let guesses = Guesses::default();
        let start = Instant::now();
        let line = |milliseconds| guesses.note(peer(1), start + Duration::from_millis(milliseconds)).1;
        assert_eq!(line(0).unwrap(), "warning: a wrong token was sent from 192.0.2.1");
        assert!((1..1000).all(|i| line(i).is_none()));
        assert!(line(1000).unwrap().ends_with("; 1000 since the last such line"));
    }

    fn peer(last: u8) -> Peer {
        Peer::new(std::net::Ipv4Addr::new(192, 0, 2, last).into())
    }
}

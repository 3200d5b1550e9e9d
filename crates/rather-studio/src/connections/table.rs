//! Who is connected, and who must go when there are too many.

use super::{Caps, Peer};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::Notify;

/// All connections.
#[derive(Debug)]
pub(super) struct Table {
    caps: Caps,
    rows: Mutex<Rows>,
}

#[derive(Debug, Default)]
struct Rows {
    last: u64,
    /// Without those that were told to close.
    open: BTreeMap<u64, Row>,
}

#[derive(Debug)]
struct Row {
    peer: Peer,
    /// Since when it waits for a request; `None` while requests are under way.
    waiting: Option<Instant>,
    close: Arc<Notify>,
}

/// The place of one connection. It is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Place {
    table: Arc<Table>,
    number: u64,
    peer: Peer,
    close: Arc<Notify>,
}

/// A request under way: its connection is not closed for another's sake. HTTP/1.1 has one at a time on a connection.
#[derive(Debug)]
pub(super) struct Busy {
    table: Arc<Table>,
    number: u64,
}

impl Table {
    pub(super) fn new(caps: Caps) -> Self {
        Self { caps, rows: Mutex::default() }
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection from `peer`. Where there is none left, in all or for this address, the connection that has waited
    /// longest for a request is told to close; `None` if requests are under way on all of them.
    pub(super) fn enter(self: &Arc<Self>, peer: Peer) -> Option<Place> {
        let of_peer = self.rows().open.values().filter(|row| row.peer == peer).count();
        if of_peer >= self.caps.per_address && !self.close_oldest(Some(peer)) {
            return None;
        }
        let all = self.rows().open.len();
        if all >= self.caps.total && !self.close_oldest(None) {
            return None;
        }
        let mut rows = self.rows();
        rows.last += 1;
        let (number, close) = (rows.last, Arc::new(Notify::new()));
        rows.open.insert(number, Row { peer, waiting: Some(Instant::now()), close: Arc::clone(&close) });
        Some(Place { table: Arc::clone(self), number, peer, close })
    }

    /// Tells the connection to close that has waited longest for a request, of `peer` or of all; whether there was one.
    pub(super) fn close_oldest(&self, peer: Option<Peer>) -> bool {
        let mut rows = self.rows();
        let waiting = rows.open.iter().filter(|(_, row)| peer.is_none_or(|peer| row.peer == peer));
        let oldest = waiting.filter_map(|(number, row)| Some((row.waiting?, *number))).min();
        let closed = oldest.and_then(|(_, number)| rows.open.remove(&number));
        // The permit to close is kept until the connection asks for it.
        closed.map(|row| row.close.notify_one()).is_some()
    }

    fn set(&self, number: u64, waiting: Option<Instant>) {
        if let Some(row) = self.rows().open.get_mut(&number) {
            row.waiting = waiting;
        }
    }
}

impl Place {
    /// Who is connected.
    pub(super) fn peer(&self) -> Peer {
        self.peer
    }

    /// A request begins.
    pub(super) fn begin(&self) -> Busy {
        self.table.set(self.number, None);
        Busy { table: Arc::clone(&self.table), number: self.number }
    }

    /// Done when the connection must make room for another.
    pub(super) async fn told_to_close(&self) {
        self.close.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.table.rows().open.remove(&self.number);
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.table.set(self.number, Some(Instant::now()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn peer(last: u8) -> Peer {
        Peer::new(std::net::Ipv4Addr::new(192, 0, 2, last).into())
    }

    fn is_told(place: &Place) -> bool {
        let mut told = std::pin::pin!(place.told_to_close());
        told.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())).is_ready()
    }

    #[test]
    fn the_one_that_waits_longest_makes_room() {
        let caps = Caps { total: 3, per_address: 2, header: Duration::ZERO };
        let table = Arc::new(Table::new(caps));
        let first = table.enter(peer(1)).unwrap();
        let second = table.enter(peer(1)).unwrap();
        let busy = first.begin();
        let third = table.enter(peer(1)).unwrap();
        assert!(!is_told(&first) && is_told(&second), "a request is under way on the first");
        let fourth = table.enter(peer(2)).unwrap();
        // All places are taken; the third waits longer than the fourth.
        let fifth = table.enter(peer(2)).unwrap();
        assert!(is_told(&third) && !is_told(&fourth));
        drop(busy);
        // Now the first waits, but not as long as the fourth.
        let sixth = table.enter(peer(3)).unwrap();
        assert!(is_told(&fourth) && !is_told(&first) && !is_told(&fifth));
        let (_a, _b, _c) = (first.begin(), fifth.begin(), sixth.begin());
        assert!(table.enter(peer(4)).is_none(), "requests are under way on all of them");
        drop(fifth);
        assert!(table.enter(peer(4)).is_some());
    }
}

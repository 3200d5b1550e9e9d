//! Who writes next to a file that several connections of this process have open.
//!
//! SQLite lets one connection write at a time, and the others look again and again whether it has finished. Within a process they queue here instead: who is
//! next begins at once.

use super::PATIENCE;
use rusqlite::Transaction;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The queue of one file.
#[derive(Debug, Default)]
pub(super) struct Queue {
    taken: Mutex<bool>,
    free: Condvar,
}

/// The right to write, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn(Arc<Queue>);

impl Queue {
    /// Waits for the others, but no longer than for another process: then SQLite says what is the matter.
    pub(super) fn wait(self: &Arc<Self>) -> Turn {
        let waited = self.free.wait_timeout_while(self.taken(), PATIENCE, |taken| *taken);
        let (mut taken, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *taken = true;
        Turn(Arc::clone(self))
    }

    fn taken(&self) -> MutexGuard<'_, bool> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *self.0.taken() = false;
        self.0.free.notify_one();
    }
}

/// A transaction that writes, with the turn that it has. Dropped in this order.
#[derive(Debug)]
pub(crate) struct Writing<'a> {
    transaction: Transaction<'a>,
    _turn: Turn,
}

impl<'a> Writing<'a> {
    pub(super) fn new(transaction: Transaction<'a>, turn: Turn) -> Self {
        Self { transaction, _turn: turn }
    }

    /// Makes the changes.
    pub(crate) fn commit(self) -> rusqlite::Result<()> {
        self.transaction.commit()
    }
}

impl<'a> Deref for Writing<'a> {
    type Target = Transaction<'a>;

    fn deref(&self) -> &Self::Target {
        &self.transaction
    }
}

impl DerefMut for Writing<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.transaction
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, Ask, Definition, Study};
    use std::thread;

    #[test]
    fn one_has_the_turn_at_a_time() {
        let queue = Arc::new(Queue::default());
        let inside = Mutex::new(());
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let turn = queue.wait();
                        drop(inside.try_lock().expect("nobody else is inside"));
                        drop(turn);
                    }
                });
            }
        });
        assert!(!*queue.taken());
    }

    #[test]
    fn handles_of_one_file_write_in_turn() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        drop(Study::create(&path, "tea", &Definition::of_items(["a", "b", "c", "d"])).unwrap());
        thread::scope(|scope| {
            for person in ["ann", "bob", "cleo", "dan"] {
                let path = &path;
                scope.spawn(move || {
                    let mut study = Study::open(path, Some("tea")).unwrap();
                    for _ in 0..10 {
                        let Ask::Duel(asked) = study.ask(person).unwrap() else { panic!("it has no end") };
                        study.tell(person, Some(asked.number), Answer::Left, None).unwrap();
                    }
                });
            }
        });
        let mut study = Study::open(&path, Some("tea")).unwrap();
        for person in ["ann", "bob", "cleo", "dan"] {
            assert_eq!(study.history(person).unwrap().answers(), 10);
        }
    }
}

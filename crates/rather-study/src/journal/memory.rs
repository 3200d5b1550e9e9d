//! The events of one study in memory. Nothing fails here, so that a transaction is what it appends.

use crate::Error;
use crate::event::{EventRow, NewEvent};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A function that gives the time, in milliseconds since 1970. Not everywhere is there a clock to ask.
pub type Clock = fn() -> i64;

/// Events in their order.
#[derive(Debug)]
pub(crate) struct Memory {
    name: PathBuf,
    clock: Clock,
    events: Vec<EventRow>,
    /// The events that have these keys.
    keys: BTreeMap<String, i64>,
    /// Plans of participants, by the history that they are for.
    plans: BTreeMap<(String, String), String>,
}

impl Memory {
    /// Nothing yet, of a study that messages call `name`.
    pub(crate) fn new(name: &str, clock: Clock) -> Self {
        let (events, keys, plans) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        Self { name: PathBuf::from(name), clock, events, keys, plans }
    }

    /// Takes an event as it was kept elsewhere.
    ///
    /// # Errors
    /// [`Error::Damaged`] if its number is not larger than those before.
    pub(crate) fn restore(&mut self, event: EventRow) -> Result<(), Error> {
        if self.last() >= event.id {
            let detail = format!("event {} comes after event {}", event.id, self.last());
            return Err(Error::Damaged { path: self.name.clone(), detail });
        }
        self.events.push(event);
        Ok(())
    }

    /// The number of the last event, or 0.
    fn last(&self) -> i64 {
        self.events.last().map_or(0, |event| event.id)
    }

    /// The time now.
    pub(super) fn now(&self) -> i64 {
        (self.clock)()
    }

    pub(super) fn path(&self) -> &Path {
        &self.name
    }

    pub(super) fn participants(&self) -> Vec<String> {
        let names: BTreeSet<&String> = self.events.iter().map(|event| &event.participant).collect();
        names.into_iter().cloned().collect()
    }

    pub(super) fn events_of(&self, participant: &str, after: i64) -> Vec<EventRow> {
        let from = self.events.partition_point(|event| event.id <= after);
        self.events[from..].iter().filter(|event| event.participant == participant).cloned().collect()
    }

    pub(super) fn event(&self, id: i64) -> Result<EventRow, Error> {
        let at = self.events.binary_search_by_key(&id, |event| event.id);
        let missing =
            |_| Error::Damaged { path: self.name.clone(), detail: format!("event {id} is missing") };
        at.map(|at| self.events[at].clone()).map_err(missing)
    }

    pub(super) fn event_of_key(&self, key: &str) -> Option<EventRow> {
        self.keys.get(key).and_then(|&id| self.event(id).ok())
    }

    pub(super) fn import_of(&self, prefix: &str) -> Vec<(String, i64)> {
        let prefix = format!("{prefix}/");
        let after = self.keys.range(prefix.clone()..).take_while(|(key, _)| key.starts_with(&prefix));
        let mut of = BTreeMap::new();
        for event in after.filter_map(|(_, &id)| self.event(id).ok()) {
            *of.entry(event.participant).or_insert(0) += 1;
        }
        of.into_iter().collect()
    }

    pub(super) fn append(&mut self, event: &NewEvent<'_>) -> i64 {
        let id = self.last() + 1;
        self.keys.insert(event.key.clone(), id);
        self.events.push(EventRow {
            id,
            participant: event.participant.to_owned(),
            kind: event.kind.to_owned(),
            time: event.time.unwrap_or_else(|| self.now()),
            duel: event.duel,
            left: event.left.clone(),
            right: event.right.clone(),
            outcome: event.outcome.clone(),
            count: event.count.unwrap_or(1),
            target: event.target,
            note: event.note.clone(),
        });
        id
    }

    pub(super) fn find_plan(&self, participant: &str, history: &str) -> Option<String> {
        self.plans.get(&(participant.to_owned(), history.to_owned())).cloned()
    }

    pub(super) fn put_plan(&mut self, participant: &str, (history, plan): (&str, &str), wanted: &[String]) {
        self.plans.retain(|(name, history), _| name != participant || wanted.contains(history));
        self.plans.insert((participant.to_owned(), history.to_owned()), plan.to_owned());
    }
}

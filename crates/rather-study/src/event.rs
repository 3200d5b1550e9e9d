//! An event, as it is appended and as it is kept.
//!
//! The options of a question stand in two columns: each of two in the column of its side; of a set all of them, as a list, in that of the left
//! side.

use crate::alternative::Alternative;
use crate::fingerprint::json;

/// An event to append.
#[derive(Debug, Clone, Default)]
pub(crate) struct NewEvent<'a> {
    pub(crate) participant: &'a str,
    pub(crate) key: String,
    pub(crate) kind: &'static str,
    /// Now, if `None`.
    pub(crate) time: Option<i64>,
    pub(crate) duel: Option<u32>,
    pub(crate) left: Option<String>,
    pub(crate) right: Option<String>,
    pub(crate) outcome: Option<String>,
    pub(crate) count: Option<u32>,
    pub(crate) target: Option<i64>,
    pub(crate) note: Option<String>,
}

/// An event as it is kept.
#[derive(Debug, Clone)]
pub(crate) struct EventRow {
    pub(crate) id: i64,
    pub(crate) participant: String,
    pub(crate) kind: String,
    pub(crate) time: i64,
    pub(crate) duel: Option<u32>,
    pub(crate) left: Option<String>,
    pub(crate) right: Option<String>,
    pub(crate) outcome: Option<String>,
    pub(crate) count: u32,
    pub(crate) target: Option<i64>,
    pub(crate) note: Option<String>,
}

/// The two columns.
pub(crate) fn columns<'a>(
    options: impl IntoIterator<Item = &'a Alternative>,
) -> (Option<String>, Option<String>) {
    let options: Vec<&Alternative> = options.into_iter().collect();
    match options.as_slice() {
        [left, right] => (Some(json(left)), Some(json(right))),
        // As of one alternative, there is nothing that could not be written.
        set => (serde_json::to_string(set).ok(), None),
    }
}

/// The options that an event holds; none if it is about none.
///
/// # Errors
/// What is wrong with them, in words.
pub(crate) fn options_of(event: &EventRow) -> Result<Vec<Alternative>, String> {
    let id = event.id;
    let unreadable = |e: serde_json::Error| format!("a side of event {id} cannot be read: {e}");
    let one = |side: &str| serde_json::from_str::<Alternative>(side).map_err(unreadable);
    match (event.left.as_deref(), event.right.as_deref()) {
        (Some(set), None) if set.starts_with('[') => serde_json::from_str(set).map_err(unreadable),
        (left, right) => [left, right].into_iter().flatten().map(one).collect(),
    }
}

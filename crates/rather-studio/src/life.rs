//! What may happen to a study after it was made: another title, another end, a pause, another webhook.

use crate::presentation::Presentation;
use crate::refusal::Refusal;
use crate::registry::Live;
use crate::studio::App;
use rather_study::store::Amendment;
use serde::{Deserialize, Deserializer};
use std::sync::Arc;

/// What is to change; what is left out stays.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    title: Option<String>,
    /// Of each participant; `null` for no end.
    #[serde(default, deserialize_with = "given")]
    comparisons: Option<Option<u32>>,
    paused: Option<bool>,
    /// The URL of the webhook, to which each answer is sent; empty for none.
    webhook: Option<String>,
}

/// A value that is there, be it `null`.
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<u32>>, D::Error> {
    Option::deserialize(from).map(Some)
}

impl Change {
    /// All of it, as a form has it.
    ///
    /// # Errors
    /// If the number of comparisons is none.
    pub fn of_form(title: &str, comparisons: &str, paused: bool, webhook: &str) -> Result<Self, Refusal> {
        let comparisons = match comparisons.trim() {
            "" => None,
            text => Some(text.parse().map_err(|_| {
                Refusal::invalid(format!("{} is not a number of comparisons", rather_io::quote(text)))
            })?),
        };
        Ok(Self {
            title: Some(title.trim().to_owned()),
            comparisons: Some(comparisons),
            paused: Some(paused),
            webhook: Some(webhook.trim().to_owned()),
        })
    }
}

/// Changes a study.
///
/// # Errors
/// If the change makes no sense, or that cannot be written.
pub async fn change(app: &App, live: &Live, change: Change) -> Result<Arc<Live>, Refusal> {
    if let Some(title) = &change.title {
        if title.is_empty() {
            return Err(Refusal::invalid("a study needs a title; write one"));
        }
        crate::title::check(title).map_err(Refusal::invalid)?;
    }
    if let Some(address) = &change.webhook {
        crate::webhook::check(address).map_err(Refusal::invalid)?;
    }
    let now = &*live.presentation;
    let shown = Presentation {
        paused: change.paused.unwrap_or(now.paused),
        webhook: change.webhook.unwrap_or_else(|| now.webhook.clone()),
        ..now.clone()
    };
    let amendment = Amendment {
        title: change.title,
        answers: change.comparisons,
        presentation: (shown != *now).then(|| shown.entries()),
    };
    app.registry.amend(live, amendment).await
}

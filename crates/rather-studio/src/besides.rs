//! What stands beside the options of a comparison: what they share, and the reference.

use crate::reference::Reference;
use crate::registry::Live;
use crate::studio::{Patience, Studio};
use crate::unshown::Unshown;
use crate::view::{AlternativeView, ContextView};
use rather_study::Alternative;
use std::sync::Arc;

/// What `option` shares with all that it is compared with: a file is shown where it is named.
pub async fn context(studio: &Studio, live: &Arc<Live>, option: &Alternative) -> Option<ContextView> {
    let context = live.showing.context(option)?;
    let media = studio.file_view(live, &context.value).await.unwrap_or(None);
    Some(ContextView { media, ..context })
}

/// The reference of a study.
///
/// # Errors
/// If it cannot be shown.
pub async fn reference(
    studio: &Studio,
    live: &Arc<Live>,
    patience: Patience,
) -> Result<Option<AlternativeView>, Unshown> {
    match &live.presentation.reference {
        None => Ok(None),
        Some(Reference::File(name)) => {
            let media = studio.file_view(live, name).await?;
            Ok(media.map(|media| AlternativeView { media: Some(media), ..AlternativeView::default() }))
        }
        Some(Reference::Setting(setting)) => {
            let setting = Alternative::Setting(setting.clone());
            let media = studio.media_view(live, &setting, patience).await?;
            Ok(Some(live.showing.side("", &setting, media)))
        }
    }
}

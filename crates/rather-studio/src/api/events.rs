//! Server-sent events: an event `answer` with the number of answers whenever there is something new.

use crate::access::Operator;
use crate::extract::Path;
use crate::refusal::Refusal;
use crate::studio::App;
use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::stream::{Stream, unfold};
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// Proxies close what is silent for a minute.
const SIGN_OF_LIFE: Duration = Duration::from_secs(20);

pub(super) async fn stream(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refusal> {
    let live = app.registry.study(&study).await?;
    let news = live.watch()?;
    let stream = unfold((news, app.stopping(), Some(live)), |(mut news, mut stopping, live)| async move {
        let answers = tokio::select! {
            // A study that is watched stays open; a studio that stops waits for no watcher.
            _ = stopping.wait_for(|stopping| *stopping) => return None,
            answers = next(&mut news) => answers?,
        };
        let event = Event::default().event("answer").data(format!("{{\"answers\":{answers}}}"));
        Some((Ok(event), (news, stopping, live)))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(SIGN_OF_LIFE)))
}

/// The next number of answers; whoever is too slow misses some and hears of the last ones.
async fn next(news: &mut Receiver<u64>) -> Option<u64> {
    loop {
        match news.recv().await {
            Ok(answers) => return Some(answers),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return None,
        }
    }
}

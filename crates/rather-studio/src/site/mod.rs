//! The pages: what a browser asks for, and the forms it sends.

mod answering;
mod backup;
mod files;
mod guest;
mod join;
mod life;
mod making;
mod operator;
mod shared;
mod signing;
mod visit;

pub use visit::Visit;
pub(crate) use visit::nowhere;

use crate::extract::{Path, Query};
use crate::studio::App;
use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{get, post};
use std::collections::HashMap;

/// The pages, and what they fetch.
pub fn router(app: &App) -> Router<App> {
    let limits = &app.config.limits;
    let pages = Router::new()
        .route("/", get(operator::home))
        .route("/api", get(operator::programs))
        .route("/sign-in", get(signing::page).post(signing::sign_in))
        .route("/sign-out", post(signing::sign_out))
        .route(
            "/studies/new",
            get(making::page).post(making::make).layer(DefaultBodyLimit::max(limits.upload)),
        )
        .route("/studies/new/try", post(making::try_out).layer(DefaultBodyLimit::max(limits.upload)))
        .route("/studies/new/toml", post(making::as_toml).layer(DefaultBodyLimit::max(limits.upload)))
        .route("/studies/{study}", get(operator::study))
        .route("/studies/{study}/duel", get(operator::duel).post(operator::answer))
        .route("/studies/{study}/panel", get(operator::panel))
        .route("/studies/{study}/result", get(operator::result))
        .route("/studies/{study}/agreement", get(operator::agreement))
        .route("/studies/{study}/undo", post(operator::undo))
        .route("/studies/{study}/participants", post(operator::invite))
        .route("/studies/{study}/settings", post(life::change))
        .route("/studies/{study}/copy", post(life::copy))
        .route("/studies/{study}/archive", post(life::archive))
        .route("/studies/{study}/restore", post(life::restore))
        .route("/studies/{study}/delete", post(life::delete))
        .route("/studies/{study}/revoke", post(life::revoke))
        .route("/studies/{study}/import", post(life::import).layer(DefaultBodyLimit::max(limits.upload)))
        .route("/studies/{study}/open", post(life::open_to_all))
        .route("/studies/{study}/close", post(life::close_to_all))
        .route("/studies/{study}/share", post(life::share))
        .route("/studies/{study}/unshare", post(life::unshare))
        .route("/restore", post(backup::restore).layer(DefaultBodyLimit::max(limits.upload)))
        .route("/j/{token}", get(join::page).post(join::join))
        .route("/r/{token}", get(shared::page))
        .route("/p/{token}/begin", post(guest::begin))
        .route("/p/{token}/questions", get(guest::questions).post(guest::remark))
        .route("/p/{token}", get(guest::page).post(guest::answer))
        .layer(from_fn_with_state(app.clone(), visit::visit));
    Router::new()
        .merge(pages)
        .route("/p/{token}/{verb}", post(guest::step))
        .route("/r/{token}/figures/{file}", get(shared::figure))
        .route("/studies/{study}/figures/{file}", get(figure))
        .route("/media/{address}", get(files::medium))
        .route("/assets/{version}/{name}", get(files::asset))
        .layer(DefaultBodyLimit::max(limits.body))
}

/// A figure of a page: the same as the API's.
async fn figure(
    state: State<App>,
    operator: crate::access::Operator,
    path: Path<(String, String)>,
    query: Query<crate::api::Drawn>,
) -> Result<Response, crate::refusal::Refusal> {
    use axum::response::IntoResponse;
    crate::api::figure(state, operator, path, query).await.map(IntoResponse::into_response)
}

/// One parameter of a query, if it is there once.
fn parameter(query: &Query<HashMap<String, String>>, name: &str) -> Option<String> {
    query.0.get(name).filter(|value| !value.is_empty()).cloned()
}

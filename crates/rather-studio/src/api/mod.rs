//! The API: JSON under `/api/v1`, for programs. The same verbs as `rather study`.

mod agreement;
mod answering;
mod changes;
mod doors;
pub mod openapi;
mod outcome;
mod showing;
mod studies;
mod transfer;

pub(crate) use answering::{Asked, look_ahead};
pub(crate) use outcome::{Drawn, figure};
pub(crate) use studies::{invite_to, revoke_of};
pub(crate) use transfer::bring;

use crate::config::Limits;
use crate::studio::App;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::Method;
use axum::routing::{MethodRouter, delete, get, post};

/// Where it is.
pub const ROOT: &str = "/api/v1";

/// A path of the API, the methods it takes, and who answers.
type Route = (&'static str, &'static [Method], MethodRouter<App>);

/// All paths of the API.
fn routes() -> Vec<Route> {
    const GET: &[Method] = &[Method::GET];
    const POST: &[Method] = &[Method::POST];
    vec![
        ("/openapi.json", GET, get(openapi::serve)),
        ("/backup", GET, get(transfer::backup)),
        ("/restore", POST, post(doors::restore)),
        ("/studies", &[Method::GET, Method::POST], get(studies::list).post(studies::create)),
        (
            "/studies/{study}",
            &[Method::GET, Method::PATCH, Method::DELETE],
            get(studies::show).patch(studies::change).merge(delete(studies::remove)),
        ),
        ("/studies/{study}/copy", POST, post(studies::copy)),
        (
            "/studies/{study}/participants",
            &[Method::GET, Method::POST],
            get(studies::participants).post(studies::invite),
        ),
        ("/studies/{study}/participants/{participant}", &[Method::DELETE], delete(studies::revoke)),
        (
            "/studies/{study}/open-link",
            &[Method::POST, Method::DELETE],
            post(doors::open).delete(doors::close),
        ),
        (
            "/studies/{study}/shared",
            &[Method::POST, Method::DELETE],
            post(doors::share).delete(doors::unshare),
        ),
        ("/studies/{study}/questionnaire", GET, get(doors::questionnaire)),
        ("/studies/{study}/restore", POST, post(studies::restore)),
        ("/studies/{study}/ask", POST, post(answering::ask)),
        ("/studies/{study}/ahead", POST, post(answering::ahead)),
        ("/studies/{study}/tell", POST, post(answering::tell)),
        ("/studies/{study}/skip", POST, post(answering::skip)),
        ("/studies/{study}/undo", POST, post(answering::undo)),
        ("/studies/{study}/best", GET, get(outcome::best)),
        ("/studies/{study}/result", GET, get(outcome::result)),
        ("/studies/{study}/agreement", GET, get(agreement::agreement)),
        ("/studies/{study}/history", GET, get(outcome::history)),
        (
            "/studies/{study}/posterior",
            &[Method::GET, Method::POST],
            get(outcome::posterior).post(outcome::posterior_at),
        ),
        ("/studies/{study}/acquisition", GET, get(outcome::acquisition)),
        ("/studies/{study}/probabilities", POST, post(outcome::probabilities)),
        ("/studies/{study}/show", POST, post(showing::show)),
        ("/studies/{study}/figures/{file}", GET, get(outcome::figure)),
        ("/studies/{study}/export", GET, get(transfer::export)),
        ("/studies/{study}/import", POST, post(transfer::import)),
        ("/studies/{study}/changes", GET, get(changes::changes)),
    ]
}

/// The paths and methods of the API, as the document must have them.
pub fn operations() -> Vec<(&'static str, &'static [Method])> {
    routes().into_iter().map(|(path, methods, _)| (path, methods)).collect()
}

/// Bytes of a request that lists alternatives: 2,000 of them.
const LISTS: usize = 4 << 20;

/// How large the body of a request to this path may be. A backup is not held in memory, and has a limit of its own.
fn largest(path: &str, limits: &Limits) -> usize {
    match path {
        // A definition may hold a list of items.
        "/studies" | "/studies/{study}/import" => limits.file,
        "/studies/{study}/posterior" | "/studies/{study}/probabilities" => LISTS,
        _ => limits.body,
    }
}

/// The API.
pub fn router(limits: &Limits) -> Router<App> {
    let add = |router: Router<App>, (path, _, handler): Route| {
        router.route(&format!("{ROOT}{path}"), handler.layer(DefaultBodyLimit::max(largest(path, limits))))
    };
    routes().into_iter().fold(Router::new(), add)
}

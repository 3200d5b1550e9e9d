//! Pages from made-up views, without studies: `cargo run -p rather-studio --example preview`, then open
//! <http://127.0.0.1:8700/>. For whoever changes the pages.

mod samples;

use axum::extract::{Path, Query};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use rather_studio::figures::{Drawing, Theme};
use rather_studio::view::{Failure, NewStudyPage, Turn};
use rather_studio::{assets, pages};
use std::collections::HashMap;

async fn asset(Path((_, name)): Path<(String, String)>) -> Response {
    match assets::find(&name) {
        Some(asset) => ([(header::CONTENT_TYPE, asset.media_type)], asset.bytes).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn show(page: maud::Markup) -> Html<String> {
    Html(page.into_string())
}

async fn sound(Path(setting): Path<f64>) -> Response {
    match rather_audio::Demo::new(1).render(&[setting]) {
        Ok(wav) => ([(header::CONTENT_TYPE, "audio/wav")], wav).into_response(),
        Err(error) => (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    }
}

/// The same made-up curve for every kind of figure.
fn drawing() -> Drawing {
    let x: Vec<f64> = (0..60).map(|i| -40.0 + 40.0 * f64::from(i) / 59.0).collect();
    let duel = |winner, loser| rather_plot::Duel { winner, loser, count: 1.0 };
    Drawing::Utility(rather_plot::Utility {
        feature: "floor (dB)".into(),
        utility: "utility".into(),
        mean: x.iter().map(|x| -(x + 12.0).powi(2) / 200.0).collect(),
        sd: x.iter().map(|x| 0.2 + (x + 15.0).abs() / 60.0).collect(),
        along: rather_plot::Along::Numbers(x),
        duels: vec![duel(-12.0, -30.0), duel(-12.0, -3.0)],
        held: String::new(),
    })
}

async fn figure(Query(query): Query<HashMap<String, String>>) -> Response {
    let width = query.get("width").and_then(|w| w.parse().ok());
    let theme = if query.get("theme").is_some_and(|t| t == "dark") { Theme::Dark } else { Theme::Light };
    match drawing().svg(width, theme) {
        Ok(svg) => ([(header::CONTENT_TYPE, "image/svg+xml")], svg).into_response(),
        Err(error) => (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    }
}

async fn turn() -> Json<Turn> {
    Json(samples::duel_page("audio").turn)
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let frame = samples::frame;
    let router = Router::new()
        .route("/assets/{version}/{name}", get(asset))
        .route("/", get(move || async move { show(pages::home(&frame(), &samples::home_page())) }))
        .route(
            "/duel/{kind}",
            get(move |Path(kind): Path<String>| async move {
                show(pages::duel(&frame(), &samples::duel_page(&kind)))
            }),
        )
        .route(
            "/result/{kind}",
            get(move |Path(kind): Path<String>| async move {
                show(pages::result(&frame(), &samples::result_view(&kind)))
            }),
        )
        .route(
            "/new",
            get(move || async move {
                show(pages::new_study(
                    &frame(),
                    &NewStudyPage {
                        largest_upload: 20 << 20,
                        largest_file: 5 << 20,
                        ..NewStudyPage::default()
                    },
                ))
            }),
        )
        .route("/wrong", get(move || async move { show(pages::new_study(&frame(), &samples::wrong_form())) }))
        .route(
            "/sign-in",
            get(|| async {
                show(pages::sign_in(&Default::default(), "/", Some("This is not the token; copy it again.")))
            }),
        )
        .route(
            "/failure",
            get(move || async move {
                show(pages::failure(
                    &frame(),
                    &Failure { error: "There is no such study.".into(), code: "not_found".into() },
                ))
            }),
        )
        .route("/sound/{setting}", get(sound))
        .route("/figures/{kind}", get(figure))
        .route("/api/{verb}", post(turn));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8700").await?;
    println!("http://127.0.0.1:8700/");
    axum::serve(listener, router).await
}

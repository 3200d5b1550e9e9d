//! What was learned.

use crate::access::Operator;
use crate::extract::{Body, Path, Query};
use crate::refusal::Refusal;
use crate::results;
use crate::studio::App;
use crate::turns::who;
use crate::view::{AnswerView, BestView, Certainty, ResultView};
use crate::window::Window;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use rather_study::analysis::advice::Estimate;
use rather_study::definition::Subject;
use rather_study::space::Space;
use rather_study::study::Snapshot;
use rather_study::{Alternative, Definition};
use serde::{Deserialize, Serialize};

/// Whose result.
#[derive(Debug, Deserialize)]
pub(super) struct Whose {
    participant: Option<String>,
}

/// Whose, and at how many points.
#[derive(Debug, Deserialize)]
pub(super) struct Grid {
    participant: Option<String>,
    points: Option<usize>,
    offset: Option<usize>,
    limit: Option<usize>,
}

/// Whose result, and which part of it.
#[derive(Debug, Deserialize)]
pub(super) struct Part {
    participant: Option<String>,
    offset: Option<usize>,
    limit: Option<usize>,
}

/// The recommendation.
#[derive(Debug, Serialize)]
pub(super) struct Best {
    best: Option<BestView>,
    certainty: Option<Certainty>,
}

/// The answers.
#[derive(Debug, Serialize)]
pub(super) struct History {
    answers: Vec<AnswerView>,
    offset: usize,
    total: usize,
}

/// What is believed about an alternative.
#[derive(Debug, Serialize)]
pub(super) struct Believed {
    alternative: Alternative,
    #[serde(flatten)]
    utility: Estimate,
}

/// What is believed.
#[derive(Debug, Serialize)]
pub(super) struct Posterior {
    points: Vec<Believed>,
    /// How many there are: of a list of items, only a part may be here.
    total: usize,
}

/// The value of asking about an alternative.
#[derive(Debug, Serialize)]
pub(super) struct Scored {
    alternative: Alternative,
    score: f64,
}

/// What to ask against whom.
#[derive(Debug, Serialize)]
pub(super) struct Scores {
    acquisition: String,
    opponent: Option<Alternative>,
    points: Vec<Scored>,
    total: usize,
}

/// Alternatives to look at.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Alternatives {
    participant: Option<String>,
    alternatives: Vec<Alternative>,
}

/// Pairs to look at.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pairs {
    participant: Option<String>,
    pairs: Vec<(Alternative, Alternative)>,
}

/// How likely the first of each pair is preferred.
#[derive(Debug, Serialize)]
pub(super) struct Probabilities {
    probabilities: Vec<f64>,
}

/// How a figure is drawn.
#[derive(Debug, Deserialize)]
pub(crate) struct Drawn {
    participant: Option<String>,
    pub(crate) width: Option<f64>,
    pub(crate) theme: Option<crate::figures::Theme>,
    /// Makes browsers fetch it anew.
    #[serde(rename = "v")]
    _version: Option<String>,
}

/// So many points of a grid unless told otherwise.
const POINTS: usize = 101;

pub(super) async fn best(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Query(whose): Query<Whose>,
) -> Result<Json<Best>, Refusal> {
    let live = app.registry.study(&study).await?;
    let (best, certainty) = results::recommendation(&app, &live, whose.participant.as_deref()).await?;
    Ok(Json(Best { best, certainty }))
}

pub(super) async fn result(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Query(part): Query<Part>,
) -> Result<Json<ResultView>, Refusal> {
    let ranking = Window::wanted(part.offset, part.limit, Window::PAGE)?;
    let shown =
        results::Shown { ranking, history: Window { offset: 0, ..ranking }, people: Window::default() };
    let live = app.registry.study(&study).await?;
    results::of(&app, &live, part.participant.as_deref(), shown).await.map(Json)
}

pub(super) async fn history(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Query(part): Query<Part>,
) -> Result<Json<History>, Refusal> {
    let window = Window::wanted(part.offset, part.limit, Window::MOST)?;
    let live = app.registry.study(&study).await?;
    let participants = match part.participant {
        Some(name) => vec![name],
        None => live.counts().await?.by_participant.into_iter().map(|one| one.name).collect(),
    };
    let (answers, total) = results::history(&live, &participants, window).await?;
    Ok(Json(History { answers, offset: window.offset, total }))
}

pub(super) async fn posterior(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Query(grid): Query<Grid>,
) -> Result<Json<Posterior>, Refusal> {
    let live = app.registry.study(&study).await?;
    let (alternatives, total) = grid_of(&live.definition, &grid)?;
    let name = who(&live.definition, grid.participant.as_deref())?;
    live.look(move |study| believed(&study.snapshot(&name)?, alternatives, total)).await.map(Json)
}

pub(super) async fn posterior_at(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Body(body): Body<Alternatives>,
) -> Result<Json<Posterior>, Refusal> {
    let live = app.registry.study(&study).await?;
    check_number(body.alternatives.len())?;
    let name = who(&live.definition, body.participant.as_deref())?;
    let total = body.alternatives.len();
    live.look(move |study| believed(&study.snapshot(&name)?, body.alternatives, total)).await.map(Json)
}

fn believed(snapshot: &Snapshot, alternatives: Vec<Alternative>, total: usize) -> Result<Posterior, Refusal> {
    let utilities = snapshot.utilities(&alternatives)?;
    let points = alternatives
        .into_iter()
        .zip(utilities)
        .map(|(alternative, utility)| Believed { alternative, utility });
    Ok(Posterior { points: points.collect(), total })
}

pub(super) async fn acquisition(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Query(grid): Query<Grid>,
) -> Result<Json<Scores>, Refusal> {
    let live = app.registry.study(&study).await?;
    let (alternatives, total) = grid_of(&live.definition, &grid)?;
    let name = who(&live.definition, grid.participant.as_deref())?;
    let work = move |study: &mut rather_study::Study| {
        let snapshot = study.snapshot(&name)?;
        let acquisition = snapshot.definition().policy.acquisition.to_string();
        let Some(opponent) = snapshot.last_winner() else {
            return Ok(Scores { acquisition, opponent: None, points: Vec::new(), total });
        };
        let scores = snapshot.scores(&alternatives, &opponent)?.unwrap_or_default();
        let points =
            alternatives.into_iter().zip(scores).map(|(alternative, score)| Scored { alternative, score });
        Ok(Scores { acquisition, points: points.collect(), opponent: Some(opponent), total })
    };
    live.look(work).await.map(Json)
}

pub(super) async fn probabilities(
    State(app): State<App>,
    _: Operator,
    Path(study): Path<String>,
    Body(body): Body<Pairs>,
) -> Result<Json<Probabilities>, Refusal> {
    let live = app.registry.study(&study).await?;
    check_number(body.pairs.len())?;
    let name = who(&live.definition, body.participant.as_deref())?;
    let work = move |study: &mut rather_study::Study| {
        Ok(Probabilities { probabilities: study.snapshot(&name)?.probabilities(&body.pairs)? })
    };
    live.look(work).await.map(Json)
}

pub(crate) async fn figure(
    State(app): State<App>,
    _: Operator,
    Path((study, file)): Path<(String, String)>,
    Query(drawn): Query<Drawn>,
) -> Result<impl IntoResponse, Refusal> {
    let live = app.registry.study(&study).await?;
    let kind = file.strip_suffix(".svg").ok_or_else(|| Refusal::not_found("figure"))?.to_owned();
    let participant = who(&live.definition, drawn.participant.as_deref())?;
    let theme = drawn.theme.unwrap_or_default();
    let svg = results::figure(&live, &participant, &kind, drawn.width, theme).await?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], svg))
}

/// The items of the window that is wanted, or settings that fill the space evenly; and how many there are in all.
fn grid_of(definition: &Definition, grid: &Grid) -> Result<(Vec<Alternative>, usize), Refusal> {
    let points = grid.points.unwrap_or(POINTS);
    check_number(points)?;
    let window = Window::wanted(grid.offset, grid.limit, Window::MOST)?;
    let settings = match &definition.subject {
        Subject::Items(items) => {
            let keys = &items.keys[window.of(items.keys.len())];
            return Ok((keys.iter().cloned().map(Alternative::Item).collect(), items.keys.len()));
        }
        Subject::Parameters(space) => settings_of(space, points, definition.seed),
    };
    let total = settings.len();
    let range = window.of(total);
    Ok((settings.into_iter().skip(range.start).take(range.len()).collect(), total))
}

fn settings_of(space: &Space, points: usize, seed: u64) -> Vec<Alternative> {
    use rather::search::Dimension;
    let [parameter] = space.parameters.as_slice() else {
        let fill = space.domain().fill(points, seed);
        return fill.iter().map(|point| Alternative::Setting(space.setting(point))).collect();
    };
    let at = |u: f64| Alternative::Setting(space.setting(&[u]));
    match parameter.range.dimension() {
        Dimension::Categorical { levels } => (0..levels.min(points)).map(|i| at(i as f64)).collect(),
        _ => (0..points).map(|i| at(i as f64 / (points - 1).max(1) as f64)).collect(),
    }
}

fn check_number(points: usize) -> Result<(), Refusal> {
    if (1..=Window::MOST).contains(&points) {
        return Ok(());
    }
    Err(Refusal::invalid(format!("from 1 to {} can be looked at at once, not {points}", Window::MOST)))
}

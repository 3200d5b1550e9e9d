//! Links that are nobody's own: what they lead to, and the operator's side of them.

use crate::refusal::{Code, Refusal};
use crate::registry::{Live, blocking};
use crate::security::participant::LinkToken;
use crate::studio::App;
use crate::tables::Door;
use crate::view::DoorsView;
use rather_study::definition::Pooling;
use std::sync::Arc;

/// More participants than this do not join one study by themselves.
const MOST: u32 = 10_000;
/// Names under which fresh links are remembered beside those of participants, who have no such names.
const JOIN: &str = "\u{1f}join";

fn shared_as(whose: &str) -> String {
    format!("\u{1f}result {whose}")
}

/// The path of a page on which anyone joins.
fn join_path(token: &LinkToken) -> String {
    format!("/j/{}", token.text())
}

/// The path of a page with a result to read.
fn result_path(token: &LinkToken) -> String {
    format!("/r/{}", token.text())
}

/// What a link leads to.
///
/// # Errors
/// If it leads nowhere, or the file cannot be read.
pub async fn behind(app: &App, token: &str) -> Result<(LinkToken, Door), Refusal> {
    let nothing = || Refusal::not_found("link");
    let token = LinkToken::parse(token).ok_or_else(nothing)?;
    let (tables, wanted) = (Arc::clone(app.registry.tables()), token.clone());
    let door = blocking(move || Ok(tables.door(&wanted)?)).await?.ok_or_else(nothing)?;
    Ok((token, door))
}

/// Whose result a link shows: nobody's where all answers are pooled.
fn whose(live: &Live, participant: &str) -> String {
    let pooled = live.definition.participants.model == Pooling::Together;
    if pooled { String::new() } else { participant.to_owned() }
}

/// Opens a study to anyone who has the link, up to `quota` of them. Returns the path.
///
/// # Errors
/// If the study names who may answer, or the quota is none.
pub async fn open_to_all(app: &App, live: &Live, quota: u32) -> Result<String, Refusal> {
    if !live.definition.participants.names.is_empty() {
        return Err(Refusal::new(
            Code::Conflict,
            "this study names its participants, so nobody else can join; make a copy of it without names",
        ));
    }
    if !(1..=MOST).contains(&quota) {
        return Err(Refusal::invalid(format!("from 1 to {MOST} may join, not {quota}")));
    }
    let (tables, study) = (Arc::clone(app.registry.tables()), live.name.clone());
    let token = blocking(move || Ok(tables.open_to_all(&study, quota)?)).await?;
    let path = join_path(&token);
    app.remember_link(&live.name, JOIN, path.clone());
    Ok(path)
}

/// Ends the link by which anyone joins.
///
/// # Errors
/// If that cannot be kept.
pub async fn close_to_all(app: &App, live: &Live) -> Result<(), Refusal> {
    let (tables, study) = (Arc::clone(app.registry.tables()), live.name.clone());
    blocking(move || Ok(tables.close_to_all(&study)?)).await
}

/// Makes a link that shows the result of a participant, or of all. Returns the path.
///
/// # Errors
/// If it cannot be kept.
pub async fn share(app: &App, live: &Live, participant: &str) -> Result<String, Refusal> {
    let whose = whose(live, participant);
    if !whose.is_empty() {
        // Whether there may be such a participant at all is the study's to say.
        let name = whose.clone();
        live.look(move |study| Ok(study.history(&name).map(|_| ())?)).await?;
    }
    let (tables, study, name) = (Arc::clone(app.registry.tables()), live.name.clone(), whose.clone());
    let token = blocking(move || Ok(tables.share(&study, &name)?)).await?;
    let path = result_path(&token);
    app.remember_link(&live.name, &shared_as(&whose), path.clone());
    Ok(path)
}

/// Ends the link that shows a result.
///
/// # Errors
/// If that cannot be kept.
pub async fn unshare(app: &App, live: &Live, participant: &str) -> Result<(), Refusal> {
    let whose = whose(live, participant);
    let (tables, study) = (Arc::clone(app.registry.tables()), live.name.clone());
    blocking(move || Ok(tables.unshare(&study, &whose)?)).await
}

/// The links to a study, as its operator sees them beside the result of `participant`. Links are shown while they are fresh.
///
/// # Errors
/// If the file cannot be read.
pub async fn of(app: &App, live: &Live, participant: &str) -> Result<DoorsView, Refusal> {
    let whose = whose(live, participant);
    let (tables, study, name) = (Arc::clone(app.registry.tables()), live.name.clone(), whose.clone());
    let read = move || {
        let mut remarked: Vec<String> = tables.remarks(&study)?.into_iter().map(|r| r.participant).collect();
        remarked.dedup();
        Ok((tables.quota(&study)?, tables.is_shared(&study, &name)?, remarked.len()))
    };
    let (quota, shared, remarks) = blocking(read).await?;
    Ok(DoorsView {
        quota,
        join: quota.and_then(|_| app.fresh_link(&live.name, JOIN)),
        shared,
        share: if shared { app.fresh_link(&live.name, &shared_as(&whose)) } else { None },
        remarks,
    })
}

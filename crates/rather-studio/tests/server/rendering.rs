//! An operator's own program as the renderer.
#![cfg(unix)]

use crate::lab::{Lab, header};
use rather_studio::config;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

const STUDY: &str = "title = \"Mine\"\n[parameters]\nx = { type = \"float\", low = 0, high = 1 }\n[presentation]\nrenderer = \"command\"\n";

async fn lab(line: &str) -> Lab {
    let line = line.to_owned();
    Lab::with(|config| config.commands = config::commands(Some(&line), None, &config.data).unwrap()).await
}

async fn ask(lab: &Lab) -> Value {
    let study = lab.study(STUDY).await;
    lab.api(Method::POST, &format!("/studies/{study}/ask"), Some(json!({}))).await
}

#[tokio::test]
async fn a_command_writes_a_text_of_the_setting() {
    let lab = lab("sh -c 'echo \"x is {x} of {theta}\"'").await;
    let turn = ask(&lab).await;
    let side = &turn["next"]["left"];
    let text = side["media"]["text"].as_str().unwrap();
    assert!(text.starts_with("x is 0.") || text.starts_with("x is 1"), "{text}");
    assert_eq!(side["parameters"], json!([]), "the study is blind");
}

#[tokio::test]
async fn a_page_of_a_command_is_in_a_sandbox() {
    let lab = lab("sh -c 'echo \"<!DOCTYPE html><p>{x}</p>\"'").await;
    let turn = ask(&lab).await;
    let media = &turn["next"]["right"]["media"];
    assert_eq!(media["kind"], "html");
    let page = lab.get(media["url"].as_str().unwrap()).await;
    assert_eq!(page.status(), StatusCode::OK);
    let policy = header(page.headers(), "content-security-policy").to_owned();
    assert!(policy.contains("sandbox") && !policy.contains("allow-scripts"), "{policy}");
}

#[tokio::test]
async fn a_command_that_fails_leaves_the_duel_to_be_skipped() {
    let lab = lab("sh -c 'echo {x} >&2; exit 3'").await;
    let turn = ask(&lab).await;
    assert!(turn["next"]["duel"].is_u64(), "{turn}");
    let study = lab.api(Method::GET, "/studies", None).await["studies"][0]["id"].as_str().unwrap().to_owned();
    let skipped = lab
        .api(Method::POST, &format!("/studies/{study}/skip"), Some(json!({ "duel": turn["next"]["duel"] })))
        .await;
    assert_ne!(skipped["next"]["duel"], turn["next"]["duel"]);
}

#[tokio::test]
async fn no_study_of_the_web_brings_a_command() {
    let lab = Lab::start().await;
    for renderer in ["command", "sh -c id", "/bin/sh"] {
        let toml = STUDY.replace("\"command\"", &format!("{renderer:?}"));
        let refused = lab.post("/api/v1/studies", json!({ "toml": toml })).await;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{renderer}");
    }
}

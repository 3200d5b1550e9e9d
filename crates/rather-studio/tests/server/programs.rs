//! The page for programs: what it shows works as pasted.

use crate::lab::{Lab, TOKEN};
use rather_studio::security::token::OperatorToken;
use reqwest::Method;
use serde_json::{Value, json};
use std::process::Command;

const COFFEE: &str = "title = \"Coffee\"\n[parameters]\ngrams = { type = \"float\", low = 10, high = 25 }\n";

/// The text of an element, as it is copied from the page.
fn text_of(page: &str, id: &str) -> String {
    let (_, rest) = page.split_once(&format!("id=\"{id}\"")).expect("the text");
    let (_, rest) = rest.split_once("<code>").expect("the text");
    let (text, _) = rest.split_once("</code>").expect("its end");
    text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// What a program writes; `None`, and a word about it, where there is no such program and `RATHER_REQUIRE` does not hold the word `programs`.
fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let Ok(done) = Command::new(program).args(arguments).env("RATHER_TOKEN", TOKEN).output() else {
        let required =
            std::env::var("RATHER_REQUIRE").is_ok_and(|these| these == "1" || these.contains("programs"));
        assert!(!required, "needs {program}, and RATHER_REQUIRE says that it is here");
        eprintln!("skipped: needs {program}");
        return None;
    };
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{out}{err}");
    Some(out.into_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_page_shows_works_as_pasted() {
    for token in [None, Some(TOKEN)] {
        let lab = Lab::with(|config| {
            config.token = token.map(|text| OperatorToken::new(text, "the test").unwrap())
        })
        .await;
        let ask = |method, path: &str| lab.request(method, path).bearer_auth(TOKEN);
        let made =
            ask(Method::POST, "/api/v1/studies").json(&json!({ "toml": COFFEE })).send().await.unwrap();
        let study = made.json::<Value>().await.unwrap()["id"].as_str().unwrap().to_owned();
        let page = ask(Method::GET, "/api").send().await.unwrap().text().await.unwrap();
        let answers = || async {
            let shown = ask(Method::GET, &format!("/api/v1/studies/{study}")).send().await.unwrap();
            shown.json::<Value>().await.unwrap()["study"]["answers"].as_u64().unwrap()
        };
        if let Some(out) = run("sh", &["-ec", &text_of(&page, "curl-text")]) {
            assert!(out.contains("\"recorded\":true") && out.contains("\"best\""), "{out}");
            assert_eq!(answers().await, 1);
        }
        let before = answers().await;
        if let Some(out) = run("python3", &["-c", &text_of(&page, "python-text")]) {
            assert!(out.contains("grams"), "{out}");
            assert_eq!(answers().await, before + 10);
        }
    }
}

#[tokio::test]
async fn what_is_recommended_is_in_the_ranking() {
    let lab = Lab::start().await;
    let study = lab.study(COFFEE).await;
    for _ in 0..4 {
        let turn = lab.api(Method::POST, &format!("/studies/{study}/ask"), Some(json!({}))).await;
        let grams = |side: &str| turn["next"][side]["alternative"]["grams"].as_f64().unwrap();
        // The best is between the settings that are compared.
        let answer =
            if (grams("left") - 16.0).abs() < (grams("right") - 16.0).abs() { "left" } else { "right" };
        let tell = json!({ "duel": turn["next"]["duel"], "answer": answer });
        lab.api(Method::POST, &format!("/studies/{study}/tell"), Some(tell)).await;
    }
    let found = lab.api(Method::GET, &format!("/studies/{study}/result"), None).await;
    let ranking = found["ranking"].as_array().unwrap();
    let place = ranking.iter().position(|item| item["alternative"] == found["best"]["alternative"]);
    assert!(place.is_some(), "{found}");
    let means: Vec<f64> = ranking.iter().map(|item| item["mean"].as_f64().unwrap()).collect();
    assert!(means.is_sorted_by(|a, b| a >= b), "{means:?}");
}

#[tokio::test]
async fn a_program_is_told_the_numbers_of_a_blind_study_and_participants_are_not() {
    let lab = Lab::start().await;
    let toml = format!("{COFFEE}[presentation]\nrenderer = \"suppressor\"\n").replace(
        "grams = { type = \"float\", low = 10, high = 25 }",
        "floor = { type = \"float\", low = -40, high = 0 }",
    );
    let study = lab.study(&toml).await;
    let turn = lab.api(Method::POST, &format!("/studies/{study}/ask"), Some(json!({}))).await;
    let left = &turn["next"]["left"];
    assert_eq!(left["parameters"], json!([]), "it is blind");
    assert!(left["alternative"]["floor"].is_f64() || left["alternative"]["floor"].is_i64(), "{left}");
    let link = lab
        .api(Method::POST, &format!("/studies/{study}/participants"), Some(json!({ "name": "ann" })))
        .await;
    let asked = lab.post(&format!("{}/ask", link["link"].as_str().unwrap()), json!({})).await;
    let told: Value = asked.json().await.unwrap();
    assert_eq!(told["next"]["left"]["alternative"], Value::Null, "{told}");
    let tell = json!({ "duel": turn["next"]["duel"], "answer": "left" });
    lab.api(Method::POST, &format!("/studies/{study}/tell"), Some(tell)).await;
    let history = lab.api(Method::GET, &format!("/studies/{study}/history"), None).await;
    assert_eq!(history["answers"][0]["options"][0], left["alternative"]);
}

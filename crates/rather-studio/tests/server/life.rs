//! The life of a study: renamed, paused, extended, copied, archived, restored, deleted; answers brought in.

use crate::lab::{ITEMS, Lab, header};
use reqwest::multipart::{Form, Part};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

async fn ask(lab: &Lab, study: &str) -> Value {
    lab.api(Method::POST, &format!("/studies/{study}/ask"), Some(json!({}))).await
}

/// What a request of the API is answered, which may be a refusal.
async fn sent(lab: &Lab, method: Method, path: &str, body: Value) -> (StatusCode, Value) {
    // A program of its own: no cookies.
    let request = reqwest::Client::new().request(method, format!("{}/api/v1{path}", lab.url));
    let reply = request.json(&body).send().await.unwrap();
    (reply.status(), reply.json().await.unwrap_or(Value::Null))
}

#[tokio::test]
async fn a_study_is_renamed_paused_and_extended() {
    let lab = Lab::start().await;
    let study = lab.study(&format!("{ITEMS}[stop]\nanswers = 1\n")).await;
    let path = format!("/studies/{study}");
    let turn = ask(&lab, &study).await;
    let tell = json!({ "duel": turn["next"]["duel"], "answer": "left", "key": "a" });
    let turn = lab.api(Method::POST, &format!("{path}/tell"), Some(tell.clone())).await;
    assert_eq!((&turn["finished"], &turn["next"]), (&json!(true), &Value::Null));
    let change = json!({ "title": "Other teas", "comparisons": 3 });
    let changed = lab.api(Method::PATCH, &path, Some(change)).await;
    assert_eq!(
        (&changed["title"], &changed["wanted"], &changed["answers"]),
        (&json!("Other teas"), &json!(3), &json!(1))
    );
    let turn = ask(&lab, &study).await;
    assert!(turn["next"]["duel"].is_u64(), "it goes on: {turn}");
    // Paused, nothing is recorded, and links say so.
    let link = lab.api(Method::POST, &format!("{path}/participants"), Some(json!({ "name": "ann" }))).await;
    lab.api(Method::PATCH, &path, Some(json!({ "paused": true }))).await;
    let told = json!({ "duel": turn["next"]["duel"], "answer": "left" });
    let (status, refused) = sent(&lab, Method::POST, &format!("{path}/tell"), told.clone()).await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert!(refused["error"].as_str().unwrap().contains("paused"), "{refused}");
    assert_eq!(ask(&lab, &study).await["paused"], json!(true));
    let page = lab.get(link["link"].as_str().unwrap()).await.text().await.unwrap();
    assert!(page.contains("This study is paused. Come back later."));
    lab.api(Method::PATCH, &path, Some(json!({ "paused": false, "comparisons": null }))).await;
    let turn = lab.api(Method::POST, &format!("{path}/tell"), Some(told)).await;
    assert_eq!((&turn["recorded"], &turn["answers"]), (&json!(true), &json!(2)));
    for wrong in [
        json!({ "title": "" }),
        json!({ "title": "a\u{202e}b" }),
        json!({ "comparisons": 0 }),
        json!({ "webhook": "https://elsewhere.example/" }),
        json!({ "x": 1 }),
    ] {
        assert_eq!(
            sent(&lab, Method::PATCH, &path, wrong.clone()).await.0,
            StatusCode::BAD_REQUEST,
            "{wrong}"
        );
    }
    // The same by the form of the page.
    let csrf = lab.csrf("/").await;
    let webhook = ("webhook", "http://127.0.0.1:9/answers");
    let form = [("csrf", csrf.as_str()), ("title", "Third"), ("comparisons", ""), ("paused", "yes"), webhook];
    let reply = lab.request(Method::POST, &format!("{path}/settings")).form(&form).send().await.unwrap();
    assert_eq!(header(reply.headers(), "location"), format!("{path}/result"));
    let shown = lab.api(Method::GET, &path, None).await;
    assert_eq!(
        (&shown["study"]["title"], &shown["study"]["paused"], &shown["study"]["wanted"]),
        (&json!("Third"), &json!(true), &Value::Null)
    );
    assert_eq!(shown["definition"]["presentation"]["webhook"], json!(webhook.1));
    // What is left out stays, the webhook too; an empty one is none.
    let page = async || lab.get(&format!("{path}/result")).await.text().await.unwrap();
    lab.api(Method::PATCH, &path, Some(json!({ "paused": false }))).await;
    assert!(page().await.contains(webhook.1));
    lab.api(Method::PATCH, &path, Some(json!({ "webhook": "" }))).await;
    assert!(!page().await.contains(webhook.1));
}

#[tokio::test]
async fn a_study_is_copied_without_its_answers_and_an_archived_one_deleted() {
    let lab = Lab::start().await;
    let study = lab.study(ITEMS).await;
    let path = format!("/studies/{study}");
    let turn = ask(&lab, &study).await;
    let tell = json!({ "duel": turn["next"]["duel"], "answer": "left" });
    lab.api(Method::POST, &format!("{path}/tell"), Some(tell)).await;
    let copy = lab.api(Method::POST, &format!("{path}/copy"), Some(json!({}))).await;
    assert_eq!(
        (&copy["title"], &copy["answers"], &copy["size"]),
        (&json!("Teas (copy)"), &json!(0), &json!(4))
    );
    let link = lab.api(Method::POST, &format!("{path}/participants"), Some(json!({ "name": "ann" }))).await;
    // What is not archived is not deleted.
    let forever = format!("{path}?forever=true");
    assert_eq!(sent(&lab, Method::DELETE, &forever, json!({})).await.0, StatusCode::NOT_FOUND);
    lab.api(Method::DELETE, &path, None).await;
    let home = lab.get("/").await.text().await.unwrap();
    assert!(home.contains("1 answer of Teas will be gone"), "deleting asks once");
    let csrf = lab.csrf("/").await;
    let reply =
        lab.request(Method::POST, &format!("{path}/delete")).form(&[("csrf", csrf)]).send().await.unwrap();
    assert_eq!(header(reply.headers(), "location"), "/");
    let all = lab.api(Method::GET, "/studies", None).await;
    assert_eq!((all["archived"].as_array().unwrap().len(), all["studies"].as_array().unwrap().len()), (0, 1));
    assert_eq!(lab.get(link["link"].as_str().unwrap()).await.status(), StatusCode::NOT_FOUND);
    // The copy is whole.
    assert!(ask(&lab, copy["id"].as_str().unwrap()).await["next"]["duel"].is_u64());
}

#[tokio::test]
async fn a_link_is_ended() {
    let lab = Lab::start().await;
    let study = lab.study(ITEMS).await;
    let path = format!("/studies/{study}/participants");
    let link = lab.api(Method::POST, &path, Some(json!({ "name": "Bob Müller" }))).await;
    let link = link["link"].as_str().unwrap().to_owned();
    assert_eq!(lab.get(&link).await.status(), StatusCode::OK);
    let one = format!("{path}/Bob%20M%C3%BCller");
    assert_eq!(sent(&lab, Method::DELETE, &one, json!({})).await.0, StatusCode::NO_CONTENT);
    assert_eq!(lab.get(&link).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(sent(&lab, Method::DELETE, &one, json!({})).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_file_that_names_its_users_needs_no_participant() {
    let lab = Lab::start().await;
    let study = lab.study(&format!("{ITEMS}[participants]\nnames = [\"ann\", \"bob\"]\n")).await;
    let path = format!("/studies/{study}");
    let table = "left,right,outcome,user\nAssam,Oolong,left,ann\nAssam,Sencha,right,bob\n";
    let import = |query: &'static str, body: &'static str| {
        let request = lab.request(Method::POST, &format!("/api/v1{path}/import{query}"));
        async move { request.header("content-type", "text/csv").body(body).send().await.unwrap() }
    };
    let taken = import("", table).await;
    assert_eq!(taken.status(), StatusCode::OK, "{}", taken.text().await.unwrap());
    // The same file once more, and then on purpose.
    assert_ne!(import("", table).await.status(), StatusCode::OK);
    assert_eq!(import("?again=true", table).await.status(), StatusCode::OK);
    let unnamed = import("", "left,right,outcome\nAssam,Oolong,left\n").await.text().await.unwrap();
    assert!(unnamed.contains("participant is missing") && !unnamed.contains("--"), "{unnamed}");
    // In the browser.
    let csrf = lab.csrf("/").await;
    let file = Part::bytes(b"left,right,outcome\nOolong,Sencha,left\n".to_vec()).file_name("more.csv");
    let form =
        Form::new().text("csrf", csrf).text("format", "csv").text("participant", "ann").part("file", file);
    let reply = lab.request(Method::POST, &format!("{path}/import")).multipart(form).send().await.unwrap();
    assert_eq!(header(reply.headers(), "location"), format!("{path}/result?imported=1#history"));
    let page = lab.get(&format!("{path}/result?imported=1")).await.text().await.unwrap();
    assert!(page.contains("1 answer was imported."));
    assert_eq!(lab.api(Method::GET, &path, None).await["study"]["answers"], json!(5));
}

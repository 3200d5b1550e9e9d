//! Links that are nobody's own, training, questions at the end, groups of items, and studies of a backup.

use crate::lab::{ITEMS, Lab, ONE, TOKEN, header};
use rather_studio::security::token::OperatorToken;
use reqwest::multipart::{Form, Part};
use reqwest::{Client, Method, Response, StatusCode};
use serde_json::{Value, json};

/// A browser of its own.
fn stranger() -> Client {
    Client::builder().redirect(reqwest::redirect::Policy::none()).cookie_store(true).build().unwrap()
}

async fn csrf_of(client: &Client, url: &str) -> String {
    let page = client.get(url).send().await.unwrap().text().await.unwrap();
    let (_, rest) = page.split_once("name=\"csrf\" content=\"").expect("every page has it");
    rest.split('"').next().unwrap().to_owned()
}

async fn join(client: &Client, url: &str) -> Response {
    let csrf = csrf_of(client, url).await;
    client.post(url).form(&[("csrf", csrf)]).send().await.unwrap()
}

#[tokio::test]
async fn an_open_link_lets_so_many_in_each_by_a_link_of_their_own() {
    let lab = Lab::start().await;
    let study = lab.study(ITEMS).await;
    let path = format!("/studies/{study}/open-link");
    let made = lab.api(Method::POST, &path, Some(json!({ "quota": 2 }))).await;
    let door = format!("{}{}", lab.url, made["link"].as_str().unwrap());
    let (ann, bob, eve) = (stranger(), stranger(), stranger());
    // Looking is not joining: messengers look.
    for _ in 0..3 {
        assert_eq!(ann.get(&door).send().await.unwrap().status(), StatusCode::OK);
    }
    let own = header(join(&ann, &door).await.headers(), "location").to_owned();
    assert!(own.starts_with("/p/"), "{own}");
    let again = ann.get(&door).send().await.unwrap();
    assert_eq!(header(again.headers(), "location"), own, "who comes back is who they were");
    let other = header(join(&bob, &door).await.headers(), "location").to_owned();
    assert!(other.starts_with("/p/") && other != own);
    let full = join(&eve, &door).await;
    assert_eq!(full.status(), StatusCode::CONFLICT);
    assert!(full.text().await.unwrap().contains("all the participants that it needs"));
    let people = lab.api(Method::GET, &format!("/studies/{study}/participants"), None).await;
    let names: Vec<&str> =
        people["participants"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["guest-1", "guest-2"]);
    // It leads to nothing of the operator's, is kept as a hash, and ends.
    let token = door.rsplit('/').next().unwrap().as_bytes().to_vec();
    for file in ["studio.db", "studio.db-wal"] {
        let bytes = std::fs::read(lab.data.with_file_name(file)).unwrap_or_default();
        assert!(!bytes.windows(token.len()).any(|window| window == token));
    }
    lab.api(Method::DELETE, &path, None).await;
    assert_eq!(eve.get(&door).send().await.unwrap().status(), StatusCode::NOT_FOUND);
    assert_eq!(lab.get(&own).await.status(), StatusCode::OK, "who has joined goes on");
    let named = lab.study(&format!("{ITEMS}[participants]\nnames = [\"ann\"]\n")).await;
    let refused = Client::new()
        .post(format!("{}/api/v1/studies/{named}/open-link", lab.url))
        .json(&json!({ "quota": 2 }));
    assert_eq!(refused.send().await.unwrap().status(), StatusCode::CONFLICT);
}

#[tokio::test]
async fn a_shared_result_is_read_and_nothing_else() {
    let lab = Lab::with(|config| config.token = Some(OperatorToken::new(TOKEN, "test").unwrap())).await;
    let ask = |method, path: String| lab.request(method, &path).bearer_auth(TOKEN);
    let made: Value = ask(Method::POST, "/api/v1/studies".into())
        .json(&json!({ "toml": ONE }))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let study = made["id"].as_str().unwrap().to_owned();
    let api = format!("/api/v1/studies/{study}");
    let secret = "Secret Name";
    let turn: Value = ask(Method::POST, format!("{api}/ask"))
        .json(&json!({ "participant": secret }))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let tell = json!({ "participant": secret, "duel": turn["next"]["duel"], "answer": "left" });
    ask(Method::POST, format!("{api}/tell")).json(&tell).send().await.unwrap();
    let shared: Value = ask(Method::POST, format!("{api}/shared"))
        .json(&json!({ "participant": secret }))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let link = shared["link"].as_str().unwrap().to_owned();
    let reader = stranger();
    let get = |path: String| reader.get(format!("{}{path}", lab.url)).send();
    let page = get(link.clone()).await.unwrap();
    assert_eq!(page.status(), StatusCode::OK);
    let text = page.text().await.unwrap();
    assert!(text.contains("The best so far") && text.contains("id=\"picture\""), "{text}");
    for hidden in [secret, "/studies/", "<form", "/api/v1"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    let figure = get(format!("{link}/figures/utility-1.svg?width=360")).await.unwrap();
    assert_eq!(
        (figure.status(), header(figure.headers(), "content-type")),
        (StatusCode::OK, "image/svg+xml")
    );
    // The link is no participant's, and opens nothing of the operator's.
    let token = link.trim_start_matches("/r/");
    for path in [format!("/p/{token}"), format!("/j/{token}")] {
        assert_eq!(get(path).await.unwrap().status(), StatusCode::NOT_FOUND);
    }
    assert_eq!(get(format!("/studies/{study}/result")).await.unwrap().status(), StatusCode::SEE_OTHER);
    assert_eq!(get(format!("{api}/export")).await.unwrap().status(), StatusCode::UNAUTHORIZED);
    ask(Method::DELETE, format!("{api}/shared?participant=Secret%20Name")).send().await.unwrap();
    assert_eq!(get(link).await.unwrap().status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn training_shows_what_to_do_and_does_not_count() {
    let lab = Lab::start().await;
    let study = lab.study(&format!("{ITEMS}[presentation]\ntraining = 2\n[stop]\nanswers = 1\n")).await;
    let path = format!("/studies/{study}");
    let mut turn = lab.api(Method::POST, &format!("{path}/ask"), Some(json!({}))).await;
    for (number, training) in [(1, true), (2, true), (1, false)] {
        let next = &turn["next"];
        assert_eq!(
            (next["number"].as_u64(), next["training"].as_bool()),
            (Some(number), Some(training)),
            "{turn}"
        );
        let tell = json!({ "duel": next["duel"], "answer": "left" });
        turn = lab.api(Method::POST, &format!("{path}/tell"), Some(tell)).await;
    }
    assert_eq!((turn["finished"].as_bool(), turn["answers"].as_u64()), (Some(true), Some(1)));
    let log = lab.get(&format!("/api/v1{path}/export?format=jsonl")).await.text().await.unwrap();
    assert_eq!(log.matches("\"check\":\"training\"").count(), 2, "{log}");
}

#[tokio::test]
async fn items_are_compared_within_their_groups_and_what_they_share_is_shown() {
    let lab = Lab::start().await;
    let mut toml = "title = \"Models\"\nwithin = \"prompt\"\n".to_owned();
    for prompt in 0..3 {
        for model in 0..3 {
            toml += &format!(
                "[[items]]\nname = \"p{prompt}m{model}\"\nprompt = \"Prompt {prompt}\"\nmodel = \"m{model}\"\n"
            );
        }
    }
    let study = lab.study(&toml).await;
    let path = format!("/studies/{study}");
    let mut turn = lab.api(Method::POST, &format!("{path}/ask"), Some(json!({}))).await;
    let mut asked = std::collections::BTreeMap::new();
    for _ in 0..9 {
        let next = &turn["next"];
        let sides = ["left", "right"].map(|side| next[side]["alternative"].as_str().unwrap()[..2].to_owned());
        assert_eq!(sides[0], sides[1], "{next}");
        assert_eq!(next["context"]["value"], format!("Prompt {}", &sides[0][1..]));
        let features = next["left"]["parameters"].as_array().unwrap();
        assert!(features.iter().all(|p| p["name"] == "model"), "what is shared is said once: {next}");
        *asked.entry(sides[0].clone()).or_insert(0) += 1;
        let tell = json!({ "duel": next["duel"], "answer": "left" });
        turn = lab.api(Method::POST, &format!("{path}/tell"), Some(tell)).await;
    }
    assert_eq!(asked.into_values().collect::<Vec<_>>(), [3, 3, 3], "the groups take turns");
    let result = lab.api(Method::GET, &format!("{path}/result"), None).await;
    assert_eq!(result["ranking_total"], 9, "one ranking over all");
    let page = lab.get(&format!("{path}/duel")).await.text().await.unwrap();
    assert!(page.contains("Prompt "), "the context is on the page");
}

#[tokio::test]
async fn questions_at_the_end_are_answered_and_exported() {
    let lab = Lab::start().await;
    let asked = "[presentation]\nredirect = \"https://survey.example/\"\nquestionnaire = [{ question = \"Your age?\" }, { question = \"Headphones?\", choices = [\"yes\", \"no\"] }, { question = \"Remarks\", optional = true }]\n[stop]\nanswers = 1\n";
    let study = lab.study(&format!("{ITEMS}{asked}")).await;
    let path = format!("/studies/{study}");
    let link = lab.api(Method::POST, &format!("{path}/participants"), Some(json!({ "name": "ann" }))).await;
    let link = link["link"].as_str().unwrap().to_owned();
    let turn: Value = lab.post(&format!("{link}/ask"), json!({})).await.json().await.unwrap();
    lab.post(&format!("{link}/tell"), json!({ "duel": turn["next"]["duel"], "answer": "left" })).await;
    let end = lab.get(&link).await.text().await.unwrap();
    assert!(
        end.contains(&format!("{link}/questions")) && !end.contains("href=\"https://survey.example/\""),
        "questions come first"
    );
    let csrf = lab.csrf(&format!("{link}/questions")).await;
    let send = async |age: &str, headphones: &str| {
        let form = [("csrf", csrf.as_str()), ("q0", age), ("q1", headphones), ("q2", "")];
        lab.request(Method::POST, &format!("{link}/questions")).form(&form).send().await.unwrap()
    };
    let missing = send("", "yes").await;
    assert_eq!(missing.status(), StatusCode::BAD_REQUEST);
    assert!(missing.text().await.unwrap().contains("has no answer"));
    assert_eq!(send("30", "perhaps").await.status(), StatusCode::BAD_REQUEST);
    assert_eq!(send("=30", "yes").await.status(), StatusCode::SEE_OTHER);
    let end = lab.get(&link).await.text().await.unwrap();
    assert!(end.contains("href=\"https://survey.example/\"") && !end.contains("/questions"), "{end}");
    let kept = lab.api(Method::GET, &format!("{path}/questionnaire"), None).await;
    assert_eq!(kept["answers"].as_array().unwrap().len(), 2, "{kept}");
    let table = lab.get(&format!("/api/v1{path}/questionnaire?format=csv")).await.text().await.unwrap();
    assert!(table.contains("ann,Headphones?,yes,") && table.contains("ann,Your age?,'=30,"), "{table}");
    // The operator is asked nothing.
    assert!(
        !lab.get(&format!("{path}/duel?participant=me")).await.text().await.unwrap().contains("/questions")
    );
}

#[tokio::test]
async fn a_backup_brings_deleted_studies_back_with_their_links() {
    let lab = Lab::start().await;
    let study = lab.study(ITEMS).await;
    let path = format!("/studies/{study}");
    let link = lab.api(Method::POST, &format!("{path}/participants"), Some(json!({ "name": "ann" }))).await;
    let link = link["link"].as_str().unwrap().to_owned();
    let turn: Value = lab.post(&format!("{link}/ask"), json!({})).await.json().await.unwrap();
    lab.post(&format!("{link}/tell"), json!({ "duel": turn["next"]["duel"], "answer": "left" })).await;
    let backup = lab.get("/api/v1/backup").await.bytes().await.unwrap();
    let bring = async |bytes: Vec<u8>| {
        let request = Client::new().post(format!("{}/api/v1/restore", lab.url));
        request.header("content-type", "application/vnd.sqlite3").body(bytes).send().await.unwrap()
    };
    let nothing: Value = bring(backup.to_vec()).await.json().await.unwrap();
    assert_eq!(nothing["studies"], json!([]), "what is here stays as it is");
    lab.api(Method::DELETE, &path, None).await;
    lab.api(Method::DELETE, &format!("{path}?forever=true"), None).await;
    assert_eq!(lab.get(&link).await.status(), StatusCode::NOT_FOUND);
    let brought: Value = bring(backup.to_vec()).await.json().await.unwrap();
    assert_eq!(brought["studies"], json!([{ "from": study, "id": study }]));
    let result = lab.api(Method::GET, &format!("{path}/result"), None).await;
    assert_eq!(result["study"]["answers"], 1);
    let turn: Value = lab.post(&format!("{link}/ask"), json!({})).await.json().await.unwrap();
    assert_eq!(turn["answers"], 1, "the participant's link opens it again");
    // Something else is refused in a sentence that names no path of this machine.
    for wrong in [b"no database".to_vec(), backup[..backup.len() / 2].to_vec(), Vec::new()] {
        let refused = bring(wrong).await;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
        let said = refused.text().await.unwrap();
        assert!(said.contains("the file that was sent") && !said.contains("/tmp"), "{said}");
    }
    // The browser's way: a form with its token first.
    let csrf = lab.csrf("/").await;
    let file = || Part::bytes(backup.to_vec()).file_name("b.db");
    let form = Form::new().text("csrf", csrf).part("file", file());
    let sent = lab.request(Method::POST, "/restore").multipart(form).send().await.unwrap();
    assert_eq!(header(sent.headers(), "location"), "/?restored=0");
    let forged = Form::new().part("file", file());
    assert_eq!(
        lab.request(Method::POST, "/restore").multipart(forged).send().await.unwrap().status(),
        StatusCode::FORBIDDEN
    );
}

#[tokio::test]
async fn a_study_that_another_process_deleted_says_so() {
    let lab = Lab::start().await;
    let study = lab.study(ITEMS).await;
    let path = format!("/studies/{study}");
    let turn = lab.api(Method::POST, &format!("{path}/ask"), Some(json!({}))).await;
    rather_study::store::Store::open(&lab.data).unwrap().delete(&study).unwrap();
    let tell = lab
        .post(&format!("/api/v1{path}/tell"), json!({ "duel": turn["next"]["duel"], "answer": "left" }))
        .await;
    assert_eq!(tell.status(), StatusCode::NOT_FOUND);
    let said = tell.text().await.unwrap();
    assert!(said.contains("was deleted") && said.contains("nothing was recorded"), "{said}");
}

#[tokio::test]
async fn a_webhook_is_told_of_answers_and_no_answer_waits_for_it() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let lab = Lab::start().await;
    let study =
        lab.study(&format!("{ITEMS}[presentation]\nwebhook = \"http://{address}/answers?x=1\"\n")).await;
    let path = format!("/studies/{study}");
    // Nobody takes the call yet.
    let begun = std::time::Instant::now();
    let turn = lab.api(Method::POST, &format!("{path}/ask"), Some(json!({ "participant": "ann" }))).await;
    let tell = json!({ "participant": "ann", "duel": turn["next"]["duel"], "answer": "left", "key": "k" });
    lab.api(Method::POST, &format!("{path}/tell"), Some(tell)).await;
    assert!(begun.elapsed() < std::time::Duration::from_secs(3), "an answer waits for no webhook");
    let call = tokio::task::spawn_blocking(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut text = String::new();
        let mut piece = [0; 4096];
        while !text.ends_with('}') {
            let read = stream.read(&mut piece).unwrap();
            text += std::str::from_utf8(&piece[..read]).unwrap();
        }
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
        text
    });
    let call = call.await.unwrap();
    assert!(call.starts_with("POST /answers?x=1 HTTP/1.1\r\n"), "{call}");
    let body: Value = serde_json::from_str(call.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    let expected = json!({ "study": study, "participant": "ann", "event": "answered", "duel": 1, "answer": "left", "answers": 1 });
    assert_eq!(body, expected);
    let bad = format!("{ITEMS}[presentation]\nwebhook = \"https://elsewhere.example/\"\n");
    let request = Client::new().post(format!("{}/api/v1/studies", lab.url)).json(&json!({ "toml": bad }));
    let refused = request.send().await.unwrap();
    assert!(refused.text().await.unwrap().contains("begins with http://"));
}

//! Participants who come by a link.

use crate::lab::{ITEMS, Lab, TOKEN, header};
use rather_studio::security::host::PublicOrigin;
use rather_studio::security::token::OperatorToken;
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

async fn invite(lab: &Lab, study: &str, name: &str) -> String {
    let made =
        lab.api(Method::POST, &format!("/studies/{study}/participants"), Some(json!({ "name": name }))).await;
    made["link"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_link_opens_one_studys_duels_and_nothing_else() {
    let lab = Lab::with(|config| {
        config.token =
            Some(rather_studio::security::token::OperatorToken::new(crate::lab::TOKEN, "test").unwrap());
    })
    .await;
    let operator = |method: Method, path: String, body: Value| {
        let request = Client::new().request(method, format!("{}/api/v1{path}", lab.url));
        request.header("authorization", format!("Bearer {}", crate::lab::TOKEN)).json(&body)
    };
    let made: Value = operator(Method::POST, "/studies".into(), json!({ "toml": ITEMS }))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let study = made["id"].as_str().unwrap().to_owned();
    let invited = operator(Method::POST, format!("/studies/{study}/participants"), json!({ "name": "ann" }));
    let link =
        invited.send().await.unwrap().json::<Value>().await.unwrap()["link"].as_str().unwrap().to_owned();
    assert!(link.starts_with("/p/") && link.len() == 3 + 22, "{link}");

    let page = lab.get(&link).await;
    assert_eq!(page.status(), StatusCode::OK);
    let text = page.text().await.unwrap();
    assert!(text.contains("Teas") && !text.contains("/studies/") && !text.contains("New study"), "{text}");
    // A script knows the path, and needs no more.
    let ask = lab.post(&format!("{link}/ask"), json!({ "participant": "ann" })).await;
    let turn: Value = ask.json().await.unwrap();
    let told = lab
        .post(&format!("{link}/tell"), json!({ "duel": turn["next"]["duel"], "answer": "left", "key": "k" }))
        .await;
    assert_eq!(told.json::<Value>().await.unwrap()["answers"], 1);
    let undone = lab.post(&format!("{link}/undo"), json!({})).await;
    assert_eq!(undone.json::<Value>().await.unwrap()["answers"], 0);
    // Not in another's name.
    assert_eq!(
        lab.post(&format!("{link}/ask"), json!({ "participant": "bob" })).await.status(),
        StatusCode::BAD_REQUEST
    );
    // Nor anything of the operator's.
    assert_eq!(lab.get(&format!("/studies/{study}/result")).await.status(), StatusCode::SEE_OTHER);
    assert_eq!(lab.get(&format!("/api/v1/studies/{study}/history")).await.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(lab.post(&format!("{link}/export"), json!({})).await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn links_cannot_be_guessed_and_can_be_replaced() {
    let lab = Lab::start().await;
    let study = lab.study(ITEMS).await;
    let link = invite(&lab, &study, "ann").await;
    for wrong in [
        "/p/AAAAAAAAAAAAAAAAAAAAAA".to_owned(),
        format!("{}A", &link[..link.len() - 1]),
        format!("{link}A"),
        "/p/".into(),
        "/p/ann".into(),
    ] {
        if wrong != link {
            assert_eq!(lab.get(&wrong).await.status(), StatusCode::NOT_FOUND, "{wrong}");
        }
    }
    let fresh = invite(&lab, &study, "ann").await;
    assert_ne!(fresh, link);
    assert_eq!(lab.get(&link).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(lab.get(&fresh).await.status(), StatusCode::OK);
    // The file keeps the hash only.
    let token = fresh.split('/').next_back().unwrap().as_bytes();
    for file in ["studio.db", "studio.db-wal"] {
        let bytes = std::fs::read(lab.data.with_file_name(file)).unwrap_or_default();
        assert!(!bytes.windows(token.len()).any(|window| window == token));
    }
    lab.api(Method::DELETE, &format!("/studies/{study}"), None).await;
    assert_eq!(lab.get(&fresh).await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_page_without_scripts_answers_by_form() {
    let lab = Lab::start().await;
    let study = lab.study(ITEMS).await;
    let link = invite(&lab, &study, "ann").await;
    let csrf = lab.csrf(&link).await;
    let send = async |action: &str, duel: &str| {
        let form = [("csrf", csrf.as_str()), ("participant", "ann"), ("duel", duel), ("action", action)];
        lab.request(Method::POST, &link).form(&form).send().await.unwrap()
    };
    for (action, answers) in [("left", 1), ("tie", 2), ("skip", 2), ("undo", 2), ("undo", 1)] {
        let turn: Value = lab.post(&format!("{link}/ask"), json!({})).await.json().await.unwrap();
        let sent = send(action, &turn["next"]["duel"].to_string()).await;
        assert_eq!(
            (sent.status(), header(sent.headers(), "location")),
            (StatusCode::SEE_OTHER, link.as_str()),
            "{action}"
        );
        let turn: Value = lab.post(&format!("{link}/ask"), json!({})).await.json().await.unwrap();
        assert_eq!(turn["answers"], answers, "{action}");
    }
    // This study asks for no grades.
    let turn: Value = lab.post(&format!("{link}/ask"), json!({})).await.json().await.unwrap();
    let graded = send("much left", &turn["next"]["duel"].to_string()).await;
    assert_eq!(graded.status(), StatusCode::BAD_REQUEST);
    assert!(graded.text().await.unwrap().contains("write left, right, tie or skip"));
    assert_eq!(send("left", "999").await.status(), StatusCode::CONFLICT);
    assert_eq!(send("dance", "1").await.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_participant_reads_and_agrees_before_the_first_comparison() {
    let lab = Lab::start().await;
    let shown = "[presentation]\ninstructions = \"Use headphones.\"\nconsent = \"I am of age.\"\nthanks = \"That was all.\"\nredirect = \"https://survey.example/?id=3\"\n[stop]\nanswers = 1\n";
    let study = lab.study(&format!("{ITEMS}{shown}")).await;
    let path = format!("/studies/{study}");
    let link = lab.api(Method::POST, &format!("{path}/participants"), Some(json!({ "name": "ann" }))).await;
    let link = link["link"].as_str().unwrap().to_owned();
    let page = lab.get(&link).await.text().await.unwrap();
    assert!(
        page.contains("Use headphones.") && page.contains("I am of age.") && !page.contains("id=\"duel\"")
    );
    // Nothing goes round it.
    assert_eq!(lab.post(&format!("{link}/ask"), json!({})).await.status(), StatusCode::CONFLICT);
    let begin = |consent: &'static str| {
        let link = link.clone();
        let lab = &lab;
        async move {
            let csrf = lab.csrf(&link).await;
            let form = [("csrf", csrf.as_str()), ("consent", consent)];
            lab.request(Method::POST, &format!("{link}/begin")).form(&form).send().await.unwrap().status()
        }
    };
    assert_eq!(begin("").await, StatusCode::BAD_REQUEST);
    assert_eq!(begin("yes").await, StatusCode::SEE_OTHER);
    let turn: serde_json::Value = lab.post(&format!("{link}/ask"), json!({})).await.json().await.unwrap();
    let tell = json!({ "duel": turn["next"]["duel"], "answer": "left", "key": "k" });
    assert_eq!(lab.post(&format!("{link}/tell"), tell).await.status(), StatusCode::OK);
    let end = lab.get(&link).await.text().await.unwrap();
    assert!(end.contains("That was all.") && end.contains("href=\"https://survey.example/?id=3\""), "{end}");
    // The operator is asked nothing, and sees how far they are.
    let operator = lab.get(&format!("{path}/duel?participant=me")).await.text().await.unwrap();
    assert!(operator.contains("id=\"duel\"") && !operator.contains("That was all."));
    let bad = format!("{ITEMS}[presentation]\nredirect = \"javascript:alert(1)\"\n");
    let request = Client::new().post(format!("{}/api/v1/studies", lab.url));
    let refused = request.json(&json!({ "toml": bad })).send().await.unwrap();
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn links_are_those_that_others_can_open_and_have_a_code() {
    let lab = Lab::with(|config| {
        config.public = Some(PublicOrigin::parse("https://lab.example").unwrap());
        config.token = Some(OperatorToken::new(TOKEN, "the test").unwrap());
    })
    .await;
    let ask = |method, path: &str| lab.request(method, path).bearer_auth(TOKEN);
    let made = ask(Method::POST, "/api/v1/studies").json(&json!({ "toml": ITEMS })).send().await.unwrap();
    let study = made.json::<serde_json::Value>().await.unwrap()["id"].as_str().unwrap().to_owned();
    let invite = ask(Method::POST, &format!("/api/v1/studies/{study}/participants"));
    let link = invite
        .json(&json!({ "name": "ann" }))
        .send()
        .await
        .unwrap()
        .json::<serde_json::Value>()
        .await
        .unwrap();
    let page =
        ask(Method::GET, &format!("/studies/{study}/result")).send().await.unwrap().text().await.unwrap();
    let whole = format!("https://lab.example{}", link["link"].as_str().unwrap());
    assert!(page.contains(&format!("data-copy-link=\"{whole}\"")), "{page}");
    assert!(page.contains("QR code") && page.contains("<path"), "the code is drawn");
}

#[tokio::test]
async fn participants_read_the_language_of_their_study_and_the_operator_english() {
    let lab = Lab::start().await;
    let study = lab.study(&format!("{ITEMS}[presentation]\nlanguage = \"de\"\nvolume_check = true\n")).await;
    let link = invite(&lab, &study, "ann").await;
    let welcome = lab.get(&link).await.text().await.unwrap();
    assert!(welcome.contains("<html lang=\"de\">") && welcome.contains("Lautstärke einstellen"), "{welcome}");
    let csrf = lab.csrf(&link).await;
    let form = [("csrf", csrf.as_str()), ("headphones", "5")];
    lab.request(Method::POST, &format!("{link}/begin")).form(&form).send().await.unwrap();
    let page = lab.get(&link).await.text().await.unwrap();
    for text in [
        "<html lang=\"de\">",
        "Vergleich 1",
        "A ist besser",
        "Überspringen",
        "\"Undone.\":\"Rückgängig gemacht.\"",
    ] {
        assert!(page.contains(text), "{text} in {page}");
    }
    let kept = lab.api(Method::GET, &format!("/studies/{study}/questionnaire"), None).await;
    assert_eq!(kept["answers"][0]["answer"], "5", "the test for headphones is kept: {kept}");
    let operator = lab.get(&format!("/studies/{study}/duel?participant=me")).await.text().await.unwrap();
    assert!(operator.contains("<html lang=\"en\">") && operator.contains("A is better"));
    let bad = format!("{ITEMS}[presentation]\nlanguage = \"xx\"\n");
    let request = Client::new().post(format!("{}/api/v1/studies", lab.url)).json(&json!({ "toml": bad }));
    let refused = request.send().await.unwrap();
    assert!(refused.text().await.unwrap().contains("there are no pages in \\\"xx\\\""));
}

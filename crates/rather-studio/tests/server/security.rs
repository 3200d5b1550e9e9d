//! What strangers, foreign pages and curious participants cannot do.

use crate::lab::{ITEMS, Lab, ONE, TOKEN, header};
use rather_studio::security::token::OperatorToken;
use rather_studio::{Config, Server};
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

async fn with_token() -> Lab {
    Lab::with(|config| config.token = Some(OperatorToken::new(TOKEN, "test").unwrap())).await
}

#[tokio::test]
async fn an_address_that_others_can_reach_needs_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("s.db");
    let config = Config { listen: "0.0.0.0:0".parse().unwrap(), ..Config::local(&data) };
    let sentence = Server::start(config).await.unwrap_err().to_string();
    assert!(sentence.starts_with("others can reach 0.0.0.0:0, so a token is needed"), "{sentence}");
    assert!(!data.exists(), "a refusal leaves nothing behind");
}

#[tokio::test]
async fn other_names_are_refused() {
    let lab = Lab::start().await;
    for path in ["/", "/api/v1/studies", "/assets/x/app.css", "/nothing"] {
        let foreign = lab.request(Method::GET, path).header("host", "evil.example").send().await.unwrap();
        assert_eq!(foreign.status(), StatusCode::MISDIRECTED_REQUEST, "{path}");
        assert!(!foreign.text().await.unwrap().contains("studies\":"));
    }
    let named = lab.request(Method::GET, "/").header("host", "localhost:1").send().await.unwrap();
    assert_eq!(named.status(), StatusCode::OK);
}

#[tokio::test]
async fn foreign_pages_change_nothing() {
    let lab = Lab::start().await;
    let study = lab.study(ITEMS).await;
    let (ask, api) = (format!("/api/v1/studies/{study}/ask"), "/api/v1/studies");
    for (name, value) in [
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("origin", "http://127.0.0.1:1"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ] {
        for (path, body) in [(ask.as_str(), json!({})), (api, json!({ "toml": ONE }))] {
            let sent = lab.request(Method::POST, path).header(name, value).json(&body).send().await.unwrap();
            assert_eq!(sent.status(), StatusCode::FORBIDDEN, "{path}, {name}: {value}");
        }
    }
    // What a form of a foreign page can send without asking is no JSON.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        let sent =
            lab.request(Method::POST, &ask).header("content-type", kind).body("{}").send().await.unwrap();
        assert_eq!(sent.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
        let file = format!("/api/v1/studies/{study}/import");
        let sent =
            lab.request(Method::POST, &file).header("content-type", kind).body("a,b").send().await.unwrap();
        assert_eq!(sent.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
    }
    // A script of our own pages sends the page's token.
    let origin = lab.url.clone();
    let without =
        lab.request(Method::POST, &ask).header("origin", &origin).json(&json!({})).send().await.unwrap();
    assert_eq!(without.status(), StatusCode::FORBIDDEN);
    let csrf = lab.csrf("/").await;
    let with = lab.request(Method::POST, &ask).header("origin", &origin).header("x-csrf-token", &csrf);
    assert_eq!(with.json(&json!({})).send().await.unwrap().status(), StatusCode::OK);
    // Another session's token is none.
    let other = Client::builder().cookie_store(true).build().unwrap();
    other.get(format!("{}/", lab.url)).send().await.unwrap();
    let stolen =
        other.post(format!("{}{ask}", lab.url)).header("origin", &origin).header("x-csrf-token", csrf);
    assert_eq!(stolen.json(&json!({})).send().await.unwrap().status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn forms_need_the_token_of_their_page() {
    let lab = Lab::start().await;
    let study = lab.study(ITEMS).await;
    let csrf = lab.csrf("/").await;
    let forms: [(String, Vec<(&str, &str)>); 5] = [
        (format!("/studies/{study}/participants"), vec![("name", "ann")]),
        (format!("/studies/{study}/undo"), vec![("participant", "me")]),
        (format!("/studies/{study}/duel"), vec![("participant", "me"), ("duel", "1"), ("action", "left")]),
        (format!("/studies/{study}/archive"), vec![]),
        (format!("/studies/{study}/restore"), vec![]),
    ];
    for (path, fields) in &forms {
        for wrong in ["", "x", "AAAAAAAAAAAAAAAAAAAAAA"] {
            let fields: Vec<_> = fields.iter().copied().chain([("csrf", wrong)]).collect();
            let sent = lab.request(Method::POST, path).form(&fields).send().await.unwrap();
            assert_eq!(sent.status(), StatusCode::FORBIDDEN, "{path}");
            assert!(sent.text().await.unwrap().contains("was not sent from a page of this studio"));
        }
    }
    let sent = lab
        .request(Method::POST, &forms[0].0)
        .form(&[("name", "ann"), ("csrf", csrf.as_str())])
        .send()
        .await
        .unwrap();
    assert_eq!(sent.status(), StatusCode::SEE_OTHER);
    let made = reqwest::multipart::Form::new().text("csrf", "wrong").text("title", "x");
    let sent = lab.request(Method::POST, "/studies/new").multipart(made).send().await.unwrap();
    assert_eq!(sent.status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn every_answer_has_its_headers() {
    let lab = Lab::start().await;
    let study = lab.study(ITEMS).await;
    let pages = [
        "/".to_owned(),
        "/studies/new".into(),
        format!("/studies/{study}/duel"),
        format!("/studies/{study}/result"),
        "/nothing".into(),
    ];
    for path in pages {
        let answer = lab.get(&path).await;
        let headers = answer.headers().clone();
        let policy = header(&headers, "content-security-policy");
        if answer.status() == StatusCode::OK {
            assert!(
                policy.contains("script-src 'self';") && policy.contains("default-src 'none'"),
                "{path}: {policy}"
            );
            assert!(
                policy.contains("frame-ancestors 'none'") && policy.contains("form-action 'self'"),
                "{path}"
            );
        }
        assert!(!policy.is_empty() && !policy.contains("unsafe-eval") && !policy.contains('*'), "{path}");
        assert_eq!(header(&headers, "x-content-type-options"), "nosniff");
        assert_eq!(header(&headers, "x-frame-options"), "DENY");
        assert_eq!(header(&headers, "referrer-policy"), "same-origin");
        assert_eq!(header(&headers, "cache-control"), "no-store");
        let text = answer.text().await.unwrap();
        // Nothing that the policy would keep from working.
        assert!(!text.contains(" style=\"") && !text.contains(" onclick="), "{path}");
        for (i, _) in text.match_indices("<script") {
            let tag = text[i..].split('>').next().unwrap();
            assert!(
                tag.contains("src=\"/assets/") || tag.contains("type=\"application/json\""),
                "{path}: {tag}"
            );
        }
    }
    for path in ["/api/v1/studies", "/api/v1/openapi.json", "/nothing", "/assets/x/app.css"] {
        let headers = lab.get(path).await.headers().clone();
        assert!(header(&headers, "content-security-policy").starts_with("sandbox;"), "{path}");
        assert_eq!(header(&headers, "x-content-type-options"), "nosniff");
    }
    let cookie = lab.request(Method::GET, "/").send().await.unwrap();
    // The first visit has set it already.
    assert_eq!(header(cookie.headers(), "set-cookie"), "");
    let fresh = reqwest::get(format!("{}/", lab.url)).await.unwrap();
    let cookie = header(fresh.headers(), "set-cookie");
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Path=/"),
        "{cookie}"
    );
}

#[tokio::test]
async fn only_the_operator_sees_anything() {
    let lab = with_token().await;
    let stranger = Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let bearer = |token: &str| format!("Bearer {token}");
    let made = stranger.post(format!("{}/api/v1/studies", lab.url)).header("authorization", bearer(TOKEN));
    let made: Value = made.json(&json!({ "toml": ITEMS })).send().await.unwrap().json().await.unwrap();
    let study = made["id"].as_str().unwrap();
    for path in [
        "/api/v1/studies".to_owned(),
        format!("/api/v1/studies/{study}"),
        format!("/api/v1/studies/{study}/export"),
    ] {
        let answer = stranger.get(format!("{}{path}", lab.url)).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{path}");
        for wrong in ["", "x", &TOKEN[1..]] {
            let answer = stranger
                .get(format!("{}{path}", lab.url))
                .header("authorization", bearer(wrong))
                .send()
                .await
                .unwrap();
            assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{path}");
        }
        let answer = stranger
            .get(format!("{}{path}", lab.url))
            .header("authorization", bearer(TOKEN))
            .send()
            .await
            .unwrap();
        assert_ne!(answer.status(), StatusCode::UNAUTHORIZED, "{path}");
    }
    for path in [
        "/".to_owned(),
        format!("/studies/{study}/duel"),
        format!("/studies/{study}/result"),
        "/studies/new".into(),
    ] {
        let answer = lab.get(&path).await;
        assert_eq!(answer.status(), StatusCode::SEE_OTHER, "{path}");
        assert!(header(answer.headers(), "location").starts_with("/sign-in?next="));
    }
    let figure = lab.get(&format!("/studies/{study}/figures/ranking.svg")).await;
    assert_eq!(figure.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn signing_in_makes_a_new_session_and_leads_nowhere_else() {
    let lab = with_token().await;
    let csrf = lab.csrf("/sign-in").await;
    let sign_in = async |token: &str, next: &str| {
        let form = [("csrf", csrf.as_str()), ("token", token), ("next", next)];
        lab.request(Method::POST, "/sign-in").form(&form).send().await.unwrap()
    };
    let wrong = sign_in("wrong", "/").await;
    assert_eq!(wrong.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(header(wrong.headers(), "set-cookie"), "");
    assert!(!wrong.text().await.unwrap().contains(TOKEN));
    let right = sign_in(TOKEN, "//evil.example").await;
    assert_eq!((right.status(), header(right.headers(), "location")), (StatusCode::SEE_OTHER, "/"));
    assert!(header(right.headers(), "set-cookie").contains("HttpOnly"));
    assert_eq!(lab.get("/").await.status(), StatusCode::OK);
    let cookie = header(right.headers(), "set-cookie").split(';').next().unwrap().to_owned();
    let csrf = lab.csrf("/").await;
    let out = lab.request(Method::POST, "/sign-out").form(&[("csrf", csrf)]).send().await.unwrap();
    assert_eq!(out.status(), StatusCode::SEE_OTHER);
    assert_eq!(lab.get("/").await.status(), StatusCode::SEE_OTHER);
    // Whoever kept the cookie has nothing.
    let plain = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let again = plain.get(format!("{}/", lab.url)).header("cookie", cookie).send().await.unwrap();
    assert_eq!(again.status(), StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn no_path_reaches_the_file_system() {
    let lab = Lab::start().await;
    let study = lab.study(ITEMS).await;
    for path in [
        "/assets/x/..%2f..%2f..%2fCargo.toml".to_owned(),
        "/assets/x/%2e%2e%2fassets.rs".into(),
        "/assets/x/..%5capp.css".into(),
        "/media/..%2f..%2fetc%2fpasswd".into(),
        "/media/%00".into(),
        "/p/..%2f..%2fetc%2fpasswd".into(),
        "/studies/..%2f..%2fetc%2fpasswd/result".into(),
        format!("/studies/{study}/figures/..%2f..%2f..%2fetc%2fpasswd"),
        format!("/studies/{study}/figures/..%2f..%2fx.svg"),
        format!("/api/v1/studies/{study}%2f..%2f..%2fx"),
        "/api/v1/studies/%ff%fe".into(),
    ] {
        let answer = lab.get(&path).await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
        let text = answer.text().await.unwrap();
        assert!(!text.contains("root:") && !text.contains("[package]"), "{path}");
    }
    // A definition from the web must not make this machine read a file.
    let toml = "items = \"/etc/passwd\"";
    let program = reqwest::Client::new().post(format!("{}/api/v1/studies", lab.url));
    let sent = program.json(&json!({ "toml": toml })).send().await.unwrap();
    assert_eq!(sent.status(), StatusCode::BAD_REQUEST);
    assert!(sent.text().await.unwrap().contains("cannot be the name of a file here"));
}

#[tokio::test]
async fn errors_tell_nothing_of_the_machine() {
    let lab = Lab::start().await;
    let study = lab.study(ITEMS).await;
    // The file disappears under a running studio, and becomes something else.
    std::fs::write(
        &lab.data,
        "this is no database any more, but a text that is long enough to be read as one",
    )
    .unwrap();
    for file in ["studio.db-wal", "studio.db-shm"] {
        let _ = std::fs::remove_file(lab.data.with_file_name(file));
    }
    let folder = lab.data.parent().unwrap().display().to_string();
    for path in [
        format!("/api/v1/studies/{study}/result"),
        "/api/v1/studies".into(),
        format!("/studies/{study}/duel"),
    ] {
        let text = lab.get(&path).await.text().await.unwrap();
        for secret in [folder.as_str(), "SQLite", "sqlite", "panicked", "src/"] {
            assert!(!text.contains(secret), "{path} tells {secret}: {text}");
        }
    }
}

#[tokio::test]
async fn bodies_have_a_limit() {
    let lab = Lab::with(|config| {
        config.limits.body = 1000;
        config.limits.file = 2000;
    })
    .await;
    let study = lab.study(ITEMS).await;
    let long = "x".repeat(3000);
    let sent = lab.post(&format!("/api/v1/studies/{study}/ask"), json!({ "participant": long })).await;
    assert_eq!(sent.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let csrf = lab.csrf("/").await;
    let form = [("csrf", csrf.as_str()), ("name", long.as_str())];
    let sent = lab
        .request(Method::POST, &format!("/studies/{study}/participants"))
        .form(&form)
        .send()
        .await
        .unwrap();
    assert_eq!(sent.status(), StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn methods_that_are_not_there_are_said() {
    let lab = Lab::start().await;
    let answer = lab.request(Method::PUT, "/api/v1/studies").send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(answer.json::<Value>().await.unwrap()["code"], "method");
}

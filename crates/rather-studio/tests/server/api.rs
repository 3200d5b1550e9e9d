//! The API as a program uses it.

use crate::lab::{ITEMS, Lab, ONE, header};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

/// Answers `n` duels, always for what comes first in the alphabet or is smaller.
async fn answer(lab: &Lab, study: &str, n: usize) -> Value {
    let mut turn = lab.api(Method::POST, &format!("/studies/{study}/ask"), Some(json!({}))).await;
    for _ in 0..n {
        let side = |name: &str| turn["next"][name]["label"].as_str().unwrap().to_owned();
        let better = if side("left") < side("right") { "left" } else { "right" };
        let body = json!({ "duel": turn["next"]["duel"], "answer": better });
        turn = lab.api(Method::POST, &format!("/studies/{study}/tell"), Some(body)).await;
        assert_eq!(turn["recorded"], true);
    }
    turn
}

#[tokio::test]
async fn from_the_first_question_to_the_result() {
    let lab = Lab::start().await;
    let study = lab.study(ITEMS).await;
    let path = |rest: &str| format!("/studies/{study}{rest}");
    let listed = lab.api(Method::GET, "/studies", None).await;
    assert_eq!(listed["studies"][0]["title"], "Teas");
    assert_eq!(lab.api(Method::GET, &path(""), None).await["definition"]["question"], "Which do you prefer?");
    assert_eq!(lab.api(Method::GET, &path("/best"), None).await, json!({ "best": null, "certainty": null }));

    let turn = answer(&lab, &study, 8).await;
    assert_eq!((&turn["answers"], &turn["can_undo"]), (&json!(8), &json!(true)));
    let best = lab.api(Method::GET, &path("/best"), None).await;
    assert_eq!(best["best"]["item"], "Assam");
    let result = lab.api(Method::GET, &path("/result"), None).await;
    assert_eq!((&result["ranking"][0]["label"], &result["study"]["answers"]), (&json!("Assam"), &json!(8)));
    assert_eq!(result["history"].as_array().unwrap().len(), 8);
    let posterior = lab.api(Method::GET, &path("/posterior"), None).await;
    assert_eq!(posterior["points"].as_array().unwrap().len(), 4);
    let at =
        lab.api(Method::POST, &path("/posterior"), Some(json!({ "alternatives": ["Mate", "Assam"] }))).await;
    assert!(at["points"][1]["mean"].as_f64() > at["points"][0]["mean"].as_f64());
    let chances =
        lab.api(Method::POST, &path("/probabilities"), Some(json!({ "pairs": [["Assam", "Sencha"]] }))).await;
    assert!(chances["probabilities"][0].as_f64().unwrap() > 0.5);
    let scores = lab.api(Method::GET, &path("/acquisition"), None).await;
    assert_eq!(scores["points"].as_array().unwrap().len(), 4);
    for figure in result["figures"].as_array().unwrap() {
        let figure = lab.get(&format!("{}&width=600&theme=dark&v=1", figure["url"].as_str().unwrap())).await;
        assert_eq!(
            (figure.status(), header(figure.headers(), "content-type")),
            (StatusCode::OK, "image/svg+xml")
        );
    }

    let told = lab
        .api(
            Method::POST,
            &path("/tell"),
            Some(json!({ "left": "Mate", "right": "Oolong", "answer": "tie" })),
        )
        .await;
    assert_eq!(told["answers"], 9);
    let undone = lab.api(Method::POST, &path("/undo"), Some(json!({}))).await;
    assert_eq!(undone["answers"], 8);
    let skipped =
        lab.api(Method::POST, &path("/skip"), Some(json!({ "duel": undone["next"]["duel"] }))).await;
    assert_eq!(skipped["answers"], 8);
    assert_ne!(skipped["next"]["duel"], undone["next"]["duel"]);
}

const SETS: &str = "title = \"Teas\"\nitems = [\"Assam\", \"Keemun\", \"Mate\", \"Oolong\", \"Sencha\"]\noptions = 4\nanswers = \"best and worst\"";

#[tokio::test]
async fn a_study_of_sets_asks_for_the_best_and_the_worst() {
    let lab = Lab::start().await;
    let study = lab.study(SETS).await;
    let path = |rest: &str| format!("/studies/{study}{rest}");
    let mut turn = lab.api(Method::POST, &path("/ask"), Some(json!({}))).await;
    for answers in 1..=6 {
        let next = &turn["next"];
        let mut shown: Vec<&Value> = vec![&next["left"], &next["right"]];
        shown.extend(next["others"].as_array().unwrap());
        let labels: Vec<&str> = shown.iter().map(|option| option["label"].as_str().unwrap()).collect();
        assert_eq!(labels.len(), 4);
        let place = |name: Option<&&str>| labels.iter().position(|label| Some(label) == name).unwrap() + 1;
        let said = format!("best {}, worst {}", place(labels.iter().min()), place(labels.iter().max()));
        let body = json!({ "duel": next["duel"], "answer": said, "key": format!("k{answers}") });
        turn = lab.api(Method::POST, &path("/tell"), Some(body.clone())).await;
        assert_eq!((&turn["recorded"], &turn["answers"]), (&json!(true), &json!(answers)));
        // Sent again, it counts once.
        assert_eq!(lab.api(Method::POST, &path("/tell"), Some(body)).await["answers"], answers);
    }
    let result = lab.api(Method::GET, &path("/result"), None).await;
    assert_eq!((&result["best"]["item"], result["next"].as_array().unwrap().len()), (&json!("Assam"), 4));
    assert_eq!(result["history"][0]["others"].as_array().unwrap().len(), 2);
    let body = json!({ "options": ["Mate", "Assam", "Oolong", "Sencha"], "answer": "best 2, worst 4" });
    assert_eq!(lab.api(Method::POST, &path("/tell"), Some(body)).await["answers"], 7);
    assert_eq!(lab.api(Method::POST, &path("/undo"), Some(json!({}))).await["answers"], 6);
    let undone = lab.api(Method::POST, &path("/undo"), Some(json!({}))).await;
    assert_eq!((&undone["answers"], undone["next"]["others"].as_array().unwrap().len()), (&json!(5), 2));
    let export = lab.get(&format!("/api/v1{}", path("/export?format=csv"))).await.text().await.unwrap();
    assert!(export.starts_with("option_1,option_2,option_3,option_4,best,worst,user,count,time"), "{export}");
}

#[tokio::test]
async fn answers_about_sets_that_are_none_are_refused_in_one_sentence() {
    let lab = Lab::start().await;
    let study = lab.study(SETS).await;
    let path = |rest: &str| format!("/studies/{study}{rest}");
    let turn = lab.api(Method::POST, &path("/ask"), Some(json!({}))).await;
    let duel = &turn["next"]["duel"];
    for (body, sentence) in [
        (json!({ "duel": duel, "answer": "best 5, worst 1" }), "there is no option 5 in a question about 4"),
        (
            json!({ "duel": duel, "answer": "best 2, worst 2" }),
            "option 2 cannot be both the best and the worst",
        ),
        (
            json!({ "duel": duel, "answer": "left" }),
            "\"left\" is not an answer of this study; write \"best N, worst M\"",
        ),
        (
            json!({ "options": ["Assam", "Mate"], "answer": "best 1, worst 2" }),
            "a question of this study is about 4 options, and 2 were named",
        ),
    ] {
        let refused = lab.post(&format!("/api/v1{}", path("/tell")), body).await;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
        let told: Value = refused.json().await.unwrap();
        assert!(told["error"].as_str().unwrap().starts_with(sentence), "{told}");
    }
    let repeated = format!("{SETS}\n[presentation]\nrepeats = 5\n");
    let refused = lab.post("/api/v1/studies", json!({ "toml": repeated })).await;
    let told: Value = refused.json().await.unwrap();
    assert!(told["error"].as_str().unwrap().contains("repeats is for comparisons of two"), "{told}");
}

#[tokio::test]
async fn a_study_takes_the_answers_that_it_says() {
    let lab = Lab::start().await;
    for (answers, taken) in [
        ("sides", ["left", "right"].as_slice()),
        ("ties", &["left", "right", "tie"]),
        ("graded", &["left", "right", "tie", "much left", "much right"]),
    ] {
        let toml = format!("title = \"{answers}\"\nitems = [\"a\", \"b\", \"c\"]\nanswers = \"{answers}\"");
        let study = lab.study(&toml).await;
        let path = |rest: &str| format!("/studies/{study}{rest}");
        assert_eq!(lab.api(Method::GET, &path(""), None).await["definition"]["answers"], answers);
        for answer in ["left", "right", "tie", "much left", "much right"] {
            let duel = &lab.api(Method::POST, &path("/ask"), Some(json!({}))).await["next"]["duel"];
            let body = json!({ "duel": duel, "answer": answer });
            let told = lab.post(&format!("/api/v1{}", path("/tell")), body).await;
            let (status, told): (_, Value) = (told.status(), told.json().await.unwrap());
            if taken.contains(&answer) {
                assert_eq!((status, &told["recorded"]), (StatusCode::OK, &json!(true)), "{answers} {answer}");
            } else {
                assert_eq!(status, StatusCode::BAD_REQUEST, "{answers} {answer}");
                let said = told["error"].as_str().unwrap();
                assert!(
                    said.starts_with(&format!(
                        "\"{answer}\" is not an answer of this study; write left, right"
                    )),
                    "{said}"
                );
            }
        }
        let result = lab.api(Method::GET, &path("/result"), None).await;
        assert_eq!(result["graded"], answers == "graded");
        let mut said: Vec<_> = result["history"]
            .as_array()
            .unwrap()
            .iter()
            .map(|a| a["answer"].as_str().unwrap().to_owned())
            .collect();
        said.reverse();
        assert_eq!(said, taken);
    }
}

#[tokio::test]
async fn answers_go_out_and_come_in() {
    let lab = Lab::start().await;
    let study = lab.study(ITEMS).await;
    answer(&lab, &study, 5).await;
    let export = lab.get(&format!("/api/v1/studies/{study}/export?format=csv")).await;
    assert!(header(export.headers(), "content-disposition").starts_with("attachment; filename=\"teas.csv\""));
    let csv = export.text().await.unwrap();
    assert_eq!(csv.lines().count(), 6, "{csv}");

    let other = lab.study(ITEMS).await;
    let send = async |query: &str, body: &str| {
        let path = format!("/api/v1/studies/{other}/import{query}");
        lab.request(Method::POST, &path)
            .header("content-type", "text/csv")
            .body(body.to_owned())
            .send()
            .await
            .unwrap()
    };
    let imported: Value = send("", &csv).await.json().await.unwrap();
    assert_eq!(imported["answers"], 5);
    // The very same file counts once.
    let again = send("", &csv).await;
    assert_eq!(again.status(), StatusCode::CONFLICT);
    assert_eq!(send("?again=true", &csv).await.status(), StatusCode::OK);
    // Mistakes have their line, and no name of a file that nobody knows.
    let wrong = send("", "left,right,outcome\nAssam,Coffee,left\n").await;
    assert_eq!(wrong.status(), StatusCode::BAD_REQUEST);
    let sentence = wrong.text().await.unwrap();
    assert!(
        sentence.contains("Coffee") && sentence.contains("line 2") && !sentence.contains("/tmp"),
        "{sentence}"
    );
}

#[tokio::test]
async fn the_same_key_counts_once_and_never_for_something_else() {
    let lab = Lab::start().await;
    let study = lab.study(ONE).await;
    let path = format!("/api/v1/studies/{study}");
    let turn: Value = lab.post(&format!("{path}/ask"), json!({})).await.json().await.unwrap();
    let tell = json!({ "duel": turn["next"]["duel"], "answer": "left", "key": "abc" });
    for _ in 0..3 {
        let told: Value = lab.post(&format!("{path}/tell"), tell.clone()).await.json().await.unwrap();
        assert_eq!((&told["recorded"], &told["answers"]), (&json!(true), &json!(1)));
    }
    let reused = json!({ "duel": turn["next"]["duel"], "answer": "right", "key": "abc" });
    assert_eq!(lab.post(&format!("{path}/tell"), reused).await.status(), StatusCode::CONFLICT);
    let late = json!({ "duel": turn["next"]["duel"], "answer": "right" });
    let late = lab.post(&format!("{path}/tell"), late).await;
    assert_eq!(late.status(), StatusCode::CONFLICT);
    assert!(
        late.json::<Value>().await.unwrap()["error"]
            .as_str()
            .unwrap()
            .contains("was answered with \"left\" already")
    );
    assert_eq!(
        lab.post(&format!("{path}/tell"), json!({ "duel": 1, "answer": "left", "key": "x".repeat(201) }))
            .await
            .status(),
        StatusCode::BAD_REQUEST
    );
}

#[tokio::test]
async fn what_is_wrong_is_said_in_one_sentence() {
    let lab = Lab::start().await;
    let study = lab.study(ONE).await;
    let path = format!("/api/v1/studies/{study}");
    for (method, path, body, status, code) in [
        (Method::GET, "/api/v1/studies/none".to_owned(), None, 404, "not_found"),
        (Method::POST, format!("{path}/tell"), Some(json!({ "duel": 1 })), 400, "invalid"),
        (Method::POST, format!("{path}/tell"), Some(json!({ "answer": "left" })), 400, "invalid"),
        (Method::POST, format!("{path}/tell"), Some(json!({ "duel": 7, "answer": "left" })), 409, "conflict"),
        (Method::POST, format!("{path}/tell"), Some(json!({ "duel": -1, "answer": "left" })), 400, "invalid"),
        (Method::POST, format!("{path}/ask"), Some(json!({ "participant": " x " })), 400, "invalid"),
        (Method::POST, format!("{path}/undo"), Some(json!({})), 409, "conflict"),
        (Method::GET, format!("{path}/posterior?points=0"), None, 400, "invalid"),
        (Method::GET, format!("{path}/posterior?points=many"), None, 400, "invalid"),
        (
            Method::POST,
            format!("{path}/posterior"),
            Some(json!({ "alternatives": [{ "x": 7 }] })),
            400,
            "invalid",
        ),
        (Method::GET, format!("{path}/figures/nothing.svg"), None, 404, "not_found"),
        (Method::GET, format!("{path}/export?format=doc"), None, 400, "invalid"),
        (Method::POST, "/api/v1/studies".into(), Some(json!({ "toml": "items = [\"a\"]" })), 400, "invalid"),
        (Method::POST, "/api/v1/studies".into(), Some(json!({})), 400, "invalid"),
    ] {
        let request = lab.request(method, &path);
        let response = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        let response = response.send().await.unwrap();
        let found = response.status().as_u16();
        let failure: Value = response.json().await.unwrap();
        assert_eq!((found, failure["code"].as_str()), (status, Some(code)), "{path}: {failure}");
        let sentence = failure["error"].as_str().unwrap();
        assert!(!sentence.is_empty() && !sentence.contains('\n'), "{sentence}");
    }
}

#[tokio::test]
async fn changes_are_seen_also_those_of_other_programs() {
    let lab = Lab::start().await;
    let study = lab.study(ONE).await;
    let path = format!("/studies/{study}");
    let changes = async || {
        let found = lab.api(Method::GET, &format!("{path}/changes"), None).await;
        (found["answers"].as_u64().unwrap(), found["changes"].as_u64().unwrap())
    };
    assert_eq!(changes().await, (0, 0));
    answer(&lab, &study, 1).await;
    assert_eq!(changes().await, (1, 1));
    // The same number of answers, and yet not the same.
    lab.api(Method::POST, &format!("{path}/undo"), Some(json!({}))).await;
    assert_eq!(changes().await, (0, 2));
    answer(&lab, &study, 1).await;
    assert_eq!(changes().await, (1, 3));
    let result = lab.api(Method::GET, &format!("{path}/result"), None).await;
    assert_eq!(result["changes"], 3);
    // A program of its own, on the same file.
    let mut other = rather_study::Study::open(&lab.data, Some(&study)).unwrap();
    let rather_study::Ask::Duel(asked) = other.ask("bob").unwrap() else { panic!("it has no end") };
    other.tell("bob", Some(asked.number), rather_study::Answer::Left, None).unwrap();
    assert_eq!(changes().await, (2, 4));
}

#[tokio::test]
async fn a_study_ends_after_its_answers() {
    let lab = Lab::start().await;
    let study = lab.study(&format!("{ITEMS}[stop]\nanswers = 2\n")).await;
    let turn = answer(&lab, &study, 2).await;
    assert_eq!((&turn["finished"], &turn["next"]), (&json!(true), &Value::Null));
    let undone = lab.api(Method::POST, &format!("/studies/{study}/undo"), Some(json!({}))).await;
    assert_eq!((&undone["finished"], &undone["next"]["duel"]), (&json!(false), &json!(2)));
}

#[tokio::test]
async fn how_long_an_answer_took_is_kept_and_exported() {
    let lab = Lab::start().await;
    let study = lab.study(ITEMS).await;
    let path = |rest: &str| format!("/studies/{study}{rest}");
    let ask_path = path("/ask");
    let ask = || lab.api(Method::POST, &ask_path, Some(json!({})));
    let csv =
        || async { lab.get(&format!("/api/v1{}", path("/export?format=csv"))).await.text().await.unwrap() };
    let tell = |turn: &Value, timing: Value| json!({ "duel": turn["next"]["duel"], "answer": "left", "timing": timing });
    let turn = ask().await;
    lab.api(Method::POST, &path("/tell"), Some(tell(&turn, Value::Null))).await;
    assert!(csv().await.starts_with("left,right,outcome,user,count,time\r\n"), "nothing is known of time");

    let turn = ask().await;
    for (wrong, part) in [
        (json!({ "seconds": -1 }), "no number of seconds"),
        (json!({ "seconds": 1, "exposure": [1] }), "1 times for 2 options"),
        (json!({ "seconds": 1, "mood": "good" }), "unknown field"),
    ] {
        let refused = lab.post(&format!("/api/v1{}", path("/tell")), tell(&turn, wrong)).await;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
        let text = refused.text().await.unwrap();
        assert!(text.contains(part), "{text}");
    }
    let timing = json!({ "seconds": 4.25, "switches": 3, "exposure": [2.5, 1.5] });
    lab.api(Method::POST, &path("/tell"), Some(tell(&turn, timing.clone()))).await;
    let table = csv().await;
    let mut lines = table.lines();
    let header = "left,right,outcome,user,count,time,response_seconds,switches,exposure_left,exposure_right";
    assert_eq!(lines.next(), Some(header));
    assert!(
        lines.next().unwrap().ends_with("Z,,,,") && lines.next().unwrap().ends_with("Z,4.25,3,2.5,1.5"),
        "{table}"
    );
    let log = lab.get(&format!("/api/v1{}", path("/export?format=jsonl"))).await.text().await.unwrap();
    let answered = log.lines().rfind(|line| line.contains("\"kind\":\"answered\"")).unwrap();
    let answer: Value = serde_json::from_str(answered).unwrap();
    assert_eq!(answer["note"]["timing"], timing);
    // What was exported is read again.
    let again = lab.request(Method::POST, &format!("/api/v1{}", path("/import?format=csv&participant=me")));
    let read = again.header("content-type", "text/csv").body(table).send().await.unwrap();
    assert_eq!(read.status(), StatusCode::OK, "{}", read.text().await.unwrap());
}

#[tokio::test]
async fn a_page_that_is_not_there_is_a_page_for_people_and_json_for_programs() {
    let lab = Lab::start().await;
    let people =
        lab.request(Method::GET, "/nix").header("accept", "text/html,*/*;q=0.8").send().await.unwrap();
    assert_eq!(people.status(), StatusCode::NOT_FOUND);
    assert!(people.text().await.unwrap().contains("There is nothing here"));
    let programs = lab.get("/nix").await;
    assert_eq!(programs.status(), StatusCode::NOT_FOUND);
    assert_eq!(programs.json::<Value>().await.unwrap()["code"], "not_found");
}

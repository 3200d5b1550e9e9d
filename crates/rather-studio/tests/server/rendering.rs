//! An operator's own program as the renderer.
#![cfg(unix)]

use crate::lab::{Lab, header};
use rather_studio::config;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

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

/// A study whose renderer works while it is made and then does what `script` says; the study's id.
async fn breaks(script: &str, megabytes: f64) -> (Lab, String) {
    let mut flag = std::path::PathBuf::new();
    let lab = Lab::with(|config| {
        flag = config.data.with_file_name("broken");
        let file = config.data.with_extension("toml");
        let line = format!("if test -e {}; then {script}; else echo fine; fi", flag.display());
        let command = format!("command = [\"sh\", \"-c\", {line:?}]\nseconds = 2\nmegabytes = {megabytes}\n");
        std::fs::write(&file, format!("[renderers.command]\n{command}")).unwrap();
        config.commands = config::commands(None, Some(&file), &config.data).unwrap();
    })
    .await;
    let study = lab.study(STUDY).await;
    std::fs::write(&flag, "").unwrap();
    (lab, study)
}

#[tokio::test]
async fn a_duel_that_cannot_be_shown_says_why_and_takes_no_answer() {
    for (script, reason) in [
        ("echo no such voice >&2; exit 3", "it ended with exit status: 3: no such voice"),
        ("sleep 100", "it took longer than 2 seconds"),
        ("true", "it wrote nothing"),
        ("head -c 5000 /dev/zero", "it wrote more than 1000 bytes"),
    ] {
        let (lab, study) = breaks(script, 0.001).await;
        let path = format!("/studies/{study}");
        let turn = lab.api(Method::POST, &format!("{path}/ask"), Some(json!({}))).await;
        let (duel, blocked) = (&turn["next"]["duel"], turn["next"]["blocked"].as_str().unwrap());
        assert_eq!(blocked, format!("A and B cannot be shown: the renderer \"command\" failed: {reason}"));
        let told = lab.post(&format!("/api/v1{path}/tell"), json!({ "duel": duel, "answer": "left" })).await;
        assert_eq!(told.status(), StatusCode::CONFLICT);
        assert!(told.text().await.unwrap().contains("cannot be answered"));

        // Without scripts the page says so, too, and has no answer to press.
        let page = lab.get(&format!("{path}/duel")).await.text().await.unwrap();
        assert!(page.contains("A and B cannot be shown") && page.contains("Try again"));
        assert_eq!(page.matches("class=\"answer\"").count(), page.matches("disabled").count() - 2, "{page}");

        // Participants do not learn what the machine said.
        let link =
            lab.api(Method::POST, &format!("{path}/participants"), Some(json!({ "name": "Ann" }))).await;
        let page = lab.get(link["link"].as_str().unwrap()).await.text().await.unwrap();
        assert!(page.contains("A and B cannot be shown") && !page.contains("no such voice"));

        // It can be skipped, and when the renderer works again, answered.
        let skipped = lab.api(Method::POST, &format!("{path}/skip"), Some(json!({ "duel": duel }))).await;
        assert_ne!(&skipped["next"]["duel"], duel);
        std::fs::remove_file(lab.data.with_file_name("broken")).unwrap();
        let turn = lab.api(Method::POST, &format!("{path}/ask"), Some(json!({}))).await;
        assert_eq!(turn["next"]["blocked"], Value::Null);
        let answer = json!({ "duel": turn["next"]["duel"], "answer": "left" });
        assert_eq!(lab.api(Method::POST, &format!("{path}/tell"), Some(answer)).await["recorded"], true);
    }
}

#[tokio::test]
async fn a_renderer_is_tried_when_a_study_is_made() {
    for (line, reason) in [
        ("sh -c 'echo out of tune >&2; exit 3'", "it ended with exit status: 3: out of tune"),
        ("true", "it wrote nothing"),
        // At one end only.
        ("sh -c 'test {x} != 1 && echo fine'", "tried on x = 1 and failed: it ended with exit status: 1"),
    ] {
        let lab = lab(line).await;
        let refused = lab.post("/api/v1/studies", json!({ "toml": STUDY })).await;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{line}");
        let sentence = refused.json::<Value>().await.unwrap()["error"].as_str().unwrap().to_owned();
        assert!(
            sentence.starts_with("the renderer \"command\" was tried on") && sentence.ends_with(reason),
            "{sentence}"
        );
        assert_eq!(lab.api(Method::GET, "/studies", None).await["studies"], json!([]));
    }
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

/// The media of both sides of the comparison that waits.
fn media(turn: &Value) -> Vec<String> {
    let url = |side: &str| turn["next"][side]["media"]["url"].as_str().expect("an address").to_owned();
    vec![url("left"), url("right")]
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_waits_for_no_renderer_and_what_comes_next_is_rendered_ahead() {
    const SLOW: Duration = Duration::from_millis(1500);
    let lab = lab("sh -c 'sleep 1.5; echo \"<!DOCTYPE html><p>{x}</p>\"'").await;
    let study = lab.study(STUDY).await;
    let path = format!("/studies/{study}");
    let post = |verb: &str, body: Value| {
        let (lab, path) = (&lab, format!("{path}/{verb}"));
        async move { lab.api(Method::POST, &path, Some(body)).await }
    };
    let turn = post("ask", json!({})).await;
    let mut known = media(&turn);
    // Somebody looks at the first pair meanwhile.
    let begun = Instant::now();
    loop {
        let ahead = post("ahead", json!({})).await;
        known.extend(ahead["soon"].as_array().unwrap().iter().map(|url| url.as_str().unwrap().to_owned()));
        if ahead["complete"] == true {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{ahead}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for url in &known {
        assert_eq!(lab.get(url).await.status(), StatusCode::OK);
    }
    let start = Instant::now();
    let turn = post("tell", json!({ "duel": turn["next"]["duel"], "answer": "left" })).await;
    for url in media(&turn) {
        assert!(known.contains(&url), "it was told what comes next");
        assert_eq!(lab.get(&url).await.status(), StatusCode::OK);
    }
    println!("answer to next pair: {:?}", start.elapsed());
    assert!(start.elapsed() < SLOW, "{:?}", start.elapsed());
    // Nor does an answer wait that comes before anything is rendered: the page fetches it.
    let start = Instant::now();
    let turn = post("tell", json!({ "duel": turn["next"]["duel"], "answer": "right" })).await;
    println!("answer at once: {:?}", start.elapsed());
    assert!(start.elapsed() < SLOW && turn["recorded"] == true, "{:?}", start.elapsed());
    assert_eq!(turn["next"]["left"]["media"]["kind"], "html");
    assert_eq!(lab.get(&media(&turn)[0]).await.status(), StatusCode::OK);
}

/// Four people, eight settings and three seconds for each: what is rendered first shows all pages, and they say how long it takes.
#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_others_is_told_how_long() {
    let lab = lab("sh -c 'sleep 3; echo \"<!DOCTYPE html><p>{x}</p>\"'").await;
    let study = lab.study(STUDY).await;
    let page = |person: usize| {
        let path = format!("/studies/{study}/duel?participant=p{person}");
        let lab = &lab;
        async move { lab.get(&path).await.text().await.unwrap() }
    };
    let (a, b, c, d) = tokio::join!(page(1), page(2), page(3), page(4));
    let pages = [a, b, c, d];
    assert!(pages.iter().all(|page| page.contains("<iframe")), "it is fetched when it is there");
    let said: Vec<&str> =
        pages.iter().filter_map(|page| Some(page.split_once("it takes about ")?.1)).collect();
    // Two are rendered at a time: whose two are the first has nothing to wait for.
    assert!(said.len() >= 3, "{}", said.len());
    for rest in said {
        let seconds: f64 = rest.split_once(' ').unwrap().0.parse().unwrap();
        assert!((3.0..60.0).contains(&seconds), "{seconds}");
    }
}

#[tokio::test]
async fn who_looks_at_a_result_may_see_any_setting() {
    let lab = lab("sh -c 'echo \"x is {x}\"'").await;
    let study = lab.study(STUDY).await;
    let body = json!({ "alternatives": [{ "x": 0.25 }, { "x": 1 }] });
    let shown = lab.api(Method::POST, &format!("/studies/{study}/show"), Some(body)).await;
    assert_eq!(shown["alternatives"][0]["media"]["text"], "x is 0.25\n");
    assert_eq!(shown["alternatives"][1]["parameters"][0]["value"], "1");
    for (wrong, part) in [
        (json!([{ "x": 2 }]), "must be a number from 0 to 1"),
        (json!([]), "from 1 to 12 alternatives"),
        (json!(["tea"]), "tea"),
    ] {
        let refused =
            lab.post(&format!("/api/v1/studies/{study}/show"), json!({ "alternatives": wrong })).await;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{wrong}");
        assert!(refused.text().await.unwrap().contains(part), "{wrong}");
    }
}

#[tokio::test]
async fn sounds_are_sent_as_flac_with_the_same_samples_to_who_takes_it() {
    let lab = Lab::start().await;
    let toml = "title = \"Floor\"\n[parameters]\nfloor = { type = \"float\", low = -40, high = 0 }\n\
                [presentation]\nrenderer = \"suppressor\"\n";
    let study = lab.study(toml).await;
    let turn = lab.api(Method::POST, &format!("/studies/{study}/ask"), Some(json!({}))).await;
    let url = turn["next"]["left"]["media"]["url"].as_str().unwrap();
    let sent = async |accept: &str| {
        let reply = lab.request(Method::GET, url).header("accept", accept).send().await.unwrap();
        assert_eq!(header(reply.headers(), "vary"), "accept");
        (header(reply.headers(), "content-type").to_owned(), reply.bytes().await.unwrap())
    };
    let (kind, wav) = sent("*/*").await;
    assert_eq!(kind, "audio/wav");
    let samples: Vec<i32> =
        hound::WavReader::new(wav.as_ref()).unwrap().into_samples().collect::<Result<_, _>>().unwrap();
    for _ in 0..2 {
        let (kind, flac) = sent("audio/flac, */*;q=0.5").await;
        assert_eq!(kind, "audio/flac");
        assert!(flac.len() < wav.len(), "{} of {} bytes", flac.len(), wav.len());
        let mut reader = claxon::FlacReader::new(flac.as_ref()).unwrap();
        assert_eq!(reader.samples().collect::<Result<Vec<_>, _>>().unwrap(), samples);
    }
    assert_eq!(sent("*/*").await.1, wav, "who does not take it still gets the file");
}

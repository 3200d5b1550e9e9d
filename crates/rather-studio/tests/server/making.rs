//! Studies that are made by the form, with their files.

use crate::lab::{Lab, header};
use reqwest::multipart::{Form, Part};
use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};

/// A picture of one pixel.
pub(crate) const PIXEL: &[u8] = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;";

pub(crate) async fn send(
    lab: &Lab,
    fields: &[(&'static str, &str)],
    files: Vec<(&'static str, &'static str, Vec<u8>)>,
) -> Response {
    let csrf = lab.csrf("/studies/new").await;
    let mut form = Form::new().text("csrf", csrf);
    for (name, value) in fields {
        form = form.text(*name, (*value).to_owned());
    }
    for (field, name, bytes) in files {
        form = form.part(field, Part::bytes(bytes).file_name(name));
    }
    lab.request(Method::POST, "/studies/new").multipart(form).send().await.unwrap()
}

/// Where the browser is sent, which is the study's page.
pub(crate) fn study_of(response: &Response) -> String {
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    header(response.headers(), "location").split('/').nth(2).unwrap().to_owned()
}

async fn ask(lab: &Lab, study: &str) -> Value {
    lab.api(Method::POST, &format!("/studies/{study}/ask"), Some(json!({}))).await
}

#[tokio::test]
async fn pictures_are_uploaded_and_shown_blind() {
    let lab = Lab::start().await;
    let items = "name,file\nred,a.gif\nblue,b.gif\n";
    let fields = [
        ("how", "form"),
        ("title", "Pictures"),
        ("subject", "items"),
        ("items", items),
        ("media", "file"),
        ("blind", "yes"),
    ];
    let files =
        vec![("media_files", "a.gif", PIXEL.to_vec()), ("media_files", "C:\\x\\b.gif", PIXEL.to_vec())];
    let study = study_of(&send(&lab, &fields, files).await);
    let turn = ask(&lab, &study).await;
    let side = &turn["next"]["left"];
    assert_eq!((&side["label"], &side["media"]["kind"]), (&json!("A"), &json!("image")));
    let picture = lab.get(side["media"]["url"].as_str().unwrap()).await;
    assert_eq!(header(picture.headers(), "content-type"), "image/gif");
    assert_eq!(picture.bytes().await.unwrap(), PIXEL);
}

#[tokio::test]
async fn files_without_a_table_are_items_and_none_is_dropped() {
    let lab = Lab::start().await;
    let files = |names: &[&'static str]| {
        names.iter().map(|name| ("media_files", *name, PIXEL.to_vec())).collect::<Vec<_>>()
    };
    let form = |items: &'static str| {
        [("how", "form"), ("title", "Pictures"), ("subject", "items"), ("items", items), ("media", "")]
    };
    // Not blind: the page tells which item it is.
    for items in ["", "red\nblue\n"] {
        let study = study_of(&send(&lab, &form(items), files(&["red.gif", "blue.gif"])).await);
        let turn = ask(&lab, &study).await;
        for side in ["left", "right"] {
            let side = &turn["next"][side];
            assert!(["red", "blue"].contains(&side["label"].as_str().unwrap()), "{side}");
            let picture = lab.get(side["media"]["url"].as_str().unwrap()).await;
            assert_eq!(picture.bytes().await.unwrap(), PIXEL);
        }
    }
    for (items, names, part) in [
        ("red\nblue\n", ["red.gif", "green.gif"].as_slice(), "no file is called &quot;blue&quot;"),
        ("red\nblue\n", &["red.gif", "blue.gif", "green.gif"], "refers to the file &quot;green.gif&quot;"),
        ("", &["red.gif", "red.gif"], "two files are called &quot;red.gif&quot;"),
    ] {
        let back = send(&lab, &form(items), files(names)).await;
        assert_eq!(back.status(), StatusCode::UNPROCESSABLE_ENTITY);
        let page = back.text().await.unwrap();
        assert!(page.contains(part), "{page}");
    }
}

#[tokio::test]
async fn all_that_is_wrong_with_a_form_and_its_files_is_said_at_once() {
    let lab = Lab::start().await;
    let csrf = lab.csrf("/studies/new").await;
    let fields = [
        ("csrf", csrf.as_str()),
        ("how", "form"),
        ("title", "Pictures"),
        ("subject", "pictures"),
        ("duels", "many"),
        ("half_life", "x"),
    ];
    let mut form =
        fields.into_iter().fold(Form::new(), |form, (name, value)| form.text(name, value.to_owned()));
    let files = [("a.gif", PIXEL), ("b.gif", b"".as_slice()), ("c.gif", b"some words"), ("d.gif", b"\0\0\0")];
    for (name, bytes) in files {
        form = form.part("media_files", Part::bytes(bytes.to_vec()).file_name(name));
    }
    let request = lab.request(Method::POST, "/studies/new").header("accept", "application/json");
    let reply = request.multipart(form).send().await.unwrap();
    assert_eq!(reply.status(), StatusCode::UNPROCESSABLE_ENTITY);
    let told: Value = reply.json().await.unwrap();
    let about: Vec<(&str, Option<&str>)> = told["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| (e["field"].as_str().unwrap(), e["file"].as_str()))
        .collect();
    for wrong in [
        ("media_files", Some("b.gif")),
        ("media_files", Some("c.gif")),
        ("media_files", Some("d.gif")),
        ("duels", None),
        ("half_life", None),
    ] {
        assert!(about.contains(&wrong), "{wrong:?} in {told}");
    }
    assert_eq!(about.len(), 5, "{told}");
}

#[tokio::test]
async fn a_column_of_files_is_no_feature() {
    let lab = Lab::start().await;
    let items = "name,file,price\nred,a.gif,1\nblue,b.gif,2\nteal,c.gif,3\n";
    let fields = [("how", "form"), ("title", "Pictures"), ("subject", "pictures"), ("items", items)];
    let files = ["a.gif", "b.gif", "c.gif"].map(|name| ("media_files", name, PIXEL.to_vec())).to_vec();
    let study = study_of(&send(&lab, &fields, files).await);
    let found = lab.api(Method::GET, &format!("/studies/{study}/result"), None).await;
    assert_eq!(found["notes"], json!([]), "the column of files is not noted");
}

#[tokio::test]
async fn an_archived_study_comes_back() {
    let lab = Lab::start().await;
    let study = lab.study(crate::lab::ITEMS).await;
    let path = format!("/studies/{study}");
    lab.api(Method::DELETE, &path, None).await;
    let all = lab.api(Method::GET, "/studies", None).await;
    assert_eq!(all["studies"], json!([]));
    assert_eq!(all["archived"], json!([{ "id": study, "title": "Teas", "answers": 0 }]));
    assert_eq!(lab.get(&format!("{path}/result")).await.status(), StatusCode::NOT_FOUND);
    let home = lab.get("/").await.text().await.unwrap();
    assert!(home.contains("Archived (1)") && home.contains(&format!("{path}/restore")));
    let csrf = lab.csrf("/").await;
    let form = lab.request(Method::POST, &format!("{path}/restore")).form(&[("csrf", csrf)]);
    let sent = form.send().await.unwrap();
    assert_eq!(header(sent.headers(), "location"), format!("{path}/result"));
    assert_eq!(lab.get(&format!("{path}/result")).await.status(), StatusCode::OK);
    assert_eq!(lab.api(Method::GET, "/studies", None).await["archived"], json!([]));
}

#[tokio::test]
async fn the_operator_is_asked_who_answers() {
    let lab = Lab::start().await;
    let study =
        lab.study(&format!("{}[participants]\nnames = [\"Ann\", \"Bob Müller\"]\n", crate::lab::ITEMS)).await;
    let page = lab.get(&format!("/studies/{study}/duel")).await;
    assert_eq!(page.status(), StatusCode::OK);
    let page = page.text().await.unwrap();
    let bob = format!("/studies/{study}/duel?participant=Bob%20M%C3%BCller");
    assert!(page.contains("Who answers?") && page.contains(&bob), "{page}");
    assert_eq!(lab.get(&bob).await.status(), StatusCode::OK);
    let result = lab.get(&format!("/studies/{study}/result?participant=Ann")).await.text().await.unwrap();
    assert!(result.contains(&format!("/studies/{study}/duel?participant=Ann")));
}

#[tokio::test]
async fn a_recording_of_ones_own_is_cleaned() {
    let lab = Lab::start().await;
    let wav = rather_audio::Demo::new(3).render(&[0.0]).unwrap();
    let fields = [("how", "form"), ("title", "Mine"), ("subject", "suppressor"), ("blind", "yes")];
    let study = study_of(&send(&lab, &fields, vec![("clip_file", "mine.wav", wav)]).await);
    let turn = ask(&lab, &study).await;
    let sound = lab.get(turn["next"]["left"]["media"]["url"].as_str().unwrap()).await;
    assert_eq!(header(sound.headers(), "content-type"), "audio/wav");
    assert!(sound.bytes().await.unwrap().starts_with(b"RIFF"));
}

#[tokio::test]
async fn a_recording_is_kept_while_the_form_goes_back() {
    let lab = Lab::start().await;
    let wav = rather_audio::Demo::new(3).render(&[0.0]).unwrap();
    let wrong = [("how", "form"), ("title", "Mine"), ("subject", "suppressor"), ("duels", "many")];
    let back = send(&lab, &wrong, vec![("clip_file", "mine.wav", wav)]).await;
    assert_eq!(back.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert!(back.text().await.unwrap().contains("is not a whole number"));
    let right =
        [("how", "form"), ("title", "Mine"), ("subject", "suppressor"), ("duels", "5"), ("clip", "mine.wav")];
    study_of(&send(&lab, &right, Vec::new()).await);
}

#[tokio::test]
async fn what_is_wrong_with_a_file_is_said() {
    let lab = Lab::start().await;
    let about = async |fields: &[(&'static str, &str)], file: (&'static str, &'static str, Vec<u8>)| {
        let response = send(&lab, fields, vec![file]).await;
        assert_eq!(response.status(), StatusCode::UNPROCESSABLE_ENTITY);
        response.text().await.unwrap()
    };
    let suppressor = [("how", "form"), ("title", "x"), ("subject", "suppressor")];
    let page = about(&suppressor, ("clip_file", "noise.wav", vec![0, 1, 2, 3])).await;
    assert!(page.contains("is none of WAV, FLAC"), "{page}");
    let items = [
        ("how", "form"),
        ("title", "x"),
        ("subject", "items"),
        ("items", "name,file\na,1.gif\nb,2.gif\n"),
        ("media", "file"),
    ];
    let page = about(&items, ("media_files", "1.gif", PIXEL.to_vec())).await;
    assert!(page.contains("the medium &quot;2.gif&quot; of &quot;b&quot; is neither"), "{page}");
    let page = about(&[("how", "toml")], ("toml_file", "s.toml", b"title = \xff".to_vec())).await;
    assert!(page.contains("is not UTF-8 text"), "{page}");
}

#[tokio::test]
async fn participants_get_their_links_at_once() {
    let lab = Lab::start().await;
    let fields = [
        ("how", "form"),
        ("title", "Names"),
        ("subject", "items"),
        ("items", "a\nb\nc"),
        ("participants", "ann\nbob"),
    ];
    let response = send(&lab, &fields, Vec::new()).await;
    assert!(header(response.headers(), "location").ends_with("/result#people"));
    let study = study_of(&response);
    let page = lab.get(&format!("/studies/{study}/result")).await.text().await.unwrap();
    assert_eq!(page.matches("href=\"/p/").count(), 2);
}

#[tokio::test]
async fn repeats_and_catch_trials_are_asked_and_told() {
    let lab = Lab::start().await;
    let study = lab
        .study(&format!(
            "{}[presentation]\nrepeats = 3\ncatches = 4\n[stop]\nanswers = 10\n",
            crate::lab::ITEMS
        ))
        .await;
    let mut turn = ask(&lab, &study).await;
    let (mut number, mut equal) = (0, 0);
    while let Some(duel) = turn["next"]["duel"].as_u64() {
        number += 1;
        assert_eq!((&turn["next"]["number"], &turn["next"]["about_total"]), (&json!(number), &json!(13)));
        let (left, right) = (&turn["next"]["left"]["label"], &turn["next"]["right"]["label"]);
        let answer = if left == right {
            equal += 1;
            "tie"
        } else if left.as_str() < right.as_str() {
            "left"
        } else {
            "right"
        };
        turn = lab
            .api(
                Method::POST,
                &format!("/studies/{study}/tell"),
                Some(json!({ "duel": duel, "answer": answer })),
            )
            .await;
        assert!(number < 50, "it ends");
    }
    assert_eq!((number, equal, &turn["answers"]), (13, 3, &json!(10)));
    let result = lab.api(Method::GET, &format!("/studies/{study}/result"), None).await;
    let consistency = &result["consistency"];
    assert_eq!((&consistency["catches"], &consistency["passed"]), (&json!(3), &json!(3)));
    assert!(
        consistency["repeats"].as_u64() >= Some(2) && consistency["repeats"] == consistency["agreed"],
        "{consistency}"
    );
    let checks = result["history"].as_array().unwrap().iter().filter(|a| a["check"] == true).count();
    assert!(checks >= 5, "{checks}");
}

#[tokio::test]
async fn a_study_of_checks_alone_is_refused() {
    let lab = Lab::start().await;
    let toml = format!("{}[presentation]\ncatches = 1\n", crate::lab::ITEMS);
    let refused = lab.post("/api/v1/studies", json!({ "toml": toml })).await;
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
}

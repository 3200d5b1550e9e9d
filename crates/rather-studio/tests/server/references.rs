//! What stands beside the sides of a comparison: a reference, and prompts that are files.

use crate::lab::{Lab, header};
use crate::making::{PIXEL, send, study_of};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

const SVG: &[u8] = b"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"><script>alert(1)</script><circle r=\"5\"/></svg>";
const GAIN: &str = "title = \"Gain\"\n[parameters]\ngain = { type = \"float\", low = 0, high = 9 }\n";

async fn ask(lab: &Lab, study: &str) -> Value {
    lab.api(Method::POST, &format!("/studies/{study}/ask"), Some(json!({}))).await["next"].take()
}

async fn refused(lab: &Lab, toml: &str) -> String {
    let reply = lab.post("/api/v1/studies", json!({ "toml": toml })).await;
    assert_eq!(reply.status(), StatusCode::BAD_REQUEST, "{toml}");
    reply.text().await.unwrap()
}

#[tokio::test]
async fn a_file_is_the_reference_of_every_comparison_and_no_item() {
    let lab = Lab::start().await;
    let fields = [
        ("how", "form"),
        ("title", "Pictures"),
        ("subject", "pictures"),
        ("blind", "yes"),
        ("reference", ""),
    ];
    let files = vec![
        ("media_files", "a.gif", PIXEL.to_vec()),
        ("media_files", "b.gif", PIXEL.to_vec()),
        ("reference_file", "original.svg", SVG.to_vec()),
    ];
    let study = study_of(&send(&lab, &fields, files).await);
    let next = ask(&lab, &study).await;
    assert_eq!(next["reference"]["media"]["kind"], "image", "{next}");
    let picture = lab.get(next["reference"]["media"]["url"].as_str().unwrap()).await;
    assert_eq!(header(picture.headers(), "content-type"), "image/svg+xml");
    let policy = header(picture.headers(), "content-security-policy");
    assert!(policy.contains("sandbox") && policy.contains("default-src 'none'"), "no script runs: {policy}");
    assert_eq!(picture.bytes().await.unwrap(), SVG);
    let definition = lab.api(Method::GET, &format!("/studies/{study}"), None).await["definition"].take();
    assert_eq!(definition["presentation"]["reference"], "original.svg");
    assert_eq!(definition["subject"]["items"]["keys"].as_array().map(Vec::len), Some(2), "{definition}");
    let page = lab.get(&format!("/studies/{study}/duel")).await.text().await.unwrap();
    assert!(
        page.contains("id=\"reference\"")
            && page.contains(next["reference"]["media"]["url"].as_str().unwrap())
    );
    // A copy has it, too.
    let copy = lab.api(Method::POST, &format!("/studies/{study}/copy"), None).await;
    assert_eq!(ask(&lab, copy["id"].as_str().unwrap()).await["reference"]["media"]["kind"], "image");
}

#[tokio::test]
async fn a_reference_that_is_not_there_is_said_at_its_field() {
    let lab = Lab::start().await;
    let fields = |reference: &'static str| {
        [
            ("how", "form"),
            ("title", "Names"),
            ("subject", "items"),
            ("items", "a\nb"),
            ("reference", reference),
        ]
    };
    let page = send(&lab, &fields("gone.wav"), Vec::new()).await;
    assert_eq!(page.status(), StatusCode::UNPROCESSABLE_ENTITY);
    let page = page.text().await.unwrap();
    assert!(page.contains("the reference &quot;gone.wav&quot; is neither an uploaded file"), "{page}");
    let alike = vec![("media_files", "a.gif", PIXEL.to_vec()), ("reference_file", "a.gif", PIXEL.to_vec())];
    let page = send(&lab, &fields(""), alike).await.text().await.unwrap();
    assert!(page.contains("another file is called &quot;a.gif&quot;"), "{page}");
    let study = study_of(&send(&lab, &fields("https://sounds.example/original.wav"), Vec::new()).await);
    assert_eq!(ask(&lab, &study).await["reference"]["media"]["kind"], "audio");
    let page = lab.get(&format!("/studies/{study}/duel")).await;
    assert!(header(page.headers(), "content-security-policy").contains("https://sounds.example"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_setting_is_a_reference() {
    use rather_studio::render::command::Command;
    let command = Command::parse("sh -c 'test {gain} != 7 && echo gain {gain}'", "/".as_ref()).unwrap();
    let lab = Lab::with(|config| config.commands.add("play", command).unwrap()).await;
    let of = |reference: &str, renderer: &str| {
        format!("{GAIN}[presentation]\nreference = {reference}\nrenderer = \"{renderer}\"\n")
    };
    let rendered = lab.study(&of("{ gain = 0 }", "play")).await;
    let next = ask(&lab, &rendered).await;
    assert_eq!(next["reference"]["media"]["text"], "gain 0\n", "{next}");
    assert_eq!(next["reference"]["parameters"], json!([]), "blind, as the sides are");
    // Without something to see or hear the values are shown.
    let shown = lab.study(&of("{ gain = 4 }", "play").replace("renderer = \"play\"\n", "")).await;
    assert_eq!(ask(&lab, &shown).await["reference"]["parameters"][0]["value"], "4");
    // A comparison without its reference would be another question.
    let broken = ask(&lab, &lab.study(&of("{ gain = 7 }", "play")).await).await;
    assert!(broken["blocked"].as_str().unwrap().starts_with("the reference cannot be shown"), "{broken}");
    assert!(refused(&lab, &of("{ gain = 10 }", "play")).await.contains("must be"));
    assert!(refused(&lab, &of("\"\"", "play")).await.contains("[presentation] reference: it is empty"));
}

#[tokio::test]
async fn a_prompt_that_names_a_file_is_shown() {
    let lab = Lab::start().await;
    let table = "name,prompt,sound\na,p.svg,a.wav\nb,p.svg,b.wav\nc,A bell,c.wav\nd,A bell,d.wav\n";
    let fields =
        [("how", "form"), ("title", "Sounds"), ("subject", "sounds"), ("items", table), ("within", "prompt")];
    let wav = rather_audio::Demo::new(3).render(&[0.0]).unwrap();
    let sounds = ["a.wav", "b.wav", "c.wav", "d.wav"].map(|name| ("media_files", name, wav.clone()));
    let mut files = sounds.to_vec();
    files.push(("media_files", "p.svg", SVG.to_vec()));
    let study = study_of(&send(&lab, &fields, files).await);
    for _ in 0..4 {
        let next = ask(&lab, &study).await;
        let context = &next["context"];
        if context["value"] == "p.svg" {
            assert_eq!(context["media"]["kind"], "image", "{context}");
            let picture = lab.get(context["media"]["url"].as_str().unwrap()).await;
            assert_eq!(picture.bytes().await.unwrap(), SVG);
        } else {
            assert_eq!((&context["value"], &context["media"]), (&json!("A bell"), &Value::Null));
        }
        let tell = json!({ "duel": next["duel"], "answer": "left" });
        lab.api(Method::POST, &format!("/studies/{study}/tell"), Some(tell)).await;
    }
}

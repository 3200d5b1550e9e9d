//! Every page at the width of a phone and of a desk, light and dark: nothing sticks out, nothing serious for axe.

use crate::axe;
use crate::studio::Studio;
use crate::turn;
use crate::webdriver::Browser;
use serde_json::json;

const SIZES: [(u32, u32); 2] = [(1280, 900), (390, 844)];

#[tokio::test(flavor = "multi_thread")]
async fn every_page_fits_and_is_accessible() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let one = studio.demo(0).await;
    let two = studio.demo(1).await;
    let items = studio.make(json!({ "toml": TEAS })).await;
    let link = studio.post(&format!("/api/v1/studies/{items}/participants"), json!({ "name": "ann" })).await;
    for study in [&one, &two, &items] {
        studio.answer_at_random(study, 8).await;
    }
    let link = link["link"].as_str().expect("a link").to_owned();
    let ended = studio.make(json!({ "toml": VALUES })).await;
    let fresh = studio.make(json!({ "toml": VALUES })).await;
    let [graded, sides] = ["graded", "sides"].map(|answers| format!("answers = \"{answers}\"\n{TEAS}"));
    let graded = studio.make(json!({ "toml": graded.replace("names = [\"ann\", \"bob\"]", "") })).await;
    let sides = studio.make(json!({ "toml": sides.replace("names = [\"ann\", \"bob\"]", "") })).await;
    for answer in ["much left", "left", "tie", "right", "much right"] {
        let turn = studio.post(&format!("/api/v1/studies/{graded}/ask"), json!({})).await;
        let body = json!({ "duel": turn["next"]["duel"], "answer": answer });
        studio.post(&format!("/api/v1/studies/{graded}/tell"), body).await;
    }
    studio.answer_at_random(&ended, 2).await;
    let guarded = Studio::with(Some("a-token-of-more-than-22-characters")).await;
    let pages = [
        ("home", "/".to_owned()),
        ("new-study", "/studies/new".to_owned()),
        ("new-study-suppressor", "/studies/new?subject=suppressor".to_owned()),
        ("duel-sound", format!("/studies/{one}/duel")),
        ("duel-names", format!("/studies/{items}/duel?participant=ann")),
        ("participant", link),
        ("result-one", format!("/studies/{one}/result")),
        ("result-two", format!("/studies/{two}/result")),
        ("result-items", format!("/studies/{items}/result")),
        ("duel-values", format!("/studies/{fresh}/duel")),
        ("duel-graded", format!("/studies/{graded}/duel")),
        ("duel-sides", format!("/studies/{sides}/duel")),
        ("result-graded", format!("/studies/{graded}/result")),
        ("duel-end", format!("/studies/{ended}/duel")),
        ("result-empty", format!("/studies/{fresh}/result")),
        ("nothing-here", "/studies/none/result".to_owned()),
        ("sign-in", guarded.page("/")),
    ];
    let mut found = Vec::new();
    for (name, path) in &pages {
        for (width, height) in SIZES {
            for dark in [false, true] {
                browser.size(width, height).await;
                browser.dark(dark).await;
                let address = if path.starts_with('/') { studio.page(path) } else { path.clone() };
                browser.go(&address).await;
                browser.until("document.readyState === 'complete'").await;
                if *name == "duel-sound" {
                    browser.until("!document.getElementById('transport').hidden").await;
                }
                browser.script("document.getElementById('figures')?.setAttribute('open', '')").await;
                // Of its four pictures a figure shows the one for this width, and it is there.
                let drawn = "(i) => i.complete && i.naturalWidth > 0 && i.currentSrc.includes('width=360') === (innerWidth <= 640)";
                browser.until(&format!("[...document.querySelectorAll('.figure img')].every({drawn})")).await;
                let theme = if dark { "dark" } else { "light" };
                browser
                    .picture(&axe::target().join(format!("studio-pages/{name}-{width}-{theme}.png")))
                    .await;
                let wide = browser.script("return document.documentElement.scrollWidth > innerWidth").await;
                if wide == true {
                    found.push(format!("{name} is wider than {width} pixels"));
                }
                found.extend(
                    axe::findings(&browser)
                        .await
                        .into_iter()
                        .map(|line| format!("{name}, {width}, {theme}: {line}")),
                );
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

const VALUES: &str = r#"
title = "Coffee"
[parameters]
grams = { type = "integer", low = 10, high = 25 }
grind = { type = "categorical", choices = ["fine", "coarse"] }
[presentation]
units = { grams = "g" }
[stop]
answers = 2
"#;

const TEAS: &str = r#"
title = "Teas of the winter"
question = "Which tea would you rather have?"
items = ["Assam", "Oolong", "Sencha", "Darjeeling First Flush", "Lapsang Souchong", "Pu-erh"]
[participants]
names = ["ann", "bob"]
"#;

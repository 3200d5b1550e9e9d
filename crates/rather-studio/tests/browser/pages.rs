//! Every page at the width of a phone and of a desk, light and dark: nothing sticks out, nothing serious for axe.

use crate::axe;
use crate::studio::Studio;
use crate::turn;
use crate::webdriver::Browser;
use serde_json::json;

const SIZES: [(u32, u32); 2] = [(1280, 900), (390, 844)];

/// A page of a name at its address.
type Page = (&'static str, String);

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_studies_fit_and_are_accessible() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let items = studio.make(json!({ "toml": TEAS })).await;
    let guarded = Studio::with(Some("a-token-of-more-than-22-characters")).await;
    let pages = [
        ("home", "/".to_owned()),
        ("api", "/api".to_owned()),
        ("new-study", "/studies/new".to_owned()),
        ("new-study-suppressor", "/studies/new?subject=suppressor".to_owned()),
        ("nothing-here", "/studies/none/result".to_owned()),
        ("who-answers", format!("/studies/{items}/duel")),
        ("sign-in", guarded.page("/")),
    ];
    look(&browser, &studio, &pages).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_comparisons_fit_and_are_accessible() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let sound = studio.demo(0).await;
    let items = studio.make(json!({ "toml": TEAS })).await;
    let link = studio.post(&format!("/api/v1/studies/{items}/participants"), json!({ "name": "ann" })).await;
    let ended = studio.make(json!({ "toml": VALUES })).await;
    let fresh = studio.make(json!({ "toml": VALUES })).await;
    studio.answer_at_random(&ended, 2).await;
    let (welcome, questions) = (
        of_participant(&studio, "volume_check = true\nconsent = \"I am of age.\"").await,
        {
            let asked = "questionnaire = [{ question = \"Your age?\" }, { question = \"Headphones?\", choices = [\"yes\", \"no\"], optional = true }]";
            format!("{}/questions", of_participant(&studio, asked).await)
        },
    );
    let join = studio.post(&format!("/api/v1/studies/{fresh}/open-link"), json!({ "quota": 9 })).await;
    let join = join["link"].as_str().expect("a link").to_owned();
    let grouped = studio.make(json!({ "toml": GROUPED })).await;
    let (graded, sides) = (of_teas(&studio, "graded").await, of_teas(&studio, "sides").await);
    let numbers = of_teas(&studio, "difference").await;
    let pages = [
        ("duel-sound", format!("/studies/{sound}/duel")),
        ("duel-names", format!("/studies/{items}/duel?participant=ann")),
        ("participant", link["link"].as_str().expect("a link").to_owned()),
        ("duel-values", format!("/studies/{fresh}/duel")),
        ("duel-graded", format!("/studies/{graded}/duel")),
        ("duel-numbers", format!("/studies/{numbers}/duel")),
        ("duel-sides", format!("/studies/{sides}/duel")),
        ("duel-end", format!("/studies/{ended}/duel")),
        ("welcome-volume", welcome),
        ("questions", questions),
        ("join", join),
        ("duel-context", format!("/studies/{grouped}/duel")),
    ];
    look(&browser, &studio, &pages).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_results_fit_and_are_accessible() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let (one, two) = (studio.demo(0).await, studio.demo(1).await);
    let items = studio.make(json!({ "toml": TEAS })).await;
    for study in [&one, &two, &items] {
        studio.answer_at_random(study, 8).await;
    }
    let graded = of_teas(&studio, "graded").await;
    for answer in ["much left", "left", "tie", "right", "much right"] {
        let turn = studio.post(&format!("/api/v1/studies/{graded}/ask"), json!({})).await;
        let body = json!({ "duel": turn["next"]["duel"], "answer": answer });
        studio.post(&format!("/api/v1/studies/{graded}/tell"), body).await;
    }
    let several = studio.make(json!({ "toml": SEVERAL })).await;
    studio.answer_at_random(&several, 8).await;
    let fresh = studio.make(json!({ "toml": VALUES })).await;
    let shared = studio.post(&format!("/api/v1/studies/{one}/shared"), json!({})).await;
    studio.post(&format!("/api/v1/studies/{one}/open-link"), json!({ "quota": 9 })).await;
    let result = |study: &str| format!("/studies/{study}/result");
    let pages = [
        ("result-one", result(&one)),
        ("result-two", result(&two)),
        ("result-several", result(&several)),
        ("result-items", result(&items)),
        ("result-graded", result(&graded)),
        ("result-empty", result(&fresh)),
        ("agreement-curves", format!("/studies/{one}/agreement")),
        ("agreement-rankings", format!("/studies/{items}/agreement")),
        ("result-shared", shared["link"].as_str().expect("a link").to_owned()),
    ];
    look(&browser, &studio, &pages).await;
}

/// The page of a participant of a study that is shown so.
async fn of_participant(studio: &Studio, presentation: &str) -> String {
    let toml = format!("{}{presentation}\n", VALUES.replace("[stop]\nanswers = 2\n", ""));
    let study = studio.make(json!({ "toml": toml })).await;
    let link = studio.post(&format!("/api/v1/studies/{study}/participants"), json!({ "name": "ann" })).await;
    link["link"].as_str().expect("a link").to_owned()
}

/// A study of teas that takes these answers, of anybody.
async fn of_teas(studio: &Studio, answers: &str) -> String {
    let toml = format!("answers = \"{answers}\"\n{TEAS}").replace("names = [\"ann\", \"bob\"]", "");
    studio.make(json!({ "toml": toml })).await
}

/// Looks at pages in every size and colour, and leaves a picture of each.
async fn look(browser: &Browser, studio: &Studio, pages: &[Page]) {
    let mut found = Vec::new();
    for (name, path) in pages {
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
                let theme = if dark { "dark" } else { "light" };
                let place = format!("{name}-{width}-{theme}");
                browser.picture(&axe::target().join(format!("studio-pages/{place}.png"))).await;
                unfold(browser).await;
                let wide = browser.script("return document.documentElement.scrollWidth > innerWidth").await;
                if wide == true {
                    found.push(format!("{name} is wider than {width} pixels"));
                }
                found.extend(axe::findings(browser).await.into_iter().map(|line| format!("{place}: {line}")));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Opens all that is folded away. Figures are fetched then: of its four pictures each shows the one for this width, and it is there.
async fn unfold(browser: &Browser) {
    let open = "for (const part of document.querySelectorAll('details')) part.open = true; \
                for (const image of document.querySelectorAll('.figure img')) image.loading = 'eager';";
    browser.script(open).await;
    let drawn = "(i) => i.complete && i.naturalWidth > 0 && i.currentSrc.includes('width=360') === (innerWidth <= 640)";
    browser.until(&format!("[...document.querySelectorAll('.figure img')].every({drawn})")).await;
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

const SEVERAL: &str = r#"
title = "Espresso"
[parameters]
grams = { type = "float", low = 14, high = 22 }
seconds = { type = "integer", low = 20, high = 40 }
pressure = { type = "float", low = 0.5, high = 12, scale = "log" }
basket = { type = "categorical", choices = ["single", "double", "bottomless"] }
[presentation]
units = { grams = "g", seconds = "s", pressure = "bar" }
"#;

const TEAS: &str = r#"
title = "Teas of the winter"
question = "Which tea would you rather have?"
items = ["Assam", "Oolong", "Sencha", "Darjeeling First Flush", "Lapsang Souchong", "Pu-erh"]
[participants]
names = ["ann", "bob"]
"#;

const GROUPED: &str = r#"
title = "Models"
question = "Which answer is better?"
within = "prompt"
[[items]]
name = "one"
prompt = "Explain in one sentence why the sky is blue, to somebody who has never been outside."
model = "a"
[[items]]
name = "two"
prompt = "Explain in one sentence why the sky is blue, to somebody who has never been outside."
model = "b"
"#;

//! What was learned, live beside the comparison that is answered.

use crate::answers;
use crate::axe;
use crate::picture::point;
use crate::studio::Studio;
use crate::turn;
use crate::webdriver::Browser;
use serde_json::{Value, json};

const ESCAPE: char = '\u{e00c}';

/// How many answers the panel rests on.
fn rests_on(answers: usize) -> String {
    format!("document.querySelector('#learned .best')?.dataset.answers === '{answers}'")
}

/// The letters that are marked in the panel.
async fn marks(browser: &Browser) -> Value {
    browser
        .script("return [...document.querySelectorAll('#learned .mark')].map((m) => m.dataset.mark).sort()")
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_picture_grows_beside_the_comparison() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let study = studio.demo(0).await;
    browser.go(&studio.page(&format!("/studies/{study}/duel"))).await;
    browser.until("document.querySelector('#learned').textContent.includes('Nothing is known yet')").await;
    browser.script("window.same = true").await;
    for answered in 1..=3 {
        answers::after_listening(&browser).await;
        browser.press(['1']).await;
        browser.until(&rests_on(answered)).await;
        browser.until(&format!("JSON.parse(document.getElementById('page').textContent) && document.getElementById('count').textContent.startsWith('Comparison {} ')", answered + 1)).await;
    }
    assert_eq!(browser.script("return window.same").await, true, "the page was not loaded anew");
    // This study is blind: the marks are those of the pair that was answered.
    assert_eq!(marks(&browser).await, json!(["A", "B"]));
    assert!(browser.text("#learned .last-pair").await.contains("answered last"));
    let found = studio.get(&format!("/api/v1/studies/{study}/history")).await;
    assert_eq!(found["total"], 3, "{found}");
    let wide = browser
        .script("return document.getElementById('panel').getBoundingClientRect().width / innerWidth")
        .await;
    assert!((0.25..0.45).contains(&wide.as_f64().unwrap()), "{wide}");
    assert_eq!(axe::findings(&browser).await, Vec::<String>::new());
    browser.picture(&axe::target().join("studio-pages/workspace-1280-light.png")).await;
    browser.dark(true).await;
    browser.picture(&axe::target().join("studio-pages/workspace-1280-dark.png")).await;
    browser.dark(false).await;

    // A setting of the picture is heard beside the best, and the keys are about that pair.
    browser.until("document.querySelector('#learned .chart').getAttribute('role') === 'slider'").await;
    point(&browser, "#learned .chart", (0.25, 0.5), true).await;
    browser.until("document.getElementById('beside').dataset.playing === 'B'").await;
    assert_eq!(browser.script("return document.getElementById('main').dataset.playing").await, "");
    browser.press(['1']).await;
    browser.press([ESCAPE]).await;
    browser.until("document.getElementById('beside').hidden").await;
    assert_eq!(studio.answers(&study).await, 3, "a key that is pressed there is no answer");

    browser.press(['r']).await;
    browser.until("document.getElementById('learned').hidden").await;
    browser.go(&studio.page(&format!("/studies/{study}/duel"))).await;
    browser.until("!document.getElementById('panel').hidden").await;
    assert_eq!(
        browser.script("return document.getElementById('learned').hidden").await,
        true,
        "as it was left"
    );
    browser.press(['r']).await;
    browser.until(&rests_on(3)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_blind_is_marked_before_the_answer() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let coffee = studio.make(json!({ "toml": "title = \"Coffee\"\n[parameters]\ngrams = { type = \"float\", low = 10, high = 25 }\ngrind = { type = \"categorical\", choices = [\"fine\", \"coarse\"] }\n" })).await;
    let teas = studio
        .make(json!({ "toml": "title = \"Teas\"\nitems = [\"Assam\", \"Oolong\", \"Sencha\"]\n" }))
        .await;
    for (study, place) in [(&coffee, "curve"), (&teas, "list")] {
        studio.answer_at_random(study, 2).await;
        browser.go(&studio.page(&format!("/studies/{study}/duel"))).await;
        browser.until(&rests_on(2)).await;
        let marks = marks(&browser).await;
        assert!(
            marks.as_array().unwrap().iter().any(|m| m == "A")
                && marks.as_array().unwrap().iter().any(|m| m == "B"),
            "{marks} in a {place}"
        );
        browser.picture(&axe::target().join(format!("studio-pages/workspace-{place}-1280-light.png"))).await;
    }
    // The grams of A are where its mark is.
    browser.go(&studio.page(&format!("/studies/{coffee}/duel"))).await;
    browser.until(&rests_on(2)).await;
    let places = browser.script("const grams = Number(document.querySelector('.side dd').firstChild.data); \
        return [(grams - 10) / 15, parseFloat(document.querySelector('#learned .chart .mark line').getAttribute('x1')) / 100]").await;
    let (of_value, of_mark) = (places[0].as_f64().unwrap(), places[1].as_f64().unwrap());
    assert!((of_value - of_mark).abs() < 0.01, "{places}");
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_phone_it_is_a_fold_and_participants_have_none() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let study = studio.demo(0).await;
    studio.answer_at_random(&study, 3).await;
    browser.size(390, 844).await;
    browser.go(&studio.page(&format!("/studies/{study}/duel"))).await;
    browser.until("!document.getElementById('panel').hidden").await;
    assert_eq!(browser.script("return document.getElementById('learned').hidden").await, true);
    let below = "return document.getElementById('panel').getBoundingClientRect().top >= document.querySelector('.answers').getBoundingClientRect().bottom";
    assert_eq!(browser.script(below).await, true, "under the answers");
    browser.click("#panel-toggle").await;
    browser.until(&rests_on(3)).await;
    assert_eq!(axe::findings(&browser).await, Vec::<String>::new());
    assert_eq!(browser.script("return document.documentElement.scrollWidth > innerWidth").await, false);
    browser.picture(&axe::target().join("studio-pages/workspace-390-light.png")).await;

    let link = studio.post(&format!("/api/v1/studies/{study}/participants"), json!({ "name": "me" })).await;
    let link = link["link"].as_str().expect("a link").to_owned();
    browser.go(&studio.page(&link)).await;
    browser.until("document.getElementById('duel')").await;
    assert_eq!(browser.script("return document.getElementById('panel')").await, Value::Null);
}

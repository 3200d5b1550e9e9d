//! What must not mislead the eye: a tint that stays after a tap, an answer that did not count, answers below the fold.

use crate::answers;
use crate::studio::Studio;
use crate::turn;
use crate::webdriver::Browser;
use serde_json::{Value, json};

const TEAS: &str = "title = \"Teas\"\nitems = [\"Assam\", \"Oolong\", \"Sencha\"]\n";

async fn at_teas(browser: &Browser, studio: &Studio) -> String {
    let study = studio.make(json!({ "toml": TEAS })).await;
    browser.go(&studio.page(&format!("/studies/{study}/duel"))).await;
    answers::are_open(browser).await;
    study
}

async fn backgrounds(browser: &Browser) -> Value {
    browser
        .script("return [...document.querySelectorAll('.answer')].map((e) => getComputedStyle(e).backgroundColor)")
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tap_leaves_no_tint_on_the_next_pair() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    browser.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": true })).await;
    at_teas(&browser, &studio).await;
    let before = backgrounds(&browser).await;
    let place = "const r = document.querySelector(\".answer[data-answer='left']\").getBoundingClientRect(); \
                 return [r.left + r.width / 2, r.top + r.height / 2]";
    let at = browser.script(place).await;
    let finger = json!({ "type": "touchStart", "touchPoints": [{ "x": at[0], "y": at[1] }] });
    browser.devtools("Input.dispatchTouchEvent", finger).await;
    browser.devtools("Input.dispatchTouchEvent", json!({ "type": "touchEnd", "touchPoints": [] })).await;
    browser.until("document.getElementById('count').textContent.startsWith('Comparison 2')").await;
    answers::are_open(&browser).await;
    assert_eq!(backgrounds(&browser).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_to_a_pair_that_was_answered_elsewhere_is_seen_not_to_count() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let study = at_teas(&browser, &studio).await;
    // As another tab does. The same answer again would be the same one.
    let said = json!({ "duel": 1, "answer": "left" });
    let told = studio.post(&format!("/api/v1/studies/{study}/tell"), said).await;
    assert_eq!(told["recorded"], true);
    browser.press(['2']).await;
    browser.until("document.getElementById('trouble').checkVisibility()").await;
    assert!(!browser.text("#trouble").await.is_empty());
    browser.until("document.getElementById('count').textContent.startsWith('Comparison 2')").await;
    assert_eq!(studio.answers(&study).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_phone_on_its_side_answers_are_in_sight() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let study = studio.demo(0).await;
    browser.size(844, 390).await;
    browser.go(&studio.page(&format!("/studies/{study}/duel"))).await;
    browser.until("document.querySelector('.answers')?.checkVisibility()").await;
    let seen = "const r = document.querySelector('.answers').getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight";
    assert_eq!(browser.script(seen).await, true);
}

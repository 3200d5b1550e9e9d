//! Answers are taken when both sounds were played, once, and how long that took is kept.

use crate::answers;
use crate::studio::Studio;
use crate::turn;
use crate::webdriver::Browser;
use serde_json::{Value, json};

const SHUT: &str = "[...document.querySelectorAll('.answer')].every((button) => button.disabled)";
const VALUES: &str =
    "title = \"Coffee\"\n[parameters]\ngrams = { type = \"integer\", low = 10, high = 25 }\n";

fn hint(text: &str) -> String {
    format!("document.getElementById('unheard').textContent === '{text}'")
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_open_when_both_were_heard_and_the_listening_is_kept() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let study = studio.demo(0).await;
    browser.go(&studio.page(&format!("/studies/{study}/duel"))).await;
    browser.until("!document.getElementById('transport').hidden").await;
    browser.until(&hint("Hear A and B to answer.")).await;
    assert_eq!(browser.script(&format!("return {SHUT}")).await, true);
    browser.press(['1']).await;
    browser.click(".side[data-side=left] .hear").await;
    browser.until(&hint("Hear B, too, to answer.")).await;
    browser.press(['1']).await;
    assert_eq!(browser.script(&format!("return {SHUT}")).await, true);
    assert_eq!(studio.answers(&study).await, 0, "nothing was heard, or only one side");
    answers::after_listening(&browser).await;
    browser.press(['1']).await;
    browser.until("document.getElementById('count').textContent.startsWith('Comparison 2 ')").await;

    let log = studio.read(&format!("/api/v1/studies/{study}/export?format=jsonl")).await;
    let answered = log.lines().find(|line| line.contains("\"answered\"")).expect("an answer");
    let timing = serde_json::from_str::<Value>(answered).unwrap()["note"]["timing"].take();
    let exposure: Vec<f64> =
        timing["exposure"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert!(exposure.len() == 2 && exposure.iter().all(|&seconds| seconds >= 0.5), "{timing}");
    assert!(timing["switches"].as_u64() >= Some(1) && timing["seconds"].as_f64().unwrap() >= 1.0, "{timing}");
    let table = studio.read(&format!("/api/v1/studies/{study}/export?format=csv")).await;
    assert!(
        table.lines().next().unwrap().ends_with("response_seconds,switches,exposure_left,exposure_right"),
        "{table}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_double_press_is_one_answer() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let study = studio.make(json!({ "toml": VALUES })).await;
    browser.go(&studio.page(&format!("/studies/{study}/duel"))).await;
    answers::are_open(&browser).await;
    // The second press as soon as the next pair is there.
    let script = "const key = () => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '1', bubbles: true, cancelable: true })); \
                  const count = document.getElementById('count'); key(); \
                  while (!count.textContent.startsWith('Comparison 2')) await new Promise((done) => setTimeout(done, 2)); \
                  key(); return count.textContent";
    browser.promise(script).await;
    answers::are_open(&browser).await;
    assert_eq!(studio.answers(&study).await, 1);
    browser.press(['1']).await;
    browser.until("document.getElementById('count').textContent.startsWith('Comparison 3')").await;
    assert_eq!(studio.answers(&study).await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_study_may_take_answers_before_both_were_heard() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let toml = "title = \"Free\"\n[parameters]\nfloor = { type = \"float\", low = -40, high = 0 }\n\
                [presentation]\nrenderer = \"suppressor\"\nhear_both = false\n";
    let study = studio.make(json!({ "toml": toml })).await;
    browser.go(&studio.page(&format!("/studies/{study}/duel"))).await;
    answers::are_open(&browser).await;
    browser.press(['2']).await;
    browser.until("document.getElementById('count').textContent.startsWith('Comparison 2')").await;
    assert_eq!(studio.answers(&study).await, 1);
}

//! The best of a set, and the best and the worst: by keys, by clicks, by touch.

use crate::studio::Studio;
use crate::turn;
use crate::webdriver::Browser;
use crate::{answers, axe};
use serde_json::json;

const TEAS: &str =
    "title = \"Teas\"\nitems = [\"Assam\", \"Keemun\", \"Mate\", \"Oolong\", \"Sencha\"]\noptions = 4\n";

/// No wider than the screen, two options a row, and no button or circle smaller than a fingertip (WCAG 2.5.8).
async fn check_small(browser: &Browser) {
    let wide = "return document.documentElement.scrollWidth > innerWidth";
    assert_eq!(browser.script(wide).await, false);
    let small = "return [...document.querySelectorAll('.option .answer, .pick label, #keep')].map((b) => b.getBoundingClientRect()) \
                 .filter((r) => r.width < 44 || r.height < 24).length";
    assert_eq!(browser.script(small).await, 0);
    let columns = "return new Set([...document.querySelectorAll('.option')].map((o) => o.getBoundingClientRect().left)).size";
    assert_eq!(browser.script(columns).await, 2);
}

async fn until_said(browser: &Browser, words: &str) {
    browser.until(&format!("document.getElementById('status').textContent.startsWith('{words}')")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_best_is_chosen_by_key_button_or_click() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let study = studio.make(json!({ "toml": TEAS })).await;
    browser.size(390, 844).await;
    browser.go(&studio.page(&format!("/studies/{study}/duel"))).await;
    assert_eq!(browser.text("#task").await, "Choose the best of four.");
    check_small(&browser).await;
    assert_eq!(axe::findings(&browser).await, Vec::<String>::new());
    answers::are_open(&browser).await;
    browser.press(['3']).await;
    until_said(&browser, "C is the best, kept.").await;
    // There is no fifth option, and sides mean nothing.
    answers::are_open(&browser).await;
    browser.press(['5', '=']).await;
    browser.click(".option[data-option='4'] .answer").await;
    until_said(&browser, "D is the best, kept.").await;
    answers::are_open(&browser).await;
    browser.click(".option[data-option='2'] h2").await;
    until_said(&browser, "B is the best, kept.").await;
    assert_eq!(studio.answers(&study).await, 3);
    browser.press(['u']).await;
    until_said(&browser, "Undone.").await;
    assert_eq!(studio.answers(&study).await, 2);
    answers::are_open(&browser).await;
    browser.press(['s']).await;
    until_said(&browser, "Skipped.").await;
    for option in 1..=4 {
        browser.tab_to(&format!(".option[data-option='{option}'] .answer")).await;
    }
    browser.go(&studio.page(&format!("/studies/{study}/result"))).await;
    assert!(browser.text("#history").await.contains("Of these"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_best_and_the_worst_are_chosen_one_after_the_other() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let study = studio.make(json!({ "toml": format!("{TEAS}answers = \"best and worst\"\n") })).await;
    browser.size(390, 844).await;
    browser.go(&studio.page(&format!("/studies/{study}/duel"))).await;
    assert_eq!(browser.text("#task").await, "Choose the best and the worst of four.");
    check_small(&browser).await;
    assert_eq!(axe::findings(&browser).await, Vec::<String>::new());
    let locked = "return document.getElementById('keep').disabled";
    assert_eq!(browser.script(locked).await, true);
    // By keys; what is pressed once more is taken away.
    browser.press(['2', '3', '3', '1']).await;
    assert_eq!(browser.script(locked).await, false);
    answers::are_open(&browser).await;
    browser.press(['\u{E007}']).await;
    until_said(&browser, "B is the best and A the worst, kept.").await;
    // By clicks on the options.
    browser.click(".option[data-option='4'] h2").await;
    browser.click(".option[data-option='1'] h2").await;
    answers::are_open(&browser).await;
    browser.click("#keep").await;
    until_said(&browser, "D is the best and A the worst, kept.").await;
    // By the circles: no option is both.
    browser.click(".option[data-option='1'] input[name='best']").await;
    browser.click(".option[data-option='1'] input[name='worst']").await;
    assert_eq!(browser.script(locked).await, true);
    browser.click(".option[data-option='3'] input[name='best']").await;
    answers::are_open(&browser).await;
    browser.click("#keep").await;
    until_said(&browser, "C is the best and A the worst, kept.").await;
    assert_eq!(studio.answers(&study).await, 3);
    let history = studio.get(&format!("/api/v1/studies/{study}/history")).await;
    let said: Vec<&str> =
        history["answers"].as_array().unwrap().iter().filter_map(|a| a["answer"].as_str()).collect();
    assert_eq!(said, ["best 3, worst 1", "best 4, worst 1", "best 2, worst 1"]);
    browser.press(['u']).await;
    until_said(&browser, "Undone.").await;
    assert_eq!(studio.answers(&study).await, 2);
}

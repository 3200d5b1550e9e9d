//! Networks that fail: no answer is lost, and none is counted twice.

use crate::answers;
use crate::studio::Studio;
use crate::turn;
use crate::webdriver::Browser;
use serde_json::json;

async fn at_the_first_duel(browser: &Browser, studio: &Studio) -> String {
    let study = studio.demo(0).await;
    browser.go(&studio.page(&format!("/studies/{study}/duel"))).await;
    browser.until("document.getElementById('count').textContent.startsWith('Comparison 1 ')").await;
    answers::after_listening(browser).await;
    study
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_waits_for_the_network() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let study = at_the_first_duel(&browser, &studio).await;
    browser.devtools("Network.enable", json!({})).await;
    browser.devtools("Network.setBlockedURLs", json!({ "urls": ["*/tell"] })).await;
    browser.press(['1']).await;
    browser.until("!document.getElementById('trouble').hidden").await;
    assert!(browser.text("#trouble").await.contains("kept here"));
    assert_eq!(studio.answers(&study).await, 0);
    browser.devtools("Network.setBlockedURLs", json!({ "urls": [] })).await;
    browser.until("document.getElementById('count').textContent.startsWith('Comparison 2 ')").await;
    browser.until("document.getElementById('trouble').hidden").await;
    assert_eq!(studio.answers(&study).await, 1);
    assert_eq!(browser.script("return document.activeElement.id").await, "question");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_says_why_the_studio_takes_no_answer() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    at_the_first_duel(&browser, &studio).await;
    studio.remove_data();
    browser.press(['1']).await;
    browser.until("!document.getElementById('trouble').hidden").await;
    let said = browser.text("#trouble").await;
    assert!(said.contains("removed or replaced") && said.contains("kept here"), "{said}");
    assert!(browser.text("#count").await.starts_with("Comparison 1 "));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_outlives_the_page() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let study = at_the_first_duel(&browser, &studio).await;
    browser.devtools("Network.enable", json!({})).await;
    browser.devtools("Network.setBlockedURLs", json!({ "urls": ["*/tell"] })).await;
    browser.press(['2']).await;
    browser.until("!document.getElementById('trouble').hidden").await;
    browser.devtools("Network.setBlockedURLs", json!({ "urls": [] })).await;
    browser.go(&studio.page(&format!("/studies/{study}/duel"))).await;
    browser.until("document.getElementById('count').textContent.startsWith('Comparison 2 ')").await;
    assert_eq!(studio.answers(&study).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_whose_reply_is_lost_counts_once() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let study = at_the_first_duel(&browser, &studio).await;
    // The first reply gets lost on its way.
    browser
        .script(
            "const real = window.fetch; let lost = 0; window.fetch = async (...call) => { const reply = await real(...call); \
             if (String(call[0]).endsWith('/tell') && lost++ === 0) throw new TypeError('lost'); return reply; }",
        )
        .await;
    browser.press(['1']).await;
    browser.until("document.getElementById('count').textContent.startsWith('Comparison 2 ')").await;
    assert_eq!(studio.answers(&study).await, 1);
    browser.press(['u']).await;
    browser.until("document.getElementById('count').textContent.startsWith('Comparison 1 ')").await;
    assert_eq!(studio.answers(&study).await, 0);
    assert!(browser.text("#status").await.starts_with("Undone."));
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_can_be_turned_off_and_skip_works() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let study = at_the_first_duel(&browser, &studio).await;
    browser.press(['s']).await;
    browser.until("document.getElementById('status').textContent.startsWith('Skipped.')").await;
    answers::after_listening(&browser).await;
    browser.press(['=']).await;
    browser.until("document.getElementById('status').textContent.startsWith('No preference, kept.')").await;
    assert_eq!(studio.answers(&study).await, 1);
    browser.click(".keys summary").await;
    browser.click("#shortcuts").await;
    browser.press(['1', '2', 's']).await;
    browser.go(&studio.page(&format!("/studies/{study}/duel"))).await;
    answers::after_listening(&browser).await;
    browser.press(['1']).await;
    // Long enough for an answer to arrive, were it sent.
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert_eq!(studio.answers(&study).await, 1);
}

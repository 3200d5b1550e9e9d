//! Making a study in the browser.

use crate::answers;
use crate::studio::Studio;
use crate::turn;
use crate::webdriver::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn a_study_is_made_by_its_form() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    browser.go(&studio.page("/studies/new")).await;
    browser.until("!document.getElementById('add-parameter').hidden").await;
    browser.write("#title", "Tea").await;
    browser.write("#parameter-name-0", "temperature").await;
    browser.write("#parameter-low-0", "95").await;
    browser.write("#parameter-high-0", "60").await;
    browser.write("#parameter-unit-0", "°C").await;
    browser.click("#add-parameter").await;
    browser.write("#parameter-name-1", "leaf").await;
    browser.script("const s = document.getElementById('parameter-range-1'); s.value = 'categorical'; s.dispatchEvent(new Event('change', { bubbles: true }))").await;
    browser.write("#parameter-choices-1", "whole, broken").await;
    browser.click("#study .primary").await;
    browser.until("document.querySelector('.trouble')").await;
    let invalid = browser.script("return document.querySelector('[aria-invalid=true]').id").await;
    assert_eq!(invalid, "parameter-low-0", "what is wrong is said beside its field");
    browser.script("document.getElementById('parameter-low-0').value = '60'; document.getElementById('parameter-high-0').value = '95'").await;
    browser.click("#study .primary").await;
    browser.until("document.getElementById('question')").await;
    // There is nothing to hear or see, so the values themselves are compared.
    assert_eq!(browser.text(".side[data-side=left] dt").await, "temperature");
    assert!(browser.text(".side[data-side=left] dd").await.contains("°C"));
    answers::are_open(&browser).await;
    browser.press(['2']).await;
    browser.until("document.getElementById('count').textContent.startsWith('Comparison 2 ')").await;
}

//! Saying how much better, with keys, by touch, and by the form of old.

use crate::answers;
use crate::studio::Studio;
use crate::turn;
use crate::webdriver::Browser;
use serde_json::json;

const GRADED: &str = "title = \"Teas\"\nitems = [\"Assam\", \"Oolong\", \"Sencha\"]\nanswers = \"graded\"\n";

#[tokio::test(flavor = "multi_thread")]
async fn every_grade_has_a_key_and_a_button() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let study = studio.make(json!({ "toml": GRADED })).await;
    browser.size(390, 844).await;
    browser.go(&studio.page(&format!("/studies/{study}/duel"))).await;
    let said = [
        ('1', "A, much better, kept."),
        ('2', "A, a little better, kept."),
        ('3', "No preference, kept."),
        ('4', "B, a little better, kept."),
        ('5', "B, much better, kept."),
        ('=', "No preference, kept."),
    ];
    for (key, words) in said {
        answers::are_open(&browser).await;
        browser.press([key]).await;
        browser.until(&format!("document.getElementById('status').textContent.startsWith('{words}')")).await;
    }
    for answer in ["much left", "right"] {
        let before = studio.answers(&study).await;
        answers::are_open(&browser).await;
        browser.click(&format!(".answer[data-answer='{answer}']")).await;
        browser
            .until(&format!("document.getElementById('count').textContent === 'Comparison {}'", before + 2))
            .await;
    }
    assert_eq!(studio.answers(&study).await, 8);
    // No button is smaller than a finger (WCAG 2.5.5), and each can be reached in the order of the scale.
    let small = "return [...document.querySelectorAll('.answer')].map((b) => b.getBoundingClientRect()) \
                 .filter((r) => r.width < 44 || r.height < 44).length";
    assert_eq!(browser.script(small).await, 0);
    let order = "return [...document.querySelectorAll('.answer')].map((b) => b.value).join()";
    assert_eq!(browser.script(order).await, "much left,left,tie,right,much right");
    for answer in ["much left", "left", "tie", "right", "much right"] {
        browser.tab_to(&format!(".answer[data-answer='{answer}']")).await;
    }
    let history = studio.get(&format!("/api/v1/studies/{study}/history")).await;
    let mut said: Vec<&str> =
        history["answers"].as_array().unwrap().iter().filter_map(|a| a["answer"].as_str()).collect();
    said.reverse();
    assert_eq!(said, ["much left", "left", "tie", "right", "much right", "tie", "much left", "right"]);
    browser.go(&studio.page(&format!("/studies/{study}/result"))).await;
    let table = browser.text("#history").await;
    assert!(table.contains("A, much better") && table.contains("B, a little better"), "{table}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_study_of_sides_offers_no_tie() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let study = studio.make(json!({ "toml": GRADED.replace("graded", "sides") })).await;
    browser.go(&studio.page(&format!("/studies/{study}/duel"))).await;
    answers::are_open(&browser).await;
    browser.press(['=', '3', '2']).await;
    browser.until("document.getElementById('status').textContent.startsWith('B, kept.')").await;
    assert_eq!(studio.answers(&study).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_number_has_a_key_and_a_button() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let study = studio.make(json!({ "toml": GRADED.replace("graded", "difference") })).await;
    browser.size(390, 844).await;
    browser.go(&studio.page(&format!("/studies/{study}/duel"))).await;
    answers::are_open(&browser).await;
    let small = "return [...document.querySelectorAll('.answer')].map((b) => b.getBoundingClientRect()) \
                 .filter((r) => r.width < 44 || r.height < 44).length";
    assert_eq!(browser.script(small).await, 0);
    let order = "return [...document.querySelectorAll('.answer')].map((b) => b.value).join()";
    let names = "left by 3,left by 2,left by 1,tie,right by 1,right by 2,right by 3";
    assert_eq!(browser.script(order).await, names);
    let said = [
        ('1', "A is better by 3, kept."),
        ('3', "A is better by 1, kept."),
        ('4', "No preference, kept."),
        ('7', "B is better by 3, kept."),
        ('=', "No preference, kept."),
    ];
    for (key, words) in said {
        answers::are_open(&browser).await;
        browser.press([key]).await;
        browser.until(&format!("document.getElementById('status').textContent.startsWith('{words}')")).await;
    }
    answers::are_open(&browser).await;
    browser.click(".answer[data-answer='right by 2']").await;
    browser.until("document.getElementById('count').textContent === 'Comparison 7'").await;
    browser.go(&studio.page(&format!("/studies/{study}/result"))).await;
    let table = browser.text("#history").await;
    assert!(table.contains("A, by 3") && table.contains("B, by 2"), "{table}");
}

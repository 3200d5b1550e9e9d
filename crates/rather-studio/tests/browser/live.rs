//! A result that stays up to date while others answer.

use crate::answers;
use crate::studio::Studio;
use crate::turn;
use crate::webdriver::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn a_result_follows_the_answers() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let study = studio.demo(0).await;
    studio.answer_at_random(&study, 3).await;
    browser.go(&studio.page(&format!("/studies/{study}/result"))).await;
    browser.until("document.getElementById('result').dataset.answers === '3'").await;
    browser.script("window.same = true; const figures = document.getElementById('figures'); figures.open = true; document.querySelector('.best .copy').focus(); figures.scrollIntoView()").await;
    studio.answer_at_random(&study, 1).await;
    browser.until("document.getElementById('result').dataset.answers === '4'").await;
    assert_eq!(browser.script("return window.same").await, true, "the page was not loaded anew");
    browser.until("document.querySelectorAll('#history tbody tr').length === 4").await;
    let local = "const t = document.querySelector('#history time'); const d = new Date(t.dateTime); const two = (n) => String(n).padStart(2, '0'); \
                 return t.textContent.endsWith(` ${two(d.getHours())}:${two(d.getMinutes())}`)";
    assert_eq!(browser.script(local).await, true, "times are the reader's own");
    browser.until("document.activeElement.matches('.best .copy')").await;
    browser.script("document.getElementById('figures').scrollIntoView()").await;
    browser.until("document.getElementById('status').textContent === 'Updated: 4 answers.'").await;
    browser
        .until("[...document.querySelectorAll('.figure img')].every((i) => i.complete && i.naturalWidth > 0)")
        .await;

    browser.click("#history form button").await;
    browser.until("document.getElementById('result').dataset.answers === '3'").await;
    assert_eq!(studio.answers(&study).await, 3, "an answer can be taken back here");
}

#[tokio::test(flavor = "multi_thread")]
async fn seven_results_and_a_duel_are_open_at_once() {
    let _turn = turn().await;
    for kind in ["window", "tab"] {
        let Some(browser) = Browser::start().await else { return };
        let studio = Studio::start().await;
        let study = studio.demo(0).await;
        studio.answer_at_random(&study, 2).await;
        for n in 1..=7 {
            let start = std::time::Instant::now();
            browser.go(&studio.page(&format!("/studies/{study}/result"))).await;
            browser.until("document.getElementById('result').dataset.answers === '2'").await;
            println!("{kind} {n} with a result took {:?}", start.elapsed());
            browser.open(kind).await;
        }
        let start = std::time::Instant::now();
        browser.go(&studio.page(&format!("/studies/{study}/duel"))).await;
        answers::after_listening(&browser).await;
        println!("the duel beside seven {kind}s took {:?}", start.elapsed());
        browser.press(['1']).await;
        browser.until("document.getElementById('count').textContent.startsWith('Comparison 4 ')").await;
        assert_eq!(studio.answers(&study).await, 3);
    }
}

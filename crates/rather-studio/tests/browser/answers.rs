//! Until answers are taken: everything is loaded, sounds were played, and the moment is over in which a second press is an accident.

use crate::webdriver::Browser;

const PLAYED: &str = "document.getElementById('unheard').hidden";

/// Waits until the page takes answers.
pub(crate) async fn are_open(browser: &Browser) {
    browser.until("document.getElementById('duel').hasAttribute('data-open')").await;
}

/// Lets both sounds be heard, and waits until the page takes answers.
pub(crate) async fn after_listening(browser: &Browser) {
    browser.until("!document.getElementById('transport').hidden").await;
    let playing = |side: &str| format!("document.getElementById('main').dataset.playing === '{side}'");
    if browser.script(&format!("return {}", playing("A"))).await != true {
        browser.click(".side[data-side=left] .hear").await;
    }
    let only_b = "document.getElementById('unheard').textContent.startsWith('Hear B')";
    browser.until(&format!("{PLAYED} || {only_b}")).await;
    browser.click(".side[data-side=right] .hear").await;
    browser.until(PLAYED).await;
    are_open(browser).await;
}

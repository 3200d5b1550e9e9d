//! The first page: a table of studies, with what is best so far and a menu for each.

use crate::axe;
use crate::studio::Studio;
use crate::turn;
use crate::webdriver::{Browser, ENTER};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn studies_are_a_table_with_progress_and_a_menu() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    browser.go(&studio.page("/")).await;
    assert_eq!(browser.text("h1").await, "What would you rather have?", "the first visit");
    let mut first = String::new();
    for n in 0..9 {
        let toml = format!(
            "title = \"Teas {n}\"\nitems = [\"Assam\", \"Oolong\", \"Sencha\"]\n[stop]\nanswers = 12\n"
        );
        first = studio.make(json!({ "toml": toml })).await;
    }
    studio.answer_at_random(&first, 3).await;
    browser.go(&studio.page("/")).await;
    assert_eq!(browser.text("h1").await, "Your studies", "from then on the studies come first");
    browser.until("document.querySelector('.best-so-far[data-best-of]').textContent !== '–'").await;
    let row = browser.text("tr[data-title=\"Teas 8\"]").await;
    assert!(row.contains("3 items") && row.contains("3\u{2009}/\u{2009}12"), "{row}");
    for (width, height) in [(1280, 900), (390, 844)] {
        browser.size(width, height).await;
        for dark in [false, true] {
            browser.dark(dark).await;
            browser.go(&studio.page("/")).await;
            browser.until("!document.querySelector('.filter').hidden").await;
            let theme = if dark { "dark" } else { "light" };
            browser
                .picture(&axe::target().join(format!("studio-pages/home-table-{width}-{theme}.png")))
                .await;
            assert_eq!(axe::findings(&browser).await, Vec::<String>::new());
            let wide = browser.script("return document.documentElement.scrollWidth > innerWidth").await;
            assert_eq!(wide, false);
        }
    }
    browser.size(1280, 900).await;
    browser.write("#filter", "teas 3").await;
    let seen = "[...document.querySelectorAll('[data-title]')].filter((r) => !r.hidden).map((r) => r.dataset.title).join()";
    browser.until(&format!("{seen} === 'Teas 3'")).await;
    // By keys: the menu, and a copy.
    browser.tab_to("[data-title='Teas 3'] .menu summary").await;
    browser.press([ENTER]).await;
    browser.until("document.querySelector('[data-title=\"Teas 3\"] .menu').open").await;
    browser.tab_to("[data-title='Teas 3'] form[action$='/copy'] button").await;
    browser.press([ENTER]).await;
    browser.until("document.querySelector('h1').textContent === 'Teas 3 (copy)'").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fonts_are_those_of_the_studio() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    browser.go(&studio.page("/")).await;
    browser.promise("await document.fonts.ready").await;
    let loaded = browser
        .script("return [...document.fonts].filter((f) => f.status === 'loaded').map((f) => f.family.replaceAll('\"', '')).sort()")
        .await;
    assert_eq!(loaded, json!(["Inter", "Source Serif 4"]));
}

//! The picture of a result answers the pointer, keys and touch, and shows a setting beside the best.

use crate::axe;
use crate::studio::Studio;
use crate::turn;
use crate::webdriver::{Browser, ENTER, RIGHT};
use serde_json::{Value, json};

const ESCAPE: char = '\u{e00c}';
const LEFT: char = '\u{e012}';
const DOWN: char = '\u{e015}';
const READOUT: &str = "document.querySelector('.readout output').textContent";

/// Moves the pointer to shares of the width and height of what `selector` finds, and presses it if `click`.
pub(crate) async fn point(browser: &Browser, selector: &str, (x, y): (f64, f64), click: bool) {
    let script = format!(
        "const e = document.querySelector({}); e.scrollIntoView({{ block: 'center' }}); const r = e.getBoundingClientRect(); \
         return [r.left + {x} * r.width, r.top + {y} * r.height]",
        json!(selector)
    );
    let at = browser.script(&script).await;
    for kind in
        if click { ["mouseMoved", "mousePressed", "mouseReleased"].as_slice() } else { &["mouseMoved"] }
    {
        let button = if *kind == "mouseMoved" { "none" } else { "left" };
        let event = json!({ "type": kind, "x": at[0], "y": at[1], "button": button, "clickCount": 1 });
        browser.devtools("Input.dispatchMouseEvent", event).await;
    }
}

async fn ready(browser: &Browser) {
    browser.until("document.querySelector('.chart').getAttribute('role') === 'slider'").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_curve_tells_what_is_known_and_plays_a_setting_beside_the_best() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let study = studio.demo(0).await;
    studio.answer_at_random(&study, 5).await;
    for (width, height) in [(1280, 900), (390, 844)] {
        browser.size(width, height).await;
        browser.go(&studio.page(&format!("/studies/{study}/result"))).await;
        ready(&browser).await;
        let value = browser.text(".value").await;
        assert!(value.contains("\u{202f}dB") && value.contains('%') && !value.contains('-'), "{value}");
        point(&browser, ".chart", (0.25, 0.5), false).await;
        browser.until(&format!("{READOUT}.startsWith('floor −30\u{202f}dB: utility ')")).await;
        browser.until(&format!("{READOUT}.includes('better than the best with a probability of')")).await;
        point(&browser, ".chart", (0.25, 0.5), true).await;
        // What was clicked is heard.
        browser.until("document.getElementById('beside').dataset.playing === 'B'").await;
        browser.until("document.querySelector('#beside .side[data-side=right] .hear-label').textContent === 'Playing This'").await;
        assert_eq!(axe::findings(&browser).await, Vec::<String>::new());
        browser.picture(&axe::target().join(format!("studio-pages/beside-{width}.png"))).await;
        browser.click("#beside .side[data-side=left] .hear").await;
        browser.until("document.getElementById('beside').dataset.playing === 'A'").await;
        browser.click("#beside-close").await;
        browser.until("document.getElementById('beside').hidden").await;
    }
    // By keys: a step to the right, and Enter.
    browser.tab_to(".chart").await;
    let before = browser.script(&format!("return {READOUT}")).await;
    browser.press([RIGHT]).await;
    browser.until(&format!("{READOUT} !== {before}")).await;
    browser.press([ENTER]).await;
    browser.until("document.getElementById('beside').dataset.playing === 'B'").await;
    browser.press([ESCAPE]).await;
    browser.until("document.getElementById('beside').hidden").await;
    // After new answers the picture is new, and does the same.
    browser.script("window.old = document.querySelector('.chart')").await;
    studio.answer_at_random(&study, 1).await;
    browser.until("document.querySelector('.chart') !== window.old").await;
    ready(&browser).await;
    point(&browser, ".chart", (0.5, 0.5), false).await;
    browser.until(&format!("{READOUT}.startsWith('floor −20\u{202f}dB: utility ')")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_map_keeps_its_shape_and_has_ticks_of_its_own_units() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let study = studio.demo(1).await;
    studio.answer_at_random(&study, 5).await;
    for (width, height) in [(1280, 900), (390, 844)] {
        browser.size(width, height).await;
        browser.go(&studio.page(&format!("/studies/{study}/result"))).await;
        ready(&browser).await;
        let shape = browser
            .script(
                "const r = document.querySelector('.map').getBoundingClientRect(); return r.width / r.height",
            )
            .await;
        assert!((shape.as_f64().unwrap() - 1.5).abs() < 0.01, "{shape}");
        let ticks = browser
            .script("return [...document.querySelectorAll('.map text')].map((t) => t.textContent)")
            .await;
        for tick in ["0.1", "1", "10", "−20"] {
            assert!(ticks.as_array().unwrap().contains(&Value::from(tick)), "{tick} in {ticks}");
        }
        let cut = "return [...document.querySelectorAll('.chart text')].filter((t) => t.checkVisibility()).map((t) => t.getBoundingClientRect()) \
                   .filter((r) => r.width > 0 && (r.left < 0 || r.right > innerWidth)).length";
        assert_eq!(browser.script(cut).await, 0, "no label is cut");
        point(&browser, ".map", (0.9, 0.1), false).await;
        browser.until(&format!("{READOUT}.startsWith('over-subtraction ')")).await;
        let far = browser.script(&format!("return {READOUT}")).await;
        browser.tab_to(".map").await;
        browser.press([LEFT, DOWN]).await;
        browser.until(&format!("{READOUT} !== {far}")).await;
        browser.press([ENTER]).await;
        browser.until("document.getElementById('beside').dataset.playing === 'B'").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_of_the_ranking_and_a_choice_stand_beside_the_best() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let teas = studio
        .make(json!({ "toml": "title = \"Teas\"\nitems = [\"Assam\", \"Oolong\", \"Sencha\"]\n" }))
        .await;
    let grind = "title = \"Grind\"\n[parameters]\ngrind = { type = \"categorical\", choices = [\"fine\", \"medium\", \"coarse\"] }\n";
    let grind = studio.make(json!({ "toml": grind })).await;
    browser.size(390, 844).await;
    for (study, button) in [(&teas, ".ranking .beside"), (&grind, ".choices-of .beside")] {
        studio.answer_at_random(study, 4).await;
        browser.go(&studio.page(&format!("/studies/{study}/result"))).await;
        browser.until(&format!("!document.querySelector('{button}').hidden")).await;
        browser.click(button).await;
        browser.until("document.querySelectorAll('#beside .side').length === 2").await;
        assert_eq!(axe::findings(&browser).await, Vec::<String>::new());
        let wide = browser.script("return document.documentElement.scrollWidth > innerWidth").await;
        assert_eq!(wide, false);
    }
}

//! The demo from the first page to the result, with a simulated listener in front of it.
//!
//! The page is blind, so the listener is told by the operator's side of the program what it hears.

use crate::answers;
use crate::studio::Studio;
use crate::turn;
use crate::webdriver::{Browser, ENTER, RIGHT};
use rand_chacha::ChaCha8Rng;
use rather_audio::Demo;
use rather_audio::listener::Listener;
use rather_numerics::random;
use serde_json::json;

const DUELS: usize = 15;
const SEEDS: u64 = 10;
/// The stream of random numbers of a listener's mind.
const MIND: u64 = 0x6d69;

/// The floor as the listener's coordinate: 0 dB is 0, -40 dB is 1.
fn coordinate(floor: f64) -> [f64; 1] {
    [(floor / -40.0).clamp(0.0, 1.0)]
}

/// How a person answers.
#[derive(Clone, Copy, PartialEq)]
enum Hands {
    Pointer,
    Keyboard,
}

/// Answers the demo by the operations that its page uses, without listening: what it learns is the same.
async fn answer_by_program(studio: &Studio, study: &str, listener: &Listener, rng: &mut ChaCha8Rng) {
    let path = format!("/api/v1/studies/{study}");
    let who = studio.get(&format!("{path}/participants")).await["participants"][0]["name"].clone();
    for _ in 0..DUELS {
        let turn = studio.post(&format!("{path}/ask"), json!({ "participant": who })).await;
        let answer = if prefers_left(studio, study, listener, rng).await { "left" } else { "right" };
        let (duel, key) = (&turn["next"]["duel"], format!("{study}-{}", turn["next"]["duel"]));
        let said = json!({ "participant": who, "duel": duel, "answer": answer, "key": key });
        studio.post(&format!("{path}/tell"), said).await;
    }
}

async fn prefers_left(studio: &Studio, study: &str, listener: &Listener, rng: &mut ChaCha8Rng) -> bool {
    let (left, right) = studio.floors(study).await;
    listener.prefers(&coordinate(left), &coordinate(right), rng).expect("settings of the demo")
}

/// Goes through the demo and answers it; then on to the result, by hand.
async fn answer_by_hand(
    browser: &Browser,
    studio: &Studio,
    listener: &Listener,
    rng: &mut ChaCha8Rng,
    hands: Hands,
) {
    browser.go(&studio.page("/")).await;
    press(browser, ".cards .primary", hands).await;
    browser.until("document.getElementById('question')").await;
    let study = browser.script("return JSON.parse(document.getElementById('page').textContent).study").await;
    let study = study.as_str().expect("the study's name").to_owned();
    for number in 1..=DUELS {
        browser
            .until(&format!(
                "document.getElementById('count').textContent.startsWith('Comparison {number} ')"
            ))
            .await;
        browser.until("!document.getElementById('duel').hasAttribute('aria-busy')").await;
        browser.until("!document.getElementById('transport').hidden").await;
        listen(browser, hands).await;
        match (hands, prefers_left(studio, &study, listener, rng).await) {
            (Hands::Pointer, true) => browser.click("[data-answer=left]").await,
            (Hands::Pointer, false) => browser.click("[data-answer=right]").await,
            (Hands::Keyboard, left) => browser.press([if left { '1' } else { '2' }]).await,
        }
    }
    browser.until("!document.getElementById('end').hidden").await;
    press(browser, "#end a", hands).await;
}

async fn press(browser: &Browser, what: &str, hands: Hands) {
    match hands {
        Hands::Pointer => browser.click(what).await,
        Hands::Keyboard => {
            browser.tab_to(what).await;
            browser.press([ENTER]).await;
        }
    }
}

/// Goes through the demo, by hand or by program; returns the share of the range of utilities that the recommended setting is short of the best.
async fn run(browser: &Browser, listener: &Listener, rng: &mut ChaCha8Rng, hands: Option<Hands>) -> f64 {
    let studio = Studio::start().await;
    let study = studio.demo(0).await;
    match hands {
        Some(hands) => answer_by_hand(browser, &studio, listener, rng, hands).await,
        None => {
            answer_by_program(&studio, &study, listener, rng).await;
            browser.go(&studio.page(&format!("/studies/{study}/result"))).await;
        }
    }
    browser.until("document.querySelector('.best .value')").await;
    assert_eq!(studio.answers(&study).await, DUELS, "every answer is counted once");
    let floor = number(&browser.text(".best .value strong").await);
    let (found, best) = (listener.utility(&coordinate(floor)), listener.utility(listener.favourite()));
    // A listener's utilities go from 0 to 4.
    (best.unwrap() - found.unwrap()) / 4.0
}

/// The number in `floor −12.5 dB`.
fn number(text: &str) -> f64 {
    let digits: String =
        text.replace('−', "-").chars().filter(|c| c.is_ascii_digit() || "-.".contains(*c)).collect();
    digits.parse().unwrap_or_else(|_| panic!("{text:?} holds no number"))
}

async fn listen(browser: &Browser, hands: Hands) {
    let playing = |side: &str| format!("document.getElementById('main').dataset.playing === '{side}'");
    if browser.script(&format!("return {}", playing("A"))).await != true {
        match hands {
            Hands::Pointer => browser.click(".side[data-side=left] .hear").await,
            Hands::Keyboard => browser.press([' ']).await,
        }
    }
    browser.until(&playing("A")).await;
    browser.until("document.getElementById('unheard').textContent.startsWith('Hear B')").await;
    match hands {
        Hands::Pointer => browser.click(".side[data-side=right] .hear").await,
        Hands::Keyboard => browser.press([RIGHT]).await,
    }
    browser.until(&playing("B")).await;
    answers::are_open(browser).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fifteen_duels_find_what_a_listener_likes() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let demo = Demo::new(1);
    let listener = demo.listener(1).expect("the built-in sound has a listener");
    let mut short = Vec::new();
    for seed in 0..SEEDS {
        // Listening takes a browser a second a comparison: two listeners do.
        let hands = [Hands::Keyboard, Hands::Pointer].get(seed as usize).copied();
        short.push(run(&browser, listener, &mut random::stream(seed, MIND), hands).await);
    }
    let good = short.iter().filter(|share| **share <= 0.1).count();
    println!("short of the best, in shares of the range: {short:.3?}");
    assert!(good >= 8, "{good} of {SEEDS} recommendations are within a tenth of the best: {short:?}");
}

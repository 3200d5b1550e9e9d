//! Ten tasks of somebody who is new to the studio, done by keys alone and by touch alone. For each, what it took is printed.

use crate::answers;
use crate::studio::Studio;
use crate::turn;
use crate::webdriver::{Browser, ENTER, RIGHT};
use serde_json::json;
use std::cell::Cell;
use std::time::Instant;

/// With what a person works.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hands {
    Keys,
    Touch,
}

/// Somebody at work, whose actions are counted: taps, or keys other than the tab key and those of words.
struct Person<'a> {
    browser: &'a Browser,
    studio: &'a Studio,
    hands: Hands,
    actions: Cell<usize>,
}

impl Person<'_> {
    /// Presses what `selector` finds.
    async fn press(&self, selector: &str) {
        self.browser.until(&format!("document.querySelector({})?.checkVisibility()", json!(selector))).await;
        self.actions.set(self.actions.get() + 1);
        match self.hands {
            Hands::Keys => {
                self.browser.tab_to(selector).await;
                self.browser.press([ENTER]).await;
            }
            Hands::Touch => self.tap(selector).await,
        }
    }

    async fn tap(&self, selector: &str) {
        let script = format!(
            "const e = document.querySelector({}); e.scrollIntoView({{ block: 'center' }}); const r = e.getBoundingClientRect(); \
             return [r.left + r.width / 2, r.top + r.height / 2]",
            json!(selector)
        );
        let at = self.browser.script(&script).await;
        let begin = json!({ "type": "touchStart", "touchPoints": [{ "x": at[0], "y": at[1] }] });
        self.browser.devtools("Input.dispatchTouchEvent", begin).await;
        self.browser
            .devtools("Input.dispatchTouchEvent", json!({ "type": "touchEnd", "touchPoints": [] }))
            .await;
    }

    /// Writes into a field.
    async fn write(&self, selector: &str, text: &str) {
        self.browser.until(&format!("document.querySelector({})?.checkVisibility()", json!(selector))).await;
        self.actions.set(self.actions.get() + 1);
        match self.hands {
            Hands::Keys => self.browser.tab_to(selector).await,
            Hands::Touch => {
                // The click comes a moment after the finger, and moves the caret.
                let click = "window.tapped = false; addEventListener('click', () => (window.tapped = true), { once: true, capture: true })";
                self.browser.script(click).await;
                self.tap(selector).await;
                self.browser.until("window.tapped").await;
            }
        }
        self.browser.until(&format!("document.activeElement.matches({})", json!(selector))).await;
        match self.hands {
            Hands::Keys => self.browser.press(text.chars()).await,
            // As the keyboard on the screen does: into the field, not to whatever has the focus.
            Hands::Touch => self.browser.write(selector, text).await,
        }
        self.browser.until(&format!("document.activeElement.value.endsWith({})", json!(text))).await;
    }

    async fn go(&self, path: &str) {
        self.browser.go(&self.studio.page(path)).await;
        self.browser.until("document.readyState === 'complete'").await;
    }

    async fn sees(&self, expression: &str) {
        self.browser.until(expression).await;
    }

    /// Gives the answer of this name, by its key or by a tap.
    async fn answer(&self, key: char, name: &str) {
        answers::are_open(self.browser).await;
        match self.hands {
            Hands::Keys => {
                self.actions.set(self.actions.get() + 1);
                self.browser.press([key]).await;
            }
            Hands::Touch => self.press(&format!("[data-answer={name}]")).await,
        }
    }
}

const COUNT: &str = "document.getElementById('count').textContent";

/// 1: a study of one parameter, and two answers.
async fn tune(me: &Person<'_>) {
    me.go("/").await;
    me.press(".section-head .primary").await;
    me.write("#title", "Grind").await;
    me.press("#continue").await;
    me.write("#parameter-name-0", "grams").await;
    me.write("#parameter-low-0", "10").await;
    me.write("#parameter-high-0", "20").await;
    me.press("#continue").await;
    me.press("#create").await;
    me.sees("document.getElementById('question')").await;
    me.answer('1', "left").await;
    me.sees(&format!("{COUNT}.startsWith('Comparison 2')")).await;
    me.answer('2', "right").await;
    me.sees(&format!("{COUNT}.startsWith('Comparison 3')")).await;
}

/// 2: names typed in, as somebody with samples on the table does.
async fn samples(me: &Person<'_>) {
    me.go("/studies/new?subject=items").await;
    me.write("#title", "Teas").await;
    me.press("#continue").await;
    me.write("#items", "Assam\nOolong\nSencha").await;
    me.press("#continue").await;
    me.press("#create").await;
    me.sees("document.querySelector('.side .label')").await;
}

/// 3: a link for somebody else.
async fn invite(me: &Person<'_>, study: &str) {
    me.go(&format!("/studies/{study}/result")).await;
    me.write("#name", "Ann").await;
    me.press("#people .inline button").await;
    me.sees("document.querySelector('.person-link')").await;
}

/// 4: a study with a consent, made with keys; on a phone, its participant's side.
async fn consent(me: &Person<'_>) {
    match me.hands {
        Hands::Keys => {
            me.go("/studies/new?subject=items").await;
            me.write("#title", "With consent").await;
            me.press("#continue").await;
            me.write("#items", "a\nb").await;
            me.press("#continue").await;
            me.press(".step[data-step='2'] > details:last-of-type summary").await;
            me.write("#participants", "Ann").await;
            me.write("#consent", "I am of age.").await;
            me.press("#create").await;
            me.press(".person-link").await;
        }
        Hands::Touch => {
            let toml = "title = \"With consent\"\nitems = [\"a\", \"b\"]\n[presentation]\nconsent = \"I am of age.\"\n";
            let study = me.studio.make(json!({ "toml": toml })).await;
            let path = format!("/api/v1/studies/{study}/participants");
            let link = me.studio.post(&path, json!({ "name": "Ann" })).await;
            me.go(link["link"].as_str().expect("a link")).await;
        }
    }
    me.sees("document.querySelector('.consent')").await;
    if me.hands == Hands::Keys {
        me.browser.tab_to("[name=consent]").await;
        me.browser.press([' ']).await;
    } else {
        me.press("[name=consent]").await;
    }
    me.press("form .primary").await;
    me.sees("document.getElementById('duel')").await;
}

/// 5: an answer is taken back.
async fn undo(me: &Person<'_>, study: &str) {
    me.go(&format!("/studies/{study}/duel")).await;
    let before = me.browser.text("#count").await;
    me.answer('1', "left").await;
    me.sees(&format!("{COUNT} !== {}", json!(before))).await;
    me.press("#undo").await;
    me.sees(&format!("{COUNT} === {}", json!(before))).await;
}

/// 6: how sure is it?
async fn certainty(me: &Person<'_>, study: &str) {
    me.go(&format!("/studies/{study}/duel")).await;
    match me.hands {
        // In a wide window it is there already.
        Hands::Keys => {}
        Hands::Touch => me.press("#panel-toggle").await,
    }
    me.sees("document.querySelector('#learned .sentence')?.textContent.includes('%')").await;
}

/// 7: a setting of the curve, beside the best.
async fn point(me: &Person<'_>, study: &str) {
    me.go(&format!("/studies/{study}/result")).await;
    me.sees("document.querySelector('.chart').getAttribute('role') === 'slider'").await;
    if me.hands == Hands::Keys {
        me.browser.tab_to(".chart").await;
        me.browser.press([RIGHT, RIGHT, ENTER]).await;
        me.actions.set(me.actions.get() + 3);
    } else {
        me.press(".chart").await;
    }
    me.sees("!document.getElementById('beside').hidden && document.querySelectorAll('#beside .side').length === 2").await;
}

/// 8: archived, and back.
async fn restore(me: &Person<'_>, study: &str) {
    me.go(&format!("/studies/{study}/result")).await;
    me.press("form[action$='/archive'] button").await;
    me.sees("document.getElementById('archived')").await;
    me.press("#archived > summary").await;
    me.press(&format!("form[action='/studies/{study}/restore'] button")).await;
    me.sees("document.querySelector('.best')").await;
}

/// 9: renamed, and paused.
async fn pause(me: &Person<'_>, study: &str) {
    me.go(&format!("/studies/{study}/result")).await;
    me.press("#settings > summary").await;
    me.write("#study-title", " again").await;
    if me.hands == Hands::Keys {
        me.browser.tab_to("[name=paused]").await;
        me.browser.press([' ']).await;
    } else {
        me.press("[name=paused]").await;
    }
    me.press("#settings button").await;
    me.sees("document.querySelector('h1').textContent.endsWith('again')").await;
    me.go(&format!("/studies/{study}/duel")).await;
    me.sees("document.getElementById('end-title').textContent === 'Paused'").await;
}

/// 10: a copy, and the answers as a table.
async fn take_away(me: &Person<'_>, study: &str) {
    me.go(&format!("/studies/{study}/result")).await;
    me.sees("document.querySelector('#export ~ .actions a[download]')").await;
    me.press("form[action$='/copy'] button").await;
    me.sees("document.querySelector('h1').textContent.endsWith('(copy)')").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_tasks_by_keys_and_by_touch() {
    let _turn = turn().await;
    for hands in [Hands::Keys, Hands::Touch] {
        let Some(browser) = Browser::start().await else { return };
        let studio = Studio::start().await;
        if hands == Hands::Touch {
            browser.size(390, 844).await;
            browser.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": true })).await;
        }
        let toml = "title = \"Coffee\"\n[parameters]\ngrams = { type = \"float\", low = 10, high = 25 }\n";
        let study = studio.make(json!({ "toml": toml })).await;
        studio.answer_at_random(&study, 3).await;
        let me = Person { browser: &browser, studio: &studio, hands, actions: Cell::new(0) };
        for task in 1..=10 {
            let start = Instant::now();
            me.actions.set(0);
            match task {
                1 => tune(&me).await,
                2 => samples(&me).await,
                3 => invite(&me, &study).await,
                4 => consent(&me).await,
                5 => undo(&me, &study).await,
                6 => certainty(&me, &study).await,
                7 => point(&me, &study).await,
                8 => restore(&me, &study).await,
                9 => pause(&me, &study).await,
                _ => take_away(&me, &study).await,
            }
            println!(
                "task {task} by {hands:?}: {} actions, {:.1} s",
                me.actions.get(),
                start.elapsed().as_secs_f64()
            );
        }
    }
}

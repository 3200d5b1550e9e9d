//! Somebody at work, by keys alone or by touch alone.

use crate::answers;
use crate::studio::Studio;
use crate::webdriver::{Browser, ENTER, RIGHT};
use serde_json::json;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a browser waits for the second of two taps.
const DOUBLE_TAP: Duration = Duration::from_millis(350);

/// With what a person works.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Hands {
    Keys,
    Touch,
}

/// Somebody at work, whose actions are counted: taps, or keys other than the tab key and those of words; a word, or files that are chosen, are one.
pub(crate) struct Person<'a> {
    pub(crate) browser: &'a Browser,
    pub(crate) studio: &'a Studio,
    pub(crate) hands: Hands,
    /// Where files are, and where what is downloaded goes.
    pub(crate) folder: &'a Path,
    pub(crate) actions: Cell<usize>,
}

impl<'a> Person<'a> {
    pub(crate) fn new(browser: &'a Browser, studio: &'a Studio, hands: Hands, folder: &'a Path) -> Self {
        Self { browser, studio, hands, folder, actions: Cell::new(0) }
    }

    fn acts(&self) {
        self.actions.set(self.actions.get() + 1);
    }

    /// Presses what `selector` finds.
    pub(crate) async fn press(&self, selector: &str) {
        self.comes(selector).await;
        self.acts();
        match self.hands {
            Hands::Keys => {
                self.browser.tab_to(selector).await;
                self.browser.press([ENTER]).await;
            }
            Hands::Touch => self.tap(selector).await,
        }
    }

    /// Ticks a box.
    pub(crate) async fn tick(&self, selector: &str) {
        self.comes(selector).await;
        match self.hands {
            Hands::Keys => {
                self.acts();
                self.browser.tab_to(selector).await;
                self.browser.press([' ']).await;
            }
            Hands::Touch => self.press(selector).await,
        }
        self.sees(&format!("document.querySelector({}).checked", json!(selector))).await;
    }

    /// Chooses one of several circles of a name: arrows lead from one to the next.
    pub(crate) async fn choose(&self, name: &str, value: &str) {
        let wanted = format!("[name={name}][value={value}]");
        let chosen = format!("document.querySelector({}).checked", json!(wanted));
        self.comes(&wanted).await;
        if self.hands == Hands::Touch {
            return self.press(&wanted).await;
        }
        self.browser.tab_to(&format!("[name={name}]")).await;
        while self.browser.script(&format!("return {chosen}")).await != true {
            self.acts();
            self.browser.press([RIGHT]).await;
        }
    }

    /// Chooses an entry of a list; by touch the system's own list opens, which no script reaches: then it is chosen as that does.
    pub(crate) async fn pick(&self, selector: &str, value: &str) {
        self.comes(selector).await;
        self.acts();
        if self.hands == Hands::Keys {
            self.browser.tab_to(selector).await;
            self.browser.press(value.chars()).await;
        } else {
            self.acts();
            let script = format!(
                "const e = document.querySelector({}); e.value = {}; e.dispatchEvent(new Event('change', {{ bubbles: true }}))",
                json!(selector),
                json!(value)
            );
            self.browser.script(&script).await;
        }
        self.sees(&format!("document.querySelector({}).value === {}", json!(selector), json!(value))).await;
    }

    /// Chooses files, as the system's dialog gives them to the page.
    pub(crate) async fn give(&self, selector: &str, files: &[PathBuf]) {
        self.acts();
        let all: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        self.browser.write(selector, &all.join("\n")).await;
    }

    async fn comes(&self, selector: &str) {
        self.browser.until(&format!("document.querySelector({})?.checkVisibility()", json!(selector))).await;
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
    pub(crate) async fn write(&self, selector: &str, text: &str) {
        self.comes(selector).await;
        self.acts();
        match self.hands {
            Hands::Keys => self.browser.tab_to(selector).await,
            Hands::Touch => {
                // The click comes a moment after the finger, and moves the caret.
                let click = "window.tapped = false; addEventListener('click', () => (window.tapped = true), { once: true, capture: true })";
                self.browser.script(click).await;
                self.tap(selector).await;
                self.browser.until("window.tapped").await;
                // What is typed while the browser waits for a second tap is lost.
                tokio::time::sleep(DOUBLE_TAP).await;
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

    /// Writes into a field in the place of what stands there.
    pub(crate) async fn replace(&self, selector: &str, text: &str) {
        self.comes(selector).await;
        if self.hands == Hands::Keys {
            // The tab key selects all of a field.
            return self.write(selector, text).await;
        }
        self.acts();
        self.browser.script(&format!("document.querySelector({}).value = ''", json!(selector))).await;
        self.write(selector, text).await;
    }

    pub(crate) async fn go(&self, path: &str) {
        let address = if path.starts_with('/') { self.studio.page(path) } else { path.to_owned() };
        self.browser.go(&address).await;
        self.browser.until("document.readyState === 'complete'").await;
    }

    pub(crate) async fn sees(&self, expression: &str) {
        self.browser.until(expression).await;
    }

    pub(crate) async fn text(&self, selector: &str) -> String {
        self.browser.text(selector).await
    }

    /// The path of the page.
    pub(crate) async fn path(&self) -> String {
        self.browser.script("return location.pathname").await.as_str().unwrap_or_default().to_owned()
    }

    /// Becomes another one, with another browser.
    pub(crate) async fn forget_cookies(&self) {
        self.browser.devtools("Network.clearBrowserCookies", json!({})).await;
    }

    /// Keeps what is downloaded.
    pub(crate) async fn downloads(&self) {
        let kept = json!({ "behavior": "allow", "downloadPath": self.folder.display().to_string() });
        self.browser.devtools("Browser.setDownloadBehavior", kept).await;
    }

    /// Lets a side be heard, unless it is.
    pub(crate) async fn hear(&self, side: &str) {
        self.sees("!document.getElementById('transport').hidden").await;
        let letter = if side == "left" { "A" } else { "B" };
        let playing = format!("document.getElementById('main').dataset.playing === '{letter}'");
        if self.browser.script(&format!("return {playing}")).await != true {
            self.press(&format!(".side[data-side={side}] .hear")).await;
        }
        self.sees(&playing).await;
        let missing = if side == "left" { "A" } else { "B" };
        self.sees(&format!(
            "document.getElementById('unheard').hidden || !/^Hear {missing}\\b/.test(document.getElementById('unheard').textContent)"
        ))
        .await;
    }

    /// Gives the answer of this name, by its key or by a tap.
    pub(crate) async fn answer(&self, key: char, name: &str) {
        answers::are_open(self.browser).await;
        match self.hands {
            Hands::Keys => {
                self.acts();
                self.browser.press([key]).await;
            }
            Hands::Touch => self.press(&format!("[data-answer={name}]")).await,
        }
    }
}

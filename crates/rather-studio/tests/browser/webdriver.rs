//! A small client of the WebDriver protocol, for Chromium.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The longest that anything on a page may take to happen. Generous: machines that test are busy.
const PATIENCE: Duration = Duration::from_secs(40);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(20);
/// How long a page is given to see a key.
const A_KEY: Duration = Duration::from_secs(3);
/// How many keys a page has seen since this was asked for the first time.
const KEYS_SEEN: &str = "if (window.keysSeen === undefined) { window.keysSeen = []; \
                         addEventListener('keydown', (e) => { window.keysSeen.push(e.key); }, true); } return window.keysSeen.length";

/// The special keys of the protocol.
pub(crate) const TAB: char = '\u{e004}';
pub(crate) const ENTER: char = '\u{e007}';
pub(crate) const LEFT: char = '\u{e012}';
pub(crate) const RIGHT: char = '\u{e014}';

/// A browser with one window. It ends with the value.
pub(crate) struct Browser {
    http: reqwest::Client,
    session: String,
    driver: Child,
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser ends with its session; killing its driver alone would leave it running.
        let _ = self.end();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// The program of this name: what `variable` says, or what is on the path.
fn program(variable: &str, names: &[&str]) -> Option<PathBuf> {
    if let Some(path) = std::env::var_os(variable) {
        return Some(path.into());
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}

/// Whether the tests in a browser may not be skipped.
pub(crate) fn is_required() -> bool {
    std::env::var("RATHER_REQUIRE").is_ok_and(|these| these == "1" || these.contains("browser"))
}

impl Browser {
    /// Ends the session, without an executor, which may be gone.
    fn end(&self) -> std::io::Result<()> {
        let (_, rest) = self.session.split_once("//").unwrap_or_default();
        let (host, path) = rest.split_once('/').unwrap_or_default();
        let mut stream = TcpStream::connect(host)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        write!(stream, "DELETE /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
        // Its first byte says that it is done.
        stream.read_exact(&mut [0])
    }

    /// A headless browser; `None`, and a word about it, if this machine has none and `RATHER_REQUIRE` does not hold the word `browser`.
    pub(crate) async fn start() -> Option<Self> {
        let chromium = program("CHROMIUM", &["chromium", "chromium-browser", "google-chrome"]);
        let driver = program("CHROMEDRIVER", &["chromedriver"]);
        let (Some(chromium), Some(driver)) = (chromium, driver) else {
            let missing =
                "needs chromium and chromedriver (on the path, or named by CHROMIUM and CHROMEDRIVER)";
            assert!(!is_required(), "{missing}, and RATHER_REQUIRE says that a browser is here");
            eprintln!("skipped: {missing}");
            return None;
        };
        let mut driver = Command::new(driver)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = loop {
            let line = lines.next().expect("chromedriver says its port").unwrap();
            if let Some((_, port)) = line.split_once("successfully on port ") {
                break port.trim_end_matches('.').to_owned();
            }
        };
        // It must not block on a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
        ];
        let options = json!({ "binary": chromium, "args": arguments });
        let wanted = json!({ "capabilities": { "alwaysMatch": { "browserName": "chrome", "goog:chromeOptions": options } } });
        let root = format!("http://127.0.0.1:{port}/session");
        let reply = request(http.post(&root).json(&wanted)).await;
        let session = format!("{root}/{}", reply["sessionId"].as_str().expect("a session"));
        let browser = Self { http, session, driver };
        browser.size(1280, 900).await;
        // A window that has no focus drops keys.
        browser.devtools("Emulation.setFocusEmulationEnabled", json!({ "enabled": true })).await;
        Some(browser)
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        request(self.http.post(format!("{}/{path}", self.session)).json(&body)).await
    }

    /// A command of the browser's own protocol.
    pub(crate) async fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.post("goog/cdp/execute", json!({ "cmd": command, "params": parameters })).await
    }

    /// Opens a page and waits until it was painted: a browser drops keys and clicks that come before a page's first paint.
    pub(crate) async fn go(&self, url: &str) {
        self.post("url", json!({ "url": url })).await;
        self.until("performance.getEntriesByType('paint').length > 0").await;
    }

    /// Opens a window of its own, or a tab, and goes on in it.
    pub(crate) async fn open(&self, kind: &str) {
        let made = self.post("window/new", json!({ "type": kind })).await;
        self.post("window", json!({ "handle": made["handle"] })).await;
    }

    /// The size of the page in CSS pixels.
    pub(crate) async fn size(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", size).await;
    }

    /// Whether pages are to be dark.
    pub(crate) async fn dark(&self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.devtools("Emulation.setEmulatedMedia", features).await;
    }

    /// What a script (the body of a function) returns.
    pub(crate) async fn script(&self, body: &str) -> Value {
        self.post("execute/sync", json!({ "script": body, "args": [] })).await
    }

    /// What the body of an async function returns in the end.
    pub(crate) async fn promise(&self, body: &str) -> Value {
        let script = format!(
            "const done = arguments[0]; (async () => {{ {body} }})().then(done, (e) => done(`failed: ${{e}}`));"
        );
        self.post("execute/async", json!({ "script": script, "args": [] })).await
    }

    /// Waits until an expression is true on the page.
    pub(crate) async fn until(&self, expression: &str) {
        let start = Instant::now();
        // While a page loads there is nothing to ask.
        let script = format!("try {{ return Boolean({expression}); }} catch {{ return false; }}");
        while self.script(&script).await != Value::Bool(true) {
            if start.elapsed() > PATIENCE {
                let page = self.script("return document.body.innerText").await;
                let keys = self.script("return window.keysSeen ?? []").await;
                panic!(
                    "waited in vain for {expression} on a page that has seen the keys {keys} and says: {page}"
                );
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// The text of the first element that `selector` finds.
    pub(crate) async fn text(&self, selector: &str) -> String {
        let script = format!("return document.querySelector({}).innerText", json!(selector));
        self.script(&script).await.as_str().unwrap_or_default().to_owned()
    }

    /// Clicks as a person does: with the pointer, on what is there and visible.
    pub(crate) async fn click(&self, selector: &str) {
        let element = self.element(selector).await;
        self.post(&format!("element/{element}/click"), json!({})).await;
    }

    /// Types into a field.
    pub(crate) async fn write(&self, selector: &str, text: &str) {
        let element = self.element(selector).await;
        self.post(&format!("element/{element}/value"), json!({ "text": text })).await;
    }

    async fn element(&self, selector: &str) -> String {
        let found = self.post("element", json!({ "using": "css selector", "value": selector })).await;
        let id = found.as_object().and_then(|o| o.values().next()).and_then(Value::as_str);
        id.unwrap_or_else(|| panic!("there is no {selector}: {found}")).to_owned()
    }

    /// Presses keys, one after another, wherever the focus is. A key that no page has seen (a busy browser drops one now and then) is pressed again; one
    /// that a page has seen and did nothing about is not.
    pub(crate) async fn press(&self, keys: impl IntoIterator<Item = char>) {
        for key in keys {
            for _ in 0..3 {
                let before = self.script(KEYS_SEEN).await;
                self.press_once(key).await;
                if self.has_seen_more_keys_than(&before).await {
                    break;
                }
                eprintln!("the browser has dropped the key U+{:04X}", u32::from(key));
            }
        }
    }

    async fn press_once(&self, key: char) {
        let actions = ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key.to_string() }));
        self.post("actions", json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": actions }] }))
            .await;
    }

    /// Whether the page has seen a key since it had seen `before`, or has become another page; waits for it. What a frame within a page sees is not known.
    async fn has_seen_more_keys_than(&self, before: &Value) -> bool {
        let script = format!(
            "return window.keysSeen?.length !== {before} || document.activeElement?.tagName === 'IFRAME'"
        );
        let start = Instant::now();
        while start.elapsed() < A_KEY {
            if self.script(&script).await == Value::Bool(true) {
                return true;
            }
            tokio::time::sleep(LOOK).await;
        }
        false
    }

    /// Presses the tab key until what `selector` finds has the focus. While the focus is not on the page, no page sees the key.
    pub(crate) async fn tab_to(&self, selector: &str) {
        let script = format!("return document.activeElement.matches({})", json!(selector));
        for _ in 0..200 {
            if self.script(&script).await == Value::Bool(true) {
                return;
            }
            self.press_once(TAB).await;
        }
        panic!("{selector} cannot be reached with the tab key");
    }

    /// A picture of the whole page as a PNG file.
    pub(crate) async fn picture(&self, path: &Path) {
        let shot = self
            .devtools("Page.captureScreenshot", json!({ "captureBeyondViewport": true, "format": "png" }))
            .await;
        let base64 =
            data_encoding::BASE64.decode(shot["data"].as_str().expect("a picture").as_bytes()).unwrap();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, base64).unwrap();
    }
}

async fn request(request: reqwest::RequestBuilder) -> Value {
    let mut reply: Value = request.send().await.expect("chromedriver answers").json().await.expect("JSON");
    let value = reply["value"].take();
    assert!(value.get("error").is_none(), "chromedriver: {}: {}", value["error"], value["message"]);
    value
}

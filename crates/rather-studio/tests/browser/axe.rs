//! Accessibility rules of axe-core, run on a page.
//!
//! The script is not kept with the project: the variable `RATHER_AXE` names it (`axe.min.js` of the npm package `axe-core`).
//! Without it the rules are not run, and that is said; where `RATHER_REQUIRE` holds the word `browser`, that is a failure.

use super::webdriver::{Browser, is_required};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The variable that names the script.
const SCRIPT: &str = "RATHER_AXE";

fn source() -> Option<&'static str> {
    static SOURCE: OnceLock<Option<String>> = OnceLock::new();
    SOURCE.get_or_init(read).as_deref()
}

fn read() -> Option<String> {
    let Some(path) = std::env::var_os(SCRIPT).filter(|path| !path.is_empty()) else {
        let missing = format!("{SCRIPT} does not name axe.min.js of axe-core 4.11 or newer");
        assert!(!is_required(), "{missing}, and RATHER_REQUIRE says that a browser is here");
        eprintln!("accessibility rules not run: {missing}");
        return None;
    };
    let path = PathBuf::from(path);
    Some(std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{SCRIPT}: {}: {e}", path.display())))
}

/// The project's folder of everything built.
pub(crate) fn target() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| here.join("../../target"), PathBuf::from)
}

/// What arrives is paler than what has arrived: rules about contrast wait for it. What moves for ever is as it is.
const AT_REST: &str = "document.getAnimations().every((a) => a.playState !== 'running' || a.effect.getComputedTiming().endTime === Infinity)";

/// What is serious or worse on the page that the browser shows, a line each.
pub(crate) async fn findings(browser: &Browser) -> Vec<String> {
    let Some(source) = source() else { return Vec::new() };
    browser.script(source).await;
    browser.until(AT_REST).await;
    let report =
        browser.promise("return (await axe.run(document, { resultTypes: ['violations'] })).violations").await;
    let Value::Array(violations) = report else { panic!("axe says {report}") };
    let serious = |v: &&Value| matches!(v["impact"].as_str(), Some("serious" | "critical"));
    let line = |v: &Value| format!("{}: {} at {}", v["id"], v["help"], v["nodes"][0]["html"]);
    violations.iter().filter(serious).map(line).collect()
}

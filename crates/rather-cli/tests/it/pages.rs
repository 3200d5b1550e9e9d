//! Pages of HTML that the program writes, in a real browser: without a network, on a telephone, on paper, by the rules of axe-core.

#[path = "../../../rather-studio/tests/browser/axe.rs"]
#[allow(dead_code, reason = "shared with the studio's tests, which use more of it")]
mod axe;
#[path = "../../../rather-studio/tests/browser/webdriver.rs"]
#[allow(dead_code, reason = "shared with the studio's tests, which use more of it")]
mod webdriver;

use crate::lab::Lab;
use serde_json::json;
use std::path::Path;
use webdriver::Browser;

/// What is wrong with the page of a leaderboard in this window: nothing is loaded, nothing is wider than the window, no rule of axe-core is broken.
async fn look(browser: &Browser, page: &Path, width: u32) {
    browser.size(width, 900).await;
    browser.go(&format!("file://{}", page.display())).await;
    let loaded = browser.script("return performance.getEntriesByType('resource').map((e) => e.name)").await;
    assert_eq!(loaded, json!([]), "a file that opens anywhere");
    let beyond =
        browser.script("return document.scrollingElement.scrollWidth - document.documentElement.clientWidth");
    assert_eq!(beyond.await, 0, "at {width} pixels");
    assert_eq!(axe::findings(browser).await, Vec::<String>::new(), "at {width} pixels");
    let name = page.file_stem().unwrap().to_string_lossy().replace('.', "-");
    browser.picture(&axe::target().join("program-pages").join(format!("{name}-{width}.png"))).await;
}

/// The number of sheets of paper that a page takes.
async fn sheets(browser: &Browser) -> usize {
    let printed = browser.devtools("Page.printToPDF", json!({ "printBackground": false })).await;
    let pdf = data_encoding::BASE64.decode(printed["data"].as_str().expect("a PDF").as_bytes()).unwrap();
    String::from_utf8_lossy(&pdf).matches("/Type /Page\n").count()
}

#[tokio::test]
async fn a_leaderboard_opens_anywhere() {
    let Some(browser) = Browser::start().await else { return };
    browser.devtools("Network.enable", json!({})).await;
    let offline = json!({ "offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0 });
    browser.devtools("Network.emulateNetworkConditions", offline).await;
    let lab = Lab::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    lab.write("votes.jsonl", std::fs::read(root.join("examples/votes.jsonl")).unwrap());
    lab.write("judges.csv", of_judges());
    for name in ["votes.jsonl", "judges.csv"] {
        lab.text(&format!("arena {name} --html {name}.html"));
        let page = lab.path(format!("{name}.html"));
        for width in [390, 1280] {
            look(&browser, &page, width).await;
        }
        // The interval of a rating leaves a narrow table, and nothing else does.
        browser.size(390, 900).await;
        let hidden = "return [...document.querySelectorAll('th')].filter((e) => !e.offsetWidth).map((e) => e.textContent)";
        assert_eq!(browser.script(hidden).await, json!(["95 % interval"]));
        let sheets = sheets(&browser).await;
        assert!((1..=6).contains(&sheets), "{sheets} sheets");
    }
}

/// Votes of three judges, each of whom sees every pair in both orders; the third always prefers the left.
fn of_judges() -> String {
    let mut out = "model_a,model_b,winner,judge\n".to_owned();
    for pair in 0..90 {
        let (a, b) = (pair % 5, (pair + 1 + pair / 5 % 4) % 5);
        let better = if a < b { "model_a" } else { "model_b" };
        for (judge, winner) in [("ann", better), ("ben", better), ("cem", "model_a")] {
            out += &format!("m{a},m{b},{winner},{judge}\n");
        }
    }
    out
}

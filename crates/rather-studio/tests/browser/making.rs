//! Making a study in the browser.

use crate::answers;
use crate::axe;
use crate::studio::Studio;
use crate::turn;
use crate::webdriver::Browser;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_study_is_made_by_its_form() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    browser.go(&studio.page("/studies/new")).await;
    browser.until("!document.getElementById('continue').hidden").await;
    // Enter leads on, and what has no name yet is no reason to stop.
    browser.write("#title", "Tea\u{e007}").await;
    browser.until("document.querySelector('.step[data-step=\"1\"]').checkVisibility()").await;
    browser.write("#parameter-name-0", "temperature").await;
    browser.write("#parameter-low-0", "95").await;
    browser.write("#parameter-high-0", "60").await;
    browser.write("#parameter-unit-0", "°C").await;
    browser.click("#add-parameter").await;
    browser.write("#parameter-name-1", "leaf").await;
    browser.script("const s = document.getElementById('parameter-range-1'); s.value = 'categorical'; s.dispatchEvent(new Event('change', { bubbles: true }))").await;
    browser.write("#parameter-choices-1", "whole, broken").await;
    browser.click("#continue").await;
    browser.write("#duels", "many").await;
    browser.script("window.same = true").await;
    browser.click("#create").await;
    browser.until("document.querySelector('.trouble')").await;
    let invalid =
        browser.script("return [...document.querySelectorAll('[aria-invalid=true]')].map((e) => e.id)").await;
    assert_eq!(invalid, json!(["parameter-low-0", "duels"]), "all that is wrong, beside its fields");
    assert_eq!(browser.script("return window.same").await, true, "the page was not left");
    browser.until("document.activeElement.id === 'parameter-low-0'").await;
    assert_eq!(axe::findings(&browser).await, Vec::<String>::new());
    browser.script("document.getElementById('parameter-low-0').value = '60'; document.getElementById('parameter-high-0').value = '95'; document.getElementById('duels').value = '9'").await;
    browser.click("#steps li:last-child button").await;
    // The session is another one now: the form is sent all the same.
    browser.script("document.querySelector('#study [name=csrf]').value = 'old'").await;
    browser.click("#create").await;
    browser.until("document.querySelector('.side[data-side=left] dt')").await;
    // There is nothing to hear or see, so the values themselves are compared.
    assert_eq!(browser.text(".side[data-side=left] dt").await, "temperature");
    assert!(browser.text(".side[data-side=left] dd").await.contains("°C"));
    answers::are_open(&browser).await;
    browser.press(['2']).await;
    browser.until("document.getElementById('count').textContent.startsWith('Comparison 2 ')").await;
}

/// Drops files on the form: names with what they hold, of a type.
async fn drop_files(browser: &Browser, files: &str) {
    let script = format!(
        "const data = new DataTransfer(); for (const [name, type, bytes] of {files}) data.items.add(new File([bytes], name, {{ type }})); \
         document.getElementById('drop').dispatchEvent(new DragEvent('drop', {{ dataTransfer: data, bubbles: true, cancelable: true }}))"
    );
    browser.script(&script).await;
}

/// A GIF of one pixel, as the script's bytes.
const PIXEL: &str = "Uint8Array.from(atob('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw=='), (c) => c.charCodeAt(0))";

#[tokio::test(flavor = "multi_thread")]
async fn files_are_dropped_in_seen_and_become_the_items() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    browser.go(&studio.page("/studies/new?subject=pictures")).await;
    browser.until("!document.getElementById('continue').hidden").await;
    browser.write("#title", "Pictures\u{e007}").await;
    let files = format!(
        "[['red.gif', 'image/gif', {PIXEL}], ['blue.gif', 'image/gif', {PIXEL}], ['notes.txt', 'text/plain', 'a text'], ['none.gif', 'image/gif', '']]"
    );
    drop_files(&browser, &files).await;
    browser.until("document.querySelectorAll('#files li').length === 4").await;
    browser
        .until("[...document.querySelectorAll('#files img')].slice(0, 2).every((i) => i.naturalWidth > 0)")
        .await;
    // What is known to be wrong without sending is said at once, beside the file.
    assert!(browser.text("#files li:nth-child(4) .error").await.contains("is empty"));
    assert_eq!(axe::findings(&browser).await, Vec::<String>::new());
    browser.picture(&axe::target().join("studio-pages/new-study-files-1280-light.png")).await;
    browser.click("#files li:nth-child(4) button").await;
    browser.click("#continue").await;
    browser.click("#create").await;
    browser.until("document.querySelector('#files li:nth-child(3) .error')").await;
    assert!(browser.text("#files li:nth-child(3) .error").await.contains("is a text, not a picture"));
    assert_eq!(
        browser.script("return document.querySelectorAll('#files li').length").await,
        3,
        "no file is lost"
    );
    browser.click("#files li:nth-child(3) button").await;
    browser.click("#steps li:last-child button").await;
    browser.click("#create").await;
    browser.until("document.getElementById('question')").await;
    browser.until("document.querySelectorAll('.side img.picture').length === 2").await;
    let found = studio.get("/api/v1/studies").await;
    assert!(
        found["studies"].as_array().unwrap().iter().any(|s| s["title"] == "Pictures" && s["size"] == 2),
        "{found}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renderer_is_tried_and_the_study_is_seen_as_text_before_it_is_created() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let before = studio.get("/api/v1/studies").await;
    browser.go(&studio.page("/studies/new?subject=suppressor")).await;
    browser.until("!document.getElementById('continue').hidden").await;
    browser.write("#title", "Quiet\u{e007}").await;
    for at in ["low", "middle", "high"] {
        browser.click(&format!(".try [value={at}]")).await;
        browser
            .until(&format!(
                "document.querySelector('#tried audio')?.getAttribute('aria-label').toLowerCase() === '{at}'"
            ))
            .await;
        browser.until("document.querySelector('#tried audio').readyState >= 1").await;
    }
    browser.click("#continue").await;
    browser.click("#as-toml").await;
    browser.until("document.getElementById('toml').checkVisibility()").await;
    let toml = browser.script("return document.getElementById('toml').value").await;
    let toml = toml.as_str().unwrap();
    assert!(toml.contains("title = \"Quiet\"") && toml.contains("[parameters"), "{toml}");
    assert_eq!(studio.get("/api/v1/studies").await, before, "nothing was created");
    browser.click("#create").await;
    browser.until("document.getElementById('question')").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_are_enlarged_in_step_and_a_pdf_file_that_acts_is_refused() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let folder = tempfile::tempdir().unwrap();
    browser.go(&studio.page("/studies/new?subject=texts")).await;
    browser.until("!document.getElementById('continue').hidden").await;
    browser.write("#title", "Essays\u{e007}").await;
    let script = "/OpenAction<</S/JavaScript/JS(app.alert(1))>>";
    let acting = folder.path().join("acting.pdf");
    std::fs::write(&acting, crate::files::pdf("x", script)).unwrap();
    let mut all = crate::files::essays(folder.path(), 2);
    all.push(acting);
    let names: Vec<String> = all.iter().map(|path| path.display().to_string()).collect();
    browser.write("#media_files", &names.join("\n")).await;
    browser.until("document.querySelectorAll('#files li').length === 3").await;
    browser.click("#continue").await;
    browser.click("#create").await;
    browser.until("document.querySelector('#files li:nth-child(3) .error')").await;
    assert!(browser.text("#files li:nth-child(3) .error").await.contains("holds a script"));
    browser.click("#files li:nth-child(3) button").await;
    browser.click("#steps li:last-child button").await;
    browser.click("#create").await;
    browser.until("document.querySelectorAll('.side iframe.document').length === 2").await;
    // The viewer draws what no script of the page sees: what is one colour only is small as a picture.
    let frame = "const box = document.querySelector('iframe.document').getBoundingClientRect(); \
                 return { x: box.left + 10, y: box.top + 10, width: box.width - 20, height: box.height - 20, scale: 1 }";
    let frame = browser.script(frame).await;
    let size = async || {
        let shot =
            browser.devtools("Page.captureScreenshot", json!({ "format": "png", "clip": frame })).await;
        shot["data"].as_str().map_or(0, str::len)
    };
    let empty = size().await;
    let begun = std::time::Instant::now();
    while size().await < 2 * empty {
        assert!(begun.elapsed() < std::time::Duration::from_secs(40), "the viewer shows nothing");
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    browser.picture(&axe::target().join("studio-pages/duel-pdf-1280-light.png")).await;
    assert_eq!(axe::findings(&browser).await, Vec::<String>::new());

    browser.go(&studio.page("/studies/new?subject=pictures")).await;
    browser.until("!document.getElementById('continue').hidden").await;
    browser.write("#title", "Close\u{e007}").await;
    drop_files(&browser, &format!("[['a.gif', 'image/gif', {PIXEL}], ['b.gif', 'image/gif', {PIXEL}]]"))
        .await;
    browser.until("document.querySelectorAll('#files li').length === 2").await;
    browser.click("#continue").await;
    browser.click("#create").await;
    answers::are_open(&browser).await;
    let seen =
        "return [...document.querySelectorAll('.lens .picture')].map((picture) => picture.style.transform)";
    assert_eq!(browser.script(seen).await, json!(["", ""]));
    browser.press(['+']).await;
    let enlarged = browser.script(seen).await;
    assert!(
        enlarged[0].as_str().unwrap().starts_with("scale(1.5)") && enlarged[0] == enlarged[1],
        "{enlarged}"
    );
    let drag = "const lens = document.querySelector('.side[data-side=right] .lens'); const box = lens.getBoundingClientRect(); \
                const at = (x, y) => ({ pointerId: 7, bubbles: true, clientX: box.left + x * box.width, clientY: box.top + y * box.height }); \
                lens.dispatchEvent(new PointerEvent('pointerdown', at(0.5, 0.5))); lens.dispatchEvent(new PointerEvent('pointermove', at(0.6, 0.5))); \
                lens.dispatchEvent(new PointerEvent('pointerup', at(0.6, 0.5)));";
    browser.script(drag).await;
    let moved = browser.script(seen).await;
    assert!(moved[0] == moved[1] && moved[0] != enlarged[0], "both move: {moved}");
    browser.press(['0']).await;
    assert_eq!(browser.script(seen).await, json!(["", ""]));
    browser.press(['1']).await;
    browser.until("document.getElementById('count').textContent.startsWith('Comparison 2')").await;
}

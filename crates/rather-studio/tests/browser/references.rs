//! A reference beside both sides, which is heard or seen and is no answer; prompts that are pictures.

use crate::axe;
use crate::files;
use crate::person::{Hands, Person};
use crate::studio::Studio;
use crate::turn;
use crate::webdriver::{Browser, LEFT};

const SHUT: &str = "[...document.querySelectorAll('.answer')].every((button) => button.disabled)";

fn playing(side: &str) -> String {
    format!("document.getElementById('main').dataset.playing === '{side}'")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reference_plays_in_step_and_need_not_be_heard() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let folder = tempfile::tempdir().unwrap();
    let me = Person::new(&browser, &studio, Hands::Keys, folder.path());
    me.go("/studies/new").await;
    me.choose("subject", "sounds").await;
    me.write("#title", "Takes").await;
    me.press("#continue").await;
    let mut sounds = files::sounds(folder.path(), 3);
    let original = sounds.split_off(2);
    me.give("#media_files", &sounds).await;
    browser.script("document.getElementById('reference').closest('details').open = true").await;
    me.give("#reference_file", &original).await;
    me.press("#continue").await;
    me.press("#create").await;
    me.sees("!document.getElementById('transport').hidden").await;
    me.sees("document.getElementById('reference').checkVisibility()").await;
    browser.press(['x']).await;
    browser.until(&playing("X")).await;
    me.sees("document.querySelector('#reference .hear').ariaPressed === 'true'").await;
    me.sees("Number(document.getElementById('position').value) > 0.02").await;
    // At the same place as the sides, and an answer still needs both of these.
    browser.press([LEFT]).await;
    browser.until(&playing("A")).await;
    me.sees("document.getElementById('unheard').textContent.startsWith('Hear B')").await;
    assert_eq!(browser.script(&format!("return {SHUT}")).await, true);
    browser.click("#reference .hear").await;
    browser.until(&playing("X")).await;
    browser.click("#reference .hear").await;
    browser.until(&playing("")).await;
    me.hear("right").await;
    me.answer('1', "left").await;
    me.sees("document.getElementById('count').textContent.startsWith('Comparison 2')").await;
    me.sees("document.querySelector('#reference .hear') !== null").await;
    // The panel of the operator keeps its key.
    let folded = "document.getElementById('panel-toggle').ariaExpanded === 'false'";
    let was = browser.script(&format!("return {folded}")).await;
    browser.press(['r']).await;
    assert_ne!(browser.script(&format!("return {folded}")).await, was);
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_have_a_reference_and_prompts_that_are_seen_and_run_nothing() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    let folder = tempfile::tempdir().unwrap();
    let me = Person::new(&browser, &studio, Hands::Keys, folder.path());
    me.go("/studies/new").await;
    me.choose("subject", "pictures").await;
    me.write("#title", "Drawings").await;
    me.press("#continue").await;
    let names = ["a.svg", "b.svg", "prompt.svg"];
    let drawings = names.map(|name| files::drawing(folder.path(), name));
    me.give("#media_files", &drawings).await;
    let table = files::table(folder.path(), "name,prompt,file\na,prompt.svg,a.svg\nb,prompt.svg,b.svg\n");
    me.give("#items_file", &[table]).await;
    browser.script("for (const id of ['within', 'reference']) document.getElementById(id).closest('details').open = true").await;
    me.write("#within", "prompt").await;
    me.give("#reference_file", &[files::drawing(folder.path(), "original.svg")]).await;
    me.press("#continue").await;
    me.press("#create").await;
    let seen = |place: &str| format!("document.querySelector('{place} img').naturalWidth === 40");
    for place in ["#context", "#reference", ".side[data-side=left]", ".side[data-side=right]"] {
        me.sees(&seen(place)).await;
    }
    me.sees(&format!("!({SHUT})")).await;
    let title = browser.script("return document.title").await;
    assert!(title.as_str().unwrap().contains("Drawings"), "{title}");
    browser.press(['x']).await;
    me.sees("!document.querySelector('#reference .exhibit').checkVisibility()").await;
    browser.press(['x']).await;
    me.sees("document.querySelector('#reference .exhibit').checkVisibility()").await;
    assert_eq!(axe::findings(&browser).await, Vec::<String>::new());
    me.answer('1', "left").await;
    // The file itself, opened as a page, runs nothing either.
    let url = browser.script("return document.querySelector('#reference img').src").await;
    browser.go(url.as_str().unwrap()).await;
    assert_ne!(browser.script("return document.title").await, "pwned");
}

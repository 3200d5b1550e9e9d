//! Ten tasks of somebody who is new to the studio, done by keys alone and by touch alone. For each, what it took is printed.

use crate::files;
use crate::person::{Hands, Person};
use crate::studio::Studio;
use crate::turn;
use crate::webdriver::{Browser, ENTER, RIGHT};
use serde_json::json;
use std::time::Instant;

const COUNT: &str = "document.getElementById('count').textContent";

/// The form of a new study, up to its second step.
async fn begin(me: &Person<'_>, template: &str, title: &str) {
    me.go("/").await;
    me.press(".section-head .primary").await;
    me.choose("subject", template).await;
    me.write("#title", title).await;
    me.press("#continue").await;
}

/// 1: a command of one's own with one parameter is tuned.
async fn tune(me: &Person<'_>) {
    begin(me, "parameters", "Grind").await;
    me.write("#parameter-name-0", "grams").await;
    me.write("#parameter-low-0", "10").await;
    me.write("#parameter-high-0", "20").await;
    me.pick("#renderer", "brew").await;
    me.press("#continue").await;
    me.press("#create").await;
    me.sees("document.querySelectorAll('.side .text').length === 2").await;
    me.sees("document.querySelector('.side .text').textContent.startsWith('a cup of')").await;
    me.answer('1', "left").await;
    me.sees(&format!("{COUNT}.startsWith('Comparison 2')")).await;
    me.answer('2', "right").await;
    me.sees(&format!("{COUNT}.startsWith('Comparison 3')")).await;
}

/// 2: five sounds from a folder, of which two are heard and compared.
async fn sounds(me: &Person<'_>) {
    begin(me, "sounds", "Takes").await;
    me.give("#media_files", &files::sounds(me.folder, 5)).await;
    me.sees("document.querySelectorAll('#files audio').length === 5").await;
    me.press("#continue").await;
    me.press("#create").await;
    me.sees("!document.getElementById('transport').hidden").await;
    me.press(".side[data-side=left] .hear").await;
    me.sees("document.getElementById('unheard').textContent.startsWith('Hear B')").await;
    me.press(".side[data-side=right] .hear").await;
    me.sees("document.getElementById('unheard').hidden").await;
    me.answer('1', "left").await;
    me.sees(&format!("{COUNT}.startsWith('Comparison 2')")).await;
}

/// 3: forty pictures of ten prompts, and ten participants who come by an open link. Returns the actions of the operator and of one participant.
async fn pictures(me: &Person<'_>) -> (usize, f64) {
    begin(me, "pictures", "Models").await;
    let (pictures, table) = files::pictures(me.folder);
    me.give("#media_files", &pictures).await;
    me.give("#items_file", &[table]).await;
    me.sees("document.querySelectorAll('#files img').length === 40").await;
    me.press(".step[data-step='1'] > .group:nth-of-type(2) > details > summary").await;
    me.write("#within", "prompt").await;
    me.press("#continue").await;
    me.press("#create").await;
    me.sees("document.querySelectorAll('.side img.picture').length === 2").await;
    me.sees("document.getElementById('context').textContent.startsWith('prompt')").await;
    me.press("#result").await;
    me.press("#open button").await;
    me.sees("document.getElementById('join-link')").await;
    let link = me.text("#join-link").await;
    let operator = me.actions.get();
    let study = me.path().await;
    for _ in 0..10 {
        me.forget_cookies().await;
        me.go(&link).await;
        me.press("form .primary").await;
        me.sees("document.querySelectorAll('.side img.picture').length === 2").await;
        me.answer('1', "left").await;
        me.sees(&format!("{COUNT}.startsWith('Comparison 2')")).await;
    }
    let each = (me.actions.get() - operator) as f64 / 10.0;
    let answers = me.studio.answers(study.split('/').nth(2).unwrap_or_default()).await;
    assert_eq!(answers, 10, "everyone's answer is there");
    (operator, each)
}

/// 4: a blind test with a consent and training, and its participant's side.
async fn blind(me: &Person<'_>) {
    begin(me, "sounds", "Blind").await;
    me.give("#media_files", &files::sounds(me.folder, 3)).await;
    me.press("#continue").await;
    me.press(".step[data-step='2'] > details:has(#participants) > summary").await;
    me.write("#participants", "Ann").await;
    me.replace("#training", "1").await;
    me.write("#consent", "I am of age.").await;
    me.press("#create").await;
    me.press(".person-link").await;
    me.tick("[name=consent]").await;
    me.press("form .primary").await;
    for count in ["Training 1 of 1", "Comparison 1"] {
        me.sees(&format!("{COUNT}.startsWith('{count}')")).await;
        me.sees("!document.getElementById('transport').hidden").await;
        // Sound goes on from one pair to the next.
        me.hear("left").await;
        me.hear("right").await;
        me.answer('1', "left").await;
    }
    me.sees(&format!("{COUNT}.startsWith('Comparison 2')")).await;
    me.sees("![...document.querySelectorAll('.side')].some((side) => side.textContent.includes('take'))")
        .await;
}

/// 5: essays as PDF files.
async fn essays(me: &Person<'_>) {
    begin(me, "texts", "Essays").await;
    me.give("#media_files", &files::essays(me.folder, 3)).await;
    me.press("#continue").await;
    me.press("#create").await;
    me.sees("document.querySelectorAll('.side iframe.document').length === 2").await;
    me.answer('2', "right").await;
    me.sees(&format!("{COUNT}.startsWith('Comparison 2')")).await;
}

/// 6: an answer is taken back.
async fn undo(me: &Person<'_>, study: &str) {
    me.go(&format!("/studies/{study}/duel")).await;
    let before = me.text("#count").await;
    me.hear("left").await;
    me.hear("right").await;
    me.answer('1', "left").await;
    me.sees(&format!("{COUNT} !== {}", json!(before))).await;
    me.press("#undo").await;
    me.sees(&format!("{COUNT} === {}", json!(before))).await;
}

/// 7: how sure is it?
async fn certainty(me: &Person<'_>) {
    me.go("/").await;
    // In a narrow window it stands on the result's page.
    me.press("#demos > summary").await;
    me.press("#demos .card .actions .button:last-child").await;
    me.sees("document.querySelector('.best .sentence')?.textContent.includes('%')").await;
    me.press("#sure > summary").await;
    me.sees("document.querySelector('#sure dd').checkVisibility()").await;
}

/// 8: a setting of the curve is heard beside the best.
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
    me.sees("document.getElementById('beside').dataset.playing === 'B'").await;
}

/// 9: a backup, a study that is deleted for good, and the backup brought back.
async fn restore(me: &Person<'_>, study: &str) {
    me.go("/").await;
    me.downloads().await;
    me.press("#backup").await;
    let backup = files::downloaded(me.folder).await;
    me.go(&format!("/studies/{study}/result")).await;
    me.press("form[action$='/archive'] button").await;
    me.press("#archived > summary").await;
    me.press("#archived .delete > summary").await;
    me.press("#archived .delete button").await;
    me.sees("!document.getElementById('archived')").await;
    me.press("#restore > summary").await;
    me.give("#restore-file", &[backup]).await;
    me.press("#restore button").await;
    me.sees("document.querySelector('.notice').textContent.startsWith('1 study of the backup was restored')")
        .await;
    assert_eq!(me.studio.answers(study).await, 3, "with its answers");
}

/// 10: a result is shared, and read by somebody who may do nothing else.
async fn share(me: &Person<'_>, study: &str) {
    me.go(&format!("/studies/{study}/result")).await;
    me.press("#share button").await;
    me.sees("document.getElementById('share-link')").await;
    me.press("#share-link").await;
    me.sees("location.pathname.startsWith('/r/')").await;
    me.sees("document.querySelector('.best .sentence')").await;
    let forms = me.browser.script("return document.querySelectorAll('form, a[href*=studies]').length").await;
    assert_eq!(forms, 0, "there is nothing to change, and no way to the operator's pages");
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_tasks_by_keys_and_by_touch() {
    let _turn = turn().await;
    for hands in [Hands::Keys, Hands::Touch] {
        let Some(browser) = Browser::start().await else { return };
        let studio = Studio::rendering("brew", "printf 'a cup of %s g' {grams}").await;
        let folder = tempfile::tempdir().unwrap();
        if hands == Hands::Touch {
            browser.size(390, 844).await;
            browser.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": true })).await;
        }
        let demo = studio.demo(0).await;
        studio.answer_at_random(&demo, 3).await;
        let toml = "title = \"Coffee\"\n[parameters]\ngrams = { type = \"float\", low = 10, high = 25 }\n";
        let coffee = studio.make(json!({ "toml": toml })).await;
        studio.answer_at_random(&coffee, 3).await;
        let me = Person::new(&browser, &studio, hands, folder.path());
        for task in 1..=10 {
            let start = Instant::now();
            me.actions.set(0);
            let mut of_whom = String::new();
            match task {
                1 => tune(&me).await,
                2 => sounds(&me).await,
                3 => {
                    let (operator, each) = pictures(&me).await;
                    of_whom = format!(" ({operator} of the operator, {each} of each participant)");
                }
                4 => blind(&me).await,
                5 => essays(&me).await,
                6 => undo(&me, &demo).await,
                7 => certainty(&me).await,
                8 => point(&me, &demo).await,
                9 => restore(&me, &coffee).await,
                _ => share(&me, &coffee).await,
            }
            println!(
                "task {task} by {hands:?}: {} actions{of_whom}, {:.1} s",
                me.actions.get(),
                start.elapsed().as_secs_f64()
            );
        }
    }
}

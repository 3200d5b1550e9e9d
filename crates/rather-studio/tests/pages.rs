//! Pages from made-up views: what they say and how they are built, without a browser.

#[path = "../examples/preview/samples.rs"]
mod samples;

use rather::design::Inference;
use rather_studio::form::{ParameterRow, StudyForm, Subject};
use rather_studio::view::{DuelPage, Frame, MediaKind, MediaView, NewStudyPage, Reader, ResultView};
use rather_studio::{assets, pages};
use rather_study::definition::{Answers, Subject as Defined};

fn all() -> Vec<(String, String)> {
    let frame = samples::frame();
    let mut all = vec![
        ("home".to_owned(), pages::home(&frame, &samples::home_page())),
        ("new".to_owned(), pages::new_study(&frame, &NewStudyPage::default())),
        ("wrong".to_owned(), pages::new_study(&frame, &samples::wrong_form())),
        ("sign-in".to_owned(), pages::sign_in(&Frame::default(), "/", Some("No."))),
    ];
    for kind in [
        "audio",
        "image",
        "text",
        "html",
        "values",
        "name",
        "graded",
        "sides",
        "best",
        "best-and-worst",
        "end",
    ] {
        all.push((format!("duel {kind}"), pages::duel(&frame, &samples::duel_page(kind))));
    }
    for kind in ["parameters", "items", "new"] {
        all.push((format!("result {kind}"), pages::result(&frame, &samples::result_view(kind))));
    }
    all.into_iter().map(|(name, page)| (name, page.into_string())).collect()
}

/// The values of an attribute.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let open = format!(" {attribute}=\"");
    page.match_indices(&open).filter_map(|(at, _)| page[at + open.len()..].split('"').next()).collect()
}

/// The sizes of text in pixels of 16 to the rem.
const SIZES: [&str; 6] = ["0.75rem", "0.875rem", "1rem", "1.25rem", "1.75rem", "2.5rem"];

#[test]
fn text_has_six_sizes_and_two_fonts_that_are_here() {
    let style = concat!(include_str!("../src/assets/app.css"), include_str!("../src/assets/picture.css"));
    // The letters on the cards of sounds are drawings.
    for line in style.lines().filter(|line| !line.contains(".hear .letter {")) {
        for (_, value) in line.match_indices("font-size: ").map(|(at, found)| (at, &line[at + found.len()..]))
        {
            let size = value.split(';').next().unwrap_or_default();
            assert!(SIZES.contains(&size), "{size} in {line}");
        }
        for (_, value) in line.match_indices(" font: ").map(|(at, found)| (at, &line[at + found.len()..])) {
            let value = value.split(';').next().unwrap_or_default();
            let size = value.split(['/', ' ']).find(|part| part.ends_with("rem"));
            assert!(size.is_none_or(|size| SIZES.contains(&size)), "{size:?} in {line}");
        }
    }
    let fonts: usize = ["inter.woff2", "source-serif.woff2"]
        .iter()
        .map(|name| {
            assert!(style.contains(&format!("url(\"{name}\")")));
            assets::find(name).expect("the font").bytes.len()
        })
        .sum();
    assert!(fonts <= 150_000, "{fonts} bytes");
}

#[test]
fn pages_keep_to_a_strict_content_policy() {
    for (name, page) in all() {
        for bad in [" style=", "<style", " onclick=", "javascript:", "http://", "https://"] {
            assert!(!page.contains(bad), "{name} has {bad}");
        }
        for script in page.split("<script").skip(1) {
            let data = script.starts_with(" type=\"application/json\"");
            assert!(
                data || script.contains("src=\"/assets/"),
                "{name} has a script of its own: {script:.80}"
            );
        }
    }
}

#[test]
fn labels_and_descriptions_point_at_what_is_there_and_ids_are_unique() {
    for (name, page) in all() {
        let ids = values(&page, "id");
        let mut unique = ids.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), ids.len(), "{name} repeats an id: {ids:?}");
        for attribute in ["for", "aria-describedby", "aria-labelledby", "form"] {
            for id in values(&page, attribute).iter().flat_map(|v| v.split(' ')) {
                assert!(ids.contains(&id), "{name}: {attribute} names {id}, which is not there");
            }
        }
        for link in values(&page, "href").into_iter().filter_map(|href| href.strip_prefix('#')) {
            assert!(ids.contains(&link), "{name} links to #{link}, which is not there");
        }
        assert_eq!(page.matches("<main").count(), 1, "{name}");
    }
}

#[test]
fn every_form_that_changes_something_has_its_token() {
    for (name, page) in all() {
        for form in page.split("<form").skip(1).map(|f| f.split("</form>").next().unwrap_or_default()) {
            let posts = form.contains("method=\"post\"");
            assert_eq!(posts, form.contains("name=\"csrf\""), "{name}: {form:.120}");
        }
    }
}

#[test]
fn what_people_wrote_is_text() {
    let evil = "</script><script>alert(1)</script><!-- \"'&";
    let mut page: DuelPage = samples::duel_page("text");
    page.title = evil.into();
    let turn = page.turn.next.as_mut().unwrap();
    turn.question = evil.into();
    turn.left.label = evil.into();
    turn.left.media = Some(MediaView { kind: MediaKind::Text, url: None, text: Some(evil.into()) });
    let html = pages::duel(&samples::frame(), &page).into_string();
    assert!(!html.contains("<script>alert") && !html.contains("<!--"));
    // The data for scripts are the same as before.
    let data = html.split("id=\"page\">").nth(1).unwrap().split("</script>").next().unwrap();
    assert_eq!(serde_json::from_str::<DuelPage>(data).unwrap(), page);
}

#[test]
fn a_blind_duel_tells_nothing() {
    let page = samples::duel_page("audio");
    let html = pages::duel(&samples::frame(), &page).into_string();
    assert!(!html.contains("floor") && html.contains("aria-label=\"A\""));
}

#[test]
fn participants_see_no_way_elsewhere() {
    let frame = Frame { reader: Reader::Participant, ..samples::frame() };
    let page = DuelPage {
        result: None,
        panel: None,
        page: "/p/x".into(),
        api: "/p/x".into(),
        ..samples::duel_page("audio")
    };
    let html = pages::duel(&frame, &page).into_string();
    assert!(!html.contains("<nav") && !html.contains("/studies"));
}

#[test]
fn assets_are_found_by_their_addresses() {
    for asset in assets::ASSETS {
        let url = assets::url(asset.name);
        assert_eq!(assets::find(url.rsplit('/').next().unwrap()), Some(asset));
    }
    assert_eq!(assets::find("../Cargo.toml"), None);
    let style = String::from_utf8(assets::find("app.css").unwrap().bytes.to_vec()).unwrap();
    let fetched = style.matches("url(\"").count();
    assert_eq!(fetched, style.matches("url(").count());
    let ours = style
        .split("url(\"")
        .skip(1)
        .filter_map(|rest| assets::find(rest.split('"').next().unwrap()))
        .count();
    assert!(ours == fetched && !style.contains("@import"), "nothing is fetched from elsewhere");
}

#[test]
fn a_result_is_a_sentence_and_a_picture_without_scripts_too() {
    let page = pages::result(&samples::frame(), &samples::result_view("parameters")).into_string();
    let sentence = "<strong>−13\u{202f}dB</strong><span class=\"rest\">; anything from −20 to −8\u{202f}dB is about as good (84\u{202f}%).</span>";
    assert!(page.contains(sentence));
    let (_, chart) = page.split_once("<svg class=\"chart\"").expect("a picture");
    let chart = chart.split("</figure>").next().unwrap();
    for part in ["class=\"band\"", "class=\"mean\"", "class=\"good\"", ">−40</text>", ">0</text>"] {
        assert!(chart.contains(part), "{part}");
    }
    let new = pages::result(&samples::frame(), &samples::result_view("new")).into_string();
    assert!(!new.contains("class=\"chart\"") && !new.contains("id=\"export\""));
}

#[test]
fn a_link_that_is_shown_no_more_can_be_renewed() {
    let page = pages::result(&samples::frame(), &samples::result_view("items")).into_string();
    assert!(
        page.contains(
            "<button class=\"small quiet\" type=\"submit\">New link<span class=\"sr-only\"> for bob"
        )
    );
    assert!(page.contains("(the old one ends)") && page.contains("End the link"));
    // The one that is shown, too.
    assert!(page.contains("data-copy-link=\"/p/ann") && page.contains("> for ann"));
    assert!(page.contains("answers on this machine only"));
}

#[test]
fn every_option_of_a_set_has_its_button_or_its_circles() {
    let page = |kind: &str| pages::duel(&samples::frame(), &samples::duel_page(kind)).into_string();
    let best = page("best");
    assert!(best.contains("Choose the best of four."));
    let options = ["best 1", "best 2", "best 3", "best 4"];
    assert!(options.iter().all(|option| best.matches(&format!("value=\"{option}\"")).count() == 1));
    assert!(best.contains("Best<span class=\"sr-only\"> is D</span>"));
    let both = page("best-and-worst");
    assert!(both.contains("Choose the best and the worst of five."));
    for name in ["best", "worst"] {
        assert_eq!(both.matches(&format!("type=\"radio\" name=\"{name}\"")).count(), 5);
    }
    assert_eq!(both.matches("value=\"extremes\"").count(), 1);
}

#[test]
fn every_answer_of_a_study_has_its_button_and_key() {
    let buttons = |kind: &str| {
        let page = pages::duel(&samples::frame(), &samples::duel_page(kind)).into_string();
        let of = |attribute| values(&page, attribute).into_iter().map(str::to_owned).collect::<Vec<_>>();
        (of("data-answer"), of("data-key").concat(), page)
    };
    let (answers, keys, page) = buttons("graded");
    assert_eq!(answers, ["much left", "left", "tie", "right", "much right"]);
    assert_eq!(keys, "12345");
    for text in [
        "A is much better",
        "A is a little better",
        "No preference",
        "B is a little better",
        "B is much better",
    ] {
        // On the button, and in the list of keys.
        assert_eq!(page.matches(text).count(), 2, "{text}");
    }
    let (answers, keys, _) = buttons("name");
    assert_eq!((answers.join(","), keys.as_str()), ("left,tie,right".to_owned(), "1=2"));
    let (answers, keys, page) = buttons("sides");
    assert_eq!((answers.join(","), keys.as_str()), ("left,right".to_owned(), "12"));
    assert!(!page.to_lowercase().contains("preference"), "what cannot be answered is not spoken of");
    let result = samples::result_view("items");
    let said =
        |graded| pages::result(&samples::frame(), &ResultView { graded, ..result.clone() }).into_string();
    assert!(said(true).contains("A, much better") && said(true).contains("B, a little better"));
    assert!(!said(false).contains("a little better"));
}

fn row(name: &str, range: &str, low: &str, high: &str) -> ParameterRow {
    let [name, range, low, high] = [name, range, low, high].map(str::to_owned);
    ParameterRow { name, range, low, high, ..ParameterRow::default() }
}

/// What is wrong with a form that has a title.
fn errors(form: &StudyForm) -> Vec<(String, String)> {
    let form = StudyForm { title: "Title".into(), ..form.clone() };
    form.definition().unwrap_err().into_iter().map(|e| (e.field, e.error)).collect()
}

#[test]
fn a_form_becomes_a_definition() {
    let fields = [
        ("how", "form"),
        ("title", " Tea "),
        ("question", "Which?"),
        ("subject", "parameters"),
        ("parameter-name", "heat"),
        ("parameter-range", "float"),
        ("parameter-low", "60"),
        ("parameter-high", "95"),
        ("parameter-step", ""),
        ("parameter-choices", ""),
        ("parameter-unit", "°C"),
        ("parameter-name", ""),
        ("parameter-range", "float"),
        ("parameter-name", "leaf"),
        ("parameter-range", "categorical"),
        ("parameter-choices", "whole, broken"),
        ("acquisition", "ucb:2"),
        ("opponent", "best"),
        ("inference", "streaming"),
        ("half_life", "40"),
        ("duels", "12"),
        ("participants", "ann\nbob\n"),
        ("blind", "yes"),
        ("answers", "graded"),
        ("repeats", "10"),
        ("unknown", "x"),
    ];
    let definition = StudyForm::read(fields).definition().unwrap();
    assert_eq!((definition.title.as_str(), definition.question.as_str()), ("Tea", "Which?"));
    let Defined::Parameters(space) = &definition.subject else { panic!() };
    assert_eq!(space.parameters.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["heat", "leaf"]);
    assert_eq!(definition.stop.answers, Some(12));
    assert_eq!(definition.participants.names, ["ann", "bob"]);
    assert_eq!(definition.policy.acquisition.to_string(), "ucb:2");
    assert_eq!((definition.inference, definition.half_life), (Inference::Streaming, Some(40.0)));
    assert_eq!(definition.answers, Answers::Graded);
    assert!(!definition.presentation.contains_key("loudness"), "a box that is not ticked sends nothing");
    assert_eq!(definition.presentation["repeats"], 10);
    assert_eq!(definition.presentation["units"]["heat"], "°C");
}

#[test]
fn items_are_names_or_a_table() {
    let form = |items: &str, media: &str| StudyForm {
        title: "Teas".into(),
        subject: Subject::Items,
        items: items.into(),
        media: media.into(),
        ..StudyForm::default()
    };
    let keys = |form: StudyForm| match form.definition().unwrap().subject {
        Defined::Items(items) => items.keys,
        Defined::Parameters(_) => panic!(),
    };
    assert_eq!(keys(form("Assam\n\n Oolong \n", "")), ["Assam", "Oolong"]);
    assert_eq!(keys(form("tea,price\nAssam,3\nOolong,4\n", "")), ["Assam", "Oolong"]);
    let wrong = |items: &str, media: &str| errors(&form(items, media)).remove(0);
    assert_eq!(wrong("", "").0, "items");
    assert_eq!(wrong("Assam", "").0, "items");
    assert!(wrong("tea,price\nAssam,x\nOolong,4\nSencha,5\n", "").1.contains("line 2"));
    let (field, sentence) = wrong("tea,file\nAssam,a.wav\nOolong,b.wav\n", "sound");
    assert_eq!(field, "media");
    assert!(sentence.contains("there is no column \"sound\""), "{sentence}");
}

#[test]
fn what_is_wrong_stands_beside_its_field() {
    let of = |rows: Vec<ParameterRow>| errors(&StudyForm { parameters: rows, ..StudyForm::default() });
    let place = |rows: Vec<ParameterRow>| of(rows).into_iter().map(|(field, _)| field).collect::<Vec<_>>();
    assert_eq!(place(vec![ParameterRow::default()]), ["parameter-name-0"]);
    assert_eq!(place(vec![row("a", "float", "0", "x")]), ["parameter-high-0"]);
    assert_eq!(place(vec![row("a", "float", "", "")]), ["parameter-low-0", "parameter-high-0"]);
    assert_eq!(place(vec![row("a", "float", "0", "1"), row("b", "log", "0", "1")]), ["parameter-low-1"]);
    assert_eq!(place(vec![row("a", "integer", "0.5", "3")]), ["parameter-low-0"]);
    assert_eq!(place(vec![row("a", "float", "0", "1"), row("a", "float", "0", "1")]), ["parameter-name-1"]);
    let form = StudyForm { parameters: vec![row("a", "float", "0", "1")], ..StudyForm::default() };
    assert_eq!(errors(&StudyForm { duels: "many".into(), ..form.clone() })[0].0, "duels");
    assert_eq!(errors(&StudyForm { participants: "ann\nann".into(), ..form.clone() })[0].0, "participants");
    assert_eq!(errors(&StudyForm { acquisition: "bold".into(), ..form.clone() })[0].0, "acquisition");
    assert_eq!(errors(&StudyForm { answers: "all".into(), ..form.clone() })[0].0, "answers");
    assert_eq!(errors(&StudyForm { inference: "stream".into(), ..form.clone() })[0].0, "inference");
    assert_eq!(errors(&StudyForm { half_life: "long".into(), ..form.clone() })[0].0, "half_life");
    assert_eq!(errors(&StudyForm { half_life: "0".into(), ..form.clone() })[0].0, "half_life");
    assert_eq!(errors(&StudyForm { drift: "long".into(), ..form.clone() })[0].0, "drift");
    assert_eq!(errors(&StudyForm { reference: "x = 100".into(), ..form.clone() })[0].0, "reference");
    assert_eq!(errors(&StudyForm { webhook: "https://x/".into(), ..form.clone() })[0].0, "webhook");
    assert_eq!(errors(&StudyForm { drift: "20".into(), ..form.clone() })[0].0, "drift");
    for acquisition in ["ucb:2", "bald-improvement"] {
        let wrong = StudyForm { opponent: "any".into(), acquisition: acquisition.into(), ..form.clone() };
        let (field, sentence) = errors(&wrong).remove(0);
        assert_eq!(field, "opponent");
        assert!(sentence.contains(acquisition), "{sentence}");
    }
    let sets = StudyForm {
        opponent: "any".into(),
        options: "3".into(),
        answers: "best".into(),
        ..StudyForm::default()
    };
    let sets = StudyForm { title: "Teas".into(), subject: Subject::Items, items: "a\nb\nc".into(), ..sets };
    assert_eq!(sets.definition().unwrap().policy.acquisition.to_string(), "bald");
}

#[test]
fn all_that_is_wrong_with_parameters_is_said_at_once_in_the_words_of_the_form() {
    let rows = vec![row("a", "float", "5", "1"), row("a", "log", "0", "1"), row("b", "float", "0", "lots")];
    let found = errors(&StudyForm { parameters: rows, ..StudyForm::default() });
    let texts: Vec<(&str, &str)> =
        found.iter().map(|(field, text)| (field.as_str(), text.as_str())).collect();
    assert_eq!(
        texts,
        [
            ("parameter-name-1", "there are two parameters \"a\"; rename one"),
            ("parameter-low-0", "From = 5 must be less than To = 1"),
            (
                "parameter-low-1",
                "From = 0 must be greater than 0 on a log scale; raise it or take the type \"number\""
            ),
            ("parameter-high-2", "\"lots\" is not a number"),
        ]
    );
}

#[test]
fn the_text_to_begin_with_is_a_study() {
    let form = StudyForm { as_toml: true, ..StudyForm::default() };
    assert_eq!(form.definition().unwrap().title, "Coffee of the morning");
}

#[test]
fn a_definition_from_the_web_names_no_file() {
    let toml =
        |text: &str| StudyForm { as_toml: true, toml: text.into(), ..StudyForm::default() }.definition();
    assert!(toml("items = [\"a\", \"b\"]").is_ok());
    for text in ["items = \"/etc/passwd\"", "\"items\" = '../teas.csv'"] {
        let errors = toml(text).unwrap_err();
        assert_eq!(errors[0].field, "toml");
        assert!(errors[0].error.contains("cannot be the name of a file here"), "{}", errors[0].error);
    }
    assert!(toml("items = [").unwrap_err()[0].error.contains("line 1"));
}

#[test]
fn a_form_as_text_is_the_same_study() {
    let base = StudyForm { title: "Tea \"of\" 100 °C".into(), ..StudyForm::default() };
    let row = |name: &str, range: &str, low: &str, high: &str| ParameterRow {
        name: name.into(),
        range: range.into(),
        low: low.into(),
        high: high.into(),
        choices: "fine, coarse".into(),
        unit: "g".into(),
        ..ParameterRow::default()
    };
    let rows = vec![
        row("grams", "float", "0.5", "20"),
        row("grind", "categorical", "", ""),
        row("n", "integer", "1", "4"),
    ];
    let forms = [
        StudyForm { parameters: rows, answers: "graded".into(), half_life: "30".into(), ..base.clone() },
        StudyForm {
            subject: Subject::Suppressor,
            both: true,
            loudness: true,
            repeats: "10".into(),
            ..base.clone()
        },
        StudyForm {
            subject: Subject::Pictures,
            items: "tea,price,file\nAssam,3,a.png\nOolong,4.5,b.png\n".into(),
            media: "file".into(),
            participants: "ann\nbob".into(),
            learning: "together".into(),
            consent: "I am\nof age.".into(),
            webhook: "http://127.0.0.1:9000/answers".into(),
            ..base.clone()
        },
        StudyForm {
            subject: Subject::Items,
            items: "a\nb\nc\nd".into(),
            options: "4".into(),
            answers: "best".into(),
            ..base
        },
    ];
    for form in forms {
        let definition = form.definition().unwrap();
        let text = definition.to_toml();
        let again =
            StudyForm { as_toml: true, toml: text.clone(), ..StudyForm::default() }.definition().unwrap();
        assert_eq!(again, definition, "{text}");
    }
}

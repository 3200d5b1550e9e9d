//! Made-up views.

use rather_studio::figures::axis::Tick;
use rather_studio::figures::picture::{Axis, Curve, Known, Picture};
use rather_studio::form::{ParameterRow, StudyForm};
use rather_studio::view::*;
use rather_study::{Alternative, Setting, Value};

pub(crate) fn frame() -> Frame {
    Frame { reader: Reader::Operator, csrf: "token".into(), ..Frame::default() }
}

fn study(title: &str, kind: StudyKind, size: usize, answers: usize, demo: bool) -> StudySummary {
    StudySummary {
        id: title.to_lowercase().replace(' ', "-"),
        title: title.into(),
        kind,
        size,
        answers,
        participants: 1 + usize::from(!demo) * 3,
        wanted: Some(answers + 8),
        last: (answers > 0).then(|| "2026-11-22T10:05:00Z".into()),
        paused: false,
        created: "2026-11-21T09:30:00Z".into(),
        demo,
    }
}

pub(crate) fn home_page() -> HomePage {
    HomePage {
        studies: vec![
            study("How much noise may stay?", StudyKind::Parameters, 1, 0, true),
            study("Noise against clear speech", StudyKind::Parameters, 2, 7, true),
            study("Teas of the winter", StudyKind::Items, 24, 131, false),
            study("Compressor for the podcast", StudyKind::Parameters, 3, 12, false),
        ],
        archived: vec![ArchivedStudy { id: "old".into(), title: "Last year’s teas".into(), answers: 31 }],
        data: "~/.local/share/rather/studio.db".into(),
        ..HomePage::default()
    }
}

fn value(name: &str, value: &str, unit: &str) -> ParameterView {
    ParameterView { name: name.into(), value: value.into(), unit: unit.into() }
}

fn side(letter: &str, kind: &str) -> AlternativeView {
    let first = letter == "A";
    let media = |kind, url: &str| Some(MediaView { kind, url: Some(url.into()), text: None });
    let text = if first {
        "It was a bright cold day in April."
    } else {
        "On a cold, bright day of April, it began."
    };
    match kind {
        "audio" => AlternativeView {
            label: letter.into(),
            media: media(MediaKind::Audio, if first { "/sound/0.2" } else { "/sound/0.7" }),
            parameters: vec![],
            alternative: None,
        },
        "image" => AlternativeView {
            label: if first { "Harbour" } else { "Hills" }.into(),
            media: media(MediaKind::Image, if first { "/figures/map" } else { "/figures/utility" }),
            parameters: vec![],
            alternative: None,
        },
        "text" => AlternativeView {
            label: letter.into(),
            media: Some(MediaView { kind: MediaKind::Text, url: None, text: Some(text.into()) }),
            parameters: vec![],
            alternative: None,
        },
        "html" => AlternativeView {
            label: letter.into(),
            media: media(MediaKind::Html, "/failure"),
            parameters: vec![],
            alternative: None,
        },
        "values" => AlternativeView {
            label: letter.into(),
            media: None,
            parameters: vec![
                value("temperature", if first { "82" } else { "95" }, "°C"),
                value("time", if first { "180" } else { "120" }, "s"),
                value("leaf", if first { "whole" } else { "broken" }, ""),
            ],
            alternative: None,
        },
        _ => AlternativeView { label: if first { "Assam" } else { "Oolong" }.into(), ..Default::default() },
    }
}

fn named(label: &str) -> AlternativeView {
    AlternativeView { label: label.into(), ..Default::default() }
}

pub(crate) fn duel_page(kind: &str) -> DuelPage {
    let next = DuelView {
        duel: 7,
        number: 7,
        about_total: Some(15),
        question: "Which sounds better to you?".into(),
        wait: (kind == "waiting").then_some(20),
        blocked: (kind == "blocked")
            .then(|| "A cannot be shown: the renderer \"synth\" failed: it wrote nothing".into()),
        left: side("A", kind),
        right: side("B", kind),
        others: match kind {
            "best" => ["Keemun", "Sencha"].map(named).to_vec(),
            "best-and-worst" => ["Keemun", "Sencha", "Darjeeling first flush"].map(named).to_vec(),
            _ => Vec::new(),
        },
        ..DuelView::default()
    };
    let ended = kind == "end";
    DuelPage {
        study: "demo".into(),
        title: "How much noise may stay?".into(),
        participant: "me".into(),
        page: "/duel/audio".into(),
        api: "/api".into(),
        result: Some("/result/parameters".into()),
        panel: Some("/panel/parameters".into()),
        thanks: String::new(),
        redirect: String::new(),
        style: DuelStyle {
            blind: true,
            answers: match kind {
                "graded" => AnswerKind::ALL.to_vec(),
                "sides" => vec![AnswerKind::Left, AnswerKind::Right],
                _ => vec![AnswerKind::Left, AnswerKind::Tie, AnswerKind::Right],
            },
            set: match kind {
                "best" => Some(SetQuestion::Best),
                "best-and-worst" => Some(SetQuestion::BestAndWorst),
                _ => None,
            },
            restart: false,
            loudness: true,
            hear_both: true,
        },
        turn: Turn {
            recorded: true,
            next: (!ended).then_some(next),
            answers: if ended { 15 } else { 6 },
            can_undo: true,
            finished: ended,
            advice: (kind == "values")
                .then(|| "The best is found as well as answers can tell; more will hardly change it.".into()),
            ..Turn::default()
        },
        ..DuelPage::default()
    }
}

pub(crate) fn result_view(kind: &str) -> ResultView {
    let items = kind == "items";
    let figure = |kind: &str, title: &str| FigureView {
        kind: kind.into(),
        title: title.into(),
        text: format!("{title}."),
        url: format!("/figures/{kind}"),
    };
    let answer = |i: u32| AnswerView {
        duel: i,
        time: format!("2026-11-21T10:{:02}:07Z", i + 10),
        participant: if i.is_multiple_of(3) { "bob" } else { "ann" }.into(),
        left: format!("floor −{}.5\u{202f}dB", 2 * i),
        right: format!("floor −{}.25\u{202f}dB", 30 - i),
        others: Vec::new(),
        answer: AnswerKind::ALL.get(i as usize % 6).copied(),
        undone: i == 4,
        check: i == 5,
        can_undo: i != 4,
        ..AnswerView::default()
    };
    let ranked = |(i, name): (usize, &str)| RankedView {
        label: name.into(),
        mean: 1.5 - 0.4 * i as f64,
        low: 0.9 - 0.4 * i as f64,
        high: 2.1 - 0.4 * i as f64,
        compared: i != 3,
        alternative: Some(Alternative::Item(name.into())),
    };
    if kind == "new" {
        let study = study("Compressor for the podcast", StudyKind::Parameters, 3, 0, false);
        return ResultView {
            study,
            question: "Which sounds better to you?".into(),
            may_change: true,
            ..Default::default()
        };
    }
    ResultView {
        study: study(if items { "Teas of the winter" } else { "How much noise may stay?" }, StudyKind::Items, 1, 16, false),
        changes: 16,
        question: "Which sounds better to you?".into(),
        participants: [("ann", 11), ("bob", 5)]
            .map(|(name, answers)| ParticipantView { name: name.into(), answers, link: (name == "ann").then(|| format!("/p/{name}3k2j4h5k23j4h5k2j3h4")), invited: true, ..ParticipantView::default() })
            .into(),
        participant: Some("ann".into()),
        best: Some(BestView {
            item: items.then(|| "Oolong".into()),
            parameters: vec![value(if items { "price" } else { "floor" }, "−12.5", if items { "" } else { "dB" })],
            media: None,
            copy: "floor = -12.5".into(),
            alternative: Some(if items { Alternative::Item("Oolong".into()) } else { floor(-12.5) }),
            value: if items { "Oolong" } else { "−13\u{202f}dB" }.into(),
            others: if items { "Assam is about as good" } else { "anything from −20 to −8\u{202f}dB is about as good" }.into(),
        }),
        certainty: Some(Certainty {
            probability: Some(0.84),
            probability_best: items.then_some(0.41),
            expected_regret: Some(0.17),
            regret_at_most: Some(0.41),
            more: Some(4),
            settled: false,
            sentence: "It is probably the best, and what may still be better is hardly better. About 4 more answers would settle it.".into(),
        }),
        picture: (!items).then(picture),
        may_change: true,
        origin: None,
        exports: vec![("CSV".into(), "/x.csv".into()), ("JSON lines".into(), "/x.jsonl".into()), ("Definition".into(), "/x.toml".into())],
        figures: if items {
            vec![figure("ranking", "Ranking with intervals")]
        } else {
            vec![
                figure("utility", "Utility and its uncertainty"),
                figure("acquisition", "Where it asks next"),
                figure("choices", "Which of two is preferred"),
            ]
        },
        ranking: ["Oolong", "Assam", "Darjeeling First Flush", "Sencha"].into_iter().enumerate().map(ranked).collect(),
        ranking_offset: 0,
        ranking_total: if items { 20_000 } else { 4 },
        next: Some(vec![side("A", "name"), side("B", "name")]),
        graded: true,
        history: (1..=16).rev().map(answer).collect(),
        history_offset: 0,
        history_total: 16,
        consistency: Some(Consistency {
            repeats: 3,
            agreed: 2,
            catches: 1,
            passed: 1,
            sentences: vec!["Of 3 repeated questions 2 were answered alike: some pairs are hard to tell apart.".into()],
        }),
        notes: vec!["The best lies at the end of the range of floor; a wider range may hold a better one.".into()],
        ..ResultView::default()
    }
}

fn floor(db: f64) -> Alternative {
    Alternative::Setting(Setting { values: vec![("floor".into(), Value::Float(db))] })
}

/// Of one parameter, known best in the middle.
fn picture() -> Picture {
    let places: Vec<f64> = (0..=40).map(|i| f64::from(i) / 40.0).collect();
    let values: Vec<f64> = places.iter().map(|place| -40.0 * (1.0 - place)).collect();
    let mean: Vec<f64> = values.iter().map(|db| -(db + 12.0).powi(2) / 200.0).collect();
    let tick =
        |i: i32| Tick { place: f64::from(i) / 4.0, label: format!("{}", 10 * i - 40).replace('-', "−") };
    let axis = Axis {
        name: "floor".into(),
        unit: "dB".into(),
        choices: false,
        labels: values.iter().map(|db| format!("{db}").replace('-', "−")).collect(),
        values: values.iter().map(|db| Value::Float(*db)).collect(),
        ticks: (0..=4).map(tick).collect(),
        best: 0.6875,
        places,
    };
    let known = Known {
        sd: mean.iter().map(|mean| 0.2 - mean / 4.0).collect(),
        better: mean.iter().map(|mean| 0.5 * mean.exp()).collect(),
        mean,
    };
    Picture {
        best: floor(-12.5),
        curves: vec![Curve {
            axis,
            known,
            compared: vec![0.1, 0.4, 0.7],
            pair: vec![0.2, 0.6],
            good: (0.5, 0.8),
        }],
        map: None,
    }
}

pub(crate) fn wrong_form() -> NewStudyPage {
    let row = |name: &str, low: &str, high: &str| ParameterRow {
        name: name.into(),
        range: "float".into(),
        low: low.into(),
        high: high.into(),
        ..Default::default()
    };
    let form = StudyForm {
        parameters: vec![row("gain", "0", "twenty"), row("attack", "5", "1")],
        ..Default::default()
    };
    let errors = form.definition().err().unwrap_or_default();
    NewStudyPage {
        form,
        errors,
        commands: vec!["synth".into()],
        largest_upload: 20 << 20,
        largest_file: 5 << 20,
    }
}

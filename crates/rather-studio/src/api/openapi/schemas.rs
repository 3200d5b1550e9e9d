//! The shapes of what is sent and told.

use crate::view::AnswerKind;
use serde_json::{Map, Value, json};

/// All of them by name.
pub(super) fn all() -> Value {
    let mut all = Map::new();
    for (name, schema) in requests().into_iter().chain(studies()).chain(duels()).chain(results()) {
        all.insert(name.to_owned(), schema);
    }
    Value::Object(all)
}

type Named = (&'static str, Value);

/// An object in which everything is there.
fn object(properties: Value) -> Value {
    let required: Vec<String> =
        properties.as_object().map(|p| p.keys().cloned().collect()).unwrap_or_default();
    json!({ "type": "object", "required": required, "properties": properties })
}

/// An object of a request: only these, of which only `required` must be there.
fn request(required: &[&str], properties: Value) -> Value {
    json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn list(name: &str) -> Value {
    json!({ "type": "array", "items": reference(name) })
}

fn maybe(schema: Value) -> Value {
    json!({ "anyOf": [schema, { "type": "null" }] })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn number() -> Value {
    json!({ "type": "number" })
}

fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn yes_or_no() -> Value {
    json!({ "type": "boolean" })
}

fn time() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

fn participant() -> Value {
    json!({ "type": ["string", "null"], "maxLength": 500, "description": "Who answers; needed if the study names several." })
}

fn key() -> Value {
    json!({ "type": ["string", "null"], "minLength": 1, "maxLength": 200,
        "description": "A text that no other request has: the same request sent again counts once." })
}

fn timing() -> Value {
    let seconds = || json!({ "type": "number", "minimum": 0, "maximum": 1_000_000 });
    json!({
        "description": "How long an answer took, from when all options could be seen or played. It is kept and exported.",
        "type": "object",
        "required": ["seconds"],
        "properties": {
            "seconds": seconds(),
            "switches": { "type": ["integer", "null"], "minimum": 0, "maximum": u32::MAX, "description": "Changes from one option to another." },
            "exposure": { "type": "array", "items": seconds(), "maxItems": 12, "description": "Seconds that each option was played or shown alone; empty if that is not known." },
        },
        "additionalProperties": false,
    })
}

fn duel() -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX })
}

fn requests() -> Vec<Named> {
    let alternatives =
        json!({ "type": "array", "items": reference("Alternative"), "minItems": 1, "maxItems": 2000 });
    let pair = json!({ "type": "array", "prefixItems": [reference("Alternative"), reference("Alternative")],
        "items": reference("Alternative"), "minItems": 2, "maxItems": 2 });
    let pairs = json!({ "type": "array", "items": pair, "minItems": 1, "maxItems": 2000 });
    vec![
        (
            "NewStudy",
            json!({
                "description": "The definition in TOML, as `rather study new` takes it, or as an object; one of them.",
                "type": "object",
                "properties": { "toml": { "type": ["string", "null"] }, "definition": maybe(reference("Definition")) },
                "additionalProperties": false,
            }),
        ),
        (
            "Change",
            request(
                &[],
                json!({
                    "title": { "type": "string", "minLength": 1, "maxLength": 120 },
                    "comparisons": { "type": ["integer", "null"], "minimum": 1, "maximum": 100_000, "description": "Of each participant; null for no end." },
                    "paused": { "type": "boolean" },
                    "webhook": { "type": "string", "description": "The address (http://…) to which each answer is reported by a POST of JSON; empty for none." },
                }),
            ),
        ),
        (
            "OpenLink",
            request(&["quota"], json!({ "quota": { "type": "integer", "minimum": 1, "maximum": 10_000 } })),
        ),
        ("Whose", request(&[], json!({ "participant": participant() }))),
        (
            "Invitation",
            request(&["name"], json!({ "name": { "type": "string", "minLength": 1, "maxLength": 500 } })),
        ),
        ("Ask", request(&[], json!({ "participant": participant(), "key": key() }))),
        (
            "Tell",
            request(
                &["answer"],
                json!({
                    "participant": participant(),
                    "duel": { "type": ["integer", "null"], "minimum": 0, "maximum": u32::MAX, "description": "The number of the comparison; or else `left` and `right`, or of a set `options`." },
                    "left": maybe(reference("Alternative")),
                    "right": maybe(reference("Alternative")),
                    "options": maybe(json!({ "type": "array", "items": reference("Alternative"), "minItems": 2, "maxItems": 12 })),
                    "answer": reference("AnswerKind"),
                    "key": key(),
                    "timing": maybe(reference("Timing")),
                }),
            ),
        ),
        (
            "Skip",
            request(
                &["duel"],
                json!({
                    "participant": participant(), "duel": duel(), "key": key(), "timing": maybe(reference("Timing")),
                }),
            ),
        ),
        ("Timing", timing()),
        (
            "Undo",
            request(
                &[],
                json!({
                    "participant": participant(),
                    "duel": { "type": ["integer", "null"], "minimum": 0, "maximum": u32::MAX, "description": "The comparison that it must be, if that matters." },
                    "key": key(),
                }),
            ),
        ),
        (
            "Alternatives",
            request(&["alternatives"], json!({ "participant": participant(), "alternatives": alternatives })),
        ),
        (
            "ToShow",
            request(
                &["alternatives"],
                json!({ "alternatives": { "type": "array", "items": reference("Alternative"), "minItems": 1, "maxItems": 12 } }),
            ),
        ),
        ("Pairs", request(&["pairs"], json!({ "participant": participant(), "pairs": pairs }))),
    ]
}

fn studies() -> Vec<Named> {
    vec![
        (
            "Failure",
            object(json!({
                "error": { "type": "string", "description": "One sentence: what is wrong and what to do." },
                "code": { "type": "string", "description": "A word for programs." },
            })),
        ),
        (
            "Definition",
            json!({ "type": "object", "required": ["subject"], "properties": { "subject": { "type": "object" } },
            "description": "All that is fixed about a study: `subject` is {\"items\": {\"keys\": [...]}} or {\"parameters\": \
                {\"parameters\": [{\"name\": ..., \"range\": {\"type\": \"float\", \"low\": ..., \"high\": ...}}]}}; `options` is how many a question shows, 2 if left out; \
                `answers` is sides, ties, graded or a kind of answer that is a number, as difference, of more than two options best or \"best and worst\": what may be answered; `forgetting` is the half-life of answers, `drift` that of preferences which drift." }),
        ),
        (
            "StudySummary",
            object(json!({
                "id": text(), "title": text(), "kind": { "type": "string", "enum": ["parameters", "items"] }, "size": count(),
                "answers": count(), "participants": count(), "created": time(), "demo": yes_or_no(), "paused": yes_or_no(),
                "wanted": { "type": ["integer", "null"], "minimum": 0 }, "last": { "type": ["string", "null"] },
            })),
        ),
        ("Studies", object(json!({ "studies": list("StudySummary"), "archived": list("ArchivedStudy") }))),
        ("ArchivedStudy", object(json!({ "id": text(), "title": text(), "answers": count() }))),
        (
            "StudyAndDefinition",
            object(json!({ "study": reference("StudySummary"), "definition": reference("Definition") })),
        ),
        (
            "ParticipantView",
            object(json!({
                "name": text(), "answers": count(),
                "link": { "type": ["string", "null"], "description": "The path of their page; shown for an hour after it was made." }, "invited": yes_or_no(),
                "last": { "type": ["string", "null"] },
                "repeats": { "type": "array", "items": count(), "minItems": 2, "maxItems": 2, "description": "How many comparisons they answered again, and how many of them alike." },
            })),
        ),
        (
            "Changes",
            object(json!({
                "answers": count(),
                "changes": { "type": "integer", "minimum": 0, "description": "Grows with every answer, skip and undo, whoever made it." },
            })),
        ),
        ("Participants", object(json!({ "participants": list("ParticipantView") }))),
        (
            "Imported",
            object(json!({
                "answers": count(), "ties": count(),
                "participants": { "type": "array", "items": text() }, "notes": { "type": "array", "items": text() },
            })),
        ),
    ]
}

fn duels() -> Vec<Named> {
    vec![
        (
            "Alternative",
            json!({
                "description": "The name of an item, or an object with a value for every parameter.",
                "oneOf": [text(), { "type": "object", "additionalProperties": { "type": ["number", "string"] } }],
            }),
        ),
        (
            "AnswerKind",
            json!({ "anyOf": [{ "type": "string", "enum": AnswerKind::ALL.map(AnswerKind::name) },
                { "type": "string", "pattern": "^(left|right) by ([1-9]|10)$" }, { "type": "string", "pattern": "^best [1-9][0-9]?(, worst [1-9][0-9]?)?$" }],
                "description": "Of a set `best 2` or `best 2, worst 4`, by the numbers of options as they are shown. Of two what the study takes: `tie` unless its `answers` are `sides`; `much left` and `much right` if they are \
                                `graded`, and `left` and `right` are then a little better; `left by 2` or `right by 3` if they are numbers, as of \
                                `difference`. Anything else is refused." }),
        ),
        (
            "MediaView",
            object(json!({
                "kind": { "type": "string", "enum": ["audio", "image", "video", "text", "pdf", "html"] },
                "url": { "type": ["string", "null"] }, "text": { "type": ["string", "null"] },
            })),
        ),
        ("ParameterView", object(json!({ "name": text(), "value": text(), "unit": text() }))),
        (
            "ContextView",
            object(json!({ "name": text(), "value": text(), "unit": text(),
                "media": { "anyOf": [reference("MediaView"), { "type": "null" }], "description": "What is shown in the place of the value, where that names a file." } })),
        ),
        (
            "AlternativeView",
            object(json!({
                "label": text(), "media": maybe(reference("MediaView")), "parameters": list("ParameterView"),
                "alternative": { "anyOf": [reference("Alternative"), { "type": "null" }], "description": "What it is, numbers as numbers; not given to participants of a blind study." },
            })),
        ),
        (
            "DuelView",
            object(json!({
                "duel": count(), "number": count(), "about_total": { "type": ["integer", "null"] }, "question": text(),
                "wait": { "type": ["integer", "null"], "description": "About how many seconds it takes until all options can be shown, where that is more than a moment." },
                "training": { "type": "boolean", "description": "Whether it only shows what to do: the answer does not count, and `number` and `about_total` are those of the training." },
                "context": { "anyOf": [reference("ContextView"), { "type": "null" }], "description": "What all options share, in a study that compares within groups." },
                "reference": { "anyOf": [reference("AlternativeView"), { "type": "null" }], "description": "What is played or shown beside the options, and is no answer." },
                "blocked": { "type": ["string", "null"], "description": "Why it cannot be answered, but only be skipped or asked again: a side cannot be shown." },
                "left": reference("AlternativeView"), "right": reference("AlternativeView"),
                "others": { "type": "array", "items": reference("AlternativeView"), "description": "The further options of a set." },
            })),
        ),
        (
            "AgreementView",
            object(json!({
                "study": reference("StudySummary"), "is_curve": { "type": "boolean", "description": "Whether the places are settings of one parameter from end to end." },
                "reliability": { "type": ["number", "null"], "description": "The scale separation reliability of items in the model of all answers." },
                "concordance": { "type": ["number", "null"], "description": "Kendall's W of the participants' own posterior means." },
                "judges": list("JudgeView"), "places": list("PlaceView"),
            })),
        ),
        (
            "JudgeView",
            object(json!({
                "participant": text(), "comparisons": count(), "infit": { "type": ["number", "null"] }, "outfit": { "type": ["number", "null"] }, "best": text(),
                "utilities": { "type": "array", "items": { "type": "number" }, "description": "Of each place in their own model, relative to the average of all." },
            })),
        ),
        (
            "PlaceView",
            object(json!({
                "label": text(), "alternative": maybe(reference("Alternative")), "mean": { "type": "number" }, "low": { "type": "number" }, "high": { "type": "number" },
                "comparisons": count(), "infit": { "type": ["number", "null"] }, "outfit": { "type": ["number", "null"] },
            })),
        ),
        ("Link", object(json!({ "link": { "type": "string", "description": "From the path on." } }))),
        (
            "Remarks",
            object(json!({ "answers": { "type": "array",
                "items": object(json!({ "participant": text(), "question": text(), "answer": text() })) } })),
        ),
        (
            "Restored",
            object(json!({ "studies": { "type": "array",
                "items": object(json!({ "from": { "type": "string", "description": "Its name in the backup." }, "id": text() })) } })),
        ),
        ("Ahead", object(json!({ "soon": { "type": "array", "items": text() }, "complete": yes_or_no() }))),
        (
            "Turn",
            object(json!({
                "recorded": yes_or_no(), "next": maybe(reference("DuelView")),
                "answers": count(), "can_undo": yes_or_no(), "finished": yes_or_no(), "paused": yes_or_no(), "advice": { "type": ["string", "null"] },
            })),
        ),
    ]
}

fn results() -> Vec<Named> {
    let texts = || json!({ "type": "array", "items": text() });
    vec![
        (
            "BestView",
            object(json!({
                "item": { "type": ["string", "null"] }, "parameters": list("ParameterView"),
                "media": maybe(reference("MediaView")), "copy": text(), "value": text(), "others": text(),
                "alternative": maybe(reference("Alternative")),
            })),
        ),
        (
            "Certainty",
            object(json!({
                "probability": { "type": ["number", "null"], "minimum": 0, "maximum": 1 },
                "probability_best": { "type": ["number", "null"], "minimum": 0, "maximum": 1 },
                "expected_regret": { "type": ["number", "null"] },
                "regret_at_most": { "type": ["number", "null"] }, "more": { "type": ["integer", "null"] },
                "settled": yes_or_no(), "sentence": text(),
            })),
        ),
        (
            "Best",
            object(
                json!({ "best": maybe(reference("BestView")), "certainty": maybe(reference("Certainty")) }),
            ),
        ),
        ("Shown", object(json!({ "alternatives": list("AlternativeView") }))),
        ("FigureView", object(json!({ "kind": text(), "title": text(), "text": text(), "url": text() }))),
        (
            "RankedView",
            object(json!({
                "label": text(), "mean": number(), "low": number(), "high": number(), "compared": yes_or_no(),
                "alternative": maybe(reference("Alternative")),
            })),
        ),
        (
            "AnswerView",
            object(json!({
                "duel": count(), "time": time(), "participant": text(), "left": text(), "right": text(), "others": texts(), "options": list("Alternative"),
                "answer": maybe(reference("AnswerKind")), "undone": yes_or_no(), "check": yes_or_no(), "can_undo": yes_or_no(),
            })),
        ),
        ("History", object(json!({ "answers": list("AnswerView"), "offset": count(), "total": count() }))),
        (
            "Consistency",
            object(json!({
                "repeats": count(), "agreed": count(), "catches": count(), "passed": count(), "sentences": texts(),
            })),
        ),
        (
            "ResultView",
            object(json!({
                "study": reference("StudySummary"), "changes": count(), "question": text(), "participants": list("ParticipantView"),
                "participant": { "type": ["string", "null"] }, "best": maybe(reference("BestView")),
                "certainty": maybe(reference("Certainty")), "comparisons": { "type": ["integer", "null"], "minimum": 0 }, "may_change": yes_or_no(), "origin": { "type": ["string", "null"], "description": "Under which others reach the studio; null if nobody does." },
                "exports": { "type": "array", "items": { "type": "array", "prefixItems": [text(), text()], "minItems": 2, "maxItems": 2 } },
                "figures": list("FigureView"), "ranking": list("RankedView"),
                "ranking_offset": count(), "ranking_total": count(), "history_offset": count(), "history_total": count(), "next": maybe(json!({ "type": "array", "items": reference("AlternativeView"), "minItems": 2, "maxItems": 12 })), "graded": yes_or_no(),
                "history": list("AnswerView"), "consistency": maybe(reference("Consistency")), "notes": texts(),
            })),
        ),
        (
            "Believed",
            object(json!({
                "alternative": reference("Alternative"), "mean": number(), "sd": number(), "low": number(), "high": number(),
            })),
        ),
        ("Posterior", object(json!({ "points": list("Believed"), "total": count() }))),
        ("Scored", object(json!({ "alternative": reference("Alternative"), "score": number() }))),
        (
            "Scores",
            object(json!({
                "acquisition": text(), "opponent": maybe(reference("Alternative")), "points": list("Scored"), "total": count(),
            })),
        ),
        (
            "Probabilities",
            object(
                json!({ "probabilities": { "type": "array", "items": { "type": "number", "minimum": 0, "maximum": 1 } } }),
            ),
        ),
    ]
}

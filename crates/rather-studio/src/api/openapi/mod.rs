//! The OpenAPI document of the API.
//!
//! Written by hand beside the routes; a test sees to it that there is an operation for every route and a route for every
//! operation, and a fuzzer that answers are as it says.

mod schemas;

use crate::refusal::Code;
use axum::Json;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

static DOCUMENT: LazyLock<Value> = LazyLock::new(document);

pub(super) async fn serve() -> Json<&'static Value> {
    Json(&DOCUMENT)
}

/// The document.
pub fn document() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "rather studio",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Studies of preferences: ask for a comparison, send the answer, read what was learned. Requests that \
                change something and come from a browser need the page's token in the header `X-CSRF-Token`; other programs \
                need none. Answers carry a `key` that makes it safe to send them again.",
            "license": { "name": "MIT", "identifier": "MIT" },
        },
        "servers": [{ "url": super::ROOT }],
        "security": [{}, { "token": [] }, { "session": [] }],
        "paths": paths(),
        "components": {
            "schemas": schemas::all(),
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer", "description": "The operator's token." },
                "session": { "type": "apiKey", "in": "cookie", "name": "rather-8421",
                    "description": "A browser that has signed in; the number is the studio's port." },
            },
        },
    })
}

fn paths() -> Value {
    let study = || vec![path_parameter("study", "The study's id.")];
    let with = |mut all: Vec<Value>, more: Vec<Value>| {
        all.extend(more);
        all
    };
    let whose =
        || query("participant", "Whose; needed if the study names several.", json!({ "type": "string" }));
    let points = || {
        query(
            "points",
            "How many, if the study has parameters.",
            json!({ "type": "integer", "minimum": 1, "maximum": 2000 }),
        )
    };
    let window = |usual: usize| {
        let most = crate::window::Window::MOST;
        vec![
            query(
                "offset",
                "How many entries come before.",
                json!({ "type": "integer", "minimum": 0, "default": 0 }),
            ),
            query(
                "limit",
                "How many entries at most.",
                json!({ "type": "integer", "minimum": 1, "maximum": most, "default": usual }),
            ),
        ]
    };
    let (page, most) = (crate::window::Window::PAGE, crate::window::Window::MOST);
    json!({
        "/openapi.json": {
            "get": Operation::new("document", "This document.").gives(json!({ "type": "object" })).done(&[]),
        },
        "/backup": {
            "get": Operation::new("backup", "A complete copy of the file of studies (SQLite), made while it is in use.")
                .gives_as("application/vnd.sqlite3").done(&[]),
        },
        "/restore": {
            "post": Operation::new("restore", "Brings back the studies of a backup that are not here, with their answers, files and links; those that are here stay as they are.")
                .takes_as(&["application/vnd.sqlite3", "application/octet-stream"]).gives(schema("Restored")).done(&[]),
        },
        "/studies": {
            "get": Operation::new("listStudies", "All studies, demos first.").gives(schema("Studies")).done(&[]),
            "post": Operation::new("createStudy", "Makes a study.").takes("NewStudy").makes(schema("StudySummary"))
                .done(&[Code::Conflict]),
        },
        "/studies/{study}": {
            "parameters": study(),
            "get": Operation::new("showStudy", "A study and its definition.").gives(schema("StudyAndDefinition")).done(STUDY),
            "patch": Operation::new("changeStudy", "Changes the title, the number of comparisons of each participant, whether the study is paused, or its webhook.")
                .takes("Change").gives(schema("StudySummary")).done(STUDY),
            "delete": Operation::new("archiveStudy", "Archives a study: it leaves the list, and its answers stay in the file. `forever` deletes an archived one, with its answers.")
                .asks(vec![query("forever", "Delete the archived study for good.", json!({ "type": "boolean" }))]).changes().done(STUDY),
        },
        "/studies/{study}/copy": {
            "parameters": study(),
            "post": Operation::new("copyStudy", "Makes a study like this one, with its files and without its answers.").changes().makes(schema("StudySummary")).done(STUDY),
        },
        "/studies/{study}/participants/{participant}": {
            "parameters": with(study(), vec![path_parameter("participant", "The participant's name.")]),
            "delete": Operation::new("revoke", "Ends the link of a participant; their answers stay.").changes().done(STUDY),
        },
        "/studies/{study}/participants": {
            "parameters": study(),
            "get": Operation::new("listParticipants", "Who answers.").gives(schema("Participants")).done(STUDY),
            "post": Operation::new("invite", "Makes a link for a participant; an earlier one of theirs opens nothing any more.")
                .takes("Invitation").makes(schema("ParticipantView")).done(STUDY),
        },
        "/studies/{study}/open-link": {
            "parameters": study(),
            "post": Operation::new("openLink", "Makes a link by which anyone joins the study, up to `quota` participants; an earlier one opens nothing any more.")
                .takes("OpenLink").makes(schema("Link")).done(ANSWER),
            "delete": Operation::new("endOpenLink", "Ends the link by which anyone joins; who has joined goes on.").changes().done(STUDY),
        },
        "/studies/{study}/shared": {
            "parameters": study(),
            "post": Operation::new("share", "Makes a link that shows the result, to be read only; an earlier one shows nothing any more.")
                .takes("Whose").makes(schema("Link")).done(STUDY),
            "delete": Operation::new("endShare", "Ends the link that shows the result.").asks(vec![whose()]).changes().done(STUDY),
        },
        "/studies/{study}/questionnaire": {
            "parameters": study(),
            "get": Operation::new("questionnaire", "What participants answered to the questions at the end, and how they did in the test for headphones.")
                .asks(vec![query("format", "JSON if left out.", json!({ "type": "string", "enum": ["json", "csv"] }))])
                .gives(schema("Remarks")).gives_as("text/csv").done(STUDY),
        },
        "/studies/{study}/restore": {
            "parameters": study(),
            "post": Operation::new("restoreStudy", "Brings an archived study back.").changes().done(STUDY),
        },
        "/studies/{study}/ask": {
            "parameters": study(),
            "post": Operation::new("ask", "The comparison that waits for an answer.").takes("Ask").gives(schema("Turn")).done(ANSWER),
        },
        "/studies/{study}/ahead": {
            "parameters": study(),
            "post": Operation::new("ahead", "Paths of media that the next comparison may show, to fetch while somebody answers; rendering them is begun.")
                .takes("Ask").gives(schema("Ahead")).done(ANSWER),
        },
        "/studies/{study}/tell": {
            "parameters": study(),
            "post": Operation::new("tell", "Records an answer, and gives the next comparison. When it returns, the answer is on the disk.")
                .takes("Tell").gives(schema("Turn")).done(ANSWER),
        },
        "/studies/{study}/skip": {
            "parameters": study(),
            "post": Operation::new("skip", "Skips a comparison.").takes("Skip").gives(schema("Turn")).done(ANSWER),
        },
        "/studies/{study}/undo": {
            "parameters": study(),
            "post": Operation::new("undo", "Undoes the last answer; its comparison is open again.")
                .takes("Undo").gives(schema("Turn")).done(ANSWER),
        },
        "/studies/{study}/best": {
            "parameters": with(study(), vec![whose()]),
            "get": Operation::new("best", "The recommendation, and its uncertainty.").gives(schema("Best")).done(LOOK),
        },
        "/studies/{study}/result": {
            "parameters": with(with(study(), vec![whose()]), window(page)),
            "get": Operation::new("result", "All that the result page shows; of the ranking the part from `offset` on, of the answers the last `limit`.").gives(schema("ResultView")).done(LOOK),
        },
        "/studies/{study}/agreement": {
            "parameters": study(),
            "get": Operation::new("agreement", "What all participants say together, and whether they agree: scale separation reliability, infit and outfit of participants and items, Kendall's W. As CSV one of its tables.")
                .asks(vec![
                    query("format", "JSON if left out.", json!({ "type": "string", "enum": ["json", "csv"] })),
                    query("table", "Of CSV; the participants if left out.", json!({ "type": "string", "enum": ["participants", "alternatives"] })),
                ])
                .gives(schema("AgreementView")).gives_as("text/csv").done(LOOK),
        },
        "/studies/{study}/history": {
            "parameters": with(with(study(), vec![whose()]), window(most)),
            "get": Operation::new("history", "The answers, the last first.").gives(schema("History")).done(LOOK),
        },
        "/studies/{study}/posterior": {
            "parameters": study(),
            "get": Operation::new("posterior", "Utilities of all items, or of settings that fill the space.")
                .asks(with(vec![whose(), points()], window(most))).gives(schema("Posterior")).done(LOOK),
            "post": Operation::new("posteriorAt", "Utilities of the alternatives that are sent.")
                .takes("Alternatives").gives(schema("Posterior")).done(LOOK),
        },
        "/studies/{study}/acquisition": {
            "parameters": with(with(study(), vec![whose(), points()]), window(most)),
            "get": Operation::new("acquisition", "The value of asking each item or setting against the last winner.")
                .gives(schema("Scores")).done(LOOK),
        },
        "/studies/{study}/probabilities": {
            "parameters": study(),
            "post": Operation::new("probabilities", "The probability that the first of each pair is preferred.")
                .takes("Pairs").gives(schema("Probabilities")).done(LOOK),
        },
        "/studies/{study}/show": {
            "parameters": study(),
            "post": Operation::new("show", "What there is to see or hear of alternatives, also in a blind study.")
                .takes("ToShow").gives(schema("Shown")).done(SHOW),
        },
        "/studies/{study}/figures/{file}": {
            "parameters": with(study(), vec![
                path_parameter("file", "A kind of figure that the result lists, and `.svg`."),
                whose(),
                query("width", "In pixels.", json!({ "type": "number", "minimum": 100, "maximum": 10000 })),
                query("theme", "The page around it.", json!({ "type": "string", "enum": ["light", "dark"] })),
            ]),
            "get": Operation::new("figure", "A figure.").gives_as("image/svg+xml").done(LOOK),
        },
        "/studies/{study}/export": {
            "parameters": with(study(), vec![format(), query("participant", "Whose; all if left out.", json!({ "type": "string" })),
                query("spreadsheet", "Put an apostrophe before names that a spreadsheet takes for formulas; `import` takes it away again.", json!({ "type": "boolean" }))]),
            "get": Operation::new("export", "The answers as a file.")
                .gives_as("text/csv").gives_as("application/x-ndjson").gives_as("text/plain").done(ANSWER),
        },
        "/studies/{study}/import": {
            "parameters": with(study(), vec![
                format(),
                query("participant", "The participant of answers that name none.", json!({ "type": "string" })),
                query("again", "Count the very same file once more.", json!({ "type": "boolean" })),
            ]),
            "post": Operation::new("import", "Adds the answers of a file, all or none.")
                .takes_as(&["text/csv", "application/x-ndjson", "application/octet-stream"]).gives(schema("Imported")).done(ANSWER),
        },
        "/studies/{study}/changes": {
            "parameters": study(),
            "get": Operation::new("changes", "Whether there is something new: ask once a second, and read the result when `changes` differs.")
                .gives(schema("Changes")).done(STUDY),
        },
    })
}

/// What can go wrong where a study is named.
const STUDY: &[Code] = &[Code::NotFound];
/// Where somebody answers.
const ANSWER: &[Code] = &[Code::NotFound, Code::Conflict];
/// Where somebody looks.
const LOOK: &[Code] = &[Code::NotFound, Code::Conflict];
/// Where something is rendered.
const SHOW: &[Code] = &[Code::NotFound, Code::Renderer];

/// An operation in the making.
struct Operation {
    value: Map<String, Value>,
    responses: Map<String, Value>,
    changes: bool,
}

impl Operation {
    fn new(id: &str, summary: &str) -> Self {
        let value =
            Map::from_iter([("operationId".to_owned(), json!(id)), ("summary".to_owned(), json!(summary))]);
        Self { value, responses: Map::new(), changes: false }
    }

    /// With parameters of its own.
    fn asks(mut self, parameters: Vec<Value>) -> Self {
        self.value.insert("parameters".to_owned(), Value::Array(parameters));
        self
    }

    /// With a body in JSON.
    fn takes(mut self, name: &str) -> Self {
        let content = json!({ "application/json": { "schema": schema(name) } });
        self.value.insert("requestBody".to_owned(), json!({ "required": true, "content": content }));
        self.changes = true;
        self
    }

    /// With a file for a body.
    fn takes_as(mut self, types: &[&str]) -> Self {
        let content: Map<String, Value> =
            types.iter().map(|t| ((*t).to_owned(), json!({ "schema": { "type": "string" } }))).collect();
        self.value.insert("requestBody".to_owned(), json!({ "required": true, "content": content }));
        self.changes = true;
        self
    }

    /// Changes something and has nothing to say.
    fn changes(mut self) -> Self {
        self.responses.insert("204".to_owned(), json!({ "description": "Done." }));
        self.changes = true;
        self
    }

    /// Answers in JSON.
    fn gives(mut self, schema: Value) -> Self {
        let content = json!({ "application/json": { "schema": schema } });
        self.responses.insert("200".to_owned(), json!({ "description": "Done.", "content": content }));
        self
    }

    /// Answers with a file, of this type or of another.
    fn gives_as(mut self, media_type: &str) -> Self {
        let response =
            self.responses.entry("200").or_insert_with(|| json!({ "description": "Done.", "content": {} }));
        response["content"][media_type] = json!({ "schema": { "type": "string" } });
        self
    }

    /// Answers with what was made.
    fn makes(mut self, schema: Value) -> Self {
        let content = json!({ "application/json": { "schema": schema } });
        self.responses.insert("201".to_owned(), json!({ "description": "Made.", "content": content }));
        self
    }

    /// The operation, which may also be refused for these reasons, besides the usual ones.
    fn done(mut self, reasons: &[Code]) -> Value {
        let mut codes = vec![Code::Invalid, Code::SignIn, Code::Misdirected, Code::Internal, Code::Busy];
        codes.extend(reasons);
        if self.changes {
            codes.extend([Code::Forbidden, Code::TooLarge, Code::Unsupported]);
        }
        for (code, meaning) in Code::ALL.iter().filter(|(code, _)| codes.contains(code)) {
            let content = json!({ "application/json": { "schema": schema("Failure") } });
            let response = json!({ "description": meaning, "content": content });
            self.responses.insert(code.status().as_u16().to_string(), response);
        }
        self.value.insert("responses".to_owned(), Value::Object(self.responses));
        Value::Object(self.value)
    }
}

fn schema(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn path_parameter(name: &str, description: &str) -> Value {
    json!({ "name": name, "in": "path", "required": true, "description": description, "schema": { "type": "string", "minLength": 1 } })
}

fn query(name: &str, description: &str, schema: Value) -> Value {
    json!({ "name": name, "in": "query", "description": description, "schema": schema })
}

fn format() -> Value {
    let formats: Vec<&str> = rather_study::Format::ALL.iter().map(|format| format.name()).collect();
    query("format", "Of the file; CSV if left out.", json!({ "type": "string", "enum": formats }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_route_is_documented_and_every_operation_has_a_route() {
        let document = document();
        let documented: BTreeSet<(String, String)> = document["paths"]
            .as_object()
            .unwrap()
            .iter()
            .flat_map(|(path, item)| {
                let methods = item.as_object().unwrap().keys().filter(|key| *key != "parameters");
                methods.map(move |method| (path.clone(), method.to_ascii_uppercase()))
            })
            .collect();
        let routed: BTreeSet<(String, String)> = crate::api::operations()
            .into_iter()
            .flat_map(|(path, methods)| {
                methods.iter().map(move |method| (path.to_owned(), method.to_string()))
            })
            .collect();
        assert_eq!(documented, routed);
    }

    #[test]
    fn every_reference_leads_somewhere_and_nothing_is_left_over() {
        let document = document();
        let mut wanted = BTreeSet::new();
        references(&document, &mut wanted);
        let known: BTreeSet<String> = document["components"]["schemas"]
            .as_object()
            .unwrap()
            .keys()
            .map(|name| format!("#/components/schemas/{name}"))
            .collect();
        assert_eq!(wanted, known);
    }

    fn references(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(entries) => {
                if let Some(Value::String(reference)) = entries.get("$ref") {
                    found.insert(reference.clone());
                }
                entries.values().for_each(|value| references(value, found));
            }
            Value::Array(values) => values.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }

    #[test]
    fn operations_have_names_of_their_own() {
        let document = document();
        let mut names = BTreeSet::new();
        for item in document["paths"].as_object().unwrap().values() {
            for (method, operation) in item.as_object().unwrap() {
                if method != "parameters" {
                    assert!(names.insert(operation["operationId"].as_str().unwrap().to_owned()));
                    assert!(operation["responses"].as_object().unwrap().len() > 1);
                }
            }
        }
    }
}

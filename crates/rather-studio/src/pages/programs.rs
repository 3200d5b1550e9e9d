//! How programs use the studio: commands to paste.

use maud::{Markup, html};

use super::frame::{Head, page};
use crate::view::{Frame, ProgramsPage};

/// The page about the API, with the address of this studio and a study of it.
pub fn programs(frame: &Frame, view: &ProgramsPage) -> Markup {
    let head = Head { title: "API", class: "programs", here: "/api", ..Head::default() };
    page(
        frame,
        head,
        html! {
            h1 { "Use the studio from a program" }
            p.lead {
                "All that the pages do, programs can do as JSON. " a href="/api/v1/openapi.json" { "The OpenAPI document" } " describes every operation."
            }
            @if view.token {
                p.notice { "This studio asks for its token. Put it into the environment first: " code { "export RATHER_TOKEN=…" } }
            }
            section aria-labelledby="curl" {
                h2 #curl { "With curl" }
                p { "Asks for a comparison, answers it, and shows the best setting so far." }
                pre #curl-text tabindex="0" { code { (curl(view)) } }
            }
            section aria-labelledby="python" {
                h2 #python { "With Python" }
                p {
                    "Ten answers by a function. " code { "alternative" }
                    " has the numbers of a setting, also where the study is blind: a program can render by itself."
                }
                pre #python-text tabindex="0" { code { (python(view)) } }
            }
        },
    )
}

/// The header by which a program signs in, in the words of the shell.
fn authorization(view: &ProgramsPage) -> &'static str {
    if view.token { " -H \"Authorization: Bearer $RATHER_TOKEN\"" } else { "" }
}

fn curl(view: &ProgramsPage) -> String {
    let (api, header) = (&view.api, authorization(view));
    let json = "-H 'content-type: application/json'";
    format!(
        "curl -s{header} {api}/studies\n\
         duel=$(curl -s{header} {json} -d '{{}}' {api}/studies/{study}/ask | sed 's/.*\"duel\":\\([0-9]*\\).*/\\1/')\n\
         curl -s{header} {json} -d \"{{\\\"duel\\\": $duel, \\\"answer\\\": \\\"left\\\"}}\" {api}/studies/{study}/tell\n\
         curl -s{header} {api}/studies/{study}/best\n",
        study = view.study
    )
}

fn python(view: &ProgramsPage) -> String {
    let header = if view.token {
        "\"content-type\": \"application/json\", \"authorization\": f\"Bearer {os.environ['RATHER_TOKEN']}\""
    } else {
        "\"content-type\": \"application/json\""
    };
    let import = if view.token { "import json, os, urllib.request" } else { "import json, urllib.request" };
    format!(
        "{import}\n\n\
         STUDY = \"{api}/studies/{study}\"\n\n\
         def call(verb, body=None):\n    \
             data = None if body is None else json.dumps(body).encode()\n    \
             request = urllib.request.Request(f\"{{STUDY}}/{{verb}}\", data, {{{header}}})\n    \
             return json.load(urllib.request.urlopen(request))\n\n\
         def prefers_left(left, right):\n    \
             return str(left) < str(right)  # yours: look at both, e.g. left[\"gain\"]\n\n\
         turn = call(\"ask\", {{}})\n\
         for _ in range(10):\n    \
             pair = turn[\"next\"]\n    \
             if pair is None:\n        \
                 break\n    \
             left, right = pair[\"left\"][\"alternative\"], pair[\"right\"][\"alternative\"]\n    \
             answer = \"left\" if prefers_left(left, right) else \"right\"\n    \
             turn = call(\"tell\", {{\"duel\": pair[\"duel\"], \"answer\": answer}})\n\
         print(call(\"best\")[\"best\"][\"alternative\"])\n",
        api = view.api,
        study = view.study
    )
}

//! Which request is answered by what.

use crate::sentence::Sentence;
use crate::{fit, leaderboard, studies};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

/// All that may be asked for.
#[derive(Deserialize)]
#[serde(tag = "call", rename_all = "kebab-case")]
enum Request {
    Version,
    Arena(leaderboard::Request),
    Fit(fit::Request),
    StudyNew(studies::New),
    StudyRestore(studies::Restore),
    StudyAsk(studies::Of),
    StudyTell(studies::Tell),
    StudyUndo(studies::Of),
    StudyRecommend(studies::Of),
    StudyExport(studies::Export),
    StudyImport(studies::Import),
    StudyClose(studies::Of),
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum Reply {
    Ok(Box<RawValue>),
    Error(String),
}

/// The reply to a request.
pub fn call(request: &[u8]) -> Vec<u8> {
    let reply = answer(request).map_or_else(|Sentence(sentence)| Reply::Error(sentence), Reply::Ok);
    // Text and numbers can always be written.
    serde_json::to_vec(&reply).unwrap_or_default()
}

fn answer(request: &[u8]) -> Result<Box<RawValue>, Sentence> {
    let end = request.iter().position(|&byte| byte == b'\n').unwrap_or(request.len());
    let (head, file) = (&request[..end], request.get(end + 1..).unwrap_or_default());
    let request = serde_json::from_slice(head).map_err(|e| Sentence(format!("this is no request: {e}")))?;
    Ok(match request {
        Request::Version => to_raw_value(env!("CARGO_PKG_VERSION")),
        Request::Arena(request) => to_raw_value(&leaderboard::arena(request, file.to_vec())?),
        Request::Fit(request) => to_raw_value(&fit::fit(request, file.to_vec())?),
        Request::StudyNew(new) => to_raw_value(&studies::new(&new)?),
        Request::StudyRestore(restore) => to_raw_value(&studies::restore(&restore, file)?),
        Request::StudyAsk(of) => to_raw_value(&studies::ask(&of)?),
        Request::StudyTell(tell) => to_raw_value(&studies::tell(&tell)?),
        Request::StudyUndo(of) => to_raw_value(&studies::undo(&of)?),
        Request::StudyRecommend(of) => to_raw_value(&studies::recommend(&of)?),
        Request::StudyExport(export) => to_raw_value(&studies::export(&export)?),
        Request::StudyImport(import) => to_raw_value(&studies::import(&import, file)?),
        Request::StudyClose(of) => to_raw_value(&studies::close(&of)),
    }?)
}

#[cfg(test)]
mod tests {
    use super::call;
    use serde_json::{Value, json};

    fn reply(request: Value, file: &str) -> Value {
        serde_json::from_slice(&call(format!("{request}\n{file}").as_bytes())).unwrap()
    }

    #[test]
    fn a_study_by_requests() {
        let definition = "items = [\"a\", \"b\", \"c\"]\nanswers = \"sides\"";
        let made = reply(json!({"call": "study-new", "name": "s", "definition": definition}), "");
        let study = &made["ok"]["study"];
        assert_eq!(made["ok"]["takes"], json!(["left", "right", "skip"]));
        let of = |call: &str| json!({"call": call, "study": study, "participant": "ann", "now": 1000});
        let asked = reply(of("study-ask"), "");
        assert_eq!(asked["ok"]["comparison"], 1);
        let mut tell = of("study-tell");
        tell["answer"] = json!("left");
        assert_eq!(reply(tell.clone(), "")["ok"]["options"], asked["ok"]["options"]);
        assert_eq!(reply(tell, "")["error"], "there is no open comparison for ann; ask for one first");
        let recommended = reply(of("study-recommend"), "");
        assert_eq!(recommended["ok"]["recommended"], asked["ok"]["options"][0]);
        let mut export = of("study-export");
        export["format"] = json!("jsonl");
        let log = reply(export.clone(), "");
        assert!(log["ok"].as_str().unwrap().contains("\"time\":\"1970-01-01T00:00:01.000Z\""));
        let restored = reply(json!({"call": "study-restore"}), log["ok"].as_str().unwrap());
        export["study"] = restored["ok"]["study"].clone();
        assert_eq!(reply(export, ""), log);
        assert_eq!(reply(of("study-close"), "")["ok"], true);
        assert!(reply(of("study-ask"), "")["error"].as_str().unwrap().ends_with("is closed; open it again"));
    }

    #[test]
    fn answers_become_utilities() {
        let items = "tea,price\nAssam,4\nOolong,7\nSencha,9\n";
        let request = json!({"call": "fit", "name": "a.csv", "items": items, "kernel": "white"});
        let fitted = reply(request, "winner,loser\nOolong,Assam\nOolong,Sencha\nSencha,Assam\n");
        assert_eq!(fitted["ok"]["ranking"][0]["item"], "Oolong");
        let mistaken = reply(json!({"call": "fit", "name": "a.csv"}), "x\n");
        assert!(mistaken["error"].as_str().unwrap().starts_with("the columns of a.csv are"), "{mistaken}");
    }
}

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
    let request =
        serde_json::from_slice(head).map_err(|e| Sentence(format!("this is no request: {e}")))?;
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

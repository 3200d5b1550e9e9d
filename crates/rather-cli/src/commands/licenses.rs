//! `rather licenses`: the licence of the program, and the notices of everything that is linked into it.

use crate::failure::Failure;
use crate::output::Output;
use serde_json::json;

/// The licence of rather.
const LICENSE: &str = include_str!("../../LICENSE");
/// The licences of the crates linked in; `tools/notices.py` writes it.
const NOTICES: &str = include_str!("../../THIRD-PARTY-NOTICES.txt");

/// Runs the command.
pub(crate) fn run(out: Output) -> Result<(), Failure> {
    if out.json {
        return out.json(&json!({ "license": LICENSE, "third_party": NOTICES }));
    }
    out.text(&format!("{LICENSE}\n{NOTICES}"))
}

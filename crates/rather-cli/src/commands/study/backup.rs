//! `rather study backup`.

use crate::args::BackupArgs;
use crate::failure::Failure;
use crate::output::{Output, printable};
use crate::table::counted;
use rather_study::store::{self, Store};
use serde_json::json;

/// Runs the command.
pub(super) fn run(args: &BackupArgs, mut out: Output) -> Result<(), Failure> {
    let store = Store::open(&args.file)?;
    for notice in store.notices()? {
        out.warn(notice);
    }
    let backup = store::backup(&store, &args.copy, args.force)?;
    let copy = args.copy.display().to_string();
    if out.json {
        return out.json(&json!({
            "file": args.file.display().to_string(), "copy": copy, "studies": backup.studies, "events": backup.events,
            "bytes": backup.bytes,
        }));
    }
    let events = counted(backup.events.unsigned_abs(), "event");
    let studies = printable(&rather_io::list(&backup.studies));
    out.text(&format!("copied {events} of {studies} to {copy}; the copy is complete\n"))
}

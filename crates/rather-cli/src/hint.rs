//! Which flags help where the library has noticed something: the library knows no flags.

use rather::model::Notice;
use rather_io::Note;

/// A note on a table of items, and the flag that helps.
pub(crate) fn of_table(note: &Note) -> String {
    match note {
        Note::CountedItems { column, .. } => format!("{note} (--drop {column})"),
        _ => note.to_string(),
    }
}

/// The notice, and the flags that change what it is about.
pub(crate) fn with_flags(notice: &Notice) -> String {
    let flags = match notice {
        Notice::NotConverged { .. } | Notice::Clipped { .. } => "--fix noise=...",
        Notice::RoughApproximation { .. } => "--inference exact",
        Notice::NotMixed { .. } => "--samples N, --fix noise=...",
        Notice::SmallBasis { .. } => "--basis M, --inference ep",
        Notice::Rough { .. } => "--inducing-points R, --representation full",
        Notice::ForcedEqual { .. } => "\"+ white\" in --kernel",
        _ => return notice.to_string(),
    };
    format!("{notice} ({flags})")
}

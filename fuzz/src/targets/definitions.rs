//! Definitions of studies in TOML.

use super::studies::{Scratch, use_study};
use rather_study::Study;
use rather_study::definition::read_toml_text;

/// Every so manieth definition that is understood becomes a study: that takes a hundred times as long.
const MADE: usize = 16;

/// Reads a definition, and makes a study of some of them.
pub(super) fn definitions(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    // There is no such folder, hence no table of items beside the definition.
    let Ok(definition) = read_toml_text(text, "/nowhere/study.toml".as_ref()) else { return };
    let chosen = (crc32fast::hash(bytes) as usize).is_multiple_of(MADE);
    if !chosen {
        return;
    }
    let scratch = Scratch::new();
    if let Ok(mut study) = Study::create(&scratch.path("s.study"), "s", &definition) {
        use_study(&mut study);
    }
}

//! Answers from files of other programs, brought into a study.

use super::studies::Scratch;
use rather_study::{Definition, Format, Study};
use std::cell::RefCell;

/// So many imports into one study, then a new one.
const IMPORTS: u32 = 200;

struct Open {
    study: Study,
    imports: u32,
    _folder: Scratch,
}

impl Open {
    fn new() -> Self {
        let folder = Scratch::new();
        let definition =
            Definition::of_items(["A", "B", "C", "D", "Tuna", "left", "7", "é"].map(str::to_owned));
        let study = Study::create(&folder.path("s.study"), "s", &definition).expect("a study can be made");
        Self { study, imports: 0, _folder: folder }
    }
}

thread_local! {
    static STUDY: RefCell<Option<Open>> = const { RefCell::new(None) };
}

fn import(name: &str, format: Format, bytes: &[u8]) {
    STUDY.with_borrow_mut(|slot| {
        let open = slot.get_or_insert_with(Open::new);
        if open.study.import_bytes(name.as_ref(), bytes, format, Some("ann"), true).is_ok() {
            open.imports += 1;
        }
        if open.imports >= IMPORTS {
            *slot = None;
        }
    });
}

pub(super) fn csv(bytes: &[u8]) {
    import("t.csv", Format::Csv, bytes);
}

pub(super) fn jsonl(bytes: &[u8]) {
    import("t.jsonl", Format::Jsonl, bytes);
}

pub(super) fn preflib(bytes: &[u8]) {
    import("t.toi", Format::Toi, bytes);
}

//! The commands that the book shows exist.

use crate::lab::Lab;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn the_book_names_commands_that_there_are() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src");
    let mut commands = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        for rest in text.split("rather study ").skip(1) {
            let verb: String = rest.chars().take_while(char::is_ascii_lowercase).collect();
            let flags = rest.split(['`', '\n', '#']).next().unwrap_or_default().split_whitespace();
            let flags: Vec<String> = flags.filter(|word| word.starts_with("--")).map(str::to_owned).collect();
            commands.insert((verb, flags));
        }
    }
    assert!(commands.len() > 3);
    let lab = Lab::new();
    for (verb, flags) in commands.into_iter().filter(|(verb, _)| !verb.is_empty()) {
        let help = lab.text(&format!("study {verb} --help"));
        for flag in flags {
            assert!(help.contains(&flag), "study {verb} {flag}");
        }
    }
}

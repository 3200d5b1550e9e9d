//! The modules of the library form no circle: what a module uses lies below it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Graph = BTreeMap<String, BTreeSet<String>>;

fn sources(folder: &Path, to: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, to);
        } else if path.extension().is_some_and(|e| e == "rs") {
            to.push(path);
        }
    }
}

/// The code of a file, without comments and without its tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let line = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The words that follow `crate::`, be it one or several in braces.
fn used(code: &str) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut out = Vec::new();
    for rest in code.split("crate::").skip(1) {
        let Some(inside) = rest.strip_prefix('{') else {
            out.push(word(rest));
            continue;
        };
        let (mut depth, mut start) = (0, true);
        for (at, c) in inside.char_indices() {
            match c {
                '}' if depth == 0 => break,
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => start = true,
                c if start && depth == 0 && c.is_alphanumeric() => {
                    out.push(word(&inside[at..]));
                    start = false;
                }
                _ => (),
            }
        }
    }
    out
}

/// For each module of `folder` those that it uses.
fn graph(folder: &Path) -> Graph {
    let mut files = Vec::new();
    sources(folder, &mut files);
    let module = |path: &PathBuf| {
        let first = path.strip_prefix(folder).unwrap().iter().next().unwrap().to_str().unwrap().to_owned();
        first.trim_end_matches(".rs").to_owned()
    };
    let modules: BTreeSet<String> = files.iter().map(module).filter(|name| name != "lib").collect();
    // What the root hands on is used as if it were there: `crate::Error`.
    let root = code(&folder.join("lib.rs"));
    let handed = root.split("pub use ").skip(1).filter_map(|line| line.split(';').next()?.split_once("::"));
    let mut home: BTreeMap<String, String> = BTreeMap::new();
    for (from, names) in handed {
        for name in names.trim_matches(['{', '}']).split(',') {
            home.insert(name.trim().to_owned(), from.to_owned());
        }
    }
    let mut out: Graph = modules.iter().map(|name| (name.clone(), BTreeSet::new())).collect();
    for path in files.iter().filter(|path| module(path) != "lib") {
        let own = module(path);
        for name in used(&code(path)) {
            let name = home.get(&name).cloned().unwrap_or(name);
            if name != own && modules.contains(&name) {
                out.get_mut(&own).unwrap().insert(name);
            }
        }
    }
    out
}

/// What is left when modules that use none of the others left are taken away, again and again: the circles, and what uses them.
fn circles(mut graph: Graph) -> Graph {
    loop {
        let below: Vec<String> =
            graph.iter().filter(|(_, uses)| uses.is_empty()).map(|(name, _)| name.clone()).collect();
        if below.is_empty() {
            return graph;
        }
        graph.retain(|name, _| !below.contains(name));
        graph.values_mut().for_each(|uses| uses.retain(|name| !below.contains(name)));
    }
}

#[test]
fn no_module_uses_itself_through_others() {
    let found = graph(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(found.len() > 25 && found["model"].contains("inference"), "{found:?}");
    let left = circles(found);
    assert!(left.is_empty(), "{left:#?}");
}

#[test]
fn a_circle_is_found() {
    let uses = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let graph = |pairs: &[(&str, &[&str])]| -> Graph {
        pairs.iter().map(|(name, names)| ((*name).to_owned(), uses(names))).collect()
    };
    assert!(circles(graph(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])])).is_empty());
    assert_eq!(circles(graph(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])])).len(), 3);
    let text = "use crate::{Error, kernel::{Kernel, a}, points};\nuse crate::linalg::dot;";
    assert_eq!(used(text), ["Error", "kernel", "points", "linalg"]);
}

/// The public names of a module's file and of its public modules: what is defined and what is handed on, without what is hidden.
fn interface(file: &Path, to: &mut BTreeSet<String>, entries: &mut usize) {
    let code = code(file);
    let folder = match file.file_stem().unwrap().to_str().unwrap() {
        "lib" | "mod" => file.parent().unwrap().to_owned(),
        name => file.parent().unwrap().join(name),
    };
    let kinds = ["fn ", "const fn ", "struct ", "enum ", "trait ", "type ", "const ", "static "];
    let mut hidden = false;
    let mut lines = code.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("#[") {
            hidden |= line.starts_with("#[doc(hidden)]");
            continue;
        }
        let was_hidden = std::mem::take(&mut hidden);
        let Some(rest) = line.strip_prefix("pub ") else { continue };
        if was_hidden {
            continue;
        }
        if let Some(name) = rest.strip_prefix("mod ") {
            let name = name.trim_end_matches(';');
            let [flat, nested] = [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")];
            interface(if flat.exists() { &flat } else { &nested }, to, entries);
        } else if let Some(first) = rest.strip_prefix("use ") {
            let mut text = first.to_owned();
            while !text.contains(';') {
                text += lines.next().unwrap();
            }
            let names = text.split('{').next_back().unwrap().trim_end_matches([';', '}']).split(',');
            let names = names.map(|name| name.rsplit([':', ' ']).find(|part| !part.is_empty()));
            for name in names.flatten() {
                to.insert(name.to_owned());
                *entries += 1;
            }
        } else if let Some(rest) = kinds.iter().find_map(|kind| rest.strip_prefix(kind)) {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            to.insert(rest[..end].to_owned());
            *entries += 1;
        }
    }
}

/// A user finds what the library offers on a few pages, and all of it is used: by another crate, an example or the book.
#[test]
fn the_public_interface_is_small_and_used() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut names, mut entries) = (BTreeSet::new(), 0);
    interface(&root.join("src/lib.rs"), &mut names, &mut entries);
    assert!(names.contains("Model") && names.contains("Unsupported") && !names.contains("Anderson"));
    println!("{entries} public items");
    assert!((150..=200).contains(&entries), "{entries} public items");
    let mut files = Vec::new();
    let workspace = root.join("../..");
    for crate_of in [
        "rather-io",
        "rather-arena",
        "rather-graph",
        "rather-plot",
        "rather-study",
        "rather-studio",
        "rather-cli",
        "rather-web",
    ] {
        sources(&workspace.join("crates").join(crate_of).join("src"), &mut files);
    }
    for folder in ["python/src", "crates/rather/examples", "experiments/src"] {
        sources(&workspace.join(folder), &mut files);
    }
    // Types of what is handed over and handed back are used without being named.
    sources(&root.join("src"), &mut files);
    let words: Vec<String> = files
        .iter()
        .map(|file| code(file))
        .flat_map(|code| {
            let words = code.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned);
            words.collect::<Vec<_>>()
        })
        .collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    words.iter().for_each(|word| *counts.entry(word).or_default() += 1);
    // Where a thing is defined and handed on it is named, too.
    let idle: Vec<&String> =
        names.iter().filter(|name| counts.get(name.as_str()).copied().unwrap_or(0) < 3).collect();
    assert!(idle.is_empty(), "public and not used: {idle:?}");
}

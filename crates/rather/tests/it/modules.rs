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

//! The book and the README: their commands run, their links lead somewhere, and the reference of commands is what `--help` prints.

use crate::lab::Lab;
use crate::words::{commands, files, prose, root};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Commands that wait for a person: of these only the flags are compared with the help.
const INTERACTIVE: [&str; 2] = ["rather studio", "rather study run"];
/// Programs of others, which set-up commands call.
const OTHERS: [&str; 8] = ["cargo", "export", "perf", "pip", "python", "python3", "ray", "web/build"];

/// Where the test writes the reference of commands, if the variable `RATHER_WRITE_BOOK` is set.
const REFERENCE: &str = "docs/src/reference/commands.md";

fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md"), root().join("python/README.md")];
    files(&root().join("docs/src"), "md", &mut pages);
    assert!(pages.len() > 60, "{} pages", pages.len());
    pages
}

/// The commands of a page's blocks of `sh`, one a line.
fn shell(text: &str) -> Vec<String> {
    let blocks = text.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n"));
    let joined: String = blocks.map(|block| block.replace("\\\n", " ")).collect();
    joined.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Runs a page's commands one after another, in a folder with the example tables. How many were run.
fn run_page(page: &Path) -> usize {
    let lab = Lab::new();
    fs::create_dir(lab.path("examples")).unwrap();
    for table in fs::read_dir(root().join("examples")).unwrap().map(Result::unwrap) {
        fs::copy(table.path(), lab.path("examples").join(table.file_name())).unwrap();
    }
    let program = Path::new(env!("CARGO_BIN_EXE_rather"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut count = 0;
    for line in shell(&fs::read_to_string(page).unwrap()) {
        let place = format!("{}: {line}", page.display());
        if let Some(command) = INTERACTIVE.iter().find(|command| line.starts_with(**command)) {
            let help = lab.text(&format!("{} --help", command.strip_prefix("rather ").unwrap()));
            let flags =
                line.split(" #").next().unwrap().split([' ', '=']).filter(|word| word.starts_with("--"));
            flags.for_each(|flag| assert!(help.contains(flag) || flag.contains('{'), "{place}: {flag}"));
        } else if line.starts_with("rather ") {
            let mut command = Command::new("sh");
            command.args(["-c", &line]).current_dir(lab.path("")).env("PATH", &path);
            let output = command.output().unwrap();
            assert!(output.status.success(), "{place}\n{}", String::from_utf8_lossy(&output.stderr));
            count += 1;
        } else {
            let program = line.split(' ').next().unwrap();
            assert!(OTHERS.contains(&program), "{place}: what is this?");
        }
    }
    count
}

#[test]
fn commands_of_the_book_run() {
    // Pages have folders of their own, and most of their commands one thread to do something.
    let (pages, next) = (pages(), AtomicUsize::new(0));
    let run = || {
        let mine = std::iter::from_fn(|| pages.get(next.fetch_add(1, Ordering::Relaxed)));
        mine.map(|page| run_page(page)).sum::<usize>()
    };
    let count: usize = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..thread::available_parallelism().map_or(1, usize::from)).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().expect("all commands of a page run")).sum()
    });
    assert!(count > 50, "{count} commands");
}

/// The name of a heading in an address, as mdBook and GitHub make it.
fn anchor(heading: &str) -> String {
    let heading = heading.trim().to_lowercase();
    let kept = heading.chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c => c.is_alphanumeric().then_some(c),
    });
    kept.collect()
}

/// The targets of a page's links, code left out.
fn links(text: &str) -> Vec<String> {
    let text = prose(text);
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).filter(|target| !target.contains("://")).collect()
}

fn anchors(page: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(page).unwrap();
    let outside: String = text.split("```").step_by(2).collect();
    let headings = outside.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(&line.trim_start_matches('#').replace('`', ""))).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    let others = ["ARCHITECTURE.md", "CONTRIBUTING.md"].map(|page| root().join(page));
    for page in pages().into_iter().chain(others) {
        for link in links(&fs::read_to_string(&page).unwrap()) {
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            if !target.exists() || !heading.is_empty() && !anchors(&target).contains(heading) {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// mdBook shows the pages that the summary names, and no others.
#[test]
fn every_page_is_in_the_summary() {
    let folder = root().join("docs/src");
    let summary = links(&fs::read_to_string(folder.join("SUMMARY.md")).unwrap());
    let named: BTreeSet<PathBuf> = summary.iter().map(|link| folder.join(link)).collect();
    assert_eq!(named.len(), summary.len(), "a page is named twice");
    let mut written = Vec::new();
    files(&folder, "md", &mut written);
    written.retain(|page| !page.ends_with("SUMMARY.md"));
    assert_eq!(named, written.into_iter().collect());
}

/// The help of a command and of those below it, a section each.
fn sections(lab: &Lab, command: &str, out: &mut String) {
    let help = lab.text(&format!("{command} --help"));
    let help: Vec<&str> = help.lines().map(str::trim_end).collect();
    *out += &format!("\n## rather{command}\n\n```text\n{}\n```\n", help.join("\n").trim_end());
    for name in commands(&help.join("\n")) {
        sections(lab, &format!("{command} {name}"), out);
    }
}

#[test]
fn the_reference_is_what_help_prints() {
    let mut expected =
        "# Commands\n\nWhat `rather COMMAND --help` prints, the keys of `--json` included.\n".to_owned();
    sections(&Lab::new(), "", &mut expected);
    let page = root().join(REFERENCE);
    if std::env::var_os("RATHER_WRITE_BOOK").is_some() {
        fs::write(&page, &expected).unwrap();
    }
    let written = fs::read_to_string(&page).unwrap_or_default();
    assert!(
        written == expected,
        "{REFERENCE} is not what --help prints: run this test with RATHER_WRITE_BOOK=1"
    );
}

/// Formulas are rendered by one header, in the book and in the documentation of each crate that has some.
#[test]
fn formulas_have_their_header() {
    let header = fs::read_to_string(root().join("crates/rather/formulas.html")).unwrap();
    let copies = fs::read_dir(root().join("crates")).unwrap().map(|folder| folder.unwrap().path());
    let copies = copies.filter(|folder| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        manifest.contains("--html-in-header")
    });
    let copies: Vec<PathBuf> = copies.map(|folder| folder.join("formulas.html")).collect();
    assert!(copies.len() > 3);
    for copy in copies.into_iter().chain([root().join("docs/theme/head.hbs")]) {
        assert_eq!(fs::read_to_string(&copy).unwrap(), header, "{}", copy.display());
    }
}

//! The words that people read are those of the field: no help, message or page has one of an earlier vocabulary.

use crate::lab::Lab;
use std::fs;
use std::path::{Path, PathBuf};

/// Words and phrases that are not used, and what stands in their place.
const WORDS: [(&str, &str); 36] = [
    ("duel", "comparison"),
    ("duels", "comparisons"),
    ("opinion", "answer"),
    ("opinions", "answers"),
    ("said", "answered; outcome"),
    ("told", "given; reported"),
    ("tells", "reports; is informative"),
    ("heard", "processed"),
    ("hears", "processes"),
    ("response_model", "response model"),
    ("people who err", "response model"),
    ("advantage of the left", "position bias"),
    ("whole covariance", "full covariance"),
    ("held whole", "full covariance"),
    ("prior is held", "the prior has"),
    ("features of low rank", "low-rank covariance"),
    ("inducing item", "inducing point"),
    ("inducing items", "inducing points"),
    ("stand for all", "inducing points"),
    ("noises", "standard deviations of the noise"),
    ("believes", "assumes"),
    ("climb", "maximise"),
    ("climbs", "maximises"),
    ("by lot", "at random"),
    ("strangers", "exchangeable users; new users"),
    ("times or over", "log-sd"),
    ("more or less", "sd"),
    ("consensus", "pooled"),
    ("told of by", "given by"),
    ("taken back", "undone"),
    ("took back", "undone"),
    ("a taste that moves", "preferences that drift"),
    ("threesome", "triad"),
    ("threesomes", "triads"),
    ("as chance would have it", "consistent with chance"),
    ("nought", "0"),
];

/// Files of texts that nobody is shown, and why.
const EXCEPTIONS: [(&str, &str); 5] = [
    (
        "rather-study/src/store/migrations.rs",
        "SQL with names of columns in files that exist, which never changes",
    ),
    ("rather-study/src/store/rows.rs", "SQL with names of columns in files that exist"),
    ("rather-study/src/store/bring.rs", "SQL with names of columns in files that exist"),
    ("rather-studio/src/tables.rs", "SQL with comments"),
    ("rather-studio/src/pages/programs.rs", "commands with names of the API"),
];

/// The words of [`WORDS`] in a text.
fn found(text: &str) -> Vec<&'static str> {
    // What stands in braces is a name in the code.
    let shown: String = text
        .split('{')
        .enumerate()
        .map(|(i, part)| if i == 0 { part } else { part.split_once('}').map_or(part, |(_, rest)| rest) })
        .collect();
    let flat = shown.to_lowercase().replace("\\\n", " ");
    let words: Vec<&str> =
        flat.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let flat = format!(" {} ", words.join(" "));
    WORDS.iter().map(|(word, _)| *word).filter(|word| flat.contains(&format!(" {word} "))).collect()
}

/// One line a word that is wrong at `place`.
fn faults(place: &str, text: &str) -> Vec<String> {
    let better =
        |word: &str| WORDS.iter().find(|(known, _)| *known == word).map_or("", |(_, better)| *better);
    found(text)
        .into_iter()
        .map(|word| format!("{place}: \"{word}\" ({}) in: {}", better(word), text.trim()))
        .collect()
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of a folder and its folders with this ending.
pub(crate) fn files(folder: &Path, ending: &str, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, ending, out);
        } else if path.extension().is_some_and(|found| found == ending) {
            out.push(path);
        }
    }
}

/// The commands that a help lists.
pub(crate) fn commands(help: &str) -> Vec<String> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let named = list
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let name = |line: &str| line.split_whitespace().next().map(str::to_owned);
    named.filter_map(name).filter(|name| name != "help").collect()
}

#[test]
fn help_has_the_words_of_the_field() {
    let lab = Lab::new();
    let mut wrong = Vec::new();
    let mut open = vec![String::new()];
    let mut read = 0;
    while let Some(command) = open.pop() {
        let help = lab.text(&format!("{command} --help"));
        wrong.extend(help.lines().flat_map(|line| faults(&format!("rather{command} --help"), line)));
        open.extend(commands(&help).into_iter().map(|name| format!("{command} {name}")));
        read += 1;
    }
    assert!(read > 20, "{read} helps");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Prose: a page without code, whose names are those of classes and files.
pub(crate) fn prose(text: &str) -> String {
    let blocks = text.split("```").step_by(2).collect::<Vec<_>>().join("\n");
    blocks.lines().map(|line| line.split('`').step_by(2).collect::<String>() + "\n").collect()
}

#[test]
fn pages_have_the_words_of_the_field() {
    let mut wrong = Vec::new();
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    wrong.extend(readme.lines().flat_map(|line| faults("README.md", line)));
    let mut pages = ["python/README.md", "web/npm/README.md", "web/page/index.html"]
        .map(|page| root().join(page))
        .to_vec();
    files(&root().join("docs/src"), "md", &mut pages);
    assert!(pages.len() > 5);
    for page in pages {
        let text = prose(&fs::read_to_string(&page).unwrap());
        wrong.extend(text.lines().flat_map(|line| faults(&page.display().to_string(), line)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The texts in quotation marks of Rust code, without comments.
fn literals(code: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find(['"', '/', '\'']) {
        let here = &rest[at..];
        rest = if here.starts_with("//") {
            here.find('\n').map_or("", |end| &here[end..])
        } else if let Some(text) = here.strip_prefix('"') {
            let raw = rest[..at].ends_with("r#");
            let end = if raw { text.find("\"#") } else { end_of_text(text) };
            let Some(end) = end else { return out };
            out.push(text[..end].to_owned());
            &text[end + 1..]
        } else if here.starts_with("'\\") || here.chars().nth(2) == Some('\'') {
            // A character, not a lifetime.
            let skip: usize = here.chars().take(2).map(char::len_utf8).sum();
            here[skip..].find('\'').map_or("", |end| &here[skip + end + 1..])
        } else {
            &here[1..]
        };
    }
    out
}

/// Where a text ends: at a quotation mark without a backslash.
fn end_of_text(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends.then_some(at)
    })
}

#[test]
fn literals_are_found() {
    let code = "f('\"', \"a\\\"b\"); // \"no\"\nlet x: &'a str = r#\"c \"d\" e\"#; '\\''; \"last\"";
    assert_eq!(literals(code), ["a\\\"b", "c \"d\" e", "last"]);
    assert_eq!(found("The Duel, held\nwhole."), ["duel", "held whole"]);
}

/// Of every crate, what may be shown: texts of several words, outside of tests.
#[test]
fn messages_have_the_words_of_the_field() {
    let mut sources = Vec::new();
    for folder in fs::read_dir(root().join("crates")).unwrap() {
        files(&folder.unwrap().path().join("src"), "rs", &mut sources);
    }
    files(&root().join("python/src"), "rs", &mut sources);
    assert!(sources.len() > 300);
    sources.retain(|source| !EXCEPTIONS.iter().any(|(path, _)| source.ends_with(path)));
    let mut wrong = Vec::new();
    for source in sources {
        let code = fs::read_to_string(&source).unwrap();
        let code = code.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let texts = literals(code).into_iter().filter(|text| text.split_whitespace().count() > 2);
        wrong.extend(texts.flat_map(|text| faults(&source.display().to_string(), &text)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What scripts and files of the version before have is still understood.
#[test]
fn old_names_are_read() {
    let lab = Lab::new();
    let same = |old: &str, new: &str| {
        let fit = |flags: &str| lab.json(&format!("fit items.csv duels.csv --ties drop --quiet {flags}"));
        let (old, new) = (fit(old), fit(new));
        assert_eq!((&old["log_evidence"], &old["space"]), (&new["log_evidence"], &new["space"]));
        assert_eq!(old["representation"], new["representation"]);
    };
    same(
        "--kernel se --bias --units duel-noise --space duels --representation whole",
        "--kernel se --position-bias --units comparison-noise --space pairs --representation full",
    );
    same(
        "--kernel se --sparse 3 --inducing covering",
        "--kernel se --inducing-points 3 --inducing pivoted-cholesky",
    );
    assert_eq!(lab.json("fit items.csv duels.csv --model consensus --quiet")["model"], "pooled");
    lab.text("study new tea.study --items items.csv");
    let asked = lab.json("study ask tea.study --no-ahead");
    assert_eq!(asked["duel"], asked["comparison"]);
    lab.text("study tell tea.study left --duel 1");
    for hidden in ["--sparse", "--bias", "--duel", "duel-noise", "consensus", "whole"] {
        let help = lab.text("fit --help") + &lab.text("study tell --help");
        assert!(
            !help.split_whitespace().any(|word| word.trim_matches(['[', ']', ',', ':']) == hidden),
            "{hidden}"
        );
    }
}

/// Words that no public name of the library or of the Python package has as a part.
const NAMES: [&str; 17] = [
    "said",
    "told",
    "heard",
    "hear",
    "opinion",
    "duel",
    "duels",
    "whole",
    "held",
    "noises",
    "manner",
    "believe",
    "listen",
    "climb",
    "climbs",
    "consensus",
    "strangers",
];

/// Names of the file's public things: types, functions, modules, fields, variants.
fn public_names(text: &str) -> Vec<&str> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let kinds = ["const fn ", "fn ", "struct ", "enum ", "trait ", "type ", "const ", "static ", "mod "];
    let mut out = Vec::new();
    for line in code.lines() {
        let bare = line.trim_start();
        let variant = line.starts_with("    ") && !line.starts_with("     ");
        let rest = match bare.strip_prefix("pub ") {
            Some(rest) => kinds.iter().find_map(|kind| rest.strip_prefix(kind)).unwrap_or(rest),
            None if variant && bare.starts_with(|c: char| c.is_ascii_uppercase()) => bare,
            None => continue,
        };
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        out.push(&rest[..end]);
    }
    out
}

/// The parts of `a_name`, `AName` and `A_NAME`, in lower case.
fn parts(name: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut before = '_';
    for c in name.chars() {
        if c == '_' || (c.is_uppercase() && !before.is_uppercase()) {
            out.push(String::new());
        }
        if c != '_' {
            out.last_mut().unwrap().extend(c.to_lowercase());
        }
        before = c;
    }
    out
}

#[test]
fn public_names_have_the_words_of_the_field() {
    assert_eq!(parts("OnlyDuels"), ["", "only", "duels"]);
    let mut sources = Vec::new();
    files(&root().join("crates/rather/src"), "rs", &mut sources);
    let mut wrong = Vec::new();
    let mut read = 0;
    for path in sources {
        let text = fs::read_to_string(&path).unwrap();
        for name in public_names(&text) {
            read += 1;
            if parts(name).iter().any(|part| NAMES.contains(&part.as_str())) {
                wrong.push(format!("{}: {name}", path.display()));
            }
        }
    }
    let package = fs::read_to_string(root().join("python/rather/__init__.py")).unwrap();
    let exported = package.split("__all__ = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    let names = exported.split('"').filter(|name| name.starts_with(char::is_alphabetic));
    wrong.extend(
        names
            .filter(|name| parts(name).iter().any(|part| NAMES.contains(&part.as_str())))
            .map(|name| format!("python: {name}")),
    );
    assert!(read > 1_000, "{read} names");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

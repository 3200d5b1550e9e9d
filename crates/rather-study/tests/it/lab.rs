//! A folder with a study in it.

use rather_study::{Alternative, Answer, Ask, Asked, Definition, Study};
use std::path::PathBuf;

pub(crate) struct Lab {
    folder: tempfile::TempDir,
}

impl Lab {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn study(&self, definition: &Definition) -> Study {
        Study::create(&self.path("s.study"), "s", definition).unwrap()
    }

    /// The study again, as another process would have it.
    pub(crate) fn again(&self) -> Study {
        Study::open(&self.path("s.study"), None).unwrap()
    }
}

/// Items whose utility is their number.
pub(crate) fn numbered(n: usize) -> Definition {
    unhurried(Definition::of_items((0..n).map(|i| i.to_string())))
}

/// A definition whose questions are never cut short, however busy the machine is: what is cut short is drawn at random.
fn unhurried(definition: Definition) -> Definition {
    Definition { time_limit: 600.0, ..definition }
}

/// A space of a continuous, an integer and a categorical parameter.
pub(crate) fn mixed() -> Definition {
    let text = "[parameters]\nx = { type = \"float\", low = 0, high = 10 }\nn = { type = \"integer\", low = 1, high = 5 }\n\
                mode = { type = \"categorical\", choices = [\"a\", \"b\"] }\n";
    unhurried(rather_study::definition::read_toml_text(text, "mixed.toml".as_ref()).unwrap())
}

pub(crate) fn item(key: &str) -> Alternative {
    Alternative::Item(key.to_owned())
}

/// The duel that asking gives.
pub(crate) fn ask(study: &mut Study, participant: &str) -> Asked {
    match study.ask(participant).unwrap() {
        Ask::Duel(asked) => asked,
        Ask::Finished { .. } => panic!("no duel"),
    }
}

/// What somebody says who likes a high number, or x near 7 with mode b.
pub(crate) fn opinion(asked: &Asked) -> Answer {
    noisy_opinion(asked, 0.0)
}

/// The same where the left seems to be better by so much more.
pub(crate) fn noisy_opinion(asked: &Asked, noise: f64) -> Answer {
    let utility = |side: &Alternative| match side {
        Alternative::Item(key) => key.parse().unwrap_or(0.0),
        Alternative::Setting(setting) => {
            let x = setting.get("x").and_then(|x| x.number()).unwrap_or(0.0);
            let mode = setting.get("mode").map_or(0.0, |m| if m.to_string() == "b" { 1.0 } else { 0.0 });
            mode - (x - 7.0).abs()
        }
    };
    if utility(&asked.left) + noise > utility(&asked.right) { Answer::Left } else { Answer::Right }
}

//! The languages of participants' pages.
//!
//! A language is a file in `languages/`: what the pages say in English, and the same in that language; `{}` stands for what is put in. A new one is such a file, and a
//! line in `FILES`. What a file lacks is said in English.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Languages by their codes, with what they are called by those who speak them.
const FILES: [(&str, &str, &str); 4] = [
    ("de", "Deutsch", include_str!("languages/de.json")),
    ("es", "Español", include_str!("languages/es.json")),
    ("fr", "Français", include_str!("languages/fr.json")),
    ("ja", "日本語", include_str!("languages/ja.json")),
];

type Texts = BTreeMap<String, String>;

static ALL: LazyLock<BTreeMap<&str, Texts>> = LazyLock::new(|| {
    FILES.iter().map(|(code, _, text)| (*code, serde_json::from_str(text).unwrap_or_default())).collect()
});

static NONE: Texts = Texts::new();

/// Codes and names of all languages, English first.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    std::iter::once(("en", "English")).chain(FILES.iter().map(|(code, name, _)| (*code, *name)))
}

/// Whether there are pages in a language; English if none is named.
///
/// # Errors
/// The rest of the sentence that says which there are.
pub fn check(code: &str) -> Result<(), String> {
    if code.is_empty() || all().any(|(known, _)| known == code) {
        return Ok(());
    }
    let known: Vec<String> = all().map(|(code, _)| code.to_owned()).collect();
    Err(format!("there are no pages in {}; there are {}", rather_io::quote(code), rather_io::list(&known)))
}

/// What pages say in one language.
#[derive(Debug, Clone, Copy)]
pub struct Words(&'static Texts);

impl Words {
    /// Those of a language; English if there is no such.
    pub fn of(code: &str) -> Self {
        Self(ALL.get(code).unwrap_or(&NONE))
    }

    /// What is said in English, in this language.
    pub fn say<'a>(self, english: &'a str) -> &'a str
    where
        'static: 'a,
    {
        self.0.get(english).map_or(english, String::as_str)
    }

    /// The same with each `{}` replaced.
    pub fn fill(self, english: &str, values: &[&dyn std::fmt::Display]) -> String {
        values
            .iter()
            .fold(self.say(english).to_owned(), |text, value| text.replacen("{}", &value.to_string(), 1))
    }

    /// All that is not English, for scripts.
    pub fn texts(self) -> &'static BTreeMap<String, String> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// All that says something on participants' pages.
    const SOURCES: [&str; 14] = [
        include_str!("pages/duel.rs"),
        include_str!("pages/join.rs"),
        include_str!("pages/questions.rs"),
        include_str!("pages/reference.rs"),
        include_str!("pages/welcome.rs"),
        include_str!("turns.rs"),
        include_str!("assets/duel.js"),
        include_str!("assets/player.js"),
        include_str!("assets/reference.js"),
        include_str!("assets/sides.js"),
        include_str!("assets/volume.js"),
        include_str!("assets/zoom.js"),
        include_str!("assets/outbox.js"),
        include_str!("assets/picks.js"),
    ];

    #[test]
    fn every_language_says_all_that_pages_say() {
        let first: BTreeSet<&String> = ALL["de"].keys().collect();
        for (code, texts) in ALL.iter() {
            assert_eq!(texts.keys().collect::<BTreeSet<_>>(), first, "{code}");
            for (english, text) in texts {
                assert_eq!(english.matches("{}").count(), text.matches("{}").count(), "{code}: {english}");
            }
        }
        for english in first {
            let here = SOURCES.iter().any(|source| source.contains(&format!("\"{english}\"")));
            assert!(here, "nothing says \"{english}\" any more");
        }
    }

    #[test]
    fn what_no_language_has_is_english() {
        assert_eq!(Words::of("de").fill("Comparison {} of about {}", &[&3, &20]), "Vergleich 3 von etwa 20");
        assert_eq!(Words::of("").fill("Comparison {}", &[&3]), "Comparison 3");
        assert_eq!(Words::of("de").say("No such text"), "No such text");
        assert!(check("ja").is_ok() && check("").is_ok());
        assert!(check("xx").unwrap_err().starts_with("there are no pages in \"xx\"; there are \"en\""));
    }
}

//! The reference of a study: what may be heard or seen beside the options of every comparison, and is never an answer.

use rather_study::definition::Subject;
use rather_study::{Alternative, Definition, Setting};
use serde::{Deserialize, Serialize};

/// What the reference is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Reference {
    /// The name of an uploaded file, or a web address.
    File(String),
    /// A setting of the study's parameters.
    Setting(Setting),
}

impl Reference {
    /// What a text means: a setting, written as `gain = 5`, if the study has parameters and there is such a sign, else a file; none if it is empty.
    ///
    /// # Errors
    /// The sentence that says why it is no setting.
    pub fn read(text: &str, definition: &Definition) -> Result<Option<Self>, String> {
        let is_setting = matches!(definition.subject, Subject::Parameters(_)) && text.contains('=');
        // An address may have such a sign, too.
        if !is_setting || text.contains("://") {
            return Ok(Some(Self::File(text.to_owned())).filter(|_| !text.is_empty()));
        }
        match definition.parse(text)? {
            Alternative::Setting(setting) => Ok(Some(Self::Setting(setting))),
            Alternative::Item(_) => Ok(None),
        }
    }

    /// The same in the form of the study.
    ///
    /// # Errors
    /// The sentence that says why a study of this definition cannot have it.
    pub fn of_study(self, definition: &Definition) -> Result<Self, String> {
        match self {
            Self::File(name) if name.is_empty() => {
                Err("it is empty; name a file or a setting, or remove it".to_owned())
            }
            Self::File(name) => Ok(Self::File(name)),
            Self::Setting(setting) => match definition.normalised(&Alternative::Setting(setting))? {
                Alternative::Setting(setting) => Ok(Self::Setting(setting)),
                Alternative::Item(key) => Ok(Self::File(key)),
            },
        }
    }

    /// The file, if it is one.
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::File(name) => Some(name),
            Self::Setting(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rather_study::definition::read_toml_text;

    #[test]
    fn settings_are_told_from_files() {
        let text = "[parameters]\ngain = { type = \"float\", low = 0, high = 9 }\n";
        let gains = read_toml_text(text, std::path::Path::new("test")).unwrap();
        let items = Definition::of_items(["a", "b"]);
        let file = |name: &str| Ok(Some(Reference::File(name.to_owned())));
        assert_eq!(Reference::read("", &gains), Ok(None));
        assert_eq!(Reference::read("a=1.wav", &items), file("a=1.wav"));
        assert_eq!(Reference::read("https://x/?a=1", &gains), file("https://x/?a=1"));
        let Ok(Some(Reference::Setting(setting))) = Reference::read("gain = 3", &gains) else {
            panic!("a setting")
        };
        assert_eq!(setting.to_string(), "gain = 3");
        assert!(Reference::read("gain = 10", &gains).unwrap_err().contains("must be"));
        let there = Reference::Setting(setting);
        assert_eq!(there.clone().of_study(&gains), Ok(there.clone()));
        assert!(there.of_study(&items).unwrap_err().contains("compares items"));
        assert!(Reference::File(String::new()).of_study(&items).unwrap_err().starts_with("it is empty"));
    }
}

//! How a study is shown: the part of its definition that means nothing to the engine.
//!
//! In a study's TOML file it is the table `[presentation]`:
//!
//! ```toml
//! [presentation]
//! blind = false              # tell settings and names (default: true)
//! restart = true             # a sound starts anew at each switch (default: false)
//! loudness = true            # play both sounds of a comparison equally loud (default: false)
//! hear_both = false          # take answers before both sounds were played (default: true)
//! renderer = "suppressor"    # or "command"; without one, values or media of items are shown
//! media = "file"             # the items' column that holds a URL or the name of an upload
//! units = { floor = "dB" }   # written after values
//! reference = "original.wav" # heard or seen beside every comparison: an upload, a URL, or a setting such as { floor = -60 }
//! repeats = 10               # every tenth comparison repeats an earlier one, sides exchanged (default: 0, never)
//! instructions = "..."       # read first by participants who come by a link; `consent` must be agreed to
//! questionnaire = [{ question = "Your age?" }, { question = "Headphones?", choices = ["yes", "no"] }]   # asked at the end
//! thanks = "..."             # read at the end; `redirect = "https://..."` leads on
//! training = 3               # comparisons of each participant at the beginning that do not count (default: 0)
//! volume_check = true        # before the first comparison, a sound to set the volume by, and a test for headphones (default: false)
//! language = "de"            # of participants' pages: en, de, es, fr or ja (default: en)
//! webhook = "http://127.0.0.1:9000/answers"   # each answer is reported there by a POST of JSON
//! catches = 20               # every twentieth comparison has the same on both sides (default: 0, never)
//! ```

use std::collections::BTreeMap;

use crate::questionnaire::Question;
use crate::reference::Reference;
use crate::view::{AnswerKind, SetQuestion};
use rather_study::Definition;
use rather_study::definition::Answers;
use serde::{Deserialize, Serialize};

/// How a study is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Presentation {
    /// Whether sides are called A and B and nothing is told about them.
    pub blind: bool,
    /// Whether "no preference" is offered where it may be answered. A study says what it takes by `answers`; those made before it could
    /// say so have this.
    pub ties: bool,
    /// Whether a sound starts from its beginning at each switch.
    pub restart: bool,
    /// Whether both sounds of a duel are played equally loud.
    pub loudness: bool,
    /// Whether both sounds of a duel must have been played before an answer is taken.
    pub hear_both: bool,
    /// What turns settings into media: `suppressor` or `command`.
    pub renderer: Option<String>,
    /// The sound that the suppressor works on: an upload's name; its own if `None`.
    pub clip: Option<String>,
    /// The items' column of media.
    pub media: Option<String>,
    /// What may be heard or seen beside every comparison.
    pub reference: Option<Reference>,
    /// Units of parameters, by name.
    pub units: BTreeMap<String, String>,
    /// Every how many duels an earlier one is asked again; 0 for never.
    pub repeats: u32,
    /// Every how many duels both sides are the same; 0 for never.
    pub catches: u32,
    /// How many comparisons at the beginning only show a participant what to do.
    pub training: u32,
    /// Whether participants who come by a link set the volume first, and are tested for headphones.
    pub volume_check: bool,
    /// What participants who come by a link are asked at the end.
    pub questionnaire: Vec<Question>,
    /// What participants who come by a link read first.
    pub instructions: String,
    /// What they must agree to first; nothing if empty.
    pub consent: String,
    /// What they read at the end.
    pub thanks: String,
    /// The address to which they go on at the end; none if empty.
    pub redirect: String,
    /// The code of the language of participants' pages; English if empty.
    pub language: String,
    /// The URL of the webhook, to which each answer is sent; none if empty.
    pub webhook: String,
    /// Whether nobody may answer for now.
    pub paused: bool,
    /// Whether the study came with the program, to try.
    pub demo: bool,
}

impl Default for Presentation {
    fn default() -> Self {
        Self {
            blind: true,
            ties: true,
            restart: false,
            loudness: false,
            hear_both: true,
            renderer: None,
            clip: None,
            media: None,
            reference: None,
            units: BTreeMap::new(),
            repeats: 0,
            catches: 0,
            training: 0,
            volume_check: false,
            questionnaire: Vec::new(),
            instructions: String::new(),
            consent: String::new(),
            thanks: String::new(),
            redirect: String::new(),
            language: String::new(),
            webhook: String::new(),
            paused: false,
            demo: false,
        }
    }
}

impl Presentation {
    /// What a definition says about it.
    ///
    /// # Errors
    /// The sentence that says which entry cannot be read.
    pub fn of(definition: &Definition) -> Result<Self, String> {
        let value = serde_json::Value::Object(definition.presentation.clone());
        let mut read: Self =
            serde_json::from_value(value).map_err(|e| format!("[presentation] cannot be read: {e}"))?;
        for (name, every) in [("repeats", read.repeats), ("catches", read.catches)] {
            check_every(every).map_err(|e| format!("[presentation] {name}: {e}"))?;
            check_beside_sets(definition, every > 0, name)?;
        }
        check_training(read.training).map_err(|e| format!("[presentation] training: {e}"))?;
        check_beside_sets(definition, read.training > 0, "training")?;
        crate::questionnaire::check(&read.questionnaire)
            .map_err(|e| format!("[presentation] questionnaire: {e}"))?;
        crate::languages::check(&read.language).map_err(|e| format!("[presentation] language: {e}"))?;
        crate::webhook::check(&read.webhook).map_err(|e| format!("[presentation] webhook: {e}"))?;
        let reference = read.reference.map(|reference| reference.of_study(definition)).transpose();
        read.reference = reference.map_err(|e| format!("[presentation] reference: {e}"))?;
        check_redirect(&read.redirect).map_err(|e| format!("[presentation] redirect: {e}"))?;
        for (name, given) in [("restart", read.restart), ("loudness", read.loudness)] {
            check_beside_sets(definition, given, name)?;
        }
        Ok(read)
    }

    /// What is offered as an answer to a comparison of two, in its order.
    pub fn answers(&self, definition: &Definition) -> Vec<AnswerKind> {
        let offered = |kind: &AnswerKind| self.ties || *kind != AnswerKind::Tie;
        let of_two = definition.takes().into_iter().filter(|answer| answer.strength().is_some());
        let mut offered: Vec<AnswerKind> = of_two.filter_map(AnswerKind::of).filter(offered).collect();
        // From all for the left side to all for the right one.
        offered.sort_by_key(|kind| -rather_study::Answer::from(*kind).strength().unwrap_or(0));
        offered
    }

    /// What is asked of a set of options, if questions are about sets.
    pub fn set(definition: &Definition) -> Option<SetQuestion> {
        match definition.answers {
            Answers::Best => Some(SetQuestion::Best),
            Answers::BestAndWorst => Some(SetQuestion::BestAndWorst),
            Answers::Sides | Answers::Ties | Answers::Graded | Answers::Numbers(_) => None,
        }
    }

    /// Whether participants read, agree to, or set something before the first comparison.
    pub fn welcomes(&self) -> bool {
        !self.instructions.is_empty() || !self.consent.is_empty() || self.volume_check
    }

    /// The entries to keep in a definition: those that are not as usual.
    pub fn entries(&self) -> serde_json::Map<String, serde_json::Value> {
        let all = |p: &Self| match serde_json::to_value(p) {
            Ok(serde_json::Value::Object(entries)) => entries,
            _ => serde_json::Map::new(),
        };
        let usual = all(&Self::default());
        all(self).into_iter().filter(|(key, value)| usual.get(key) != Some(value)).collect()
    }
}

/// Whether an address may be where participants go on to.
///
/// # Errors
/// The rest of the sentence that says what is wrong.
pub fn check_redirect(address: &str) -> Result<(), String> {
    let web = ["https://", "http://"]
        .iter()
        .any(|scheme| address.len() > scheme.len() && address.starts_with(scheme));
    let plain = address.bytes().all(|b| b.is_ascii_graphic() && b != b'"');
    if address.is_empty() || (web && plain) {
        return Ok(());
    }
    Err(format!(
        "{} is no address of the web; write one that begins with https://",
        rather_io::quote(address)
    ))
}

/// Whether `name`, if it is given, goes with questions of this study.
///
/// # Errors
/// If these are about sets, and `name` is for two sides.
fn check_beside_sets(definition: &Definition, given: bool, name: &str) -> Result<(), String> {
    if !(given && definition.is_of_sets()) {
        return Ok(());
    }
    let options = definition.options;
    Err(format!("[presentation] {name} is for comparisons of two; remove it with options = {options}"))
}

/// Whether so many comparisons may be training.
///
/// # Errors
/// If these are too many to be meant.
pub fn check_training(training: u32) -> Result<(), String> {
    const MOST: u32 = 100;
    if training > MOST {
        return Err(format!("{training} comparisons of training are more than {MOST}; write fewer"));
    }
    Ok(())
}

/// Whether there can be a check every `every` duels.
///
/// # Errors
/// If there would be nothing but checks.
pub fn check_every(every: u32) -> Result<(), String> {
    match every {
        1 => Err("a check at every comparison leaves nothing to learn from; write 2 or more, or 0 for none"
            .to_owned()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_what_was_said() {
        let mut definition = Definition::of_items(["a", "b"]);
        assert_eq!(Presentation::of(&definition), Ok(Presentation::default()));
        assert!(Presentation::default().entries().is_empty());
        let said =
            Presentation { blind: false, repeats: 5, media: Some("file".into()), ..Presentation::default() };
        definition.presentation = said.entries();
        assert_eq!(definition.presentation.len(), 3);
        assert_eq!(Presentation::of(&definition), Ok(said));
        definition.presentation.insert("catches".into(), 1.into());
        assert!(Presentation::of(&definition).unwrap_err().contains("leaves nothing to learn from"));
        let mut sets = Definition::of_items(["a", "b", "c"]).asking(3, Answers::Best);
        assert_eq!(
            (Presentation::default().answers(&sets), Presentation::set(&sets)),
            (vec![], Some(SetQuestion::Best))
        );
        sets.presentation.insert("repeats".into(), 5.into());
        let sentence = "[presentation] repeats is for comparisons of two; remove it with options = 3";
        assert_eq!(Presentation::of(&sets).unwrap_err(), sentence);
        definition.presentation.insert("repeats".into(), "often".into());
        assert!(Presentation::of(&definition).unwrap_err().contains("cannot be read"));
    }
}

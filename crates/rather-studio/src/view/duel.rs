//! What the page of a comparison shows, and what `ask` and `tell` answer.

use super::AnswerKind;
use rather_study::Alternative;
use serde::{Deserialize, Serialize};

/// What is to be seen or heard of an alternative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaView {
    /// Of which kind it is.
    pub kind: MediaKind,
    /// Where it is fetched, `/media/...`; always there but for a text.
    pub url: Option<String>,
    /// The text itself.
    pub text: Option<String>,
}

/// The kinds of media.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MediaKind {
    /// A sound that the browser decodes (WAV).
    Audio,
    /// A picture.
    Image,
    /// Plain text.
    Text,
    /// A video.
    Video,
    /// A document, shown in a frame of its own.
    Pdf,
    /// A page, shown without scripts in a frame of its own.
    Html,
}

/// The value of a parameter, as people read it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ParameterView {
    /// The parameter.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The unit, or nothing.
    pub unit: String,
}

/// What the options of a comparison share: a column of the list and its value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ContextView {
    /// The column.
    pub name: String,
    /// The value that all options have in it.
    pub value: String,
    /// The unit, or nothing.
    pub unit: String,
    /// What is to be seen or heard in the value's place, where it is a file.
    pub media: Option<MediaView>,
}

/// One side of a duel.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AlternativeView {
    /// What it is called here: `A` or `B` in a blind study, else the item's name if it has one.
    pub label: String,
    /// What is to be seen or heard, if anything.
    pub media: Option<MediaView>,
    /// Its setting; empty in a blind study.
    pub parameters: Vec<ParameterView>,
    /// What it is, for programs: numbers as numbers. Participants are not told in a blind study.
    pub alternative: Option<Alternative>,
}

/// A duel that waits for its answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DuelView {
    /// Its number in the study, which an answer names.
    pub duel: u32,
    /// Which one it is for this participant, from 1.
    pub number: usize,
    /// About how many there will be, if that is known.
    pub about_total: Option<usize>,
    /// Whether it only shows what to do: the answer does not count.
    pub training: bool,
    /// What is asked.
    pub question: String,
    /// What the options share, which stands above them.
    pub context: Option<ContextView>,
    /// What may be heard or seen beside the options, and is no answer.
    #[serde(default)]
    pub reference: Option<AlternativeView>,
    /// Why it cannot be answered, but only be skipped or tried again: a side cannot be shown.
    pub blocked: Option<String>,
    /// About how many seconds it takes until both sides can be shown, where somebody would notice.
    #[serde(default)]
    pub wait: Option<u64>,
    /// One side; of a set the first option.
    pub left: AlternativeView,
    /// The other side; of a set the second option.
    pub right: AlternativeView,
    /// The further options of a set.
    pub others: Vec<AlternativeView>,
}

impl DuelView {
    /// All options, in the order in which they are shown.
    pub fn options(&self) -> impl Iterator<Item = &AlternativeView> {
        [&self.left, &self.right].into_iter().chain(&self.others)
    }
}

/// The letter by which the option of this number, from 0, is called: `A`, `B` and so on.
pub fn letter(option: usize) -> String {
    u8::try_from(option).map_or_else(|_| String::new(), |option| char::from(b'A' + option % 26).to_string())
}

/// Where a participant stands: what `ask`, `tell`, `skip` and `undo` answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Turn {
    /// Whether the answer was written down: by this request, or by an earlier one with the same key.
    pub recorded: bool,
    /// The duel to show; `None` if there are no more.
    pub next: Option<DuelView>,
    /// How many answers this participant has given.
    pub answers: usize,
    /// Whether there is an answer (or a skip) to take back.
    pub can_undo: bool,
    /// Whether the participant is asked no more.
    pub finished: bool,
    /// Why one might stop now: a sentence, or nothing while asking is worth it.
    pub advice: Option<String>,
    /// Whether the study is paused: there is nothing to answer for now.
    pub paused: bool,
}

/// What may be shown next, so that it is fetched early.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ahead {
    /// Paths of media.
    pub soon: Vec<String>,
    /// Whether there is no more to come: else ask again in a moment.
    pub complete: bool,
}

/// How a duel is shown, besides what it shows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DuelStyle {
    /// Whether sides are called A and B and nothing about them is told.
    pub blind: bool,
    /// What may be answered to a comparison of two, in the order in which it is offered.
    pub answers: Vec<AnswerKind>,
    /// What is asked of a set of options; `None` where two are compared.
    pub set: Option<SetQuestion>,
    /// Whether a sound starts from its beginning at each switch, instead of going on at the same place.
    pub restart: bool,
    /// Whether both sounds are played equally loud: the louder one is turned down.
    pub loudness: bool,
    /// Whether both sounds must have been played before an answer is taken.
    pub hear_both: bool,
}

impl DuelStyle {
    /// Whether it is asked how much better.
    pub fn is_graded(&self) -> bool {
        self.answers.contains(&AnswerKind::MuchLeft)
    }

    /// Whether it is asked by how much, as a number.
    pub fn is_of_numbers(&self) -> bool {
        self.answers.iter().any(|answer| matches!(answer, AnswerKind::LeftBy(_)))
    }
}

/// What is asked of a set of options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SetQuestion {
    /// The best one.
    Best,
    /// The best one and the worst one.
    #[serde(rename = "best and worst")]
    BestAndWorst,
}

/// The page of a duel.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DuelPage {
    /// The study's id; the pages of participants do not show it.
    pub study: String,
    /// The study's title.
    pub title: String,
    /// Who answers.
    pub participant: String,
    /// The path of this page, `/studies/{id}/duel` or `/p/{token}`. Without scripts, its form is posted there
    /// (`csrf`, `duel`, `key`, `action` = the name of an answer, `skip` or `undo`) and answered by a redirect to it.
    pub page: String,
    /// The path under which `ask`, `tell`, `skip` and `undo` are: `/api/v1/studies/{id}` or `/p/{token}`. Scripts post JSON
    /// there, with [`Frame::csrf`](super::Frame::csrf) in the header `x-csrf-token`.
    pub api: String,
    /// Where the result is, if whoever answers may see it.
    pub result: Option<String>,
    /// Where the panel beside the comparison is, if whoever answers may see what was learned.
    pub panel: Option<String>,
    /// Where a participant is asked questions at the end, if they are not answered yet.
    pub questions: Option<String>,
    /// What a participant reads at the end; nothing if empty.
    pub thanks: String,
    /// Where a participant goes on to at the end; nowhere if empty.
    pub redirect: String,
    /// What pages say in another language than English, for scripts.
    pub words: std::collections::BTreeMap<String, String>,
    /// How duels are shown.
    pub style: DuelStyle,
    /// Where the participant stands.
    pub turn: Turn,
}

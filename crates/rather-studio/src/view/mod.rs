//! What pages show and the API tells: plain data, between the studies and whoever reads.
//!
//! Pages take these and nothing else, so that a page can be drawn from made-up data and the API tells no more and no less
//! than a page shows. All types are serialised as they stand; times are RFC 3339 in UTC.

mod agreement;
mod duel;

pub use self::agreement::*;
pub use self::duel::*;
pub use crate::answer_kind::AnswerKind;
use rather_study::Alternative;
use serde::{Deserialize, Serialize};

/// A study in a list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StudySummary {
    /// Its name in addresses: letters, digits and `-`.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// What is compared.
    pub kind: StudyKind,
    /// How many parameters or items it has.
    pub size: usize,
    /// How many answers it has, without those taken back.
    pub answers: usize,
    /// How many participants have answered.
    pub participants: usize,
    /// How many answers it asks for, of everyone who is named or has answered; `None` if it has no end.
    pub wanted: Option<usize>,
    /// When the last answer was given, if there is one.
    pub last: Option<String>,
    /// Whether nobody may answer for now.
    pub paused: bool,
    /// When it was made.
    pub created: String,
    /// Whether it came with the program, to try.
    pub demo: bool,
}

/// A study that was archived: neither shown nor answered until it is restored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ArchivedStudy {
    /// Its name in addresses.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// How many answers it has.
    pub answers: usize,
}

/// What a study compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StudyKind {
    /// Settings of parameters.
    #[default]
    Parameters,
    /// Items of a list.
    Items,
}

/// Who may answer a study, and the link by which they do.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ParticipantView {
    /// Their name.
    pub name: String,
    /// How many answers they gave.
    pub answers: usize,
    /// The path of their own page, `/p/...`; `None` where it may not be shown (again).
    pub link: Option<String>,
    /// Whether they have a link.
    pub invited: bool,
    /// When they answered last.
    pub last: Option<String>,
    /// How many comparisons they answered again, and how many of them alike.
    pub repeats: (usize, usize),
}

/// What was learned so far, as it stands beside a comparison.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PanelView {
    /// How many answers that rests on.
    pub answers: usize,
    /// The recommendation; `None` before the first answer.
    pub best: Option<BestView>,
    /// How sure that is.
    pub certainty: Option<Certainty>,
    /// What was learned of parameters.
    pub picture: Option<crate::figures::picture::Picture>,
    /// The best items of a list.
    pub ranking: Vec<RankedView>,
    /// The comparison whose options are marked: the open one, or the last one where the open one is compared blind.
    pub pair: Vec<Alternative>,
    /// Whether that is the open one.
    pub pair_is_open: bool,
}

/// What a participant reads before the first comparison.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WelcomePage {
    /// The study's title.
    pub title: String,
    /// What is read first.
    pub instructions: String,
    /// What is agreed to.
    pub consent: String,
    /// Whether the volume is set first, and headphones are tested for.
    pub volume_check: bool,
    /// Where the form is sent.
    pub begin: String,
}

/// What a participant is asked at the end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct QuestionsPage {
    /// The study's title.
    pub title: String,
    /// The questions.
    pub questions: Vec<crate::questionnaire::Question>,
    /// Where the form is sent.
    pub send: String,
}

/// The page on which somebody joins a study.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct JoinPage {
    /// The study's title.
    pub title: String,
    /// Where the form is sent; `None` if nobody can join any more.
    pub join: Option<String>,
}

/// Links to a study that are nobody's own, as far as the operator sees them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DoorsView {
    /// How many may join by the open link, if there is one.
    pub quota: Option<u32>,
    /// The path of the open link, while it may be shown.
    pub join: Option<String>,
    /// Whether there is a link that shows this result.
    pub shared: bool,
    /// The path of that link, while it may be shown.
    pub share: Option<String>,
    /// How many participants have answered questions at the end.
    pub remarks: usize,
}

/// The page that asks who answers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WhoPage {
    /// The study's title.
    pub title: String,
    /// Names, numbers of answers, and paths of the comparisons of each.
    pub participants: Vec<(String, usize, String)>,
}

/// What a study has found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ResultView {
    /// The study.
    pub study: StudySummary,
    /// Grows with every answer, skip and undo: while it stays, the result does.
    pub changes: u64,
    /// What was asked.
    pub question: String,
    /// Everyone who answers, for a choice of whose result is shown.
    pub participants: Vec<ParticipantView>,
    /// How many of them come before the part that the page shows.
    #[serde(skip)]
    pub people_offset: usize,
    /// Whose result this is; `None` if all answers are learned from together.
    pub participant: Option<String>,
    /// The recommendation; `None` before the first answer.
    pub best: Option<BestView>,
    /// How sure that is.
    pub certainty: Option<Certainty>,
    /// What was learned of parameters, for the page to draw; programs ask for the posterior instead.
    #[serde(skip)]
    pub picture: Option<crate::figures::picture::Picture>,
    /// Whether whoever reads may take answers back, end the study, and see participants' links.
    pub may_change: bool,
    /// Under which origin others reach the studio; `None` if it answers on its own machine only, so that links open nowhere else.
    pub origin: Option<String>,
    /// Links that are nobody's own, for the page.
    #[serde(skip)]
    pub doors: DoorsView,
    /// How many answers a participant gives; `None` if there is no end.
    pub comparisons: Option<u32>,
    /// The URL of the webhook, for the page.
    #[serde(skip)]
    pub webhook: String,
    /// Where the study can be taken away to: a name each (`CSV`) and its path.
    pub exports: Vec<(String, String)>,
    /// The figures that can be drawn, in the order to show them.
    pub figures: Vec<FigureView>,
    /// Items by utility, or settings that were compared, the best first: the part of them that was asked for.
    pub ranking: Vec<RankedView>,
    /// How many come before that part.
    pub ranking_offset: usize,
    /// How many there are in all.
    pub ranking_total: usize,
    /// The options of the next question, if that is decided.
    pub next: Option<Vec<AlternativeView>>,
    /// Whether answers say how much better.
    pub graded: bool,
    /// The answers, the last first: the part of them that was asked for.
    pub history: Vec<AnswerView>,
    /// How many answers come before that part.
    pub history_offset: usize,
    /// How many there are in all, those taken back too.
    pub history_total: usize,
    /// How well the answers fit together.
    pub consistency: Option<Consistency>,
    /// What is worth knowing: sentences.
    pub notes: Vec<String>,
}

/// The recommendation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BestView {
    /// What it is, for programs.
    pub alternative: Option<Alternative>,
    /// The item's name, or `None` for a setting.
    pub item: Option<String>,
    /// The setting, or the item's features.
    pub parameters: Vec<ParameterView>,
    /// What there is to see or hear of it.
    pub media: Option<MediaView>,
    /// The text that is copied: `floor = -12.5` or the item's name.
    pub copy: String,
    /// The recommendation in words, as finely as it is known: `−14 dB`.
    pub value: String,
    /// What else is about as good: `anything from −20 to −8 dB is about as good`, or nothing.
    pub others: String,
}

/// How sure a recommendation is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Certainty {
    /// The probability that nothing is better by more than a just noticeable difference.
    pub probability: Option<f64>,
    /// Of an item of a list, the probability that it is the very best.
    pub probability_best: Option<f64>,
    /// The expected loss against the true best, in units of the duel noise.
    pub expected_regret: Option<f64>,
    /// The loss that is not exceeded with a probability of 90 %.
    pub regret_at_most: Option<f64>,
    /// About how many more answers until stopping is advised; `Some(0)` if it is now.
    pub more: Option<usize>,
    /// Whether stopping is advised.
    pub settled: bool,
    /// All that as one sentence.
    pub sentence: String,
}

/// A figure that can be drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FigureView {
    /// Its kind, as in its address: `utility`, `acquisition`, `choices`, `map`, `ranking`, or `slice-1`, ...
    pub kind: String,
    /// Its heading.
    pub title: String,
    /// What it shows, in words, for who does not see it.
    pub text: String,
    /// Its path without a query; it takes `width`, `theme` (`light` or `dark`) and `v` (to fetch it anew).
    pub url: String,
}

/// An alternative in a ranking.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RankedView {
    /// The item's name, or the setting in one line.
    pub label: String,
    /// Mean utility.
    pub mean: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Whether it was compared; if not, this is a prediction.
    pub compared: bool,
    /// What it is, for programs.
    pub alternative: Option<Alternative>,
}

/// An answer in the history.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AnswerView {
    /// The duel's number in the study.
    pub duel: u32,
    /// When it was given.
    pub time: String,
    /// Who gave it.
    pub participant: String,
    /// The left side in one line.
    pub left: String,
    /// The right side in one line.
    pub right: String,
    /// The further options of a set, in one line each.
    pub others: Vec<String>,
    /// All options, for programs.
    pub options: Vec<Alternative>,
    /// What was said: `None` for a skipped duel.
    pub answer: Option<AnswerKind>,
    /// Whether it was taken back.
    pub undone: bool,
    /// Whether it was asked to check consistency: a repeat, or a catch trial.
    pub check: bool,
    /// Whether it can be taken back now.
    pub can_undo: bool,
}

/// How well the answers fit together: repeated questions, catch trials, and what can be told without them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Consistency {
    /// How many repeats were answered.
    pub repeats: usize,
    /// How many of them agree with the first answer.
    pub agreed: usize,
    /// How many catch trials (the same on both sides) were answered.
    pub catches: usize,
    /// How many of them with "no preference".
    pub passed: usize,
    /// All that is known about how the answers fit together, a sentence each.
    pub sentences: Vec<String>,
}

/// The first page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HomePage {
    /// The studies, the last used first.
    pub studies: Vec<StudySummary>,
    /// Those that were archived.
    pub archived: Vec<ArchivedStudy>,
    /// The file that keeps them, as a person would name it.
    pub data: String,
    /// What was done, if something was: a sentence.
    pub notice: Option<String>,
    /// The largest file that can be brought back, in bytes.
    pub largest: usize,
}

/// The page on which a study is made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NewStudyPage {
    /// What was typed so far.
    pub form: crate::form::StudyForm,
    /// What is wrong with it.
    pub errors: Vec<FieldError>,
    /// The names of the renderers that the operator configured.
    pub commands: Vec<String>,
    /// The largest upload, in bytes.
    pub largest_upload: usize,
    /// The largest file of it, in bytes.
    pub largest_file: usize,
}

/// The page about the API.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ProgramsPage {
    /// The address of the API.
    pub api: String,
    /// A study to try it on.
    pub study: String,
    /// Whether the studio asks for a token.
    pub token: bool,
}

/// Something wrong with a field of a form.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FieldError {
    /// The field's name in the form; empty if it is the form as a whole.
    pub field: String,
    /// One sentence: what is wrong and what to do.
    pub error: String,
    /// The uploaded file that it is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// What is around every page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Frame {
    /// Who reads.
    pub reader: Reader,
    /// The token that forms and scripts send back, against forged requests.
    pub csrf: String,
    /// Whether there is a session to end.
    pub can_sign_out: bool,
    /// The code of the page's language; English if empty.
    pub language: String,
}

/// Who reads a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reader {
    /// Whoever runs the program: sees everything.
    Operator,
    /// Whoever came by a participant's link: sees that study's duels only.
    Participant,
    /// Nobody known yet.
    #[default]
    Visitor,
}

/// A failure, as a page shows it and the API tells it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Failure {
    /// One sentence: what is wrong and what to do.
    pub error: String,
    /// A word for programs: `not_found`, `invalid`, ...
    pub code: String,
}

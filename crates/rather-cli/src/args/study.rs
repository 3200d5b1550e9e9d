//! The command line of `rather study`.

use clap::{Args, Subcommand};
use rather::acquisition::Acquisition;
use rather::design::Opponent;
use rather_study::Format;
use rather_study::definition::Answers;
use std::path::PathBuf;

/// Run a study: ask for comparisons, keep the answers, find the best
#[derive(Debug, Args)]
#[command(after_help = "Example:
  rather study new tea.study --items teas.csv
  rather study run tea.study

or, for programs:
  rather study ask tea.study --json
  rather study tell tea.study left --comparison 1 --json
  rather study best tea.study --json

A study is one file. Every answer is on the disk before `tell` returns, nothing
is ever overwritten, and several programs of one machine may use the file at the
same time; while one does, FILE-wal may hold the last answers, so make copies
with `rather study backup`.
The same answers give the same comparisons.")]
pub(crate) struct StudyArgs {
    #[command(subcommand)]
    pub(crate) command: StudyCommand,
}

/// What to do with a study.
#[derive(Debug, Subcommand)]
pub(crate) enum StudyCommand {
    New(NewArgs),
    Ask(AskArgs),
    Tell(TellArgs),
    Skip(SkipArgs),
    Undo(UndoArgs),
    Best(BestArgs),
    Status(StatusArgs),
    Export(ExportArgs),
    Import(ImportArgs),
    Backup(BackupArgs),
    Check(StudyCheckArgs),
    Run(RunArgs),
}

/// Which study of which file, and who answers.
#[derive(Debug, Args)]
pub(crate) struct Which {
    /// File of the study
    pub(crate) file: PathBuf,
    /// Which study, if the file holds several
    #[arg(long, value_name = "NAME")]
    pub(crate) study: Option<String>,
    /// Who answers [default: the only participant, or "me"]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) participant: Option<String>,
}

/// Make a study
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  rather study new tea.study --items teas.csv --question 'Which would you drink?'
  rather study new hearing.study --parameter 'gain=float(0,20)' \\
      --parameter 'ratio=float(1,10,log)' --parameter 'mode=categorical(a,b)'
  rather study new hearing.study --from hearing.toml

hearing.toml
  title = \"Hearing aid\"
  question = \"Which sounds better?\"
  seed = 1
  time_limit = 1.0               # seconds that choosing a comparison may take
  options = 2                    # of a list of items up to 12, of which to tell the best
  answers = \"ties\"               # \"sides\": one must be chosen; \"graded\": also much better;
                                 # \"difference\": by how much, from 3 (left) to -3;
                                 # of more than two options \"best\", \"best and worst\"
  ties = \"learn\"                 # a tie is a difference too small to notice; \"both\":
                                 # half a comparison each way; \"drop\": nothing
  within = \"prompt\"              # a column of items: compare those with the same value
  half_life = 50                 # an answer counts half after 50 others
  inference = \"ep\"               # or \"streaming\", and drift = 200 if preferences
                                 # drift: the correlation halves in so many answers
  [parameters]                   # or: items = [\"a\", \"b\"], items = \"items.csv\"
  gain = { type = \"float\", low = 0, high = 20, step = 0.5 }
  ratio = { type = \"float\", low = 1, high = 10, scale = \"log\" }
  taps = { type = \"integer\", low = 1, high = 8 }
  mode = { type = \"categorical\", choices = [\"a\", \"b\"] }
  [participants]
  names = [\"ann\", \"bob\"]         # anyone if left out
  model = \"separate\"             # \"together\": one pooled model;
                                 # \"collaborative\": one each, which share information
  [policy]
  acquisition = \"bald-improvement\" # or bald, ucb:2, eubo, thompson, ...
  opponent = \"winner\"            # or best, any; of sets of options any
  initial = 4                    # comparisons that fill the space come first;
                                 # if left out 1, of four parameters and more
                                 # one for each
  [prior]
  family = \"auto\"                # se, or multiscale (with small details) where
                                 # the answers tell; or one of these, matern52,
                                 # matern32, matern12
  lengthscale = 0.3              # share of each parameter's range
  sd = 1.0                       # of a utility, in standard deviations of the noise
  learn = true                   # average over lengthscales and sd near these, as
                                 # the answers tell; false: take them as they are
  additive = true                # numbers and each category have main effects;
                                 # false: only their interaction
  [stop]
  answers = 40                   # ask no more than this
  regret = 0.2                   # good enough: expected regret, in the same unit,
                                 # after 5 answers and 3 for each feature

--seed is the study's seed; one that is not 0 comes before that of the file.
JSON keys: file, study, question, seed, takes (the answers that may be given),
items or parameters, notes.")]
pub(crate) struct NewArgs {
    /// File to make, or to add the study to
    pub(crate) file: PathBuf,
    /// Definition in TOML
    #[arg(long, value_name = "TOML", conflicts_with_all = ["items", "parameter"])]
    pub(crate) from: Option<PathBuf>,
    /// Table of items: the key first, then features
    #[arg(long, value_name = "ITEMS", conflicts_with = "parameter")]
    pub(crate) items: Option<PathBuf>,
    /// A parameter: NAME=float(LOW,HIGH), float(LOW,HIGH,log), float(LOW,HIGH,step=S), integer(LOW,HIGH) or categorical(A,B,...) (repeatable)
    #[arg(long, value_name = "NAME=RANGE")]
    pub(crate) parameter: Vec<String>,
    /// Name of the study [default: that of the file]
    #[arg(long, value_name = "NAME")]
    pub(crate) study: Option<String>,
    /// A title for people
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// What the participant is asked
    #[arg(long, value_name = "TEXT")]
    pub(crate) question: Option<String>,
    /// How comparisons are chosen [default: bald-improvement; with --opponent any or --options: bald]
    #[arg(long, value_name = "NAME")]
    pub(crate) acquisition: Option<Acquisition>,
    /// Opponent of each challenger: the winner of the last comparison, the best so far, or any [default: winner]
    #[arg(long, value_name = "winner|best|any")]
    pub(crate) opponent: Option<Opponent>,
    /// Answers at the beginning to comparisons that only fill the space, as an initial design does [default: 1, or of four parameters and more one for each, up to 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) initial: Option<u32>,
    /// How many options of a list of items a question shows: of more than two the best is asked, or the best and the worst [default: 2]
    #[arg(long, value_name = "2-12", value_parser = clap::value_parser!(u8).range(2..=12))]
    pub(crate) options: Option<u8>,
    /// What may be answered: a side, also no preference, or also a side that is much better; by how much a side is better, as a number from 3 to -3 (difference); of more than two options the best, or the best and the worst [default: ties, or best]
    #[arg(long, value_name = "sides|ties|graded|difference|best|best-and-worst")]
    pub(crate) take: Option<Answers>,
    /// Column of the items in which all options of a question are the same, as the prompt that they answer [default: any items are compared]
    #[arg(long, value_name = "COLUMN", conflicts_with = "parameter")]
    pub(crate) within: Option<String>,
    /// Exponential forgetting: an answer after which N others were given counts half [default: all count the same]
    #[arg(long, value_name = "N", value_parser = super::values::half_life)]
    pub(crate) half_life: Option<f64>,
    /// Somebody who may answer (repeatable) [default: anybody]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) participant: Vec<String>,
    /// Ask no more than N answers of a participant
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) answers: Option<u32>,
}

/// Ask for the next comparison
#[derive(Debug, Args)]
#[command(after_help = "Gives the comparison that still waits for an answer, if there is one. Once it is
printed, the next one is chosen for every possible answer, so that the next
`ask` has it ready; --no-ahead leaves that out.

JSON keys: study, participant, question, comparison, left, right, options (both, or
those of a set), takes (the answers that may be given), answers, again, planned,
cut (null, or \"search\" or \"model\": what the time limit stopped), finished. A side
is {\"item\": KEY, features...} or {PARAMETER: VALUE, ...}. Of a set left and right
are null; once a participant is finished, comparison and options are, too.")]
pub(crate) struct AskArgs {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Do not choose the next comparisons ahead
    #[arg(long)]
    pub(crate) no_ahead: bool,
}

/// Record the answer to a comparison
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  rather study tell tea.study left
  rather study tell tea.study right --comparison 12
  rather study tell tea.study left --left Assam --right Oolong
  rather study tell hearing.study tie --left gain=3,mode=a --right gain=5,mode=a
  rather study tell graded.study much-left
  rather study tell numbers.study -2                # the right one is better by 2
  rather study tell menu.study 2,4                  # of a set: the best, the worst
  rather study tell menu.study --best Assam --worst Sencha
  rather study tell menu.study --best Assam --option Assam --option Sencha \
    --option Oolong                                 # a set that was not asked

In a graded study, left and right mean a little better. The words and signs of a
table work too: \"a little left\", \">>\", \"=\". Where numbers are asked for, 2 is
left-by-2, -2 right-by-2 and 0 no preference.

A program that retries should give the number of the comparison, or a key of its
own: then the answer counts once.

JSON keys: study, participant, comparison (null for options of your own), left,
right, options, answer, answers, again.")]
pub(crate) struct TellArgs {
    #[command(flatten)]
    pub(crate) which: Which,
    /// left, right or skip (no answer); tie (no preference), much-left, much-right, or a number, if the study takes them; of a set the number of the best option, or those of the best and the worst
    #[arg(required_unless_present = "best", conflicts_with = "best", allow_negative_numbers = true)]
    pub(crate) answer: Option<String>,
    /// The best option of a set, by its name
    #[arg(long, value_name = "A")]
    pub(crate) best: Option<String>,
    /// The worst option of a set, by its name
    #[arg(long, value_name = "B", requires = "best")]
    pub(crate) worst: Option<String>,
    /// An option of a set that was not asked (repeatable, in the order of their numbers)
    #[arg(long, value_name = "A", conflicts_with_all = ["comparison", "left", "right"])]
    pub(crate) option: Vec<String>,
    /// Number of the comparison, as `ask` gave it [default: the one that waits]
    #[arg(long, alias = "duel", value_name = "N", conflicts_with_all = ["left", "right"])]
    pub(crate) comparison: Option<u32>,
    /// Left side of a comparison that was not asked
    #[arg(long, value_name = "A", requires = "right")]
    pub(crate) left: Option<String>,
    /// Right side of it
    #[arg(long, value_name = "B", requires = "left")]
    pub(crate) right: Option<String>,
    /// A key of your own for this answer: sent twice, it counts once
    #[arg(long, value_name = "TEXT")]
    pub(crate) key: Option<String>,
}

/// Skip a comparison: no answer, and another pair next
#[derive(Debug, Args)]
#[command(after_help = "The same as `rather study tell FILE skip`. JSON keys: those of tell.")]
pub(crate) struct SkipArgs {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Number of the comparison, as `ask` gave it [default: the one that waits]
    #[arg(long, alias = "duel", value_name = "N")]
    pub(crate) comparison: Option<u32>,
    /// A key of your own: sent twice, it counts once
    #[arg(long, value_name = "TEXT")]
    pub(crate) key: Option<String>,
}

/// Undo the last answer; its comparison is open again
#[derive(Debug, Args)]
#[command(after_help = "Nothing is lost: `rather study export --format jsonl` shows what was undone.
JSON keys: those of tell; they describe the answer that was undone.")]
pub(crate) struct UndoArgs {
    #[command(flatten)]
    pub(crate) which: Which,
    /// A key of your own: sent twice, it undoes one answer
    #[arg(long, value_name = "TEXT")]
    pub(crate) key: Option<String>,
}

/// Show the best so far, its uncertainty, and whether to stop
#[derive(Debug, Args)]
#[command(after_help = "Utilities are relative to the average of what was compared, in standard
deviations of the noise of a comparison: 1 more is preferred with probability
84 %.

JSON keys: study, participant, answers, recommended, utility {mean, sd, low,
high}, probability_best (null for parameters), expected_regret, regret_at_most
(with probability 90 %), limit, probability_good_enough, stop (\"go_on\",
\"good_enough\" or \"finished\"), more_answers (null if more than a few
hundred), ranking (array of {alternative, utility, probability_best,
comparisons}).")]
pub(crate) struct BestArgs {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Only the K best of the ranking
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top: u32,
}

/// Show the progress of a study, and the consistency of its answers
#[derive(Debug, Args)]
#[command(after_help = "With one participant, or with --participant, also: whether the graph of
comparisons is connected; repeated answers, circular triads (intransitive
preferences), surprising answers, the noise of this person, drift, and position
bias.

JSON keys: file, study, title, question, created, seed, definition, participants
(array of {participant, answers, ties, imported, skipped, undone, open, wanted,
finished, median_seconds}), and, for one participant, connectivity, sentences,
and once there is an answer consistency, stop, expected_regret, more_answers.")]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) which: Which,
}

/// Write the answers to a file
#[derive(Debug, Args)]
#[command(after_help = "Formats, recognised by the name of the file:
  csv     left,right,outcome,user,count,time (for parameters left.NAME, right.NAME)
  winner  left,right,winner,user,count,time; not how much better
  jsonl   the definition, then every event, also what was undone
  soi     PrefLib: every answer as an order of two; toi, if there are ties;
          not how much better
  soc     PrefLib: the ranking learned of each participant; toc, if some are tied

JSON keys: study, format, output, answers; without --output also text.")]
pub(crate) struct ExportArgs {
    /// File of the study
    pub(crate) file: PathBuf,
    /// Which study, if the file holds several
    #[arg(long, value_name = "NAME")]
    pub(crate) study: Option<String>,
    /// Only the answers of this participant
    #[arg(long, short, value_name = "NAME")]
    pub(crate) participant: Option<String>,
    /// Write here [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Format [default: by the name of the output, or csv]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
}

/// Add the answers of a file to a study, all or none
#[derive(Debug, Args)]
#[command(after_help = "Reads what `export` writes (soc and toc, too: every two of an order make an
answer), and CSV or Parquet with the columns winner,loser, or left,right,outcome,
or ranking; with user, count and time if they are there. A study that takes no
grades takes \"much better\" for a plain preference. An undo leaves imported answers.

JSON keys: study, answers, ties, participants, notes.")]
pub(crate) struct ImportArgs {
    #[command(flatten)]
    pub(crate) which: Which,
    /// File of answers; --participant is the participant of answers that name none
    pub(crate) answers: PathBuf,
    /// Format [default: by the name of the file]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// Import a file again that was imported already
    #[arg(long)]
    pub(crate) again: bool,
}

/// Make a complete copy of a file of studies, also while it is in use
#[derive(Debug, Args)]
#[command(after_help = "The copy holds everything that was answered when it was begun, in one file, and
is checked before it takes its name. To restore it: end every program that uses
FILE, move FILE, FILE-wal, FILE-shm and FILE-journal away together, copy COPY to
FILE.

JSON keys: file, copy, studies, events, bytes.")]
pub(crate) struct BackupArgs {
    /// File of the studies
    pub(crate) file: PathBuf,
    /// File to make
    pub(crate) copy: PathBuf,
    /// Replace the copy if it exists
    #[arg(long)]
    pub(crate) force: bool,
}

/// Check a file of studies: its integrity, the programs that use it, the contents of its log
#[derive(Debug, Args)]
#[command(after_help = "Changes nothing. Exit status 2 if something is wrong.

JSON keys: file, bytes, ok, problems, notices, studies (array of {name,
participants, answers, events}), log (null, or {file, bytes, frames,
transactions, belongs, answers}), used_by (array of {process, program}, or null
if the system does not report it).")]
pub(crate) struct StudyCheckArgs {
    /// File of the studies
    pub(crate) file: PathBuf,
}

/// Answer comparisons here, in the terminal
#[derive(Debug, Args)]
#[command(after_help = "Keys, each followed by Enter: l left, r right, t no preference, s skip, u undo,
q quit; ll and rr much better, where the study takes grades. Every answer is kept
at once; run the command again to go on.")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) which: Which,
}

//! The command line of `rather study`.

use clap::{Args, Subcommand};
use rather::acquisition::Acquisition;
use rather::design::Opponent;
use rather_study::Format;
use rather_study::definition::Answers;
use std::path::PathBuf;

/// Run a study: ask somebody duels, keep the answers, find what they like best
#[derive(Debug, Args)]
#[command(after_help = "Example:
  rather study new tea.study --items teas.csv
  rather study run tea.study

or, for programs:
  rather study ask tea.study --json
  rather study tell tea.study left --duel 1 --json
  rather study best tea.study --json

A study is one file. Every answer is on the disk before `tell` says so, nothing
is ever overwritten, and several programs of one machine may use the file at the
same time; while one does, FILE-wal may hold the last answers, so make copies
with `rather study backup`.
The same answers give the same questions.")]
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
  time_limit = 1.0               # seconds that choosing a duel may take
  answers = \"ties\"               # \"sides\": one must be chosen; \"graded\": also much better
  ties = \"learn\"                 # a tie is a difference too small to notice; \"both\":
                                 # half a comparison each way; \"drop\": nothing
  inference = \"ep\"               # or \"streaming\", and half_life = 50 for a taste that moves
  [parameters]                   # or: items = [\"a\", \"b\"], items = \"items.csv\"
  gain = { type = \"float\", low = 0, high = 20, step = 0.5 }
  ratio = { type = \"float\", low = 1, high = 10, scale = \"log\" }
  taps = { type = \"integer\", low = 1, high = 8 }
  mode = { type = \"categorical\", choices = [\"a\", \"b\"] }
  [participants]
  names = [\"ann\", \"bob\"]         # anyone if left out
  model = \"separate\"             # \"together\": all answers make one model;
                                 # \"collaborative\": one each, helped by the others'
  [policy]
  acquisition = \"bald\"           # ucb:2, improvement, eubo, thompson, ...
  opponent = \"winner\"            # or best, any
  [prior]
  family = \"se\"                  # or matern52, matern32, matern12
  lengthscale = 0.3              # share of each parameter's range
  sd = 2.0                       # of a utility, in units of the duel noise
  [stop]
  answers = 40                   # ask no more than this
  regret = 0.2                   # good enough, in units of the duel noise

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
    /// How duels are chosen [default: bald]
    #[arg(long, value_name = "NAME")]
    pub(crate) acquisition: Option<Acquisition>,
    /// Whom challengers meet: the winner of the last duel, the best so far, or any [default: winner]
    #[arg(long, value_name = "winner|best|any")]
    pub(crate) opponent: Option<Opponent>,
    /// What may be answered: a side, also no preference, or also a side that is much better [default: ties]
    #[arg(long, value_name = "sides|ties|graded")]
    pub(crate) take: Option<Answers>,
    /// Somebody who may answer (repeatable) [default: anybody]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) participant: Vec<String>,
    /// Ask no more than N answers of a participant
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) answers: Option<u32>,
}

/// Ask for the duel to answer next
#[derive(Debug, Args)]
#[command(after_help = "Gives the duel that still waits for an answer, if there is one. Once the duel is
printed, the next one is chosen for every answer that may be given, so that the
next `ask` has it ready; --no-ahead leaves that out.

JSON keys: study, participant, question, duel, left, right, takes (the answers
that may be given), answers, again, planned, cut (null, or \"search\" or \"model\": what the time limit cut off), finished. A side is {\"item\": KEY, features...} or {PARAMETER: VALUE, ...}. Once a
participant is finished, duel, left and right are null.")]
pub(crate) struct AskArgs {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Do not choose the next duels ahead
    #[arg(long)]
    pub(crate) no_ahead: bool,
}

/// Tell the answer to a duel
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  rather study tell tea.study left
  rather study tell tea.study right --duel 12
  rather study tell tea.study left --left Assam --right Oolong
  rather study tell hearing.study tie --left gain=3,mode=a --right gain=5,mode=a
  rather study tell graded.study much-left

Where grades are taken, left and right are a little better. The words and signs
of a table are known, too: \"a little left\", \">>\", \"=\".

A program that tells again because it does not know whether it was heard should
give the number of the duel, or a key of its own: then the answer counts once.

JSON keys: study, participant, duel (null for two sides of your own), left,
right, answer, answers, again.")]
pub(crate) struct TellArgs {
    #[command(flatten)]
    pub(crate) which: Which,
    /// left, right or skip (no answer); tie (no preference), much-left, much-right if the study takes them
    pub(crate) answer: String,
    /// Number of the duel, as `ask` gave it [default: the one that waits]
    #[arg(long, value_name = "N", conflicts_with_all = ["left", "right"])]
    pub(crate) duel: Option<u32>,
    /// Left side of a duel that was not asked
    #[arg(long, value_name = "A", requires = "right")]
    pub(crate) left: Option<String>,
    /// Right side of it
    #[arg(long, value_name = "B", requires = "left")]
    pub(crate) right: Option<String>,
    /// A text of your own for this answer: told twice, it counts once
    #[arg(long, value_name = "TEXT")]
    pub(crate) key: Option<String>,
}

/// Skip a duel: no answer, and another pair next
#[derive(Debug, Args)]
#[command(after_help = "The same as `rather study tell FILE skip`. JSON keys: those of tell.")]
pub(crate) struct SkipArgs {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Number of the duel, as `ask` gave it [default: the one that waits]
    #[arg(long, value_name = "N")]
    pub(crate) duel: Option<u32>,
    /// A text of your own: skipped twice, it counts once
    #[arg(long, value_name = "TEXT")]
    pub(crate) key: Option<String>,
}

/// Take the last answer back; its duel is open again
#[derive(Debug, Args)]
#[command(after_help = "Nothing is lost: `rather study export --format jsonl` shows what was taken back.
JSON keys: those of tell; they are about the answer that was taken back.")]
pub(crate) struct UndoArgs {
    #[command(flatten)]
    pub(crate) which: Which,
    /// A text of your own: undone twice, it takes one answer back
    #[arg(long, value_name = "TEXT")]
    pub(crate) key: Option<String>,
}

/// Show the best so far, how sure that is, and whether to stop
#[derive(Debug, Args)]
#[command(after_help = "Utilities are relative to the average of what was compared, in units of the
noise of a duel: 1 more is preferred with probability 84 %.

JSON keys: study, participant, answers, recommended, utility {mean, sd, low,
high}, probability_best (null for parameters), expected_regret, limit,
probability_good_enough, stop (\"go_on\", \"good_enough\" or \"finished\"),
more_answers (null if more than a few hundred), ranking (array of {alternative,
utility, probability_best, duels}).")]
pub(crate) struct BestArgs {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Only the K best of the ranking
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top: u32,
}

/// Show how far a study is, and whether the answers fit together
#[derive(Debug, Args)]
#[command(after_help = "With one participant, or with --participant, also: whether chains of comparisons
join all that was compared; repeated answers, circles, answers against the odds
(nearly even odds: cannot tell; clear odds: careless), this person's noise,
drift, and whether one side is preferred for being that side.

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
#[command(after_help = "Formats, which the name of the file tells:
  csv     left,right,outcome,user,count,time (for parameters left.NAME, right.NAME)
  winner  left,right,winner,user,count,time; not how much better
  jsonl   the definition, then every event, also what was taken back
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
    /// Format [default: as the name of the output tells, or csv]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
}

/// Add the answers of a file to a study, all or none
#[derive(Debug, Args)]
#[command(after_help = "Reads what `export` writes (soc and toc, too: every two of an order make an
answer), and CSV or Parquet with the columns winner,loser, or left,right,outcome,
or ranking; with user, count and time if they are there. A study that takes no
grades takes \"much better\" for a plain preference. An undo does not take imported
answers back.

JSON keys: study, answers, ties, participants, notes.")]
pub(crate) struct ImportArgs {
    #[command(flatten)]
    pub(crate) which: Which,
    /// File of answers; --participant names who gave those that name nobody
    pub(crate) answers: PathBuf,
    /// Format [default: as the name of the file tells]
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

/// Check a file of studies: whether it is whole, who uses it, what a log beside it holds
#[derive(Debug, Args)]
#[command(after_help = "Changes nothing. Exit status 2 if something is wrong.

JSON keys: file, bytes, ok, problems, notices, studies (array of {name,
participants, answers, events}), log (null, or {file, bytes, frames,
transactions, belongs, answers}), used_by (array of {process, program}, or null
where the system does not tell).")]
pub(crate) struct StudyCheckArgs {
    /// File of the studies
    pub(crate) file: PathBuf,
}

/// Answer duels here, in the terminal
#[derive(Debug, Args)]
#[command(after_help = "Keys, each followed by Enter: l left, r right, t no preference, s skip, u undo,
q quit; ll and rr much better, where the study takes grades. Every answer is kept
at once; run the command again to go on.")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) which: Which,
}

//! The command line.

mod answers;
mod arena;
mod many;
mod market;
mod model;
mod sort;
mod studio;
mod study;
mod values;

pub(crate) use answers::*;
pub(crate) use arena::*;
pub(crate) use many::*;
pub(crate) use market::*;
pub(crate) use model::*;
pub(crate) use sort::*;
pub(crate) use studio::*;
pub(crate) use study::*;
use values::*;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

const ABOUT: &str = "Learn what people would rather have.

From comparisons (\"A rather than B\") rather learns how much each item is liked, how sure that is, and how \
likely one item is preferred to another, also for items that nobody has compared yet.";

const START: &str = "Start here:
  rather fit items.csv comparisons.csv -o model.rather
  rather rank model.rather
  rather predict model.rather pairs.csv

Tables are CSV (also .csv.gz), JSON, Parquet or Excel (votes.xlsx#Sheet); - is
standard input; items.csv+vectors.npy joins a matrix. Exit status: 0 done, 2
something to mend in the input or the flags, 130 ended by Ctrl-C (a fit saves
the best model so far), 1 anything else.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "rather", version, about = ABOUT, after_help = START, max_term_width = 80)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// Write one JSON value to standard output, and nothing else there
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Seed of everything random: the same seed gives the same result
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Number of threads [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// No warnings and no progress, only errors
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Arena(ArenaArgs),
    Fit(FitArgs),
    Rank(RankArgs),
    Predict(PredictArgs),
    Suggest(SuggestArgs),
    Evaluate(EvaluateArgs),
    Explain(ExplainArgs),
    Check(CheckArgs),
    Plot(PlotArgs),
    Report(ReportArgs),
    Segments(SegmentsArgs),
    Shares(SharesArgs),
    Sort(SortArgs),
    Study(StudyArgs),
    Studio(StudioArgs),
    /// Print the licence of rather and those of everything linked into it
    Licenses,
}

impl Command {
    /// Whether it talks to somebody while it runs, who needs the terminal.
    pub(crate) fn talks(&self) -> bool {
        match self {
            Self::Study(args) => matches!(args.command, study::StudyCommand::Run(_)),
            Self::Studio(_) | Self::Sort(_) => true,
            _ => false,
        }
    }
}

const ITEMS: &str = "Table of items: the key first, then features (a key alone is fine); without it the items are those \
                     that the comparisons name";
const COMPARISONS: &str = "Table of comparisons: columns winner,loser (and user, count if you like), or \
                           left,right,outcome, or ranking, or rank_1,rank_2,..., or choice,option_1,option_2,..., \
                           or task,option,chosen with a row an option";

/// Learn the utility of items from comparisons
#[derive(Debug, Args)]
#[command(after_help = "Example:
  rather fit teas.csv comparisons.csv --kernel matern52 --ard -o tea.rather

  teas.csv          comparisons.csv
  tea,price,black   winner,loser
  Assam,4.5,true    Oolong,Assam
  Oolong,7,false    ...

Other kinds of answer, each with its own response model:
  left,right,outcome    outcome is left, right or tie, and with \"a little\" or
                        \"much\" before a side, graded; thresholds are learned;
                        or \"both good\", \"both bad\"
  left,right,probability  a judge's probability that left is preferred
  left,right,difference   goals, points, seconds; or winner,loser,difference
  item,rating           the distinct numbers are levels; a user has an offset
  item,value            measured, or a bound: >10, <0
  item,label            yes or no: is the utility, with its noise, above zero?
  choice,option_1,...   the best of several: a comparison with each other option
  task,option,chosen    the same with a row an option: 1, 0, or -1 for the worst;
                        without option, equal attributes are one item (conjoint)
  rather fit teas.csv comparisons.csv --also ratings.csv -o tea.rather

Columns of the comparisons, of each side (home_left, home_right; or home_winner,
home_loser) or of both (date), are read where the kernel names them:
  rather fit players.csv matches.csv \\
    --kernel \"white[item] + white[item]*wiener[date] + linear[home]\"

Many users, identified by a column `user` of the comparisons:
  rather fit teas.csv comparisons.csv --model collaborative -o teas.rather
  rather fit teas.csv comparisons.csv --users people.csv -o teas.rather
  rather rank teas.rather --user ann
`rather evaluate teas.csv comparisons.csv --users` shows which model to use. These
models measure utilities in standard deviations of the noise of a comparison
(--units comparison-noise).

JSON keys: items, comparisons, users, inference, kernel, hyperparameters,
log_evidence, sweeps, residual, converged, seconds, warnings, ranking, tried,
answers (how many of which kind), levels, columns (of items, array of {column,
read_as, categories, alike, missing}); one person's also ard, space, priors,
exact, weights (the utility of one unit of each column of linear), explained (the
share of features), half_life (if given); many users' also
model, evidence (what log_evidence is: only numbers of the same name may be
compared), functions, skipped.")]
#[command(allow_missing_positional = true)]
pub(crate) struct FitArgs {
    #[arg(help = ITEMS)]
    pub(crate) items: Option<PathBuf>,
    #[arg(help = COMPARISONS)]
    pub(crate) comparisons: PathBuf,
    /// Save the model here, for rank and predict
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) many: ManyArgs,
    #[command(flatten)]
    pub(crate) answers: AnswerArgs,
    #[command(flatten)]
    pub(crate) tables: TableArgs,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

/// Rank items by their utility, with intervals
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  rather rank tea.rather --top 3
  rather rank tea.rather --items new-teas.csv --csv > ranking.csv
  rather rank tea.rather --user ann
  rather rank tea.rather --answers zoes-comparisons.csv
  rather rank tea.rather --probability-of-top 3

JSON: for each item, the best first, item, mean, sd, rank, label (if there is
one), probability_best, probability_top (with --probability-of-top), rank_low and
rank_high (95 % interval of the rank), group.")]
pub(crate) struct RankArgs {
    /// Model that `rather fit -o` saved
    pub(crate) model: PathBuf,
    /// Rank the items of this table instead, known or new, with the features of the model
    #[arg(long, value_name = "NEW")]
    pub(crate) items: Option<PathBuf>,
    /// Look at items where a column of comparisons has this value: a number, a date or a name [default: the mean, the latest date, no level]
    #[arg(long, value_name = "NAME=VALUE", value_parser = crate::fitted::column_value)]
    pub(crate) at: Vec<(String, String)>,
    /// Only the K best
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) top: Option<u64>,
    /// The probability of being among the K best, too
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) probability_of_top: Option<u64>,
    /// Write CSV: item,mean,sd,rank,probability_best,rank_low,rank_high,group (and probability_top)
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) who: WhoArgs,
}

/// Predict choices between two items, and answers about single ones
#[derive(Debug, Args)]
#[command(after_help = "Example:
  rather predict tea.rather pairs.csv --csv > probabilities.csv

  pairs.csv
  left,right
  Assam,Oolong

The probability is that the left item is preferred where one must be chosen.
With ties, grades or a position bias (fit --position-bias), every possible
outcome of the pair as it is shown has its own probability too, named as in the
table; and where there are ties, the probability that the left is preferred if
there is no tie (left / (left + right), all grades together). The difference of
utilities has its 95 % interval, and where differences were learned from, so
has the one that will be reported (--csv and --json: reported_difference,
reported_lower, reported_upper).

A table with a column `item` asks about single items instead: the utility with
its 95 % interval; of a model that learned labels the probability of yes, or of
good where both were good or bad; of ratings the expected rating, the interval that holds 95 % of ratings, and the
probability of each; of values the expected value and the interval that holds
95 % of values.

--threshold COLUMN asks of a model that learned labels where along that feature
yes has the probabilities of --at-probability, with 95 % intervals:
  rather predict contrast.rather --threshold contrast --at-probability 0.5,0.75
Other features are at their mean or most common value. If the curve of a draw of
the posterior crosses more than once, what is on the one side counts together.

For a model of many users, the table may have a column `user`; or give --user.

JSON keys: an array, of pairs of {user (of many), left, right, probability,
outcomes, probability_without_tie (if there are any), difference,
difference_lower, difference_upper, reported_difference, reported_lower,
reported_upper (if learned)}; of items of {user, item, utility, utility_sd,
utility_lower, utility_upper, probability_of_yes, probability_of_good, rating,
rating_lower, rating_upper, ratings, value, value_lower, value_upper (what was
learned)}.
Of sets of options an array of {user, set, item, probability_of_best,
probability_of_worst}, one an option.
With --threshold one object: column, range, held, thresholds (array of
{probability, at, lower, upper}; null beyond the range of the items).")]
pub(crate) struct PredictArgs {
    /// Model that `rather fit -o` saved
    pub(crate) model: PathBuf,
    /// Table of pairs, columns left,right, of items, column item, or of sets of options, columns option_1,option_2,...
    #[arg(required_unless_present = "threshold")]
    pub(crate) pairs: Option<PathBuf>,
    /// Where along this feature yes has a probability, with 95 % intervals; of a model that learned labels
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["pairs", "items", "sharp"])]
    pub(crate) threshold: Option<String>,
    /// With --threshold: these probabilities
    #[arg(long, value_name = "P,P,...", value_delimiter = ',', default_value = "0.5,0.75", value_parser = probability, requires = "threshold")]
    pub(crate) at_probability: Vec<f64>,
    /// Table of more items that pairs may name, with the features of the model
    #[arg(long, value_name = "NEW")]
    pub(crate) items: Option<PathBuf>,
    /// Look at items where a column of comparisons has this value: a number, a date or a name [default: the mean, the latest date, no level]
    #[arg(long, value_name = "NAME=VALUE", value_parser = crate::fitted::column_value)]
    pub(crate) at: Vec<(String, String)>,
    /// More exact probabilities, by ratios of evidences: slow, one inference an answer; not with lapses, --robust or many users
    #[arg(long)]
    pub(crate) sharp: bool,
    /// Write CSV, with all that --json has; with the user first for a model of many users
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) who: WhoArgs,
}

/// Suggest the most informative comparisons
#[derive(Debug, Args)]
#[command(after_help = suggest_help())]
pub(crate) struct SuggestArgs {
    /// Model that `rather fit -o` saved
    pub(crate) model: PathBuf,
    /// Table of the items to choose among, with the features of the model [default: the model's items]
    #[arg(long, value_name = "ITEMS")]
    pub(crate) pool: Option<PathBuf>,
    /// What makes a comparison useful
    #[arg(long, value_name = "NAME", default_value = "bald")]
    pub(crate) acquisition: rather::acquisition::Acquisition,
    /// One side of every comparison: `any` for none, `best` for the item with the largest mean utility, or an item
    #[arg(long, value_name = "any|best|ITEM", default_value = "any")]
    pub(crate) opponent: String,
    /// Sets of so many items of which to ask for the best, in the place of pairs
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(3..=12), conflicts_with_all = ["acquisition", "opponent"])]
    pub(crate) options: Option<u8>,
    /// Number of comparisons, or of sets
    #[arg(short, long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) number: u32,
    /// Write CSV: left,right,score; or option_1,option_2,...,score
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// The first comparisons for a new user, from the answers of all other users
    #[arg(long)]
    pub(crate) newcomer: bool,
    #[command(flatten)]
    pub(crate) who: WhoArgs,
}

/// Measure how well held-out answers are predicted
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  rather evaluate teas.csv comparisons.csv --folds 10
  rather evaluate teas.csv comparisons.csv --test later-comparisons.csv
  rather evaluate teas.csv comparisons.csv --users

--users compares all models of many users on the same folds (with a table of
users, their features too) and shows which to use. JSON keys then: comparisons,
users, folds, seconds, models (array of {model, accuracy, log_loss, brier,
seconds, rps, crps, coverage_50, coverage_95, behind, behind_error}), best,
as_good, sentence, warnings.

Hyperparameters are learned anew in every fold. Lower is better for the log
loss (in nats), the Brier score (guessing has 50 %, 0.6931 and 0.25), the ranked
probability score and the calibration error.

Baselines, on the same folds (--baselines): no features (names: items by name,
kernel white: ridge Thurstone, or Bradley-Terry with --link logistic, with
thresholds for ties); linear (weights of the features alone, kernel linear);
base rates (how often what is answered, whatever it is about); Davidson (where
there are ties: Bradley-Terry with a share of ties, and a ridge); Elo (in the
order of the rows, or of --by DATE; where two are compared without grades). The
sentence under the table says whether the difference of log losses is more than two standard errors,
which are by clusters: answers about the same pair, or with --by users of the
same user, need not be independent.

--by pairs        tests each comparison once, on a model of the other parts. All
                  comparisons of a pair are in one part (with --users, all of a
                  user's), so that a count of 3 and three rows are the same.
--by comparisons  the same by single rows: others of the pair may be learned
                  from.
--by users        holds out whole users: their answers are tested on a model of
                  other users.
--by items        holds out items instead: all comparisons that name an item of
                  the part are tested, on a model of those that name none (a
                  comparison of two parts is tested twice). Needs features.

--by COLUMN       of the comparisons. Of categories each is tested on a model of
                  the others; of dates or numbers each period on a model of all
                  periods before it, with the scores of each: --period month, or
                  --folds periods of equally many comparisons after a first one.
                  The model knows the column only if the kernel names it.

The reliability table sorts tested comparisons by the predicted probability of
the item that comes first in ITEMS, in ten bins of equal width, and shows how
often that item won. The calibration error is the mean gap over the bins,
weighted by their counts.

Answers of every kind are tested as `fit` learns them. The log loss is that of
the answer given among all that could have been; of a measured value it is that
of its density. With more than two outcomes the accuracy is how often the most
probable one was given, the Brier score is half the sum of squares over all
outcomes, and the reliability table has every outcome's probability. Lapses,
a position bias and per-user noise count in what is predicted. The ranked
probability score takes outcomes in their order (grades, ratings, ties), from 0
to 1; of two it is the Brier score. Of values and differences the CRPS
(continuous ranked probability score) is in their unit. Predictive intervals of
50 and 95 % of values, differences, grades and ratings should hold so many of
them, of whole numbers and levels at least.

JSON keys: accuracy, log_loss, brier, comparisons, folds, seconds, ece,
reliability (array of {from, to, predicted, observed, count}; null in an empty
bin), baseline (no features: {accuracy, log_loss, brier, ece} or null), by,
rps, crps, coverage_50, coverage_95 (null where there is none), baselines
(array of {name: names, linear, base_rates, davidson or elo; accuracy, log_loss, brier,
ece, rps, crps, coverage_50, coverage_95, difference, difference_error}),
clusters (pairs or users), conclusion (or null); where there is more than plain
comparisons also kinds (array of {kind, answers, accuracy, log_loss, brier,
rps, crps, coverage_50, coverage_95, guessing}; null where outcomes cannot be
listed); with a column also parts (array of {name, answers, accuracy, log_loss,
log_loss_error}).")]
#[command(allow_missing_positional = true)]
pub(crate) struct EvaluateArgs {
    #[arg(help = ITEMS)]
    pub(crate) items: Option<PathBuf>,
    #[arg(help = COMPARISONS)]
    pub(crate) comparisons: PathBuf,
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(2..), help = "Number of parts, each tested on a model of the others [default: 5]")]
    pub(crate) folds: Option<u32>,
    /// What is held out together: all answers about a pair, single comparisons, items or users that are then new, or what has one value in a column of the comparisons; of a date, each period is tested on all before
    #[arg(long, value_name = "pairs|comparisons|items|users|COLUMN", default_value = "pairs", value_parser = By::parse)]
    pub(crate) by: By,
    /// With --by DATE, how long a period is; without it there are --folds periods of equally many comparisons after the first
    #[arg(long, value_name = "year|month|week|day|DAYS", value_parser = Period::parse, conflicts_with = "folds")]
    pub(crate) period: Option<Period>,
    /// Learn from all of COMPARISONS and test on the answers of this table
    #[arg(long, value_name = "PAIRS", conflicts_with_all = ["folds", "by", "period"])]
    pub(crate) test: Option<PathBuf>,
    /// What to compare with: names, linear, base-rates, davidson, elo; none of them is quickest, since each may be fitted in every fold
    #[arg(long, value_name = "all|none|NAME,...", default_value = "all", value_parser = Baselines::parse)]
    pub(crate) baselines: Baselines,
    /// Compare the models of many users; with a table, users have its features
    #[arg(long, value_name = "USERS", num_args = 0..=1)]
    pub(crate) users: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub(crate) answers: AnswerArgs,
    #[command(flatten)]
    pub(crate) tables: TableArgs,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

/// Measure how far a model's approximation is from the exact posterior
#[derive(Debug, Args)]
#[command(after_help = "Example:
  rather check tea.rather

Draws from the exact posterior at the model's hyperparameters, on the data it
was learned from, and compares with expectation propagation (or Laplace, if the
model used it; for a model of exact inference, expectation propagation).

  means          mean utilities against the exact ones, in exact standard
                 deviations
  sd             standard deviations, divided by the exact ones
  probabilities  of choices over all pairs of compared items, or 2,000 at random
  --sharp        the 20 pairs with the largest differences again, as
                 `predict --sharp` has them
  log evidence   approximate and exact (up to 2,000 comparisons)

Of more than 5,000 answers a part is checked: some items, drawn under --seed, and
the answers among them.

Verdict, by the largest differences:
  good     means within 0.1 standard deviations, probabilities within 0.02,
           standard deviations within a factor of 1.1
  usable   means within 0.3, probabilities within 0.05, a factor of 1.5
  poor     else: use `fit --inference exact` or `predict --sharp`
  unsettled  the sampler did not converge (split R-hat above 1.05 or fewer than
             100 effective samples): take more --samples
Differences below four standard errors of the sampling are marked: within
sampling error.

Also, whether plain comparisons look as the model expects (posterior predictive
checks, for models of one person): the chi-square of pairs compared repeatedly,
and the number of circular triads. A small p says that the answers have more of it
than the model explains.

Of a model of many users, the posterior of one of them is compared with the
exact one, given all that users share. So a per-user, a pooled or a hierarchical
model is checked, whose users share no more than a prior (its mean and covariance
are taken as learned); a collaborative or Kronecker model is not.

JSON keys: inference, user (of a model of many), items, comparisons, part {items, comparisons} of which
these are a part (not there if all are checked), converged, residual,
means {largest, median, error, within_sampling_error},
sd_ratio {smallest, median, largest, error, within_sampling_error},
probabilities {pairs, largest, mean, error, within_sampling_error},
sharp {pairs, gaussian_largest, gaussian_mean, largest, mean, error,
within_sampling_error} or null, evidence {approximate, exact, error} (null if
out of reach), sampler {sampler, draws, effective_samples, r_hat}, verdict,
sentence, goodness {repeated_pairs, dispersion, dispersion_p, triads, circular,
expected_circular, circular_p} or null, seconds.")]
pub(crate) struct CheckArgs {
    /// Model that `rather fit -o` saved
    pub(crate) model: PathBuf,
    /// Of a model of many users: the user whose posterior is checked
    #[arg(long)]
    pub(crate) user: Option<String>,
    /// Draws from the exact posterior
    #[arg(long, value_name = "N", default_value_t = 4_000, value_parser = clap::value_parser!(u32).range(MOST_SAMPLES))]
    pub(crate) samples: u32,
}

/// Say what features do: effects, weights, relevance, importance
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  rather explain tea.rather
  rather explain tea.rather --csv > effects.csv
  rather explain tea.rather --user ann
  rather explain cars.rather --price price

JSON keys: kernel, weights [feature, mean, sd, low, high], relevances [feature,
kernel, lengthscale, relevance, low, high] (the interval of the relevance; null
where it is not known), shares [term, share], effects [feature, reference,
values [value, mean, sd, low, high]], importances [feature, mean, sd] (null for
one of many users), willingness_to_pay [feature, value, low, high] (with
--price).")]
pub(crate) struct ExplainArgs {
    /// Model that `rather fit -o` saved
    pub(crate) model: PathBuf,
    /// Look at items where a column of comparisons has this value: a number, a date or a name [default: the mean, the latest date, no level]
    #[arg(long, value_name = "NAME=VALUE", value_parser = crate::fitted::column_value)]
    pub(crate) at: Vec<(String, String)>,
    /// Willingness to pay: what one unit of each other column of linear is worth in units of this one
    #[arg(long, value_name = "COLUMN")]
    pub(crate) price: Option<String>,
    /// Write CSV: what,feature,value,mean,sd,low,high
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) who: WhoArgs,
}

/// Draw a figure of a model, as SVG or PNG
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  rather plot tea.rather ranking -o ranking.svg --top 20
  rather plot tea.rather utility --feature price -o price.svg
  rather plot tea.rather effect --feature price -o effect.svg
  rather plot tea.rather map --feature price --feature minutes -o map.png
  rather plot tea.rather choices -o choices.svg
  rather plot people.rather users -o users.svg
  rather plot people.rather segments -o segments.svg
  rather plot tennis.rather careers --top 8 -o careers.svg
  rather plot tea.rather evidence --x lengthscale --y variance -o evidence.svg
  rather plot tea.rather reliability --pairs later-comparisons.csv -o reliability.svg

JSON keys: figure, output, width, height, caption, seconds, warnings.")]
pub(crate) struct PlotArgs {
    /// Model that `rather fit -o` saved
    pub(crate) model: PathBuf,
    /// What to draw
    #[arg(value_enum)]
    pub(crate) figure: FigureKind,
    /// Save the figure here: .svg or .png (two pixels for every unit of the drawing)
    #[arg(short, long, value_name = "FIGURE")]
    pub(crate) output: PathBuf,
    /// Feature of utility, effect or choices; twice for map
    #[arg(long, value_name = "F")]
    pub(crate) feature: Vec<String>,
    /// Only the K best items of ranking, users, choices or careers, or those that differ most between segments [default: 60, 60, 40, 6 or 12]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..=200))]
    pub(crate) top: Option<u64>,
    /// So many segments [default: as many, 2 to 6, as stand apart most clearly]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(2..=7))]
    pub(crate) number: Option<u8>,
    /// Hyperparameter across, of evidence [default: the first lengthscale, else the noise]
    #[arg(long, value_name = "NAME")]
    pub(crate) x: Option<String>,
    /// Hyperparameter upwards, of evidence [default: the first variance]
    #[arg(long, value_name = "NAME")]
    pub(crate) y: Option<String>,
    /// Settings along either axis of evidence [default: 41, fewer for a large model]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=201))]
    pub(crate) grid: Option<u16>,
    /// Comparisons that the model was not learned from, for reliability
    #[arg(long, value_name = "PAIRS")]
    pub(crate) pairs: Option<PathBuf>,
    /// Width in pixels, from 320 [default: 720]
    #[arg(long, value_name = "PX", value_parser = width)]
    pub(crate) width: Option<f64>,
    /// Height in pixels, from 200 [default: what the figure needs]
    #[arg(long, value_name = "PX", value_parser = height)]
    pub(crate) height: Option<f64>,
    /// Title instead of the figure's own; "" for none
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    #[command(flatten)]
    pub(crate) who: WhoArgs,
}

/// Write all of a model as one page of HTML, to read and to print
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  rather report tea.rather -o tea.html
  rather report tea.rather --user ann -o ann.html

The page needs no other file and no network. It has the ranking with intervals
and groups, figures, what features do, warnings, and how to read all that.

JSON keys: output, figures, warnings.")]
pub(crate) struct ReportArgs {
    /// Model that `rather fit -o` saved
    pub(crate) model: PathBuf,
    /// Save the page here: .html
    #[arg(short, long, value_name = "REPORT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) who: WhoArgs,
}

/// How tables are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Tables")]
pub(crate) struct TableArgs {
    /// Use only these columns of ITEMS
    #[arg(long, value_name = "A,B,...", value_delimiter = ',', conflicts_with = "drop")]
    pub(crate) features: Vec<String>,
    /// Leave out a column of ITEMS (repeatable)
    #[arg(long, value_name = "COL")]
    pub(crate) drop: Vec<String>,
    /// Read a column of numbers as categories (repeatable)
    #[arg(long, value_name = "COL")]
    pub(crate) categorical: Vec<String>,
    /// What columns are, whatever they are called: winner, left, outcome, user and so on
    #[arg(long, value_name = "ROLE=COL", value_delimiter = ',', value_parser = crate::fitted::role)]
    pub(crate) columns: Vec<(String, String)>,
    /// A missing number is taken for the mean, with a feature that marks it, and a missing category is one of its own; or both are errors
    #[arg(long, value_enum, default_value_t = Missing::Impute)]
    pub(crate) missing: Missing,
    /// How ties are used
    #[arg(long, value_enum, default_value_t = Ties::Learn)]
    pub(crate) ties: Ties,
}

/// What becomes of missing values of features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Missing {
    Impute,
    Error,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FigureKind {
    /// The utility along one feature, and the comparisons under it
    Utility,
    /// What one feature does: the difference of utility to a reference value
    Effect,
    /// The utility over two features, and its standard deviation
    Map,
    /// The evidence over two hyperparameters
    Evidence,
    /// Probabilities of choices: items against each other, or values of a feature
    Choices,
    /// Items by utility, with intervals
    Ranking,
    /// How users differ: each user's utility of each item
    Users,
    /// How segments of users differ: each segment's utility of each item
    Segments,
    /// Items over time, where comparisons have one
    Careers,
    /// Predicted probabilities against observed frequencies
    Reliability,
}

impl FigureKind {
    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Utility => "utility",
            Self::Effect => "effect",
            Self::Map => "map",
            Self::Evidence => "evidence",
            Self::Choices => "choices",
            Self::Ranking => "ranking",
            Self::Users => "users",
            Self::Segments => "segments",
            Self::Careers => "careers",
            Self::Reliability => "reliability",
        }
    }
}

/// The examples of `rather suggest`, and the acquisition functions there are.
fn suggest_help() -> String {
    use rather::acquisition::{Acquisition, Goal};
    let names = |goal: Goal, opponent: bool| -> String {
        let all = Acquisition::all().filter(|a| a.goal() == goal && a.needs_opponent() == opponent);
        all.map(|a| a.to_string()).collect::<Vec<_>>().join(", ")
    };
    format!(
        "Examples:
  rather suggest tea.rather -n 10
  rather suggest tea.rather --pool new-teas.csv --opponent best --acquisition ucb:2
  rather suggest tea.rather --user ann -n 3
  rather suggest tea.rather --newcomer

Several suggestions are a batch: each is chosen as if those before it had been
answered, so that they differ.

Acquisition functions:
  to learn all utilities
    {}
  to find the best item
    {}
  to find the best item, with --opponent
    {}",
        names(Goal::Utilities, false),
        names(Goal::Best, false),
        names(Goal::Best, true)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }
}

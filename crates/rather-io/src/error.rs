//! Everything that can be wrong with a file.

use crate::count::counted;
use crate::place::{Cell, Place, Position, list, quote};
use std::io;
use std::path::{Path, PathBuf};

/// An error of reading or writing a file. Its message is one sentence that names file, line, column and
/// value, as far as there are any, and says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such file.
    #[error("{} does not exist; check its name and folder", path.display())]
    NotFound {
        /// The file asked for.
        path: PathBuf,
    },
    /// A model of many users where one person's is needed.
    #[error("{} is a model of many users, and a model of one person is needed here; make one with rather fit --model single", path.display())]
    ManyUsers {
        /// The model's file.
        path: PathBuf,
    },
    /// A model that a cluster learned, of which nothing but sums is left.
    #[error("{} is a model that a cluster learned; open it in Python, by rather.distributed.BlocksGP.load", path.display())]
    OfCluster {
        /// The model's file.
        path: PathBuf,
    },
    /// An answer is of a user whom the table of users does not have.
    #[error("{cell}: there is no user {} in {}; {}", quote(key), users.display(), match suggestion {
        Some(other) => format!("did you mean {}?", quote(other)),
        None => "add the user there, or correct the answer".to_owned(),
    })]
    UnknownUser {
        /// Where it is named.
        cell: Box<Cell>,
        /// The name.
        key: String,
        /// The table of users.
        users: PathBuf,
        /// A user with nearly this name.
        suggestion: Option<Box<str>>,
    },
    /// The file is a folder.
    #[error("{} is a folder; name a file", path.display())]
    IsFolder {
        /// The folder.
        path: PathBuf,
    },
    /// The folder that a file is to be written into does not exist.
    #[error("{} cannot be written because its folder does not exist; make the folder first", path.display())]
    FolderNotFound {
        /// The file to be written.
        path: PathBuf,
    },
    /// The operating system forbids it.
    #[error("you are not permitted to {action} {}; change its permissions or use another file", path.display())]
    NotPermitted {
        /// What was tried.
        action: Action,
        /// The file.
        path: PathBuf,
    },
    /// Anything else that the operating system has against it.
    #[error("could not {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: Action,
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// A file named `.gz` is not gzip, or not all of it is there.
    #[error("could not decompress {}: {source}; compress it again, or drop .gz from its name if it is not compressed", path.display())]
    Gzip {
        /// The file.
        path: PathBuf,
        /// What the decompressor says.
        source: io::Error,
    },

    /// A compressed file that expands to much more than its size.
    #[error("{} has {file} and expands to more than {limit}, which is not read; decompress it first if that is right", path.display())]
    Expands {
        /// The file.
        path: PathBuf,
        /// The most that it may expand to.
        limit: String,
        /// Its size.
        file: String,
    },
    /// A Parquet file of much more than its size.
    #[error("{} has {file} and expands to {what}, more than the limit of {limit} for such a file; write it as CSV if that is right", path.display())]
    ExpandingTable {
        /// The file.
        path: PathBuf,
        /// What it holds, with its number.
        what: String,
        /// How much of it may be read.
        limit: String,
        /// Its size.
        file: String,
    },
    /// A device or pipe that does not end.
    #[error("{} is no regular file and gives more than {limit}; save what it gives as a file first", path.display())]
    Endless {
        /// The device or pipe.
        path: PathBuf,
        /// The most that is read from one.
        limit: String,
    },
    /// Rankings that stand for too many comparisons.
    #[error(
        "{place}: a ranking of {items} items makes {pairs} comparisons, and all rankings together may make {limit}; \
         rank fewer items, or compare neighbours only (--rankings adjacent)"
    )]
    LongRanking {
        /// The row.
        place: Place,
        /// The items of its ranking.
        items: usize,
        /// The pairs among them.
        pairs: u64,
        /// The most comparisons of all rankings.
        limit: u64,
    },

    /// A row of too few options, or of too many.
    #[error("{place} names {} options; name 2 to {most}", if *found > *most { format!("more than {most}") } else { found.to_string() })]
    Options {
        /// The row.
        place: Place,
        /// How many were found.
        found: usize,
        /// The most.
        most: usize,
    },
    /// A row that is no one answer about all of its items.
    #[error(
        "{place} {problem}, so it cannot be taken jointly; take it as pairs (--rankings pairs), or leave it out"
    )]
    NotJoint {
        /// The row.
        place: Place,
        /// Why not.
        problem: &'static str,
    },

    /// A file in another format.
    #[error("{} looks like {kind}, and tables are CSV, JSON, Parquet or Excel workbooks; {remedy}", path.display())]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// What it looks like.
        kind: &'static str,
        /// What to do about it.
        remedy: &'static str,
    },
    /// A file that looks like JSON and is not read as a table.
    #[error("could not read {} as JSON: {source}; write an array of objects with a key a column, or one such object a line", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What the reader says.
        source: serde_json::Error,
    },
    /// A table of answers where items are needed.
    #[error("{} looks like a table of answers ({}), and a table of items is needed; are the two tables exchanged?", path.display(), list(found))]
    Exchanged {
        /// The file.
        path: PathBuf,
        /// Its columns.
        found: Vec<String>,
    },

    /// A table without even a header.
    #[error("{} is empty; its first line must be a header with the names of the columns", path.display())]
    EmptyFile {
        /// The file.
        path: PathBuf,
    },
    /// A column's name is not UTF-8.
    #[error("{place}: the name of column {column} is not UTF-8 text; save the file as UTF-8")]
    HeaderNotUtf8 {
        /// The header.
        place: Place,
        /// The column, counted from 1.
        column: usize,
    },
    /// A cell is not UTF-8.
    #[error("{cell}: the text is not UTF-8; save the file as UTF-8")]
    NotUtf8 {
        /// The cell.
        cell: Box<Cell>,
    },
    /// A row has more or fewer cells than the header.
    #[error(
        "{place}: found {} where the header has {expected}; complete the line, and put cells that contain a separator in quotation marks",
        counted(*found as u64, "cell")
    )]
    RaggedRow {
        /// The row.
        place: Place,
        /// Its number of cells.
        found: usize,
        /// The header's.
        expected: usize,
    },
    /// A quoted cell that never ends.
    #[error(
        "{place}: a quotation mark is opened and never closed; close it, or write \"\" for a quotation mark inside a quoted cell"
    )]
    OpenQuote {
        /// The row in which it begins.
        place: Place,
    },
    /// A file that is not Parquet, or is broken.
    #[error("could not read {} as Parquet: {source}; write the file anew", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// What the Parquet reader says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file that is no workbook after all, or is broken.
    #[error("could not read {} as an Excel workbook: {source}; save it anew, or as CSV", path.display())]
    Workbook {
        /// The file.
        path: PathBuf,
        /// What the reader says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A sheet that the workbook does not have.
    #[error("{} has no sheet {}; its sheets are {}", path.display(), quote(sheet), list(known))]
    NoSheet {
        /// The workbook.
        path: PathBuf,
        /// The sheet asked for.
        sheet: String,
        /// The sheets there are.
        known: Vec<String>,
    },
    /// A file called `.npy` that is no matrix of numbers.
    #[error("could not read {} as a matrix of numbers: {problem}; write it anew with numpy.save", path.display())]
    Matrix {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: &'static str,
    },
    /// A matrix that does not have a row for each of the table.
    #[error("{} has {rows} rows, and {} has {}; a matrix has a row for each row of the table, in the same order", matrix.display(), table.display(), if *more { "more" } else { "fewer" })]
    MatrixRows {
        /// The matrix.
        matrix: PathBuf,
        /// Its rows.
        rows: usize,
        /// The table.
        table: PathBuf,
        /// Whether the table has more.
        more: bool,
    },
    /// Lists of a column that are not all of one length.
    #[error("{}, column {}: row {row} has a list of {found} and the first has one of {expected}; write lists of one length", path.display(), quote(column))]
    ListLength {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The row, from 1.
        row: u64,
        /// Its length.
        found: usize,
        /// The first one's.
        expected: usize,
    },
    /// A Parquet column of structures, bytes or lists of other things than numbers.
    #[error("{}, column {}: the type {kind} cannot be read; store text, numbers, booleans or lists of numbers", path.display(), quote(column))]
    ColumnType {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// Its type, in the words of Arrow.
        kind: String,
    },

    /// Two columns of one name.
    #[error("{} has two columns {} (upper and lower case are the same); rename or remove one", path.display(), quote(column))]
    DuplicateColumn {
        /// The file.
        path: PathBuf,
        /// The name.
        column: String,
    },
    /// A feature without a name.
    #[error("{}: column {number} has no name; name it in the header or remove it", path.display())]
    UnnamedColumn {
        /// The file.
        path: PathBuf,
        /// The column, counted from 1.
        number: usize,
    },
    /// Some columns of a form are there and one is not.
    #[error("{} has no column {}, which is needed with {}; its columns are {}", path.display(), quote(missing), quote(beside), list(found))]
    MissingColumn {
        /// The file.
        path: PathBuf,
        /// The column that is not there.
        missing: String,
        /// The column that asks for it.
        beside: String,
        /// The columns there are.
        found: Vec<String>,
    },
    /// Two columns say of each row which item won, and a third may say otherwise.
    #[error(
        "{} says which item is preferred in {} and {}, and has a column {} besides; rename {} to left and {} to right if {} says which is preferred, or remove or rename {} if not",
        path.display(), quote(&winners[0]), quote(&winners[1]), quote(outcome), quote(&winners[0]), quote(&winners[1]), quote(outcome), quote(outcome)
    )]
    TwoOutcomes {
        /// The file.
        path: PathBuf,
        /// The columns of the winner and of the loser.
        winners: [String; 2],
        /// The column of outcomes or of ties.
        outcome: String,
    },
    /// The header is that of no known form.
    #[error("the columns of {} are {}, but they must be {forms}; rename them", path.display(), list(found))]
    UnknownForm {
        /// The file.
        path: PathBuf,
        /// The headers that are understood.
        forms: &'static str,
        /// The columns there are.
        found: Vec<String>,
    },
    /// Votes since a date are asked for, and the table has no dates.
    #[error("{} has no column of dates; its columns are {}; name it with --columns date=COLUMN", path.display(), list(found))]
    NoDates {
        /// The file.
        path: PathBuf,
        /// The columns there are.
        found: Vec<String>,
    },
    /// An option names a column that is not there.
    #[error("{} has no feature {}; its features are {}", path.display(), quote(column), list(known))]
    UnknownColumn {
        /// The file.
        path: PathBuf,
        /// The name asked for.
        column: String,
        /// The features there are.
        known: Vec<String>,
    },

    /// A table of answers lacks a column of comparisons that another one has.
    #[error("{} has no column {}, which {} has; give both the same columns of comparisons", path.display(), quote(column), other.display())]
    SidesMissing {
        /// The table that lacks it.
        path: PathBuf,
        /// The column.
        column: String,
        /// The table that has it.
        other: PathBuf,
    },
    /// A column of comparisons has values of different kinds in two tables.
    #[error("the column {} has other values in {} than in {}; write numbers, dates or categories in both", quote(column), path.display(), other.display())]
    SidesKind {
        /// One table.
        path: PathBuf,
        /// The column.
        column: String,
        /// The other one.
        other: PathBuf,
    },
    /// Teams beside another table of answers.
    #[error("{} compares teams, and is not learned from beside another table; join the two tables", path.display())]
    SidesTeams {
        /// The table.
        path: PathBuf,
    },

    /// A role that no column has.
    #[error("there is no role {} for a column; the roles are {}", quote(role), list(known))]
    UnknownRole {
        /// What was asked for.
        role: String,
        /// The roles there are.
        known: Vec<String>,
    },
    /// A role was given to a column that is not there.
    #[error("{} has no column {}; its columns are {}", path.display(), quote(column), list(known))]
    NoSuchColumn {
        /// The file.
        path: PathBuf,
        /// The name asked for.
        column: String,
        /// The columns there are.
        known: Vec<String>,
    },
    /// The first line is data.
    #[error("the first line of {} looks like data ({}), but it must be a header with the names of the columns, such as {header}; add one", path.display(), list(found))]
    NoHeader {
        /// The file.
        path: PathBuf,
        /// What stands there.
        found: Vec<String>,
        /// A header that would do.
        header: &'static str,
    },
    /// Numbers as outcomes that may mean several things.
    #[error("{}, column {}: the outcomes {} are not understood; write left, right or tie, or 1 (left), 0 (right) and 0.5 (tie), or 1 (left) and 2 (right)", path.display(), quote(column), list(values))]
    UnknownCoding {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The values there are.
        values: Vec<String>,
    },

    /// A table of items without items.
    #[error("{} has a header but no items; write one line for each item", path.display())]
    NoItems {
        /// The file.
        path: PathBuf,
    },
    /// A table of comparisons without comparisons.
    #[error("{} has no comparisons; write at least one", path.display())]
    NoComparisons {
        /// The file.
        path: PathBuf,
    },
    /// A table of pairs, or of items, to predict without any.
    #[error("{} has no rows; write at least one", path.display())]
    NoPairs {
        /// The file.
        path: PathBuf,
    },
    /// Two items of one key.
    #[error("{place}: the key {} is already in {first}; every item needs its own key", quote(key))]
    DuplicateKey {
        /// The later item.
        place: Place,
        /// The earlier one.
        first: Position,
        /// Their key.
        key: String,
    },
    /// A value is missing.
    #[error("{cell}: the cell is empty; fill it in, or remove the line or the column")]
    EmptyCell {
        /// The cell.
        cell: Box<Cell>,
    },
    /// Text in a column of numbers.
    #[error(
        "{cell}: {} is not a number; write a number, or pass --categorical {} to treat the column as categories",
        quote(value),
        argument(&cell.column)
    )]
    NotANumber {
        /// The cell.
        cell: Box<Cell>,
        /// What it holds.
        value: String,
    },
    /// A cell that is no answer of the kind of its column.
    #[error("{cell}: {} {must}", quote(value))]
    NotAnAnswer {
        /// The cell.
        cell: Box<Cell>,
        /// What it holds.
        value: String,
        /// What it must be.
        must: String,
    },
    /// The value "NaN".
    #[error(
        "{cell}: {} means a missing value; write a number, or remove the line or the column",
        quote(value)
    )]
    NaN {
        /// The cell.
        cell: Box<Cell>,
        /// What it holds.
        value: String,
    },
    /// The value "inf".
    #[error(
        "{cell}: {} is not finite; write a finite number, or remove the line or the column",
        quote(value)
    )]
    Infinite {
        /// The cell.
        cell: Box<Cell>,
        /// What it holds.
        value: String,
    },
    /// A number beyond the range of `f64`, or so large that its square is.
    #[error(
        "{cell}: {} is too large to compute with; give the column in a larger unit, with values up to 1e150",
        quote(value)
    )]
    TooLarge {
        /// The cell.
        cell: Box<Cell>,
        /// What it holds.
        value: String,
    },

    /// A key that no item has.
    #[error("{cell}: there is no item {} in {}; {}", quote(key), items.display(), remedy(suggestion.as_deref()))]
    UnknownItem {
        /// The cell.
        cell: Box<Cell>,
        /// The key in it.
        key: String,
        /// The file of the items.
        items: PathBuf,
        /// The key that was probably meant.
        suggestion: Option<Box<str>>,
    },
    /// A comparison of an item with itself.
    #[error("{place}: the item {} is compared with itself; name two different items", quote(key))]
    SameItem {
        /// The row.
        place: Place,
        /// The item's key.
        key: String,
    },
    /// A ranking that names an item twice.
    #[error("{place}: the item {} appears in the ranking twice; keep one", quote(key))]
    RepeatedItem {
        /// The row.
        place: Place,
        /// The item's key.
        key: String,
    },
    /// Neither chosen nor not.
    #[error(
        "{cell}: {} is neither 1 (chosen) nor 0 (not chosen) nor -1 (the worst); write one of them",
        quote(value)
    )]
    NotChosen {
        /// The cell.
        cell: Box<Cell>,
        /// What it holds.
        value: String,
    },
    /// A rank that is no whole number from 1 on.
    #[error("{cell}: {} is no rank; write 1 for the best option, 2 for the next one and so on", quote(value))]
    NotARank {
        /// The cell.
        cell: Box<Cell>,
        /// What it holds.
        value: String,
    },
    /// A task in which no option was chosen.
    #[error(
        "{place}: in the task that begins here no option is chosen; mark one with 1, leave the task out, or, if none of these could be chosen, give every task an option without attributes for that"
    )]
    NothingChosen {
        /// The first row of the task.
        place: Place,
    },
    /// A ranking with an item missing beside `>` or `=`.
    #[error("{cell}: {} is no ranking; write keys with > or = between them, such as a > b = c", quote(value))]
    NotARanking {
        /// The cell.
        cell: Box<Cell>,
        /// What it holds.
        value: String,
    },
    /// A place in a ranking is empty and a later one is not.
    #[error("{cell}: the cell is empty though later ranks are filled; move the later items up")]
    RankingGap {
        /// The empty cell.
        cell: Box<Cell>,
    },
    /// An outcome that cannot be understood.
    #[error(
        "{cell}: {} is no outcome; write left, right, tie (or draw, or =), {} or {}",
        quote(value),
        quote(left),
        quote(right)
    )]
    NotAnOutcome {
        /// The cell.
        cell: Box<Cell>,
        /// What it holds.
        value: String,
        /// The key of the item on the left.
        left: Box<str>,
        /// The key of the item on the right.
        right: Box<str>,
    },
    /// A table of ratings, values or labels where comparisons are needed.
    #[error("{} has answers about single items, and comparisons of two are needed; name a table of comparisons", path.display())]
    NotComparisons {
        /// The file.
        path: PathBuf,
    },
    /// What was chosen was not among the options.
    #[error(
        "{cell}: {} is not among the options of its line; add it there or correct the choice",
        quote(key)
    )]
    NotOffered {
        /// The cell.
        cell: Box<Cell>,
        /// The item.
        key: String,
    },
    /// A rating or a value that is no number.
    #[error(
        "{cell}: {} is not a number; write one such as 3.5 (a value may be a bound, >3.5 or <3.5)",
        quote(value)
    )]
    NotAValue {
        /// The cell.
        cell: Box<Cell>,
        /// What it holds.
        value: String,
    },
    /// A cell of a column of dates that is none.
    #[error(
        "{cell}: {} is no date, and other cells of this column are; write 2026-01-31, with a time after it if you like",
        quote(value)
    )]
    NotADate {
        /// The cell.
        cell: Box<Cell>,
        /// What it holds.
        value: String,
    },
    /// A cell of a column of numbers that is none.
    #[error("{cell}: {} is no number, and most other cells of this column are", quote(value))]
    NotOneOfNumbers {
        /// The cell.
        cell: Box<Cell>,
        /// What it holds.
        value: String,
    },
    /// A label that is none.
    #[error("{cell}: {} is not a label; write yes or no (or true and false, 1 and 0)", quote(value))]
    NotALabel {
        /// The cell.
        cell: Box<Cell>,
        /// What it holds.
        value: String,
    },
    /// All labels are of one class, and nothing else is said.
    #[error("every label in {} is \"{}\"; add items with the other label", path.display(), if *positive { "yes" } else { "no" })]
    OneLabel {
        /// The file.
        path: PathBuf,
        /// Which class.
        positive: bool,
    },
    /// A noise that is none.
    #[error(
        "{cell}: {} is not a noise; write a positive number, 1 for an answer as noisy as others",
        quote(value)
    )]
    NotANoise {
        /// The cell.
        cell: Box<Cell>,
        /// What it holds.
        value: String,
    },
    /// So many distinct ratings are values.
    #[error("{} has {ratings} different ratings, more than 100; call the column \"value\" instead of \"rating\"", path.display())]
    ManyRatings {
        /// The first file with ratings.
        path: PathBuf,
        /// How many there are.
        ratings: usize,
    },
    /// How much a member of a team counts, which is no number.
    #[error("{cell}: {} has a weight that is not a positive number; write NAME*0.5", quote(value))]
    NotAWeight {
        /// The cell.
        cell: Box<Cell>,
        /// The member with its weight.
        value: String,
    },
    /// A team with somebody twice.
    #[error(
        "{cell}: {} is in the team twice; name every member once, with a weight if it counts for more: NAME*2",
        quote(key)
    )]
    MemberTwice {
        /// The cell.
        cell: Box<Cell>,
        /// The member.
        key: String,
    },
    /// A probability that is none.
    #[error("{cell}: {} is not a probability; write a number from 0 to 1", quote(value))]
    NotAProbability {
        /// The cell.
        cell: Box<Cell>,
        /// What it holds.
        value: String,
    },
    /// A winner that was worse.
    #[error(
        "{cell}: {} is negative, but the winner cannot have been worse; exchange winner and loser, or call the columns left and right",
        quote(value)
    )]
    NegativeDifference {
        /// The cell.
        cell: Box<Cell>,
        /// What it holds.
        value: String,
    },
    /// A count that is no count.
    #[error("{cell}: {} is not a count; write a positive number up to {}", quote(value), u32::MAX)]
    NotACount {
        /// The cell.
        cell: Box<Cell>,
        /// What it holds.
        value: String,
    },

    /// The file is not a safetensors file.
    #[error("{} is not a model file ({detail}); name a file written by rather", path.display())]
    NotSafetensors {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// The end of a model file is not there.
    #[error("{} is cut off: it has {found} bytes and needs at least {expected}; copy it or make it again", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// The bytes there are.
        found: u64,
        /// The bytes there must be at least.
        expected: u64,
    },
    /// A safetensors file of another program.
    #[error("{} is a safetensors file but not a model of rather; name a file written by rather", path.display())]
    NotAModel {
        /// The file.
        path: PathBuf,
    },
    /// A model file of a later version.
    #[error(
        "{} was written by a newer rather (model version {version}; this program reads up to {supported}): update the program",
        path.display()
    )]
    NewerModel {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u64,
        /// The latest version that can be read.
        supported: u64,
    },
    /// The bytes of a model file are not those that were written.
    #[error("{} is damaged: its checksum is not that of its contents; copy it again, or make the model again", path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
    },
    /// The environment variable with the memory allowed is no number of bytes.
    #[error(
        "the environment variable RATHER_MEMORY is {}, which is no number of bytes; write one such as 8G",
        quote(value)
    )]
    MemoryVariable {
        /// What it holds.
        value: String,
    },
    /// Rebuilding the model takes more memory than is allowed.
    #[error(
        "the model in {} needs about {needed} of memory, and {allowed} are allowed; if you trust the file, allow more with the environment \
         variable RATHER_MEMORY, such as RATHER_MEMORY=16G",
        path.display()
    )]
    ModelMemory {
        /// The file.
        path: PathBuf,
        /// Memory needed.
        needed: String,
        /// Memory allowed.
        allowed: String,
    },
    /// The header of a model file is damaged.
    #[error("the header of {} is damaged ({detail}); make the model again", path.display())]
    DamagedHeader {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// A tensor of a model file is not what it must be.
    #[error("the tensor {} of {} {fault}; make the model again", quote(tensor), path.display())]
    DamagedTensor {
        /// The file.
        path: PathBuf,
        /// The tensor's name.
        tensor: String,
        /// What is wrong with it.
        fault: TensorFault,
    },
}

/// What was tried with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Action {
    Read,
    Write,
}

impl std::fmt::Display for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
        })
    }
}

/// What is wrong with a tensor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TensorFault {
    /// An infinity or NaN.
    #[error("has a number that is not finite at index {0}")]
    NotFinite(usize),
    /// Neither `f64` nor `u64`.
    #[error("has the type {0} instead of F64 or U64")]
    Type(String),
    /// A shape that does not hold as many numbers as there are.
    #[error("has {found} numbers where its shape {shape:?} needs another count")]
    Shape {
        /// The shape.
        shape: Vec<usize>,
        /// How many numbers there are.
        found: usize,
    },
    /// A name that the format keeps for itself.
    #[error("has a name that safetensors keeps for itself")]
    Name,
}

impl Error {
    /// The operating system refused to read or write `path`.
    pub(crate) fn io(action: Action, path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match (source.kind(), action) {
            (io::ErrorKind::NotFound, Action::Read) => Self::NotFound { path },
            (io::ErrorKind::NotFound, Action::Write) if !folder_exists(&path) => {
                Self::FolderNotFound { path }
            }
            (io::ErrorKind::IsADirectory, _) => Self::IsFolder { path },
            (io::ErrorKind::PermissionDenied, _) => Self::NotPermitted { action, path },
            _ => Self::Io { action, path, source },
        }
    }
}

/// Whether the folder that a file is to be written into is there.
fn folder_exists(path: &Path) -> bool {
    match path.parent() {
        Some(folder) => folder.as_os_str().is_empty() || folder.exists(),
        None => true,
    }
}

/// A column's name as a shell takes it.
fn argument(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.chars().all(plain) { name.to_owned() } else { quote(name) }
}

/// What to do about an unknown key.
fn remedy(suggestion: Option<&str>) -> String {
    match suggestion {
        Some(key) => format!("did you mean {}?", quote(key)),
        None => "add the item or correct the key".to_owned(),
    }
}

/// Errors are returned by value through hot loops, so they must stay small.
const _: () = assert!(std::mem::size_of::<Error>() <= 128);

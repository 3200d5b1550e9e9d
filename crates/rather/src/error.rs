//! Everything that can be wrong with what a caller hands to the library.

/// An error of the library. Each variant carries the datum to blame, and its message says what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The call was told to end before it had anything to return ([`rather_numerics::watch`]).
    #[error("the call was ended before it was done")]
    Cancelled,
    /// Two arguments that must have the same length do not.
    #[error("{what} has {found} entries where {expected} are needed")]
    Length {
        /// Which argument.
        what: &'static str,
        /// The length it must have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// A parameter is not a number in its allowed range.
    #[error("{name} = {value} is not allowed: {requirement}")]
    Parameter {
        /// The parameter's name.
        name: String,
        /// Its value.
        value: f64,
        /// What it must be.
        requirement: &'static str,
    },
    /// A feature that a kernel or a table asks for is not there.
    #[error("there is no feature called \"{name}\"; the features are {known}")]
    UnknownFeature {
        /// The name asked for.
        name: String,
        /// The names there are, joined by commas.
        known: String,
    },
    /// A kernel expression breaks the rules of its language.
    #[error("in the kernel expression, {expected} is expected at character {position}, not {found}")]
    KernelSyntax {
        /// The character's number, from 1.
        position: usize,
        /// What is there.
        found: String,
        /// What should be there.
        expected: &'static str,
    },
    /// A kernel expression has parentheses inside parentheses beyond a limit.
    #[error("in the kernel expression, more than {limit} parentheses are open at character {position}")]
    KernelDepth {
        /// The character's number, from 1.
        position: usize,
        /// How many may be open.
        limit: usize,
    },
    /// A kernel expression holds a name that is no kernel.
    #[error("there is no kernel called \"{name}\"; {}the kernels are {known}", meant.map(|meant| format!("did you mean {meant}? ")).unwrap_or_default())]
    UnknownKernel {
        /// The name.
        name: String,
        /// The kernel that others call so.
        meant: Option<&'static str>,
        /// The names there are, joined by commas.
        known: String,
    },
    /// A kernel is given a feature of the other kind.
    #[error("the kernel {kernel} acts on {needed}, but the feature \"{feature}\" has {}", other_kind(needed))]
    KernelFeature {
        /// The kernel's name.
        kernel: &'static str,
        /// The feature.
        feature: String,
        /// `numbers` or `categories`.
        needed: &'static str,
    },
    /// A term of a kernel is the same on both sides of every comparison.
    #[error(
        "the term {term} is the same on both sides of every comparison, so it cancels; multiply it by white[item], or by a column that differs \
         between the sides"
    )]
    KernelCancels {
        /// The term.
        term: String,
    },
    /// A kernel of features meets items that have none.
    #[error("the kernel {kernel} needs {needed}features, and the items have none; `white` needs none")]
    NoFeatures {
        /// The kernel's name.
        kernel: &'static str,
        /// `numeric ` or `categorical ` if there are features of the other kind only, else nothing.
        needed: &'static str,
    },
    /// A kernel from elsewhere does not fit together, or does not fit the items.
    #[error("the kernel {kernel} cannot be used: {problem}")]
    KernelShape {
        /// The kernel's name.
        kernel: &'static str,
        /// What is wrong.
        problem: &'static str,
    },
    /// A hyperparameter that a caller names is not there.
    #[error("there is no hyperparameter called \"{name}\"; this kernel's are {known}")]
    UnknownParameter {
        /// The name asked for.
        name: String,
        /// The names there are, joined by commas.
        known: String,
    },
    /// A feature holds another kind of values than when it was learned.
    #[error("the feature \"{name}\" must have {expected}, as in the items the model was learned from")]
    FeatureKind {
        /// The feature.
        name: String,
        /// `numbers` or `categories`.
        expected: &'static str,
    },
    /// A category that was not learned from is asked about where it must be one of these.
    #[error("the feature \"{feature}\" has no category \"{category}\"; the categories are {known}")]
    UnknownCategory {
        /// The feature.
        feature: String,
        /// The category asked for.
        category: String,
        /// The categories there are, joined by commas.
        known: String,
    },
    /// A number is so far from those learned from that standardised it is no longer finite.
    #[error(
        "the feature \"{name}\" of item {item} (counted from 0) is too far from the values the model was learned from"
    )]
    FeatureRange {
        /// The feature.
        name: String,
        /// The item.
        item: usize,
    },
    /// A number is missing where that has no meaning: in a column of comparisons, or where features are used as they are.
    #[error(
        "the value of \"{name}\" in row {item} (counted from 0) is missing; give it, or leave the column out"
    )]
    MissingValue {
        /// The column.
        name: String,
        /// The item.
        item: usize,
    },
    /// Things that cannot be combined.
    #[error(transparent)]
    Unsupported(#[from] crate::Unsupported),
    /// There is nothing to learn from.
    #[error("there is no comparison to learn from")]
    NoComparisons,
    /// An inducing point that was never compared.
    #[error("item {item} cannot be an inducing point: it was never compared")]
    InducingItem {
        /// The item, as a position in its table.
        item: usize,
    },
    /// Nothing fits into the memory allowed.
    #[error("a fit of so many items and comparisons needs at least {}, and {} are allowed; allow more", bytes(*.needed), bytes(*.allowed))]
    Memory {
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
    /// A comparison names an item that is not there.
    #[error(
        "comparison {row} (counted from 0) names item {item}, but there are {items} items, counted from 0"
    )]
    UnknownItem {
        /// The comparison.
        row: usize,
        /// The item it names.
        item: usize,
        /// Number of items.
        items: usize,
    },
    /// An item is compared with itself.
    #[error("comparison {row} (counted from 0) compares item {item} with itself")]
    SelfComparison {
        /// The comparison.
        row: usize,
        /// The item.
        item: usize,
    },
    /// An answer that is not valid.
    #[error("answer {row} (counted from 0) {problem}")]
    Answer {
        /// The answer.
        row: usize,
        /// What is wrong.
        problem: &'static str,
    },
    /// An answer names a user that is not there.
    #[error("answer {row} (counted from 0) is of user {user}, but there are {users} users, counted from 0")]
    UnknownUser {
        /// The answer.
        row: usize,
        /// The user it names.
        user: usize,
        /// Number of users.
        users: usize,
    },
    /// A prediction is asked for a user that the model has not met.
    #[error(
        "the model knows {users} users, counted from 0, and user {user} is not among them; predict for a new user \
         from features, answers or both"
    )]
    NewUser {
        /// The user asked for.
        user: usize,
        /// Number of users.
        users: usize,
    },
    /// A model of many users is asked for something that it cannot do.
    #[error("the {model} model {problem}")]
    ManyUsers {
        /// The model's name.
        model: &'static str,
        /// What it lacks, and what to do.
        problem: &'static str,
    },
    /// Users times items make more features than the Kronecker model can hold.
    #[error(
        "the kronecker model would need {features} features of users times items, and its limit is {limit}; use the \
         collaborative model, or fewer users or items"
    )]
    KroneckerSize {
        /// Features of users times features of items.
        features: usize,
        /// How many there may be.
        limit: usize,
    },
    /// The parts of a saved model do not fit together.
    #[error("the model is broken: {what}; fit it again")]
    ModelParts {
        /// What does not fit.
        what: &'static str,
    },
    /// A kernel gave a covariance that is not a finite number.
    #[error(
        "the kernel's covariance is not finite at these hyperparameters; bring the features to a common scale"
    )]
    Covariance,
    /// The posterior could not be computed.
    #[error(
        "the posterior is not a finite number at these hyperparameters; fix the noise or the variance nearer to 1"
    )]
    Inference,
    /// There are more comparisons than exact inference can hold.
    #[error(
        "exact inference is limited to {limit} comparisons, repeated ones included, but there are {comparisons}; \
         expectation propagation has no such limit"
    )]
    ExactSize {
        /// Number of comparisons, repeated ones counted.
        comparisons: f64,
        /// How many there may be.
        limit: usize,
    },
    /// A kind of kernel whose name is taken.
    #[error("there is a kernel called {name} already; give yours another name")]
    KernelName {
        /// The name.
        name: &'static str,
    },
    /// A kind of answer whose name or column is taken.
    #[error(
        "there is a kind of answer called {name} already, or one with its column; give yours another name"
    )]
    ResponseName {
        /// The name.
        name: &'static str,
    },
    /// Comparisons of unseen items can only be predicted from their features.
    #[error("items can be held out only if they have features for prediction, and these have none")]
    HoldOut,
    /// Holding out a part of the items leaves nothing to learn from.
    #[error(
        "every comparison names an item of part {part} of {parts}, which leaves nothing to learn from when these items \
         are held out; take more parts"
    )]
    EmptyTraining {
        /// The part, from 1.
        part: usize,
        /// Number of parts.
        parts: usize,
    },
    /// Accept-reject sampling accepts next to nothing.
    #[error(
        "minimax tilting accepted {accepted} of {proposals} proposals; use elliptical slice sampling for \
         these comparisons"
    )]
    Acceptance {
        /// How many proposals were accepted.
        accepted: usize,
        /// How many were made.
        proposals: usize,
    },
    /// Too many answers for one pass of streaming inference.
    #[error(
        "streaming inference processes the answers one by one, and {answers} are too many for one fit (at most {most}); fit a part \
         of them, or use expectation propagation, for which repeated comparisons cost nothing"
    )]
    StreamSize {
        /// Number of answers.
        answers: u64,
        /// How many there may be.
        most: u64,
    },
    /// The basis of a streaming model cannot be used.
    #[error("the basis {problem}")]
    Basis {
        /// What is wrong, and what to do.
        problem: &'static str,
    },
    /// There is no acquisition function of a name.
    #[error("there is no acquisition function called \"{name}\"; there are {known}")]
    UnknownAcquisition {
        /// The name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The setting of an acquisition function is out of range.
    #[error("in \"{acquisition}\", expected after the colon: {expected}")]
    AcquisitionSetting {
        /// The acquisition function with its setting.
        acquisition: String,
        /// What should be there.
        expected: String,
    },
    /// There is no such rule for the opponent.
    #[error("there is no opponent called \"{name}\"; there are winner, best and any")]
    UnknownOpponent {
        /// The name.
        name: String,
    },
    /// A choice among more than two is asked for as a comparison.
    #[error("{acquisition} chooses among {q} items, and a comparison has two; use qeubo:2 or eubo")]
    ChoiceOfTwo {
        /// The acquisition function.
        acquisition: String,
        /// Number of items to choose among.
        q: usize,
    },
    /// An acquisition function scores challengers only.
    #[error(
        "{acquisition} scores a challenger of a given opponent, so it cannot choose among all pairs; set the opponent \
         to best or winner"
    )]
    NeedsOpponent {
        /// The acquisition function.
        acquisition: String,
    },
    /// The utility of a candidate cannot be computed.
    #[error(
        "a utility is not a finite number: the features of an item are too far from those of the items learned from"
    )]
    UtilityNotFinite,
    /// A domain has no two settings to compare.
    #[error("the domain {problem}; give it at least two settings")]
    Domain {
        /// What is wrong.
        problem: &'static str,
    },
    /// A setting lies outside its domain.
    #[error(
        "coordinate {dimension} (counted from 0) of a setting is {value}, which its dimension does not have"
    )]
    Setting {
        /// The coordinate.
        dimension: usize,
        /// Its value.
        value: f64,
    },
    /// An item is not in its pool.
    #[error("the pool has no item {item}: it has {items}, counted from 0")]
    PoolItem {
        /// The item.
        item: usize,
        /// Number of items.
        items: usize,
    },
    /// A pool has no two items to compare.
    #[error("the pool has {items} items, and a comparison needs two; add items")]
    PoolSize {
        /// Number of items.
        items: usize,
    },
}

fn other_kind(needed: &str) -> &'static str {
    if needed == "numbers" { "categories" } else { "numbers" }
}

/// A number of bytes in words: `1.5 GiB`, `300 MiB`, `600 KiB`.
pub fn bytes(count: u64) -> String {
    match count as f64 / f64::from(1 << 20) {
        mebi if mebi >= 1024.0 => format!("{:.1} GiB", mebi / 1024.0),
        mebi if mebi >= 10.0 => format!("{mebi:.0} MiB"),
        mebi => format!("{:.0} KiB", 1024.0 * mebi),
    }
}

impl From<rather_numerics::watch::Cancelled> for Error {
    fn from(_: rather_numerics::watch::Cancelled) -> Self {
        Self::Cancelled
    }
}

//! What can be wrong with what a figure is asked to show.

/// Why a figure could not be drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to draw.
    #[error("there is nothing to draw: {what} is empty")]
    Empty {
        /// What has no entry.
        what: &'static str,
    },
    /// Two lists that belong together differ in length.
    #[error("{what} has {found} entries where {expected} are needed")]
    Length {
        /// Which list.
        what: &'static str,
        /// The length it must have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// A number is infinite or none at all.
    #[error("{what} has a value that is not a finite number, at position {index}")]
    NotFinite {
        /// Which list.
        what: &'static str,
        /// Where.
        index: usize,
    },
    /// A number is outside the range in which it means something.
    #[error("{what} must be {requirement}, not {value}")]
    Range {
        /// Which number.
        what: &'static str,
        /// What it must be.
        requirement: &'static str,
        /// What it is.
        value: f64,
    },
    /// The model does not have the feature.
    #[error("there is no feature called \"{name}\"; the model's features are {known}")]
    UnknownFeature {
        /// The name asked for.
        name: String,
        /// The names there are, joined by commas.
        known: String,
    },
    /// The model has no features at all.
    #[error(
        "the model has no features: its items are known by name only; plot the ranking or the choices instead"
    )]
    NoFeatures,
    /// The feature has categories where a map needs numbers.
    #[error("\"{name}\" has categories, and {figure} needs numbers; plot its utility instead")]
    Categories {
        /// The feature.
        name: String,
        /// What was to be drawn.
        figure: &'static str,
    },
    /// The model has no time.
    #[error(
        "careers need comparisons with a time, such as a column date, in the kernel: `white[item] + white[item]*wiener[date]`"
    )]
    NoTime,
    /// A map of a feature over itself.
    #[error("a map needs two different features, and both are \"{name}\"")]
    SameFeature {
        /// The feature.
        name: String,
    },
    /// The model does not have the hyperparameter.
    #[error("there is no hyperparameter called \"{name}\"; the model's are {known}")]
    UnknownHyperparameter {
        /// The name asked for.
        name: String,
        /// The names there are, joined by commas.
        known: String,
    },
    /// A name that means several hyperparameters.
    #[error("\"{name}\" means {matches}; name one of them")]
    AmbiguousHyperparameter {
        /// The name asked for.
        name: String,
        /// What it may mean, joined by commas.
        matches: String,
    },
    /// A surface of a hyperparameter over itself.
    #[error("the evidence surface needs two different hyperparameters, and both are \"{name}\"")]
    SameHyperparameter {
        /// Its name.
        name: String,
    },
    /// The evidence could be computed nowhere on the grid.
    #[error("inference failed at every setting of the grid; ask for a smaller range of hyperparameters")]
    NoEvidence,
    /// The picture could not be made of the drawing.
    #[error("the picture could not be made: {reason}")]
    Picture {
        /// What the renderer said.
        reason: String,
    },
    /// The library could not tell what is to be drawn.
    #[error(transparent)]
    Model(#[from] rather::Error),
}

/// That `values` are finite.
pub(crate) fn finite(what: &'static str, values: &[f64]) -> Result<(), Error> {
    match values.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(Error::NotFinite { what, index }),
        None => Ok(()),
    }
}

/// That `values` are finite, and `expected` in number.
pub(crate) fn column(what: &'static str, values: &[f64], expected: usize) -> Result<(), Error> {
    if values.len() != expected {
        return Err(Error::Length { what, expected, found: values.len() });
    }
    finite(what, values)
}

/// That there is something.
pub(crate) fn not_empty<T>(what: &'static str, values: &[T]) -> Result<(), Error> {
    if values.is_empty() { Err(Error::Empty { what }) } else { Ok(()) }
}

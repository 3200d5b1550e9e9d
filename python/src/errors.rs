//! Errors of the library as exceptions: one class a kind, all in `rather/errors.py`, where they may have two bases.

use pyo3::PyErr;
use pyo3::prelude::*;

/// The exception for an error of the library.
pub(crate) fn of_library(error: rather::Error) -> PyErr {
    named(class_of(&error), error.to_string())
}

fn class_of(error: &rather::Error) -> &'static str {
    use rather::{Error as E, Unsupported};
    match error {
        E::KernelSyntax { .. }
        | E::KernelDepth { .. }
        | E::UnknownKernel { .. }
        | E::KernelFeature { .. }
        | E::NoFeatures { .. }
        | E::KernelShape { .. }
        | E::Unsupported(Unsupported::Representation) => "KernelError",
        E::InducingItem { .. } | E::Unsupported(Unsupported::FullCovariance) => "ParameterError",
        E::Parameter { .. } | E::UnknownParameter { .. } | E::Unsupported(Unsupported::StreamingNoise) => {
            "HyperparameterError"
        }
        E::UnknownItem { .. } | E::PoolItem { .. } => "UnknownItemError",
        E::UnknownUser { .. } | E::NewUser { .. } => "UnknownUserError",
        E::UnknownFeature { .. }
        | E::UnknownCategory { .. }
        | E::FeatureKind { .. }
        | E::FeatureRange { .. } => "FeatureError",
        E::Covariance | E::Inference | E::UtilityNotFinite | E::Acceptance { .. } => "InferenceError",
        E::ExactSize { .. }
        | E::StreamSize { .. }
        | E::KroneckerSize { .. }
        | E::Unsupported(Unsupported::SparseCovariance) => "SizeError",
        E::UnknownAcquisition { .. }
        | E::AcquisitionSetting { .. }
        | E::UnknownOpponent { .. }
        | E::ChoiceOfTwo { .. }
        | E::NeedsOpponent { .. } => "AcquisitionError",
        E::ModelParts { .. } => "ModelFileError",
        _ => "DataError",
    }
}

/// The exception for an error of a study.
pub(crate) fn of_study(error: rather_study::Error) -> PyErr {
    use rather_study::Error as E;
    let class = match &error {
        E::NotFound { .. }
        | E::IsFolder { .. }
        | E::FolderNotFound { .. }
        | E::NotPermitted { .. }
        | E::Empty { .. }
        | E::NotADatabase { .. }
        | E::NotAStudy { .. }
        | E::Newer { .. }
        | E::Truncated { .. }
        | E::Damaged { .. }
        | E::UnknownKind { .. }
        | E::Busy { .. }
        | E::DiskFull { .. }
        | E::Sqlite { .. } => "StudyFileError",
        E::NotUtf8 { .. } | E::Definition { .. } | E::Fault(_) => "DefinitionError",
        E::UnknownParticipant { .. } => "UnknownUserError",
        E::Alternative(_) => "UnknownItemError",
        E::UnknownAnswer { .. }
        | E::NoOption { .. }
        | E::SameExtremes { .. }
        | E::NotShown { .. }
        | E::Goal { .. } => "ParameterError",
        E::SelfComparison { .. } | E::Line { .. } | E::File(_) => "DataError",
        E::Learning(error) => class_of(error),
        _ => "StudyError",
    };
    named(class, for_python(&error.to_string()))
}

/// A study's sentence with what to do in Python instead of in the program. Only its last part says what to do; what is before
/// may hold the user's own words.
fn for_python(sentence: &str) -> String {
    const WORDS: [(&str, &str); 4] = [
        ("--study", "name="),
        ("--participant", "participant="),
        ("--format", "format="),
        ("--again", "again=True"),
    ];
    let (what, remedy) = match sentence.rfind("; ") {
        Some(at) => sentence.split_at(at),
        None => ("", sentence),
    };
    let remedy = WORDS.iter().fold(remedy.to_owned(), |text, (from, to)| text.replace(from, to));
    let remedy = match remedy.split_once("`rather study new") {
        Some((before, _)) => format!("{before}rather.Study.create"),
        None => remedy,
    };
    format!("{what}{remedy}")
}

/// The exception for an error of a file.
pub(crate) fn of_file(error: rather_io::Error) -> PyErr {
    named("ModelFileError", error.to_string())
}

/// The exception for what cannot be drawn.
pub(crate) fn of_figure(error: rather_plot::Error) -> PyErr {
    named("FigureError", error.to_string())
}

/// A fault of the items or comparisons.
pub(crate) fn data(message: String) -> PyErr {
    named("DataError", message)
}

/// An exception of the class called `class`.
pub(crate) fn named(class: &str, message: String) -> PyErr {
    Python::attach(|py| {
        let made = py
            .import("rather.errors")
            .and_then(|module| module.getattr(class))
            .and_then(|class| class.call1((message,)));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}

//! Errors of the library as exceptions: one class a kind, all in `rather/errors.py`, where they may have two bases.

use pyo3::PyErr;
use pyo3::prelude::*;

/// The exception for an error of the library.
pub(crate) fn of_library(error: rather::Error) -> PyErr {
    use rather::Error as E;
    let class = match &error {
        E::KernelSyntax { .. }
        | E::KernelDepth { .. }
        | E::UnknownKernel { .. }
        | E::KernelFeature { .. }
        | E::NoFeatures { .. }
        | E::KernelShape { .. }
        | E::SparseKernel => "KernelError",
        E::Representation { .. } | E::InducingItem { .. } => "ParameterError",
        E::Parameter { .. } | E::UnknownParameter { .. } | E::StreamNoise => "HyperparameterError",
        E::UnknownItem { .. } | E::PoolItem { .. } => "UnknownItemError",
        E::UnknownUser { .. } | E::NewUser { .. } => "UnknownUserError",
        E::UnknownFeature { .. } | E::FeatureKind { .. } | E::FeatureRange { .. } => "FeatureError",
        E::Covariance | E::Inference | E::Acceptance { .. } => "InferenceError",
        E::ExactSize { .. } | E::StreamSize { .. } | E::KroneckerSize { .. } | E::SparseBelief => "SizeError",
        E::UnknownAcquisition { .. }
        | E::AcquisitionSetting { .. }
        | E::UnknownOpponent { .. }
        | E::ChoiceOfTwo { .. }
        | E::NeedsOpponent { .. } => "AcquisitionError",
        E::ModelParts { .. } => "ModelFileError",
        _ => "DataError",
    };
    named(class, error.to_string())
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

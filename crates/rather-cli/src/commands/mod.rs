//! The commands, one a file.

pub(crate) mod evaluate;
pub(crate) mod fit;
pub(crate) mod predict;
pub(crate) mod rank;

//! The commands, one a file.

pub(crate) mod arena;
pub(crate) mod check;
pub(crate) mod evaluate;
pub(crate) mod explain;
pub(crate) mod fit;
pub(crate) mod licenses;
pub(crate) mod plot;
pub(crate) mod predict;
pub(crate) mod rank;
pub(crate) mod report;
pub(crate) mod segments;
pub(crate) mod shares;
pub(crate) mod sort;
pub(crate) mod studio;
pub(crate) mod study;
pub(crate) mod suggest;

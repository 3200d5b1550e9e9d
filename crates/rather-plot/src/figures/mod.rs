//! The figures, one a file.

pub(crate) mod acquisition;
pub(crate) mod careers;
pub(crate) mod choice_map;
pub(crate) mod choices;
pub(crate) mod classification;
pub(crate) mod effect;
pub(crate) mod evidence;
pub(crate) mod factor_graph;
pub(crate) mod learning_curve;
pub(crate) mod map;
pub(crate) mod ranking;
pub(crate) mod regression;
pub(crate) mod reliability;
pub(crate) mod segments;
pub(crate) mod users;
pub(crate) mod utility;

//! Houlsby, Huszár, Ghahramani and Hernández-Lobato (2012), *Collaborative Gaussian processes for preference learning*, and
//! what others published on the same data with models of many users.

pub(crate) mod abbasnejad;
mod data;
pub(crate) mod evidence;
mod measure;
mod methods;
pub(crate) mod newcomers;
mod protocol;
mod published;
mod r_random;
mod results;
pub(crate) mod sushi_crowd;
pub(crate) mod table2;
pub(crate) mod table3;

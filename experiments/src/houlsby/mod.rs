//! Houlsby, Huszár, Ghahramani and Hernández-Lobato (2012), *Collaborative Gaussian processes for preference learning*.

mod data;
mod methods;
mod protocol;
mod published;
mod r_random;
mod results;
pub(crate) mod table2;

//! Special functions of the normal distribution, good to the last digits.
//!
//! Arguments are pure numbers. As with the functions of `std`, an argument outside the domain, or NaN, gives NaN.

pub mod exponential;
pub mod gamma;
pub mod hermite;
pub mod legendre;
pub mod logarithm;
pub mod normal;
pub mod owen;
pub mod probit;
mod tail;
pub mod truncated;

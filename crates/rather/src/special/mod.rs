//! Special functions of the normal distribution, good to the last digits.
//!
//! Arguments are pure numbers. As with the functions of `std`, an argument outside the domain, or NaN, gives NaN.

pub mod normal;
pub mod probit;
mod tail;

//! What [`rather`](https://crates.io/crates/rather) computes with: dense and sparse linear algebra, special functions of the normal distribution,
//! random numbers, quasi-random points, an optimiser, the calendar, wide vectors, and threads whose work can be watched and ended.
//!
//! Nothing here knows of preferences. Only [`linalg`] names the linear-algebra library.

pub mod calendar;
pub mod lbfgs;
pub mod linalg;
pub mod order;
pub mod parallel;
pub mod random;
pub mod simd;
pub mod sobol;
pub mod special;
pub mod watch;

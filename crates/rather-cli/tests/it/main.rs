//! Tests of the program: its binary is run on tables in a folder of their own.

mod bad_input;
mod evaluate;
mod fit;
mod lab;
mod predict;
mod real_data;
mod robustness;

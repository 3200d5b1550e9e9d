//! Tests of the program: its binary is run on tables in a folder of their own.

mod answers;
mod arena;
mod bad_input;
mod book;
mod context;
mod evaluate;
mod exact;
mod explain;
mod first_tries;
mod fit;
mod flags;
#[cfg(target_os = "linux")]
mod interrupt;
mod lab;
mod licenses;
mod many;
mod packaging;
mod pages;
mod plot;
mod predict;
mod real_data;
mod robustness;
mod scale;
mod scores;
mod segments;
#[cfg(unix)]
mod sort;
mod streaming;
mod study;
mod study_sets;
mod suggest;
mod tables;
mod words;

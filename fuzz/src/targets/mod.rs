//! The readers, one function each.

mod definitions;
mod imports;
mod kernels;
mod models;
mod studies;
mod tables;

/// A reader, as a function of the bytes it is given.
#[derive(Debug)]
pub struct Target {
    /// Its name, and that of the folder of its corpus.
    pub name: &'static str,
    /// Reads the bytes, and asks what was read a few questions.
    pub run: fn(&[u8]),
    /// How many of a hundred inputs are for it: those that take long get fewer.
    pub share: u32,
}

const fn target(name: &'static str, run: fn(&[u8]), share: u32) -> Target {
    Target { name, run, share }
}

/// All readers.
pub const TARGETS: &[Target] = &[
    target("items", tables::items, 8),
    target("comparisons", tables::comparisons, 8),
    target("answers", tables::answers, 8),
    target("rankings", tables::answers, 7),
    target("choices", tables::answers, 7),
    target("ratings", tables::answers, 7),
    target("pairs", tables::pairs, 6),
    target("gzip", tables::gzip, 5),
    target("parquet", tables::parquet, 5),
    target("kernels", kernels::kernels, 8),
    target("models", models::models, 12),
    target("definitions", definitions::definitions, 6),
    target("import-csv", imports::csv, 4),
    target("import-jsonl", imports::jsonl, 4),
    target("import-preflib", imports::preflib, 4),
    target("studies", studies::studies, 1),
];

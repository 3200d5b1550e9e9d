//! The reader that the program is called after, for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (rather_fuzz::target(env!("CARGO_BIN_NAME")).run)(data));

//! The reader that the program is called after, for libFuzzer.
#![no_main]

use std::sync::Once;

/// Panics that a reader catches are no findings (the Parquet library has some on damaged files), so libFuzzer's hook, which ends the
/// program at any, makes way. Those that are not caught still end it.
static HOOK: Once = Once::new();

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    HOOK.call_once(|| drop(std::panic::take_hook()));
    (rather_fuzz::target(env!("CARGO_BIN_NAME")).run)(data);
});

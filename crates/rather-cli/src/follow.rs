//! Ctrl-C in a fit: learning ends with the best so far.

use rather::watch::Watch;
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The exit status of a program that Ctrl-C ended.
pub(crate) const INTERRUPTED: u8 = 130;
/// How often the signal is looked for.
const HEARTBEAT: Duration = Duration::from_millis(20);

/// From now on the first Ctrl-C asks the call to finish, and the second ends the program.
pub(crate) fn finish_on_ctrl_c(watch: Watch) {
    let stop = Arc::new(AtomicBool::new(false));
    // In this order: the first Ctrl-C finds the flag down and raises it, the second finds it up and ends the program. Where
    // signals cannot be caught, Ctrl-C ends it at once.
    let _ = flag::register_conditional_shutdown(SIGINT, INTERRUPTED.into(), Arc::clone(&stop));
    if flag::register(SIGINT, Arc::clone(&stop)).is_ok() {
        thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                thread::sleep(HEARTBEAT);
            }
            watch.finish();
        });
    }
}

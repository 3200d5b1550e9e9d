//! The studio in a real browser. Without Chromium and its driver these tests say so and pass.
//!
//! Pictures of all pages are left in `target/studio-pages`.

mod answers;
mod axe;
mod demo;
mod files;
mod grades;
mod home;
mod listening;
mod live;
mod making;
mod pages;
mod person;
mod picture;
mod player;
mod references;
mod seen;
mod sets;
mod studio;
mod tasks;
mod troubles;
mod webdriver;
mod workspace;

use tokio::sync::{Mutex, MutexGuard};

/// One browser at a time: several would only wait for each other.
static TURN: Mutex<()> = Mutex::const_new(());

async fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().await
}

//! A thread that chooses duels ahead, and finds out what to recommend, while people listen and the machine has nothing else
//! to do.

use super::activity::Activity;
use super::advice::Advices;
use rather_study::Study;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The way to the thread.
#[derive(Debug, Clone)]
pub(super) struct Planner {
    /// Participants; an empty name only wakes the thread.
    wanted: UnboundedSender<String>,
}

/// How long nobody must have come before it begins.
const REST: Duration = Duration::from_millis(10);

impl Planner {
    /// Starts a thread for the study called `name` in the file at `path`.
    ///
    /// # Errors
    /// If the operating system has no more threads.
    pub(super) fn start(
        path: &Path,
        name: &str,
        activity: &Activity,
        advices: &Arc<Advices>,
    ) -> std::io::Result<Self> {
        let (wanted, queue) = unbounded_channel();
        let (path, name) = (path.to_path_buf(), name.to_owned());
        let (own, advices) = (activity.clone(), Arc::clone(advices));
        let worker = Worker { path, name, activity: own, advices, study: None };
        let handle =
            thread::Builder::new().name("rather-planner".to_owned()).spawn(move || worker.serve(queue))?;
        let wake = wanted.downgrade();
        activity.add(handle, move || {
            if let Some(wanted) = wake.upgrade() {
                let _ = wanted.send(String::new());
            }
        });
        Ok(Self { wanted })
    }

    /// Chooses ahead for `participant`, who has just got a duel.
    pub(super) fn plan(&self, participant: &str) {
        // A planner that has ended chooses nothing ahead; asking then takes its time.
        let _ = self.wanted.send(participant.to_owned());
    }
}

struct Worker {
    path: PathBuf,
    name: String,
    activity: Activity,
    advices: Arc<Advices>,
    study: Option<Study>,
}

impl Worker {
    fn serve(mut self, mut queue: UnboundedReceiver<String>) {
        step_back();
        let mut waiting = VecDeque::new();
        while let Some(first) = queue.blocking_recv() {
            waiting.push_back(first);
            while let Some(participant) = waiting.pop_front() {
                // A choice takes a while, on all processors: it is begun where somebody comes now and then, and not between two of many.
                while !self.activity.is_ending() && !self.activity.rests(REST) {}
                if self.activity.is_ending() {
                    return;
                }
                while let Ok(other) = queue.try_recv() {
                    // Whoever got a duel last hears it longest: earlier wishes of the same person are void.
                    waiting.retain(|name| *name != other);
                    waiting.push_back(other);
                }
                if !participant.is_empty() && !waiting.contains(&participant) {
                    self.plan(&participant);
                }
            }
        }
    }

    fn plan(&mut self, participant: &str) {
        let planned = catch_unwind(AssertUnwindSafe(|| {
            if self.study.is_none() {
                self.study = Some(Study::open(&self.path, Some(&self.name))?);
            }
            let Some(study) = &mut self.study else { return Ok(()) };
            let idle = || self.activity.is_idle() && !self.activity.is_ending();
            study.plan_ahead(participant, &idle)?;
            if idle() {
                self.advices.now(study, participant)?;
            }
            Ok(())
        }));
        // Whatever went wrong goes wrong again when somebody asks, and is told then.
        if !matches!(planned, Ok(Ok::<(), rather_study::Error>(()))) {
            self.study = None;
        }
    }
}

/// Lets other threads go first, where a thread can say so.
fn step_back() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(10);
}

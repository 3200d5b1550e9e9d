//! A thread that owns a handle of a study and does one thing after the other.

use super::activity::Activity;
use crate::refusal::{Code, Refusal};
use rather_study::Study;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::thread;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

type Job = Box<dyn FnOnce(Result<&mut Study, Refusal>) + Send>;

/// The way to the thread. It ends when all ways to it are dropped.
#[derive(Debug, Clone)]
pub(super) struct Lane {
    jobs: mpsc::Sender<Job>,
    activity: Activity,
}

impl Lane {
    /// Starts a thread for the study called `name` in the file at `path`, for which up to `waiting` jobs may wait.
    ///
    /// # Errors
    /// If the operating system has no more threads.
    pub(super) fn start(
        path: &Path,
        name: &str,
        waiting: usize,
        activity: &Activity,
    ) -> Result<Self, Refusal> {
        let (jobs, queue) = mpsc::channel(waiting);
        let (path, name) = (path.to_path_buf(), name.to_owned());
        let own = activity.clone();
        let started = thread::Builder::new()
            .name("rather-lane".to_owned())
            .spawn(move || serve(queue, path, name, &own));
        let wake = jobs.downgrade();
        activity.add(started.map_err(|e| Refusal::internal(&e))?, move || {
            // A lane with a full queue looks by itself after the job at hand.
            if let Some(jobs) = wake.upgrade() {
                let _ = jobs.try_send(Box::new(|_| ()));
            }
        });
        Ok(Self { jobs, activity: activity.clone() })
    }

    /// Does `work` with the study and returns what comes of it. Work that was begun is finished even if nobody waits for it
    /// any more.
    ///
    /// # Errors
    /// What `work` returns; if too many wait; if the study cannot be opened.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Study) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let (sender, receiver) = oneshot::channel();
        let counted = self.activity.begin();
        let job: Job = Box::new(move |study| {
            let result = study.and_then(work);
            drop(counted);
            // Whoever asked may have left.
            let _ = sender.send(result);
        });
        self.jobs.try_send(job).map_err(|full| match full {
            TrySendError::Full(_) => {
                Refusal::new(Code::Busy, "too many answer this study at once; try again in a moment")
            }
            TrySendError::Closed(_) if self.activity.is_ending() => {
                Refusal::new(Code::Busy, "the studio is being stopped; try again when it runs")
            }
            TrySendError::Closed(_) => Refusal::internal(&"the thread of a study has ended"),
        })?;
        receiver.await.unwrap_or_else(|_| Err(Refusal::internal(&"the work on a study broke off")))
    }
}

fn serve(mut queue: mpsc::Receiver<Job>, path: PathBuf, name: String, activity: &Activity) {
    let mut study = None;
    loop {
        if activity.is_ending() {
            // What waits already is done; nothing more is taken.
            queue.close();
        }
        let Some(job) = queue.blocking_recv() else { break };
        if study.is_none() {
            match Study::open(&path, Some(&name)) {
                Ok(opened) => study = Some(opened),
                Err(error) => {
                    job(Err(error.into()));
                    continue;
                }
            }
        }
        let Some(open) = &mut study else { continue };
        // After a panic the handle may be between two states: the next job gets a new one.
        if catch_unwind(AssertUnwindSafe(|| job(Ok(open)))).is_err() {
            study = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rather_study::Definition;

    #[tokio::test]
    async fn a_panic_costs_one_request() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        drop(Study::create(&path, "tea", &Definition::of_items(["a", "b"])).unwrap());
        let activity = Activity::default();
        let lane = Lane::start(&path, "tea", 10, &activity).unwrap();
        assert_eq!(lane.run(|study| Ok(study.name().to_owned())).await.unwrap(), "tea");
        let broken = lane.run(|_| -> Result<(), Refusal> { panic!("a bug") }).await.unwrap_err();
        assert_eq!(broken.code, Code::Internal);
        assert_eq!(lane.run(|study| Ok(study.name().to_owned())).await.unwrap(), "tea");
        assert!(activity.is_idle());

        let missing = Lane::start(&path, "coffee", 10, &activity).unwrap();
        assert_eq!(missing.run(|_| Ok(())).await.unwrap_err().code, Code::NotFound);
    }

    #[tokio::test]
    async fn too_many_are_sent_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        drop(Study::create(&path, "tea", &Definition::of_items(["a", "b"])).unwrap());
        let lane = Lane::start(&path, "tea", 1, &Activity::default()).unwrap();
        let (release, held) = std::sync::mpsc::channel::<()>();
        let (started, begun) = oneshot::channel();
        let busy = tokio::spawn({
            let lane = lane.clone();
            async move {
                lane.run(move |_| {
                    let _ = started.send(());
                    Ok(held.recv().is_ok())
                })
                .await
            }
        });
        begun.await.unwrap();
        let waiting = tokio::spawn({
            let lane = lane.clone();
            async move { lane.run(|_| Ok(())).await }
        });
        while lane.jobs.capacity() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(lane.run(|_| Ok(())).await.unwrap_err().code, Code::Busy);
        release.send(()).unwrap();
        assert!(busy.await.unwrap().unwrap());
        waiting.await.unwrap().unwrap();
    }
}

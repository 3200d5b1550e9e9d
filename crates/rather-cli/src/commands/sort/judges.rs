//! Programs asked side by side.

use super::Asked;
use super::program::Program;
use crate::args::SortArgs;
use crate::failure::Failure;
use crate::output::{Output, say};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rather_io::quote;
use rather_study::Answer;
use rather_study::sort::{Patience, Question, Sort};
use signal_hook::consts::SIGINT;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Scope};
use std::time::Duration;

/// How often Ctrl-C is looked for while judges think.
const HEARTBEAT: Duration = Duration::from_millis(50);

/// What came back from a judge.
struct Reply {
    judge: usize,
    question: Question,
    answer: Result<Answer, String>,
}

/// What all who ask share.
struct Shared {
    keys: Vec<String>,
    questions: Mutex<Receiver<Question>>,
    replies: Sender<Reply>,
    /// Calls that were made or are due.
    calls: AtomicU64,
    /// Calls that the money is enough for.
    most_calls: u64,
    /// Judges that are not asked any more.
    retired: Vec<AtomicBool>,
    retries: u32,
}

/// Asks programs until the list is sorted well enough, the budget or the money is spent, Ctrl-C is pressed, or no judge is left.
pub(super) fn ask(
    sort: &mut Sort,
    programs: Vec<Program>,
    args: &SortArgs,
    out: &mut Output,
) -> Result<Asked, Failure> {
    let (send, questions) = channel();
    let (replies, received) = channel();
    let shared = Shared {
        keys: sort.keys().to_vec(),
        questions: Mutex::new(questions),
        replies,
        calls: AtomicU64::new(0),
        most_calls: most_calls(args),
        retired: programs.iter().map(|_| AtomicBool::new(false)).collect(),
        retries: args.retries,
    };
    let interrupted = interrupted();
    let mut desk = Desk {
        names: programs.iter().map(|program| program.name.clone()).collect(),
        patience: vec![Patience::default(); programs.len()],
        send: Some(send),
        received,
        open: Vec::new(),
        slots: programs.len() * usize::from(args.jobs),
        asked: Asked::default(),
        bar: bar(out),
    };
    thread::scope(|scope| {
        for (judge, program) in programs.iter().enumerate() {
            for _ in 0..args.jobs {
                let shared = &shared;
                work(scope, shared, judge, program);
            }
        }
        let done = desk.until_done(sort, &shared, &interrupted, usize::from(args.jobs));
        // Hearing of no more questions, they end.
        desk.send = None;
        done
    })?;
    // What a judge who is asked no more still answered.
    while let Ok(reply) = desk.received.try_recv() {
        desk.take(sort, &shared, reply, usize::from(args.jobs))?;
    }
    desk.bar.finish_and_clear();
    desk.asked.calls = shared.calls.load(Ordering::Relaxed);
    Ok(desk.asked)
}

/// A flag that the first Ctrl-C raises; the second ends the program.
fn interrupted() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let status = crate::follow::INTERRUPTED.into();
    let _ = signal_hook::flag::register_conditional_shutdown(SIGINT, status, Arc::clone(&flag));
    let _ = signal_hook::flag::register(SIGINT, Arc::clone(&flag));
    flag
}

/// Calls that the money is enough for.
fn most_calls(args: &SortArgs) -> u64 {
    match (args.price, args.spend) {
        (Some(price), Some(spend)) => (spend / price * (1.0 + 1e-12)) as u64,
        _ => u64::MAX,
    }
}

fn bar(out: &Output) -> ProgressBar {
    let bar = ProgressBar::new(0);
    bar.set_draw_target(if out.is_quiet() {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    });
    if let Ok(style) = ProgressStyle::with_template("{pos} of {len} answers {wide_bar} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar
}

/// A thread that asks `program` one question after the other.
fn work<'scope>(
    scope: &'scope Scope<'scope, '_>,
    shared: &'scope Shared,
    judge: usize,
    program: &'scope Program,
) {
    scope.spawn(move || {
        loop {
            let next = || shared.questions.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(question) = next() else { return };
            let answer = shared.compare(program, question);
            if shared.replies.send(Reply { judge, question, answer }).is_err()
                || shared.retired[judge].load(Ordering::Relaxed)
            {
                return;
            }
        }
    });
}

impl Shared {
    /// Makes a call due, if the money is enough for it.
    fn reserve(&self) -> bool {
        let one_more = |calls| (calls < self.most_calls).then_some(calls + 1);
        self.calls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok()
    }

    /// The program's answer to a call that is due; if it fails, it is asked again.
    fn compare(&self, program: &Program, question: Question) -> Result<Answer, String> {
        let (left, right) = (&self.keys[question.left], &self.keys[question.right]);
        let mut answer = program.compare(left, right);
        for _ in 0..self.retries {
            if answer.is_ok() || !self.reserve() {
                break;
            }
            answer = program.compare(left, right);
        }
        answer
    }
}

/// Where questions go out and answers come in.
struct Desk {
    names: Vec<String>,
    patience: Vec<Patience>,
    send: Option<Sender<Question>>,
    received: Receiver<Reply>,
    open: Vec<Question>,
    slots: usize,
    asked: Asked,
    bar: ProgressBar,
}

impl Desk {
    fn until_done(
        &mut self,
        sort: &mut Sort,
        shared: &Shared,
        interrupted: &AtomicBool,
        jobs: usize,
    ) -> Result<(), Failure> {
        loop {
            self.asked.interrupted = interrupted.load(Ordering::Relaxed);
            if !self.asked.interrupted {
                self.fill(sort, shared)?;
            }
            self.show(sort)?;
            if self.open.is_empty() || self.asked.nobody.is_some() {
                return Ok(());
            }
            match self.received.recv_timeout(HEARTBEAT) {
                Ok(reply) => self.take(sort, shared, reply, jobs)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            // What came in meanwhile is learned from at once.
            while let Ok(reply) = self.received.try_recv() {
                self.take(sort, shared, reply, jobs)?;
            }
        }
    }

    /// Gives questions to those who have none.
    fn fill(&mut self, sort: &mut Sort, shared: &Shared) -> Result<(), Failure> {
        let idle = self.slots.saturating_sub(self.open.len());
        if idle == 0 || shared.calls.load(Ordering::Relaxed) >= shared.most_calls {
            return Ok(());
        }
        for question in sort.questions(idle, &self.open)? {
            if shared.reserve() {
                self.ask(question);
            }
        }
        Ok(())
    }

    fn ask(&mut self, question: Question) {
        if self.send.as_ref().is_some_and(|send| send.send(question).is_ok()) {
            self.open.push(question);
        }
    }

    /// Records an answer. A question without one is asked again, as long as there is somebody to ask.
    fn take(&mut self, sort: &mut Sort, shared: &Shared, reply: Reply, jobs: usize) -> Result<(), Failure> {
        let Reply { judge, question, answer } = reply;
        if let Some(at) = self.open.iter().position(|&open| open == question) {
            self.open.swap_remove(at);
        }
        let ends = match answer {
            Ok(answer) => {
                sort.tell(&self.names[judge], question, answer)?;
                self.patience[judge].answered(answer)
            }
            Err(reason) => {
                *self.asked.failures.entry(self.names[judge].clone()).or_default() += 1;
                self.patience[judge].failed(&reason)
            }
        };
        if let Some(why) = ends.filter(|_| !shared.retired[judge].swap(true, Ordering::Relaxed)) {
            self.retire(judge, &why, jobs);
        }
        Ok(())
    }

    /// Asks a judge no more.
    fn retire(&mut self, judge: usize, why: &str, jobs: usize) {
        let sentence = format!("the judge {} {why}", quote(&self.names[judge]));
        self.slots = self.slots.saturating_sub(jobs);
        if self.slots == 0 {
            let kept = "the answers so far are in the study; the same command goes on with them";
            self.asked.nobody = Some(format!("{sentence}, and no other judge is left; {kept}"));
        } else {
            self.bar.suspend(|| say("warning", &format!("{sentence} and is not asked any more")));
        }
    }

    fn show(&self, sort: &mut Sort) -> Result<(), Failure> {
        if self.bar.is_hidden() {
            return Ok(());
        }
        let progress = sort.progress()?;
        self.bar.set_length(progress.budget);
        self.bar.set_position(progress.answers);
        self.bar.set_message(progress.reached.map_or(String::new(), |reached| format!("{reached:.2}")));
        Ok(())
    }
}

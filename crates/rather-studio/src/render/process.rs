//! Running a program for a limited time and taking a limited amount of what it writes.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What a program wrote.
#[derive(Debug)]
pub struct Output {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error, the last bytes only.
    pub stderr: Vec<u8>,
}

/// Why there is no output.
#[derive(Debug)]
pub enum Failure {
    /// It could not be started.
    Start(std::io::Error),
    /// It took too long.
    Time,
    /// It wrote too much.
    Size,
}

/// More of what a program complains about helps nobody.
const MOST_COMPLAINTS: usize = 4096;
/// How often a program that writes nothing is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Runs `command` in a process group of its own. When it is done, late, or has written too much, the whole group is
/// killed: what it started does not outlive it.
///
/// # Errors
/// [`Failure`].
pub fn run(mut command: Command, limit: Duration, most: usize) -> Result<Output, Failure> {
    let deadline = Instant::now() + limit;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().map_err(Failure::Start)?;
    let result = collect(&mut child, deadline, most);
    // The child is not waited for yet, so that its number, which is the group's, belongs to nobody else.
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let status = child.wait().map_err(Failure::Start)?;
    result.map(|(stdout, stderr)| Output { status, stdout, stderr })
}

/// Reads until the program has ended and its output with it.
fn collect(child: &mut Child, deadline: Instant, most: usize) -> Result<(Vec<u8>, Vec<u8>), Failure> {
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    loop {
        let ended = has_ended(child);
        // What was written before the end is there by now; what others of the group still write is not waited for.
        let patience = if ended { Duration::ZERO } else { LOOK };
        let (from_out, from_err) = readable(out.as_ref(), err.as_ref(), patience);
        let mut progress = false;
        if from_out {
            progress |= read_some(&mut out, &mut stdout, most)?;
        }
        if from_err {
            progress |= read_some(&mut err, &mut stderr, usize::MAX)?;
            stderr.drain(..stderr.len().saturating_sub(MOST_COMPLAINTS));
        }
        if ended && !progress {
            return Ok((stdout, stderr));
        }
        if Instant::now() >= deadline {
            return Err(Failure::Time);
        }
    }
}

/// Whether the program has ended; it stays there to be waited for.
fn has_ended(child: &Child) -> bool {
    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return true };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
}

/// Which of the two has something to read, or is at its end.
fn readable<A: std::os::fd::AsFd, B: std::os::fd::AsFd>(
    out: Option<&A>,
    err: Option<&B>,
    patience: Duration,
) -> (bool, bool) {
    let mut files = Vec::with_capacity(2);
    files.extend(out.map(|file| PollFd::new(file, PollFlags::IN)));
    files.extend(err.map(|file| PollFd::new(file, PollFlags::IN)));
    if files.is_empty() {
        std::thread::sleep(patience);
        return (false, false);
    }
    let timeout = Timespec { tv_sec: 0, tv_nsec: patience.subsec_nanos().into() };
    if !poll(&mut files, Some(&timeout)).is_ok_and(|n| n > 0) {
        return (false, false);
    }
    let mut ready = files.iter().map(|file| !file.revents().is_empty());
    (out.is_some() && ready.next() == Some(true), err.is_some() && ready.next() == Some(true))
}

/// Reads what is there; whether there was something. A file at its end is closed.
fn read_some(file: &mut Option<impl Read>, to: &mut Vec<u8>, most: usize) -> Result<bool, Failure> {
    let Some(open) = file else { return Ok(false) };
    let mut buffer = [0; 65_536];
    match open.read(&mut buffer) {
        Ok(0) => *file = None,
        Ok(n) if to.len() + n > most => return Err(Failure::Size),
        Ok(n) => {
            to.extend_from_slice(&buffer[..n]);
            return Ok(true);
        }
        Err(e) if e.kind() == std::io::ErrorKind::Interrupted => return Ok(true),
        Err(_) => *file = None,
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: u64, most: usize) -> Result<Output, Failure> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command, Duration::from_millis(limit), most)
    }

    #[test]
    fn output_is_taken_whole() {
        let output = shell("head -c 300000 /dev/zero; echo sorry >&2; exit 3", 60_000, 300_000).unwrap();
        assert_eq!((output.stdout.len(), output.status.code()), (300_000, Some(3)));
        assert_eq!(output.stderr, b"sorry\n");
        assert!(matches!(shell("head -c 300001 /dev/zero", 60_000, 300_000), Err(Failure::Size)));
    }

    #[test]
    fn the_whole_group_is_killed_when_time_is_up() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let script = format!("sleep 1000 & echo $! > {}; sleep 1000", file.display());
        let started = Instant::now();
        assert!(matches!(shell(&script, 2_000, 10), Err(Failure::Time)));
        assert!(started.elapsed() < Duration::from_secs(500));
        let pid: i32 = std::fs::read_to_string(&file).unwrap().trim().parse().unwrap();
        assert!(is_gone(pid), "the program's child outlived it");
    }

    #[test]
    fn what_is_left_in_the_background_ends_with_the_program() {
        let output = shell("sleep 1000 & echo $!", 600_000, 100).unwrap();
        assert!(is_gone(String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()));
    }

    /// Whether a process ends soon, or is a zombie that nobody has waited for yet.
    fn is_gone(pid: i32) -> bool {
        (0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
                Ok(stat) => stat.rsplit(')').next().is_some_and(|rest| rest.trim().starts_with('Z')),
                Err(_) => true,
            }
        })
    }

    #[test]
    fn a_program_that_is_not_there_is_said() {
        let missing = Command::new("/no/such/program");
        assert!(matches!(run(missing, Duration::from_secs(60), 10), Err(Failure::Start(_))));
    }
}

//! Ctrl-C: a fit ends with the best so far, everything else at once.

use crate::lab::Lab;
use crate::scale::many;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Output, Stdio};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

/// The number of the signal that Ctrl-C sends.
const SIGINT: i32 = 2;
/// A program that has not ended after this hangs. Far more than it takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// The program, which hears Ctrl-C also where whoever runs the tests does not.
fn start(lab: &Lab, line: &str) -> Child {
    let program = lab.command(line);
    let mut command = Command::new("env");
    command.arg("--default-signal=INT").arg(program.get_program()).args(program.get_args());
    command.current_dir(lab.path("")).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn interrupt(child: &Child) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
}

/// Waits for the end, and kills what hangs. What is written is read meanwhile: a full pipe would hold the program up.
fn end_of(mut child: Child, what: &str) -> Output {
    let since = Instant::now();
    let (stdout, stderr) = (drain(child.stdout.take().unwrap()), drain(child.stderr.take().unwrap()));
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if since.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{what}: Ctrl-C has not ended it");
        }
        sleep(Duration::from_millis(5));
    };
    println!("Ctrl-C ended {what} after {:.2} s", since.elapsed().as_secs_f64());
    Output { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
}

/// Everything that comes through a pipe.
fn drain(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

fn after(seconds: f64, child: &mut Child, what: &str) {
    sleep(Duration::from_secs_f64(seconds));
    assert!(child.try_wait().unwrap().is_none(), "{what}: too short to be interrupted");
    interrupt(child);
}

/// The model so far is saved and shown, and a script sees that it is not the one it asked for.
#[test]
fn an_interrupted_fit_keeps_the_best_so_far() {
    // Some ten seconds, of which the first setting takes a part. Machines differ: the signal comes later until there is something to keep.
    let lab = many(1400, 6000);
    let line = "fit items.csv duels.csv --representation full --json -o m.rather";
    let interrupted = |seconds: f64| {
        let mut child = start(&lab, line);
        after(seconds, &mut child, line);
        end_of(child, line)
    };
    let too_early = |output: &Output| String::from_utf8_lossy(&output.stderr).contains("anything to keep");
    let delays = [1.0, 2.0, 4.0, 8.0, 16.0];
    let output = delays.into_iter().map(interrupted).find(|output| !too_early(output)).unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    let fit: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let warnings = fit["warnings"].to_string();
    assert!(warnings.contains("learning was interrupted"), "{warnings}");
    assert_eq!(fit["converged"], true);
    assert_eq!(lab.ranking("m.rather")[0], fit["ranking"][0]);
}

/// Where there is nothing to show yet, nothing is written.
#[test]
fn an_interrupted_exact_fit_writes_nothing() {
    let lab = many(200, 500);
    let line = "fit items.csv duels.csv --kernel se --inference exact --samples 100000 -o m.rather";
    let mut child = start(&lab, line);
    after(1.5, &mut child, line);
    let output = end_of(child, line);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("error: interrupted before there was anything to keep"), "{said}");
    assert!(!lab.path("m.rather").exists());
}

/// Whoever cannot wait for the best so far presses again.
#[test]
fn a_second_ctrl_c_gives_up() {
    let lab = many(1400, 6000);
    let line = "fit items.csv duels.csv --representation full -o m.rather";
    let mut child = start(&lab, line);
    after(2.0, &mut child, line);
    sleep(Duration::from_millis(60));
    interrupt(&child);
    let output = end_of(child, line);
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
}

/// What writes nothing before its end has no handler: the signal ends it.
#[test]
fn ctrl_c_ends_every_long_command() {
    let lab = many(500, 3000);
    lab.text("fit items.csv duels.csv --kernel matern12 --representation full -o m.rather --quiet");
    lab.write("pairs.csv", format!("left,right\n{}", "i1,i2\ni3,i4\n".repeat(3000)));
    for line in [
        "evaluate items.csv duels.csv --representation full",
        "check m.rather --samples 100000",
        "suggest m.rather -n 9000",
        "plot m.rather evidence --grid 60 -o e.svg",
        "predict m.rather pairs.csv --sharp",
    ] {
        let mut child = start(&lab, line);
        after(1.5, &mut child, line);
        let output = end_of(child, line);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.signal(), Some(SIGINT), "{line}: {:?} {said}", output.status);
        assert!(output.stdout.is_empty() && !lab.path("e.svg").exists(), "{line}");
    }
}

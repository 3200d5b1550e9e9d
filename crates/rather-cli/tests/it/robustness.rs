//! Closed pipes, full disks, interruptions, model files of others.

use crate::lab::Lab;
use std::fs;
use std::process::Stdio;
use std::time::Duration;

#[test]
fn a_closed_pipe_is_no_error() {
    let lab = Lab::new();
    let keys: Vec<String> = (0..20_000).map(|i| format!("item{i}")).collect();
    lab.write("items.csv", format!("item\n{}\n", keys.join("\n")));
    lab.write("duels.csv", "winner,loser\nitem1,item2\n");
    lab.text("fit items.csv duels.csv -o model.rather --quiet");
    lab.write("pairs.csv", format!("left,right\n{}", "item1,item2\n".repeat(20_000)));
    for line in [
        "rank model.rather",
        "rank model.rather --json",
        "rank model.rather --csv",
        "predict model.rather pairs.csv",
        "predict model.rather pairs.csv --json",
        "predict model.rather pairs.csv --csv",
        "fit items.csv duels.csv --json",
    ] {
        let mut child =
            lab.command(line).arg("--quiet").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()), "{line}");
    }
}

#[test]
fn a_fit_killed_while_it_learns_leaves_the_old_model_whole() {
    let lab = Lab::new().with_model();
    let old = fs::read(lab.path("model.rather")).unwrap();
    // Some hundred items in four dimensions keep the program busy for seconds.
    let x = |i: usize, base: usize| (i * base % 997) as f64 / 997.0;
    let items: String =
        (0..900).map(|i| format!("t{i},{},{},{},{}\n", x(i, 331), x(i, 577), x(i, 701), x(i, 89))).collect();
    let duels: String = (0..4000)
        .map(|k| (k * 7919 % 900, k * 104729 % 899))
        .filter(|(a, b)| a != b)
        .map(|(a, b)| if x(a, 331) > x(b, 331) { format!("t{a},t{b}\n") } else { format!("t{b},t{a}\n") })
        .collect();
    lab.write("many.csv", format!("item,p,q,r,s\n{items}"));
    lab.write("more.csv", format!("winner,loser\n{duels}"));
    let mut child = lab.command("fit many.csv more.csv -o model.rather --quiet").spawn().unwrap();
    std::thread::sleep(Duration::from_millis(400));
    assert!(child.try_wait().unwrap().is_none(), "the fit is too short to be interrupted");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read(lab.path("model.rather")).unwrap(), old);
    lab.text("rank model.rather");
}

/// A model takes the place of the old one, and is never written into it: whoever has the old file open, or another name for it, keeps it, and
/// no moment of the write leaves half a model under the name.
#[test]
fn a_model_replaces_the_old_file() {
    let lab = Lab::new().with_model();
    let old = fs::read(lab.path("model.rather")).unwrap();
    fs::hard_link(lab.path("model.rather"), lab.path("old.rather")).unwrap();
    lab.text("fit items.csv duels.csv --ties drop --kernel white -o model.rather --quiet");
    assert_eq!(fs::read(lab.path("old.rather")).unwrap(), old);
    assert_ne!(fs::read(lab.path("model.rather")).unwrap(), old);
}

/// What comes of writing a model where none can be written: one sentence, before or after the fit.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_has_its_sentence() {
    let lab = Lab::new();
    let run = lab.run("fit items.csv duels.csv --quiet -o /dev/full");
    assert_eq!((run.status, run.stdout.as_str()), (1, ""));
    assert_eq!(run.stderr, "error: could not write /dev/full: No space left on device (os error 28)\n");
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = lab.command("fit items.csv duels.csv --quiet").stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: could not write to standard output: No space left on device (os error 28)\n"
    );
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_read_only_has_its_sentence() {
    use std::os::unix::fs::PermissionsExt;
    let lab = Lab::new();
    fs::create_dir(lab.path("closed")).unwrap();
    fs::set_permissions(lab.path("closed"), fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser may write anywhere.
    if fs::write(lab.path("closed/probe"), "").is_ok() {
        let required = std::env::var("RATHER_REQUIRE").is_ok_and(|these| these == "1");
        assert!(
            !required,
            "permissions do not bind this user, and RATHER_REQUIRE says that nothing is skipped"
        );
        println!("skipped: permissions do not bind this user");
        return;
    }
    assert_eq!(
        lab.error("fit items.csv duels.csv --quiet -o closed/model.rather"),
        "you are not permitted to write closed/model.rather; change its permissions or use another file"
    );
}

#[cfg(unix)]
#[test]
fn a_model_that_is_read_only_stays() {
    use std::os::unix::fs::PermissionsExt;
    let lab = Lab::new().with_model();
    fs::set_permissions(lab.path("model.rather"), fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(
        lab.error("fit items.csv duels.csv --quiet -o model.rather"),
        "you are not permitted to write model.rather; change its permissions or use another file"
    );
}

#[test]
fn a_damaged_model_has_its_sentence() {
    let lab = Lab::new().with_model();
    let bytes = fs::read(lab.path("model.rather")).unwrap();
    lab.write("model.rather", &bytes[..bytes.len() - 8]);
    assert_eq!(
        lab.error("rank model.rather"),
        format!(
            "model.rather is cut off: it has {} bytes and needs at least {}; copy it or make it again",
            bytes.len() - 8,
            bytes.len()
        )
    );
}

#[test]
fn a_model_that_did_not_converge_says_so_when_used() {
    let lab = Lab::new();
    let run = lab.run("fit items.csv duels.csv -o model.rather --tolerance 1e-300 --json --kernel se");
    assert_eq!(run.status, 0, "{}", run.stderr);
    let fit: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let told = run.stderr.contains("warning: inference did not converge");
    assert_eq!(told, fit["converged"] == false);
    assert_eq!(
        lab.run("rank model.rather").stderr.contains("warning: model.rather: inference did not"),
        told
    );
}

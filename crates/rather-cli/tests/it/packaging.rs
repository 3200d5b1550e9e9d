//! What a package and a container start is what the program takes.

use crate::lab::Lab;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

fn read(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging").join(name)).unwrap()
}

/// Starts the program with these arguments, at any free port, and waits until it says where it is.
fn starts(arguments: &str) {
    let lab = Lab::new();
    let mut command = lab.command(arguments);
    let token = "0b9f64c1d27a4e8f9c35d8a741e6";
    let mut studio = command.env("RATHER_STUDIO_TOKEN", token).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(studio.stdout.take().unwrap()).lines();
    let said = lines.map_while(Result::ok).find(|line| line.contains("http://"));
    studio.kill().unwrap();
    studio.wait().unwrap();
    assert!(said.is_some(), "{arguments}");
}

#[test]
fn the_service_starts_the_studio() {
    let unit = read("rather-studio.service");
    let command = unit.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/bin/rather ")).unwrap();
    assert!(command.contains("/var/lib/rather/") && unit.contains("StateDirectory=rather\n"));
    starts(&command.replace("/var/lib/rather/", "").replace("8421", "0"));
}

#[test]
fn the_container_starts_the_studio() {
    let file = read("Containerfile");
    let command = file.lines().find_map(|line| line.strip_prefix("CMD ")).unwrap();
    let arguments: Vec<String> = serde_json::from_str(command).unwrap();
    starts(&arguments.join(" ").replace("/data/", "").replace("8421", "0"));
}

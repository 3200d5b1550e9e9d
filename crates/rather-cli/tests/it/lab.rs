//! A folder of small tables, and the program run in it.

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Six teas; the last is never compared.
pub(crate) const ITEMS: &str = "tea,price,black,region,name
t1,1,true,north,Assam
t2,2,false,north,Oolong
t3,3,true,south,Darjeeling
t4,4,false,south,Sencha
t5,5,true,north,Keemun
t6,6,false,south,Longjing
";

/// Nine comparisons and a tie, of three users.
pub(crate) const DUELS: &str = "user,left,right,outcome
ann,t1,t2,right
ann,t2,t3,right
bob,t3,t4,right
bob,t4,t5,right
ann,t1,t5,right
ann,t2,t4,right
bob,t2,t1,right
cid,t5,t4,left
cid,t5,t3,right
cid,t1,t3,tie
";

/// What a run of the program said.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A temporary folder that holds `items.csv` and `duels.csv`.
pub(crate) struct Lab {
    folder: tempfile::TempDir,
}

impl Lab {
    pub(crate) fn new() -> Self {
        let lab = Self { folder: tempfile::tempdir().unwrap() };
        lab.write("items.csv", ITEMS);
        lab.write("duels.csv", DUELS);
        lab
    }

    /// With a fitted `model.rather`.
    pub(crate) fn with_model(self) -> Self {
        self.text("fit items.csv duels.csv --ties drop --kernel se -o model.rather --quiet");
        self
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    /// The program with the arguments of `line`, split at spaces, in this folder.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rather"));
        command.args(line.split_whitespace()).current_dir(self.folder.path());
        command
    }

    pub(crate) fn run(&self, line: &str) -> Run {
        let output = self.command(line).output().unwrap();
        Run {
            status: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Standard output of a run that must succeed.
    pub(crate) fn text(&self, line: &str) -> String {
        let run = self.run(line);
        assert_eq!(run.status, 0, "{line}: {}", run.stderr);
        run.stdout
    }

    /// The JSON value that `--json` gives, and nothing else.
    pub(crate) fn json(&self, line: &str) -> serde_json::Value {
        serde_json::from_str(&self.text(&format!("{line} --json"))).unwrap()
    }

    /// The ranking of a model as `fit` reports it: without the places of items.
    pub(crate) fn ranking(&self, model: &str) -> serde_json::Value {
        let mut lines = self.json(&format!("rank {model}"));
        for line in lines.as_array_mut().into_iter().flatten().filter_map(|line| line.as_object_mut()) {
            ["probability_best", "rank_low", "rank_high", "group"]
                .iter()
                .for_each(|key| drop(line.remove(*key)));
        }
        lines
    }

    /// The sentence of a run that must fail for the user's input: exit status 2, nothing on standard output.
    pub(crate) fn error(&self, line: &str) -> String {
        let run = self.run(line);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{line}: {}", run.stderr);
        let sentence = run.stderr.lines().find_map(|l| l.strip_prefix("error: "));
        sentence.unwrap_or_else(|| panic!("{line}: {}", run.stderr)).to_string()
    }
}

/// The keys of a JSON object, in the order in which they are written.
pub(crate) fn keys(json: &str) -> Vec<String> {
    struct Keys;
    impl<'de> Visitor<'de> for Keys {
        type Value = Vec<String>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut keys = Vec::new();
            while let Some((key, IgnoredAny)) = map.next_entry()? {
                keys.push(key);
            }
            Ok(keys)
        }
    }
    serde_json::Deserializer::from_str(json).deserialize_map(Keys).unwrap()
}

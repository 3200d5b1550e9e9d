//! What a new user's tables and flags look like before anybody has read the book: each is read as it should be, or has the sentence that mends it.

use crate::lab::{Lab, Run};

/// The teas of a table without features.
const TEAS: &str = "tea\nAssam\nOolong\nMatcha\n";
const VOTES: &str = "winner,loser\nAssam,Oolong\nOolong,Matcha\n";

/// What becomes of a command.
enum Then {
    /// It succeeds; these stand in what it prints or warns of.
    Says(&'static [&'static str]),
    /// It fails with exit status 2 and a sentence that has these parts.
    Refuses(&'static [&'static str]),
}
use Then::{Refuses, Says};

/// A table of items, one of answers, a command, and what becomes of it.
struct Try {
    items: &'static [u8],
    votes: &'static [u8],
    command: &'static str,
    then: Then,
}

const FIT: &str = "fit items.csv votes.csv --kernel white";

const fn items(items: &'static str, then: Then) -> Try {
    Try {
        items: items.as_bytes(),
        votes: VOTES.as_bytes(),
        command: "fit items.csv votes.csv --kernel white",
        then,
    }
}

const fn votes(votes: &'static str, then: Then) -> Try {
    Try { items: TEAS.as_bytes(), votes: votes.as_bytes(), command: FIT, then }
}

const fn flags(command: &'static str, then: Then) -> Try {
    Try { items: TEAS.as_bytes(), votes: VOTES.as_bytes(), command, then }
}

const TRIES: &[Try] = &[
    // Numbers as people write them.
    items("tea;price\nAssam;8,5\nOolong;7,25\nMatcha;8,5\n", Says(&["price: numbers with decimal commas"])),
    items("tea,share\nAssam,45%\nOolong,7 %\nMatcha,12%\n", Says(&["share: percent"])),
    items("tea,price\nAssam,€8.5\nOolong,€7\nMatcha,€12\n", Says(&["price: amounts of money"])),
    items(
        "tea,price\nAssam,\"8,500\"\nOolong,\"12,000\"\nMatcha,\"1,250\"\n",
        Says(&["price: numbers with separated thousands"]),
    ),
    items(
        "tea,since\nAssam,2026-01-31\nOolong,2025-12-01\nMatcha,2024-02-29\n",
        Says(&["since: dates (days since 1970-01-01)"]),
    ),
    items(
        "tea,strength\nAssam,Low\nOolong,low\nMatcha,LOW\n",
        Says(&["strength", "\"LOW\", \"Low\", \"low\""]),
    ),
    items(
        "tea,id\nAssam,3\nOolong,1\nMatcha,2\n",
        Says(&["\"id\" is a different whole number for every item", "(--drop id)"]),
    ),
    items(
        "tea,fair,batch,origin\nAssam,true,7,India\nOolong,false,7,China\nMatcha,TRUE,7,Japan\n",
        Says(&["fair: true or false", "batch: numbers", "origin: description (not used)"]),
    ),
    // Counts and weights.
    votes("winner,loser,count\nAssam,Oolong,1.0\nOolong,Matcha,0.5\n", Says(&["3 items"])),
    votes("winner,loser,count\nAssam,Oolong,0\n", Refuses(&["votes.csv, line 2", "\"count\"", "\"0\""])),
    // Outcomes in any usual word.
    votes(
        "left,right,outcome\nAssam,Oolong,1\nOolong,Matcha,0\nAssam,Matcha,0.5\n",
        Says(&["1 is taken for \"left\", 0 for \"right\", and 0.5 for a tie"]),
    ),
    votes(
        "left,right,outcome\nAssam,Oolong,1\nOolong,Matcha,-1\nAssam,Matcha,0\n",
        Says(&["1 is taken for \"left\", -1 for \"right\", and 0 for a tie"]),
    ),
    votes("left,right,outcome\nAssam,Oolong,A\nOolong,Matcha,B\nAssam,Matcha,equal\n", Says(&["1 tie"])),
    votes("left,right,outcome\nAssam,Oolong,L\nOolong,Matcha,R\nAssam,Matcha,same\n", Says(&["1 tie"])),
    votes("left,right,outcome\nAssam,Oolong,left_wins\nAssam,Matcha,no preference\n", Says(&["1 tie"])),
    votes(
        "left,right,outcome\nAssam,Oolong,Left\nAssam,Matcha,both\nOolong,Matcha,neither\n",
        Says(&["1 comparison, 2 ties"]),
    ),
    votes(
        "left,right,outcome\nAssam,Oolong,RIGHT\nAssam,Matcha,Tie\nOolong,Matcha,draw\nOolong,Matcha,=\n",
        Says(&["1 comparison, 3 ties"]),
    ),
    votes(
        "left,right,outcome\nAssam,Oolong,left\nAssam,Matcha,tie (bothbad)\n",
        Says(&["1 comparison, 2 good-or-bad answers"]),
    ),
    votes("left,right,winner\nAssam,Oolong,Assam\nOolong,Matcha,Matcha\n", Says(&["2 comparisons"])),
    // Columns by the field's names.
    votes(
        "model_a,model_b,winner\nAssam,Oolong,model_a\nOolong,Matcha,model_b\nAssam,Matcha,tie\n",
        Says(&["read \"model_a\" as left, \"model_b\" as right"]),
    ),
    votes("a,b,preferred\nAssam,Oolong,a\n", Says(&["\"preferred\" as outcome"])),
    votes("item_1,item_2,result\nAssam,Oolong,1\nAssam,Matcha,2\n", Says(&["\"item_1\" as left"])),
    votes("player_1,player_2,winner\nAssam,Oolong,Oolong\n", Says(&["\"player_2\" as right"])),
    votes("prompt,chosen,rejected\nWhich?,Assam,Oolong\n", Says(&["\"chosen\" as winner"])),
    flags("fit items.csv odd.csv --kernel white --columns winner=best,loser=worst", Says(&["3 items"])),
    // Other formats.
    votes(
        "{\"winner\": \"Assam\", \"loser\": \"Oolong\"}\n{\"winner\": \"Oolong\", \"loser\": \"Matcha\"}\n",
        Says(&["2 comparisons"]),
    ),
    votes("[{\"winner\": \"Assam\", \"loser\": \"Oolong\"}]", Says(&["1 comparison"])),
    votes(",Assam,Oolong,Matcha\nAssam,0,2,1\nOolong,1,0,0\nMatcha,0,3,0\n", Says(&["7 comparisons"])),
    votes("# my data\nwinner,loser\nAssam,Oolong\n", Says(&["1 comparison"])),
    items("# my teas\ntea\nAssam\nOolong\nMatcha\n", Says(&["3 items"])),
    items(
        ",tea,price\n0,Assam,1\n1,Oolong,2\n2,Matcha,4\n",
        Says(&["the first column counts the rows and was left out; the key is \"tea\""]),
    ),
    Try {
        items: TEAS.as_bytes(),
        votes: b"winner\tloser\r\n Assam \tOolong\r\nOolong\t\"Matcha\"\r\n\r\n",
        command: FIT,
        then: Says(&["2 comparisons"]),
    },
    Try {
        items: b"\xef\xbb\xbfTEA\rAssam\rOolong\rMatcha",
        votes: VOTES.as_bytes(),
        command: FIT,
        then: Says(&["3 items"]),
    },
    // What is no table.
    Try {
        items: b"\xff\xfet\0e\0a\0\n\0A\0",
        votes: VOTES.as_bytes(),
        command: FIT,
        then: Refuses(&["items.csv", "UTF-8"]),
    },
    Try {
        items: b"tea\nCaf\xe9\n",
        votes: VOTES.as_bytes(),
        command: FIT,
        then: Refuses(&["items.csv, line 2, column \"tea\"", "save the file as UTF-8"]),
    },
    Try {
        items: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        votes: VOTES.as_bytes(),
        command: FIT,
        then: Refuses(&["items.csv looks like an old Excel workbook", "save it as .xlsx or CSV"]),
    },
    Try {
        items: b"PK\x03\x04 and no more",
        votes: VOTES.as_bytes(),
        command: FIT,
        then: Refuses(&["could not read items.csv as an Excel workbook", "save it anew, or as CSV"]),
    },
    // Tables with something left out, or exchanged.
    votes(
        "Assam,Oolong\nOolong,Matcha\n",
        Refuses(&[
            "the first line of votes.csv looks like data (\"Assam\", \"Oolong\")",
            "such as winner,loser",
        ]),
    ),
    items(
        "Assam,8.5\nOolong,7\nMatcha,12\n",
        Refuses(&["the first line of items.csv looks like data (\"Assam\", \"8.5\")", "such as item,price"]),
    ),
    flags(
        "fit votes.csv items.csv",
        Refuses(&[
            "votes.csv looks like a table of answers (\"winner\", \"loser\")",
            "are the two tables exchanged?",
        ]),
    ),
    votes(
        "winner,looser\nAssam,Oolong\n",
        Refuses(&["no column \"loser\", which is needed with \"winner\""]),
    ),
    votes(
        "winner,loser\nAssam,Ooolong\n",
        Refuses(&["line 2, column \"loser\"", "did you mean \"Oolong\"?"]),
    ),
    votes("winner,loser\nAssam,\n", Refuses(&["line 2, column \"loser\"", "the cell is empty"])),
    votes("winner,loser\nAssam,NA\n", Refuses(&["line 2, column \"loser\"", "no item \"NA\""])),
    votes("winner,loser\nAssam,Assam\n", Refuses(&["line 2", "compared with itself"])),
    votes("winner,loser\nAssam,Oolong,x\n", Refuses(&["line 2", "found 3 cells where the header has 2"])),
    votes("winner,loser,Winner\nAssam,Oolong,x\n", Refuses(&["has two columns \"winner\""])),
    items("tea\nAssam\nOolong\nAssam\n", Refuses(&["line 4: the key \"Assam\" is already in line 2"])),
    // Files and flags.
    flags("fit nothing.csv votes.csv", Refuses(&["nothing.csv does not exist"])),
    flags("fit . votes.csv", Refuses(&[". is a folder"])),
    flags("fit items.csv votes.csv --kernel rbf", Refuses(&["no kernel called \"rbf\"; did you mean se?"])),
    flags("fit items.csv votes.csv --kernel matern", Refuses(&["did you mean matern52?"])),
    flags("fit items.csv votes.csv --kernel se[prize]", Refuses(&["prize"])),
    flags("fit items.csv votes.csv --drop prize", Refuses(&["no feature \"prize\""])),
    flags("fit items.csv votes.csv --fix nois=1", Refuses(&["no hyperparameter called \"nois\""])),
    flags("fit items.csv votes.csv --kernal se", Refuses(&["--kernal", "'--kernel'"])),
    flags("rank items.csv", Refuses(&["items.csv is not a model file"])),
    flags("rank model.rather --json --csv", Refuses(&["--json", "--csv", "cannot be used with"])),
    flags(
        "predict model.rather votes.csv --csv --json",
        Refuses(&["--json", "--csv", "cannot be used with"]),
    ),
    flags(
        "predict model.rather votes.csv",
        Says(&["\"winner\" is taken for the left item and \"loser\" for the right one", "not used"]),
    ),
];

/// Runs a command on its tables; all that it prints, in one line.
fn outcome(lab: &Lab, command: &str) -> (i32, String) {
    let Run { status, stdout, stderr } = lab.run(command);
    (status, format!("{stdout}\n{stderr}").split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn what_is_tried_first() {
    let lab = Lab::new();
    lab.write("odd.csv", "best,worst\nAssam,Oolong\nOolong,Matcha\n");
    let mut wrong = Vec::new();
    for one in TRIES {
        lab.write("items.csv", TEAS);
        lab.write("votes.csv", VOTES);
        if one.command.contains("model.rather") {
            lab.text(&format!("{FIT} --quiet -o model.rather"));
        }
        lab.write("items.csv", one.items);
        lab.write("votes.csv", one.votes);
        let (status, said) = outcome(&lab, one.command);
        let (expected, parts) = match one.then {
            Says(parts) => (0, parts),
            Refuses(parts) => (2, parts),
        };
        if status != expected || !parts.iter().all(|part| said.contains(part)) {
            let tables = [one.items, one.votes].map(String::from_utf8_lossy);
            wrong.push(format!(
                "{} of\n{}\n{}\nsays ({status}): {said}\nand not {parts:?}",
                one.command, tables[0], tables[1]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_table_comes_through_a_pipe() {
    use std::io::Write;
    use std::process::Stdio;
    let lab = Lab::new();
    lab.write("items.csv", TEAS);
    let mut command = lab.command("fit items.csv - --kernel white --json");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(VOTES.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let fit: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(fit["comparisons"], 2);
}

/// The same answers of somebody else.
#[test]
fn a_file_is_imported_once_for_each_participant() {
    let lab = Lab::new();
    lab.write("items.csv", TEAS);
    lab.write("votes.csv", VOTES);
    lab.text("study new tea.study --items items.csv");
    for participant in ["ann", "bob"] {
        lab.text(&format!("study import tea.study votes.csv -p {participant}"));
        let sentence = lab.error(&format!("study import tea.study votes.csv -p {participant}"));
        assert!(sentence.contains("votes.csv was imported already, with its 2 answers"), "{sentence}");
    }
    let status = lab.json("study status tea.study");
    assert_eq!(status["participants"].as_array().map(Vec::len), Some(2), "{status}");
}

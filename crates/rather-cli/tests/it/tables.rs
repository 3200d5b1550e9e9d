//! Tables as people have them, in the program.

use crate::lab::Lab;

#[test]
fn columns_are_given_their_roles() {
    let lab = Lab::new();
    lab.write("duels2.csv", "best,worst\nt1,t2\nt3,t2\nt1,t4\n");
    assert!(lab.error("fit items.csv duels2.csv").contains("but they must be winner and loser"));
    let roles = "--columns winner=best,loser=worst";
    let fit = lab.json(&format!("fit items.csv duels2.csv {roles} --kernel white -o m.rather"));
    assert_eq!(fit["comparisons"], 3);
    let pairs = lab.json("predict m.rather duels2.csv --columns left=best,right=worst");
    assert_eq!(pairs.as_array().map(Vec::len), Some(3));
    assert_eq!(
        lab.error("fit items.csv duels2.csv --columns winner=bets,loser=worst"),
        "duels2.csv has no column \"bets\"; its columns are \"best\", \"worst\""
    );
    assert_eq!(
        lab.error(&format!("rank m.rather {roles}")),
        "--columns needs a table of answers; give --answers, or leave it out"
    );
}

#[test]
fn what_was_guessed_is_a_warning() {
    let lab = Lab::new();
    lab.write(
        "arena.jsonl",
        "{\"model_a\": \"t1\", \"model_b\": \"t2\", \"winner\": \"model_a\", \"judge\": \"ann\"}\n",
    );
    let run = lab.run("fit items.csv arena.jsonl --kernel white");
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        run.stderr.contains("arena.jsonl: read \"model_a\" as left, \"model_b\" as right, \"judge\" as user"),
        "{}",
        run.stderr
    );
}

#[test]
fn how_columns_were_read_is_printed_and_in_the_json() {
    let lab = Lab::new();
    lab.write("items.csv", "tea,price,kind\nt1,1,Low\nt2,,low\nt3,2,high\nt4,4,high\nt5,3,low\n");
    let run = "fit items.csv duels.csv --kernel white";
    let text = lab.text(run);
    assert!(
        text.contains("features: price: numbers (1 missing, taken for the mean); kind: 3 categories"),
        "{text}"
    );
    let columns = &lab.json(run)["columns"];
    assert_eq!(columns[0]["column"], "price");
    assert_eq!((&columns[0]["read_as"], &columns[0]["missing"]), (&"numbers".into(), &1.into()));
    assert_eq!((&columns[1]["read_as"], &columns[1]["categories"]), (&"categories".into(), &3.into()));
    assert_eq!(columns[1]["alike"], serde_json::json!(["Low", "low"]));
    // A model that knows what was missing ranks new items of which it is, too.
    lab.text("fit items.csv duels.csv --kernel se -o m.rather --quiet");
    lab.write("new.csv", "tea,price,kind\nn1,,low\nn2,2,NA\n");
    assert_eq!(lab.json("rank m.rather --items new.csv").as_array().map(Vec::len), Some(2));
}

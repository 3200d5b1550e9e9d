//! `rather suggest`.

use crate::lab::Lab;
use serde_json::Value;
use std::collections::BTreeSet;

fn fitted() -> Lab {
    let lab = Lab::new();
    let items: String = (0..12).map(|i| format!("i{i},{}\n", f64::from(i) / 4.0)).collect();
    lab.write("items.csv", format!("item,x\n{items}"));
    lab.write("duels.csv", "winner,loser\ni3,i0\ni3,i9\ni4,i3\ni4,i11\ni5,i4\ni5,i8\n");
    lab.text("fit items.csv duels.csv --kernel se -o m.rather");
    lab
}

fn pairs(suggestions: &Value) -> Vec<(String, String)> {
    let text = |s: &Value, key: &str| s[key].as_str().expect("a name").to_owned();
    suggestions.as_array().expect("an array").iter().map(|s| (text(s, "left"), text(s, "right"))).collect()
}

#[test]
fn a_batch_has_no_pair_twice_and_is_the_same_for_the_same_seed() {
    let lab = fitted();
    for name in [
        "bald",
        "bald-quadrature",
        "entropy",
        "committee:5",
        "ivm",
        "uncertain",
        "random",
        "knowledge-gradient",
        "eubo",
        "thompson",
        "best",
    ] {
        let line = format!("suggest m.rather -n 8 --acquisition {name}");
        let found: Value = lab.json(&line);
        assert_eq!(found, lab.json(&line), "{name}");
        let pairs = pairs(&found);
        let unordered: BTreeSet<_> = pairs.iter().map(|(a, b)| if a < b { (a, b) } else { (b, a) }).collect();
        assert_eq!(unordered.len(), 8, "{name}: {pairs:?}");
        assert!(pairs.iter().all(|(a, b)| a != b), "{name}: {pairs:?}");
    }
}

#[test]
fn an_opponent_is_on_the_left_of_every_comparison() {
    let lab = fitted();
    for (opponent, name) in [
        ("i7", "ucb:2"),
        ("best", "improvement"),
        ("i0", "believer"),
        ("best", "absolute-ucb:1"),
        ("best", "max-value-entropy"),
    ] {
        let found = lab.json(&format!("suggest m.rather --opponent {opponent} --acquisition {name}"));
        let best = &lab.json("rank m.rather --top 1")[0]["item"];
        let expected = if opponent == "best" { best.as_str().expect("a name") } else { opponent };
        assert!(pairs(&found).iter().all(|(left, right)| left == expected && right != expected), "{found}");
    }
}

#[test]
fn a_pool_of_new_items_may_be_set_against_one_of_the_model() {
    let lab = fitted();
    lab.write("pool.csv", "item,x\nnew1,0.1\nnew2,2.6\n");
    let found = lab.json("suggest m.rather --pool pool.csv -n 1");
    let new: BTreeSet<String> = pairs(&found).into_iter().flat_map(|(a, b)| [a, b]).collect();
    assert_eq!(new.into_iter().collect::<Vec<_>>(), ["new1", "new2"]);
    let found = lab.json("suggest m.rather --pool pool.csv --opponent i4");
    assert!(pairs(&found).iter().all(|(left, _)| left == "i4"), "{found}");
}

#[test]
fn what_cannot_be_suggested_is_one_sentence() {
    let lab = fitted();
    let fails = |arguments: &str, expected: &str| {
        let said = lab.error(&format!("suggest m.rather {arguments}"));
        assert!(said.contains(expected), "{arguments}: {said}");
    };
    fails("--acquisition bold", "bold");
    fails("--acquisition ucb:x", "ucb:x");
    fails("--acquisition ucb:2", "(--opponent best)");
    fails("--acquisition qeubo:3", "qeubo:2");
    fails("--opponent tea", "\"tea\" is not an item of");
    lab.write("one.csv", "item,x\nnew1,0.1\n");
    fails("--pool one.csv", "one.csv: the pool has 1 items, and a comparison needs two");
    lab.write("none.csv", "item,y\nnew1,0.1\nnew2,1\n");
    fails("--pool none.csv", "no column \"x\"");
}

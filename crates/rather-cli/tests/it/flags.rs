//! Every flag of `fit` with every way of inference and every model of many users: it changes what the fit says, or it is refused by a
//! sentence. None is ignored.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::lab::Lab;

/// The ways to fit, as flags.
const WAYS: [&str; 9] = [
    "--inference ep",
    "--inference laplace",
    "--inference exact --samples 200",
    "--inference streaming",
    "--model per-user",
    "--model kronecker",
    "--model hierarchical",
    "--model collaborative",
    "--model pooled",
];

/// The flags, each with a value that is not its default, and the table of answers in which it matters.
const FLAGS: [(&str, &str); 32] = [
    ("--users people.csv", "answers.csv"),
    ("--also ratings.csv", "answers.csv"),
    ("--rankings adjacent", "rankings.csv"),
    ("--position-bias", "answers.csv"),
    ("--user-noise", "answers.csv"),
    ("--robust", "values.csv"),
    ("--features price", "answers.csv"),
    ("--drop price", "answers.csv"),
    ("--categorical year", "answers.csv"),
    ("--ties drop", "answers.csv"),
    ("--ties both", "answers.csv"),
    ("--kernel linear", "answers.csv"),
    ("--ard", "answers.csv"),
    ("--fix variance=7", "answers.csv"),
    ("--raw-features", "answers.csv"),
    ("--no-priors", "answers.csv"),
    ("--units comparison-noise", "answers.csv"),
    ("--samples 300", "answers.csv"),
    ("--basis 3", "answers.csv"),
    ("--keep 12", "answers.csv"),
    ("--half-life 20", "answers.csv"),
    ("--drift 20", "answers.csv"),
    ("--lapse 0.1", "answers.csv"),
    ("--lapse by-user", "answers.csv"),
    ("--link logistic", "answers.csv"),
    ("--pair-effect learn", "answers.csv"),
    ("--hyperparameters integrate", "answers.csv"),
    ("--space pairs", "answers.csv"),
    ("--representation low-rank", "answers.csv"),
    ("--inducing-points 3", "answers.csv"),
    ("--inducing k-means", "answers.csv"),
    ("--tolerance 1e-11", "answers.csv"),
];

/// Flags that ask for what a way does anyhow: nothing changes, and nothing is ignored.
const ALREADY: [(&str, &str); 6] = [
    // It integrates by default.
    ("--hyperparameters integrate", "--inference laplace"),
    // Models of many users have one unit.
    ("--units comparison-noise", "--model per-user"),
    ("--units comparison-noise", "--model kronecker"),
    ("--units comparison-noise", "--model hierarchical"),
    ("--units comparison-noise", "--model collaborative"),
    ("--units comparison-noise", "--model pooled"),
];

/// Sixty answers of three users about eight items, some of them ties; the same as plain comparisons, rankings and values.
fn lab() -> Lab {
    let lab = Lab::new();
    let mut items = "item,price,year\n".to_owned();
    (0..8).for_each(|i| items += &format!("i{i},{},{}\n", 1.0 + 0.7 * f64::from(i), 2000 + i % 3));
    lab.write("items.csv", items);
    lab.write("people.csv", "name,age\nann,20\nbob,50\ncid,35\n");
    let mut answers = "user,left,right,outcome\n".to_owned();
    for k in 0..60_u32 {
        let (a, b) = (k * 5 % 8, (k * 5 + 1 + k / 8 % 7) % 8);
        let user = ["ann", "bob", "cid"][k as usize % 3];
        let likes_low = user == "bob";
        let outcome = match (k % 7, (a > b) != likes_low) {
            (0, _) => "tie",
            (1, true) | (2..=6, false) => "right",
            _ => "left",
        };
        answers += &format!("{user},i{a},i{b},{outcome}\n");
    }
    lab.write("answers.csv", &answers);
    let plain: String =
        answers.lines().filter(|line| !line.ends_with("tie")).map(|l| format!("{l}\n")).collect();
    lab.write("plain.csv", plain);
    lab.write(
        "rankings.csv",
        "user,ranking\nann,i7 > i4 > i2 > i0\nbob,i1 > i3 > i6\ncid,i6 > i5 > i1\nann,i3 > i5 > i0\n",
    );
    lab.write("ratings.csv", "user,item,rating\nann,i7,3\nbob,i7,1\ncid,i4,2\nann,i1,1\nbob,i0,3\n");
    lab.write("values.csv", "item,value\ni0,0.1\ni1,1.2\ni2,1.9\ni3,9.5\ni4,4.1\ni5,5.2\ni6,5.9\ni7,7.1\n");
    lab
}

/// What a fit says, but for how long it took; or the sentence by which it refuses.
fn fit(lab: &Lab, table: &str, flags: &str) -> Result<Value, String> {
    let run = lab.run(&format!("fit items.csv {table} {flags} --json --quiet"));
    if run.status != 0 {
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{table} {flags}: {}", run.stderr);
        let sentences = run.stderr.lines().filter(|line| line.starts_with("error: ")).count();
        assert_eq!(sentences, 1, "{table} {flags}: {}", run.stderr);
        return Err(run.stderr);
    }
    let mut said: Value = serde_json::from_str(&run.stdout).unwrap();
    said.as_object_mut().unwrap().remove("seconds");
    Ok(said)
}

#[test]
fn no_flag_is_ignored() {
    let lab = lab();
    let mut ignored = Vec::new();
    for way in WAYS {
        // What the same is without the flag, which several flags ask for.
        let mut plain = BTreeMap::new();
        for (flag, table) in FLAGS {
            if ALREADY.contains(&(flag, way)) {
                continue;
            }
            let kernel = if flag.starts_with("--kernel") { "" } else { "--kernel se" };
            let asked = format!("{way} {kernel}");
            let without = plain.entry((kernel, table)).or_insert_with(|| fit(&lab, table, &asked));
            match (without, fit(&lab, table, &format!("{asked} {flag}"))) {
                (Ok(without), Ok(with)) if *without == with => ignored.push(format!("{way}: {flag}")),
                _ => {}
            }
        }
    }
    assert!(ignored.is_empty(), "{}", ignored.join("\n"));
}

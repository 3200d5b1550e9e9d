//! `rather rank` and `rather predict`.

use crate::lab::Lab;

const NEW: &str = "tea,Price,black,region,organic
n1,5.5,false,north,yes
t1,1,true,north,NaN
n2,0.5,true,west,7
";

#[test]
fn rank_orders_the_items() {
    let lab = Lab::new().with_model();
    let ranking = lab.json("rank model.rather");
    let lines = ranking.as_array().unwrap();
    assert_eq!(lines.len(), 6);
    for (i, line) in lines.iter().enumerate() {
        assert_eq!(line["rank"], i + 1);
        assert!(line["item"].is_string() && line["sd"].as_f64().unwrap() > 0.0 && line["label"].is_string());
    }
    assert!(lines.windows(2).all(|pair| pair[0]["mean"].as_f64() >= pair[1]["mean"].as_f64()));
    let top = lab.json("rank model.rather --top 2");
    assert_eq!(top.as_array().unwrap()[..], lines[..2]);
    assert!(lab.text("rank model.rather --top 2").contains("… and 4 more"));
    assert!(lab.text("rank model.rather --csv").starts_with("item,mean,sd,rank,"));
    assert_eq!(
        lab.json("fit items.csv duels.csv --ties drop --kernel se")["ranking"],
        lab.ranking("model.rather")
    );
}

#[test]
fn new_items_are_ranked_by_their_features() {
    let lab = Lab::new().with_model();
    lab.write("new.csv", NEW);
    let ranking = lab.json("rank model.rather --items new.csv");
    let items: Vec<&str> = ranking.as_array().unwrap().iter().map(|l| l["item"].as_str().unwrap()).collect();
    assert_eq!(items.len(), 3);
    assert_eq!(items[0], "n1");
    let known = |ranking: &serde_json::Value| {
        ranking.as_array().unwrap().iter().find(|l| l["item"] == "t1").unwrap()["mean"].as_f64().unwrap()
    };
    let all = lab.json("rank model.rather");
    assert!((known(&ranking) - known(&all)).abs() < 1e-12);

    lab.write("new.csv", "tea,price,black\nn1,1,true\n");
    assert_eq!(
        lab.error("rank model.rather --items new.csv"),
        "new.csv has no column \"region\", a feature that the model was learned with; its features are \"price\", \"black\""
    );
    lab.write("new.csv", "tea,price,black,region\nn1,dear,true,north\n");
    assert_eq!(
        lab.error("rank model.rather --items new.csv"),
        "new.csv: the feature \"price\" must have numbers, as in the items the model was learned from"
    );
}

#[test]
fn numbers_read_as_categories_stay_so() {
    let lab = Lab::new();
    lab.write("items.csv", "tea,grade\nt1,1\nt2,1\nt3,2\nt4,2\nt5,2\n");
    lab.text("fit items.csv duels.csv --features grade --categorical grade --kernel categorical -o model.rather --quiet");
    lab.write("new.csv", "tea,grade\nn1,1\nn2,9\n");
    let ranking = lab.json("rank model.rather --items new.csv");
    assert_eq!((ranking.as_array().unwrap().len(), &ranking[0]["item"]), (2, &"n2".into()));
}

#[test]
fn probabilities_of_both_orders_add_to_one() {
    let lab = Lab::new().with_model();
    lab.write("pairs.csv", "left,right\nt5,t1\nt1,t5\nt6,t2\n");
    for flags in ["", " --sharp"] {
        let predictions = lab.json(&format!("predict model.rather pairs.csv{flags}"));
        let p: Vec<f64> =
            predictions.as_array().unwrap().iter().map(|p| p["probability"].as_f64().unwrap()).collect();
        assert!((p[0] + p[1] - 1.0).abs() < 1e-9 && p[0] > 0.5, "{p:?}");
        assert_eq!((&predictions[2]["left"], &predictions[2]["right"]), (&"t6".into(), &"t2".into()));
    }
    let csv = lab.text("predict model.rather pairs.csv --csv");
    let header = "left,right,probability,difference,difference_lower,difference_upper\r\nt5,t1,0.";
    assert!(csv.starts_with(header) && csv.lines().count() == 4, "{csv}");
    assert!(lab.text("predict model.rather pairs.csv").contains("left is preferred"));
}

#[test]
fn pairs_may_name_new_items() {
    let lab = Lab::new().with_model();
    lab.write("new.csv", NEW);
    lab.write("pairs.csv", "left,right\nn1,t2\nn2,n1\n");
    let predictions = lab.json("predict model.rather pairs.csv --items new.csv");
    assert!(predictions[0]["probability"].as_f64() > Some(0.5));
    assert!(predictions[1]["probability"].as_f64() < Some(0.5));
    assert_eq!(
        lab.error("predict model.rather pairs.csv"),
        "pairs.csv, line 2, column \"left\": there is no item \"n1\" in model.rather; add the item or correct the key"
    );
    lab.write("pairs.csv", "left,right\nt1,t2\nt1,wine\n");
    assert_eq!(
        lab.error("predict model.rather pairs.csv --items new.csv"),
        "pairs.csv, line 3, column \"right\": there is no item \"wine\" in new.csv or model.rather; add the item or \
         correct the key"
    );
}

#[test]
fn strange_names_do_not_break_a_table() {
    let lab = Lab::new();
    lab.write("items.csv", "item\n\"a,\"\"b\"\"\"\n寿司寿司寿司寿司寿司寿司寿司寿司寿司寿司寿司寿司寿司寿司寿司寿司寿司寿司寿司寿司寿司寿司寿司寿司\n\"two\nlines\"\n");
    lab.write("duels.csv", "winner,loser\n\"a,\"\"b\"\"\",\"two\nlines\"\n");
    lab.text("fit items.csv duels.csv -o model.rather --quiet");
    let text = lab.text("rank model.rather");
    assert!(text.contains("two\u{fffd}lines") && !text.contains('…'), "a pipe has room: {text}");
    let csv = lab.text("rank model.rather --csv");
    assert!(csv.contains("\"a,\"\"b\"\"\",") && csv.contains("\"two\nlines\","), "{csv}");
}

/// What is expected of single items, by what was learned; a threshold with its interval; the same in every format.
#[test]
fn single_items_and_thresholds() {
    let lab = Lab::new();
    let items: String = (0..20).map(|i| format!("s{i},{},{}\n", 0.1 * f64::from(i), i % 2)).collect();
    lab.write("stimuli.csv", format!("stimulus,contrast,left\n{items}"));
    let labels: String = (0..60)
        .map(|k| {
            let (i, noise) = (k % 20, f64::from(k * 37 % 20 - 10) / 40.0);
            format!("s{i},{}\n", if 0.1 * f64::from(i) + noise > 1.0 { "yes" } else { "no" })
        })
        .collect();
    lab.write("labels.csv", format!("item,label\n{labels}"));
    lab.text("fit stimuli.csv labels.csv --kernel se[contrast] -o m.rather --quiet");
    lab.write("ask.csv", "item\ns0\ns19\n");
    let found = lab.json("predict m.rather ask.csv");
    let p = |k: usize| found[k]["probability_of_yes"].as_f64().unwrap();
    assert!(p(0) < 0.2 && p(1) > 0.8 && found[0]["rating"].is_null(), "{found}");
    let csv = lab.text("predict m.rather ask.csv --csv");
    let expected = "item,utility,utility_sd,utility_lower,utility_upper,probability_of_yes\r\n";
    assert!(csv.starts_with(expected) && csv.lines().count() == 3, "{csv}");
    let text = lab.text("predict m.rather ask.csv");
    assert!(text.contains("yes") && !text.contains("rating"), "{text}");

    let report = lab.json("predict m.rather --threshold Contrast --at-probability 0.5,0.75");
    let [half, more] = &report["thresholds"].as_array().unwrap()[..] else { panic!("{report}") };
    let at = |line: &serde_json::Value, key: &str| line[key].as_f64().unwrap();
    assert!((at(half, "at") - 1.0).abs() < 0.2 && at(half, "at") < at(more, "at"), "{report}");
    assert!(at(half, "lower") < at(half, "at") && at(half, "at") < at(half, "upper"), "{report}");
    assert_eq!(report["column"], "contrast");
    let csv = lab.text("predict m.rather --threshold contrast --csv");
    let text = lab.text("predict m.rather --threshold contrast");
    assert!(csv.starts_with("probability,at,lower,upper\r\n0.5,") && text.contains("75 %"), "{csv}{text}");
    let beyond = lab.json("predict m.rather --threshold contrast --at-probability 0.999999");
    assert!(beyond["thresholds"][0]["upper"].is_null(), "{beyond}");

    for (flags, expected) in [
        ("--threshold colour", "has no such feature"),
        ("--threshold contrast --at-probability 1", "write a probability between 0 and 1"),
        ("--threshold contrast --sharp", "cannot be used with"),
        ("ask.csv --sharp", "--sharp is for pairs"),
        ("", "required"),
    ] {
        let run = lab.run(&format!("predict m.rather {flags}"));
        assert!(run.status == 2 && run.stderr.contains(expected), "{flags}: {}", run.stderr);
    }
    // Of many users each has a threshold: bob says yes later.
    let both: String = labels
        .lines()
        .enumerate()
        .map(|(k, line)| {
            let (i, noise) = (k % 20, f64::from((k * 37 % 20) as u32) / 40.0 - 0.25);
            let bob = if 0.1 * i as f64 + noise > 1.5 { "yes" } else { "no" };
            format!("ann,{line}\nbob,s{i},{bob}\n")
        })
        .collect();
    lab.write("both.csv", format!("user,item,label\n{both}"));
    lab.text("fit stimuli.csv both.csv --model per-user --kernel se[contrast] -o both.rather --quiet");
    let half = |user: &str| {
        let flags = format!("--threshold contrast --at-probability 0.5 --user {user}");
        lab.json(&format!("predict both.rather {flags}"))["thresholds"][0]["at"].as_f64().unwrap()
    };
    assert!((half("ann") - 1.0).abs() < 0.2 && (half("bob") - 1.5).abs() < 0.2);

    let lab = Lab::new().with_model();
    assert!(lab.error("predict model.rather --threshold price").contains("has not learned labels"));
}

/// Of many users, each item by its own user.
#[test]
fn single_items_of_many_users() {
    let lab = Lab::new();
    lab.text("fit items.csv duels.csv --ties drop --model per-user -o m.rather --quiet");
    lab.write("ask.csv", "user,item\nann,t3\nbob,t3\n");
    let found = lab.json("predict m.rather ask.csv");
    assert_eq!((&found[0]["user"], &found[1]["user"]), (&"ann".into(), &"bob".into()));
    assert_ne!(found[0]["utility"], found[1]["utility"]);
    let ranked = lab.json("rank m.rather --user ann");
    let line = ranked.as_array().unwrap().iter().find(|line| line["item"] == "t3").unwrap();
    // One item at a time and all at once are sums in another order.
    let apart = line["mean"].as_f64().unwrap() - found[0]["utility"].as_f64().unwrap();
    assert!(apart.abs() < 1e-14, "{apart}");
    assert!(lab.error("predict m.rather ask.csv --user ann").contains("keep one of them"));
}

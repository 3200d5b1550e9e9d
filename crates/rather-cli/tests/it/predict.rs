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
    assert!(csv.starts_with("left,right,probability\r\nt5,t1,0.") && csv.lines().count() == 4, "{csv}");
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
    assert!(text.contains("two\u{fffd}lines") && text.contains('…'), "{text}");
    let csv = lab.text("rank model.rather --csv");
    assert!(csv.contains("\"a,\"\"b\"\"\",") && csv.contains("\"two\nlines\","), "{csv}");
}

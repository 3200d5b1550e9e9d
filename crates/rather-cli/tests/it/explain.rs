//! `rather explain`, `rather report`, and the places of `rather rank`.

use crate::lab::{Lab, keys};

#[test]
fn a_ranking_says_how_sure_it_is() {
    let lab = Lab::new().with_model();
    let ranking = lab.json("rank model.rather --probability-of-top 2");
    let lines = ranking.as_array().unwrap();
    let sum = |key: &str| lines.iter().map(|line| line[key].as_f64().unwrap()).sum::<f64>();
    assert!((sum("probability_best") - 1.0).abs() < 1e-9 && (sum("probability_top") - 2.0).abs() < 1e-9);
    assert_eq!(lines[0]["group"], 1);
    for line in lines {
        let [low, high] = ["rank_low", "rank_high"].map(|key| line[key].as_u64().unwrap());
        assert!(1 <= low && low <= high && high <= 6, "{line}");
    }
    assert!(lab.json("rank model.rather")[0].get("probability_top").is_none());
    let csv = lab.text("rank model.rather --csv --probability-of-top 2");
    assert!(
        csv.starts_with("item,mean,sd,rank,probability_best,rank_low,rank_high,group,probability_top\r\n")
    );
    assert!(
        lab.text("rank model.rather --csv")
            .starts_with("item,mean,sd,rank,probability_best,rank_low,rank_high,group\r\n")
    );
    let table = lab.text("rank model.rather --probability-of-top 2");
    assert!(table.contains("P(best)") && table.contains("P(top 2)") && table.contains("group"), "{table}");
    assert!(!lab.text("rank model.rather").contains("P(top"));
    assert_eq!(lab.text("rank model.rather --seed 3"), lab.text("rank model.rather --seed 3"));
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
}

#[test]
fn features_are_explained() {
    let lab = Lab::new().with_model();
    let json = lab.text("explain model.rather --json");
    assert_eq!(keys(&json), ["kernel", "weights", "relevances", "shares", "effects", "importances"]);
    let report = lab.json("explain model.rather");
    let price = &report["effects"][0];
    assert_eq!((price["feature"].as_str(), price["reference"].as_f64()), (Some("price"), Some(3.0)));
    let at_reference = price["values"].as_array().unwrap().iter().find(|v| v["value"] == 3.0).unwrap();
    assert_eq!((at_reference["mean"].as_f64(), at_reference["sd"].as_f64()), (Some(0.0), Some(0.0)));
    assert_eq!(report["importances"].as_array().unwrap().len(), 3);
    for r in report["relevances"].as_array().unwrap() {
        let [low, middle, high] = ["low", "relevance", "high"].map(|key| r[key].as_f64().unwrap());
        assert!(0.0 < low && low < middle && middle < high, "{r}");
    }
    let text = lab.text("explain model.rather");
    assert!(text.contains("Effects") && text.contains("reference") && text.contains("Relevance"), "{text}");
    let csv = lab.text("explain model.rather --csv");
    assert!(csv.starts_with("what,feature,value,mean,sd,low,high\r\n") && csv.contains("\r\neffect,price,"));
}

#[test]
fn weights_have_intervals_in_the_units_of_the_table() {
    let lab = Lab::new();
    lab.text("fit items.csv duels.csv --ties drop --kernel linear[price]+white -o m.rather --quiet");
    let report = lab.json("explain m.rather");
    let weight = &report["weights"][0];
    let of = |key: &str| weight[key].as_f64().unwrap();
    assert_eq!(weight["feature"], "price");
    assert!((of("mean") - 0.5 * (of("low") + of("high"))).abs() < 1e-12 && of("sd") > 0.0);
    // A contrast of a linear term is its weight times the distance.
    let values = report["effects"][0]["values"].as_array().unwrap();
    let last = values.last().unwrap();
    let distance = last["value"].as_f64().unwrap() - 3.0;
    assert!((last["mean"].as_f64().unwrap() - of("mean") * distance).abs() < 1e-6, "{report}");
    assert_eq!(report["shares"].as_array().unwrap().len(), 2);
}

#[test]
fn users_and_names_are_explained() {
    let lab = Lab::new();
    lab.text("fit items.csv duels.csv --ties drop --model per-user -o users.rather --quiet");
    let figure = lab.json("plot users.rather users --top 4 -o users.svg");
    assert!(figure["caption"].as_str().unwrap().contains("The best 4 of 6 items"), "{figure}");
    assert!(lab.error("plot users.rather users --user ann -o u.svg").contains("has all users"));
    lab.text("fit items.csv duels.csv --ties drop --kernel se -o one.rather --quiet");
    assert!(lab.error("plot one.rather users -o u.svg").contains("is for one of many"));
    assert!(lab.json("explain users.rather --user ann")["importances"].is_null());
    assert!(lab.text("explain users.rather --user ann").contains("models of one person"));
    lab.write("names.csv", "tea\nt1\nt2\nt3\nt4\nt5\n");
    lab.text("fit names.csv duels.csv --ties drop -o names.rather --quiet");
    assert!(lab.text("explain names.rather").contains("no features"));
    assert!(lab.error("plot names.rather effect --feature price -o e.svg").contains("no features"));
}

#[test]
fn a_check_says_whether_the_answers_fit() {
    let lab = Lab::new();
    lab.write("votes.csv", "winner,loser,count\nt1,t2,9\nt2,t1,3\nt2,t3,9\nt3,t2,3\nt3,t1,12\nt1,t3,1\n");
    lab.text("fit items.csv votes.csv --kernel white --pair-effect off -o m.rather --quiet");
    let report = lab.json("check m.rather");
    let fit = &report["goodness"];
    assert_eq!(
        (fit["repeated_pairs"].as_u64(), fit["triads"].as_u64(), fit["circular"].as_u64()),
        (Some(3), Some(1), Some(1))
    );
    let text = lab.text("check m.rather").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Of 1 triad of items compared with each other 1 is circular"), "{text}");
}

#[test]
fn a_report_is_one_page_that_needs_nothing_else() {
    let lab = Lab::new();
    lab.write("items.csv", "tea,price,name\nt1,1,<b>&\nt2,2,x\nt3,3,y\nt4,4,z\nt5,5,u\nt6,6,v\n");
    lab.text("fit items.csv duels.csv --ties drop --kernel se -o model.rather --quiet");
    let written = lab.json("report model.rather -o report.html");
    assert_eq!(written["figures"], 3);
    let page = std::fs::read_to_string(lab.path("report.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("&lt;b&gt;&amp;"));
    assert_eq!(page.matches("<svg").count(), 3);
    for word in ["src=", "href=", "<script", "@import", "url("] {
        assert!(!page.contains(word), "{word}");
    }
    for section in ["Data", "Ranking", "What features do", "Model", "How to read this page"] {
        assert!(page.contains(&format!("<h2>{section}</h2>")), "{section}");
    }
    lab.text("fit items.csv duels.csv --ties drop --model per-user -o users.rather --quiet");
    lab.text("report users.rather --user ann -o ann.html");
    assert!(lab.error("report model.rather -o report.pdf").contains("end the name of the report in that"));
}

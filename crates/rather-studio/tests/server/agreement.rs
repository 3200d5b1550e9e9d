//! The result of several participants: who agrees, who is a misfit, and all together.

use crate::lab::{ITEMS, Lab, header};
use reqwest::Method;
use serde_json::{Value, json};

/// Twelve comparisons, each pair twice, of everyone: alphabetically, and of `dan` the other way round.
fn answers() -> String {
    let mut table = "user,winner,loser\n".to_owned();
    for user in ["ann", "=bob", "cat", "dan"] {
        for (first, second) in [
            ("Assam", "Mate"),
            ("Assam", "Oolong"),
            ("Assam", "Sencha"),
            ("Mate", "Oolong"),
            ("Mate", "Sencha"),
            ("Oolong", "Sencha"),
        ] {
            let (winner, loser) = if user == "dan" { (second, first) } else { (first, second) };
            table += &format!("{user},{winner},{loser}\n").repeat(2);
        }
    }
    table
}

#[tokio::test]
async fn participants_are_set_side_by_side() {
    let lab = Lab::start().await;
    let (study, other) = (lab.study(ITEMS).await, lab.study(ITEMS).await);
    let path = format!("/studies/{study}/agreement");
    let empty = lab.api(Method::GET, &path, None).await;
    assert_eq!((&empty["judges"], &empty["concordance"]), (&json!([]), &Value::Null));
    let import = lab.request(Method::POST, &format!("/api/v1/studies/{study}/import?format=csv"));
    assert_eq!(import.header("content-type", "text/csv").body(answers()).send().await.unwrap().status(), 200);
    let found = lab.api(Method::GET, &path, None).await;
    assert_eq!(
        (&found["places"][0]["label"], found["places"].as_array().unwrap().len()),
        (&json!("Assam"), 4)
    );
    let infit = |name: &str| {
        let judges = found["judges"].as_array().unwrap();
        judges.iter().find(|j| j["participant"] == name).unwrap()["infit"].as_f64().unwrap()
    };
    assert!(infit("dan") > 1.5 && infit("ann") < 1.0, "{found}");
    let within = |name: &str| (0.0..=1.0).contains(&found[name].as_f64().unwrap());
    assert!(within("reliability") && within("concordance"), "{found}");
    let csv = async |table: &str| {
        let reply = lab.get(&format!("/api/v1{path}?format=csv&table={table}")).await;
        assert!(header(reply.headers(), "content-type").starts_with("text/csv"));
        reply.text().await.unwrap()
    };
    let participants = csv("participants").await;
    assert!(participants.starts_with("participant,comparisons,infit,outfit,best\n"), "{participants}");
    assert!(participants.contains("\n'=bob,12,"), "no formula for a spreadsheet: {participants}");
    assert_eq!(csv("alternatives").await.lines().count(), 5);
    let page = lab.get(&path).await.text().await.unwrap();
    assert_eq!(page.matches("<figure class=\"multiple\">").count(), 5, "all together, and each of four");
    assert_eq!(page.matches(">misfit<").count(), 1, "{page}");
    let result = lab.get(&format!("/studies/{study}/result")).await.text().await.unwrap();
    assert!(result.contains(&format!("href=\"{path}\"")), "the result leads there");
    let empty = lab.get(&format!("/studies/{other}/agreement")).await.text().await.unwrap();
    assert!(empty.contains("Nobody has answered yet"));
}

//! The result of several participants: who agrees, who is a misfit, and all together.

use crate::lab::{ITEMS, Lab, header};
use reqwest::Method;
use serde_json::{Value, json};

/// Answers so many comparisons of `name`, alphabetically or the other way round.
async fn answer(lab: &Lab, study: &str, name: &str, n: usize, forwards: bool) {
    let path = format!("/studies/{study}");
    let mut turn = lab.api(Method::POST, &format!("{path}/ask"), Some(json!({ "participant": name }))).await;
    for _ in 0..n {
        let next = &turn["next"];
        let left = next["left"]["label"].as_str() < next["right"]["label"].as_str();
        let answer = if left == forwards { "left" } else { "right" };
        let tell = json!({ "participant": name, "duel": next["duel"], "answer": answer });
        turn = lab.api(Method::POST, &format!("{path}/tell"), Some(tell)).await;
    }
}

#[tokio::test]
async fn participants_are_set_side_by_side() {
    let lab = Lab::start().await;
    let study = lab.study(ITEMS).await;
    let path = format!("/studies/{study}/agreement");
    let empty = lab.api(Method::GET, &path, None).await;
    assert_eq!((&empty["judges"], &empty["concordance"]), (&json!([]), &Value::Null));
    assert!(lab.get(&path).await.text().await.unwrap().contains("Nobody has answered yet"));
    for name in ["ann", "=bob", "cat"] {
        answer(&lab, &study, name, 8, true).await;
    }
    answer(&lab, &study, "dan", 8, false).await;
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
    assert!(participants.contains("\n'=bob,8,"), "no formula for a spreadsheet: {participants}");
    assert_eq!(csv("alternatives").await.lines().count(), 5);
    let page = lab.get(&path).await.text().await.unwrap();
    assert_eq!(page.matches("<figure class=\"multiple\">").count(), 5, "all together, and each of four");
    assert_eq!(page.matches(">misfit<").count(), 1, "{page}");
    let result = lab.get(&format!("/studies/{study}/result")).await.text().await.unwrap();
    assert!(result.contains(&format!("href=\"{path}\"")), "the result leads there");
}

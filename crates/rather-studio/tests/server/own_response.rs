//! A kind of answer of one's own, from outside the library: the studio asks for it, learns from it and shows it.

#[path = "../../../rather-io/tests/it/own_response/points.rs"]
mod points;

use crate::lab::Lab;
use crate::making::{send, study_of};
use points::Points;
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn a_kind_of_answer_of_ones_own_is_asked_for() {
    rather::likelihood::register(&Points).unwrap();
    let lab = Lab::start().await;
    let form = lab.get("/studies/new").await.text().await.unwrap();
    assert!(form.contains("by how much, from 0 to 5 for either (points-ahead)"), "the form has it");
    let items = "Assam\nOolong\nSencha\nMate\n";
    let fields = [
        ("how", "form"),
        ("title", "Teas"),
        ("subject", "items"),
        ("items", items),
        ("answers", "points-ahead"),
    ];
    let study = study_of(&send(&lab, &fields, Vec::new()).await);
    let page = lab.get(&format!("/studies/{study}/duel")).await.text().await.unwrap();
    assert_eq!(page.matches("class=\"answer\"").count(), 11, "five for either side, and none of them");
    let rank = |side: &serde_json::Value| {
        let name = side["label"].as_str().unwrap();
        ["Mate", "Sencha", "Oolong", "Assam"].iter().position(|known| *known == name).unwrap() as i64
    };
    let mut turn = lab.api(Method::POST, &format!("/studies/{study}/ask"), Some(json!({}))).await;
    for _ in 0..10 {
        let next = &turn["next"];
        let ahead = rank(&next["left"]) - rank(&next["right"]);
        let side = if ahead > 0 { "left" } else { "right" };
        let answer = format!("{side} by {}", ahead.abs());
        let told = json!({ "duel": next["duel"], "answer": answer });
        turn = lab.api(Method::POST, &format!("/studies/{study}/tell"), Some(told)).await;
    }
    let told = json!({ "duel": turn["next"]["duel"], "answer": "left" });
    let address = format!("{}/api/v1/studies/{study}/tell", lab.url);
    let refused = reqwest::Client::new().post(address).json(&told).send().await.unwrap();
    let sentence = refused.text().await.unwrap();
    assert!(sentence.contains("write a number from 5 (left) over 0 to -5 (right), or skip"), "{sentence}");
    let result = lab.get(&format!("/studies/{study}/result")).await.text().await.unwrap();
    let place = |name: &str| result.find(name).unwrap_or_else(|| panic!("{name} in the result"));
    assert!(place("Assam") < place("Mate") && result.contains("by 1"), "the ranking and the answers");
    let csv = lab.get(&format!("/api/v1/studies/{study}/export?format=csv")).await.text().await.unwrap();
    assert!(csv.starts_with("left,right,points,user,count,time"), "{csv}");
    let found = lab.api(Method::GET, &format!("/studies/{study}/result"), None).await;
    let ranked: Vec<&str> =
        found["ranking"].as_array().unwrap().iter().map(|place| place["label"].as_str().unwrap()).collect();
    assert_eq!(ranked, ["Assam", "Oolong", "Sencha", "Mate"]);
}

//! Many at once. How fast that is tells the example `load`.

use crate::lab::{Lab, ONE};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use std::collections::HashSet;

#[tokio::test(flavor = "multi_thread")]
async fn fifty_at_once_lose_nothing() {
    const PARTICIPANTS: usize = 50;
    const ANSWERS: usize = 3;
    let lab = Lab::start().await;
    let study = lab.study(ONE).await;
    let client = Client::new();
    let one = |i: usize| {
        let (client, base) = (client.clone(), format!("{}/api/v1/studies/{study}", lab.url));
        tokio::spawn(async move {
            let name = format!("person {i}");
            let post = async |verb: &str, body: Value| {
                let response = client.post(format!("{base}/{verb}")).json(&body).send().await.unwrap();
                let (status, text) = (response.status(), response.text().await.unwrap());
                assert!(status.is_success(), "{verb}: {status} {text}");
                serde_json::from_str::<Value>(&text).unwrap()
            };
            let mut turn = post("ask", json!({ "participant": name })).await;
            for n in 0..ANSWERS {
                let answer = if (i + n).is_multiple_of(2) { "left" } else { "right" };
                let body = json!({ "participant": name, "duel": turn["next"]["duel"], "answer": answer, "key": format!("{i}-{n}") });
                turn = post("tell", body.clone()).await;
                // Sent twice, as over a bad connection: it counts once.
                assert_eq!(post("tell", body).await["answers"], turn["answers"]);
            }
            assert_eq!(turn["answers"], ANSWERS);
        })
    };
    for person in (0..PARTICIPANTS).map(one).collect::<Vec<_>>() {
        person.await.unwrap();
    }
    let history = lab.api(Method::GET, &format!("/studies/{study}/history"), None).await;
    let answers = history["answers"].as_array().unwrap();
    let distinct: HashSet<String> =
        answers.iter().map(|a| format!("{}/{}", a["participant"], a["duel"])).collect();
    assert_eq!((answers.len(), distinct.len()), (PARTICIPANTS * ANSWERS, PARTICIPANTS * ANSWERS));
}

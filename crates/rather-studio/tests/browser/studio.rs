//! A studio of its own for a test, and the operator's side of it.

use rather_studio::Config;
use rather_studio::render::command::Command;
use rather_studio::security::token::OperatorToken;
use rather_studio::server::Server;
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;
use tokio::sync::oneshot;

/// A studio with the demo studies. It ends with the value.
pub(crate) struct Studio {
    origin: String,
    http: reqwest::Client,
    stop: Option<oneshot::Sender<()>>,
    folder: TempDir,
}

impl Drop for Studio {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }
}

impl Studio {
    pub(crate) async fn start() -> Self {
        Self::with(None).await
    }

    /// With the operator's token, if there is to be one.
    pub(crate) async fn with(token: Option<&str>) -> Self {
        Self::of(|config| config.token = token.map(|text| OperatorToken::new(text, "the test").unwrap()))
            .await
    }

    /// With a command that renders.
    pub(crate) async fn rendering(name: &str, command: &str) -> Self {
        let command = Command::parse(command, Path::new("/")).unwrap();
        Self::of(|config| config.commands.add(name, command).unwrap()).await
    }

    async fn of(configure: impl FnOnce(&mut Config)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::local(folder.path().join("studio.db"));
        config.listen.set_port(0);
        configure(&mut config);
        let server = Server::start(config).await.unwrap();
        let origin = server.url().trim_end_matches('/').to_owned();
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(server.run(async {
            let _ = stopped.await;
        }));
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { origin, http, stop: Some(stop), folder }
    }

    /// Removes the file of studies under the studio.
    pub(crate) fn remove_data(&self) {
        for name in ["studio.db", "studio.db-wal", "studio.db-shm"] {
            std::fs::remove_file(self.folder.path().join(name)).unwrap();
        }
    }

    /// The address of a page.
    pub(crate) fn page(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        read(self.http.get(self.page(path))).await
    }

    /// What is at this path, as text.
    pub(crate) async fn read(&self, path: &str) -> String {
        self.http.get(self.page(path)).send().await.expect("the studio answers").text().await.unwrap()
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Value {
        read(self.http.post(self.page(path)).json(&body)).await
    }

    /// The name of a demo study, by the number of its parameters less one.
    pub(crate) async fn demo(&self, more: usize) -> String {
        let all = self.get("/api/v1/studies").await;
        let studies = all["studies"].as_array().expect("studies");
        let demo = studies.iter().find(|s| s["demo"] == true && s["size"] == more + 1).expect("the demo");
        demo["id"].as_str().unwrap().to_owned()
    }

    /// Makes a study and returns its name.
    pub(crate) async fn make(&self, definition: Value) -> String {
        let made = self.post("/api/v1/studies", definition).await;
        made["id"].as_str().unwrap_or_else(|| panic!("a study: {made}")).to_owned()
    }

    /// How many answers a study has.
    pub(crate) async fn answers(&self, study: &str) -> usize {
        let found = self.get(&format!("/api/v1/studies/{study}/result")).await;
        found["study"]["answers"].as_u64().expect("a number") as usize
    }

    /// The floors of the open duel of a demo study, in dB.
    pub(crate) async fn floors(&self, study: &str) -> (f64, f64) {
        let found = self.get(&format!("/api/v1/studies/{study}/result")).await;
        let floor = |side: usize| {
            let parameters = found["next"][side]["parameters"].as_array().expect("an open duel");
            let floor = parameters.iter().find(|p| p["name"] == "floor").expect("a floor");
            floor["value"].as_str().unwrap().replace('−', "-").parse().expect("a number")
        };
        (floor(0), floor(1))
    }

    /// Answers so many duels, A and B by turns.
    pub(crate) async fn answer_at_random(&self, study: &str, n: usize) {
        let path = format!("/api/v1/studies/{study}");
        let who = self.get(&format!("{path}/participants")).await["participants"][0]["name"].clone();
        for i in 0..n {
            let turn = self.post(&format!("{path}/ask"), json!({ "participant": who })).await;
            let answer = if i % 2 == 0 { "left" } else { "right" };
            let said = json!({ "participant": who, "duel": turn["next"]["duel"], "answer": answer, "key": format!("{study}-{}", turn["next"]["duel"]) });
            self.post(&format!("{path}/tell"), said).await;
        }
    }
}

async fn read(request: reqwest::RequestBuilder) -> Value {
    let reply = request.send().await.expect("the studio answers");
    let status = reply.status();
    let text = reply.text().await.unwrap();
    assert!(status.is_success(), "{status}: {text}");
    serde_json::from_str(&text).unwrap_or(Value::Null)
}

//! A studio of its own for every test, on a port of its own.

use rather_studio::{Config, Server};
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Value, json};
use std::path::PathBuf;
use tokio::sync::oneshot;

/// The operator's token where there is one.
pub(crate) const TOKEN: &str = "a-token-of-more-than-22-characters";

/// A running studio.
pub(crate) struct Lab {
    pub(crate) url: String,
    pub(crate) client: Client,
    pub(crate) data: PathBuf,
    _folder: tempfile::TempDir,
    _stop: oneshot::Sender<()>,
}

impl Lab {
    /// With everything as usual, but without the demo.
    pub(crate) async fn start() -> Self {
        Self::with(|_| ()).await
    }

    /// With what `configure` changes.
    pub(crate) async fn with(configure: impl FnOnce(&mut Config)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("studio.db");
        let mut config =
            Config { demo: false, listen: "127.0.0.1:0".parse().unwrap(), ..Config::local(&data) };
        configure(&mut config);
        let server = Server::start(config).await.unwrap();
        let url = format!("http://{}", server.address());
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(server.run(async {
            // Dropping the other end is a wish to stop, too.
            let _ = stopped.await;
        }));
        let client =
            Client::builder().redirect(reqwest::redirect::Policy::none()).cookie_store(true).build().unwrap();
        Self { url, client, data, _folder: folder, _stop: stop }
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url))
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.request(Method::GET, path).send().await.unwrap()
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Response {
        self.request(Method::POST, path).json(&body).send().await.unwrap()
    }

    /// What the API answers, which must be well.
    pub(crate) async fn api(&self, method: Method, path: &str, body: Option<Value>) -> Value {
        // A program of its own: no cookies.
        let request = Client::new().request(method, format!("{}/api/v1{path}", self.url));
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        let response = request.send().await.unwrap();
        let (status, text) = (response.status(), response.text().await.unwrap());
        assert!(status.is_success(), "{path}: {status} {text}");
        if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap() }
    }

    /// Makes a study of a definition in TOML and returns its id.
    pub(crate) async fn study(&self, toml: &str) -> String {
        let made = self.api(Method::POST, "/studies", Some(json!({ "toml": toml }))).await;
        made["id"].as_str().unwrap().to_owned()
    }

    /// The token that forms of this browser must send.
    pub(crate) async fn csrf(&self, path: &str) -> String {
        let page = self.get(path).await.text().await.unwrap();
        let (_, rest) = page.split_once("name=\"csrf\" content=\"").expect("every page has it");
        rest.split('"').next().unwrap().to_owned()
    }
}

/// The headers of an answer.
pub(crate) fn header<'a>(headers: &'a HeaderMap<HeaderValue>, name: &str) -> &'a str {
    headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
}

/// A study of one parameter.
pub(crate) const ONE: &str = "title = \"One\"\n[parameters]\nx = { type = \"float\", low = 0, high = 1 }\n";
/// A study of four items.
pub(crate) const ITEMS: &str = "title = \"Teas\"\nitems = [\"Assam\", \"Oolong\", \"Sencha\", \"Mate\"]\n";

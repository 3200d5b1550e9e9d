//! Starting and stopping.

use crate::connections::{self, Caps};
use crate::registry::Registry;
use crate::studio::{App, Studio};
use crate::{Config, Error, app, demo};
use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// How long requests that are under way may take when the studio stops.
const LAST_CALL: Duration = Duration::from_secs(10);

/// How often the write-ahead log is moved into the file while nobody works.
const TIDY: Duration = Duration::from_secs(60);

/// A studio that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    app: App,
}

impl Server {
    /// Opens the studies and listens. New files get the demo studies.
    ///
    /// # Errors
    /// If others could reach it without a token, the file cannot be used, or the address is taken.
    pub async fn start(config: Config) -> Result<Self, Error> {
        // Before anything is made: a refusal leaves nothing behind.
        config.check()?;
        let fault = |e: std::io::Error| Error::Listen { address: config.listen, reason: e.to_string() };
        let listener = TcpListener::bind(config.listen).await.map_err(fault)?;
        let address = listener.local_addr().map_err(fault)?;
        let opened = tokio::task::spawn_blocking(move || {
            let studio = Studio::open(config, address)?;
            if studio.config.demo {
                demo::make(&studio.registry)?;
            }
            Ok::<_, Error>(studio)
        });
        let studio = opened.await.map_err(|e| Error::Server { reason: e.to_string() })??;
        Ok(Self { listener, app: Arc::new(studio) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.app.address
    }

    /// The file of studies.
    pub fn data(&self) -> &Path {
        self.app.registry.path()
    }

    /// The address to open in a browser.
    pub fn url(&self) -> String {
        if let Some(public) = &self.app.config.public {
            return format!("{public}/");
        }
        let address = self.app.address;
        // Nobody can open "all addresses"; this machine is one of them.
        let ip =
            if address.ip().is_unspecified() { std::net::Ipv4Addr::LOCALHOST.into() } else { address.ip() };
        format!("http://{}/", SocketAddr::new(ip, address.port()))
    }

    /// The address under which others reach it, if they do.
    pub fn reach(&self) -> Option<String> {
        crate::reach::origin(&self.app.config, self.app.address)
    }

    /// Serves until `stop` is done, then lets requests that are under way end.
    ///
    /// # Errors
    /// If it cannot go on listening.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), Error> {
        let (app, stopping) = (self.app.clone(), self.app.clone());
        let stop = async move {
            stop.await;
            stopping.stop();
        };
        tokio::spawn(stop);
        let config = &app.config;
        let caps = Caps::new(&config.limits, config.public.is_some(), connections::open_files());
        let serve = connections::serve(self.listener, app::router(app.clone()), caps, app.stopping());
        let mut stopped = app.stopping();
        let late = async {
            // The sender lives as long as the app, which is here.
            let _ = stopped.wait_for(|stopped| *stopped).await;
            tokio::time::sleep(LAST_CALL).await;
        };
        let tidy = tokio::spawn(tidy(Arc::clone(&app.registry)));
        tokio::select! {
            () = serve => {}
            () = late => {}
        }
        tidy.abort();
        let registry = Arc::clone(&app.registry);
        // The last connection, which closes with the app, then finds nothing left to do.
        let _ = tokio::task::spawn_blocking(move || registry.close()).await;
        Ok(())
    }
}

/// Keeps the file complete while nobody works: what is copied then lacks nothing.
async fn tidy(registry: Arc<Registry>) {
    loop {
        tokio::time::sleep(TIDY).await;
        let registry = Arc::clone(&registry);
        let _ = tokio::task::spawn_blocking(move || registry.checkpoint()).await;
    }
}

/// Done when the operator wants to stop: Ctrl-C, or the signal that service managers send.
pub async fn interrupted() {
    let ctrl_c = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = ctrl_c => {}
        () = terminate => {}
    }
}

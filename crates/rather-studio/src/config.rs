//! What the operator decides when the studio starts.

use crate::Error;
use crate::render::setup::{COMMAND, Commands};
use crate::security::host::PublicOrigin;
use crate::security::token::OperatorToken;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The port unless told otherwise.
pub const PORT: u16 = 8421;
/// The variable of the environment that may hold the operator's token.
pub const TOKEN_VARIABLE: &str = "RATHER_STUDIO_TOKEN";

/// Everything the operator decides.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Under which address it is known, if under another one.
    pub public: Option<PublicOrigin>,
    /// What opens everything; needed where others can reach it.
    pub token: Option<OperatorToken>,
    /// The file of studies.
    pub data: PathBuf,
    /// Commands that render.
    pub commands: Commands,
    /// Whether the demo studies are made in a new file.
    pub demo: bool,
    /// What is too much.
    pub limits: Limits,
}

/// What is too much.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of a request that is no upload.
    pub body: usize,
    /// Bytes of an upload.
    pub upload: usize,
    /// Bytes of one file of an upload.
    pub file: usize,
    /// Bytes of rendered media that are kept.
    pub cache: usize,
    /// Requests to one study that may wait.
    pub waiting: usize,
    /// Connections in all; fewer if the operating system allows few files to be open.
    pub connections: usize,
    /// Connections from one address; unless told otherwise [`Limits::PER_ADDRESS`], and without a limit where a public origin is named,
    /// since all connections then come from the proxy.
    pub per_address: Option<usize>,
    /// How long the header of a request may take to arrive.
    pub header: Duration,
    /// How long choosing a duel may take while somebody waits.
    pub choosing: Duration,
    /// How long a request may take.
    pub request: Duration,
}

impl Limits {
    /// Connections from one address unless told otherwise: a class behind one router, six for every browser.
    pub const PER_ADDRESS: usize = 200;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 64 << 10,
            upload: 200 << 20,
            file: 50 << 20,
            cache: 256 << 20,
            waiting: 1000,
            connections: 1000,
            per_address: None,
            header: Duration::from_secs(10),
            choosing: Duration::from_millis(100),
            request: Duration::from_secs(60),
        }
    }
}

impl Config {
    /// On loopback, with the studies in `data`, and everything else as usual.
    pub fn local(data: impl Into<PathBuf>) -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)),
            public: None,
            token: None,
            data: data.into(),
            commands: Commands::default(),
            demo: true,
            limits: Limits::default(),
        }
    }

    /// Whether it may start like this.
    ///
    /// # Errors
    /// If others could reach it without a token.
    pub fn check(&self) -> Result<(), Error> {
        // A proxy on this machine makes loopback reachable, too.
        let open = !self.listen.ip().is_loopback() || self.public.is_some();
        if open && self.token.is_none() {
            return Err(Error::NeedsToken { address: self.listen });
        }
        Ok(())
    }
}

/// The file of studies unless told otherwise: `rather/studio.db` in the user's folder for data.
///
/// # Errors
/// If there is no such folder on this system.
pub fn default_data() -> Result<PathBuf, Error> {
    Ok(dirs::data_local_dir().ok_or(Error::NoDataFolder)?.join("rather").join("studio.db"))
}

/// The commands of the command line and of the TOML file: `file` if one is named, else the one beside `data` (`studio.toml`
/// beside `studio.db`) if it is there.
///
/// # Errors
/// If the file or a command is not as it must be.
pub fn commands(render: Option<&str>, file: Option<&Path>, data: &Path) -> Result<Commands, Error> {
    let beside = data.with_extension("toml");
    let file = file.map(Path::to_path_buf).or_else(|| beside.is_file().then_some(beside));
    let mut commands = file.map_or_else(|| Ok(Commands::default()), |path| Commands::read(&path))?;
    if let Some(line) = render {
        let fault = |problem| Error::Renderer { origin: "--render".to_owned(), problem };
        let folder = std::env::current_dir().map_err(|e| fault(e.to_string()))?;
        let command = crate::render::command::Command::parse(line, &folder).map_err(fault)?;
        commands.add(COMMAND, command).map_err(fault)?;
    }
    Ok(commands)
}

/// The operator's token: of the file if one is named, else of the environment.
///
/// # Errors
/// If the file cannot be read or made, or the token is none.
pub fn token(file: Option<&Path>, environment: Option<&str>) -> Result<Option<OperatorToken>, Error> {
    match (file, environment) {
        (Some(path), _) => OperatorToken::read_or_create(path).map(Some),
        (None, Some(text)) => OperatorToken::new(text, TOKEN_VARIABLE).map(Some),
        (None, None) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_need_a_token() {
        let mut config = Config::local("x.db");
        assert!(config.check().is_ok());
        config.listen = "0.0.0.0:80".parse().unwrap();
        let sentence = config.check().unwrap_err().to_string();
        assert_eq!(
            sentence,
            "others can reach 0.0.0.0:80, so a token is needed: name a file for it with --token-file (it is made if it does \
             not exist), or set RATHER_STUDIO_TOKEN"
        );
        config.token = token(None, Some("0123456789abcdef543210")).unwrap();
        assert!(config.check().is_ok());
        config = Config {
            public: Some(PublicOrigin::parse("https://x.example").unwrap()),
            ..Config::local("x.db")
        };
        assert!(config.check().is_err());
    }
}

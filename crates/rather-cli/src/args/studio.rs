//! The command line of `rather studio`.

use clap::Args;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

/// Open the studio: tune anything by ear, eye or taste, in the browser
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  rather studio --open
  rather studio teas.db --render 'python3 synth.py --gain={gain}'
  rather studio --listen 0.0.0.0:8421 --token-file studio.token

The first start makes two demo studies of a noise suppressor to tune by ear.

A command of --render turns a setting into a WAV, PNG, HTML or text on its
standard output. {NAME} stands for the value of a parameter, {theta} for all
values with commas, {json} for all as JSON, {item} for an item's name. In the
script of a shell (sh -c '...') they are safely quoted. A TOML file holds several
commands, and other limits than 10 seconds and 20 MB:
  [renderers.synth]
  command = [\"python3\", \"synth.py\", \"--gain={gain}\"]
  seconds = 30

The variable RATHER_STUDIO_TOKEN may also hold the token. There is no
encryption: beyond your own network put a proxy with HTTPS in front, and name
its address with --origin.

There are at most 1000 connections, and 200 from one address; with --origin all
come from the proxy's address, so only the first number holds. They get at most
half of the files that may be open (ulimit -n). When all are taken, the one that
has waited longest for a request is closed.

JSON keys: url, data.")]
pub(crate) struct StudioArgs {
    /// File of studies, made if it does not exist [default: rather/studio.db in your folder for data]
    #[arg(value_name = "FILE")]
    pub(crate) data: Option<PathBuf>,
    /// Address and port to listen on; port 0 takes any that is free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8421", value_parser = address)]
    pub(crate) listen: SocketAddr,
    /// File with the operator's token, made if it does not exist; needed if others can reach the address
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Address under which people reach the studio, if it is another one, such as `https://studio.example`
    #[arg(long, value_name = "URL")]
    pub(crate) origin: Option<String>,
    /// Command that turns a setting into something to hear or see
    #[arg(long, value_name = "COMMAND")]
    pub(crate) render: Option<String>,
    /// File with commands that render [default: the file of studies with the ending .toml, if there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) renderers: Option<PathBuf>,
    /// Most connections at once
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(8..))]
    pub(crate) max_connections: u32,
    /// Most connections from one address [default: 200; with --origin as many as in all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_per_address: Option<u32>,
    /// Open the browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Make no demo studies in a new file
    #[arg(long)]
    pub(crate) no_demo: bool,
}

/// An address with a port; a name, such as `localhost:8421`, is looked up.
fn address(text: &str) -> Result<SocketAddr, String> {
    let wrong = || "write an address with a port, such as 127.0.0.1:8421 or localhost:8421".to_owned();
    let found: Vec<SocketAddr> = text.to_socket_addrs().map_err(|_| wrong())?.collect();
    // Where a name has both, the older kind is the one that every browser here reaches.
    found.iter().find(|address| address.is_ipv4()).or(found.first()).copied().ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn a_name_is_an_address() {
        assert_eq!(address("localhost:8421").unwrap().port(), 8421);
        assert!(address("localhost:8421").unwrap().ip().is_loopback());
        assert_eq!(address("0.0.0.0:0").unwrap().to_string(), "0.0.0.0:0");
        for wrong in ["8421", "localhost", "127.0.0.1", "127.0.0.1:x"] {
            assert!(address(wrong).unwrap_err().contains("with a port"), "{wrong}");
        }
    }
}

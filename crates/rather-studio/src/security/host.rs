//! Which names this program answers to.
//!
//! A foreign page can let its own name resolve to 127.0.0.1 and then read from here as if from itself. What it cannot do
//! is to change the name that the browser sends: so names that are not ours are refused. Numbers need no name to be
//! resolved and are fine.

use crate::Error;
use std::net::{IpAddr, SocketAddr};

/// The address under which people reach the studio, if it is not the one it listens on: a proxy's, or a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicOrigin {
    /// `http` or `https`.
    pub scheme: String,
    /// Name, and port if it is not the usual one; in lower case.
    pub authority: String,
}

impl PublicOrigin {
    /// Reads `https://studio.example` or `http://box.local:8421`.
    ///
    /// # Errors
    /// If it is something else, or has a path.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let wrong = || Error::Origin { text: text.to_owned() };
        let (scheme, rest) = text.split_once("://").ok_or_else(wrong)?;
        let authority = rest.strip_suffix('/').unwrap_or(rest).to_ascii_lowercase();
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._:[]".contains(&b);
        if !matches!(scheme, "http" | "https") || authority.is_empty() || !authority.bytes().all(plain) {
            return Err(wrong());
        }
        Ok(Self { scheme: scheme.to_owned(), authority })
    }

    /// Whether the connection to the browser is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.scheme == "https"
    }
}

impl std::fmt::Display for PublicOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://{}", self.scheme, self.authority)
    }
}

/// The names that are ours.
#[derive(Debug, Clone)]
pub struct Hosts {
    loopback: bool,
    public: Option<PublicOrigin>,
}

impl Hosts {
    /// Those of a program that listens on `address` and may be known as `public`.
    pub fn new(address: SocketAddr, public: Option<PublicOrigin>) -> Self {
        Self { loopback: address.ip().is_loopback(), public }
    }

    /// Whether a request to `host` (the header, with or without a port) is meant for us.
    pub fn are(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        if self.public.as_ref().is_some_and(|public| public.authority == host) {
            return true;
        }
        let name = name_of(&host);
        match name.parse::<IpAddr>() {
            Ok(address) => address.is_loopback() || !self.loopback,
            Err(_) => name == "localhost",
        }
    }

    /// Whether a page of `origin` (the header) is one of ours, when the request was sent to `host`.
    pub fn owns(&self, origin: &str, host: &str) -> bool {
        let origin = origin.to_ascii_lowercase();
        if self.public.as_ref().is_some_and(|public| public.to_string() == origin) {
            return true;
        }
        origin.strip_prefix("http://").is_some_and(|authority| authority.eq_ignore_ascii_case(host))
    }
}

/// A host without its port.
fn name_of(host: &str) -> &str {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split_once(']').map_or("", |(name, _)| name);
    }
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_answers_to_its_names_only() {
        let hosts = Hosts::new("127.0.0.1:8421".parse().unwrap(), None);
        for ours in ["127.0.0.1:8421", "localhost", "LOCALHOST:1", "[::1]:8421", "127.0.0.1"] {
            assert!(hosts.are(ours), "{ours}");
        }
        let foreign = [
            "evil.example",
            "evil.example:8421",
            "localhost.evil.example",
            "192.168.1.5",
            "",
            "127.0.0.1.evil.example",
        ];
        for foreign in foreign {
            assert!(!hosts.are(foreign), "{foreign}");
        }
    }

    #[test]
    fn an_open_address_answers_to_numbers_and_to_its_public_name() {
        let public = PublicOrigin::parse("https://Studio.example/").unwrap();
        let hosts = Hosts::new("0.0.0.0:80".parse().unwrap(), Some(public));
        assert!(hosts.are("192.168.1.5:80") && hosts.are("studio.example") && !hosts.are("evil.example"));
        assert!(hosts.owns("https://studio.example", "studio.example"));
        assert!(hosts.owns("http://192.168.1.5:80", "192.168.1.5:80"));
        for foreign in
            ["https://evil.example", "null", "", "http://192.168.1.5:81", "https://studio.example.evil"]
        {
            assert!(!hosts.owns(foreign, "192.168.1.5:80"), "{foreign}");
        }
    }

    #[test]
    fn an_origin_is_scheme_and_name() {
        for wrong in ["studio.example", "ftp://x", "https://", "https://x/path", "https://x y", "http://u@x"]
        {
            assert!(PublicOrigin::parse(wrong).is_err(), "{wrong}");
        }
    }
}

//! Under which address others reach this studio.

use crate::config::Config;
use std::net::{IpAddr, SocketAddr, UdpSocket};

/// The origin that participants' links begin with; `None` if nobody but this machine reaches the studio.
pub fn origin(config: &Config, listens: SocketAddr) -> Option<String> {
    match (&config.public, listens.ip()) {
        (Some(public), _) => Some(public.to_string()),
        (None, ip) if ip.is_loopback() => None,
        (None, ip) if ip.is_unspecified() => own_address().map(|ip| at(ip, listens.port())),
        (None, ip) => Some(at(ip, listens.port())),
    }
}

fn at(ip: IpAddr, port: u16) -> String {
    format!("http://{}", SocketAddr::new(ip, port))
}

/// The address of this machine in its network: where a packet to elsewhere would come from. None is sent.
fn own_address() -> Option<IpAddr> {
    // An address for documentation, which leads nowhere.
    const ELSEWHERE: &str = "192.0.2.1:9";
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect(ELSEWHERE).ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_unspecified() && !ip.is_loopback()).then_some(ip)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::security::host::PublicOrigin;

    #[test]
    fn links_begin_with_what_others_can_open() {
        let config = Config::local("x.db");
        let of = |config: &Config, listens: &str| origin(config, listens.parse().unwrap());
        assert_eq!(of(&config, "127.0.0.1:8421"), None);
        assert_eq!(of(&config, "192.168.1.5:8421").as_deref(), Some("http://192.168.1.5:8421"));
        let public = Some(PublicOrigin::parse("https://x.example").unwrap());
        assert_eq!(
            of(&Config { public, ..config.clone() }, "127.0.0.1:1").as_deref(),
            Some("https://x.example")
        );
        assert!(of(&config, "0.0.0.0:8421").is_none_or(|origin| !origin.contains("0.0.0.0")));
    }
}

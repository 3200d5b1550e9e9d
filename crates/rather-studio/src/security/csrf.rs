//! Whether a request that changes something comes from one of our own pages, or from no page at all.

use super::host::Hosts;
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Method};

/// The header in which scripts send the session's token.
pub const HEADER: &str = "x-csrf-token";

/// Whether requests of this method leave everything as it is.
pub fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Whether what the browser says about the sender is fine.
///
/// `Sec-Fetch-Site` and `Origin` cannot be set by scripts. Programs that are no browsers send neither; they have no
/// session to abuse.
pub fn comes_from_us(headers: &HeaderMap, hosts: &Hosts) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or(""));
    if text("sec-fetch-site").is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        return false;
    }
    let host = text(HOST.as_str()).unwrap_or("");
    text(ORIGIN.as_str()).is_none_or(|origin| hosts.owns(origin, host))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(headers: &[(&'static str, &str)]) -> bool {
        let hosts = Hosts::new("127.0.0.1:8421".parse().unwrap(), None);
        let mut map = HeaderMap::new();
        map.insert(HOST, "127.0.0.1:8421".parse().unwrap());
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        comes_from_us(&map, &hosts)
    }

    #[test]
    fn foreign_pages_are_told_by_what_the_browser_says() {
        assert!(allowed(&[]));
        assert!(allowed(&[("origin", "http://127.0.0.1:8421"), ("sec-fetch-site", "same-origin")]));
        assert!(allowed(&[("sec-fetch-site", "none")]));
        assert!(!allowed(&[("origin", "https://evil.example")]));
        assert!(!allowed(&[("origin", "http://127.0.0.1:9999")]));
        assert!(!allowed(&[("origin", "null")]));
        assert!(!allowed(&[("sec-fetch-site", "cross-site")]));
        assert!(!allowed(&[("sec-fetch-site", "same-site")]));
    }
}

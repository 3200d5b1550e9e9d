//! What every answer tells the browser to allow.

use axum::http::header::{HeaderName, HeaderValue};
use axum::http::{HeaderMap, header};

/// What a page may load: files of this program, and media of the origins that a study names. What its own scripts made (`blob:`) are sounds,
/// and files that were chosen to be sent.
///
/// `media` are origins as `https://sounds.example`, checked when the study was made.
pub fn page_policy(media: &[String]) -> String {
    let from =
        |own: &str| [own].into_iter().chain(media.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
    let own = from("'self'");
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src {}; media-src {}; connect-src {own}; \
         font-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        from("'self' blob:"),
        from("'self' blob:")
    )
}

/// What a rendered page may do in its frame: look. It is another's text, so it runs no script and is of no origin.
pub const FRAME_POLICY: &str =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";
/// For everything that is no page: were it opened as one, it could do nothing. Figures carry their own styles.
pub const FILE_POLICY: &str =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/// Sets what is missing: a handler that knows better has said so already.
pub fn complete(headers: &mut HeaderMap) {
    let defaults: [(HeaderName, &'static str); 6] = [
        (header::CONTENT_SECURITY_POLICY, FILE_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Links elsewhere tell nothing of a page; with "no-referrer" browsers would also hide where our own forms come from.
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in defaults {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    let framed = headers.get(header::CONTENT_SECURITY_POLICY).is_some_and(|policy| policy == FRAME_POLICY);
    let frame = if framed { "SAMEORIGIN" } else { "DENY" };
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static(frame));
}

/// Where the studio is reached by an encrypted connection, a browser takes no other one for a year.
pub fn stay_encrypted(headers: &mut HeaderMap) {
    headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_run_our_scripts_only() {
        let policy = page_policy(&["https://sounds.example".to_owned()]);
        assert!(policy.contains("script-src 'self';") && policy.contains("style-src 'self';"));
        assert!(policy.contains("img-src 'self' blob: https://sounds.example;"));
        assert!(policy.contains("media-src 'self' blob: https://sounds.example;"));
        assert!(!policy.contains("unsafe"));
    }

    #[test]
    fn what_a_handler_set_is_kept() {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(FRAME_POLICY));
        complete(&mut headers);
        assert_eq!(headers[header::CONTENT_SECURITY_POLICY], FRAME_POLICY);
        assert_eq!(headers[header::X_FRAME_OPTIONS], "SAMEORIGIN");
        let mut headers = HeaderMap::new();
        complete(&mut headers);
        assert_eq!(headers[header::X_FRAME_OPTIONS], "DENY");
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    }
}

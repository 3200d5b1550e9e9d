//! Figures are text that repeats itself: they are sent compressed to browsers that say they can read that. Pages are not: beside a text that somebody else
//! chooses, the length of a compressed page would tell of the secrets in it.

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// Smaller figures are not worth it.
const SMALLEST: usize = 1000;
/// Larger ones are not held in memory twice.
const LARGEST: usize = 16 << 20;

/// Whether a browser reads gzip, by what it says.
pub fn is_read(headers: &HeaderMap) -> bool {
    let all = headers.get_all(header::ACCEPT_ENCODING).into_iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|text| text.split(',')).any(|one| {
        let (name, rest) = one.split_once(';').unwrap_or((one, ""));
        let weight = rest.trim().strip_prefix("q=").and_then(|q| q.trim().parse::<f64>().ok());
        name.trim().eq_ignore_ascii_case("gzip") && weight != Some(0.0)
    })
}

/// The response, compressed if it is a figure.
pub async fn figure(response: Response) -> Response {
    let svg = response.headers().get(header::CONTENT_TYPE).is_some_and(|value| value == "image/svg+xml");
    if !svg || !response.status().is_success() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // Figures are made before they are sent, so that reading one cannot fail.
    let bytes = to_bytes(body, LARGEST).await.unwrap_or_default();
    let Some(packed) = packed(&bytes).filter(|_| bytes.len() >= SMALLEST) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    parts.headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    Response::from_parts(parts, Body::from(packed))
}

fn packed(bytes: &Bytes) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_reads_gzip_says_so() {
        let says = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(text));
            is_read(&headers)
        };
        assert!(says("gzip, deflate, br") && says("br;q=1.0, gzip;q=0.8"));
        assert!(!says("br") && !says("gzip;q=0") && !is_read(&HeaderMap::new()));
    }
}

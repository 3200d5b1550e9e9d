//! Sealed addresses of media: they name an alternative without telling it, and nobody else can make one.
//!
//! The nonce is derived from the text (as in synthetic initialisation vectors), so the same alternative has the same
//! address and a browser keeps what it has fetched. That is safe: the same nonce comes with the same text only.

use super::secret::Secret;
use chacha20poly1305::aead::{Aead, KeyInit};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use data_encoding::BASE64URL_NOPAD;

const NONCE: usize = 24;

/// Seals and opens addresses.
#[derive(Debug, Clone)]
pub struct Sealer {
    key: Secret,
    nonces: Secret,
}

impl Sealer {
    /// A sealer with keys of its own.
    pub fn new(secret: &Secret) -> Self {
        Self { key: secret.derive("media", b""), nonces: secret.derive("media nonce", b"") }
    }

    /// `text` as it may stand in an address.
    pub fn seal(&self, text: &str) -> String {
        let nonce: [u8; NONCE] = self.nonces.mac(&[text.as_bytes()])[..NONCE].try_into().unwrap_or_default();
        let sealed = self.cipher().encrypt(&XNonce::from(nonce), text.as_bytes()).unwrap_or_default();
        BASE64URL_NOPAD.encode(&[nonce.as_slice(), sealed.as_slice()].concat())
    }

    /// The text of an address, if it was sealed here.
    pub fn open(&self, address: &str) -> Option<String> {
        let bytes = BASE64URL_NOPAD.decode(address.as_bytes()).ok()?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE)?;
        let nonce: [u8; NONCE] = nonce.try_into().ok()?;
        String::from_utf8(self.cipher().decrypt(&XNonce::from(nonce), sealed).ok()?).ok()
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&(*self.key.bytes()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_open_here_only_and_tell_nothing() {
        let sealer = Sealer::new(&Secret::from_bytes([3; 32]));
        let text = r#"{"floor":-12.5}"#;
        let address = sealer.seal(text);
        assert_eq!(sealer.open(&address).as_deref(), Some(text));
        assert_eq!(sealer.seal(text), address);
        assert!(!address.contains("floor") && !address.contains("12"));
        assert_eq!(Sealer::new(&Secret::from_bytes([4; 32])).open(&address), None);
        for wrong in ["", "..", "AAAA", &address[1..], &address[..address.len() - 1], "%2e%2e"] {
            assert_eq!(sealer.open(wrong), None, "{wrong}");
        }
    }
}

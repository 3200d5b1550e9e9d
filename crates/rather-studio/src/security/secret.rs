//! Random bytes, and the secret from which every other key is derived.

use crate::Error;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// 256 bits that nobody else knows.
#[derive(Clone)]
pub struct Secret([u8; 32]);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl Secret {
    /// A new one.
    ///
    /// # Errors
    /// If the operating system has no random numbers.
    pub fn generate() -> Result<Self, Error> {
        random().map(Self)
    }

    /// One that was kept.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes to keep.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// A key for one purpose: knowing it tells nothing about the others.
    #[must_use]
    pub fn derive(&self, purpose: &str, context: &[u8]) -> Self {
        Self(self.mac(&[purpose.as_bytes(), context]))
    }

    /// The authentication code of some texts; their lengths keep neighbours apart.
    pub(crate) fn mac(&self, parts: &[&[u8]]) -> [u8; 32] {
        self.authenticate(parts).finalize().into_bytes().into()
    }

    /// Whether `code` is the authentication code of `parts`, in a time that does not depend on where they differ.
    pub(crate) fn verify(&self, parts: &[&[u8]], code: &[u8]) -> bool {
        self.authenticate(parts).verify_slice(code).is_ok()
    }

    fn authenticate(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        // A key shorter than a block of the hash is filled up with zeros (RFC 2104, section 2).
        let mut block = [0; 64];
        block[..32].copy_from_slice(&self.0);
        let mut mac = <Hmac<Sha256> as KeyInit>::new(&block.into());
        for part in parts {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac
    }
}

/// Random bytes from the operating system.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|e| Error::Random { reason: e.to_string() })?;
    Ok(bytes)
}

/// The SHA-256 hash of some bytes.
pub(crate) fn hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_depend_on_everything() {
        let secret = Secret::from_bytes([7; 32]);
        let code = secret.mac(&[b"ab", b"c"]);
        assert!(secret.verify(&[b"ab", b"c"], &code));
        assert!(!secret.verify(&[b"a", b"bc"], &code));
        assert!(!secret.verify(&[b"ab", b"c"], &code[..31]));
        assert!(!Secret::from_bytes([8; 32]).verify(&[b"ab", b"c"], &code));
        assert_ne!(secret.derive("a", b"").bytes(), secret.derive("b", b"").bytes());
        assert_ne!(random::<16>().unwrap(), random::<16>().unwrap());
        assert_eq!(format!("{secret:?}"), "Secret(..)");
    }
}

//! Sessions: a cookie that this program signed, so that they outlive a restart and nothing needs to be kept.

use super::secret::{Secret, random};
use crate::Error;
use data_encoding::BASE64URL_NOPAD;
use subtle::ConstantTimeEq;

/// How long a session lasts, in seconds: a working day.
pub const LIFETIME: u64 = 12 * 3600;
/// The cookie's parts before encoding: signed in or not, when it ends, its random name, its authentication code.
const LENGTH: usize = 1 + 8 + 16 + 32;

/// A session of a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    name: [u8; 16],
    /// Whether the operator's token was shown.
    pub signed_in: bool,
    /// When it ends, in seconds since 1970.
    pub ends: u64,
}

impl Session {
    /// A new session.
    ///
    /// # Errors
    /// If the operating system has no random numbers.
    pub fn new(signed_in: bool, now: u64) -> Result<Self, Error> {
        Ok(Self { name: random()?, signed_in, ends: now + LIFETIME })
    }

    /// What the cookie holds.
    pub fn seal(&self, key: &Secret) -> String {
        let mut bytes = self.head();
        bytes.extend(key.mac(&[b"session", &self.head()]));
        BASE64URL_NOPAD.encode(&bytes)
    }

    /// The session of a cookie, if this program made it and it has not ended.
    pub fn open(cookie: &str, key: &Secret, now: u64) -> Option<Self> {
        // An encoded session has one length: anything longer is not even decoded.
        let bytes = (cookie.len() < 2 * LENGTH).then(|| BASE64URL_NOPAD.decode(cookie.as_bytes()).ok())??;
        if bytes.len() != LENGTH || !key.verify(&[b"session", &bytes[..LENGTH - 32]], &bytes[LENGTH - 32..]) {
            return None;
        }
        let ends = u64::from_be_bytes(bytes[1..9].try_into().ok()?);
        let name = bytes[9..25].try_into().ok()?;
        (now < ends).then_some(Self { name, signed_in: bytes[0] == 1, ends })
    }

    /// Its random name.
    pub fn name(&self) -> [u8; 16] {
        self.name
    }

    fn head(&self) -> Vec<u8> {
        let mut bytes = vec![u8::from(self.signed_in)];
        bytes.extend(self.ends.to_be_bytes());
        bytes.extend(self.name);
        bytes
    }

    /// The token that forms and scripts of this session send back.
    pub fn csrf(&self, key: &Secret) -> String {
        BASE64URL_NOPAD.encode(&key.mac(&[b"csrf", &self.name])[..16])
    }

    /// Whether `token` is the one of this session.
    pub fn allows(&self, token: &str, key: &Secret) -> bool {
        self.csrf(key).as_bytes().ct_eq(token.as_bytes()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_taken_only_whole_signed_and_in_time() {
        let key = Secret::from_bytes([1; 32]);
        let session = Session::new(true, 1000).unwrap();
        let cookie = session.seal(&key);
        assert_eq!(Session::open(&cookie, &key, 1001), Some(session.clone()));
        assert_eq!(Session::open(&cookie, &key, 1000 + LIFETIME), None);
        assert_eq!(Session::open(&cookie, &Secret::from_bytes([2; 32]), 1001), None);
        for wrong in ["", "x", &cookie[1..], &"A".repeat(cookie.len()), &"A".repeat(100_000)] {
            assert_eq!(Session::open(wrong, &key, 1001), None);
        }
        // Signing oneself in takes the key.
        let mut bytes =
            BASE64URL_NOPAD.decode(Session::new(false, 1000).unwrap().seal(&key).as_bytes()).unwrap();
        bytes[0] = 1;
        assert_eq!(Session::open(&BASE64URL_NOPAD.encode(&bytes), &key, 1001), None);
    }

    #[test]
    fn a_token_belongs_to_one_session() {
        let key = Secret::from_bytes([1; 32]);
        let (one, other) = (Session::new(false, 0).unwrap(), Session::new(false, 0).unwrap());
        assert!(one.allows(&one.csrf(&key), &key));
        assert!(!one.allows(&other.csrf(&key), &key) && !one.allows("", &key));
    }
}

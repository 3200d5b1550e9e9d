//! Links of participants.
//!
//! A link holds 128 random bits. They are as many as a key of AES has, so a fast hash keeps them well: there is nothing
//! to guess faster than all of them.

use super::secret::{hash, random};
use crate::Error;
use data_encoding::BASE64URL_NOPAD;

/// What a link ends in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkToken(String);

impl LinkToken {
    /// A new one.
    ///
    /// # Errors
    /// If the operating system has no random numbers.
    pub fn generate() -> Result<Self, Error> {
        Ok(Self(BASE64URL_NOPAD.encode(&random::<16>()?)))
    }

    /// The token of a request's path, if it has the form of one.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = (text.len() == 22).then(|| BASE64URL_NOPAD.decode(text.as_bytes()).ok())??;
        (bytes.len() == 16).then(|| Self(text.to_owned()))
    }

    /// What is kept.
    pub fn hash(&self) -> [u8; 32] {
        hash(self.0.as_bytes())
    }

    /// The token itself.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The path of the page.
    pub fn path(&self) -> String {
        format!("/p/{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_differ_and_only_their_form_is_read() {
        let token = LinkToken::generate().unwrap();
        assert_ne!(token, LinkToken::generate().unwrap());
        let text = token.path().split_off(3);
        assert_eq!(LinkToken::parse(&text), Some(token));
        for wrong in ["", "..", "../../etc/passwd......", "AAAAAAAAAAAAAAAAAAAAA", "äöüäöüäöüäö"] {
            assert_eq!(LinkToken::parse(wrong), None);
        }
    }
}

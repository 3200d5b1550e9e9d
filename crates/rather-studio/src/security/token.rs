//! The operator's token: whoever has it may do everything.

use super::secret::{hash, random};
use crate::Error;
use data_encoding::BASE64URL_NOPAD;
use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use subtle::ConstantTimeEq;

/// Shorter tokens could be guessed: 22 characters of base64 hold 128 bits.
pub const SHORTEST: usize = 22;
/// A longer one is a mistake.
const LONGEST: usize = 1000;

/// A long random text. Only its hash is kept, so that comparing takes the same time for every wrong one.
#[derive(Clone, PartialEq, Eq)]
pub struct OperatorToken {
    hash: [u8; 32],
}

impl std::fmt::Debug for OperatorToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OperatorToken(..)")
    }
}

impl OperatorToken {
    /// Takes a token, which `source` gave.
    ///
    /// # Errors
    /// A token that is too short, repeats itself, or that no header can carry.
    pub fn new(text: &str, source: &str) -> Result<Self, Error> {
        let problem = if text.len() < SHORTEST {
            format!("has {} characters; take at least {SHORTEST} random ones", text.len())
        } else if text.len() > LONGEST {
            format!("has {} characters; at most {LONGEST} are taken", text.len())
        } else if !text.bytes().all(|b| b.is_ascii_graphic()) {
            "has a space or a character that is not ASCII; take letters, digits and signs".to_owned()
        } else if is_regular(text) {
            "repeats itself, as no random text does; take random characters, or name a file with --token-file, which is filled with them"
                .to_owned()
        } else {
            return Ok(Self { hash: hash(text.as_bytes()) });
        };
        Err(Error::Token { origin: source.to_owned(), problem })
    }

    /// Reads the token from a file; if there is none, makes one that only the owner may read.
    ///
    /// # Errors
    /// If the file cannot be read or made, is readable by others, or holds no token.
    pub fn read_or_create(path: &Path) -> Result<Self, Error> {
        let io = |e: std::io::Error| Error::File { path: path.to_path_buf(), reason: e.to_string() };
        match std::fs::read_to_string(path) {
            Ok(text) => {
                check_private(path)?;
                Self::new(text.trim(), &path.display().to_string())
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                let text = BASE64URL_NOPAD.encode(&random::<24>()?);
                let mut file = private(path).map_err(io)?;
                writeln!(file, "{text}").and_then(|()| file.sync_all()).map_err(io)?;
                Self::new(&text, &path.display().to_string())
            }
            Err(e) => Err(io(e)),
        }
    }

    /// Whether `text` is the token.
    pub fn is(&self, text: &str) -> bool {
        self.hash.ct_eq(&hash(text.as_bytes())).into()
    }

    /// What sessions are bound to: they end with the token.
    pub(crate) fn fingerprint(&self) -> &[u8; 32] {
        &self.hash
    }
}

/// Whether a text is of few different characters, or has the same piece of six twice. Of 64 random hexadecimal digits one text in ten
/// thousand has, of 32 random letters and digits one in a hundred million.
fn is_regular(text: &str) -> bool {
    const FEWEST: usize = 6;
    const PIECE: usize = 6;
    let different: HashSet<u8> = text.bytes().collect();
    let mut pieces = HashSet::new();
    different.len() < FEWEST || !text.as_bytes().windows(PIECE).all(|piece| pieces.insert(piece))
}

/// A new file that only its owner may read.
fn private(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Refuses a token that others on this machine can read.
fn check_private(path: &Path) -> Result<(), Error> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).map_or(0, |m| m.permissions().mode());
        if mode & 0o077 != 0 {
            let problem = "can be read by others; run `chmod 600` on it".to_owned();
            return Err(Error::Token { origin: path.display().to_string(), problem });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_compared_whole() {
        let text = "0123456789abcdef543210";
        let token = OperatorToken::new(text, "X").unwrap();
        assert!(
            token.is(text) && !token.is("") && !token.is(&text[1..]) && !token.is("0123456789abcdef54321 ")
        );
        let error = OperatorToken::new("secret", "RATHER_STUDIO_TOKEN").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the token of RATHER_STUDIO_TOKEN has 6 characters; take at least 22 random ones"
        );
        assert!(OperatorToken::new("0123456789abcdef 012345", "X").is_err());
        for regular in
            ["passwordpassword123456", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa", "0123456789abcdef0123456789abcdef"]
        {
            let error = OperatorToken::new(regular, "X").unwrap_err().to_string();
            assert!(error.contains("repeats itself"), "{error}");
        }
    }

    #[test]
    fn a_token_file_is_made_once_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let token = OperatorToken::read_or_create(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.trim().len(), 32);
        assert!(token.is(text.trim()));
        assert_eq!(OperatorToken::read_or_create(&path).unwrap(), token);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
            let error = OperatorToken::read_or_create(&path).unwrap_err().to_string();
            assert!(error.ends_with("can be read by others; run `chmod 600` on it"), "{error}");
        }
    }
}

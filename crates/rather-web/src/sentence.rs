//! What is said of a mistake.

use std::error::Error;

/// One sentence that says what is wrong and what to do, whichever crate found it.
#[derive(Debug)]
pub(crate) struct Sentence(pub(crate) String);

impl<E: Error> From<E> for Sentence {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

//! Why a request was not carried out, as its sender is told.
//!
//! A sentence for people, a word for programs, a status for HTTP. What is the program's own affair (paths, the database's
//! words) goes to standard error and never to the sender.

use crate::view::Failure;
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// What kind of refusal it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// What was sent makes no sense.
    Invalid,
    /// Whoever sent it must sign in first.
    SignIn,
    /// It came from a page that is not ours.
    Forbidden,
    /// There is no such thing.
    NotFound,
    /// There is, but not for this method.
    Method,
    /// It does not fit what has happened meanwhile.
    Conflict,
    /// It is too large.
    TooLarge,
    /// It is of a type that is not taken.
    Unsupported,
    /// It was sent to a name that is not ours.
    Misdirected,
    /// A fault of this program or its machine.
    Internal,
    /// A renderer failed.
    Renderer,
    /// Too much is going on.
    Busy,
}

impl Code {
    /// All of them, with what each means.
    pub const ALL: [(Self, &'static str); 12] = [
        (Self::Invalid, "The request is not valid; the sentence explains why."),
        (Self::SignIn, "Sign in first, or send the token as `Authorization: Bearer`."),
        (Self::Forbidden, "The request comes from a page that is not the studio's."),
        (Self::NotFound, "There is no such thing."),
        (Self::Method, "This address does not take this method."),
        (Self::Conflict, "It does not fit what has happened meanwhile."),
        (Self::TooLarge, "It is too large."),
        (Self::Unsupported, "It is of a type that is not taken."),
        (Self::Misdirected, "The `Host` is not one of the studio's."),
        (Self::Internal, "A fault of the program or its machine."),
        (Self::Renderer, "The renderer failed or took too long."),
        (Self::Busy, "Too much is going on; try again."),
    ];

    /// The word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::SignIn => "sign_in",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::Method => "method",
            Self::Conflict => "conflict",
            Self::TooLarge => "too_large",
            Self::Unsupported => "unsupported",
            Self::Misdirected => "misdirected",
            Self::Internal => "internal",
            Self::Renderer => "renderer",
            Self::Busy => "busy",
        }
    }

    /// The status of HTTP.
    pub fn status(self) -> StatusCode {
        match self {
            Self::Invalid => StatusCode::BAD_REQUEST,
            Self::SignIn => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::Conflict => StatusCode::CONFLICT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Unsupported => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Misdirected => StatusCode::MISDIRECTED_REQUEST,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Renderer => StatusCode::BAD_GATEWAY,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

/// A request that was not carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Of which kind.
    pub code: Code,
    /// One sentence: what is wrong and what to do.
    pub sentence: String,
}

impl Refusal {
    /// A refusal.
    pub fn new(code: Code, sentence: impl Into<String>) -> Self {
        Self { code, sentence: sentence.into() }
    }

    /// What was sent makes no sense.
    pub fn invalid(sentence: impl Into<String>) -> Self {
        Self::new(Code::Invalid, sentence)
    }

    /// There is no such thing.
    pub fn not_found(what: &str) -> Self {
        Self::new(
            Code::NotFound,
            format!("there is no such {what}; it may have been removed, or the address is mistyped"),
        )
    }

    /// A fault that is none of the sender's: the details go to standard error.
    pub fn internal(details: &dyn std::fmt::Display) -> Self {
        eprintln!("error: {details}");
        Self::new(
            Code::Internal,
            "something went wrong in the studio; whoever runs it finds the reason where it was started",
        )
    }

    /// As pages and programs see it.
    pub fn view(&self) -> Failure {
        Failure { error: self.sentence.clone(), code: self.code.word().to_owned() }
    }
}

impl From<crate::Error> for Refusal {
    fn from(error: crate::Error) -> Self {
        match error {
            crate::Error::Study(error) => error.into(),
            other => Self::internal(&other),
        }
    }
}

impl From<rather_study::Error> for Refusal {
    fn from(error: rather_study::Error) -> Self {
        use rather_study::Error as E;
        // Flags are the program's.
        let sentence = error.to_string().replace("name one with --participant", "name the participant");
        match error {
            E::UnknownStudy { .. } | E::NoStudy { .. } => Self::not_found("study"),
            E::Deleted { name, .. } => Self::new(
                Code::NotFound,
                format!(
                    "the study {} was deleted while it was in use; nothing was recorded",
                    rather_io::quote(&name)
                ),
            ),
            E::StudyExists { name, .. } => Self::new(
                Code::Conflict,
                format!("there is a study {} already; choose another title", rather_io::quote(&name)),
            ),
            E::NoOpenDuel { .. }
            | E::NotOpen { .. }
            | E::KeyReused { .. }
            | E::NothingToUndo { .. }
            | E::NoAnswers { .. }
            | E::ManyForAgreement { .. }
            | E::NothingToExport { .. } => Self::new(Code::Conflict, sentence),
            E::Imported { answers, .. } => Self::new(
                Code::Conflict,
                format!(
                    "this very file was imported already, with its {answers} answers; to add them again, send again=true or tick the box of the form"
                ),
            ),
            E::Definition { .. }
            | E::Fault(_)
            | E::Name(_)
            | E::Timing(_)
            | E::UnknownParticipant { .. }
            | E::Alternative(_)
            | E::SelfComparison { .. }
            | E::UnknownAnswer { .. }
            | E::NoOption { .. }
            | E::SameExtremes { .. }
            | E::NotShown { .. }
            | E::Options { .. }
            | E::Line { .. }
            | E::Format(_) => Self::invalid(sentence),
            E::WhichParticipant { known } => Self::invalid(format!(
                "this study has the participants {}; name one of them as the participant",
                rather_io::list(&known)
            )),
            // A table that somebody sent, by the name that it was given here: the studio itself reads no tables.
            E::File(_) => Self::invalid(sentence),
            E::Busy { .. } => {
                Self::new(Code::Busy, "another program has kept the studies locked; try again in a moment")
            }
            E::DiskFull { .. } => {
                eprintln!("error: {sentence}");
                Self::new(
                    Code::Internal,
                    "nothing was recorded because the studio's disk is full; inform the operator",
                )
            }
            E::Moved { ref rescue, .. } => {
                eprintln!("error: {sentence}");
                let kept = if rescue.is_ok() {
                    "but kept in a rescue file"
                } else {
                    "and could not be kept elsewhere"
                };
                Self::new(
                    Code::Internal,
                    format!(
                        "the studio's file was removed or replaced while it was in use, so nothing more is recorded in it; your answer was not recorded there {kept}: inform the operator of the studio"
                    ),
                )
            }
            E::TooManyFiles { .. } => {
                eprintln!("error: {sentence}");
                Self::new(
                    Code::Busy,
                    "the studio has too many files or connections open; try again in a moment",
                )
            }
            _ => Self::internal(&sentence),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = (self.code.status(), Json(self.view())).into_response();
        // Pages take the refusal from here and show it as a page.
        response.extensions_mut().insert(self);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_machine_is_told() {
        let secret = std::path::PathBuf::from("/home/ann/secret.db");
        for error in [
            rather_study::Error::NotPermitted { path: secret.clone() },
            rather_study::Error::Busy { path: secret.clone(), seconds: 15 },
            rather_study::Error::DiskFull { path: secret.clone() },
            rather_study::Error::TooManyFiles { path: secret.clone() },
            rather_study::Error::Moved {
                path: secret.clone(),
                what: rather_study::store::Moved::FileRemoved,
                rescue: Ok(secret.clone()),
            },
            rather_study::Error::Damaged { path: secret.clone(), detail: "page 7".into() },
            rather_study::Error::UnknownStudy {
                path: secret.clone(),
                name: "x".into(),
                known: vec!["aunt".into()],
            },
            rather_study::Error::StudyExists { path: secret, name: "x".into() },
        ] {
            let refusal = Refusal::from(error);
            for word in ["ann", "secret", "page 7", "aunt"] {
                assert!(!refusal.sentence.contains(word), "{refusal:?}");
            }
        }
    }

    #[test]
    fn every_code_is_listed_once() {
        let words: std::collections::HashSet<_> = Code::ALL.iter().map(|(code, _)| code.word()).collect();
        let statuses: std::collections::HashSet<_> =
            Code::ALL.iter().map(|(code, _)| code.status()).collect();
        assert_eq!((words.len(), statuses.len()), (12, 12));
    }
}

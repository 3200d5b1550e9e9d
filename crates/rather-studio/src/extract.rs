//! Parts of requests, refused in one sentence if they are not as they must be.

use crate::refusal::{Code, Refusal};
use axum::Json;
use axum::extract::rejection::{FormRejection, JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

/// A body in JSON.
#[derive(Debug)]
pub struct Body<T>(pub T);

/// The query of an address.
#[derive(Debug)]
pub struct Query<T>(pub T);

/// The variable parts of an address.
#[derive(Debug)]
pub struct Path<T>(pub T);

/// A form.
#[derive(Debug)]
pub struct Form<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        match Json::from_request(request, state).await {
            Ok(Json(value)) => Ok(Self(value)),
            Err(JsonRejection::MissingJsonContentType(_)) => Err(Refusal::new(
                Code::Unsupported,
                "send JSON, with the header Content-Type: application/json",
            )),
            Err(JsonRejection::BytesRejection(error)) => Err(read_error(error.status())),
            Err(error) => {
                Err(Refusal::invalid(format!("the body is not as it must be: {}", cause(&error.body_text()))))
            }
        }
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let query = axum::extract::Query::from_request_parts(parts, state).await;
        let error = |e: QueryRejection| {
            Refusal::invalid(format!("the query is not as it must be: {}", cause(&e.body_text())))
        };
        query.map(|axum::extract::Query(value)| Self(value)).map_err(error)
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let path = axum::extract::Path::from_request_parts(parts, state).await;
        path.map(|axum::extract::Path(value)| Self(value))
            .map_err(|_: PathRejection| Refusal::not_found("page"))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Form<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        match axum::extract::Form::from_request(request, state).await {
            Ok(axum::extract::Form(value)) => Ok(Self(value)),
            Err(FormRejection::BytesRejection(error)) => Err(read_error(error.status())),
            Err(FormRejection::InvalidFormContentType(_)) => {
                Err(Refusal::new(Code::Unsupported, "send a form, as browsers do"))
            }
            Err(error) => {
                Err(Refusal::invalid(format!("the form is not as it must be: {}", cause(&error.body_text()))))
            }
        }
    }
}

/// Why a body could not be read.
pub fn read_error(status: axum::http::StatusCode) -> Refusal {
    if status == axum::http::StatusCode::PAYLOAD_TOO_LARGE {
        return Refusal::new(Code::TooLarge, "this is too large; send less at once");
    }
    Refusal::invalid("the body broke off; send it again")
}

/// What a rejection says after the name of what failed.
fn cause(text: &str) -> &str {
    text.split_once(": ").map_or(text, |(_, cause)| cause)
}

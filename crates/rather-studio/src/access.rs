//! Who sends a request.

use crate::connections::Peer;
use crate::refusal::{Code, Refusal};
use crate::security::csrf;
use crate::security::session::Session;
use crate::studio::{App, now};
use crate::view::{Frame, Reader};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, header};

/// Who sends a request, and how that is known.
#[derive(Debug, Clone)]
pub struct Access {
    /// Who it is.
    pub reader: Reader,
    /// The browser's session, if it has one.
    pub session: Option<Session>,
    /// Whether the token came with the request: then there is no session to abuse.
    bearer: bool,
}

impl Access {
    /// What a request tells. A wrong token costs time.
    ///
    /// # Errors
    /// If a token was sent that is not the operator's.
    pub async fn of(headers: &HeaderMap, peer: Peer, app: &App) -> Result<Self, Refusal> {
        let session =
            cookie(headers, &cookie_name(app)).and_then(|text| Session::open(text, &app.key, now()));
        let session = session.filter(|session| !app.has_ended(session));
        let Some(token) = &app.config.token else {
            return Ok(Self { reader: Reader::Operator, session, bearer: false });
        };
        if let Some(header) = headers.get(header::AUTHORIZATION) {
            let sent = header.to_str().ok().and_then(|text| text.strip_prefix("Bearer ")).unwrap_or_default();
            if !token.is(sent.trim()) {
                app.guesses.wrong(peer).await;
                return Err(Refusal::new(Code::SignIn, "the token is not the one of this studio"));
            }
            return Ok(Self { reader: Reader::Operator, session: None, bearer: true });
        }
        let reader =
            if session.as_ref().is_some_and(|s| s.signed_in) { Reader::Operator } else { Reader::Visitor };
        Ok(Self { reader, session, bearer: false })
    }

    /// What is around a page for this reader.
    pub fn frame(&self, app: &App) -> Frame {
        Frame {
            reader: self.reader,
            csrf: self.session.as_ref().map(|session| session.csrf(&app.key)).unwrap_or_default(),
            can_sign_out: self.session.as_ref().is_some_and(|session| session.signed_in),
            language: String::new(),
        }
    }

    /// Whether a form was sent from a page of this session.
    ///
    /// # Errors
    /// If it was not.
    pub fn check_form(&self, app: &App, token: &str) -> Result<(), Refusal> {
        match &self.session {
            Some(session) if session.allows(token, &app.key) => Ok(()),
            _ => Err(forged()),
        }
    }

    /// Whether a script's request was sent from a page of this session, or by no browser.
    fn check_script(&self, headers: &HeaderMap, app: &App) -> Result<(), Refusal> {
        let has = |name: &str| headers.contains_key(name);
        let browser = self.session.is_some() || has("origin") || has("sec-fetch-site");
        if self.bearer || !browser {
            return Ok(());
        }
        self.check_form(app, headers.get(csrf::HEADER).and_then(|v| v.to_str().ok()).unwrap_or_default())
    }
}

/// Where a request came from.
pub fn peer(extensions: &Extensions) -> Peer {
    // The server notes it with every request.
    extensions.get().copied().unwrap_or(Peer(std::net::Ipv4Addr::UNSPECIFIED.into()))
}

fn forged() -> Refusal {
    Refusal::new(
        Code::Forbidden,
        "this was not sent from a page of this studio, or the page is too old; load it again",
    )
}

/// The operator: whoever signed in, or anyone on this machine if there is no token. For requests of the API that change
/// something, also that no foreign page sent them.
#[derive(Debug, Clone)]
pub struct Operator(pub Access);

impl FromRequestParts<App> for Operator {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Refusal> {
        let access = Access::of(&parts.headers, peer(&parts.extensions), app).await?;
        if access.reader != Reader::Operator {
            return Err(Refusal::new(
                Code::SignIn,
                "sign in first, or send the token as \"Authorization: Bearer\"",
            ));
        }
        if !csrf::is_safe(&parts.method) && parts.uri.path().starts_with("/api/") {
            access.check_script(&parts.headers, app)?;
        }
        Ok(Self(access))
    }
}

/// The cookie's name: browsers do not tell ports apart, so that two studios on one machine need two names.
fn cookie_name(app: &App) -> String {
    format!("rather-{}", app.address.port())
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|text| text.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(key, value)| (key == name).then_some(value))
}

/// The header that gives a browser its session; without one, that ends it.
pub fn set_cookie(app: &App, session: Option<&Session>) -> String {
    let secure =
        if app.config.public.as_ref().is_some_and(|public| public.is_encrypted()) { "; Secure" } else { "" };
    let (value, age) = match session {
        Some(session) => (session.seal(&app.key), session.ends.saturating_sub(now())),
        None => (String::new(), 0),
    };
    format!("{}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{secure}", cookie_name(app))
}

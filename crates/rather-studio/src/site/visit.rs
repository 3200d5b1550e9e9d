//! What is around every page: a session for its forms, a policy for its scripts, and refusals as pages.

use crate::access::{Access, peer, set_cookie};
use crate::extract::Form;
use crate::pages;
use crate::refusal::{Code, Refusal};
use crate::security::headers::page_policy;
use crate::security::session::Session;
use crate::studio::{App, now};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::Markup;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// Who looks at a page.
#[derive(Debug, Clone)]
pub struct Visit(pub Access);

impl Visit {
    /// Whether a form was sent from a page of this session.
    ///
    /// # Errors
    /// If it was not.
    pub fn check<T>(&self, app: &App, Form(form): Form<T>, csrf: impl Fn(&T) -> &str) -> Result<T, Refusal> {
        self.0.check_form(app, csrf(&form))?;
        Ok(form)
    }
}

/// Gives every visitor a session, and shows refusals as pages.
pub(super) async fn visit(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let from = peer(request.extensions());
    let mut access = match Access::of(request.headers(), from, &app).await {
        Ok(access) => access,
        Err(refusal) => return refusal.into_response(),
    };
    let mut fresh = None;
    if access.session.is_none() {
        match Session::new(false, now()) {
            Ok(session) => {
                fresh = Some(set_cookie(&app, Some(&session)));
                access.session = Some(session);
            }
            Err(error) => return Refusal::internal(&error).into_response(),
        }
    }
    let here = (request.method() == Method::GET)
        .then(|| request.uri().path_and_query().map(|path| path.as_str().to_owned()))
        .flatten();
    request.extensions_mut().insert(Visit(access.clone()));
    let mut response = next.run(request).await;
    if let Some(refusal) = response.extensions_mut().remove::<Refusal>() {
        response = refused(&app, &access, &refusal, here.as_deref());
    }
    // Signing in and out set their own.
    if let (Some(cookie), false) = (fresh, response.headers().contains_key(header::SET_COOKIE))
        && let Ok(value) = HeaderValue::from_str(&cookie)
    {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}

/// What is no page of ours, for whoever asks for a page; programs are told in JSON.
pub(crate) async fn nowhere(State(app): State<App>, request: Request) -> Response {
    let refusal = Refusal::not_found("page");
    let accept = request.headers().get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    if !accept.is_some_and(|accept| accept.contains("text/html")) {
        return refusal.into_response();
    }
    match Access::of(request.headers(), peer(request.extensions()), &app).await {
        Ok(access) => refused(&app, &access, &refusal, None),
        Err(refusal) => refusal.into_response(),
    }
}

fn refused(app: &App, access: &Access, refusal: &Refusal, here: Option<&str>) -> Response {
    if refusal.code == Code::SignIn {
        let next = utf8_percent_encode(here.unwrap_or("/"), NON_ALPHANUMERIC);
        return Redirect::to(&format!("/sign-in?next={next}")).into_response();
    }
    let page = show(pages::failure(&access.frame(app), &refusal.view()), &[]);
    (refusal.code.status(), page).into_response()
}

/// A page that may load media from `origins`.
pub(super) fn show(page: Markup, origins: &[String]) -> Response {
    let mut response = Html(page.into_string()).into_response();
    if let Ok(policy) = HeaderValue::from_str(&page_policy(origins)) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

//! Signing in with the operator's token.

use maud::{Markup, html};

use super::frame::{Head, page};
use super::parts::csrf;
use crate::view::Frame;

/// The page that asks for the token; `next` is the path that was asked for, `error` what was wrong with the last token.
pub fn sign_in(frame: &Frame, next: &str, error: Option<&str>) -> Markup {
    let head = Head { title: "Sign in", class: "narrow", ..Head::default() };
    let described = error.map(|_| "token-error token-hint").unwrap_or("token-hint");
    page(
        frame,
        head,
        html! {
            h1 { "Sign in" }
            form.stack method="post" action="/sign-in" {
                (csrf(frame))
                input type="hidden" name="next" value=(next);
                div.field {
                    label for="token" { "Token" }
                    p.hint #token-hint { "It is in the file, or the variable, that was named when the studio was started." }
                    @if let Some(error) = error { p.error #token-error { (error) } }
                    input #token type="password" name="token" autocomplete="current-password" required spellcheck="false"
                        aria-describedby=(described) aria-invalid=[error.map(|_| "true")];
                }
                div.actions { button.primary type="submit" { "Sign in" } }
            }
        },
    )
}

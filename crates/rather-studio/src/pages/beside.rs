//! Where a setting is seen or heard beside the best one: a sheet at the foot of the page, which `beside.js` fills.

use super::duel::transport;
use crate::languages::Words;
use maud::{Markup, html};

/// The sheet of a study.
pub(super) fn panel(study: &str) -> Markup {
    html! {
        section #beside .beside-best data-show=(format!("{}/studies/{study}/show", crate::api::ROOT)) aria-labelledby="beside-title" hidden {
            div.section-head {
                h2 #beside-title tabindex="-1" { "Beside the best" }
                button #beside-close .small.quiet type="button" { "Close" }
            }
            p #beside-known .soft {}
            div #beside-pair .pair {}
            (transport("beside-", Words::of("")))
            p #beside-trouble .error role="alert" hidden {}
        }
    }
}

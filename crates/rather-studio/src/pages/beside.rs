//! Where a setting is seen or heard beside the best one: a sheet at the foot of the page, which `beside.js` fills.

use super::duel::transport;
use maud::{Markup, html};

pub(super) fn panel() -> Markup {
    html! {
        section #beside .beside-best aria-labelledby="beside-title" hidden {
            div.section-head {
                h2 #beside-title tabindex="-1" { "Beside the best" }
                button #beside-close .small.quiet type="button" { "Close" }
            }
            p #beside-known .soft {}
            div #pair .pair {}
            (transport())
            p #beside-trouble .error role="alert" hidden {}
        }
    }
}

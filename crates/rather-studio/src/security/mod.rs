//! Who may do what, and how that is kept.
//!
//! | threat | what stands against it |
//! |---|---|
//! | somebody in the same network | loopback unless told otherwise; any other address needs a token ([`token`]) |
//! | a foreign page that resolves its own name to this machine (DNS rebinding) | the `Host` must be one of ours ([`host`]) |
//! | a foreign page that sends requests in the operator's name | `Origin`, `Sec-Fetch-Site`, a token in forms and scripts ([`csrf`]), `SameSite=Strict` |
//! | text of a study that wants to run as script | pages escape; a policy that allows files of this program only ([`headers`]) |
//! | somebody who tries tokens | every wrong one costs its address time, and a line in the log ([`guesses`]); tokens that a person made up are refused ([`token`]) |
//! | connections that are opened and left | a limit of time for headers, limits of connections, and the oldest makes room ([`crate::connections`]) |
//! | a participant who wants to be another one, or the operator | links of 128 random bits ([`participant`]), of which the file keeps the hash |
//! | an address that tells a blind listener what is played | sealed addresses ([`seal`]) |
//! | a stranger's file | type by its first bytes, limits of size ([`crate::render`]); no path of a request reaches the file system |

pub mod csrf;
pub mod guesses;
pub mod headers;
pub mod host;
pub mod participant;
pub mod seal;
pub mod secret;
pub mod session;
pub mod token;

//! The pages: views in, HTML out.
//!
//! Pages work without scripts, but for sound: forms are posted as `application/x-www-form-urlencoded` (that of a new study as
//! `multipart/form-data`), always with the field `csrf`, and answered by a redirect (303).
//!
//! | form | posted to | fields | leads to |
//! |---|---|---|---|
//! | sign in | `/sign-in` | `token`, `next` | `next`, a path of ours |
//! | sign out | `/sign-out` | | `/sign-in` |
//! | new study | `/studies/new` | [`crate::form::StudyForm`]; files `toml_file`, `items_file`, `media_files`, `reference_file`, `clip_file` | the study's duel, or the form with its errors; to scripts (`accept: application/json`) JSON |
//! | renderer | `/studies/new/try` | the same, and `at` (`low`, `middle`, `high`) | what it makes |
//! | definition | `/studies/new/toml` | the same | the same study as TOML |
//! | answer | [`crate::view::DuelPage::page`] | `participant`, `duel`, `key`, `action` | the same page |
//! | begin | `/p/{token}/begin` | `consent`, `headphones` | `/p/{token}` |
//! | questions | `/p/{token}/questions` | `q0`, `q1`, ... | `/p/{token}` |
//! | join | `/j/{token}` | | `/p/{token}` of a new participant |
//! | open link | `/studies/{id}/open`, `/studies/{id}/close` | `quota` | the result, with the link |
//! | shared result | `/studies/{id}/share`, `/studies/{id}/unshare` | `name` | the result, with the link |
//! | backup | `/restore` | `file` | `/` |
//! | undo | `/studies/{id}/undo` | `participant`, `duel`, `key` | the result |
//! | participant | `/studies/{id}/participants` | `name` | the result, with the link |
//! | settings | `/studies/{id}/settings` | `title`, `comparisons`, `paused`, `webhook` | the result |
//! | copy | `/studies/{id}/copy` | | the result of the copy |
//! | import | `/studies/{id}/import` | `file`, `format`, `participant`, `again` | the result |
//! | end of a link | `/studies/{id}/revoke` | `name` | the result |
//! | archive | `/studies/{id}/archive` | | `/` |
//! | restore | `/studies/{id}/restore` | | the result |
//! | delete | `/studies/{id}/delete`, of an archived one | | `/` |

pub mod agreement;
mod beside;
mod certainty;
pub mod duel;
pub mod failure;
mod frame;
pub mod history;
pub mod home;
pub mod join;
pub mod new_study;
mod operate;
pub mod panel;
mod parts;
mod picture;
pub mod programs;
pub mod questions;
mod reference;
pub mod result;
mod set;
pub mod shared;
pub mod sign_in;
pub mod welcome;
pub mod who;

pub use agreement::agreement;
pub use duel::duel;
pub use failure::failure;
pub use home::home;
pub use join::join;
pub use new_study::new_study;
pub use panel::panel;
pub use programs::programs;
pub use questions::questions;
pub use result::result;
pub use shared::shared;
pub use sign_in::sign_in;
pub use welcome::welcome;
pub use who::who;

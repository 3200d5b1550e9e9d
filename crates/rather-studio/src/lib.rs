//! The web application of rather: a person compares two settings, clicks the better one, and ends with the best.
//!
//! ```text
//! browser, programs -> app (host, origin) -> site (pages, forms) | api (JSON)
//!                                              -> turns, results -> registry: lanes (threads with a handle of a study)
//!                                                                -> render (suppressor, uploads, commands) -> media
//! ```
//!
//! Pages are functions from [`view`]s to HTML and know nothing of studies; the API tells the same views. What takes a while
//! (choosing a duel, learning, rendering) never runs on the server's own threads.

pub mod access;
pub mod agreement;
pub mod answer_kind;
pub mod api;
pub mod app;
pub mod assets;
pub mod besides;
pub mod checks;
pub mod compression;
pub mod config;
pub mod connections;
pub mod demo;
pub mod doors;
pub mod error;
pub mod extract;
pub mod figures;
pub mod form;
pub mod headline;
pub mod languages;
pub mod life;
pub mod making;
pub mod pages;
pub mod panel;
pub mod presentation;
pub mod questionnaire;
pub mod reach;
pub mod reference;
pub mod refusal;
pub mod registry;
pub mod render;
pub mod restoring;
pub mod results;
pub mod security;
pub mod server;
pub mod showing;
pub mod site;
pub mod spreadsheet;
pub mod studio;
pub mod summaries;
pub mod tables;
pub mod title;
pub mod turns;
pub mod unshown;
pub mod view;
pub mod webhook;
pub mod window;

pub use config::Config;
pub use error::Error;
pub use server::Server;

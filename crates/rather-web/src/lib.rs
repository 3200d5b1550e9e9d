//! The library for browsers and Node: leaderboards, fits and studies behind three functions that WebAssembly can export.
//!
//! A call is a request in JSON and, after a line feed, the bytes of a file if it needs one; a reply is `{"ok": ...}` or `{"error": "a sentence"}`.
//! `npm/index.js` wraps it for people. Nothing here reads a file, asks a clock or starts a thread: the host gives bytes and the time.
//!
//! # Examples
//! ```
//! let reply = rather_web::call(b"{\"call\": \"arena\", \"name\": \"votes.csv\"}\nwinner,loser\nx,y\nx,z\ny,z\n");
//! let reply: serde_json::Value = serde_json::from_slice(&reply)?;
//! assert_eq!(reply["ok"]["board"][0]["item"], "x");
//! # Ok::<(), serde_json::Error>(())
//! ```

mod call;
mod fit;
mod leaderboard;
pub mod memory;
mod sentence;
mod studies;

pub use call::call;

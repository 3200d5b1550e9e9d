//! The studio from outside: over HTTP, as browsers, programs and strangers see it.

mod api;
mod connections;
mod crash;
mod doors;
mod guests;
mod lab;
mod life;
mod load;
mod making;
mod many;
mod programs;
mod rendering;
mod references;
mod requests;
mod security;

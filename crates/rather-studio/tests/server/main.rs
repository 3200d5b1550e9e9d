//! The studio from outside: over HTTP, as browsers, programs and strangers see it.

mod agreement;
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
mod own_response;
mod programs;
mod references;
mod rendering;
mod requests;
mod security;

//! How a host calls without a library of bindings: it asks for room with [`rather_request`], writes a request there, calls [`rather_call`], and reads so
//! many bytes from where [`rather_reply`] says.
//!
//! No function takes a pointer, so that nothing a host does is undefined behaviour on this side.

// A name that a host finds is an attribute that counts as unsafe code; there is no other.
#![allow(unsafe_code)]

use std::sync::{Mutex, MutexGuard, PoisonError};

struct Buffers {
    request: Vec<u8>,
    reply: Vec<u8>,
}

static BUFFERS: Mutex<Buffers> = Mutex::new(Buffers { request: Vec::new(), reply: Vec::new() });

fn buffers() -> MutexGuard<'static, Buffers> {
    BUFFERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where to write a request of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn rather_request(length: usize) -> *mut u8 {
    let request = &mut buffers().request;
    request.clear();
    request.resize(length, 0);
    request.as_mut_ptr()
}

/// Does what the request asks for, and returns the number of bytes of the reply.
#[unsafe(no_mangle)]
pub extern "C" fn rather_call() -> usize {
    let request = std::mem::take(&mut buffers().request);
    let reply = crate::call(&request);
    let length = reply.len();
    buffers().reply = reply;
    length
}

/// Where the reply is, until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn rather_reply() -> *const u8 {
    buffers().reply.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_is_none_has_a_reply() {
        let room = rather_request(3);
        assert!(!room.is_null());
        let length = rather_call();
        let reply = String::from_utf8(buffers().reply.clone()).unwrap();
        assert!(!rather_reply().is_null() && reply.len() == length);
        assert!(reply.starts_with("{\"error\":\"this is no request: "), "{reply}");
    }
}

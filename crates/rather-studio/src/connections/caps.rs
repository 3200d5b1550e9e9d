//! How many connections there may be.

use crate::config::Limits;
use std::time::Duration;

/// How many connections there may be, and how long one may be silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// In all.
    pub total: usize,
    /// From one address.
    pub per_address: usize,
    /// How long a request's header may take to arrive, from the opening of the connection or the end of the request before.
    pub header: Duration,
}

/// Every connection is a file descriptor, and studies, renderers and the program itself need some, too: connections get one half.
const SHARE: u64 = 2;
/// With fewer places a single browser, which opens six connections, would close its own.
const FEWEST: usize = 8;

impl Caps {
    /// Those of `limits`, as far as `files` file descriptors go round. Behind a proxy all connections come from its address, so that
    /// only a number that the operator named (`limits.per_address`) is a limit for one address.
    pub fn new(limits: &Limits, proxied: bool, files: Option<u64>) -> Self {
        let of_files = files.map_or(usize::MAX, |n| usize::try_from(n / SHARE).unwrap_or(usize::MAX));
        let total = limits.connections.min(of_files).max(FEWEST);
        let usual = if proxied { total } else { Limits::PER_ADDRESS };
        // No single address can take all places.
        let most = if proxied { total } else { total - total / 4 };
        let per_address = limits.per_address.unwrap_or(usual).clamp(1, most);
        Self { total, per_address, header: limits.header }
    }
}

/// How many files this process may have open; `None` if there is no limit, or it is not known.
pub fn open_files() -> Option<u64> {
    #[cfg(unix)]
    {
        rustix::process::getrlimit(rustix::process::Resource::Nofile).current
    }
    #[cfg(not(unix))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_file_descriptors_for_files() {
        let limits = Limits { connections: 1000, per_address: None, ..Limits::default() };
        let caps = |proxied, files| {
            let caps = Caps::new(&limits, proxied, files);
            (caps.total, caps.per_address)
        };
        assert_eq!(caps(false, None), (1000, Limits::PER_ADDRESS));
        assert_eq!(caps(false, Some(200)), (100, 75));
        assert_eq!(caps(true, Some(200)), (100, 100));
        assert_eq!(caps(false, Some(3)), (8, 6));
        let named = Limits { per_address: Some(5), ..limits };
        assert_eq!(Caps::new(&named, true, None).per_address, 5);
    }
}

//! A part of a long list: pages and programs never get thousands of entries at once.

use crate::refusal::Refusal;
use std::ops::Range;

/// The entries from `offset` on, `limit` at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Window {
    /// How many entries come before it.
    pub offset: usize,
    /// How many entries it has at most.
    pub limit: usize,
}

impl Window {
    /// So many entries a page shows.
    pub const PAGE: usize = 50;
    /// So many entries are given at once, at most.
    pub const MOST: usize = 2000;

    /// The part of a list of `total` entries.
    pub fn of(self, total: usize) -> Range<usize> {
        let start = self.offset.min(total);
        start..start.saturating_add(self.limit).min(total)
    }

    /// The window that a query names, of `usual` entries from the first on unless it says otherwise.
    ///
    /// # Errors
    /// If it has no entry, or too many.
    pub fn wanted(offset: Option<usize>, limit: Option<usize>, usual: usize) -> Result<Self, Refusal> {
        let limit = limit.unwrap_or(usual);
        if !(1..=Self::MOST).contains(&limit) {
            let most = Self::MOST;
            return Err(Refusal::invalid(format!(
                "limit = {limit} must be from 1 to {most}; read on with offset"
            )));
        }
        Ok(Self { offset: offset.unwrap_or(0), limit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_stays_within_its_list() {
        let window = |offset, limit| Window { offset, limit }.of(120);
        assert_eq!([window(0, 50), window(100, 50), window(500, 50)], [0..50, 100..120, 120..120]);
        assert_eq!(window(usize::MAX, usize::MAX), 120..120);
        let wanted = |limit| Window::wanted(None, limit, 50);
        assert_eq!(wanted(None).unwrap(), Window { offset: 0, limit: 50 });
        assert!(wanted(Some(2000)).is_ok() && wanted(Some(0)).is_err());
        assert!(wanted(Some(2001)).unwrap_err().sentence.starts_with("limit = 2001 must be from 1 to 2000"));
    }
}

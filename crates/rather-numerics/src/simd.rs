//! Code for the widest vectors of the machine that it runs on.

/// Calls `work`, compiled for the machine's vectors and not for those that every machine of its kind has.
///
/// Only what is inlined into `work` gains by it: closures, and functions marked `#[inline(always)]`. Multiplications and additions are not
/// fused, so results have the same bits on every machine.
#[inline]
pub fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

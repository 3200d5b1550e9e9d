//! Work on several threads: the only part of the library that asks a thread pool.
//!
//! The pool is that of the current [`Watch`](crate::watch::Watch), or the one that all of the process shares, and every thread knows for which
//! call it works.

use rayon::prelude::*;

use crate::watch::{self, Entered};

/// `f` of the numbers below `n`, in their order, in runs of at least `grain` a thread.
pub fn map<T: Send>(n: usize, grain: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    map_into(Vec::new(), n, grain, f)
}

/// As [`map`], in memory that is there; what it held is gone.
pub fn map_into<T: Send>(mut out: Vec<T>, n: usize, grain: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if n < 2 * grain {
        // Not worth a second thread.
        out.clear();
        out.extend((0..n).map(f));
        return out;
    }
    on_pool(|enter| {
        let each = (0..n).into_par_iter().with_min_len(grain).map_init(enter, |_, i| f(i));
        each.collect_into_vec(&mut out);
    });
    out
}

/// Calls `f` with the number of each pair of items at the same place, and the two, in runs of at least `grain` a thread.
pub fn for_each_pair<A: Send, B: Send>(
    a: &mut [A],
    b: &mut [B],
    grain: usize,
    f: impl Fn(usize, &mut A, &mut B) + Sync,
) {
    if a.len() < 2 * grain {
        return a.iter_mut().zip(b).enumerate().for_each(|(i, (a, b))| f(i, a, b));
    }
    on_pool(|_| {
        let pairs = a.par_iter_mut().zip(b).with_min_len(grain).enumerate();
        pairs.for_each(|(i, (a, b))| f(i, a, b));
    });
}

/// Sorts `items` by a key; the order of items with the same key is not kept.
pub fn sort_unstable_by_key<T: Send, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K + Sync) {
    on_pool(|_| items.par_sort_unstable_by_key(&key));
}

/// `f` of each `length` neighbouring items (the last may be fewer), with the number of that chunk.
pub fn map_chunks<T: Send, R: Send>(
    items: &mut [T],
    length: usize,
    f: impl Fn(usize, &mut [T]) -> R + Sync,
) -> Vec<R> {
    if items.len() <= length {
        return items.chunks_mut(length.max(1)).enumerate().map(|(i, chunk)| f(i, chunk)).collect();
    }
    on_pool(|enter| {
        let chunks = items.par_chunks_mut(length.max(1)).enumerate();
        chunks.map_init(enter, |_, (i, chunk)| f(i, chunk)).collect()
    })
}

/// Calls `f` with each `length` neighbouring items (the last may be fewer) and the number of that chunk, unless the call ends.
pub fn for_each_chunk<T: Send>(items: &mut [T], length: usize, f: impl Fn(usize, &mut [T]) + Sync) {
    map_chunks(items, length, |i, chunk| {
        if !watch::ends() {
            f(i, chunk);
        }
    });
}

/// Both results, side by side where there is a thread for the second.
pub fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    on_pool(|enter| {
        let first = || {
            let _entered = enter();
            a()
        };
        let second = || {
            let _entered = enter();
            b()
        };
        rayon::join(first, second)
    })
}

/// Does `work` on the threads of the current call. It is given what each of them must do first.
fn on_pool<T: Send>(work: impl FnOnce(&(dyn Fn() -> Entered + Send + Sync)) -> T + Send) -> T {
    let scope = watch::current();
    let enter = || watch::enter(scope.clone());
    match watch::pool() {
        Some(pool) => pool.install(|| work(&enter)),
        None => work(&enter),
    }
}

//! Work on several threads: the only part of the library that asks a thread pool.
//!
//! The pool is that of the current [`Watch`](crate::watch::Watch), or the one that all of the process shares, and every thread knows for which
//! call it works.
//!
//! What asks the pool is compiled once, for all work, which comes in pieces by number.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::watch::{self, Entered};

/// Runs of a long row for each thread, so that none waits long for another's last.
const RUNS: usize = 8;

/// `f` of the numbers below `n`, in their order, in runs of at least `grain` a thread.
pub fn map<T: Send>(n: usize, grain: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    map_into(Vec::new(), n, grain, f)
}

/// As [`map`], in memory that is there; what it held is gone.
pub fn map_into<T: Send>(mut out: Vec<T>, n: usize, grain: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    out.clear();
    if n < 2 * grain || threads() < 2 {
        // Not worth a second thread, or there is none.
        out.extend((0..n).map(f));
        return out;
    }
    let runs = runs(n, grain);
    let done: Vec<Mutex<Vec<T>>> = runs.iter().map(|_| Mutex::default()).collect();
    each(runs.len(), &|r| {
        let run = runs[r].clone().map(&f).collect();
        *done[r].lock().unwrap_or_else(PoisonError::into_inner) = run;
    });
    out.reserve(n);
    for run in done {
        out.append(&mut run.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
    out
}

/// Calls `f` with the number of each pair of items at the same place, and the two, in runs of at least `grain` a thread.
pub fn for_each_pair<A: Send, B: Send>(
    a: &mut [A],
    b: &mut [B],
    grain: usize,
    f: impl Fn(usize, &mut A, &mut B) + Sync,
) {
    let work = |first: usize, a: &mut [A], b: &mut [B]| {
        a.iter_mut().zip(b).enumerate().for_each(|(i, (a, b))| f(first + i, a, b));
    };
    if a.len() < 2 * grain {
        return work(0, a, b);
    }
    let length = a.len().div_ceil(runs(a.len(), grain).len());
    let chunks = a.chunks_mut(length).zip(b.chunks_mut(length));
    let chunks: Vec<Mutex<(&mut [A], &mut [B])>> = chunks.map(Mutex::new).collect();
    each(chunks.len(), &|c| {
        let mut chunk = chunks[c].lock().unwrap_or_else(PoisonError::into_inner);
        let (a, b) = &mut *chunk;
        work(c * length, a, b);
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
    let chunks = items.chunks_mut(length.max(1));
    if chunks.len() < 2 {
        return chunks.enumerate().map(|(i, chunk)| f(i, chunk)).collect();
    }
    let chunks: Vec<Mutex<&mut [T]>> = chunks.map(Mutex::new).collect();
    map(chunks.len(), 1, |c| f(c, &mut chunks[c].lock().unwrap_or_else(PoisonError::into_inner)))
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

/// The numbers below `n` in runs of at least `grain` each.
fn runs(n: usize, grain: usize) -> Vec<Range<usize>> {
    let number = (n / grain.max(1)).clamp(1, RUNS * threads());
    (0..number).map(|r| r * n / number..(r + 1) * n / number).collect()
}

/// Threads of the current call.
fn threads() -> usize {
    watch::pool().map_or_else(rayon::current_num_threads, |pool| pool.current_num_threads())
}

/// Does each of so many pieces of work.
fn each(pieces: usize, work: &(dyn Fn(usize) + Sync)) {
    on_pool(|enter| {
        (0..pieces).into_par_iter().for_each(|piece| {
            let _entered = enter();
            work(piece);
        });
    });
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

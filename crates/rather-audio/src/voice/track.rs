//! Curves in time, one value a millisecond, smoothed without delay.

/// Samples of sound a value.
pub(super) const STEP: usize = 16;

/// Lets a curve of steps glide: a one-pole filter forwards and backwards, with a time constant in milliseconds.
pub(super) fn glide(track: &mut [f64], milliseconds: f64) {
    let keep = (-1.0 / milliseconds).exp();
    let pass = |state: &mut f64, value: &mut f64| {
        *state = keep * *state + (1.0 - keep) * *value;
        *value = *state;
    };
    if let Some(mut state) = track.first().copied() {
        track.iter_mut().for_each(|value| pass(&mut state, value));
        let mut state = track[track.len() - 1];
        track.iter_mut().rev().for_each(|value| pass(&mut state, value));
    }
}

/// The value between two steps at sample `n` after the start of step `i`, on a straight line.
pub(super) fn between(track: &[f64], i: usize, n: usize) -> f64 {
    let next = track[(i + 1).min(track.len() - 1)];
    track[i] + (next - track[i]) * (n as f64 / STEP as f64)
}

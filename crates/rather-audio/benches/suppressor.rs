//! What a person waits for: the first sound of a clip, the next setting, a simulated answer. The clip lasts 8 s.

use criterion::{Criterion, criterion_group, criterion_main};
use rather_audio::demo::{Demo, Options};
use rather_audio::hearing::Hearing;
use rather_audio::level::Level;
use rather_audio::resample::to_sample_rate;
use rather_audio::suppressor::Suppressor;
use rather_audio::{Setting, wav};
use std::hint::black_box;

fn suppressor(criterion: &mut Criterion) {
    let demo = Demo::with(&Options::default()).expect("options within limits");
    let scene = demo.scene().expect("a built-in clip");
    let suppressor = Suppressor::new();
    let analysis = suppressor.analyse(scene.mixture());
    let hearing = Hearing::new(scene, &analysis);
    let setting = Setting::new(1.0, -15.0).expect("a setting");
    let recording: Vec<f64> = scene.mixture().samples().repeat(3);
    let file = wav::write(scene.mixture().samples());

    let mut group = criterion.benchmark_group("a clip of 8 s");
    group.bench_function("render a setting", |b| b.iter(|| analysis.render(black_box(&setting))));
    group
        .bench_function("render a setting to a WAV file", |b| b.iter(|| demo.render(black_box(&[0.4, 0.4]))));
    group.bench_function("render a pair to WAV files", |b| {
        b.iter(|| demo.render_pair(black_box(&[0.4, 0.4]), &[0.5, 0.3], Level::Loudness));
    });
    group.bench_function("analyse", |b| b.iter(|| suppressor.analyse(black_box(scene.mixture()))));
    group.bench_function("judge a setting", |b| {
        b.iter(|| hearing.impression(&analysis.gains(black_box(&setting))))
    });
    group.bench_function("read a WAV file at 16 kHz", |b| b.iter(|| wav::read(black_box(&file))));
    group
        .bench_function("resample from 48 kHz", |b| b.iter(|| to_sample_rate(black_box(&recording), 48_000)));
    group.sample_size(10);
    group.bench_function("make the built-in clip", |b| b.iter(|| Demo::new(black_box(1))));
    group.bench_function("make the listener to two coordinates", |b| {
        b.iter(|| Demo::new(1).listener(2).map(|listener| listener.favourite().to_vec()));
    });
    group.finish();
}

criterion_group!(benches, suppressor);
criterion_main!(benches);

//! The suppressor against the figures of an independent reference (`crates/rather/tests/oracle/`).

use rather_audio::clip::Clip;
use rather_audio::setting::Setting;
use rather_audio::stft::BINS;
use rather_audio::suppressor::Suppressor;
use serde_json::Value;

fn oracle() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../rather/tests/oracle/factor-graph-golden.json");
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// A tone gated on four times in the second half, in noise of a linear congruential generator.
fn signal() -> Vec<f64> {
    let mut x: u32 = 12345;
    (0..16_000_usize)
        .map(|n| {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let on = n >= 8000 && (n / 2000) % 2 == 0;
            let tone = (2.0 * std::f64::consts::PI * 440.0 * n as f64 / 16_000.0).sin();
            let noise = f64::from(x) / 4_294_967_296.0 - 0.5;
            if on { 0.3 * tone + 0.1 * noise } else { 0.1 * noise }
        })
        .collect()
}

/// Sums are given to all digits, single values rounded to 12 decimals (half a unit there).
fn close(found: f64, json: &Value, what: &str) {
    let expected = json.as_f64().expect("a number");
    assert!(
        (found - expected).abs() <= 1e-9 * expected.abs() + 5.1e-13,
        "{what}: {found} against {expected}"
    );
}

fn close_all(found: &[f64], json: &Value, what: &str) {
    let expected = json.as_array().expect("a list");
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).for_each(|(f, e)| close(*f, e, what));
}

fn energy(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

#[test]
fn gains_and_sound_equal_the_reference() {
    let json = oracle();
    let golden = &json["audio"];
    let clip = Clip::new(signal()).expect("a second of sound");
    close(energy(clip.samples()), &golden["inputs"]["energy"], "energy");
    close_all(&clip.samples()[8500..8506], &golden["inputs"]["sample_8500_8505"], "input");
    let analysis = Suppressor::new().analyse(&clip);
    for (key, beta, floor) in [("beta=1.0 floor=-20.0", 1.0, -20.0), ("beta=4.0 floor=-30.0", 4.0, -30.0)] {
        let expected = &golden[key];
        let setting = Setting::new(beta, floor).expect("a setting");
        assert_eq!(analysis.frames() as u64, expected["frames"].as_u64().expect("a count"));
        let gains = analysis.gains(&setting);
        close(gains.iter().sum::<f64>() / gains.len() as f64, &expected["mean_gain"], "mean gain");
        for frame in [5, 34, 36, 40] {
            let bins = &gains[frame * BINS + 10..frame * BINS + 18];
            close_all(bins, &expected[format!("gain_frame{frame}_bins10_17")], "gain");
        }
        let out = analysis.render(&setting);
        close(energy(&out), &expected["out_energy"], "energy of the output");
        close_all(&out[8500..8506], &expected["out_8500_8505"], "output");
    }
}

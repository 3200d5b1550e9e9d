//! Figures compared with those kept in `snapshots/`, byte for byte.
//!
//! After a change that is meant: `RATHER_PLOT_UPDATE=1 cargo test -p rather-plot`, look at the files, commit them.

use crate::gallery;
use std::fs;
use std::path::Path;

#[test]
fn figures_are_as_kept() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/snapshots");
    let update = std::env::var_os("RATHER_PLOT_UPDATE").is_some();
    let mut different = Vec::new();
    for (name, figure) in gallery::all() {
        let figure = figure.unwrap();
        let path = folder.join(format!("{name}.svg"));
        if update {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, figure.as_svg()).unwrap();
        } else if fs::read_to_string(&path).ok().as_deref() != Some(figure.as_svg()) {
            different.push(name);
        }
    }
    assert!(different.is_empty(), "not as kept: {different:?}; if meant, run with RATHER_PLOT_UPDATE=1");
}

#[test]
fn figures_are_self_contained_and_their_text_is_escaped() {
    for (name, figure) in gallery::all() {
        let figure = figure.unwrap();
        let svg = figure.as_svg();
        for bad in ["<b>", "<script", "href", " id=", "NaN", "inf", "url("] {
            assert!(!svg.contains(bad), "{name} has {bad}");
        }
        assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
        assert!(svg.len() < 1_000_000, "{name} is {} bytes long", svg.len());
    }
}

#[cfg(feature = "png")]
#[test]
fn figures_become_pictures() {
    for (name, figure) in gallery::all() {
        let figure = figure.unwrap();
        let png = figure.to_png(1.0).unwrap();
        assert!(png.starts_with(b"\x89PNG\r\n"), "{name}");
        let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        assert_eq!((side(16), side(20)), (figure.width().ceil() as u32, figure.height().ceil() as u32));
    }
    let figure = gallery::reliability().draw(&Default::default()).unwrap();
    for scale in [0.0, -1.0, f64::NAN, 1e9] {
        assert!(figure.to_png(scale).is_err());
    }
}

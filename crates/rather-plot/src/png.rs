//! Pictures made of drawings, with a font of their own.
//!
//! DejaVu Sans is embedded, so that a picture is the same on every machine, be there fonts or not. The machine's own fonts
//! are looked for only if the drawing has a character that DejaVu Sans lacks (Chinese, Japanese, Korean, emoji).

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use crate::{Error, Figure};

/// The largest picture, in pixels.
const LARGEST: f64 = 2e8;

impl Figure {
    /// The figure as a PNG file, `scale` pixels for every unit of the drawing: 2 is sharp on screens and in print.
    ///
    /// # Errors
    /// [`Error::Range`] for a scale that is not positive or a picture beyond 200 million pixels; [`Error::Picture`] if the
    /// renderer fails.
    pub fn to_png(&self, scale: f64) -> Result<Vec<u8>, Error> {
        to_png(self.as_svg(), scale)
    }
}

/// As [`Figure::to_png`], of a drawing that is kept as SVG text.
///
/// # Errors
/// As [`Figure::to_png`]; [`Error::Picture`] for what is no SVG.
pub fn to_png(svg: &str, scale: f64) -> Result<Vec<u8>, Error> {
    let broken = |reason: &dyn std::fmt::Display| Error::Picture { reason: reason.to_string() };
    let mut options = Options { font_family: "DejaVu Sans".to_owned(), ..Options::default() };
    let fonts = Arc::make_mut(&mut options.fontdb);
    for font in [dejavu::sans::regular(), dejavu::sans::bold()] {
        fonts.load_font_data(font.to_vec());
    }
    if svg.chars().any(|c| !in_dejavu(c)) {
        fonts.load_system_fonts();
    }
    let tree = Tree::from_str(svg, &options).map_err(|e| broken(&e))?;
    let size = tree.size();
    let [width, height] = [size.width(), size.height()].map(|side| (f64::from(side) * scale).ceil());
    if !(scale > 0.0 && width * height <= LARGEST) {
        return Err(Error::Range {
            what: "the scale of the picture",
            requirement: "positive, and small enough for a picture of 200 million pixels",
            value: scale,
        });
    }
    let mut picture = Pixmap::new(width as u32, height as u32).ok_or_else(|| broken(&"it would be empty"))?;
    let scale = scale as f32;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut picture.as_mut());
    picture.encode_png().map_err(|e| broken(&e))
}

/// Whether the embedded font has `c`: the alphabets from Latin to Arabic, punctuation, arrows, mathematics, shapes.
fn in_dejavu(c: char) -> bool {
    matches!(c, '\0'..='\u{6ff}' | '\u{1e00}'..='\u{22ff}' | '\u{2500}'..='\u{25ff}' | '\u{fffd}')
}

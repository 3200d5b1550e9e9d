//! Figures of preference models, as SVG text.
//!
//! A figure is plain data ([`Utility`], [`Effect`], [`Acquisition`], [`Map`], [`Surface`], [`ChoiceMatrix`], [`ChoiceMap`], [`Ranking`],
//! [`LearningCurve`], [`Careers`], [`Users`], [`Reliability`], [`Regression`], [`Classification`], [`FactorGraph`]) with a method `draw` that makes a
//! [`Figure`] of it; [`from_model`] takes the data from a
//! learned [`rather::model::Model`]. The same data give the same text, byte for byte: figures can be compared, kept under
//! version control, and stand in web pages and notebooks as they are (no scripts, no identifiers, no style sheets).
//!
//! Colours are chosen for colour-blind readers, and nothing is told by colour alone: lines have dashes, marks have shapes,
//! maps have contour lines with their values.
//!
//! With the feature `png`, `Figure::to_png` makes pictures, with a font of their own.
//!
//! # Why a writer of our own?
//! A figure here is lines, text and areas; what is hard (ticks, contours, room for names) general plotting crates
//! leave to their caller or do their way. About 250 lines that write SVG keep the output deterministic to the byte and the
//! dependencies at one small crate.
//!
//! # Examples
//! ```
//! use rather_plot::{Look, RankedItem, Ranking};
//!
//! let item = |name: &str, mean| RankedItem { name: name.into(), mean, sd: 0.3, compared: true };
//! let ranking = Ranking { items: vec![item("tea", 1.0), item("coffee", -0.5)], ..Ranking::default() };
//! let figure = ranking.draw(&Look::default())?;
//! assert!(figure.as_svg().starts_with("<svg") && figure.as_svg().contains(">coffee</text>"));
//! # Ok::<(), rather_plot::Error>(())
//! ```

mod canvas;
mod color;
mod colorbar;
mod contour;
mod error;
mod field;
mod figures;
mod labels;
mod layers;
mod legend;
mod panel;
#[cfg(feature = "png")]
mod png;
mod scale;
mod text;
mod ticks;

pub mod from_model;

pub use error::Error;
pub use figures::acquisition::Acquisition;
pub use figures::careers::{Career, Careers};
pub use figures::choice_map::ChoiceMap;
pub use figures::choices::{Choice, ChoiceMatrix};
pub use figures::classification::{Classification, Example};
pub use figures::effect::Effect;
pub use figures::evidence::{Mark, Surface};
pub use figures::factor_graph::{DrawnEdge, FactorGraph};
pub use figures::learning_curve::{LearningCurve, Series};
pub use figures::map::{Map, MapItem};
pub use figures::ranking::{RankedItem, Ranking};
pub use figures::regression::Regression;
pub use figures::reliability::{Bin, Reliability};
pub use figures::segments::{SegmentChart, SegmentLine};
pub use figures::users::{LikedItem, Users};
pub use figures::utility::{Along, Duel, Utility};
#[cfg(feature = "png")]
pub use png::to_png;

/// Half the width of a 95 % interval, in standard deviations.
pub(crate) const Z95: f64 = 1.959963984540054;

/// Size and title of a figure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Look {
    /// Width in pixels; 720 if `None`. At least 320.
    pub width: Option<f64>,
    /// Height in pixels; if `None`, 440, or what the figure needs. At least 200.
    pub height: Option<f64>,
    /// The title; the figure's own if `None`, and none if empty.
    pub title: Option<String>,
}

impl Look {
    /// The smallest and the largest width.
    pub const WIDTHS: (f64, f64) = (320.0, 10_000.0);
    /// The smallest and the largest height.
    pub const HEIGHTS: (f64, f64) = (200.0, 20_000.0);

    pub(crate) fn width(&self) -> f64 {
        let (low, high) = Self::WIDTHS;
        self.width.filter(|w| w.is_finite()).unwrap_or(720.0).clamp(low, high)
    }

    pub(crate) fn height_or(&self, height: f64) -> f64 {
        let (low, high) = Self::HEIGHTS;
        self.height.filter(|h| h.is_finite()).unwrap_or(height).clamp(low, high)
    }
}

/// The height of figures whose data do not ask for another.
pub(crate) const HEIGHT: f64 = 440.0;

/// A finished drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    svg: String,
    width: f64,
    height: f64,
    caption: String,
}

impl Figure {
    /// The drawing as SVG text.
    pub fn as_svg(&self) -> &str {
        &self.svg
    }

    /// The drawing as SVG text.
    pub fn into_svg(self) -> String {
        self.svg
    }

    /// Its width in pixels.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// Its height in pixels.
    pub fn height(&self) -> f64 {
        self.height
    }

    /// What is written under the drawing.
    pub fn caption(&self) -> &str {
        &self.caption
    }
}

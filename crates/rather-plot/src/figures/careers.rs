//! The utilities of items over time.

use crate::canvas::{Canvas, DASHES, Spot, Stroke, Type, spot};
use crate::color::{INK, SERIES};
use crate::error::{column, finite, not_empty};
use crate::labels::spread;
use crate::panel::{Page, Panel, SMALL};
use crate::scale::Axis;
use crate::text::{self, truncate};
use crate::{Error, Figure, HEIGHT, Look, Z95};

/// An item's utility over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Career {
    /// The item.
    pub name: String,
    /// Times, in increasing order.
    pub times: Vec<f64>,
    /// Its mean utility then.
    pub mean: Vec<f64>,
    /// The standard deviation.
    pub sd: Vec<f64>,
}

/// Items over time, with 95 % bands, each named where it ends.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Careers {
    /// What time is called.
    pub time: String,
    /// Whether times are days since 1970-01-01.
    pub dates: bool,
    /// Name and unit of the utility.
    pub utility: String,
    /// The items.
    pub careers: Vec<Career>,
    /// What else there is to know: a sentence, or nothing.
    pub note: String,
}

/// Up to so many items have bands; the bands of more hide each other.
const BANDS: usize = 8;

impl Careers {
    /// The figure.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`].
    pub fn draw(&self, look: &Look) -> Result<Figure, Error> {
        not_empty("the list of items", &self.careers)?;
        for career in &self.careers {
            not_empty("a career", &career.times)?;
            finite("the times", &career.times)?;
            column("the mean utilities", &career.mean, career.times.len())?;
            column("the standard deviations", &career.sd, career.times.len())?;
        }
        let bands = self.careers.len() <= BANDS;
        let what = if bands { "Bands are 95 % intervals. " } else { "" };
        let mut page = Page::new(look, "Utility over time", &format!("{what}{}", self.note), HEIGHT);
        let names = self.careers.iter().map(|c| text::width(&c.name, SMALL)).fold(0.0, f64::max);
        let names = names.min(0.3 * page.body.width) + 24.0;
        let panel = self.panel(page.body.without_right(names), bands);
        panel.grid(&mut page.canvas);
        for (i, career) in self.careers.iter().enumerate().filter(|_| bands) {
            let side = |sign: f64| (0..career.times.len()).map(move |k| end(career, k, sign));
            let outline: Vec<Spot> = side(-1.0).chain(side(1.0).rev()).map(|(x, y)| panel.at(x, y)).collect();
            page.canvas.areas([&outline[..]], SERIES[i % SERIES.len()], 0.12);
        }
        for (i, career) in self.careers.iter().enumerate() {
            let spots: Vec<Spot> =
                career.times.iter().zip(&career.mean).map(|(&x, &y)| panel.at(x, y)).collect();
            page.canvas.polyline(&spots, stroke(i));
        }
        self.names(&mut page.canvas, &panel, names);
        panel.axes(&mut page.canvas);
        Ok(page.finish())
    }

    fn panel(&self, outer: crate::panel::Area, bands: bool) -> Panel {
        let times = || self.careers.iter().flat_map(|c| c.times.iter().copied());
        let x =
            if self.dates { Axis::dates(&self.time, times()) } else { Axis::over(&self.time, times(), 0.0) };
        let reach = if bands { 1.0 } else { 0.0 };
        let ends = self
            .careers
            .iter()
            .flat_map(|c| (0..c.times.len()).flat_map(move |k| [end(c, k, -reach).1, end(c, k, reach).1]));
        Panel::fit(outer, x, Axis::over(&self.utility, ends, 0.05))
    }

    /// The names at the ends of the curves, moved apart where these meet.
    fn names(&self, canvas: &mut Canvas, panel: &Panel, room: f64) {
        let ends: Vec<Spot> =
            self.careers.iter().filter_map(|c| Some(panel.at(*c.times.last()?, *c.mean.last()?))).collect();
        let heights: Vec<f64> = ends.iter().map(|e| e.y).collect();
        let heights = spread(&heights, SMALL * 1.3, panel.area.top + 4.0, panel.area.bottom() - 4.0);
        for (i, (career, (end, y))) in self.careers.iter().zip(ends.iter().zip(heights)).enumerate() {
            let x = panel.area.right() + 14.0;
            let color = SERIES[i % SERIES.len()];
            canvas.line(spot(end.x + 2.0, end.y), spot(x - 3.0, y), Stroke::new(color, 0.9));
            let name = truncate(&career.name, SMALL, room - 16.0);
            canvas.text(spot(x, y + SMALL * 0.36), &name, Type::new(SMALL).color(INK));
        }
    }
}

/// Colours come again with other dashes.
fn stroke(i: usize) -> Stroke {
    let dashes = DASHES[(i + i / SERIES.len()) % DASHES.len()];
    Stroke::new(SERIES[i % SERIES.len()], 2.0).dashed(dashes)
}

/// An end of the interval at the `k`th time.
fn end(career: &Career, k: usize, sign: f64) -> (f64, f64) {
    (career.times[k], career.mean[k] + sign * Z95 * career.sd[k])
}

//! The utility along one feature, and the comparisons under it.

use crate::canvas::{Anchor, Canvas, Mark, Spot, Stroke, Type, coordinate, spot};
use crate::color::{AXIS, BLUE, SOFT, VERMILLION};
use crate::error::{column, finite, not_empty};
use crate::legend::{Glyph, legend};
use crate::panel::{Area, Page, Panel, SMALL};
use crate::scale::Axis;
use crate::text::counted;
use crate::{Error, Figure, HEIGHT, Look, Z95};

/// The values of the feature at which the utility is known.
#[derive(Debug, Clone, PartialEq)]
pub enum Along {
    /// Numbers, in increasing order.
    Numbers(Vec<f64>),
    /// Categories: values are 0, 1, 2, …
    Levels(Vec<String>),
}

/// A comparison, as the values of the feature of its two items.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duel {
    /// Value of the preferred item.
    pub winner: f64,
    /// Value of the other one.
    pub loser: f64,
    /// How often it was said.
    pub count: f64,
}

/// The utility along one feature with its 95 % band.
#[derive(Debug, Clone, PartialEq)]
pub struct Utility {
    /// The feature, with its unit.
    pub feature: String,
    /// Name and unit of the utility.
    pub utility: String,
    /// Where the utility is known.
    pub along: Along,
    /// Mean utilities.
    pub mean: Vec<f64>,
    /// Their standard deviations.
    pub sd: Vec<f64>,
    /// The comparisons.
    pub duels: Vec<Duel>,
    /// At which values other features are held: a sentence, or nothing.
    pub held: String,
}

/// More comparisons than this are counted in bars instead of drawn as arcs.
const ARCS: usize = 120;
/// Height of the strip of comparisons.
const STRIP: f64 = 112.0;

impl Utility {
    /// The figure.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`].
    pub fn draw(&self, look: &Look) -> Result<Figure, Error> {
        self.check()?;
        let title = format!("Utility along {}", self.feature);
        let mut page = Page::new(look, &title, &self.caption(), HEIGHT);
        let stroke = Stroke::new(BLUE, 2.2);
        let what = match self.along {
            Along::Numbers(_) => (Glyph::Band(stroke, 0.2), "mean and 95 % band"),
            Along::Levels(_) => (Glyph::Mark(Mark::Circle, BLUE, true), "mean and 95 % interval"),
        };
        let outer = legend(&mut page.canvas, page.body, &[what]);
        let strip = self.moving().next().is_some();
        let (upper, lower) = if strip { outer.split_bottom(STRIP) } else { (outer, outer) };
        let panel = self.panel(upper);
        panel.grid(&mut page.canvas);
        match &self.along {
            Along::Numbers(x) => self.band(&mut page.canvas, &panel, x),
            Along::Levels(names) => self.whiskers(&mut page.canvas, &panel, names.len()),
        }
        panel.axes(&mut page.canvas);
        if strip {
            self.strip(&mut page.canvas, &panel, lower);
        }
        Ok(page.finish())
    }

    fn check(&self) -> Result<(), Error> {
        let n = match &self.along {
            Along::Numbers(x) => {
                finite("the feature", x)?;
                x.len()
            }
            Along::Levels(names) => names.len(),
        };
        column("the mean utilities", &self.mean, n)?;
        column("the standard deviations", &self.sd, n)?;
        not_empty("the utility", &self.mean)?;
        let ends: Vec<f64> = self.duels.iter().flat_map(|d| [d.winner, d.loser, d.count]).collect();
        finite("the comparisons", &ends)
    }

    fn ends(&self, i: usize) -> (f64, f64) {
        (self.mean[i] - Z95 * self.sd[i], self.mean[i] + Z95 * self.sd[i])
    }

    fn panel(&self, outer: Area) -> Panel {
        let y = (0..self.mean.len()).flat_map(|i| <[f64; 2]>::from(self.ends(i)));
        let y = Axis::over(&self.utility, y, 0.05);
        let x = match &self.along {
            Along::Numbers(x) => {
                let duels = self.duels.iter().flat_map(|d| [d.winner, d.loser]);
                Axis::over(&self.feature, x.iter().copied().chain(duels), 0.0)
            }
            Along::Levels(names) => Axis::levels(&self.feature, names),
        };
        Panel::fit(outer, x, y)
    }

    fn band(&self, canvas: &mut Canvas, panel: &Panel, x: &[f64]) {
        let at = |value: fn(&Self, usize) -> f64| {
            x.iter().enumerate().map(move |(i, &x)| panel.at(x, value(self, i)))
        };
        let low: Vec<Spot> = at(|s, i| s.ends(i).0).collect();
        let high: Vec<Spot> = at(|s, i| s.ends(i).1).collect();
        let outline: Vec<Spot> = low.iter().copied().chain(high.iter().rev().copied()).collect();
        canvas.areas([&outline[..]], BLUE, 0.2);
        for edge in [&low, &high] {
            canvas.polyline(edge, Stroke::new(BLUE, 0.8).opacity(0.6));
        }
        let mean: Vec<Spot> = at(|s, i| s.mean[i]).collect();
        match mean[..] {
            [only] => canvas.mark(Mark::Circle, only, 4.5, BLUE, true),
            _ => canvas.polyline(&mean, Stroke::new(BLUE, 2.2)),
        }
    }

    fn whiskers(&self, canvas: &mut Canvas, panel: &Panel, n: usize) {
        for i in 0..n {
            let (low, high) = self.ends(i);
            let (low, high) = (panel.at(i as f64, low), panel.at(i as f64, high));
            canvas.line(low, high, Stroke::new(BLUE, 2.0));
            for end in [low, high] {
                canvas.line(spot(end.x - 5.0, end.y), spot(end.x + 5.0, end.y), Stroke::new(BLUE, 1.4));
            }
            canvas.mark(Mark::Circle, panel.at(i as f64, self.mean[i]), 4.5, BLUE, true);
        }
    }

    /// Comparisons of items whose values differ.
    fn moving(&self) -> impl Iterator<Item = &Duel> {
        self.duels.iter().filter(|d| d.winner != d.loser)
    }

    /// The comparisons under the panel: those won to the right above a line, those won to the left below it.
    fn strip(&self, canvas: &mut Canvas, panel: &Panel, outer: Area) {
        let middle = outer.top + outer.height / 2.0 + 2.0;
        let area = Area { left: panel.area.left, width: panel.area.width, ..outer };
        let room = outer.height / 2.0 - 12.0;
        if self.moving().count() <= ARCS {
            self.arcs(canvas, panel, middle, room);
        } else {
            self.bars(canvas, panel, middle, room);
        }
        canvas.line(spot(area.left, middle), spot(area.right(), middle), Stroke::new(AXIS, 1.0));
        let [higher, lower] = match self.along {
            Along::Numbers(_) => ["the higher value preferred", "the lower value preferred"],
            Along::Levels(_) => ["the one on the right preferred", "the one on the left preferred"],
        };
        let [up, down] = [true, false].map(|right| {
            self.moving().filter(|d| (d.winner > d.loser) == right).map(|d| d.count).sum::<f64>() as usize
        });
        let label = Type::new(SMALL).anchor(Anchor::Start).halo();
        let texts = [
            (format!("→ {higher}: {up}"), middle - room - 1.0, BLUE),
            (format!("← {lower}: {down}"), middle + room + 8.0, VERMILLION),
        ];
        for (text, y, color) in texts {
            canvas.text(spot(area.left + 4.0, y), &text, label.color(color));
        }
    }

    /// An arc from each loser (hollow) to its winner (filled).
    fn arcs(&self, canvas: &mut Canvas, panel: &Panel, middle: f64, room: f64) {
        let n = self.moving().count() as f64;
        let opacity = (15.0 / n).clamp(0.3, 0.85);
        for duel in self.moving() {
            let [from, to] = [duel.loser, duel.winner].map(|v| panel.at(v, panel.y.low).x);
            let up = to > from;
            let color = if up { BLUE } else { VERMILLION };
            let height = room * (0.25 + 0.75 * (to - from).abs() / panel.area.width).min(1.0);
            let peak = if up { middle - height / 0.75 } else { middle + height / 0.75 };
            let [a, b, m, p] = [from, to, middle, peak].map(coordinate);
            let width = 1.0 + duel.count.max(1.0).ln().min(2.0);
            let stroke = Stroke::new(color, width).opacity(opacity).dashed(if up { "" } else { "5 3" });
            canvas.path(&format!("M{a} {m}C{a} {p} {b} {p} {b} {m}"), "none", 1.0, Some(stroke));
        }
        // Losers are rings, winners dots: who is both is a ring with a dot in it.
        for duel in self.moving() {
            canvas.mark(Mark::Circle, spot(panel.at(duel.loser, panel.y.low).x, middle), 3.6, SOFT, false);
        }
        for duel in self.moving() {
            let color = if duel.winner > duel.loser { BLUE } else { VERMILLION };
            canvas.mark(Mark::Circle, spot(panel.at(duel.winner, panel.y.low).x, middle), 1.5, color, true);
        }
    }

    /// How many winners had about each value, to the right above, to the left below.
    fn bars(&self, canvas: &mut Canvas, panel: &Panel, middle: f64, room: f64) {
        let bins = match &self.along {
            Along::Numbers(_) => (panel.area.width / 14.0).clamp(4.0, 60.0) as usize,
            Along::Levels(names) => names.len(),
        };
        let mut counts = vec![[0.0; 2]; bins];
        for duel in self.moving() {
            let bin = (panel.x.place(duel.winner) * bins as f64).clamp(0.0, bins as f64 - 1.0) as usize;
            counts[bin][usize::from(duel.winner < duel.loser)] += duel.count;
        }
        let most = counts.iter().flatten().fold(1.0, |a: f64, &b| a.max(b));
        let width = panel.area.width / bins as f64;
        for (i, [up, down]) in counts.into_iter().enumerate() {
            let left = panel.area.left + i as f64 * width + 1.0;
            let [up, down] = [up, down].map(|c| c / most * (room - 4.0));
            if up > 0.0 {
                canvas.rect(spot(left, middle - up), width - 2.0, up, BLUE, None);
            }
            if down > 0.0 {
                canvas.rect(spot(left, middle), width - 2.0, down, VERMILLION, None);
            }
        }
    }

    fn caption(&self) -> String {
        let all: f64 = self.duels.iter().map(|d| d.count).sum();
        let moving: f64 = self.moving().map(|d| d.count).sum();
        let mut sentences = vec![self.held.clone()];
        if moving > 0.0 {
            sentences.push(if self.moving().count() <= ARCS {
                "Below: each arc is a comparison, from the item not preferred (ring) to the preferred one (dot).".into()
            } else {
                format!(
                    "Below: {}, at the value of the preferred item: bars up where it had the higher value, down where \
                     it had the lower.",
                    counted(moving as usize, "comparison")
                )
            });
        }
        if all > moving {
            let equal = counted((all - moving) as usize, "comparison");
            sentences.push(format!("{equal} of equal values not shown."));
        }
        sentences.retain(|s| !s.is_empty());
        sentences.join(" ")
    }
}

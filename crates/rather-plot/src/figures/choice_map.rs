//! How likely one value of a feature is preferred to another: the anti-symmetric map of a choice.

use crate::canvas::Mark;
use crate::color::{INK, Ramp};
use crate::error::{finite, not_empty};
use crate::field::{self, Bands, fill, label_lines, panel_with_bar};
use crate::figures::utility::Duel;
use crate::labels::Labels;
use crate::legend::{Glyph, legend};
use crate::panel::{Page, Panel};
use crate::scale::Axis;
use crate::{Error, Figure, Look};

/// The probability that an item with the value on the vertical axis is preferred to one with that on the horizontal axis.
#[derive(Debug, Clone, PartialEq)]
pub struct ChoiceMap {
    /// The feature, with its unit.
    pub feature: String,
    /// Its values, in increasing order, at least two.
    pub values: Vec<f64>,
    /// `P(values[j] preferred to values[i])` at `j * values.len() + i`.
    pub probabilities: Vec<f64>,
    /// Comparisons that were made.
    pub duels: Vec<Duel>,
    /// At which values other features are held: a sentence, or nothing.
    pub held: String,
}

const LEVELS: [f64; 9] = [0.05, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.95];

impl ChoiceMap {
    /// The figure.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`], [`Error::Range`] for a probability that is none.
    pub fn draw(&self, look: &Look) -> Result<Figure, Error> {
        self.check()?;
        let title = format!("Which {} is preferred", self.feature);
        let caption =
            format!("Lines are probabilities in per cent; at 50 neither is preferred. {}", self.held);
        let mut page = Page::new(look, &title, &caption, 560.0);
        let made = (
            Glyph::Mark(Mark::Circle, INK, true),
            "a comparison: the preferred value (height) and the other (across)",
        );
        let entries = if self.duels.is_empty() { vec![] } else { vec![made] };
        let outer = legend(&mut page.canvas, page.body, &entries);
        let bands = Bands {
            levels: LEVELS.to_vec(),
            labels: LEVELS.iter().map(|l| format!("{:.0}", 100.0 * l)).collect(),
            colors: (0..=LEVELS.len()).map(|i| Ramp::Diverging.at(band_center(i))).collect(),
        };
        let bar = bands.colorbar("preferred: the value at the left, in per cent");
        let axis = |name: String| Axis::over(&name, self.values.iter().copied(), 0.0);
        let (x, y) = (axis(format!("{} of the other item", self.feature)), axis(self.feature.clone()));
        let (panel, bar_left) = panel_with_bar(outer, &bar, |area| Panel::fit(area, x, y));
        let canvas = &mut page.canvas;
        let lines = fill(canvas, &panel, &self.values, &self.values, &self.probabilities, &bands);
        let mut labels = Labels::new(panel.area);
        let r = if self.duels.len() > 150 { 1.8 } else { 3.0 };
        for duel in self.duels.iter().filter(|d| panel_has(&panel, d)) {
            let at = panel.at(duel.loser, duel.winner);
            canvas.outlined_mark(Mark::Circle, at, r, INK, field::halo());
            labels.keep_free(at, r);
        }
        label_lines(canvas, &lines, &mut labels);
        panel.axes(canvas);
        bar.draw(canvas, bar_left, panel.area);
        Ok(page.finish())
    }

    fn check(&self) -> Result<(), Error> {
        not_empty("the map", &self.values)?;
        finite("the feature", &self.values)?;
        let n = self.values.len();
        if self.probabilities.len() != n * n {
            let found = self.probabilities.len();
            return Err(Error::Length { what: "the map of probabilities", expected: n * n, found });
        }
        let duels: Vec<f64> = self.duels.iter().flat_map(|d| [d.winner, d.loser]).collect();
        finite("the comparisons", &duels)?;
        let (what, requirement) = ("a probability", "between 0 and 1");
        match self.probabilities.iter().find(|p| !(0.0..=1.0).contains(*p)) {
            Some(&value) => Err(Error::Range { what, requirement, value }),
            None => Ok(()),
        }
    }
}

fn panel_has(panel: &Panel, duel: &Duel) -> bool {
    [duel.winner, duel.loser].iter().all(|v| (panel.x.low..=panel.x.high).contains(v))
}

/// The middle of a band between two levels.
fn band_center(i: usize) -> f64 {
    let low = if i == 0 { 0.0 } else { LEVELS[i - 1] };
    (low + LEVELS.get(i).copied().unwrap_or(1.0)) / 2.0
}

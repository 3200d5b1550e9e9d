//! Labels that do not cover each other.

use crate::canvas::{Spot, spot};
use crate::panel::Area;
use crate::text;

/// Where something stands already.
#[derive(Debug)]
pub(crate) struct Labels {
    within: Area,
    taken: Vec<Area>,
}

impl Labels {
    /// Nothing stands yet; labels must stay in `within`.
    pub(crate) fn new(within: Area) -> Self {
        Self { within, taken: Vec::new() }
    }

    /// Keeps a disc free.
    pub(crate) fn keep_free(&mut self, at: Spot, r: f64) {
        self.taken.push(Area { left: at.x - r, top: at.y - r, width: 2.0 * r, height: 2.0 * r });
    }

    /// The start of `label`'s base line, centred on the first of `centers` where there is room.
    pub(crate) fn place(&mut self, label: &str, size: f64, centers: &[Spot]) -> Option<Spot> {
        let (width, height) = (text::width(label, size), size);
        centers.iter().find_map(|c| {
            let area = Area { left: c.x - width / 2.0, top: c.y - height / 2.0, width, height };
            let free = contains(&self.within, &area) && !self.taken.iter().any(|t| overlap(t, &area));
            free.then(|| {
                self.taken.push(area);
                spot(area.left, c.y + size * 0.36)
            })
        })
    }

    /// Beside a mark of radius `r`: right, left, above, below.
    pub(crate) fn beside(&mut self, label: &str, size: f64, at: Spot, r: f64) -> Option<Spot> {
        let (dx, dy) = (r + 4.0 + text::width(label, size) / 2.0, r + 3.0 + size / 2.0);
        let around =
            [(dx, 0.0), (-dx, 0.0), (0.0, -dy), (0.0, dy), (dx, -dy), (dx, dy), (-dx, -dy), (-dx, dy)];
        self.place(label, size, &around.map(|(x, y)| spot(at.x + x, at.y + y)))
    }
}

fn contains(outer: &Area, inner: &Area) -> bool {
    inner.left >= outer.left
        && inner.right() <= outer.right()
        && inner.top >= outer.top
        && inner.bottom() <= outer.bottom()
}

fn overlap(a: &Area, b: &Area) -> bool {
    a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom()
}

/// Moves heights apart so that each is at least `gap` below the one before, as little as can be, within `low..high` if
/// there is room. Gives the new heights in the order of the old ones.
pub(crate) fn spread(heights: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|&a, &b| heights[a].total_cmp(&heights[b]));
    let mut out: Vec<f64> = order.iter().map(|&i| heights[i].clamp(low, high.max(low))).collect();
    let n = out.len();
    for i in 1..n {
        out[i] = out[i].max(out[i - 1] + gap);
    }
    if n > 0 && out[n - 1] > high {
        out[n - 1] = high;
        for i in (0..n - 1).rev() {
            out[i] = out[i].min(out[i + 1] - gap);
        }
    }
    let mut back = vec![0.0; n];
    for (place, &i) in order.iter().enumerate() {
        back[i] = out[place];
    }
    back
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_moved_apart() {
        assert_eq!(spread(&[5.0, 1.0, 5.0], 2.0, 0.0, 10.0), [5.0, 1.0, 7.0]);
        assert_eq!(spread(&[9.0, 10.0, 10.0], 2.0, 0.0, 10.0), [6.0, 8.0, 10.0]);
        assert!(spread(&[], 1.0, 0.0, 1.0).is_empty());
    }

    #[test]
    fn labels_give_way() {
        let mut labels = Labels::new(Area { left: 0.0, top: 0.0, width: 100.0, height: 30.0 });
        let at = spot(50.0, 15.0);
        let first = labels.beside("tea", 10.0, at, 3.0).unwrap();
        let second = labels.beside("tea", 10.0, at, 3.0).unwrap();
        assert!(first.x > 50.0 && second.x < 50.0);
        assert_eq!(labels.place("a label that is much too long for this", 10.0, &[at]), None);
    }
}

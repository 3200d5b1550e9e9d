//! Contour lines of values on a grid, by marching squares.
//!
//! Lorensen and Cline, *Marching cubes* (1987), in two dimensions; a saddle is decided by the mean of its four corners.

use std::collections::BTreeMap;

use crate::canvas::{Spot, spot};

/// Values at the nodes of a grid: `z[j * x.len() + i]` at `(x[i], y[j])`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grid {
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) z: Vec<f64>,
}

/// A contour line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chain {
    pub(crate) spots: Vec<Spot>,
    pub(crate) closed: bool,
}

/// An edge of the grid: from node `(i, j)` to the next in `x` (direction 0) or in `y` (direction 1).
type Edge = (usize, usize, u8);

impl Grid {
    fn at(&self, i: usize, j: usize) -> f64 {
        self.z[j * self.x.len() + i]
    }

    /// The lines along which the value is `level`; they end at the border of the grid.
    pub(crate) fn lines(&self, level: f64) -> Vec<Chain> {
        let mut neighbours: BTreeMap<Edge, Vec<Edge>> = BTreeMap::new();
        for j in 0..self.y.len().saturating_sub(1) {
            for i in 0..self.x.len().saturating_sub(1) {
                for (a, b) in self.segments(i, j, level) {
                    neighbours.entry(a).or_default().push(b);
                    neighbours.entry(b).or_default().push(a);
                }
            }
        }
        let ends: Vec<Edge> = neighbours.iter().filter(|(_, n)| n.len() == 1).map(|(&e, _)| e).collect();
        let all: Vec<Edge> = neighbours.keys().copied().collect();
        let mut chains = Vec::new();
        for start in ends.into_iter().chain(all) {
            if let Some(edges) = follow(&mut neighbours, start) {
                let closed = edges.len() > 2 && edges.first() == edges.last();
                let spots = edges.iter().map(|&e| self.crossing(e, level)).collect();
                chains.push(Chain { spots, closed });
            }
        }
        chains
    }

    /// The outlines of the areas in which the value is at least `level`: all closed, some of them holes.
    pub(crate) fn areas_above(&self, level: f64) -> Vec<Vec<Spot>> {
        let padded = self.padded(level);
        padded.lines(level).into_iter().map(|chain| chain.spots).collect()
    }

    /// With a border around it that is below `level` and has no width.
    fn padded(&self, level: f64) -> Self {
        let below = self.z.iter().fold(level, |a, &b| a.min(b)) - 1.0;
        let doubled = |values: &[f64]| {
            let ends = (values.first().copied(), values.last().copied());
            ends.0.into_iter().chain(values.iter().copied()).chain(ends.1).collect::<Vec<_>>()
        };
        let (x, y) = (doubled(&self.x), doubled(&self.y));
        let mut z = vec![below; x.len() * y.len()];
        for j in 0..self.y.len() {
            for i in 0..self.x.len() {
                z[(j + 1) * x.len() + i + 1] = self.at(i, j);
            }
        }
        Self { x, y, z }
    }

    /// Which edges of the cell at `(i, j)` the line joins.
    fn segments(&self, i: usize, j: usize, level: f64) -> Vec<(Edge, Edge)> {
        let corners = [self.at(i, j), self.at(i + 1, j), self.at(i + 1, j + 1), self.at(i, j + 1)];
        let inside = corners.map(|z| z >= level);
        let [bottom, right, top, left] = [(i, j, 0), (i + 1, j, 1), (i, j + 1, 0), (i, j, 1)];
        let joined = corners.iter().sum::<f64>() / 4.0 >= level;
        match inside {
            [true, false, true, false] | [false, true, false, true] if joined == inside[0] => {
                vec![(bottom, right), (top, left)]
            }
            [true, false, true, false] | [false, true, false, true] => vec![(left, bottom), (right, top)],
            _ => {
                let crossed = [
                    (inside[0] != inside[1], bottom),
                    (inside[1] != inside[2], right),
                    (inside[2] != inside[3], top),
                    (inside[3] != inside[0], left),
                ];
                let mut edges = crossed.into_iter().filter(|(is, _)| *is).map(|(_, edge)| edge);
                edges.next().zip(edges.next()).into_iter().collect()
            }
        }
    }

    /// Where the value on an edge is `level`.
    fn crossing(&self, (i, j, direction): Edge, level: f64) -> Spot {
        let (i2, j2) = if direction == 0 { (i + 1, j) } else { (i, j + 1) };
        let (a, b) = (self.at(i, j), self.at(i2, j2));
        let t = ((level - a) / (b - a)).clamp(0.0, 1.0);
        spot(self.x[i] + t * (self.x[i2] - self.x[i]), self.y[j] + t * (self.y[j2] - self.y[j]))
    }
}

/// Walks along segments from `start` until none is left, using them up.
fn follow(neighbours: &mut BTreeMap<Edge, Vec<Edge>>, start: Edge) -> Option<Vec<Edge>> {
    let mut chain = vec![start];
    let mut here = start;
    while let Some(next) = neighbours.get_mut(&here).and_then(Vec::pop) {
        if let Some(back) = neighbours.get_mut(&next)
            && let Some(at) = back.iter().position(|&e| e == here)
        {
            back.swap_remove(at);
        }
        chain.push(next);
        here = next;
    }
    (chain.len() > 1).then_some(chain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn area(spots: &[Spot]) -> f64 {
        let next = spots.iter().cycle().skip(1);
        spots.iter().zip(next).map(|(a, b)| a.x * b.y - b.x * a.y).sum::<f64>() / 2.0
    }

    fn grid(n: usize, f: impl Fn(f64, f64) -> f64) -> Grid {
        let x: Vec<f64> = (0..n).map(|i| -2.0 + 4.0 * i as f64 / (n - 1) as f64).collect();
        let z = x.iter().flat_map(|&y| x.iter().map(move |&x| (x, y))).map(|(x, y)| f(x, y)).collect();
        Grid { y: x.clone(), x, z }
    }

    #[test]
    fn a_hill_has_a_ring() {
        let hill = grid(81, |x, y| -(x * x + y * y));
        let lines = hill.lines(-1.0);
        assert!(lines.len() == 1 && lines[0].closed);
        assert!(lines[0].spots.iter().all(|s| (s.x.hypot(s.y) - 1.0).abs() < 1e-3));
        assert!((area(&lines[0].spots).abs() - std::f64::consts::PI).abs() < 1e-2);
    }

    #[test]
    fn a_slope_has_a_line_and_its_upper_half_is_an_area() {
        let slope = grid(9, |x, _| x);
        let lines = slope.lines(0.5);
        assert!(lines.len() == 1 && !lines[0].closed);
        let areas = slope.areas_above(0.5);
        assert_eq!(areas.len(), 1);
        assert!((area(&areas[0]).abs() - 1.5 * 4.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn areas_are_closed_and_inside(z in prop::collection::vec(-1.0..1.0_f64, 36), level in -1.0..1.0_f64) {
            let side: Vec<f64> = (0..6).map(f64::from).collect();
            let grid = Grid { x: side.clone(), y: side, z };
            for outline in grid.areas_above(level) {
                prop_assert_eq!(outline.first(), outline.last());
                prop_assert!(outline.iter().all(|s| (0.0..=5.0).contains(&s.x) && (0.0..=5.0).contains(&s.y)));
            }
        }
    }
}

//! Where the boxes of a graph stand: in columns along the arrows, in an order that crosses few lines.
//!
//! Sugiyama, Tagawa and Toda, *Methods for visual understanding of hierarchical system structures* (1981): layers by the
//! longest path, places held free for arrows that pass a layer, orders by the mean place of the neighbours.

/// A line of the graph: from box to box, or with a loose end.
pub(crate) type Ends = (Option<usize>, Option<usize>);

/// Columns and rows of the boxes, and the way of every line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    /// Column and row of every box; rows may be fractions.
    pub(crate) boxes: Vec<(f64, f64)>,
    /// The places that every line passes, its ends included.
    pub(crate) lines: Vec<Vec<(f64, f64)>>,
    pub(crate) columns: f64,
    pub(crate) rows: f64,
}

/// Rounds of ordering.
const ROUNDS: usize = 12;

/// Lays out `boxes` boxes. Arrows of a cycle that lead back are drawn back.
pub(crate) fn lay_out(boxes: usize, ends: &[Ends]) -> Layout {
    let mut column = columns(boxes, ends);
    // Loose ends and the columns that a line passes get places of their own.
    let mut ways: Vec<Vec<usize>> = Vec::with_capacity(ends.len());
    for &(tail, head) in ends {
        let from = tail.map_or_else(|| column[head.unwrap_or(0)] - 1, |t| column[t]);
        let to = head.map_or(from + 1, |h| column[h]);
        let mut way: Vec<usize> = Vec::new();
        let mut place = |at: i64| {
            column.push(at);
            column.len() - 1
        };
        way.push(tail.unwrap_or_else(|| place(from)));
        way.extend((from.min(to) + 1..from.max(to)).map(&mut place));
        if to < from {
            way[1..].reverse();
        }
        way.push(head.unwrap_or_else(|| place(to)));
        ways.push(way);
    }
    let first = column.iter().copied().min().unwrap_or(0);
    column.iter_mut().for_each(|c| *c -= first);
    let row = rows(&column, &ways);
    let at = |place: usize| (column[place] as f64, row[place]);
    Layout {
        boxes: (0..boxes).map(at).collect(),
        lines: ways.iter().map(|way| way.iter().map(|&p| at(p)).collect()).collect(),
        columns: column.iter().copied().max().unwrap_or(0) as f64,
        rows: row.iter().copied().fold(0.0, f64::max),
    }
}

/// The longest way along the arrows to each box; a box that no arrow leads to stands just before what it leads to.
fn columns(boxes: usize, ends: &[Ends]) -> Vec<i64> {
    let arrows: Vec<(usize, usize)> =
        ends.iter().filter_map(|&(t, h)| Some((t?, h?))).filter(|(t, h)| t != h).collect();
    let mut column = vec![0_i64; boxes];
    // As many rounds as there are boxes suffice without cycles; a cycle is cut there.
    for _ in 0..boxes {
        let mut changed = false;
        for &(t, h) in &arrows {
            if column[h] <= column[t] && column[t] + 1 < boxes as i64 {
                (column[h], changed) = (column[t] + 1, true);
            }
        }
        if !changed {
            break;
        }
    }
    for b in 0..boxes {
        let next = arrows.iter().filter(|a| a.0 == b).map(|a| column[a.1]).min();
        if let (Some(next), false) = (next, arrows.iter().any(|a| a.1 == b)) {
            column[b] = next - 1;
        }
    }
    column
}

/// A row for every place: orders within columns by neighbours, then neighbours' rows as far as there is room.
fn rows(column: &[i64], ways: &[Vec<usize>]) -> Vec<f64> {
    let last = column.iter().copied().max().unwrap_or(0) as usize;
    let mut layers: Vec<Vec<usize>> = vec![Vec::new(); last + 1];
    for (place, &c) in column.iter().enumerate() {
        layers[c as usize].push(place);
    }
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); column.len()];
    for pair in ways.iter().flat_map(|way| way.windows(2)) {
        neighbours[pair[0]].push(pair[1]);
        neighbours[pair[1]].push(pair[0]);
    }
    let mut row = vec![0.0; column.len()];
    for layer in &layers {
        layer.iter().enumerate().for_each(|(i, &place)| row[place] = i as f64);
    }
    let wish = |place: usize, row: &[f64], side: Option<i64>| {
        let near: Vec<f64> = neighbours[place]
            .iter()
            .filter(|&&n| side.is_none_or(|s| (column[n] - column[place]).signum() == s))
            .map(|&n| row[n])
            .collect();
        if near.is_empty() { row[place] } else { near.iter().sum::<f64>() / near.len() as f64 }
    };
    for round in 0..2 * ROUNDS {
        let side = if round % 2 == 0 { -1 } else { 1 };
        let side = if round < ROUNDS { Some(side) } else { None };
        let order: Vec<usize> =
            if round % 2 == 0 { (0..layers.len()).collect() } else { (0..layers.len()).rev().collect() };
        for c in order {
            let mut wishes: Vec<(f64, usize)> = layers[c].iter().map(|&p| (wish(p, &row, side), p)).collect();
            wishes.sort_by(|a, b| a.0.total_cmp(&b.0));
            layers[c] = wishes.iter().map(|w| w.1).collect();
            spread(&wishes, &mut row);
        }
    }
    let top = row.iter().copied().fold(f64::INFINITY, f64::min);
    row.iter_mut().for_each(|r| *r -= top);
    row
}

/// Gives places their wishes in order, at least a row apart: wishes that collide share their mean.
fn spread(wishes: &[(f64, usize)], row: &mut [f64]) {
    // Blocks of places that touch: (first row, sum of the rows wished for the first, places).
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    let mut starts: Vec<f64> = Vec::new();
    for &(wish, _) in wishes {
        blocks.push((wish, 1));
        starts.push(wish);
        while let [.., a, b] = starts[..] {
            let n = blocks.len();
            let before = blocks[n - 2].1;
            if a + before as f64 <= b {
                break;
            }
            // The second block's wishes, as wishes for the first place of both.
            let (sum, count) = blocks[n - 1];
            let shifted = sum - (before * count) as f64;
            blocks[n - 2] = (blocks[n - 2].0 + shifted, before + count);
            blocks.pop();
            starts.pop();
            starts[n - 2] = blocks[n - 2].0 / blocks[n - 2].1 as f64;
        }
    }
    let mut places = wishes.iter().map(|w| w.1);
    for (&start, &(_, count)) in starts.iter().zip(&blocks) {
        for i in 0..count {
            if let Some(place) = places.next() {
                row[place] = start + i as f64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_lead_to_the_right_and_boxes_do_not_touch() {
        // prior -> a -> b -> (loose), two sources into b, a long arrow from the prior.
        let ends = [
            (Some(0), Some(1)),
            (Some(1), Some(2)),
            (Some(2), None),
            (Some(3), Some(2)),
            (Some(4), Some(2)),
            (Some(0), Some(5)),
            (Some(2), Some(5)),
        ];
        let layout = lay_out(6, &ends);
        for (&(tail, head), way) in ends.iter().zip(&layout.lines) {
            if let (Some(t), Some(h)) = (tail, head) {
                assert!(layout.boxes[t].0 < layout.boxes[h].0, "{layout:?}");
            }
            assert!(way.windows(2).all(|w| w[1].0 - w[0].0 == 1.0), "{way:?}");
        }
        for (i, a) in layout.boxes.iter().enumerate() {
            for b in &layout.boxes[..i] {
                assert!(a.0 != b.0 || (a.1 - b.1).abs() >= 1.0 - 1e-9, "{layout:?}");
            }
        }
    }

    #[test]
    fn a_cycle_and_nothing_at_all_are_laid_out_too() {
        let layout = lay_out(2, &[(Some(0), Some(1)), (Some(1), Some(0))]);
        assert_eq!(layout.lines.len(), 2);
        assert_eq!(lay_out(0, &[]).boxes.len(), 0);
        assert_eq!(lay_out(1, &[(None, Some(0)), (Some(0), None)]).columns, 2.0);
    }
}

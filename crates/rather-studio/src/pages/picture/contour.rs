//! Where a function on a grid has one value: marching squares, with straight lines between neighbours.

/// The contour of `values`, `width` a row, at `level`, as the path of an SVG whose units are the gaps of the grid; rows go upwards from `height - 1`.
///
/// # References
/// Lorensen and Cline, *Marching cubes* (SIGGRAPH 1987), in two dimensions.
pub(super) fn contour(values: &[f64], width: usize, level: f64) -> String {
    let height = values.len() / width.max(1);
    let mut path = String::new();
    for row in 0..height.saturating_sub(1) {
        for column in 0..width.saturating_sub(1) {
            // Corners against the clock, from the lower left.
            let corners = [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)];
            let crossings: Vec<(f64, f64)> = (0..4)
                .filter_map(|side| crossing(values, width, level, (corners[side], corners[(side + 1) % 4])))
                .collect();
            // Four of them are a saddle: neighbours in turn are joined.
            for pair in crossings.chunks_exact(2) {
                let up = |y: f64| (height - 1) as f64 - y;
                path +=
                    &format!("M{:.2} {:.2}L{:.2} {:.2}", pair[0].0, up(pair[0].1), pair[1].0, up(pair[1].1));
            }
        }
    }
    path
}

/// Where the level is crossed between two neighbours.
fn crossing(
    values: &[f64],
    width: usize,
    level: f64,
    (from, to): ((usize, usize), (usize, usize)),
) -> Option<(f64, f64)> {
    let value = |(x, y): (usize, usize)| values[y * width + x];
    let (a, b) = (value(from), value(to));
    if (a < level) == (b < level) {
        return None;
    }
    let share = (level - a) / (b - a);
    let along = |from: usize, to: usize| from as f64 + share * (to as f64 - from as f64);
    Some((along(from.0, to.0), along(from.1, to.1)))
}

#[cfg(test)]
mod tests {
    use super::contour;

    #[test]
    fn a_slope_is_cut_once_a_row() {
        // x + 0 y on a grid of 3 by 2: the level 0.5 is crossed half way between the first two columns.
        assert_eq!(contour(&[0.0, 1.0, 2.0, 0.0, 1.0, 2.0], 3, 0.5), "M0.50 1.00L0.50 0.00");
        assert_eq!(contour(&[0.0; 6], 3, 0.5), "");
        assert_eq!(contour(&[], 0, 0.5), "");
        // A saddle has two lines.
        assert_eq!(contour(&[1.0, 0.0, 0.0, 1.0], 2, 0.5).matches('M').count(), 2);
    }
}

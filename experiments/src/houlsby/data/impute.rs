//! Missing ratings, from the nearest neighbours.

/// Neighbours.
const K: usize = 10;

/// Fills every gap with the mean of the ten nearest rows that have the entry among them (mean squared distance over the
/// entries that both rows have); with the column's mean if none of the ten has it.
pub(super) fn nearest_neighbours(rows: &[Vec<Option<f64>>]) -> Vec<Vec<f64>> {
    let columns = rows.first().map_or(0, Vec::len);
    let column_means: Vec<f64> = (0..columns).map(|c| mean(rows.iter().filter_map(|r| r[c]))).collect();
    let fill = |at: usize| -> Vec<f64> {
        let own = &rows[at];
        if own.iter().all(Option::is_some) {
            return own.iter().flatten().copied().collect();
        }
        let mut others: Vec<(f64, usize)> = (0..rows.len())
            .filter(|&i| i != at)
            .map(|i| (distance(own, &rows[i]), i))
            .filter(|(d, _)| d.is_finite())
            .collect();
        others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        others.truncate(K);
        let imputed = |c: usize| {
            let known: Vec<f64> = others.iter().filter_map(|&(_, i)| rows[i][c]).collect();
            if known.is_empty() { column_means[c] } else { mean(known.into_iter()) }
        };
        (0..columns).map(|c| own[c].unwrap_or_else(|| imputed(c))).collect()
    };
    (0..rows.len()).map(fill).collect()
}

fn distance(a: &[Option<f64>], b: &[Option<f64>]) -> f64 {
    mean(a.iter().zip(b).filter_map(|(x, y)| Some((*x)? - (*y)?)).map(|d| d * d))
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0.0), |(s, n), x| (s + x, n + 1.0));
    sum / n
}

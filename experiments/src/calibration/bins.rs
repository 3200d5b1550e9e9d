//! Stated against true probabilities, in bins.

/// Where the bins begin.
const BINS: [f64; 8] = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99];
/// Fewer pairs than this say little about a bin.
const LEAST: usize = 500;

/// A pair's stated and true probabilities, of the item that is stated to be the likelier.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stated {
    stated: f64,
    truth: f64,
}

impl Stated {
    /// Of the first item of a pair.
    pub(super) fn new(stated: f64, truth: f64) -> Self {
        if stated >= 0.5 { Self { stated, truth } } else { Self { stated: 1.0 - stated, truth: 1.0 - truth } }
    }

    /// The expected log loss of the stated probability.
    fn loss(&self) -> f64 {
        -self.truth * self.stated.ln() - (1.0 - self.truth) * (1.0 - self.stated).max(f64::MIN_POSITIVE).ln()
    }
}

/// The pairs of one bin.
pub(super) struct Bin {
    pub(super) pairs: usize,
    pub(super) stated: f64,
    pub(super) truth: f64,
}

pub(super) fn bins(all: &[Stated]) -> Vec<Bin> {
    let of = |k: usize| {
        let until = BINS.get(k + 1).copied().unwrap_or(f64::INFINITY);
        let held: Vec<&Stated> = all.iter().filter(|s| (BINS[k]..until).contains(&s.stated)).collect();
        let mean = |of: fn(&Stated) -> f64| held.iter().map(|s| of(s)).sum::<f64>() / held.len() as f64;
        Bin { pairs: held.len(), stated: mean(|s| s.stated), truth: mean(|s| s.truth) }
    };
    (0..BINS.len()).map(of).collect()
}

/// Stated less true probability in the bin where they differ most, of those with enough pairs; `-` if none has.
pub(super) fn worst(bins: &[Bin]) -> String {
    let off = bins.iter().filter(|b| b.pairs >= LEAST).map(|b| b.stated - b.truth);
    off.max_by(|a, b| a.abs().total_cmp(&b.abs())).map_or("-".into(), |off| format!("{off:+.3}"))
}

/// The mean of the expected log losses.
pub(super) fn log_loss(all: &[Stated]) -> f64 {
    all.iter().map(Stated::loss).sum::<f64>() / all.len() as f64
}

/// Prints the bins below the row of a table of so many columns.
pub(super) fn print(bins: &[Bin], columns: usize) {
    for Bin { pairs, stated, truth } in bins {
        println!(
            "| | {pairs} pairs: stated {stated:.3}, true {truth:.3}, {:+.3}{}",
            stated - truth,
            " |".repeat(columns - 1)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_counted_in_their_bins() {
        let found = bins(&[Stated::new(0.5, 0.4), Stated::new(0.41, 0.4), Stated::new(0.995, 1.0)]);
        assert_eq!(found.iter().map(|b| b.pairs).collect::<Vec<_>>(), [2, 0, 0, 0, 0, 0, 0, 1]);
        assert!((found[0].stated - 0.545).abs() < 1e-12 && (found[0].truth - 0.5).abs() < 1e-12);
        assert_eq!(worst(&found), "-");
        let many = [Stated::new(0.75, 0.5); LEAST];
        assert_eq!(worst(&bins(&many)), "+0.250");
    }
}

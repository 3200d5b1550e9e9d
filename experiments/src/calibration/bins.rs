//! Stated against true probabilities, in bins, with standard errors.

use std::collections::HashMap;
use std::hash::Hash;

/// Where the bins begin.
const BINS: [f64; 8] = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99];
/// Fewer pairs than this say little about a bin.
const LEAST: usize = 500;

/// What else a stated probability may depend on, by their numbers: those of one of either kind may depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Clusters {
    /// A simulated world.
    World(usize),
    /// A pair of items of a table that is asked about often.
    Pair(usize),
    /// A user, and a pair that others are asked about, too.
    UserAndPair(usize, usize),
}

/// A pair's stated and true probabilities, of the item that is stated to be the likelier.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stated {
    stated: f64,
    truth: f64,
    by: Clusters,
}

impl Stated {
    /// Of the first item of a pair.
    pub(super) fn new(stated: f64, truth: f64, by: Clusters) -> Self {
        let (stated, truth) = if stated >= 0.5 { (stated, truth) } else { (1.0 - stated, 1.0 - truth) };
        Self { stated, truth, by }
    }

    fn off(&self) -> f64 {
        self.stated - self.truth
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
    /// The standard error of their difference.
    error: f64,
}

impl Bin {
    fn off(&self) -> f64 {
        self.stated - self.truth
    }
}

/// The standard error of the mean difference of stated and true probabilities, which are independent between clusters only.
///
/// # Formula
/// The square root of $V=\frac1{n^2}\frac C{C-1}\sum_c\big(\sum_{i\in c}(d_i-\bar d)\big)^2$ of $n$ differences $d_i$ in $C$ clusters. By users and pairs it is
/// $V_\text{user}+V_\text{pair}-V_\text{both}$ (Cameron, Gelbach and Miller 2011), or the largest of them where that is smaller.
fn standard_error(held: &[&Stated]) -> f64 {
    let user = variance(held, |s| match s.by {
        Clusters::UserAndPair(user, _) => Clusters::UserAndPair(user, 0),
        other => other,
    });
    let pair = variance(held, |s| match s.by {
        Clusters::UserAndPair(_, pair) => Clusters::UserAndPair(0, pair),
        other => other,
    });
    let both = variance(held, |s| s.by);
    (user + pair - both).max(user).max(pair).sqrt()
}

fn variance<K: Hash + Eq>(held: &[&Stated], cluster: impl Fn(&Stated) -> K) -> f64 {
    let n = held.len() as f64;
    let mean = held.iter().map(|s| s.off()).sum::<f64>() / n;
    let mut sums: HashMap<K, f64> = HashMap::new();
    held.iter().for_each(|s| *sums.entry(cluster(s)).or_default() += s.off() - mean);
    let clusters = sums.len() as f64;
    // In the order of their sizes, for the same sum every time.
    let mut squares: Vec<f64> = sums.values().map(|sum| sum * sum).collect();
    squares.sort_by(f64::total_cmp);
    clusters / (clusters - 1.0) * squares.iter().sum::<f64>() / (n * n)
}

pub(super) fn bins(all: &[Stated]) -> Vec<Bin> {
    let of = |k: usize| {
        let until = BINS.get(k + 1).copied().unwrap_or(f64::INFINITY);
        let held: Vec<&Stated> = all.iter().filter(|s| (BINS[k]..until).contains(&s.stated)).collect();
        let mean = |of: fn(&Stated) -> f64| held.iter().map(|s| of(s)).sum::<f64>() / held.len() as f64;
        let error = standard_error(&held);
        Bin { pairs: held.len(), stated: mean(|s| s.stated), truth: mean(|s| s.truth), error }
    };
    (0..BINS.len()).map(of).collect()
}

/// Stated less true probability in the bin where they differ most, of those with enough pairs, and its standard error; `-` if none has.
pub(super) fn worst(bins: &[Bin]) -> String {
    let enough = bins.iter().filter(|b| b.pairs >= LEAST);
    let worst = enough.max_by(|a, b| a.off().abs().total_cmp(&b.off().abs()));
    worst.map_or("-".into(), |bin| format!("{:+.3} ± {:.3}", bin.off(), bin.error))
}

/// The mean of the expected log losses.
pub(super) fn log_loss(all: &[Stated]) -> f64 {
    all.iter().map(Stated::loss).sum::<f64>() / all.len() as f64
}

/// Prints the bins below the row of a table of so many columns.
pub(super) fn print(bins: &[Bin], columns: usize) {
    for bin in bins {
        let Bin { pairs, stated, truth, error } = bin;
        let cells = " |".repeat(columns - 1);
        println!(
            "| | {pairs} pairs: stated {stated:.3}, true {truth:.3}, {:+.3} ± {error:.3}{cells}",
            bin.off()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::Clusters::{UserAndPair, World};
    use super::*;

    #[test]
    fn probabilities_are_counted_in_their_bins() {
        let found = bins(&[
            Stated::new(0.5, 0.4, World(0)),
            Stated::new(0.41, 0.4, World(1)),
            Stated::new(0.995, 1.0, World(2)),
        ]);
        assert_eq!(found.iter().map(|b| b.pairs).collect::<Vec<_>>(), [2, 0, 0, 0, 0, 0, 0, 1]);
        assert!((found[0].stated - 0.545).abs() < 1e-12 && (found[0].truth - 0.5).abs() < 1e-12);
        assert_eq!(worst(&found), "-");
        let many: Vec<Stated> = (0..LEAST).map(|i| Stated::new(0.75, 0.5, World(i))).collect();
        assert_eq!(worst(&bins(&many)), "+0.250 ± 0.000");
    }

    /// Of independent differences the usual standard error; where all of a cluster are the same, that of one a cluster.
    #[test]
    fn what_depends_on_each_other_is_counted_once() {
        let truth = |i: usize| f64::from(u8::from(i.is_multiple_of(4)));
        let error = |size: usize, by: fn(usize, usize) -> Clusters| {
            let of = |i: usize| Stated::new(0.75, truth(i / size), by(i / size, i));
            let all: Vec<Stated> = (0..1200).map(of).collect();
            standard_error(&all.iter().collect::<Vec<_>>())
        };
        for size in [1, 3, 10] {
            let clusters = (1200 / size) as f64;
            let expected = (0.25 * 0.75 / (clusters - 1.0)).sqrt();
            let of_users: fn(usize, usize) -> Clusters = UserAndPair;
            let of_pairs: fn(usize, usize) -> Clusters = |cluster, each| UserAndPair(each, cluster);
            let of_worlds: fn(usize, usize) -> Clusters = |cluster, _| World(cluster);
            for by in [of_worlds, of_users, of_pairs] {
                let found = error(size, by);
                assert!((found / expected - 1.0).abs() < 1e-12, "{size}: {found} {expected}");
            }
        }
    }
}

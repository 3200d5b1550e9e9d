//! How much Markov chains have said, and whether they agree.

use rather_numerics::order;
use rather_numerics::special::normal;

/// The number of independent draws whose mean would be as good as that of `chains` (of equal length, at least 4 draws each).
///
/// # Formula
/// With every chain split into halves of length $n$, $W$ the mean of their variances and $V=\frac{n-1}nW+$ the variance
/// of their means, the autocorrelation at lag $l$ is $\rho_l=1-(W-\text{mean autocovariance}_ l)/V$. The sums
/// $P_k=\rho_{2k}+\rho_{2k+1}$ are added up while they are positive, each cut to the one before (Geyer's initial monotone
/// sequence): $\tau=-1+2\sum P_k$, and the effective size is all draws divided by $\tau$, at most $N\log_{10}N$.
/// A quantity that does not vary counts all its draws.
///
/// # References
/// Geyer, *Practical Markov chain Monte Carlo* (1992), section 3.3; Vehtari et al., *Rank-normalization, folding, and
/// localization: an improved R-hat* (2021), Bayesian Analysis 16, section 3.2, doi:10.1214/20-BA1221.
pub fn effective_samples(chains: &[Vec<f64>]) -> f64 {
    let halves = split(chains);
    let total = halves.iter().map(Vec::len).sum::<usize>() as f64;
    let Some(n) = halves.first().map(Vec::len).filter(|&n| n >= 2) else { return total };
    let Spread { within, pooled, .. } = spread(&halves);
    if pooled.is_nan() || pooled <= 0.0 {
        return total;
    }
    let centred: Vec<Vec<f64>> = halves.iter().map(|h| centre(h)).collect();
    let correlation = |lag: usize| {
        let products = |x: &Vec<f64>| rather_numerics::linalg::dot(&x[..n - lag], &x[lag..]) / n as f64;
        1.0 - (within - centred.iter().map(products).sum::<f64>() / halves.len() as f64) / pooled
    };
    // Lag 0 is 1 by definition.
    let mut pair = 1.0 + correlation(1);
    let mut sum = pair;
    let mut lag = 2;
    while lag + 1 < n {
        let next = correlation(lag) + correlation(lag + 1);
        if next <= 0.0 {
            break;
        }
        pair = next.min(pair);
        sum += pair;
        lag += 2;
    }
    let tau = (2.0 * sum - 1.0).max(1.0 / total.log10());
    total / tau
}

/// The mean of all draws.
pub fn mean(chains: &[Vec<f64>]) -> f64 {
    let n: usize = chains.iter().map(Vec::len).sum();
    chains.iter().flatten().sum::<f64>() / n as f64
}

/// The standard error of the mean: the standard deviation by the root of the effective draws.
pub fn standard_error(chains: &[Vec<f64>]) -> f64 {
    let (mean, n) = (mean(chains), chains.iter().map(Vec::len).sum::<usize>());
    let squares: f64 = chains.iter().flatten().map(|x| (x - mean).powi(2)).sum();
    (squares / n as f64 / effective_samples(chains)).sqrt()
}

/// Split R-hat, the larger of that of the ranks and that of the ranks of distances from the median, both made normal:
/// near 1 if the chains agree; above 1.01 they have not mixed.
///
/// # Formula
/// $\sqrt{V/W}$ of [`effective_samples`], on $\Phi^{-1}\big((\text{rank}-\frac38)/(N+\frac14)\big)$.
///
/// # References
/// Vehtari et al. (2021), section 4.1.
pub fn r_hat(chains: &[Vec<f64>]) -> f64 {
    let halves = split(chains);
    let mut all: Vec<f64> = halves.concat();
    all.sort_unstable_by(f64::total_cmp);
    let Some(&median) = all.get(all.len() / 2) else { return f64::NAN };
    let folded: Vec<Vec<f64>> =
        halves.iter().map(|h| h.iter().map(|x| (x - median).abs()).collect()).collect();
    [&halves, &folded].into_iter().map(|x| plain_r_hat(&normal_scores(x))).fold(1.0, f64::max)
}

fn plain_r_hat(halves: &[Vec<f64>]) -> f64 {
    let Spread { within, pooled, between } = spread(halves);
    if between == 0.0 { 1.0 } else { (pooled / within).sqrt() }
}

/// Variances of several chains of one length.
struct Spread {
    /// The mean variance within a chain.
    within: f64,
    /// The variance of the chains' means.
    between: f64,
    /// The estimate of the whole variance.
    pooled: f64,
}

fn spread(chains: &[Vec<f64>]) -> Spread {
    let count = chains.len() as f64;
    let n = chains.first().map_or(0, Vec::len) as f64;
    let within = chains.iter().map(|c| sample_variance(c)).sum::<f64>() / count;
    let means: Vec<f64> = chains.iter().map(|c| c.iter().sum::<f64>() / n).collect();
    let between = if chains.len() > 1 { sample_variance(&means) } else { 0.0 };
    Spread { within, between, pooled: within * (n - 1.0) / n + between }
}

/// Both halves of every chain; of an odd number of draws the middle one is left out.
fn split(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let halves = |c: &Vec<f64>| {
        let n = c.len() / 2;
        [c[..n].to_vec(), c[c.len() - n..].to_vec()]
    };
    chains.iter().flat_map(halves).collect()
}

fn centre(x: &[f64]) -> Vec<f64> {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    x.iter().map(|x| x - mean).collect()
}

fn sample_variance(x: &[f64]) -> f64 {
    let centred = centre(x);
    rather_numerics::linalg::dot(&centred, &centred) / (x.len() as f64 - 1.0)
}

/// Normal quantiles of the ranks among all draws; equal draws share their mean rank.
fn normal_scores(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut order: Vec<(f64, usize, usize)> = chains
        .iter()
        .enumerate()
        .flat_map(|(c, chain)| chain.iter().enumerate().map(move |(i, &x)| (x, c, i)))
        .collect();
    order::sort_ascending(&mut order, |(x, ..)| *x);
    let total = order.len() as f64;
    let mut out: Vec<Vec<f64>> = chains.iter().map(|c| vec![0.0; c.len()]).collect();
    let mut first = 0;
    for ties in order.chunk_by(|a, b| a.0 == b.0) {
        let rank = first as f64 + 0.5 * (ties.len() as f64 + 1.0);
        let score = normal::quantile((rank - 0.375) / (total + 0.25));
        for &(_, chain, i) in ties {
            out[chain][i] = score;
        }
        first += ties.len();
    }
    out
}

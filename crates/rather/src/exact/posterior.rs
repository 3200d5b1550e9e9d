//! The exact posterior over utilities, as a mixture of Gaussians over draws.

use super::diagnostics::{effective_samples, mean, r_hat, standard_error};
use super::differences::NoisyDifferences;
use super::ep_slice::EpSlice;
use super::orthant::{self, LogProbability};
use super::report::Report;
use super::sampling::{self, Drawn};
use super::settings::ExactSettings;
use crate::Error;
use crate::evidence::{Evidence, Problem};
use crate::inference::Method;
use crate::inference::Settings;
use crate::inference::prior::Absorbed;
use crate::inference::sites::Sites;
use crate::kernel::Kernel;
use crate::linalg::{
    Matrix, TriangularFeatures, axpy, cholesky, dot, solve_lower, solve_lower_transposed_vec,
    squared_distance, transpose_product,
};
use crate::points::Points;
use crate::posterior::{Moments, Posterior};
use crate::random::{normals, stream};
use crate::special::normal;
use crate::watch::Steps;
use crate::{parallel, watch};

/// The exact posterior: the Gaussian posterior of the utilities given each draw of the noisy differences, averaged.
///
/// Averages are taken over these Gaussians and not over draws of utilities (Rao and Blackwell), so that only the noisy
/// differences contribute Monte Carlo error:
/// `E f = mean of m_s`, `cov f = C + cov of m_s`, `P(left preferred) = mean of Phi(m_s / sqrt(s^2 + v))`, where the
/// Gaussians' covariance `C` is the same for all draws `s`.
#[derive(Debug, Clone)]
pub struct ExactPosterior {
    /// The Gaussian with the exact posterior's means and covariances.
    gaussian: Posterior,
    kernel: Kernel,
    differences: NoisyDifferences,
    /// [`NoisyDifferences::sums`] of each draw, one a column; one matrix a chain.
    sums: Vec<Matrix>,
    /// `R^-1 P y / s^2` of each draw, one a column; one matrix a chain.
    chains: Vec<Matrix>,
    report: Report,
    settings: ExactSettings,
}

impl ExactPosterior {
    /// Samples the posterior of `problem` under `kernel` and a noise of standard deviation `noise` an item. The problem's
    /// own method is not used.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a noise that is not positive, or settings out of range; [`Error::ExactSize`] for too
    /// many comparisons; [`Error::Acceptance`] if minimax tilting was asked for and is hopeless;
    /// [`Error::Covariance`] and [`Error::Inference`] as [`Problem::evaluate`].
    pub fn new(
        problem: &Problem<'_>,
        kernel: Kernel,
        noise: f64,
        settings: &ExactSettings,
    ) -> Result<Self, Error> {
        settings.check()?;
        // EP is where the chains start; it need not have converged.
        let problem = Problem { method: Method::Ep, ..problem.clone() };
        let evidence = problem.evaluate(&kernel, noise, None, &Settings::default())?;
        let differences = NoisyDifferences::new(&evidence.prior, &problem.observations.merged, noise)?;
        let around = EpSlice::new(&problem.observations.merged, &evidence.outcome);
        let Drawn { sampler, chains: drawn, acceptance } = sampling::draw(&differences, &around, settings)?;
        let sums = parallel::map(drawn.len(), 1, |chain| by_column(&drawn[chain], |y| differences.sums(y)));
        let report = Report {
            sampler,
            draws: drawn.iter().map(Matrix::cols).sum(),
            acceptance,
            effective_samples: f64::NAN,
            effective_differences: f64::NAN,
            r_hat: f64::NAN,
        };
        let mut out = Self::assemble(&problem, kernel, noise, evidence, differences, sums, report, settings)?;
        out.judge(problem.points, &drawn);
        Ok(out)
    }

    /// The posterior again from what a file holds of it: the sites of expectation propagation, how the draws were made
    /// and judged, and [`ExactPosterior::sums`].
    ///
    /// # Errors
    /// [`Error::ModelParts`] if the sums are not as many as the settings say; else as [`ExactPosterior::new`].
    pub fn restore(
        problem: &Problem<'_>,
        kernel: Kernel,
        noise: f64,
        sites: &Sites,
        sums: &[f64],
        report: Report,
        settings: &ExactSettings,
    ) -> Result<Self, Error> {
        settings.check()?;
        let edges = problem.observations.edges.len();
        let (chains, kept) = (settings.chains, settings.kept());
        let needed = chains.checked_mul(kept).and_then(|draws| draws.checked_mul(edges));
        if needed != Some(sums.len()) || report.draws.checked_mul(edges) != needed {
            return Err(Error::ModelParts { what: "the number of draws differs from its settings" });
        }
        let problem = Problem { method: Method::Ep, ..problem.clone() };
        let as_saved = Settings { sweeps: 0, sequential_sweeps: 0, ..Settings::default() };
        let evidence = problem.evaluate(&kernel, noise, Some(sites), &as_saved)?;
        let differences = NoisyDifferences::new(&evidence.prior, &problem.observations.merged, noise)?;
        let chain = |chain: usize| {
            Matrix::from_fn(edges, kept, |edge, draw| sums[(chain * kept + draw) * edges + edge])
        };
        let sums = (0..chains).map(chain).collect();
        Self::assemble(&problem, kernel, noise, evidence, differences, sums, report, settings)
    }

    #[allow(clippy::too_many_arguments)] // Private: the fields, nearly.
    fn assemble(
        problem: &Problem<'_>,
        kernel: Kernel,
        noise: f64,
        mut evidence: Evidence,
        differences: NoisyDifferences,
        sums: Vec<Matrix>,
        report: Report,
        settings: &ExactSettings,
    ) -> Result<Self, Error> {
        let half = |sums: &Matrix| by_column(sums, |sums| differences.half_mean_of_sums(sums));
        let chains: Vec<Matrix> = parallel::map(sums.len(), 1, |chain| half(&sums[chain]));
        watch::check()?;
        let (factor, weights) = matched(&differences, &chains).ok_or(Error::Inference)?;
        let posterior = std::mem::take(&mut evidence.outcome.posterior);
        evidence.outcome.posterior = Absorbed { factor, weights, ..posterior };
        let gaussian = Posterior::new(problem, kernel.clone(), noise, evidence);
        Ok(Self { gaussian, kernel, differences, sums, chains, report, settings: *settings })
    }

    fn judge(&mut self, points: &Points, drawn: &[Matrix]) {
        let shrunk = self.shrunk(&self.gaussian.embed(points).features);
        let of_utilities = worst(shrunk.cols(), |i| self.means(shrunk.col(i)));
        let row = |m: usize, y: &Matrix| (0..y.cols()).map(|j| y[(m, j)]).collect();
        let of_differences = worst(self.differences.len(), |m| drawn.iter().map(|y| row(m, y)).collect());
        self.report.effective_samples = of_utilities.0;
        self.report.effective_differences = of_differences.0;
        // Chains that stand still have an infinite one, which a file cannot hold.
        self.report.r_hat = of_utilities.1.max(of_differences.1).min(f64::MAX);
    }

    /// How sampling went.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// How the draws were made.
    pub fn settings(&self) -> &ExactSettings {
        &self.settings
    }

    /// The draws as a file holds them: [`NoisyDifferences::sums`], draw by draw. All else follows from them, in any
    /// representation of the prior.
    pub fn sums(&self) -> Vec<f64> {
        self.sums.iter().flat_map(|chain| chain.data()).copied().collect()
    }

    /// Effective draws of the compared item whose mean utility has the fewest.
    pub fn effective_samples(&self) -> f64 {
        self.report.effective_samples
    }

    /// The largest split R-hat; above 1.01 the chains have not mixed.
    pub fn r_hat(&self) -> f64 {
        self.report.r_hat
    }

    /// The Gaussian with the exact means and covariances; its probabilities are not the exact ones.
    pub fn gaussian(&self) -> &Posterior {
        &self.gaussian
    }

    /// As [`Posterior::utilities`].
    pub fn utilities(&self, points: &Points) -> Moments {
        self.gaussian.utilities(points)
    }

    /// As [`Posterior::relative_utilities`].
    pub fn relative_utilities(&self, points: &Points, reference: &Points) -> Moments {
        self.gaussian.relative_utilities(points, reference)
    }

    /// As [`Posterior::covariance`].
    pub fn covariance(&self, points: &Points) -> Matrix {
        self.gaussian.covariance(points)
    }

    /// As [`Posterior::differences`].
    pub fn differences(&self, points: &Points, pairs: &[(usize, usize)]) -> Moments {
        self.gaussian.differences(points, pairs)
    }

    /// As [`Posterior::difference_covariance`].
    pub fn difference_covariance(&self, points: &Points, pairs: &[(usize, usize)]) -> Matrix {
        self.gaussian.difference_covariance(points, pairs)
    }

    /// The probability that the left item of each pair is preferred: the average over the draws.
    ///
    /// Where every draw is far on one side, the average rounds to 0 or 1, though the posterior has a tail beyond the draws. It is kept
    /// at least as far from 0 and 1 as one draw more from the Gaussian with the posterior's moments would bring it: with $S$ draws and
    /// the Gaussian's probability $g$, from $g/(S+1)$ to $1-(1-g)/(S+1)$, which moves it by less than one draw can.
    pub fn probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        let averages = self.choices(points, pairs, |chains| mean(&chains));
        self.with_tails(averages, points, pairs)
    }

    fn with_tails(&self, averages: Vec<f64>, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        let weight = 1.0 / (self.report.draws as f64 + 1.0);
        let gaussian = self.gaussian.probabilities(points, pairs);
        let one = |(average, g): (f64, f64)| {
            // What is nearer to 1 than numbers are to each other is the last number below it.
            let (least, most) = (weight * g, (1.0 - weight * (1.0 - g)).min(1.0 - 0.5 * f64::EPSILON));
            if average > most { most } else { f64::max(least, f64::MIN_POSITIVE).max(average) }
        };
        averages.into_iter().zip(gaussian).map(one).collect()
    }

    /// The Monte Carlo standard errors of [`ExactPosterior::probabilities`].
    pub fn probability_errors(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        self.choices(points, pairs, |chains| standard_error(&chains))
    }

    /// [`ExactPosterior::probabilities`], each with its Monte Carlo standard error, in one pass.
    pub fn probabilities_and_errors(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<(f64, f64)> {
        let (averages, errors): (Vec<f64>, Vec<f64>) = self
            .choices(points, pairs, |chains| (mean(&chains), standard_error(&chains)))
            .into_iter()
            .unzip();
        self.with_tails(averages, points, pairs).into_iter().zip(errors).collect()
    }

    /// The Monte Carlo standard errors of [`ExactPosterior::utilities`]: of the means and of the variances.
    pub fn utility_errors(&self, points: &Points) -> Moments {
        self.moment_errors(&self.shrunk(&self.gaussian.embed(points).features))
    }

    /// The Monte Carlo standard errors of [`ExactPosterior::relative_utilities`].
    pub fn relative_utility_errors(&self, points: &Points, reference: &Points) -> Moments {
        let [mut shrunk, reference] =
            [points, reference].map(|points| self.shrunk(&self.gaussian.embed(points).features));
        let average = reference.times(&vec![1.0 / reference.cols() as f64; reference.cols()]);
        for i in 0..shrunk.cols() {
            axpy(-1.0, &average, shrunk.col_mut(i));
        }
        self.moment_errors(&shrunk)
    }

    fn moment_errors(&self, shrunk: &Matrix) -> Moments {
        let errors = |i: usize| {
            if watch::ends() {
                return (f64::NAN, f64::NAN);
            }
            let means = self.means(shrunk.col(i));
            let centre = mean(&means);
            let squares: Vec<Vec<f64>> =
                means.iter().map(|c| c.iter().map(|m| (m - centre).powi(2)).collect()).collect();
            (standard_error(&means), standard_error(&squares))
        };
        let (mean, variance) = parallel::map(shrunk.cols(), 1, errors).into_iter().unzip();
        Moments { mean, variance }
    }

    /// Joint draws of the utilities of `points`: `points x n`. Draws beyond [`Report::draws`] use the sampled
    /// differences again.
    ///
    /// # Errors
    /// [`Error::Covariance`] if the kernel's covariance is not finite.
    pub fn samples(&self, points: &Points, n: usize) -> Result<Matrix, Error> {
        let features = self.gaussian.embed(points).features;
        let shrunk = self.shrunk(&features);
        let rest = self.unexplained(points, &features)?;
        let mut rng = stream(self.settings.seed, u64::MAX);
        let mut out = Matrix::zeros(points.len(), n);
        let draws = self.report.draws;
        let steps = Steps::start("drawing", n);
        for j in (0..n).take_while(|_| !watch::ends()) {
            steps.add(1);
            // Few draws are taken from all over the chains.
            let mut half = self.draw(if n <= draws { j * draws / n } else { j % draws }).to_vec();
            for (h, e) in half.iter_mut().zip(normals(self.differences.rank(), &mut rng)) {
                *h += e;
            }
            let noise = normals(rest.rows(), &mut rng);
            for (i, f) in out.col_mut(j).iter_mut().enumerate() {
                *f = dot(shrunk.col(i), &half) + dot(rest.col(i), &noise);
            }
        }
        Ok(out)
    }

    /// The log evidence and its standard error, as an orthant probability; computed anew by each call.
    ///
    /// # Errors
    /// As [`orthant::log_probability`].
    pub fn log_evidence(&self) -> Result<LogProbability, Error> {
        orthant::log_probability(&self.differences.covariance(), &self.settings.quadrature)
    }

    /// `R^-1 phi` with `R` the factor of the Gaussians' precision.
    fn shrunk(&self, features: &Matrix) -> Matrix {
        let mut out = features.clone();
        solve_lower(self.differences.factor(), &mut out);
        out
    }

    /// Draw number `index`, over all chains.
    fn draw(&self, index: usize) -> &[f64] {
        let kept = self.settings.kept();
        self.chains[index / kept].col(index % kept)
    }

    /// The Gaussians' means of the quantity with `shrunk` features, chain by chain.
    fn means(&self, shrunk: &[f64]) -> Vec<Vec<f64>> {
        self.chains.iter().map(|half| half.transpose_times(shrunk)).collect()
    }

    /// Some statistic of the choice probabilities given each draw, for each pair.
    fn choices<T: Send>(
        &self,
        points: &Points,
        pairs: &[(usize, usize)],
        statistic: impl Fn(Vec<Vec<f64>>) -> T + Sync,
    ) -> Vec<T> {
        let features = self.gaussian.embed(points).features;
        let shrunk = self.shrunk(&features);
        let own = self.kernel.diagonal(points);
        let s2 = self.differences.s() * self.differences.s();
        let choice = |(a, b): (usize, usize)| {
            let k_ab = self.kernel.cross(&points.select(&[a]), &points.select(&[b]))[(0, 0)];
            let explained = squared_distance(features.col(a), features.col(b));
            let rest = (own[a] + own[b] - 2.0 * k_ab - explained).max(0.0);
            let p: Vec<f64> = shrunk.col(a).iter().zip(shrunk.col(b)).map(|(a, b)| a - b).collect();
            let scale = (s2 + rest + dot(&p, &p)).sqrt();
            let mut chains = self.means(&p);
            chains.iter_mut().flatten().for_each(|m| *m = normal::cdf(*m / scale));
            chains
        };
        // What the statistic of no draws is does not matter: the call ends.
        let steps = Steps::start("probabilities", pairs.len());
        parallel::map(pairs.len(), 1, |i| {
            steps.add(1);
            statistic(if watch::ends() { Vec::new() } else { choice(pairs[i]) })
        })
    }

    /// Features of what the prior's features leave of the covariance of `points`, which the data say nothing about.
    fn unexplained(&self, points: &Points, features: &Matrix) -> Result<Matrix, Error> {
        let mut c = self.kernel.matrix(points);
        let explained = transpose_product(features, features);
        for (c, e) in c.data_mut().iter_mut().zip(explained.data()) {
            *c -= e;
        }
        for i in 0..points.len() {
            c[(i, i)] = c[(i, i)].max(0.0);
        }
        let TriangularFeatures { features, order } = TriangularFeatures::new(c).ok_or(Error::Covariance)?;
        let mut out = Matrix::zeros(features.rows(), points.len());
        for (column, &item) in order.iter().enumerate() {
            out.col_mut(item).copy_from_slice(features.col(column));
        }
        Ok(out)
    }
}

/// `f` of each column, as a column.
fn by_column(draws: &Matrix, f: impl Fn(&[f64]) -> Vec<f64>) -> Matrix {
    let columns: Vec<Vec<f64>> = (0..draws.cols()).map(|j| f(draws.col(j))).collect();
    Matrix::from_fn(columns.first().map_or(0, Vec::len), draws.cols(), |i, j| columns[j][i])
}

/// The Gaussian over `w` with the mixture's mean and covariance: a lower triangle `T` with
/// `cov w = T^-T T^-1`, and the mean.
///
/// In terms of `h = R' w` the covariance is `K = I + cov of the halves`, never smaller than `I`. With `K = U U'`, `U` an
/// upper triangle (Cholesky from the last row up), `T = R U^-T`.
fn matched(differences: &NoisyDifferences, chains: &[Matrix]) -> Option<(Matrix, Vec<f64>)> {
    let rank = differences.rank();
    let draws: usize = chains.iter().map(Matrix::cols).sum();
    let columns = || chains.iter().flat_map(|c| (0..c.cols()).map(move |j| c.col(j)));
    let mut mean = vec![0.0; rank];
    for half in columns() {
        mean.iter_mut().zip(half).for_each(|(m, h)| *m += h / draws as f64);
    }
    let scale = 1.0 / (draws as f64).sqrt();
    let mut centred = Matrix::zeros(draws, rank);
    for (j, half) in columns().enumerate() {
        for k in 0..rank {
            // In reverse, for the factorisation from the last row up.
            centred[(j, rank - 1 - k)] = scale * (half[k] - mean[k]);
        }
    }
    let mut spread = transpose_product(&centred, &centred);
    spread.add_diagonal(1.0);
    if !cholesky(&mut spread) {
        return None;
    }
    let r = differences.factor();
    let last = rank.wrapping_sub(1);
    let mut reversed = Matrix::from_fn(rank, rank, |i, j| if j >= last - i { r[(j, last - i)] } else { 0.0 });
    solve_lower(&spread, &mut reversed);
    let factor = Matrix::from_fn(rank, rank, |j, i| if j >= i { reversed[(last - i, j)] } else { 0.0 });
    solve_lower_transposed_vec(r, &mut mean);
    Some((factor, mean))
}

/// The fewest effective draws and the largest R-hat among `n` quantities.
fn worst(n: usize, chains: impl Fn(usize) -> Vec<Vec<f64>> + Sync) -> (f64, f64) {
    let steps = Steps::start("judging draws", n);
    let each = parallel::map(n, 1, |i| {
        steps.add(1);
        if watch::ends() {
            return (f64::NAN, f64::NAN);
        }
        let chains = chains(i);
        (effective_samples(&chains), r_hat(&chains))
    });
    each.into_iter().fold((f64::INFINITY, 1.0), |(e, r), (ei, ri)| (e.min(ei), r.max(ri)))
}

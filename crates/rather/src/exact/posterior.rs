//! The exact posterior over utilities, as an average over draws.

use super::chains::Length;
use super::diagnostics::{mean, standard_error};
use super::differences::{self, NoisyDifferences};
use super::ep_slice::EpSlice;
use super::matched::matched;
use super::orthant::{self, LogProbability};
use super::report::{Report, worst};
use super::responses::PairResponse;
use super::sampling::{self, Drawn};
use super::settings::{ExactSettings, Sampler};
use super::weights;
use crate::Error;
use crate::comparisons::Edge;
use crate::evidence::{Evidence, Problem};
use crate::inference::Method;
use crate::inference::Settings;
use crate::inference::prior::Absorbed;
use crate::inference::sites::Sites;
use crate::kernel::Kernel;
use crate::likelihood::{AnswerIndex, Likelihoods, Link, Preference, Values};
use crate::points::Points;
use crate::posterior::{Asked, Moments, Posterior, of_moments};
use rather_numerics::linalg::{
    Matrix, TriangularFeatures, axpy, dot, solve_lower, squared_distance, transpose_product,
};
use rather_numerics::random::{normals, stream};
use rather_numerics::watch::Steps;
use rather_numerics::{parallel, watch};

/// The exact posterior under answers of any kind.
///
/// Behind plain comparisons and orders of sets stand noisy differences, given which the utilities are Gaussian. Averages are taken over these Gaussians and not
/// over draws of utilities (Rao and Blackwell), so that only the noisy differences contribute Monte Carlo error:
/// `E f = mean of m_s`, `cov f = C + cov of m_s`, `P(left preferred) = mean of Phi(m_s / sqrt(s^2 + v))`, where the
/// Gaussians' covariance `C` is the same for all draws `s`. Under other answers the utilities of the items answered about are drawn
/// themselves, and `C` is what the prior leaves of the others'.
///
/// # Examples
/// ```
/// use rather::answers::{Answer, Answers};
/// use rather::evidence::Problem;
/// use rather::exact::{ExactPosterior, ExactSettings};
/// use rather::inference::Method;
/// use rather::inference::observations::Observations;
/// use rather::kernel::{Schema, parse};
/// use rather::likelihood::ResponseModel;
/// use rather::points::Points;
///
/// let kernel = parse("se", &Schema { names: vec!["x".into()], categorical: vec![false], context: 0 }, false)?;
/// let points = Points::from_rows(&[[0.0], [0.5], [1.0]]);
/// let answers = [Answer::tie(0, 1), Answer::better(2, 0, 1), Answer::rated(1, 2), Answer::rated(0, 0)];
/// let observations = Observations::of(&Answers::from(&answers), &[], ResponseModel::default());
/// let problem =
///     Problem { points: &points, observations: &observations, method: Method::Ep, space: None, inducing: None };
/// let exact = ExactPosterior::new(&problem, kernel, 1.0, &ExactSettings::default())?;
/// let utilities = exact.utilities(&points);
/// assert!(utilities.mean[2] > utilities.mean[0] && exact.report().mixed());
/// # Ok::<(), rather::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ExactPosterior {
    /// The Gaussian with the exact posterior's means and covariances.
    gaussian: Posterior,
    kernel: Kernel,
    latent: Latent,
    /// What the weights of the prior's features are around, one draw a column, one matrix a chain: `R^-1 P y / s^2` given noisy differences,
    /// else the weights themselves.
    chains: Vec<Matrix>,
    report: Report,
    settings: ExactSettings,
}

/// What was drawn.
#[derive(Debug, Clone)]
enum Latent {
    /// The noisy differences behind plain comparisons and orders of sets, and [`NoisyDifferences::sums`] of each draw, one a column, one matrix a chain.
    Differences(NoisyDifferences, Vec<Matrix>),
    /// The weights of the prior's features.
    Weights,
}

impl Latent {
    /// The Cholesky factor of the weights' precision given a draw; `None` if a draw leaves nothing open.
    fn factor(&self) -> Option<&Matrix> {
        match self {
            Self::Differences(differences, _) => Some(differences.factor()),
            Self::Weights => None,
        }
    }
}

impl ExactPosterior {
    /// Samples the posterior of `problem` under `kernel` and the likelihoods' parameters `values`: the noise of standard deviation an item, and
    /// then the others. The problem's own method is not used.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a noise that is not positive, or settings out of range; [`Error::ExactSize`] for too
    /// many answers; [`Unsupported::JointAnswers`](crate::Unsupported::JointAnswers) for answers about sets with Gumbel noise, or a fraction of one;
    /// [`Error::Acceptance`] if minimax tilting was asked for and is hopeless; [`Unsupported::NoisyDifferences`](crate::Unsupported::NoisyDifferences) for a sampler of plain
    /// comparisons where there are other answers;
    /// [`Error::Covariance`] and [`Error::Inference`] as [`Problem::evaluate`].
    pub fn new(
        problem: &Problem<'_>,
        kernel: Kernel,
        values: impl Into<Values>,
        settings: &ExactSettings,
    ) -> Result<Self, Error> {
        let values = values.into();
        settings.check()?;
        differences::check_noise(values.noise())?;
        differences::check_size(problem.observations.differences())?;
        if !problem.observations.responses.likelihoods(&values).sets_have(Link::Probit) {
            return Err(crate::Unsupported::JointAnswers.into());
        }
        // EP is where the chains start; it need not have converged.
        let problem = &Problem { method: Method::Ep, inducing: None, ..problem.clone() };
        let evidence = problem.evaluate(&kernel, values.clone(), None, &Settings::default())?;
        if problem.observations.has_noisy_differences() {
            Self::of_differences(problem, kernel, values, evidence, settings)
        } else {
            Self::of_weights(problem, kernel, values, evidence, settings)
        }
    }

    fn of_differences(
        problem: &Problem<'_>,
        kernel: Kernel,
        values: Values,
        evidence: Evidence,
        settings: &ExactSettings,
    ) -> Result<Self, Error> {
        let differences = NoisyDifferences::new(&evidence.prior, problem.observations, values.noise())?;
        let around = EpSlice::new(problem.observations, &evidence.outcome);
        let Drawn { sampler, chains: drawn, acceptance } = sampling::draw(&differences, &around, settings)?;
        let sums = parallel::map(drawn.len(), 1, |chain| by_column(&drawn[chain], |y| differences.sums(y)));
        let report = Report::of(sampler, &drawn, acceptance);
        let chains = half_means(&differences, &sums)?;
        let latent = Latent::Differences(differences, sums);
        let mut out = Self::assemble(problem, (kernel, values), evidence, latent, chains, report, settings)?;
        let of_utilities = out.worst_utility(problem.points);
        let row = |m: usize, y: &Matrix| (0..y.cols()).map(|j| y[(m, j)]).collect();
        let each = drawn.first().map_or(0, Matrix::rows);
        let of_differences = worst(each, |m| drawn.iter().map(|y| row(m, y)).collect());
        out.report.judge(of_utilities, of_differences);
        Ok(out)
    }

    fn of_weights(
        problem: &Problem<'_>,
        kernel: Kernel,
        values: Values,
        evidence: Evidence,
        settings: &ExactSettings,
    ) -> Result<Self, Error> {
        if !matches!(settings.sampler, Sampler::Auto | Sampler::EpSlice) {
            return Err(crate::Unsupported::NoisyDifferences.into());
        }
        let &ExactSettings { chains, burn_in, thinning, seed, .. } = settings;
        let length = Length { chains, kept: settings.kept(), burn_in, thinning };
        let likelihoods = problem.observations.responses.likelihoods(&values);
        let chains = weights::draw(&evidence, &problem.observations.merged, &likelihoods, length, seed)?;
        watch::check()?;
        let report = Report::of(Sampler::EpSlice, &chains, None);
        let named = (kernel, values);
        let mut out = Self::assemble(problem, named, evidence, Latent::Weights, chains, report, settings)?;
        let of_utilities = out.worst_utility(problem.points);
        out.report.judge(of_utilities, of_utilities);
        Ok(out)
    }

    /// The posterior again from what a file holds of it: the sites of expectation propagation, how the draws were made
    /// and judged, and [`ExactPosterior::draws`].
    ///
    /// # Errors
    /// [`Error::ModelParts`] if the draws are not as many as the settings say; else as [`ExactPosterior::new`].
    pub fn restore(
        problem: &Problem<'_>,
        kernel: Kernel,
        values: impl Into<Values>,
        sites: &Sites,
        draws: &[f64],
        report: Report,
        settings: &ExactSettings,
    ) -> Result<Self, Error> {
        let values = values.into();
        settings.check()?;
        let problem = &Problem { method: Method::Ep, inducing: None, ..problem.clone() };
        let as_saved = Settings { sweeps: 0, sequential_sweeps: 0, ..Settings::default() };
        let evidence = problem.evaluate(&kernel, values.clone(), Some(sites), &as_saved)?;
        let plain = problem.observations.has_noisy_differences();
        let rows = if plain { problem.observations.edges.len() } else { evidence.prior.rank() };
        let (chains, kept) = (settings.chains, settings.kept());
        let needed = chains.checked_mul(kept).and_then(|draws| draws.checked_mul(rows));
        if needed != Some(draws.len()) || report.draws.checked_mul(rows) != needed {
            return Err(Error::ModelParts { what: "the number of draws differs from its settings" });
        }
        let chain =
            |chain: usize| Matrix::from_fn(rows, kept, |row, draw| draws[(chain * kept + draw) * rows + row]);
        let drawn: Vec<Matrix> = (0..chains).map(chain).collect();
        let (latent, chains) = if plain {
            let differences = NoisyDifferences::new(&evidence.prior, problem.observations, values.noise())?;
            let chains = half_means(&differences, &drawn)?;
            (Latent::Differences(differences, drawn), chains)
        } else {
            (Latent::Weights, drawn)
        };
        Self::assemble(problem, (kernel, values), evidence, latent, chains, report, settings)
    }

    fn assemble(
        problem: &Problem<'_>,
        (kernel, values): (Kernel, Values),
        mut evidence: Evidence,
        latent: Latent,
        chains: Vec<Matrix>,
        report: Report,
        settings: &ExactSettings,
    ) -> Result<Self, Error> {
        let (factor, weights) = matched(latent.factor(), &chains).ok_or(Error::Inference)?;
        let posterior = std::mem::take(&mut evidence.outcome.posterior);
        evidence.outcome.posterior = Absorbed { factor, weights, ..posterior };
        let gaussian = Posterior::new(problem, kernel.clone(), values, evidence);
        Ok(Self { gaussian, kernel, latent, chains, report, settings: *settings })
    }

    /// The fewest effective draws and the largest R-hat of the utilities of `points`.
    fn worst_utility(&self, points: &Points) -> (f64, f64) {
        let shrunk = self.shrunk(&self.gaussian.embed(points).features);
        worst(shrunk.cols(), |i| self.means(shrunk.col(i)))
    }

    /// How sampling went.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// How the draws were made.
    pub fn settings(&self) -> &ExactSettings {
        &self.settings
    }

    /// The draws as a file holds them, draw by draw: [`NoisyDifferences::sums`] of plain comparisons and orders of sets, else the weights of the prior's features.
    /// All else follows from them.
    pub fn draws(&self) -> Vec<f64> {
        let drawn = match &self.latent {
            Latent::Differences(_, sums) => sums,
            Latent::Weights => &self.chains,
        };
        drawn.iter().flat_map(|chain| chain.data()).copied().collect()
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

    /// The probability that the left item of each pair is preferred: the average over the draws.
    ///
    /// Where every draw is far on one side, the average rounds to 0 or 1, though the posterior has a tail beyond the draws. It is kept
    /// at least as far from 0 and 1 as one draw more from the Gaussian with the posterior's moments would bring it: with $S$ draws and
    /// the Gaussian's probability $g$, from $g/(S+1)$ to $1-(1-g)/(S+1)$, which moves it by less than one draw can.
    pub fn probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        let averages = self.choices(AnswerIndex::CHOICE, points, pairs, |chains| mean(&chains));
        self.with_tails(averages, self.gaussian.probabilities(points, pairs))
    }

    /// As [`ExactPosterior::probabilities`], of somebody to whom the first item of each pair is shown on the left: a learned position bias
    /// counts.
    pub fn shown_probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        let [left, _] = self.gaussian.likelihoods().shown();
        let averages = self.choices(left, points, pairs, |chains| mean(&chains));
        self.with_tails(averages, self.gaussian.shown_probabilities(points, pairs))
    }

    fn with_tails(&self, averages: Vec<f64>, gaussian: Vec<f64>) -> Vec<f64> {
        let weight = self.tail();
        let one = |(average, g): (f64, f64)| {
            // What is nearer to 1 than numbers are to each other is the last number below it.
            let (least, most) = (weight * g, (1.0 - weight * (1.0 - g)).min(1.0 - 0.5 * f64::EPSILON));
            if average > most { most } else { f64::max(least, f64::MIN_POSITIVE).max(average) }
        };
        averages.into_iter().zip(gaussian).map(one).collect()
    }

    /// The weight of one draw more than there are.
    fn tail(&self) -> f64 {
        1.0 / (self.report.draws as f64 + 1.0)
    }

    /// As [`Posterior::outcomes`]: averages over the draws, with the Gaussian's probabilities as one draw more, so that none is 0.
    pub fn outcomes(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<Vec<(Preference, f64)>> {
        let possible = self.gaussian.likelihoods().outcomes();
        if possible.is_empty() {
            return vec![Vec::new(); pairs.len()];
        }
        let options: Vec<(AnswerIndex, f64)> =
            possible.iter().map(|&(_, sign, answer)| (answer, sign)).collect();
        let asked: Vec<Asked<'_>> =
            pairs.iter().map(|&(a, b)| (Edge::between(a, b), options.as_slice())).collect();
        let found = self.expected(points, &asked, self.gaussian.likelihoods());
        found.into_iter().map(|p| possible.iter().map(|outcome| outcome.0).zip(p).collect()).collect()
    }

    /// The probabilities of answers about projections of `points`, whose likelihoods are those of the model's answers and may be more: averages over
    /// the draws, with the Gaussian's probabilities as one draw more.
    pub(crate) fn expected(
        &self,
        points: &Points,
        asked: &[Asked<'_>],
        likelihoods: &Likelihoods,
    ) -> Vec<Vec<f64>> {
        let edges: Vec<Edge> = asked.iter().map(|(edge, _)| *edge).collect();
        let gaussian = of_moments(&self.gaussian.projections(points, &edges), asked, likelihoods);
        let features = self.gaussian.embed(points).features;
        let shrunk = self.shrunk(&features);
        let own = self.kernel.diagonal(points);
        let response = PairResponse::new(&self.gaussian, likelihoods);
        parallel::map(asked.len(), 1, |k| {
            let (edge, options) = asked[k];
            let (explained, p) = (edge.project(&features), edge.project(&shrunk));
            let prior = match edge.minus() {
                Some(b) => {
                    let k_ab =
                        self.kernel.cross(&points.select(&[edge.plus()]), &points.select(&[b]))[(0, 0)];
                    own[edge.plus()] + own[b] - 2.0 * k_ab
                }
                None => own[edge.plus()],
            };
            let variance = (prior - dot(&explained, &explained)).max(0.0) + self.given_a_draw(&p);
            let means = self.means(&p);
            let one = |(&(answer, sign), &g): (&(AnswerIndex, f64), &f64)| {
                let ids = edge.minus().map(|b| (points.id(edge.plus()), points.id(b)));
                let ids = ids.map(|(a, b)| if sign > 0.0 { (a, b) } else { (b, a) });
                let sum: f64 = match ids {
                    Some(ids) => {
                        let probability = response.of(answer, ids, variance);
                        means.iter().flatten().map(|m| probability(sign * m)).sum()
                    }
                    None => {
                        let likelihood = likelihoods.of(answer);
                        means.iter().flatten().map(|m| likelihood.probability(sign * m, variance)).sum()
                    }
                };
                self.blend(sum / self.report.draws as f64, g)
            };
            options.iter().zip(&gaussian[k]).map(one).collect()
        })
    }

    /// As [`Posterior::ratings`], as [`ExactPosterior::outcomes`] are.
    pub fn ratings(&self, points: &Points) -> Vec<Vec<f64>> {
        let likelihoods = self.gaussian.likelihoods();
        let gaussian = self.gaussian.ratings(points);
        if gaussian.first().is_none_or(Vec::is_empty) {
            return gaussian;
        }
        let features = self.gaussian.embed(points).features;
        let shrunk = self.shrunk(&features);
        let own = self.kernel.diagonal(points);
        parallel::map(points.len(), 1, |i| {
            let rest = (own[i] - dot(features.col(i), features.col(i))).max(0.0);
            let variance = rest + self.given_a_draw(shrunk.col(i));
            let mut sums = vec![0.0; gaussian[i].len()];
            for m in self.means(shrunk.col(i)).iter().flatten() {
                sums.iter_mut().zip(likelihoods.levels(*m, variance)).for_each(|(sum, p)| *sum += p);
            }
            let draws = self.report.draws as f64;
            sums.iter().zip(&gaussian[i]).map(|(sum, g)| self.blend(sum / draws, *g)).collect()
        })
    }

    fn blend(&self, average: f64, gaussian: f64) -> f64 {
        average + self.tail() * (gaussian - average)
    }

    /// The Monte Carlo standard errors of [`ExactPosterior::probabilities`].
    pub fn probability_errors(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        self.choices(AnswerIndex::CHOICE, points, pairs, |chains| standard_error(&chains))
    }

    /// [`ExactPosterior::probabilities`], each with its Monte Carlo standard error, in one pass.
    pub fn probabilities_and_errors(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<(f64, f64)> {
        let (averages, errors): (Vec<f64>, Vec<f64>) = self
            .choices(AnswerIndex::CHOICE, points, pairs, |chains| (mean(&chains), standard_error(&chains)))
            .into_iter()
            .unzip();
        let gaussian = self.gaussian.probabilities(points, pairs);
        self.with_tails(averages, gaussian).into_iter().zip(errors).collect()
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

    /// Joint draws of the utilities of `points`: `points x n`. Draws beyond [`Report::draws`] use what was sampled
    /// again.
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
            if self.latent.factor().is_some() {
                for (h, e) in half.iter_mut().zip(normals(shrunk.rows(), &mut rng)) {
                    *h += e;
                }
            }
            let noise = normals(rest.rows(), &mut rng);
            for (i, f) in out.col_mut(j).iter_mut().enumerate() {
                *f = dot(shrunk.col(i), &half) + dot(rest.col(i), &noise);
            }
        }
        Ok(out)
    }

    /// The log evidence and its standard error, as an orthant probability; computed anew by each call. `None` for other answers than comparisons and
    /// orders of sets, for best and worst answers of sets, of which it is none, and for too many of them ([`orthant::MOST_VARIABLES`]).
    pub fn log_evidence(&self) -> Option<LogProbability> {
        let Latent::Differences(differences, _) = &self.latent else { return None };
        if differences.is_singular() {
            return None;
        }
        let found = orthant::log_probability(&differences.covariance(), &self.settings.quadrature).ok();
        found.filter(|z| z.value.is_finite() && z.error.is_finite())
    }

    /// `R^-1 phi` with `R` the factor of the weights' precision given a draw; the features themselves if a draw leaves nothing open.
    fn shrunk(&self, features: &Matrix) -> Matrix {
        let mut out = features.clone();
        if let Some(factor) = self.latent.factor() {
            solve_lower(factor, &mut out);
        }
        out
    }

    /// The variance that a draw leaves of the quantity with `shrunk` features.
    fn given_a_draw(&self, shrunk: &[f64]) -> f64 {
        if self.latent.factor().is_some() { dot(shrunk, shrunk) } else { 0.0 }
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

    /// Some statistic of the probabilities of an answer given each draw, for each pair.
    fn choices<T: Send>(
        &self,
        answer: AnswerIndex,
        points: &Points,
        pairs: &[(usize, usize)],
        statistic: impl Fn(Vec<Vec<f64>>) -> T + Sync,
    ) -> Vec<T> {
        let features = self.gaussian.embed(points).features;
        let shrunk = self.shrunk(&features);
        let own = self.kernel.diagonal(points);
        let response = PairResponse::new(&self.gaussian, self.gaussian.likelihoods());
        let choice = |(a, b): (usize, usize)| {
            let k_ab = self.kernel.cross(&points.select(&[a]), &points.select(&[b]))[(0, 0)];
            let explained = squared_distance(features.col(a), features.col(b));
            let rest = (own[a] + own[b] - 2.0 * k_ab - explained).max(0.0);
            let p: Vec<f64> = shrunk.col(a).iter().zip(shrunk.col(b)).map(|(a, b)| a - b).collect();
            let variance = rest + self.given_a_draw(&p);
            let probability = response.of(answer, (points.id(a), points.id(b)), variance);
            let mut chains = self.means(&p);
            chains.iter_mut().flatten().for_each(|m| *m = probability(*m));
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

/// [`NoisyDifferences::half_mean`] of each draw.
fn half_means(differences: &NoisyDifferences, sums: &[Matrix]) -> Result<Vec<Matrix>, Error> {
    let half = |sums: &Matrix| by_column(sums, |sums| differences.half_mean_of_sums(sums));
    let chains = parallel::map(sums.len(), 1, |chain| half(&sums[chain]));
    watch::check()?;
    Ok(chains)
}

//! Random effects of pairs, by the evidence.

use std::sync::Arc;

use super::batch::{Chosen, continued, finish};
use super::fit::Found;
use super::{FitSettings, Inference, PairEffect, SparseFit};
use crate::Error;
use crate::belief::Belief;
use crate::evidence::Problem;
use crate::inference::observations::{Observation, Observations};
use crate::inference::sites::Sites;
use crate::learn::choice::{Options, Tried};
use crate::learn::{Hyperparameters, Warm};
use crate::likelihood::{PAIR_EFFECT, Responses};
use crate::memory::Size;
use crate::representation;
use rather_numerics::lbfgs::Curvature;
use rather_numerics::watch;

/// The same kernel with a random effect of every pair, from what was learned without, and the responses of such answers; `None` if the evidence is
/// not clearly higher, intervals would hardly be wider, or pairs are hardly compared repeatedly. It needs the full covariance, so of a sparse precision that is asked for, or of
/// one of more nodes than are quick, pairs are not tried.
pub(super) fn with_pair_effect(
    problem: &Problem<'_>,
    found: &Found,
    size: &Size,
    settings: &FitSettings,
    options: &Options<'_>,
    each: &(dyn Fn(&Tried) + Sync),
) -> Result<Option<(Found, Arc<Responses>)>, Error> {
    let may = match &settings.inference {
        Inference::Ep(ep) => ep.pair_effect == PairEffect::Auto && !settings.response_model.pair_effect,
        _ => false,
    };
    // In a context a pair is compared as two sides, and what it has of its own belongs to its items.
    let may = may && options.schema.context == 0;
    let held = match (&found.belief, found.report.representation) {
        (Belief::Gaussian(_) | Belief::Mixture(_), Some(held)) if found.method.is_none() => held,
        (Belief::Sparse(_), Some(sparse)) => match representation::by_full(sparse, size, settings.memory) {
            Some(held) => held,
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    if !may
        || problem.observations.has_sets()
        || !found.report.trustworthy
        || watch::is_ending()
        || !is_repeated(problem.observations)
    {
        return Ok(None);
    }
    let Some(sites) = found.belief.sites().first().copied() else { return Ok(None) };
    let overdispersion = Overdispersion::of(problem, &found.belief, sites);
    let Some(overdispersion) = overdispersion.filter(Overdispersion::is_noticeable) else { return Ok(None) };
    let mut observations = problem.observations.clone();
    Arc::make_mut(&mut observations.responses).response_model.pair_effect = true;
    let with_effects =
        Problem { observations: &observations, inducing: found.inducing.as_deref(), ..problem.clone() };
    let kernel = found.hyperparameters.kernel.clone();
    let mut start = Hyperparameters::for_answers(kernel, problem.points, &observations.responses, options)?;
    start.start_from(&found.hyperparameters)?;
    start.start_at(PAIR_EFFECT, overdispersion.variance.sqrt())?;
    let curvature = overdispersion.curvature(&start);
    let warm = Warm { sites: Some(sites.clone()), curvature };
    let tried = found.report.tried.clone();
    let Some(chosen) = continued(&with_effects, &start, warm, tried, settings, each)? else {
        return Ok(None);
    };
    let without = match log_evidence(problem, found, sites, settings) {
        // What was found without pair effects stands.
        Err(Error::Cancelled | Error::Inference) => return Ok(None),
        found => found?,
    };
    if chosen.learned.log_evidence < without + CLEARLY {
        return Ok(None);
    }
    let chosen = Chosen { inducing: found.inducing.clone(), ..chosen };
    let better = finish(&with_effects, chosen, held, settings, options)?;
    let trustworthy = better.report.trustworthy;
    Ok(trustworthy.then_some((better, observations.responses)))
}

/// The log evidence without pair effects; of variances by messages that of the full covariance at the same setting, as theirs is another.
fn log_evidence(
    problem: &Problem<'_>,
    found: &Found,
    sites: &Sites,
    settings: &FitSettings,
) -> Result<f64, Error> {
    if !matches!(found.report.sparse, Some(SparseFit::Messages { .. })) {
        return Ok(found.report.log_evidence);
    }
    let h = &found.hyperparameters;
    let convergence = settings.inference.convergence();
    Ok(problem.evaluate(&h.kernel, h.values(), Some(sites), &convergence)?.outcome.log_evidence)
}

/// Nats by which the evidence must rise for pairs to have random effects: odds of 7 to 1, as Bayes factors call positive evidence.
const CLEARLY: f64 = 2.0;
/// Answers a pair, on average, from which on pairs count as compared repeatedly, and the fewest such pairs.
const REPEATED: f64 = 1.5;
const FEWEST_PAIRS: usize = 10;

/// Whether pairs are compared often enough for their random effects to be told from noise.
fn is_repeated(observations: &Observations) -> bool {
    let Observations { edges, merged, .. } = observations;
    let compared = |e: usize| edges[e].minus().is_some();
    let pairs = (0..edges.len()).filter(|&e| compared(e)).count();
    // Of answers with weights, as many as they count for.
    let answers: f64 = merged.iter().filter(|o| compared(o.edge())).map(Observation::count).sum();
    pairs >= FEWEST_PAIRS && answers >= REPEATED * pairs as f64
}

/// Standard deviations above its mean at which the score test of no pair effects leaves them open. Below, the evidence rises by less than half of what is asked
/// for, as far as it is quadratic: by half the square of this.
const OPEN: f64 = 1.4;
/// The share of the answers' information about utilities that pair effects must take to be worth a fit: with less, intervals are wider by less than 2 %. A fit with
/// them takes several times as long, and among a million answers the evidence finds effects that make no difference.
const NOTICEABLE: f64 = 0.04;
/// Standard deviations of the variance of pair effects that are added to it before it is called too small.
const AT_MOST: f64 = 2.0;

/// How pairs differ by more than noise.
struct Overdispersion {
    /// About the variance of pair effects.
    variance: f64,
    /// The score of their variance where it is 0, in its standard deviations if there are none.
    score: f64,
    /// The share of the information that they take, if their variance is as large as it may be.
    taken: f64,
}

impl Overdispersion {
    /// By the score test of a variance component: the derivative of the log evidence in the variance where that is 0; and where a parabola with that slope has
    /// its top. `None` if the test leaves no pair effects open.
    ///
    /// # Formula
    /// Of sites with precisions $\tau_e$ and shifts $\nu_e$ and the posterior $N(m_e,v_e)$ of their projections,
    /// $s=\tfrac12\sum_e[(\nu_e-\tau_em_e)^2-p_e]$ with $p_e=\tau_e-\tau_e^2v_e$, and its variance is at least $I=\tfrac12\sum_ep_e^2$, the information about
    /// the variance of pair effects, which so is about $s/I$. Effects of variance $s^2$ leave of a site's precision $\tau_e/(1+\tau_es^2)$.
    ///
    /// # References
    /// Lin, *Variance component testing in generalised linear models with random effects* (1997).
    fn of(problem: &Problem<'_>, belief: &Belief, sites: &Sites) -> Option<Self> {
        let Observations { edges, merged, .. } = problem.observations;
        let (pairs, places): (Vec<(usize, usize)>, Vec<usize>) = edges
            .iter()
            .enumerate()
            .filter_map(|(e, edge)| edge.minus().map(|minus| ((edge.plus(), minus), e)))
            .unzip();
        let z = match belief {
            Belief::Mixture(mixture) => mixture.best().differences(problem.points, &pairs),
            belief => belief.differences(problem.points, &pairs),
        };
        let (tau, nu) = sites.by_edge(merged, edges.len());
        let (mut score, mut information) = (0.0, 0.0);
        for ((&e, m), v) in places.iter().zip(&z.mean).zip(&z.variance) {
            let p = tau[e] - tau[e] * tau[e] * v;
            score += 0.5 * ((nu[e] - tau[e] * m).powi(2) - p);
            information += 0.5 * p * p;
        }
        let variance = score / information;
        let most = variance + AT_MOST / information.sqrt();
        let told: Vec<f64> = places.iter().map(|&e| tau[e].max(0.0)).collect();
        let found = Self { variance, score: score / information.sqrt(), taken: taken(&told, most) };
        (found.score > OPEN && found.variance.is_finite()).then_some(found)
    }

    /// Whether intervals would be noticeably wider.
    fn is_noticeable(&self) -> bool {
        self.taken > NOTICEABLE
    }

    /// What the parabola says of the objective in the logarithm of the standard deviation: with many answers other parameters bend it a thousand times as much,
    /// beside which this one would look settled.
    fn curvature(&self, start: &Hyperparameters) -> Curvature {
        let along = |size: f64| -> Vec<f64> {
            start
                .free()
                .iter()
                .map(|&i| if start.entries[i].name == PAIR_EFFECT { size } else { 0.0 })
                .collect()
        };
        let step = along(1.0);
        if step.contains(&1.0) { vec![(step, along(4.0 * self.score * self.score))] } else { Vec::new() }
    }
}

/// The share of the precision of these sites that pair effects of variance `s2` take: $1-\sum_e\frac{\tau_e}{1+\tau_es^2}/\sum_e\tau_e$.
fn taken(tau: &[f64], s2: f64) -> f64 {
    tau.iter().map(|tau| tau * tau * s2 / (1.0 + tau * s2)).sum::<f64>() / tau.iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::{Answer, Answers};
    use crate::inference::sparse::Limits;
    use crate::kernel::Schema;
    use crate::learn::Units;
    use crate::learn::choice::{KernelChoice, KernelSpec};
    use crate::likelihood::ResponseModel;
    use crate::model::sparse::Sparse;
    use crate::points::Points;
    use crate::representation::{Because, Decision, Representation};
    use rather_numerics::random::{stream, uniform};

    /// A difference that is known by its answers alone has the variance 1 / tau, and pair effects add theirs to it.
    #[test]
    fn pair_effects_that_are_not_noticeable_widen_no_interval_by_more_than_a_fiftieth() {
        for tau in [0.05, 0.6, 40.0_f64] {
            let s2 = |wider: f64| (wider * wider - 1.0) / tau;
            assert!(taken(&[tau; 7], s2(1.019)) < NOTICEABLE, "{tau}");
            assert!(taken(&[tau; 7], s2(1.021)) > NOTICEABLE, "{tau}");
        }
        // Of many pairs those count that say most.
        assert!(taken(&[100.0, 0.01, 0.01, 0.01], 0.001) > NOTICEABLE);
        let nothing_said = Overdispersion { variance: 1.0, score: 9.0, taken: taken(&[0.0], 1.0) };
        assert!(!nothing_said.is_noticeable());
    }

    /// Where every name is compared with every other, messages are nats off, and pair effects must not gain by that.
    #[test]
    fn the_evidence_without_pair_effects_is_that_of_the_full_covariance() {
        let mut rng = stream(3, 0);
        let names = 60;
        let mut answers = Vec::new();
        for (i, j) in
            (0..names).flat_map(|i| (0..i).map(move |j| (i, j))).chain((1..names).map(|i| (i, i - 1)))
        {
            let is_first = uniform(&mut rng) < 0.5 + 0.4 * (i - j) as f64 / names as f64;
            answers.push(if is_first { Answer::rather(i, j) } else { Answer::rather(j, i) });
        }
        let observations =
            Observations::of(&Answers::from(answers.as_slice()), &[], ResponseModel::default());
        let points = Points::from_rows(&vec![[0.0; 0]; names]).select(&observations.items);
        let fixed = vec![("variance".to_string(), 2.0), ("noise".to_string(), 1.0)];
        let white = KernelSpec { expression: "white".into(), ard: false };
        let settings = FitSettings {
            kernel: KernelChoice::Given(white),
            fixed: fixed.clone(),
            ..FitSettings::default()
        };
        let schema = Schema { names: Vec::new(), categorical: Vec::new(), context: 0 };
        let options = Options {
            schema: &schema,
            units: Units::default(),
            fixed: &fixed,
            feature_units: &[],
            priors: true,
            inference: settings.inference.convergence(),
        };
        let held = Decision {
            representation: Representation::Sparse,
            because: Because::Asked,
            estimated: 0,
            allowed: 0,
        };
        let by = |limits: &Limits| {
            Sparse::fit(&points, &observations, limits, |_| held, &settings, &options, &|_| ())
                .expect("a fit")
        };
        let (exact, messages) = (by(&Limits::default()), by(&Limits::MESSAGES));
        assert!(matches!(messages.report.sparse, Some(SparseFit::Messages { .. })));
        let problem = Problem {
            points: &points,
            observations: &observations,
            method: crate::inference::Method::Ep,
            space: None,
            inducing: None,
        };
        let sites = messages.belief.sites()[0];
        let found = log_evidence(&problem, &messages, sites, &settings).expect("an evidence");
        let expected = exact.report.log_evidence;
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        assert!(
            (messages.report.log_evidence - expected).abs() > 0.1,
            "messages are as good here: {expected}"
        );
    }
}

//! Climbing the evidence where it is found in less time: with few items, where a smooth kernel lets them tell all others nearly; by a sparse precision for
//! items by name, and for what items have of their own besides.

use std::cell::RefCell;

use super::{Hyperparameters, Learned, Setting, Warm, climb};
use crate::Error;
use crate::evidence::{LEFT_OUT, Problem};
use crate::inducing::covering_while;
use crate::inference::low_rank_diagonal::LowRankDiagonal;
use crate::inference::observations::Observations;
use crate::inference::prior::{GaussianPrior, Prior, Space};
use crate::inference::sites::Sites;
use crate::inference::sparse::{Field, Limits};
use crate::inference::{Method, Outcome, Settings, ep};
use crate::kernel::Kernel;
use rather_numerics::lbfgs;

/// The variance, in multiples of that of the noise of an item, that inducing items may leave of another. What is left joins the noise of the answers, so that
/// the evidence is off by far less than answers can tell.
const OPEN: f64 = 3e-4;
/// The same where what is left joins the items' own effects, so that all of an item's answers share it.
const OPEN_OF_ITEMS: f64 = 5e-3;
/// How many times as much may be left of a difference before the items are chosen again: twice as much are those of two items.
const SLACK: f64 = 8.0;
/// With more inducing items than one in so many the whole covariance is as quick.
const FEW: usize = 2;
/// The bound, in nats, on what the features left out change of the evidence where a glance at it is enough (a two hundredth of it in what was measured), and how
/// near inference comes to a fixpoint.
const GLANCE: f64 = 100.0;
const GLANCE_TOLERANCE: f64 = 3e-2;
/// After one in so many of the most inducing items it is asked whether the most will do: what is left falls ever more slowly, so they will not if it is
/// above a fall at one rate.
const LOOK: usize = 8;
/// With fewer items there is nothing to save.
const LEAST: usize = 100;

/// The most entries of the factor of a sparse precision, in shares of those of the full covariance: with more it is no quicker.
const SPARSE: f64 = 0.4;

/// A problem whose evidence is found in less time, if it is.
pub(super) struct Rough<'a> {
    problem: &'a Problem<'a>,
    way: Way,
    /// The prior of few items that [`Rough::is_cheaper`] has found, with its kernel: the first setting is where that was asked.
    ready: RefCell<Option<(Kernel, Prior)>>,
}

enum Way {
    /// With inducing items, chosen anew whenever a setting of the hyperparameters asks for others.
    Few(RefCell<Vec<usize>>),
    /// The same for all of a kernel but its term `white`, whose precision is sparse.
    FewAndOwn(RefCell<Vec<usize>>, Field),
    /// By a sparse precision, the same evidence.
    Names(Field),
    /// There is no other way.
    Nothing,
}

impl<'a> Rough<'a> {
    pub(super) fn new(problem: &'a Problem<'a>, kernel: &Kernel) -> Self {
        Self { problem, way: Way::of(problem, kernel).unwrap_or(Way::Nothing), ready: RefCell::default() }
    }

    /// Whether there is less to do at this setting.
    pub(super) fn is_cheaper(&self, here: &Hyperparameters) -> bool {
        let (kernel, inducing, open) = match &self.way {
            // A single setting begins with few features by itself.
            Way::Few(_) if here.free().is_empty() => return false,
            Way::Few(inducing) => (Some(here.kernel.clone()), inducing, OPEN),
            Way::FewAndOwn(inducing, _) => {
                (here.kernel.without_white().map(|(kernel, _)| kernel), inducing, OPEN_OF_ITEMS)
            }
            Way::Names(_) => return true,
            Way::Nothing => return false,
        };
        let Some(kernel) = kernel else { return false };
        let prior = self.prior(inducing, &kernel, open * here.noise().powi(2));
        let is_cheaper = prior.is_some();
        self.ready.replace(prior.map(|prior| (kernel, prior)));
        is_cheaper
    }

    /// As [`climb`], in the quicker way wherever it is good enough; `seen` is called with every setting.
    pub(super) fn climb(
        &self,
        start: &Hyperparameters,
        settings: &Settings,
        stop: lbfgs::Stop,
        warm: Warm,
        goes_on: &dyn Fn() -> bool,
        seen: &dyn Fn(&Hyperparameters, &Setting),
    ) -> Result<Learned, Error> {
        climb(start, settings, stop, warm, goes_on, |here, sites, rough, sloped| {
            let found = self.infer(here, sites, rough, sloped)?;
            seen(here, &found);
            Ok(found)
        })
    }

    /// What inference finds at a setting, in the quicker way if it is good enough.
    pub(super) fn infer(
        &self,
        here: &Hyperparameters,
        sites: Option<Sites>,
        settings: &Settings,
        sloped: bool,
    ) -> Result<Setting, Error> {
        match &self.way {
            Way::Few(inducing) => {
                if let Some(prior) = self.prior(inducing, &here.kernel, OPEN * here.noise().powi(2)) {
                    let inducing = inducing.borrow();
                    let few = Problem { inducing: Some(&inducing), ..self.problem.clone() };
                    return few.infer(here, prior, sites, settings, sloped);
                }
            }
            Way::FewAndOwn(inducing, field) => {
                if let Some((kernel, place, prior)) = self.prior_and_own(inducing, field, here) {
                    return self.under(&prior, here, sites, settings, |outcome| {
                        let (points, merged) = (self.problem.points, &self.problem.observations.merged);
                        let (mut gradient, own) = prior.gradient(&kernel, points, merged, outcome)?;
                        gradient.insert(place, own);
                        Some(gradient)
                    });
                }
            }
            Way::Names(field) => return self.by_precision(field, here, sites, settings),
            Way::Nothing => {}
        }
        let prior = self.problem.prior_of_answers(&here.kernel, here.noise(), LEFT_OUT)?;
        self.problem.infer(here, prior, sites, settings, sloped)
    }

    /// What inference finds at a setting to within a nat or so ([`GLANCE`]); `None` where the quicker way is good enough, and where there is nothing to save.
    pub(super) fn glance(
        &self,
        here: &Hyperparameters,
        sites: Sites,
        settings: &Settings,
    ) -> Option<Setting> {
        let may = self.problem.method == Method::Ep && self.problem.points.len() >= LEAST;
        if !may || self.is_cheaper(here) {
            return None;
        }
        let prior = self.problem.prior_of_answers(&here.kernel, here.noise(), GLANCE).ok()?;
        let settings = Settings { tolerance: settings.tolerance.max(GLANCE_TOLERANCE), ..*settings };
        self.problem.infer(here, prior, Some(sites), &settings, true).ok()
    }

    /// What inference finds under the sparse precision of the kernel `white`.
    fn by_precision(
        &self,
        field: &Field,
        here: &Hyperparameters,
        sites: Option<Sites>,
        settings: &Settings,
    ) -> Result<Setting, Error> {
        let prior = here.kernel.white_variance().and_then(|variance| field.prior(variance, 0.0));
        let prior = prior.ok_or(Error::Covariance)?;
        self.under(&prior, here, sites, settings, |outcome| {
            Some(vec![prior.gradient(&outcome.posterior)?.log_variance])
        })
    }

    /// What inference finds under a prior; `in_kernel` tells the gradient in the kernel's parameters.
    fn under(
        &self,
        prior: &dyn GaussianPrior,
        here: &Hyperparameters,
        sites: Option<Sites>,
        settings: &Settings,
        in_kernel: impl FnOnce(&Outcome) -> Option<Vec<f64>>,
    ) -> Result<Setting, Error> {
        let Observations { merged, responses, .. } = self.problem.observations;
        let likelihoods = responses.likelihoods(&here.values());
        let sites = sites.unwrap_or_else(|| Sites::empty(merged.len()));
        let outcome = ep::run(prior, merged, &likelihoods, sites, settings).ok_or(Error::Inference)?;
        let mut gradient = in_kernel(&outcome).ok_or(Error::Inference)?;
        gradient.extend(&outcome.d_values);
        let Outcome { log_evidence, sweeps, sites, trustworthy, .. } = outcome;
        Ok(Setting { log_evidence, gradient, sweeps, sites, trustworthy })
    }

    /// The prior of few items and of what each has of its own, if few are enough; with the kernel that it is of without the term `white`, and that term's
    /// place.
    fn prior_and_own<'b>(
        &self,
        inducing: &RefCell<Vec<usize>>,
        field: &'b Field,
        here: &Hyperparameters,
    ) -> Option<(Kernel, usize, LowRankDiagonal<'b>)> {
        let (kernel, place) = here.kernel.without_white()?;
        let variance = here.kernel.parameters().get(place)?.value;
        let features = self.prior(inducing, &kernel, OPEN_OF_ITEMS * here.noise().powi(2))?;
        let prior = LowRankDiagonal::new(features, &kernel, self.problem.points, field, variance);
        Some((kernel, place, prior))
    }

    /// The prior of few items, if those chosen last or others are enough.
    fn prior(&self, inducing: &RefCell<Vec<usize>>, kernel: &Kernel, open: f64) -> Option<Prior> {
        if let Some((of, prior)) = self.ready.take()
            && of == *kernel
        {
            return Some(prior);
        }
        // What is an item's own, no other item tells.
        if !kernel.is_constant_given(&|_| true) {
            return None;
        }
        let enough = |prior: &Prior| prior.rest.iter().all(|&rest| rest <= SLACK * open);
        let of_chosen = || {
            let inducing = inducing.borrow();
            let edges = &self.problem.observations.edges;
            (!inducing.is_empty())
                .then(|| Prior::low_rank(kernel, self.problem.points, edges, &inducing))
                .flatten()
                .filter(enough)
        };
        of_chosen().or_else(|| {
            let points = self.problem.points;
            let most = points.len().min(self.problem.observations.edges.len()) / FEW;
            let largest = kernel.diagonal(points).into_iter().fold(0.0, f64::max);
            let open = open / largest;
            let mut reached = false;
            let chosen = covering_while(kernel, points, most, |chosen, left| {
                // A share that is no number ends it, too.
                reached = left <= open || left.is_nan();
                !reached && (chosen < most / LOOK || left <= open.powf(chosen as f64 / most as f64))
            });
            *inducing.borrow_mut() = if reached { chosen } else { Vec::new() };
            of_chosen()
        })
    }
}

impl Way {
    fn of(problem: &Problem<'_>, kernel: &Kernel) -> Option<Self> {
        let Observations { edges, responses, .. } = problem.observations;
        let items = problem.points.len();
        let may = problem.method == Method::Ep
            && problem.inducing.is_none()
            && problem.space != Some(Space::Pairs)
            && items >= LEAST;
        if !may {
            return None;
        }
        // What each item has of its own, if its precision is sparse.
        let own = || {
            if !responses.has_sparse_precision() || problem.observations.has_sets() {
                return None;
            }
            let field = Field::new(items, edges, &[], &Limits::default())?;
            let graph = field.graph();
            let sparse = graph.is_exact() && graph.entries() as f64 <= SPARSE * (items * items) as f64;
            sparse.then_some(field)
        };
        if kernel.white_variance().is_some() {
            return own().map(Self::Names);
        }
        // Answers are to be about differences with the noise that [`OPEN`] is measured by.
        if !responses.has_one_noise() {
            return None;
        }
        let inducing = RefCell::default();
        match kernel.without_white() {
            Some(_) => own().map(|field| Self::FewAndOwn(inducing, field)),
            None => Some(Self::Few(inducing)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::{Answer, Answers};
    use crate::kernel::{Schema, parse};
    use crate::learn::Units;
    use crate::learn::choice::Options;
    use crate::likelihood::{Link, ResponseModel};
    use crate::points::Points;
    use rather_numerics::random::{normals, stream, uniform};

    /// 400 answers about 150 items on a line, with ties if there are any.
    fn answers(ties: bool) -> Vec<Answer> {
        let rng = &mut stream(1, 0);
        let own = normals(150, rng);
        let utility = |i: usize| (i as f64 / 20.0).sin() + 0.4 * own[i];
        let mut one = || {
            let [i, j] = [(); 2].map(|()| (150.0 * uniform(rng)) as usize);
            let z = utility(i) - utility(j) + 0.5 * normals(1, rng)[0];
            let (winner, loser) = if z > 0.0 { (i, j) } else { (j, i) };
            let answer = match (ties, z.abs() < 0.3) {
                (true, true) => Answer::tie(i, j),
                (true, false) => Answer::better(winner, loser, 1),
                (false, _) => Answer::rather(winner, loser),
            };
            (i != j).then_some(answer)
        };
        (0..400).filter_map(|_| one()).collect()
    }

    /// The evidence by few items and by all, with its gradient, at a setting that answers may well ask for.
    fn both(expression: &str, ties: bool, link: Link) -> [Setting; 2] {
        let schema = Schema { names: vec!["x".into()], categorical: vec![false], context: 0 };
        let response_model = ResponseModel { link, ..ResponseModel::default() };
        let observations = Observations::of(&Answers::from(answers(ties).as_slice()), &[], response_model);
        let all = Points::from_rows(&(0..150).map(|i| [i as f64 / 40.0]).collect::<Vec<_>>());
        let points = all.select(&observations.items);
        let options = Options {
            schema: &schema,
            units: Units::default(),
            fixed: &[],
            feature_units: &[1.0],
            priors: true,
            inference: Settings::default(),
        };
        let kernel = parse(expression, &schema, false).expect("a kernel");
        let responses = &observations.responses;
        let here = Hyperparameters::for_answers(kernel, &points, responses, &options).expect("a setting");
        let problem = Problem {
            points: &points,
            observations: &observations,
            method: Method::Ep,
            space: Some(Space::Items),
            inducing: None,
        };
        let rough = Rough::new(&problem, &here.kernel);
        assert!(rough.is_cheaper(&here), "{expression}");
        let prior = problem.prior(&here.kernel).expect("a prior");
        let settings = Settings::default();
        [rough.infer(&here, None, &settings, true), problem.infer(&here, prior, None, &settings, true)]
            .map(|found| found.expect("a fixpoint"))
    }

    /// 0.1 nats, and as much in the logarithm of a hyperparameter: what the choice between kernels does not turn on.
    #[test]
    fn the_evidence_is_nearly_that_of_all_items_whatever_was_said() {
        for (ties, link) in [(false, Link::Probit), (true, Link::Probit), (false, Link::Logistic)] {
            for expression in ["white", "se", "se + white", "matern52 + linear + white"] {
                let [rough, all] = both(expression, ties, link);
                let close = |found: f64, expected: f64| {
                    assert!(
                        (found - expected).abs() < 0.1,
                        "{expression}, ties {ties}, {link:?}: {found}, of all items {expected}"
                    );
                };
                close(rough.log_evidence, all.log_evidence);
                assert_eq!(rough.gradient.len(), all.gradient.len());
                rough.gradient.iter().zip(&all.gradient).for_each(|(&a, &b)| close(a, b));
            }
        }
    }
}

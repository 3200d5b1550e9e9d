//! Climbing the evidence with few items, where a smooth kernel lets them tell all others nearly.

use std::cell::RefCell;

use super::{Hyperparameters, Learned, Setting, Warm, climb};
use crate::Error;
use crate::evidence::Problem;
use crate::inducing::covering;
use crate::inference::prior::{Prior, Space};
use crate::inference::sites::Sites;
use crate::inference::{Method, Settings};
use rather_numerics::lbfgs;

/// The variance, in multiples of that of the noise of an item, that inducing items may leave of another. What is left joins the noise of the answers, so that
/// the evidence is off by far less than answers can tell.
const OPEN: f64 = 3e-4;
/// How many times as much may be left of a difference before the items are chosen again: twice as much are those of two items.
const SLACK: f64 = 8.0;
/// With more inducing items than one in so many the whole covariance is as quick.
const FEW: usize = 3;
/// With fewer items there is nothing to save.
const LEAST: usize = 100;

/// A problem with inducing items, chosen anew whenever a setting of the hyperparameters asks for others.
pub(super) struct Rough<'a> {
    problem: &'a Problem<'a>,
    /// Whether answers are all about differences with the noise that [`OPEN`] is measured by.
    applies: bool,
    inducing: RefCell<Vec<usize>>,
}

impl<'a> Rough<'a> {
    pub(super) fn new(problem: &'a Problem<'a>) -> Self {
        let applies = problem.method == Method::Ep
            && problem.inducing.is_none()
            && problem.space != Some(Space::Pairs)
            && problem.points.len() >= LEAST
            && problem.observations.responses.is_plain();
        Self { problem, applies, inducing: RefCell::default() }
    }

    /// Whether few items are enough at this setting.
    pub(super) fn is_cheaper(&self, here: &Hyperparameters) -> bool {
        self.prior(here).is_some()
    }

    /// As [`climb`], with few items wherever they are enough.
    pub(super) fn climb(
        &self,
        start: &Hyperparameters,
        settings: &Settings,
        stop: lbfgs::Stop,
        warm: Warm,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Learned, Error> {
        climb(start, settings, stop, warm, goes_on, |here, sites, rough, sloped| {
            self.infer(here, sites, rough, sloped)
        })
    }

    fn infer(
        &self,
        here: &Hyperparameters,
        sites: Option<Sites>,
        settings: &Settings,
        sloped: bool,
    ) -> Result<Setting, Error> {
        match self.prior(here) {
            Some(prior) => {
                let inducing = self.inducing.borrow();
                let few = Problem { inducing: Some(&inducing), ..self.problem.clone() };
                few.infer(here, prior, sites, settings, sloped)
            }
            None => self.problem.infer(here, self.problem.prior(&here.kernel)?, sites, settings, sloped),
        }
    }

    /// The prior of few items, if those chosen last or others are enough.
    fn prior(&self, here: &Hyperparameters) -> Option<Prior> {
        // What is an item's own, no other item tells.
        if !self.applies || !here.kernel.is_constant_given(&|_| true) {
            return None;
        }
        let open = OPEN * here.noise().powi(2);
        let enough = |prior: &Prior| prior.rest.iter().all(|&rest| rest <= SLACK * open);
        let of_chosen = || {
            let inducing = self.inducing.borrow();
            let edges = &self.problem.observations.edges;
            (!inducing.is_empty())
                .then(|| Prior::low_rank(&here.kernel, self.problem.points, edges, &inducing))
                .flatten()
                .filter(enough)
        };
        of_chosen().or_else(|| {
            let points = self.problem.points;
            let most = points.len().min(self.problem.observations.edges.len()) / FEW;
            let largest = here.kernel.diagonal(points).into_iter().fold(0.0, f64::max);
            let chosen = covering(&here.kernel, points, most, open / largest);
            // As many as there may be hardly ever leave as little as is asked for.
            let few = chosen.len() < most;
            *self.inducing.borrow_mut() = if few { chosen } else { Vec::new() };
            of_chosen()
        })
    }
}

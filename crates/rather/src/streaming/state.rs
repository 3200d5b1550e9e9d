//! A streaming model as plain data: to be saved, sent, and taken up again.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::answers::{Answers, Kept};
use super::basis::Basis;
use super::belief::Belief;
use super::model::StreamingModel;
use super::settings::Settings;
use crate::Error;
use crate::bounds;
use crate::bounds::{MATRICES, matrix};
use crate::inference::sites::Sites;
use crate::kernel::Kernel;
use crate::learn::LogNormal;
use crate::likelihood::{Responses, Values};
use crate::points::Points;

/// Everything a [`StreamingModel`] is, for any format that serde knows.
///
/// # Examples
/// ```
/// use rather::kernel::{Schema, parse};
/// use rather::points::Points;
/// use rather::streaming::{Settings, State, StreamingModel};
///
/// let kernel = parse("se", &Schema { names: vec!["x".into()], categorical: vec![false], context: 0 }, false)?;
/// let mut model = StreamingModel::new(kernel, Points::from_rows(&[[0.0], [1.0]]), Settings::default())?;
/// let items = Points::from_rows(&[[0.2], [0.7]]);
/// model.answer(&items, 0, 1)?;
/// let saved = serde_json::to_string(&model.state())?;
/// let state: State = serde_json::from_str(&saved)?;
/// let resumed = StreamingModel::resume(state)?;
/// assert_eq!(resumed.utilities(&items), model.utilities(&items));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The version of this layout.
    pub version: u32,
    kernel: Kernel,
    basis: Vec<Row>,
    settings: Settings,
    belief: Belief,
    base: Belief,
    answers: Vec<SavedAnswer>,
    count: u64,
    forgotten: u64,
    forgotten_log_evidence: f64,
    log_evidence: f64,
    priors: Vec<LogNormal>,
}

/// An item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Row {
    id: u64,
    features: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SavedAnswer {
    #[serde(flatten)]
    kept: Kept,
    rows: [Vec<f64>; 2],
}

/// The layout that this version writes and reads.
const VERSION: u32 = 1;

impl StreamingModel {
    /// The model as plain data.
    pub fn state(&self) -> State {
        let points = self.basis.points();
        State {
            version: VERSION,
            kernel: self.kernel().clone(),
            basis: (0..points.len())
                .map(|i| Row { id: points.id(i), features: points.row(i).to_vec() })
                .collect(),
            settings: self.settings.clone(),
            belief: self.belief.clone(),
            base: self.base.clone(),
            answers: (0..self.answers.len())
                .map(|n| SavedAnswer {
                    kept: *self.answers.get(n),
                    rows: self.answers.rows(n).map(<[f64]>::to_vec),
                })
                .collect(),
            count: self.count,
            forgotten: self.forgotten,
            forgotten_log_evidence: self.forgotten_log_evidence,
            log_evidence: self.log_evidence,
            priors: self.priors.clone(),
        }
    }

    /// Takes up where a state was saved: the same answers lead to the same numbers, to the bit.
    ///
    /// # Errors
    /// [`Error::ModelParts`] if the parts do not fit together, as in a damaged file, and those of [`StreamingModel::new`].
    pub fn resume(state: State) -> Result<Self, Error> {
        let noise = state.settings.noise;
        Self::resume_with(state, Arc::default(), noise.into())
    }

    /// As [`StreamingModel::resume`], of a model with `responses` at these values of their parameters, which a state does not hold.
    ///
    /// # Errors
    /// As [`StreamingModel::resume`].
    pub fn resume_with(state: State, responses: Arc<Responses>, values: Values) -> Result<Self, Error> {
        if state.version != VERSION {
            return Err(broken("the streaming state has a version that this program does not know"));
        }
        state.settings.check()?;
        state.check_numbers()?;
        let kept = state
            .kept_answers()
            .ok_or(broken("an answer about a set is not whole in the streaming state"))?;
        let dims = state.basis.first().map_or(0, |row| row.features.len());
        if state.basis.iter().any(|row| row.features.len() != dims) {
            return Err(broken("the basis points of the streaming state have rows of different lengths"));
        }
        let ids = state.basis.iter().map(|row| row.id).collect();
        let points =
            Points::new(ids, dims, state.basis.iter().flat_map(|row| &row.features).copied().collect());
        let basis = Basis::with_jitter(state.kernel, points, state.settings.jitter)?;
        let n = basis.len();
        if ![&state.belief, &state.base].into_iter().all(|b| is_belief(b, n)) {
            return Err(broken("the streaming state's belief does not fit its basis"));
        }
        if state.priors.len() != basis.kernel().parameters().len()
            || state.priors.iter().any(|p| !(p.median > 0.0 && p.sd >= 0.0))
        {
            return Err(broken("the streaming state's priors do not fit its kernel"));
        }
        let fits = state.answers.len() <= state.settings.memory
            && state.forgotten.checked_add(kept) == Some(state.count);
        if !fits || ![state.forgotten_log_evidence, state.log_evidence].iter().all(|x| x.is_finite()) {
            return Err(broken("the streaming state's answers do not fit its counts"));
        }
        let mut answers = Answers::new(state.settings.memory, n, dims);
        let blank = vec![0.0; n];
        for SavedAnswer { kept, rows } in &state.answers {
            let numbers = [kept.residual, kept.site.tau, kept.site.nu, kept.log_probability];
            let good = numbers.iter().chain(rows.iter().flatten()).all(|x| x.is_finite());
            if !good || !kept.kind.is_sound() || rows.iter().any(|row| row.len() != dims) {
                return Err(broken("an answer of the streaming state is not a row of finite numbers"));
            }
            answers.push(*kept, &blank, [&rows[0], &rows[1]]);
        }
        let mut model = Self {
            belief: state.belief,
            base: state.base,
            answers,
            count: state.count,
            forgotten: state.forgotten,
            forgotten_log_evidence: state.forgotten_log_evidence,
            log_evidence: state.log_evidence,
            priors: state.priors,
            likelihoods: Arc::new(responses.likelihoods(&values)),
            responses,
            values,
            features: vec![0.0; n],
            scratch: vec![0.0; n],
            basis,
            settings: state.settings,
        };
        (0..model.answers.len()).try_for_each(|n| model.check_response(model.answers.get(n).kind))?;
        model.project_kept().ok_or(broken("the streaming state's answers are too far from its basis"))?;
        Ok(model)
    }
}

impl State {
    /// The rate of lapses of choices.
    pub(crate) fn lapse(&self) -> f64 {
        self.settings.lapse
    }

    /// About how many bytes [`StreamingModel::resume`] takes: the answers kept, each with a number for every basis point.
    pub(crate) fn bytes_needed(&self) -> u64 {
        matrix(self.basis.len(), self.answers.len() + MATRICES as usize * self.basis.len())
    }

    /// Number of answers that are kept; `None` if one about a set is not all of its pairs in their order, or is there with a half-life.
    fn kept_answers(&self) -> Option<u64> {
        let half_life = self.settings.forgetting.half_life().is_some();
        let (mut kept, mut rest) = (0, self.answers.as_slice());
        while let Some(first) = rest.first() {
            let of_answer = rest.get(..first.kept.kind.records())?;
            let whole = |(n, saved): (usize, &SavedAnswer)| saved.kept.kind.is_record(n, first.kept.kind);
            if !of_answer.iter().enumerate().all(whole) || (half_life && first.kept.kind.set().is_some()) {
                return None;
            }
            rest = &rest[of_answer.len()..];
            kept += 1;
        }
        Some(kept)
    }

    /// Whether every number is one that a model can have.
    fn check_numbers(&self) -> Result<(), Error> {
        let beliefs = [&self.belief, &self.base].map(|belief| &belief.mean);
        let sites = Sites {
            tau: self.answers.iter().map(|answer| answer.kept.site.tau).collect(),
            nu: self.answers.iter().map(|answer| answer.kept.site.nu).collect(),
        };
        bounds::check(&sites, &[], &[])?;
        bounds::check_numbers(self.basis.iter().map(|row| &row.features))?;
        bounds::check_numbers(self.answers.iter().flat_map(|answer| &answer.rows))?;
        bounds::check_numbers(beliefs.into_iter())
    }
}

fn broken(what: &'static str) -> Error {
    Error::ModelParts { what }
}

fn is_belief(belief: &Belief, n: usize) -> bool {
    let Belief { mean, covariance } = belief;
    mean.len() == n
        && (covariance.rows(), covariance.cols(), covariance.data().len()) == (n, n, n * n)
        && mean.iter().chain(covariance.data()).all(|x| x.is_finite())
}

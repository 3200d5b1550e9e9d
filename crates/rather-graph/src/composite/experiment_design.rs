//! Which setting to try next, as a node.

use std::fmt;
use std::sync::Arc;

use super::{Composite, gp_prediction};
use crate::error::{GraphError, Problem};
use crate::message::{Message, Moment};
use crate::node::{Node, named};
use crate::structure::Graph;
use rather::points::Points;
use rather_numerics::linalg::Matrix;

/// Scores of candidates from the belief about their values.
type Rule = dyn Fn(&Moment) -> Vec<f64> + Send + Sync;

/// The acquisition function as a node: from the belief about the values of `n` candidates to a score for each.
///
/// # Formula
/// Any function of $\mathcal N(\mu,\Sigma)$. Scores are numbers, not random: a message with covariance 0. Forward only.
///
/// # References
/// Schoonderbeek (2014), section VI, message 3.
#[derive(Clone)]
pub struct Scores {
    name: String,
    candidates: usize,
    rule: Arc<Rule>,
}

impl fmt::Debug for Scores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scores")
            .field("name", &self.name)
            .field("candidates", &self.candidates)
            .finish_non_exhaustive()
    }
}

impl Scores {
    /// The node that scores `candidates` values by `rule`, named as it is drawn.
    pub fn new(
        name: &str,
        candidates: usize,
        rule: impl Fn(&Moment) -> Vec<f64> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), candidates, rule: Arc::new(rule) }
    }
}

impl Node for Scores {
    fn symbol(&self) -> String {
        self.name.clone()
    }

    fn ports(&self) -> Vec<String> {
        named(["values", "scores"])
    }

    fn points_out(&self, port: usize) -> bool {
        port == 1
    }

    fn lengths(&self, _given: &[usize]) -> Vec<usize> {
        vec![self.candidates; 2]
    }

    fn send(&self, port: usize, incoming: &[&Message]) -> Result<Message, Problem> {
        if port == 0 {
            return Err(Problem::OneWay { kind: "score" });
        }
        let scores = (self.rule)(&incoming[0].moment_on("port values")?);
        if scores.len() != self.candidates || scores.iter().any(|s| s.is_nan()) {
            return Err(Problem::NotFinite);
        }
        Ok(Message::constant(&scores))
    }
}

/// The setting with the highest score.
///
/// # Formula
/// $\delta(x-\arg\max h)$: a point on a setting, the first of equals; forward only.
///
/// # References
/// Schoonderbeek (2014), equation 30 and section VI, message 4.
#[derive(Debug, Clone, PartialEq)]
pub struct ArgMax {
    settings: Points,
}

impl ArgMax {
    /// The node that chooses among `settings`.
    pub fn new(settings: Points) -> Self {
        Self { settings }
    }
}

impl Node for ArgMax {
    fn symbol(&self) -> String {
        "arg max".into()
    }

    fn ports(&self) -> Vec<String> {
        named(["scores", "setting"])
    }

    fn points_out(&self, port: usize) -> bool {
        port == 1
    }

    fn lengths(&self, _given: &[usize]) -> Vec<usize> {
        vec![self.settings.len(), self.settings.dims()]
    }

    fn send(&self, port: usize, incoming: &[&Message]) -> Result<Message, Problem> {
        if port == 0 {
            return Err(Problem::OneWay { kind: "arg max" });
        }
        let scores = incoming[0].moment_on("port scores")?;
        let mut best = 0;
        for (i, score) in scores.mean().iter().enumerate() {
            if *score > scores.mean()[best] {
                best = i;
            }
        }
        Ok(Message::constant(self.settings.row(best)))
    }
}

/// Prediction of candidate settings, their scores, and the best of them in one box.
///
/// Outside edges: `basis` (the values at the basis points) and `setting`. `weights` and `residual` are those of
/// [`gp_prediction`] for the candidates together.
///
/// # Errors
/// Those of [`gp_prediction`]; [`GraphError::Shape`] if the candidates differ in number.
///
/// # References
/// Schoonderbeek (2014), Figure 13.
pub fn experiment_design(
    name: &str,
    (weights, residual): (Matrix, Matrix),
    scores: Scores,
    settings: Points,
) -> Result<Composite, GraphError> {
    let mut graph = Graph::new();
    let basis = graph.edge("basis", weights.cols())?;
    let values = graph.edge("values", weights.rows())?;
    let graded = graph.edge("scores", weights.rows())?;
    let setting = graph.edge("setting", settings.dims())?;
    graph.node("prediction", gp_prediction("GPP", weights, residual)?, &[basis, values])?;
    graph.node("active learning", scores, &[values, graded])?;
    graph.node("choice", ArgMax::new(settings), &[graded, setting])?;
    Composite::new(name, graph, &[basis, setting])
}

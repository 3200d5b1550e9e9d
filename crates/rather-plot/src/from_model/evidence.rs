//! The evidence of the model's comparisons under other hyperparameters.

use rather::evidence::Problem;
use rather::features::Encoding;
use rather::inference::sites::Sites;
use rather::inference::{Method, Settings};
use rather::kernel::Role;
use rather::learn::Hyperparameters;
use rather::model::Model;
use rather::watch::Steps;
use rather_numerics::parallel;

use crate::{Error, Mark, Surface};

/// Where the evidence is computed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EvidenceGrid {
    /// The hyperparameter on the horizontal axis: its name, as `fit` reports it, or that without the kernel's or without
    /// the feature's, if it means one only. If `None`, the first lengthscale, or the last hyperparameter of a kernel without one.
    pub x: Option<String>,
    /// The hyperparameter on the vertical axis. If `None`, the first variance.
    pub y: Option<String>,
    /// Settings along either axis; if `None`, 41, or fewer (at least 11) if the model is large.
    pub size: Option<usize>,
}

/// Floating-point operations that a surface may cost unless its size is given: some two minutes on two cores.
const WORK: f64 = 1e12;
/// Sweeps that inference needs for a setting, about.
const SWEEPS: f64 = 15.0;

impl EvidenceGrid {
    /// Settings along either axis for this model.
    pub fn size_for(&self, model: &Model) -> usize {
        let items = model.compared().len();
        let rank = model.posterior().map_or(items, |posterior| posterior.prior().rank()) as f64;
        let edges = model.observations().edges.len() as f64;
        let once = SWEEPS * rank * rank * (rank + 2.0 * edges);
        self.size.unwrap_or(((WORK / once.max(1.0)).sqrt() as usize).clamp(11, 41)).max(2)
    }
}

/// One axis.
struct Axis {
    entry: usize,
    name: String,
    /// Units of the figure in one unit of the model.
    unit: f64,
    values: Vec<f64>,
}

/// The log evidence of the model's comparisons over two hyperparameters around the learned ones, the others as learned.
/// The same for any number of threads.
///
/// # Errors
/// [`Error::UnknownHyperparameter`], [`Error::AmbiguousHyperparameter`], [`Error::SameHyperparameter`]; [`Error::Model`] if
/// a setting is refused.
pub fn evidence(model: &Model, grid: &EvidenceGrid) -> Result<Surface, Error> {
    let size = grid.size_for(model);
    let (x, y) = (
        axis(model, grid.x.as_deref(), Role::Lengthscale, size)?,
        axis(model, grid.y.as_deref(), Role::Variance, size)?,
    );
    if x.entry == y.entry {
        return Err(Error::SameHyperparameter { name: x.name });
    }
    let observations = model.observations();
    let compared = model.compared_points();
    let problem = Problem {
        points: &compared,
        observations,
        method: model.method().approximation(),
        space: Some(model.posterior()?.prior().space),
        inducing: model.inducing(),
    };
    let steps = Steps::start("evidence", size * size);
    let row = |k: usize| row(&problem, model.hyperparameters(), (&x, &y), y.values[k], &steps);
    let rows: Vec<Vec<Option<f64>>> =
        parallel::map(y.values.len(), 1, row).into_iter().collect::<Result<_, Error>>()?;
    let entries = &model.hyperparameters().entries;
    let learned = Mark {
        name: "learned".to_owned(),
        x: entries[x.entry].value * x.unit,
        y: entries[y.entry].value * y.unit,
    };
    let priors = entries.iter().any(|e| !e.fixed && e.prior.is_some());
    let mut note = if priors { "What was learned also weighs the weak priors." } else { "" }.to_owned();
    if matches!(model.method(), Method::Exact | Method::Streaming) {
        note = format!("Evidence by expectation propagation. {note}").trim_end().to_owned();
    }
    let shown = |axis: &Axis| axis.values.iter().map(|v| v * axis.unit).collect();
    Ok(Surface {
        logarithmic: true,
        x: shown(&x),
        y: shown(&y),
        x_name: x.name,
        y_name: y.name,
        log_evidence: rows.concat(),
        marks: vec![learned],
        note,
    })
}

/// The evidence along `x`, each setting from the sites of the one before.
fn row(
    problem: &Problem<'_>,
    learned: &Hyperparameters,
    (x, y): (&Axis, &Axis),
    v: f64,
    steps: &Steps,
) -> Result<Vec<Option<f64>>, Error> {
    let settings = Settings { tolerance: 1e-5, sweeps: 100, sequential_sweeps: 30, ..Settings::default() };
    let mut sites: Option<Sites> = None;
    let mut hyperparameters = learned.clone();
    let mut values: Vec<f64> = learned.entries.iter().map(|e| e.value).collect();
    let mut out = Vec::with_capacity(x.values.len());
    for &u in &x.values {
        rather::watch::check().map_err(rather::Error::from)?;
        (values[x.entry], values[y.entry]) = (u, v);
        hyperparameters.set(&values)?;
        let found = problem
            .evaluate(&hyperparameters.kernel, hyperparameters.values(), sites.as_ref(), &settings)
            .ok();
        let outcome = found.map(|e| e.outcome).filter(|o| o.trustworthy);
        out.push(outcome.as_ref().map(|o| o.log_evidence));
        sites = outcome.map(|o| o.sites);
        steps.add(1);
    }
    Ok(out)
}

/// The hyperparameter called `name`, or the first with `role`; of a kernel without such a one, the last.
fn find(model: &Model, name: Option<&str>, role: Role) -> Result<usize, Error> {
    let hyperparameters = model.hyperparameters();
    let entries = &hyperparameters.entries;
    let Some(name) = name else {
        let first = hyperparameters.kernel.parameters().iter().position(|p| p.role == role);
        return Ok(first.unwrap_or(entries.len() - 1));
    };
    let listed = |which: &[usize]| {
        let names: Vec<&str> = which.iter().map(|&i| entries[i].name.as_str()).collect();
        names.join(", ")
    };
    let named = hyperparameters.named(name);
    match named[..] {
        [entry] => Ok(entry),
        [] => {
            let known = listed(&(0..entries.len()).collect::<Vec<_>>());
            Err(Error::UnknownHyperparameter { name: name.to_owned(), known })
        }
        _ => Err(Error::AmbiguousHyperparameter { name: name.to_owned(), matches: listed(&named) }),
    }
}

/// Values of a hyperparameter around the learned one.
fn axis(model: &Model, name: Option<&str>, role: Role, size: usize) -> Result<Axis, Error> {
    let entry = find(model, name, role)?;
    let hyperparameters = model.hyperparameters();
    let entries = &hyperparameters.entries;
    let value = entries[entry].value;
    let parameter = hyperparameters.kernel.parameters().get(entry).cloned();
    let reach: f64 = match parameter.as_ref().map(|p| p.role) {
        Some(Role::Variance) => 100.0,
        Some(Role::Lengthscale) => 20.0,
        Some(Role::Period | Role::Shape) | None => 10.0,
    };
    let step = |i: usize| 2.0 * i as f64 / (size - 1) as f64 - 1.0;
    let unit = model.reported_hyperparameters()[entry].1 / value;
    let full = &entries[entry].name;
    Ok(Axis {
        entry,
        name: format!("{full} ({})", unit_of(model, parameter.as_ref())),
        unit,
        values: (0..size).map(|i| value * reach.powf(step(i))).collect(),
    })
}

/// In which unit a hyperparameter is shown.
fn unit_of(model: &Model, parameter: Option<&rather::kernel::Parameter>) -> String {
    let features = &model.encoder().features;
    let standardised =
        features.iter().any(|(_, e)| matches!(e, Encoding::Numeric { scale, .. } if *scale != 1.0));
    match parameter.map(|p| (p.role, p.dim)) {
        None => "in units of utility".to_owned(),
        Some((Role::Variance, _)) => "in squared units of utility".to_owned(),
        Some((Role::Shape, _)) => "no unit".to_owned(),
        Some((_, Some(dim))) => format!("in units of {}", model.columns()[dim]),
        Some((_, None)) if standardised => "in standard deviations of the features".to_owned(),
        Some((_, None)) => "in units of the features".to_owned(),
    }
}

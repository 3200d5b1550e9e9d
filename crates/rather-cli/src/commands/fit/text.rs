//! What `rather fit` prints for people.

use super::Learned;
use super::report::{Kinds, Parameter, Run, chosen, tried};
use crate::ranking::{self, Line};
use crate::sampled::{Sampled, method_name};
use crate::table::{Side, Table, count, counted, number, wrap};
use rather::Person;
use rather::exact::ExactFit;
use rather::inference::Status;
use rather::inference::prior::Space;
use rather::learn::Scale;
use rather::learn::choice::Tried;
use rather::model::{FitReport, Model, Notice, StreamingFit};
use rather::representation::{Because, Decision};
use rather_io::Saved;

/// So many items are shown whole; of more, the first [`SHOWN`].
const SHOWN_WHOLE: usize = 20;
const SHOWN: usize = 10;

/// The page.
pub(super) fn describe(learned: &Learned<'_>) -> String {
    let parts = [
        Some(header(learned)),
        columns(learned),
        kernels(tried(learned.model)),
        Some(hyperparameters(learned)),
        weights(learned.model),
        worth(learned.model),
        weighed(learned.model),
        Some(convergence(learned)),
        Some(shown_ranking(learned)),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

fn header(learned: &Learned<'_>) -> String {
    let items = learned.person.items().keys().len();
    let compared = learned.person.compared().len();
    let never = if compared < items {
        format!(" ({} never compared)", count((items - compared) as u64))
    } else {
        String::new()
    };
    let users = learned.users as u64;
    let users = if users > 0 { format!(", {}", counted(users, "user")) } else { String::new() };
    let kind = match learned.model {
        Saved::Single(_) => String::new(),
        Saved::Many(model) => format!(", {} model", model.kind().name()),
    };
    let said = Kinds::of(learned.person.responses()).sentence();
    wrap(&format!("{}{never}, {said}{users}{kind}", counted(items as u64, "item")))
}

/// How the columns of items were read, if there are any.
fn columns(learned: &Learned<'_>) -> Option<String> {
    (!learned.columns.is_empty()).then(|| wrap(&format!("features: {}", rather_io::told(learned.columns))))
}

fn kernel_name(expression: &str, ard: bool) -> String {
    format!("{expression}{}", if ard { ", a lengthscale each" } else { "" })
}

/// The kernels tried, if there was a choice.
fn kernels(tried: &[Tried]) -> Option<String> {
    if tried.len() < 2 {
        return None;
    }
    let best = chosen(tried);
    let averaged = tried.iter().any(|this| this.weight > 0.0);
    let columns = [
        ("kernel tried", Side::Left),
        ("log evidence", Side::Right),
        ("score", Side::Right),
        (if averaged { "weight" } else { "" }, if averaged { Side::Right } else { Side::Left }),
    ];
    let mut table = Table::new(columns);
    for this in tried {
        let mark = match this.weight {
            weight if weight > 0.0 => format!("{weight:.2}"),
            _ if best == Some(this) && !averaged => "chosen".to_owned(),
            _ => String::new(),
        };
        let [evidence, score] = [this.log_evidence, this.score].map(|x| format!("{x:.2}"));
        table.push([kernel_name(&this.kernel.expression, this.kernel.ard), evidence, score, mark]);
    }
    Some(table.render())
}

fn hyperparameters(learned: &Learned<'_>) -> String {
    let tried = tried(learned.model);
    let kernels = tried.iter().filter(|tried| tried.weight > 0.0).count();
    let best = if kernels > 1 { format!(", the best of {kernels}") } else { String::new() };
    let ard = chosen(tried).is_some_and(|t| t.kernel.ard);
    let kernel = kernel_name(&learned.person.kernel_expression(), ard);
    let mut notes = vec![units(learned.person)];
    let (table, functions) = match learned.model {
        Saved::Single(model) => {
            let parameters = Parameter::all(model);
            if parameters.iter().any(|p| p.prior.is_some()) {
                notes.push("--no-priors switches the priors off, --fix NAME=VALUE fixes a value.".to_owned());
            }
            notes.extend(averaged(model, kernels));
            (with_priors(&parameters), None)
        }
        Saved::Many(model) => (without_priors(model.reported_hyperparameters()), model.functions()),
    };
    let functions = functions.map(|n| format!(", up to {}", counted(n as u64, "latent function")));
    let kernel = wrap(&format!("kernel {kernel}{best}{}", functions.unwrap_or_default()));
    format!("{kernel}\n{}{}", table.render(), wrap(&notes.join(" ")))
}

/// What a unit of each column of `linear` is worth.
fn weights(model: &Saved) -> Option<String> {
    let Saved::Single(model) = model else { return None };
    let weights = model.weights();
    let columns = [
        ("one unit of", Side::Left),
        ("utility", Side::Right),
        ("± sd", Side::Left),
        ("95 % interval", Side::Left),
    ];
    let mut table = Table::new(columns);
    for (column, mean, sd) in &weights {
        let interval = format!("{} to {}", number(mean - WIDE * sd), number(mean + WIDE * sd));
        table.push([column.clone(), number(*mean), format!("± {}", number(*sd)), interval]);
    }
    (!weights.is_empty()).then(|| table.render())
}

/// Standard deviations of half a 95 % interval.
const WIDE: f64 = 1.959_963_984_540_054;

fn with_priors(parameters: &[Parameter]) -> Table {
    let columns = [
        ("hyperparameter", Side::Left),
        ("value", Side::Right),
        ("prior median", Side::Right),
        ("prior sd", Side::Left),
    ];
    let mut table = Table::new(columns);
    for p in parameters {
        let (median, spread) = match &p.prior {
            Some(prior) => (number(prior.median), spread(p.scale, prior.log_sd)),
            None => (String::new(), if p.fixed { "fixed" } else { "no prior" }.to_owned()),
        };
        table.push([p.name.clone(), number(p.value), median, spread]);
    }
    table
}

fn without_priors(parameters: Vec<(String, f64)>) -> Table {
    let mut table = Table::new([("hyperparameter", Side::Left), ("value", Side::Right)]);
    parameters.into_iter().for_each(|(name, value)| table.push([name, number(value)]));
    table
}

/// What predictions average over.
fn averaged(model: &Model, kernels: usize) -> Option<String> {
    let settings = model.belief().mixture()?.components().len();
    let kernels = if kernels > 1 { format!("{kernels} kernels and of their") } else { "the".to_owned() };
    Some(format!(
        "These are the values of maximal evidence; predictions average over {settings} settings of {kernels} hyperparameters, weighted by \
         their posterior probability (--hyperparameters maximise takes the best alone)."
    ))
}

/// What the features are worth.
fn worth(model: &Saved) -> Option<String> {
    let Saved::Single(model) = model else { return None };
    let share = 100.0 * model.explained()?;
    let sentence = match share {
        s if s < 0.5 => {
            "The features explain nothing of the differences between items; the effects of the items themselves explain all.".to_owned()
        }
        s if s >= 99.5 => "The features explain all of the differences between items.".to_owned(),
        _ => format!(
            "The features explain {share:.0} % of the differences between items, effects of the items themselves the rest."
        ),
    };
    Some(wrap(&sentence))
}

/// How much older answers count.
fn weighed(model: &Saved) -> Option<String> {
    let Saved::Single(model) = model else { return None };
    let half_life = model.report().half_life?;
    let total = model.observations().total();
    Some(wrap(&format!(
        "An answer counts half after {half_life} others; all of them together count as {total:.1} new ones."
    )))
}

/// How wide a prior is.
fn spread(scale: Scale, sd: f64) -> String {
    match scale {
        Scale::Log => format!("log-sd {sd:.2}"),
        Scale::Linear(unit) => format!("sd {}", number(sd * unit)),
        Scale::Logit => format!("logit-sd {sd:.2}"),
    }
}

/// In which units the lengthscales are.
fn units(person: &Person<'_>) -> String {
    use rather::features::Encoding;
    let roles = person.hyperparameters().kernel.parameters();
    let lengths = || roles.iter().filter(|p| p.role == rather::kernel::Role::Lengthscale);
    let features = &person.items().encoder().features;
    let standardised =
        features.iter().any(|(_, e)| matches!(e, Encoding::Numeric { scale, .. } if *scale != 1.0));
    match (lengths().any(|p| p.dim.is_none()), lengths().count()) {
        (_, 0) => String::new(),
        (true, _) if standardised => "A lengthscale is in standard deviations of the features.".to_owned(),
        _ => "A lengthscale is in the units of its feature.".to_owned(),
    }
}

/// How inference went.
fn convergence(learned: &Learned<'_>) -> String {
    match learned.model {
        Saved::Single(model) => of_one(model, learned),
        Saved::Many(_) => ended("", "cycle", None, learned),
    }
}

fn of_one(model: &Model, learned: &Learned<'_>) -> String {
    let (report, seconds) = (model.report(), learned.seconds);
    if let Some(exact) = &report.exact {
        return sampled(exact, seconds) + &wrap(memory(report).trim_start_matches(". "));
    }
    if let Some(streaming) = &report.streaming {
        return streamed(report, streaming, seconds);
    }
    let method = method_name(model.method());
    let over = match model.belief().space() {
        Space::Items => "items",
        Space::Pairs => "pairs of items",
    };
    let sparse = report.sparse.map_or(String::new(), |sparse| wrap(&sparse.to_string()));
    let text = ended(&format!("{method} over {over} "), "sweep", Some(report), learned);
    // What is worth a warning has been said.
    let warned = report.notices.iter().any(|notice| matches!(notice, Notice::Rough { .. }));
    let low_rank = report
        .low_rank
        .filter(|_| !warned)
        .map_or(String::new(), |fit| wrap(&format!("Approximation: {fit}.")));
    text + &low_rank + &sparse
}

/// How a run of `method`, in sweeps or cycles, ended.
fn ended(method: &str, sweep: &str, report: Option<&FitReport>, learned: &Learned<'_>) -> String {
    let Run { log_evidence, sweeps, residual, status } = Run::of(learned.model);
    let evidence = match learned.model {
        Saved::Single(_) => "log evidence",
        Saved::Many(model) => model.kind().evidence_name(),
    };
    let how = match status {
        Status::Converged => "converged",
        Status::Stalled => "stalled at rounding error",
        Status::Limit => "did NOT converge",
    };
    let correction = report.and_then(|report| report.evidence_correction).filter(|nats| nats.abs() >= 0.005);
    let corrected =
        correction.map_or(String::new(), |nats| format!(" (corrected {:.3})", log_evidence + nats));
    wrap(&format!(
        "{evidence} {log_evidence:.3}{corrected}; {method}{how} (residual {residual:.1e}, {}); {:.2} seconds{}",
        counted(sweeps as u64, sweep),
        learned.seconds,
        report.map_or(String::new(), held)
    ))
}

/// How the prior was held and why, where that was a decision, and in how much memory.
fn held(report: &FitReport) -> String {
    let how = match report.representation {
        Some(Decision { because: Because::Small | Because::Needed, .. }) | None => String::new(),
        Some(held) => format!(". Prior: {held}"),
    };
    how + &memory(report)
}

/// The memory that was estimated before the fit.
fn memory(report: &FitReport) -> String {
    let estimated = report.representation.and_then(|held| held.memory());
    estimated.map_or(String::new(), |estimated| format!(". Memory: {estimated}"))
}

/// How streaming inference went.
fn streamed(report: &FitReport, streaming: &StreamingFit, seconds: f64) -> String {
    let &StreamingFit { answers, kept, basis } = streaming;
    let kept =
        if kept as u64 == answers { "all kept".to_owned() } else { format!("{} kept", count(kept as u64)) };
    let sweeps = counted(report.sweeps as u64, "sweep");
    wrap(&format!(
        "log evidence {:.3}; one pass over {} on {}, {kept} and refined (residual {:.1e}, {sweeps}); {seconds:.2} \
         seconds",
        report.log_evidence,
        counted(answers, "answer"),
        counted(basis as u64, "basis point"),
        report.residual
    ))
}

/// How exact inference went.
fn sampled(exact: &ExactFit, seconds: f64) -> String {
    let ep = exact.approximate_log_evidence;
    let evidence = match exact.log_evidence {
        Some(z) => {
            format!("log evidence {:.3} ± {:.1e}, by expectation propagation {ep:.3}", z.value, z.error)
        }
        None => format!("log evidence {ep:.3} by expectation propagation"),
    };
    wrap(&format!("{evidence}; {}; {seconds:.2} seconds", Sampled::new(&exact.sampling).sentence()))
}

fn shown_ranking(learned: &Learned<'_>) -> String {
    let all = learned.ranking.len();
    let table = Line::table(&learned.ranking, if all <= SHOWN_WHOLE { all } else { SHOWN });
    let units = ranking::units(learned.person.hyperparameters());
    match learned.model {
        Saved::Single(_) => format!("{table}\n{}", wrap(&units)),
        Saved::Many(_) => {
            let spread = "The sd includes the variation between users; rank --user U shows one user.";
            format!("Users on average:\n{table}\n{}", wrap(&format!("{units} {spread}")))
        }
    }
}

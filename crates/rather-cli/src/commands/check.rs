//! `rather check`: how far a model's approximation is from the exact posterior.

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::fitted::Fitted;
use crate::output::Output;
use crate::people;
use crate::sampled::{Sampled, method_name};
use crate::table::{Side, Table, count, counted, wrap};
use rather::Goodness;
use rather::check::{Check, CheckSettings, Deviation, Verdict, check, check_user};
use rather::inference::{Method, Status};
use rather::many::Population;
use rather::model::Model;
use rather_io::quote;
use serde::Serialize;
use std::time::Instant;

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    inference: Method,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
    items: usize,
    comparisons: u64,
    /// Of how many, where a part was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<Of>,
    converged: bool,
    residual: f64,
    means: Means,
    sd_ratio: Ratio,
    probabilities: Probabilities,
    sharp: Option<Sharp>,
    evidence: Evidence,
    sampler: Sampled,
    verdict: &'static str,
    sentence: String,
    goodness: Option<Fit>,
    seconds: f64,
}

/// What was observed against what the model expects.
#[derive(Serialize)]
struct Fit {
    repeated_pairs: usize,
    dispersion: f64,
    dispersion_p: f64,
    triads: usize,
    circular: usize,
    expected_circular: f64,
    circular_p: f64,
}

#[derive(Serialize)]
struct Of {
    items: usize,
    comparisons: u64,
}

#[derive(Serialize)]
struct Means {
    largest: f64,
    median: f64,
    error: f64,
    within_sampling_error: bool,
}

#[derive(Serialize)]
struct Ratio {
    smallest: f64,
    median: f64,
    largest: f64,
    error: f64,
    within_sampling_error: bool,
}

#[derive(Serialize)]
struct Probabilities {
    pairs: usize,
    largest: f64,
    mean: f64,
    error: f64,
    within_sampling_error: bool,
}

#[derive(Serialize)]
struct Sharp {
    pairs: usize,
    gaussian_largest: f64,
    gaussian_mean: f64,
    largest: f64,
    mean: f64,
    error: f64,
    within_sampling_error: bool,
}

#[derive(Serialize)]
struct Evidence {
    approximate: f64,
    exact: Option<f64>,
    error: Option<f64>,
}

/// What was checked, and how its fit ended.
struct Subject<'a> {
    user: Option<&'a str>,
    status: Status,
    residual: f64,
    /// Whether the model has the exact posterior.
    exact: bool,
}

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, seed: u64, mut out: Output) -> Result<(), Failure> {
    let start = Instant::now();
    let fitted = Fitted::open(&args.model, &mut out)?;
    let settings =
        CheckSettings { exact: crate::inference::sampling(Some(args.samples), seed), ..Default::default() };
    let (subject, found) = match fitted.many() {
        Some(population) => of_user(&fitted, population, args.user.as_deref(), &settings)?,
        None => {
            people::refuse(&fitted, args.user.is_some().then_some("--user"))?;
            of_model(fitted.single()?, &settings)?
        }
    };
    let goodness = match fitted.many() {
        Some(_) => None,
        None => fitted.single()?.goodness(seed)?,
    };
    let report = Report::new(&subject, &found, goodness, start.elapsed().as_secs_f64());
    if out.json { out.json(&report) } else { out.text(&describe(&subject, &found, &report)) }
}

fn of_model(model: &Model, settings: &CheckSettings) -> Result<(Subject<'static>, Check), Failure> {
    let report = model.report();
    let exact = model.method() == Method::Exact;
    let subject = Subject { user: None, status: report.status, residual: report.residual, exact };
    Ok((subject, check(model, settings)?))
}

fn of_user<'a>(
    fitted: &Fitted<'_>,
    population: &Population,
    user: Option<&'a str>,
    settings: &CheckSettings,
) -> Result<(Subject<'a>, Check), Failure> {
    let path = fitted.path.display();
    let Some(name) = user else {
        return Err(Failure::User(format!("{path} is a model of many users; choose one with --user")));
    };
    let Some(row) = population.users().position(name) else {
        return Err(people::unknown(fitted.path, population, name));
    };
    let report = population.model().report();
    let subject = Subject { user, status: report.status, residual: report.residual, exact: false };
    match check_user(population, row, settings) {
        Err(rather::Error::NoComparisons) => Err(Failure::User(format!(
            "{path} has no answers of the user {}, so there is nothing to check; choose another user",
            quote(name)
        ))),
        found => Ok((subject, found?)),
    }
}

impl<'a> Report<'a> {
    fn new(subject: &Subject<'a>, found: &Check, goodness: Option<Goodness>, seconds: f64) -> Self {
        let &Check { agreement, exact_log_evidence, .. } = found;
        let (means, sd, p) = (agreement.means, agreement.sd_ratio, agreement.probabilities);
        Self {
            inference: found.method,
            user: subject.user,
            items: found.part.map_or(found.items, |part| part.items),
            comparisons: found.part.map_or(found.answers, |part| part.answers) as u64,
            part: found.part.map(|_| Of { items: found.items, comparisons: found.answers as u64 }),
            converged: subject.status == Status::Converged,
            residual: subject.residual,
            means: Means {
                largest: means.largest,
                median: means.median,
                error: means.error,
                within_sampling_error: means.within_error,
            },
            sd_ratio: Ratio {
                smallest: sd.smallest,
                median: sd.median,
                largest: sd.largest,
                error: sd.error,
                within_sampling_error: sd.within_error,
            },
            probabilities: Probabilities {
                pairs: agreement.pairs,
                largest: p.largest,
                mean: p.mean,
                error: p.error,
                within_sampling_error: p.within_error,
            },
            sharp: found.sharper.map(|s| Sharp {
                pairs: s.pairs,
                gaussian_largest: s.gaussian.largest,
                gaussian_mean: s.gaussian.mean,
                largest: s.sharp.largest,
                mean: s.sharp.mean,
                error: s.sharp.error,
                within_sampling_error: s.sharp.within_error,
            }),
            evidence: Evidence {
                approximate: found.log_evidence,
                exact: exact_log_evidence.map(|z| z.value),
                error: exact_log_evidence.map(|z| z.error),
            },
            sampler: Sampled::new(&found.sampling),
            verdict: match found.verdict {
                Verdict::Good => "good",
                Verdict::Usable => "usable",
                Verdict::Poor => "poor",
                Verdict::Unsettled => "unsettled",
            },
            sentence: sentence(subject, found),
            goodness: goodness.map(|g| Fit {
                repeated_pairs: g.repeated_pairs,
                dispersion: g.dispersion,
                dispersion_p: g.dispersion_p,
                triads: g.triads,
                circular: g.circular,
                expected_circular: g.expected_circular,
                circular_p: g.circular_p,
            }),
            seconds,
        }
    }
}

/// The verdict in one sentence.
fn sentence(subject: &Subject<'_>, found: &Check) -> String {
    let (means, p, sd) = (found.agreement.means, found.agreement.probabilities, found.agreement.sd_ratio);
    let method = method_name(found.method);
    let far = format!(
        "at most {:.3} standard deviations in a mean utility and {:.4} in a probability",
        means.largest, p.largest
    );
    let off = if means.within_error && p.within_error && sd.within_error {
        format!("{method} differs from the exact posterior by no more than sampling error: by {far}")
    } else {
        format!("{method} is off by {far}")
    };
    let seen = format!(
        "{off}, and its standard deviations are {:.2} to {:.2} times the exact ones",
        sd.smallest, sd.largest
    );
    let exact = subject.exact;
    let advice = match (found.verdict, found.method) {
        (Verdict::Good, _) if exact => "the cheaper fit is good enough",
        (Verdict::Good, _) => "its predictions can be taken as they are",
        (_, _) if subject.user.is_some() => {
            "give this user's answers to a model of their own with fit --inference exact"
        }
        (_, _) if exact => "exact inference, which this model uses, is worth its time",
        (Verdict::Usable, Method::Streaming) => {
            "the ranking is reliable; a larger --keep or --inference ep is more accurate"
        }
        (Verdict::Usable, Method::Laplace) => "the ranking is reliable; --inference ep is more accurate",
        (Verdict::Usable | Verdict::Poor, Method::Ep) if found.is_sharp_enough() => {
            "sharper probabilities are what is needed: predict --sharp has them, without another fit"
        }
        (Verdict::Usable, _) => {
            "the ranking is reliable; for more accurate intervals fit again with --inference exact"
        }
        (_, Method::Streaming) => "fit again with a larger --basis or --keep, or with --inference ep",
        (_, Method::Laplace) => "fit again with --inference ep or --inference exact",
        _ => "draws of the exact posterior are what is needed: fit again with --inference exact",
    };
    match found.verdict {
        Verdict::Good => format!("Good: {seen}; {advice}."),
        Verdict::Usable => format!("Usable: {seen}; {advice}."),
        Verdict::Poor => format!("Poor: {seen}; {advice}."),
        Verdict::Unsettled => format!(
            "No verdict: sampling did not converge (split R-hat {:.3}, {} effective samples); take more --samples.",
            found.sampling.r_hat,
            count(found.sampling.effective_samples as u64)
        ),
    }
}

fn describe(subject: &Subject<'_>, found: &Check, report: &Report<'_>) -> String {
    let parts = [
        wrap(&report.sentence),
        differences(found),
        wrap(&spread(found)),
        wrap(&rest(subject, found, report)),
        part(found, report),
        report.goodness.as_ref().map(fits).unwrap_or_default(),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn differences(found: &Check) -> String {
    let mut table = Table::new([
        ("difference from exact", Side::Left),
        ("largest", Side::Right),
        ("typical", Side::Right),
        ("± error", Side::Left),
        ("", Side::Left),
    ]);
    let mut row = |name: String, d: Deviation, typical: f64| {
        let note = if d.within_error { "within sampling error" } else { "" };
        let four = |x: f64| format!("{x:.4}");
        table.push([name, four(d.largest), four(typical), format!("± {}", four(d.error)), note.to_owned()]);
    };
    let agreement = &found.agreement;
    row("mean utility, in sd".into(), agreement.means, agreement.means.median);
    let p = agreement.probabilities;
    row(format!("probability, {}", counted(agreement.pairs as u64, "pair")), p, p.mean);
    if let Some(s) = &found.sharper {
        let pairs = counted(s.pairs as u64, "pair");
        row(format!("the worst {pairs}"), s.gaussian, s.gaussian.mean);
        row("the same with --sharp".into(), s.sharp, s.sharp.mean);
    }
    table.render()
}

/// Whether the answers look as the model expects.
fn fits(fit: &Fit) -> String {
    /// A posterior predictive probability below which something does not fit.
    const SMALL: f64 = 0.05;
    let mut sentences = Vec::new();
    if fit.repeated_pairs > 0 {
        let more = fit.dispersion_p < SMALL;
        let verdict = match more {
            true => {
                "vary more than the model expects, so that intervals may be too narrow (fit --pair-effect learn)"
            }
            false => "vary as the model expects",
        };
        sentences.push(format!(
            "Answers about {} compared repeatedly {verdict}: chi-square {:.2} a pair, where about 1 is expected (p {:.3}).",
            counted(fit.repeated_pairs as u64, "pair"),
            fit.dispersion,
            fit.dispersion_p
        ));
    }
    if fit.triads > 0 {
        let verdict = match fit.circular_p < SMALL {
            true => {
                "more than one scale of utilities explains (several people or several criteria may be mixed)"
            }
            false => "no more than the noise of answers explains",
        };
        sentences.push(format!(
            "Of {} of items compared with each other {} circular (A over B over C over A), {:.1} are expected (p {:.3}): {verdict}.",
            counted(fit.triads as u64, "triad"),
            if fit.circular == 1 { "1 is".to_owned() } else { format!("{} are", count(fit.circular as u64)) },
            fit.expected_circular,
            fit.circular_p
        ));
    }
    if sentences.is_empty() { String::new() } else { wrap(&sentences.join(" ")) }
}

/// What was checked, if not all.
fn part(found: &Check, report: &Report<'_>) -> String {
    let (Some(part), Some(all)) = (&found.part, &report.part) else { return String::new() };
    wrap(&format!(
        "Checked: {} of the {} compared items and the {} among them, of {} (drawn under --seed {}).",
        count(part.items as u64),
        count(all.items as u64),
        counted(part.answers as u64, "answer"),
        count(all.comparisons),
        part.seed
    ))
}

fn spread(found: &Check) -> String {
    let sd = &found.agreement.sd_ratio;
    let note = if sd.within_error { ": no difference beyond sampling error" } else { "" };
    format!(
        "Standard deviations are {:.3} to {:.3} times the exact ones (median {:.3}, ± {:.3}){note}.",
        sd.smallest, sd.largest, sd.median, sd.error
    )
}

fn rest(subject: &Subject<'_>, found: &Check, report: &Report<'_>) -> String {
    let exact = match found.exact_log_evidence {
        Some(z) => format!("exact {:.3} ± {:.1e}", z.value, z.error),
        None => "the exact one is out of reach".to_owned(),
    };
    let fit = match subject.status {
        Status::Converged => "The fit converged".to_owned(),
        Status::Stalled => "The fit stalled at rounding error".to_owned(),
        Status::Limit => "The fit did NOT converge".to_owned(),
    };
    format!(
        "Log evidence {:.3}, {exact}; {}. {fit} (residual {:.1e}). {:.2} seconds.",
        found.log_evidence,
        report.sampler.sentence(),
        report.residual,
        report.seconds
    )
}

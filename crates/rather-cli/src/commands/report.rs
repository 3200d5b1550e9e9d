//! `rather report`: all of a model on one page of HTML that needs nothing else.

use crate::args::ReportArgs;
use crate::failure::Failure;
use crate::fitted::Fitted;
use crate::hint;
use crate::output::Output;
use crate::page::page;
use crate::people::People;
use crate::pool::Pool;
use crate::ranking::{PLACES, Placed, Z95, units};
use crate::table::{count, counted, number};
use maud::{Markup, PreEscaped, html};
use rather::Person;
use rather::explain::Explanation;
use rather::many::Population;
use rather::model::Model;
use rather_plot::{Figure, Look, from_model};
use serde::Serialize;
use std::fs;
use std::path::Path;

/// So many items are in the table and in the figures of the page.
const ITEMS: usize = 30;
const CHOICES: usize = 12;
/// So many features have a figure.
const EFFECTS: usize = 8;
/// The width of figures in pixels: letters stay readable where they shrink to the width of a telephone.
const WIDTH: f64 = 480.0;

/// What `--json` prints.
#[derive(Serialize)]
struct Written<'a> {
    output: &'a Path,
    figures: usize,
    warnings: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(args: &ReportArgs, seed: u64, mut out: Output) -> Result<(), Failure> {
    let extension = args.output.extension().map(|e| e.to_string_lossy().to_lowercase());
    if !matches!(extension.as_deref(), Some("html" | "htm")) {
        return Err(Failure::User(format!(
            "{} is no .html file; end the name of the report in that",
            args.output.display()
        )));
    }
    rather_io::check_writable(&args.output)?;
    let fitted = Fitted::open(&args.model, &mut out)?;
    let person = People::read(&fitted, &args.who, &mut out)?.asked()?;
    let pool = Pool::of_model(fitted.items());
    let page = Page {
        name: args.model.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        who: args.who.user.clone(),
        users: fitted.many().map(|population| population.users().keys().len()),
        model: fitted.single().ok(),
        ranking: Placed::all(&person, &pool, None, seed)?,
        explanation: person.explain(seed)?,
        figures: figures(&person, fitted.single().ok(), fitted.many())?,
        person,
        warnings: warnings(&fitted, &out),
    };
    fs::write(&args.output, page.html().into_string())
        .map_err(|error| Failure::User(format!("could not write {}: {error}", args.output.display())))?;
    if out.json {
        let figures = page.figures.len();
        return out.json(&Written { output: &args.output, figures, warnings: page.warnings.clone() });
    }
    out.text(&format!("saved as {}\n", args.output.display()))
}

/// What the fit and the opening of the file noticed.
fn warnings(fitted: &Fitted<'_>, out: &Output) -> Vec<String> {
    let mut all: Vec<String> = match fitted.many() {
        Some(population) => population.notices().iter().map(ToString::to_string).collect(),
        None => fitted.single().map_or_else(
            |_| Vec::new(),
            |model| model.report().notices.iter().map(hint::with_flags).collect(),
        ),
    };
    let known = |warning: &&String| !all.iter().any(|notice| warning.contains(notice.as_str()));
    let more: Vec<String> = out.warnings().iter().filter(known).cloned().collect();
    all.extend(more);
    all
}

/// A figure of the page, and of what section it is.
struct Drawn {
    section: Section,
    figure: Figure,
}

#[derive(Clone, Copy, PartialEq)]
enum Section {
    Ranking,
    Effects,
}

/// The figures that fit the model.
fn figures(
    person: &Person<'_>,
    model: Option<&Model>,
    population: Option<&Population>,
) -> Result<Vec<Drawn>, Failure> {
    let look = Look { width: Some(WIDTH), ..Look::default() };
    let failed = |error: rather_plot::Error| Failure::User(error.to_string());
    let mut all = Vec::new();
    let ranking = from_model::ranking(person, ITEMS).draw(&look).map_err(failed)?;
    all.push(Drawn { section: Section::Ranking, figure: ranking });
    if let Some(model) = model {
        if let Ok(careers) = from_model::careers(model, 6) {
            all.push(Drawn { section: Section::Ranking, figure: careers.draw(&look).map_err(failed)? });
        }
        let choices = from_model::choices(model, CHOICES).draw(&look).map_err(failed)?;
        all.push(Drawn { section: Section::Ranking, figure: choices });
    }
    if let Some(population) = population {
        let users =
            from_model::users(population, ITEMS).and_then(|users| users.draw(&look)).map_err(failed)?;
        all.push(Drawn { section: Section::Ranking, figure: users });
    }
    for (feature, _) in person.items().encoder().features.iter().take(EFFECTS) {
        let figure =
            from_model::effect(person, feature).and_then(|effect| effect.draw(&look)).map_err(failed)?;
        all.push(Drawn { section: Section::Effects, figure });
    }
    Ok(all)
}

/// All that the page tells.
struct Page<'a> {
    name: String,
    who: Option<String>,
    users: Option<usize>,
    model: Option<&'a Model>,
    person: Person<'a>,
    ranking: Vec<Placed<'a>>,
    explanation: Explanation,
    figures: Vec<Drawn>,
    warnings: Vec<String>,
}

impl Page<'_> {
    fn html(&self) -> Markup {
        let body = html! {
            h1 { "Preferences: " (self.name) }
            @if let Some(who) = &self.who { p { "Of the user " strong { (who) } "." } }
            p.lead { (self.summary()) }
            @if !self.warnings.is_empty() {
                div.warning {
                    h2 { "Warnings" }
                    ul { @for warning in &self.warnings { li { (warning) } } }
                }
            }
            h2 { "Data" }
            (self.data())
            h2 { "Ranking" }
            (self.table())
            p.note { (units(self.person.hyperparameters())) }
            p.note { (PLACES) }
            (self.drawn(Section::Ranking))
            @if !self.explanation.effects.is_empty() {
                h2 { "What features do" }
                p {
                    "Each curve is the utility of an item where only this feature changes, minus the utility at a reference value. Where the \
                     band does not hold 0, the feature matters; at the reference it is 0 by definition."
                }
                (self.importance())
                (self.drawn(Section::Effects))
            }
            h2 { "Model" }
            (self.learned())
            h2 { "How to read this page" }
            (reading())
        };
        page(&format!("Preferences: {}", self.name), body)
    }

    /// The result in a sentence or two.
    fn summary(&self) -> String {
        let Some(best) = self.ranking.first() else { return String::new() };
        let Some(place) = &best.place else { return format!("Best: {}.", best.line.item) };
        let group = self.ranking.iter().filter(|p| p.place.as_ref().is_some_and(|p| p.group == 1)).count();
        let sure = format!(
            "{} has the largest utility, and is the best with a probability of {:.0} %.",
            best.line.item,
            100.0 * place.probability_best
        );
        match group {
            0 | 1 => format!("{sure} It is clearly better than all others."),
            more => {
                format!("{sure} It cannot be distinguished from {}.", counted(more as u64 - 1, "other item"))
            }
        }
    }

    fn data(&self) -> Markup {
        let items = self.person.items();
        let compared = self.person.compared().len();
        let features: Vec<&str> = items.encoder().features.iter().map(|(name, _)| name.as_str()).collect();
        let features = if features.is_empty() { "none".to_owned() } else { features.join(", ") };
        let answers: f64 = self.person.responses().counts.iter().sum();
        html! {
            table.facts {
                tr { th { "Items" } td { (count(items.keys().len() as u64)) ", of which " (count(compared as u64)) " were compared" } }
                tr { th { "Answers" } td { (count(answers as u64)) } }
                @if let Some(users) = self.users { tr { th { "Users" } td { (count(users as u64)) } } }
                tr { th { "Features" } td { (features) } }
            }
        }
    }

    fn table(&self) -> Markup {
        let left = self.ranking.len().saturating_sub(ITEMS);
        html! {
            div.wide {
                table {
                    thead { tr {
                        th.number { "Rank" } th { "Item" } th.number { "Utility" } th.interval { "95 % interval" } th { "Rank, 95 %" }
                        th.number { "P(best)" } th.number { "Group" }
                    } }
                    tbody {
                        @for (at, Placed { line, place }) in self.ranking.iter().take(ITEMS).enumerate() {
                            @let group = place.as_ref().map(|p| p.group);
                            @let before = at.checked_sub(1).and_then(|b| self.ranking[b].place.as_ref()).map(|p| p.group);
                            tr.first[at > 0 && group != before] {
                                td.number { (line.rank) }
                                td { (line.item) @if let Some(label) = line.label { " " small { (label) } } }
                                td.number { (format!("{:.2}", line.mean)) }
                                td.interval { (format!("{:.2} to {:.2}", line.mean - Z95 * line.sd, line.mean + Z95 * line.sd)) }
                                @if let Some(place) = place {
                                    td { (place.rank_low) " to " (place.rank_high) }
                                    td.number { (format!("{:.0} %", 100.0 * place.probability_best)) }
                                    td.number { (place.group) }
                                } @else { td {} td {} td {} }
                            }
                        }
                    }
                }
            }
            @if left > 0 { p.note { "… and " (count(left as u64)) " more items." } }
        }
    }

    fn importance(&self) -> Markup {
        let shown = self.explanation.importances.as_deref().unwrap_or_default();
        html! {
            @if !shown.is_empty() {
                table {
                    thead { tr { th { "Feature" } th.number { "Loss without it" } } }
                    tbody { @for (feature, mean, _) in shown { tr { td { (feature) } td.number { (format!("{mean:.3}")) } } } }
                }
                p.note {
                    "What the predictions of the answers lose (log loss, nats an answer) where the values of the feature are exchanged among items at random: 0 for \
                     a feature that does not matter."
                }
            }
        }
    }

    fn drawn(&self, section: Section) -> Markup {
        let figures = self.figures.iter().filter(|drawn| drawn.section == section);
        html! { @for drawn in figures { figure { (PreEscaped(drawn.figure.as_svg())) } } }
    }

    fn learned(&self) -> Markup {
        let parameters = match self.model {
            Some(model) => model.reported_hyperparameters(),
            None => {
                let all = &self.person.hyperparameters().entries;
                all.iter().map(|e| (e.name.clone(), e.value)).collect()
            }
        };
        html! {
            p { "Kernel: " code { (self.person.kernel_expression()) } }
            table.facts { @for (name, value) in &parameters { tr { th { (name) } td { (number(*value)) } } } }
            @if let Some(model) = self.model {
                @let report = model.report();
                p {
                    @if report.trustworthy { "Inference ended as it should" } @else { "Inference did not come to an end that can be trusted" }
                    ". Log evidence: " (number(report.log_evidence)) " nats."
                }
            }
            @if self.explanation.shares.len() > 1 {
                table {
                    thead { tr { th { "Term of the kernel" } th.number { "Share of the variance" } } }
                    tbody { @for (term, share) in &self.explanation.shares { tr { td { code { (term) } } td.number { (format!("{:.0} %", 100.0 * share)) } } } }
                }
            }
        }
    }
}

/// For those who have never seen a posterior.
fn reading() -> Markup {
    html! {
        dl {
            dt { "Utility" }
            dd {
                "How much an item is liked, as a number. 0 is the average of the compared items. Only differences count: the larger the difference of two items, the \
                 more often the better one is chosen."
            }
            dt { "95 % interval" }
            dd { "Given the answers, the true value is in it with a probability of 95 %. Few answers make it wide." }
            dt { "P(best)" }
            dd { "The probability that no other item is better. Several items may share it: then more answers are needed to tell them apart." }
            dt { "Group" }
            dd {
                "Items of one group cannot be distinguished from its first item with confidence. Their order in the table is a guess. A line in the table begins a new group."
            }
            dt { "What this page does not tell" }
            dd {
                "It is about the people who answered, and about the items as they were shown to them. Where the model's assumptions are wrong, intervals may be too \
                 narrow."
            }
        }
    }
}

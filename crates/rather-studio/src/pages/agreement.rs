//! The page of what several participants say together, and whether they agree.

use maud::{Markup, html};

use super::frame::{Head, page};
use super::parts::counted;
use super::result::signed;
use crate::figures::numbers::minus;
use crate::view::{AgreementView, Frame, JudgeView, PlaceView};

/// Above this infit answers go against what the others lead one to expect (Linacre, *What do infit and outfit mean?*, 2002).
const MISFIT: f64 = 1.5;
/// So many of a participant's best are shown.
const BEST: usize = 5;

/// The page.
pub fn agreement(frame: &Frame, view: &AgreementView) -> Markup {
    let title = format!("{}: agreement", view.study.title);
    let head = Head { title: &title, class: "found", ..Head::default() };
    page(
        frame,
        head,
        html! {
            div.duel-top {
                p.eyebrow { a href=(format!("/studies/{}/result", view.study.id)) { (view.study.title) } }
                h1 { "Agreement of participants" }
                p.aside { (counted(view.study.answers, "answer")) " of " (counted(view.judges.len(), "participant")) }
            }
            @if view.judges.is_empty() { p { "Nobody has answered yet." } } @else {
                div.agreement {
                    section { (statistics(view)) }
                    (judges(view))
                    (multiples(view))
                    (places(view))
                    (export(view))
                }
            }
        },
    )
}

fn statistics(view: &AgreementView) -> Markup {
    html! {
        dl.stats {
            @if let Some(w) = view.concordance {
                div { dt { "Kendall\u{2019}s W" } dd { (signed(w)) } }
            }
            @if let Some(reliability) = view.reliability {
                div { dt { "Scale separation reliability (SSR)" } dd { (signed(reliability)) } }
            }
        }
        p.hint {
            @if view.concordance.is_some() {
                "Kendall\u{2019}s W says how far participants agree, by the posterior means of each: 1 if all have the same order, 0 if their orders have nothing in common. "
            }
            @if view.reliability.is_some() {
                "The reliability is the part of the differences between items that is not uncertainty, in the model of all answers."
            }
        }
    }
}

fn judges(view: &AgreementView) -> Markup {
    html! {
        section aria-labelledby="judges-title" {
            h2 #judges-title { "Participants" }
            p.hint {
                "Infit and outfit are near 1 where answers are as noisy as the model of all answers expects. An infit above " (MISFIT)
                " is a misfit: preferences that differ from those of the others, or careless answers."
            }
            div.scroll tabindex="0" role="region" aria-label="Fit of participants" {
                table {
                    thead { tr {
                        th scope="col" { "Name" } th scope="col" { "Comparisons" } th scope="col" { "Infit" } th scope="col" { "Outfit" } th scope="col" { "Their best" }
                    } }
                    tbody { @for judge in &view.judges { tr {
                        th.name scope="row" { (judge.participant) }
                        td { (judge.comparisons) }
                        (squares(judge.infit, judge.outfit))
                        td { (minus(&judge.best)) }
                    } } }
                }
            }
        }
    }
}

fn squares(infit: Option<f64>, outfit: Option<f64>) -> Markup {
    html! {
        td { (infit.map_or_else(|| "–".to_owned(), signed)) @if infit.is_some_and(|x| x > MISFIT) { " " span.tag { "misfit" } } }
        td { (outfit.map_or_else(|| "–".to_owned(), signed)) }
    }
}

/// A small curve or ranking for each participant, and one for all together.
fn multiples(view: &AgreementView) -> Markup {
    let pooled: Vec<f64> = view.places.iter().map(|place| place.mean).collect();
    html! {
        section aria-labelledby="multiples-title" {
            h2 #multiples-title { "Each participant" }
            @if own_models(view).count() < view.judges.len() {
                p.hint { "Of those " (own_models(view).count()) " who answered the most; so is Kendall\u{2019}s W." }
            }
            @if view.is_curve { p.hint { "The utility of " (ends(view)) "; the dashed curve is that of all together." } }
            div.multiples {
                (multiple("All together", &pooled, None, view))
                @for judge in own_models(view) { (multiple(&judge.participant, &judge.utilities, Some(&pooled), view)) }
            }
        }
    }
}

/// Those who have a model of their own.
fn own_models(view: &AgreementView) -> impl Iterator<Item = &JudgeView> {
    view.judges.iter().filter(|judge| !judge.utilities.is_empty())
}

/// `floor −40 dB to floor 0 dB`.
fn ends(view: &AgreementView) -> String {
    let label = |place: Option<&PlaceView>| minus(place.map_or("", |p| p.label.as_str()));
    format!("{} to {}", label(view.places.first()), label(view.places.last()))
}

fn multiple(name: &str, utilities: &[f64], pooled: Option<&[f64]>, view: &AgreementView) -> Markup {
    let best = best_of(utilities, &view.places);
    html! {
        figure.multiple {
            figcaption { (name) }
            @if view.is_curve {
                @let range = range(view);
                svg viewBox="0 0 120 48" role="img" aria-label=(format!("The utility is highest at {}.", best.first().copied().unwrap_or_default())) {
                    @if let Some(pooled) = pooled { polyline.pooled points=(points(pooled, range)) {} }
                    polyline.own points=(points(utilities, range)) {}
                }
                p.hint { "Best: " (minus(best.first().copied().unwrap_or_default())) }
            } @else {
                ol { @for label in best { li { (minus(label)) } } }
            }
        }
    }
}

/// The labels of the places with the highest utilities.
fn best_of<'a>(utilities: &[f64], places: &'a [PlaceView]) -> Vec<&'a str> {
    let mut order: Vec<(f64, &str)> =
        utilities.iter().copied().zip(places.iter().map(|p| p.label.as_str())).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    order.into_iter().take(BEST).map(|(_, label)| label).collect()
}

/// The lowest and the highest utility of anybody: all curves have one scale.
fn range(view: &AgreementView) -> (f64, f64) {
    let own = view.judges.iter().flat_map(|judge: &JudgeView| judge.utilities.iter().copied());
    let all = own.chain(view.places.iter().map(|place| place.mean));
    all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
}

/// A curve in a box of 120 by 48, with a margin of 4.
fn points(utilities: &[f64], (low, high): (f64, f64)) -> String {
    let height = |x: f64| if high > low { (x - low) / (high - low) } else { 0.5 };
    let steps = utilities.len().saturating_sub(1).max(1) as f64;
    let point = |(i, &x): (usize, &f64)| {
        format!("{:.1},{:.1}", 4.0 + 112.0 * i as f64 / steps, 44.0 - 40.0 * height(x))
    };
    utilities.iter().enumerate().map(point).collect::<Vec<_>>().join(" ")
}

/// Items in the model of all answers. Settings have their curve.
fn places(view: &AgreementView) -> Markup {
    html! {
        @if view.reliability.is_some() {
            section aria-labelledby="places-title" {
                h2 #places-title { "Items, from all answers" }
                div.scroll tabindex="0" role="region" aria-label="Items, from all answers" {
                    table {
                        thead { tr {
                            th scope="col" { "Item" } th scope="col" { "Utility" } th scope="col" { "95 % interval" } th scope="col" { "Comparisons" }
                            th scope="col" { "Infit" } th scope="col" { "Outfit" }
                        } }
                        tbody { @for place in &view.places { tr {
                            th.name scope="row" { (place.label) }
                            td { (signed(place.mean)) }
                            td { (signed(place.low)) " to " (signed(place.high)) }
                            td { (place.comparisons) }
                            (squares(place.infit, place.outfit))
                        } } }
                    }
                }
            }
        }
    }
}

fn export(view: &AgreementView) -> Markup {
    let path = format!("{}/studies/{}/agreement", crate::api::ROOT, view.study.id);
    html! {
        div.actions {
            a.button href=(format!("{path}?format=csv&table=participants")) download { "Participants as CSV" }
            a.button href=(format!("{path}?format=csv&table=alternatives")) download { @if view.reliability.is_some() { "Items as CSV" } @else { "Settings as CSV" } }
            a.button href=(path) download { "JSON" }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_curves_of_a_participant_are_drawn() {
        let place = |mean| PlaceView { mean, ..PlaceView::default() };
        let judge =
            JudgeView { participant: "ann".into(), utilities: vec![0.0, 1.0], ..JudgeView::default() };
        let view = AgreementView {
            is_curve: true,
            judges: vec![judge],
            places: vec![place(-1.0), place(1.0)],
            ..AgreementView::default()
        };
        let page = agreement(&Frame::default(), &view).into_string();
        // An element of SVG that is not closed holds the next one, which is not drawn then.
        let own = "<polyline class=\"own\" points=\"4.0,24.0 116.0,4.0\"></polyline></svg>";
        assert!(page.contains(&format!("points=\"4.0,44.0 116.0,4.0\"></polyline>{own}")), "{page}");
        assert_eq!(page.matches("</polyline>").count(), 3, "all together has one");
    }
}

//! The result of several participants, put together for a page and for programs.

use crate::refusal::Refusal;
use crate::registry::Live;
use crate::showing::Showing;
use crate::spreadsheet::safe;
use crate::summaries;
use crate::view::{AgreementView, JudgeView, PlaceView};
use rather_study::analysis::agreement::{Agreement, Judge, MeanSquares, Place};
use rather_study::definition::Subject;
use rather_study::space::Range;
use std::sync::Arc;

/// What all who have answered say together, and whether they agree.
///
/// # Errors
/// If the file cannot be read.
pub async fn of(live: &Arc<Live>) -> Result<AgreementView, Refusal> {
    let study = summaries::of(live).await?;
    let found = live.look(|study| Ok(study.agreement()?)).await?;
    let is_curve = matches!(&live.definition.subject, Subject::Parameters(space)
        if matches!(space.parameters.as_slice(), [one] if !matches!(one.range, Range::Categorical { .. })));
    let Agreement { reliability, concordance, places, judges } = found;
    let places: Vec<PlaceView> = places.into_iter().map(|found| place(&live.showing, found)).collect();
    let judges = judges.into_iter().map(|found| judge(&places, found)).collect();
    Ok(AgreementView { study, reliability, concordance, is_curve, judges, places })
}

fn place(showing: &Showing, Place { alternative, utility, fit }: Place) -> PlaceView {
    let (comparisons, infit, outfit) = squares(fit);
    PlaceView {
        label: showing.line(&alternative),
        alternative: Some(alternative),
        mean: utility.mean,
        low: utility.low,
        high: utility.high,
        comparisons,
        infit,
        outfit,
    }
}

fn judge(places: &[PlaceView], Judge { participant, fit, utilities }: Judge) -> JudgeView {
    let (comparisons, infit, outfit) = squares(fit);
    let best = utilities.iter().zip(places).max_by(|(a, _), (b, _)| a.total_cmp(b));
    let best = best.map(|(_, place)| place.label.clone()).unwrap_or_default();
    JudgeView { participant, comparisons, infit, outfit, best, utilities }
}

fn squares(fit: Option<MeanSquares>) -> (usize, Option<f64>, Option<f64>) {
    fit.map_or((0, None, None), |fit| (fit.comparisons, Some(fit.infit), Some(fit.outfit)))
}

/// The participants as a table for spreadsheets.
///
/// # Errors
/// If it cannot be written, which memory does not do.
pub fn judges_csv(view: &AgreementView) -> Result<Vec<u8>, csv::Error> {
    let rows = view.judges.iter().map(|judge| {
        let squares = [judge.infit, judge.outfit].map(number);
        [&[safe(&judge.participant), judge.comparisons.to_string()], &squares[..], &[safe(&judge.best)]]
            .concat()
    });
    table(&["participant", "comparisons", "infit", "outfit", "best"], rows)
}

/// Items or settings as a table for spreadsheets.
///
/// # Errors
/// As [`judges_csv`].
pub fn places_csv(view: &AgreementView) -> Result<Vec<u8>, csv::Error> {
    let rows = view.places.iter().map(|place| {
        let numbers = [place.mean, place.low, place.high].map(|x| x.to_string());
        let squares = [place.infit, place.outfit].map(number);
        [&[safe(&place.label)], &numbers[..], &[place.comparisons.to_string()], &squares[..]].concat()
    });
    table(&["alternative", "utility", "low", "high", "comparisons", "infit", "outfit"], rows)
}

fn number(x: Option<f64>) -> String {
    x.map(|x| x.to_string()).unwrap_or_default()
}

fn table(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header)?;
    for row in rows {
        writer.write_record(row)?;
    }
    writer.into_inner().map_err(|e| e.into_error().into())
}

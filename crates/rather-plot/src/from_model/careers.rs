//! The best items over time.

use rather::features::ColumnValues;
use rather::model::Model;

use super::utility_name;
use crate::{Career, Careers, Error};

/// Times at which utilities are drawn.
const TIMES: usize = 81;

/// The `top` items of the model whose utility was ever the largest, from the first comparison of each to the last of all. Utilities at a time are
/// relative to the average of the compared items then.
///
/// # Errors
/// [`Error::NoTime`] if no column of comparisons in the kernel is a time.
pub fn careers(model: &Model, top: usize) -> Result<Careers, Error> {
    let context = model.items().context().ok_or(Error::NoTime)?;
    let (name, dates, [first, last]) = context.time().ok_or(Error::NoTime)?;
    let mut then = model.clone();
    let step = (last - first) / (TIMES - 1) as f64;
    let times: Vec<f64> =
        (0..TIMES).map(|k| if k + 1 == TIMES { last } else { first + k as f64 * step }).collect();
    let mut all: Vec<Career> =
        model.keys().iter().map(|key| Career { name: key.clone(), ..Career::default() }).collect();
    for &time in &times {
        // Looked at then, also those whose average is zero.
        then.look_at(name, &ColumnValues::Numeric(vec![time]))?;
        let moments = then.utilities(then.points());
        for (i, career) in all.iter_mut().enumerate() {
            // Of an item that begins between two times, the time before it does is where its curve starts.
            if context.first_time(i).is_some_and(|begins| begins < time + step) {
                career.times.push(time);
                career.mean.push(moments.mean[i]);
                career.sd.push(moments.variance[i].sqrt());
            }
        }
    }
    let peak = |career: &Career| career.mean.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    all.retain(|career| !career.times.is_empty());
    all.sort_by(|a, b| peak(b).total_cmp(&peak(a)));
    let left_out = all.len().saturating_sub(top);
    all.truncate(top);
    let note = match left_out {
        0 => String::new(),
        1 => "One item is not shown.".to_owned(),
        n => format!("The {top} items of the largest utility at any time; {n} more are not shown."),
    };
    let utility = utility_name(model.hyperparameters().noise());
    Ok(Careers { time: name.to_owned(), dates, utility, careers: all, note })
}

//! `rather plot` of a model of many users: the ranking of one of them, or of users on average.

use super::who::People;
use crate::args::{FigureKind, PlotArgs};
use crate::failure::Failure;
use crate::output::Output;
use rather::many::Population;
use rather_plot::{RankedItem, Ranking};

/// The data of the figure.
pub(crate) fn ranking(
    args: &PlotArgs,
    model: &Population,
    top: usize,
    out: &mut Output,
) -> Result<Ranking, Failure> {
    if args.figure != FigureKind::Ranking {
        return Err(Failure::User(format!(
            "{} is a model of many users: its figure is ranking (--user U for one user); \"{}\" is for a model of one person",
            args.model.display(),
            args.figure.name()
        )));
    }
    let posterior = People::read(model, &args.model, &args.who, out)?.asked()?;
    let all = posterior.rank(&model.model().items().known());
    let mut compared = vec![false; model.items().keys().len()];
    for pair in model.answers().edges() {
        [Some(pair.plus()), pair.minus()].into_iter().flatten().for_each(|i| compared[i] = true);
    }
    let left_out = all.len().saturating_sub(top);
    let item = |r: rather::model::Ranked| RankedItem {
        name: model.items().keys()[r.item].clone(),
        mean: r.mean,
        sd: r.sd,
        compared: compared[r.item],
    };
    let utility = match &args.who.user {
        Some(user) => format!("utility to {user} (in comparison-noise sd)"),
        None => "utility (in comparison-noise sd)".to_owned(),
    };
    Ok(Ranking { items: all.into_iter().take(top).map(item).collect(), left_out, utility })
}

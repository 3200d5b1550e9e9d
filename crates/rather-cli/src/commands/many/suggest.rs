//! `rather suggest` on a model of many users.

use super::who::People;
use crate::args::SuggestArgs;
use crate::commands::suggest;
use crate::failure::Failure;
use crate::output::Output;
use rather::acquisition::pool::Pairs;
use rather::many::{Population, UserPosterior};

/// Runs the command.
pub(crate) fn run(args: &SuggestArgs, model: &Population, seed: u64, mut out: Output) -> Result<(), Failure> {
    if args.pool.is_some() {
        return Err(Failure::User(format!(
            "{} is a model of many users, which suggests comparisons of its own items; leave --pool out",
            args.model.display()
        )));
    }
    let keys = model.items().keys();
    let people = People::read(model, &args.model, &args.who, &mut out)?;
    if args.newcomer && args.who.user.as_deref().is_some_and(|name| model.users().position(name).is_some()) {
        return Err(Failure::User(
            "--newcomer asks for the first questions to somebody new, and --user names somebody known; keep one".to_owned(),
        ));
    }
    let posterior =
        if args.newcomer || args.who.given().is_none() { people.someone_new()? } else { people.asked()? };
    let pairs = against(args, model, &posterior)?;
    let chosen = model.model().suggest(&posterior, &suggest::request(args, pairs, seed))?;
    suggest::show(args, keys, &chosen, "", out)
}

/// Which pairs the opponent leaves.
fn against(
    args: &SuggestArgs,
    model: &Population,
    posterior: &UserPosterior,
) -> Result<Pairs<'static>, Failure> {
    match args.opponent.as_str() {
        "any" => Ok(Pairs::All),
        "best" => {
            let best = posterior.rank(&model.model().items().known()).first().map_or(0, |r| r.item);
            Ok(Pairs::Against(best))
        }
        item => model.items().position(item).map(Pairs::Against).ok_or_else(|| {
            Failure::User(format!(
                "--opponent \"{item}\" is not an item of {}: write any, best, or an item as it is written there",
                args.model.display()
            ))
        }),
    }
}

//! The same for one of many users.

use super::truth::{self, Truth};
use super::{Check, CheckSettings, Part, Verdict, against, agreement};
use crate::Error;
use crate::exact::differences::MOST_COMPARISONS;
use crate::inference::{Method, sample};
use crate::many::Population;
use crate::many::alone::UserProblem;
use rather_numerics::watch;

/// Compares what a model of many users believes of the user at position `user` with this user's exact posterior, given all that the users
/// share: the kernel and the parameters of the likelihoods, and in a hierarchical model the mean and the covariance of the common prior. Given
/// these, a user's answers are a problem of one person, and the utilities of the items compared are drawn by elliptical slice sampling. How
/// uncertain the common prior is itself is not part of the comparison. In a pooled model all users are one. There is no exact evidence.
///
/// Of more answers than exact inference holds, a part is checked, as [`check`](super::check) does.
///
/// # Errors
/// [`Unsupported::Draw`](crate::Unsupported::Draw) for a collaborative or a Kronecker model, where users share functions;
/// [`Error::NewUser`]; [`Error::NoComparisons`] for a user without answers; [`Error::ExactSize`] as [`check`](super::check);
/// [`Unsupported::NoisyDifferences`](crate::Unsupported::NoisyDifferences) for another sampler than slices.
///
/// # Examples
/// ```
/// use rather::answers::{Answer, Answers};
/// use rather::check::{CheckSettings, check_user};
/// use rather::many::population::{PopulationData, PopulationSettings};
/// use rather::many::{Kind, Population};
/// use rather::model::Items;
///
/// let names = |names: &[&str]| Items { keys: names.iter().map(|&n| n.to_owned()).collect(), columns: vec![] };
/// let (items, users) = (names(&["tea", "coffee", "wine"]), names(&["ann", "bob"]));
/// let said = [Answer::rather(0, 1).by(0), Answer::rather(1, 2).by(0), Answer::rather(2, 1).by(1)];
/// let answers: Answers = said.into_iter().collect();
/// let data = PopulationData { items: &items, users: &users, answers: &answers };
/// let model = Population::fit(&data, &PopulationSettings::new(Kind::Hierarchical), &|_| ())?;
/// let found = check_user(&model, 0, &CheckSettings::default())?;
/// assert_eq!((found.items, found.answers), (3, 2.0));
/// assert!(found.agreement.probabilities.largest < 0.03);
/// # Ok::<(), rather::Error>(())
/// ```
pub fn check_user(population: &Population, user: usize, settings: &CheckSettings) -> Result<Check, Error> {
    let all = population.alone(user)?;
    let observations = all.observations();
    if truth::slices_hold(observations) {
        return found(population, &all, &all, None, settings);
    }
    let seed = settings.exact.seed;
    // Part of the items of a set are none of an answer.
    let parts = !observations.has_sets();
    let chosen = parts
        .then(|| sample::some_items(observations, settings.part as f64, truth::MOST_ITEMS, seed))
        .flatten();
    let chosen =
        chosen.ok_or(Error::ExactSize { comparisons: observations.total(), limit: MOST_COMPARISONS })?;
    let checked = all.part(&chosen)?;
    let part =
        Part { items: checked.observations().items.len(), answers: checked.observations().total(), seed };
    found(population, &all, &checked, Some(part), settings)
}

fn found(
    population: &Population,
    all: &UserProblem<'_>,
    checked: &UserProblem<'_>,
    part: Option<Part>,
    settings: &CheckSettings,
) -> Result<Check, Error> {
    let pairs = sample::pairs(checked.observations().items.len(), settings.pairs, settings.exact.seed);
    let truth = Truth::of_draws(&checked.draw(&settings.exact)?, checked.likelihoods().choice(), &pairs);
    watch::check()?;
    let items = population.model().items().known().some(&checked.observations().items);
    let approximate = checked.posterior()?;
    let probabilities = approximate.probabilities(&items, &pairs, checked.likelihoods());
    let everything: Vec<usize> = (0..items.len()).collect();
    let agreement = agreement(
        &approximate.relative_utilities(&items, &everything),
        &truth,
        &against(&probabilities, &truth.probabilities),
    );
    Ok(Check {
        items: all.observations().items.len(),
        answers: all.observations().total(),
        method: Method::Ep,
        part,
        agreement,
        sharper: None,
        log_evidence: checked.log_evidence(),
        exact_log_evidence: None,
        sampling: truth.sampling,
        verdict: Verdict::new(&agreement, &truth.sampling),
    })
}

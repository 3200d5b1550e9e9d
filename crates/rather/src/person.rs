//! Whose utilities a question is about: one person's, or those of one of many users.

mod numbers;
mod thresholds;

pub use thresholds::Threshold;

use crate::Error;
use crate::Unsupported;
use crate::acquisition::pool::Scored;
use crate::acquisition::sets::{Chooser, Effort, ScoredSet, Search};
use crate::acquisition::{Acquisition, PoolUtilities, Request, Utilities, scores, suggest};
use crate::answers::Answer;
use crate::catalogue::Catalogue;
use crate::comparisons::Edge;
use crate::learn::Hyperparameters;
use crate::likelihood::{Lapses, Likelihoods, ResponseModel, Responses};
use crate::many::acquisition::UserUtilities;
use crate::many::{Embedded, Population, UserPosterior};
use crate::model::{Model, Ranked};
use crate::points::Points;
use crate::posterior::{Joint, MOST_DRAWN, Moments, edges_of, extremes};
use crate::standing::Standing;
use rand_chacha::ChaCha8Rng;
use rather_numerics::linalg::Matrix;
use rather_numerics::random::stream;

/// The person whose utilities $f$ are asked about: the one of a [`Model`], or somebody of a [`Population`], known, new, or average. Rankings,
/// predictions and suggestions are the same questions to all of them, about any items encoded by [`Person::items`].
///
/// # Examples
/// ```
/// use rather::answers::{Answer, Answers};
/// use rather::many::population::{PopulationData, PopulationSettings};
/// use rather::many::{Kind, Population};
/// use rather::model::{FitSettings, Items, Model};
/// use rather::Person;
///
/// let names = |names: &[&str]| Items { keys: names.iter().map(|&n| n.to_owned()).collect(), columns: vec![] };
/// let (items, users) = (names(&["tea", "coffee", "wine"]), names(&["ann", "bob"]));
/// let said = [Answer::rather(0, 1).by(0), Answer::rather(1, 2).by(0), Answer::rather(2, 1).by(1)];
/// let answers: Answers = said.into_iter().collect();
///
/// let pooled = Model::fit_answers(&items, &said, &[], &FitSettings::default(), &|_| ())?;
/// let data = PopulationData { items: &items, users: &users, answers: &answers };
/// let population = Population::fit(&data, &PopulationSettings::new(Kind::PerUser), &|_| ())?;
/// let bob = population.model().user(1)?;
/// for person in [Person::Single(&pooled), Person::User(&population, bob)] {
///     let points = person.items().points();
///     let [first, last] = [0, 2].map(|place| person.rank(points)[place].item);
///     assert!(person.probabilities(points, &[(first, last)])[0] >= 0.5);
/// }
/// # Ok::<(), rather::Error>(())
/// ```
#[derive(Debug, Clone)]
pub enum Person<'a> {
    /// The one person of a model.
    Single(&'a Model),
    /// Somebody of a model of many users, of whom this is believed.
    User(&'a Population, UserPosterior),
}

impl<'a> Person<'a> {
    /// The items of the model.
    pub fn items(&self) -> &'a Catalogue {
        match *self {
            Self::Single(model) => model.items(),
            Self::User(population, _) => population.items(),
        }
    }

    /// The items' kernel and the noise.
    pub fn hyperparameters(&self) -> &'a Hyperparameters {
        match *self {
            Self::Single(model) => model.hyperparameters(),
            Self::User(population, _) => population.hyperparameters(),
        }
    }

    /// The items' kernel as an expression.
    pub fn kernel_expression(&self) -> String {
        self.hyperparameters().kernel.describe(&self.items().schema())
    }

    /// What was said, by anybody, and how people answer.
    pub fn responses(&self) -> &'a Responses {
        match *self {
            Self::Single(model) => &model.observations().responses,
            Self::User(population, _) => population.model().responses().responses(),
        }
    }

    /// The positions of the items that anybody was asked about, in increasing order.
    pub fn compared(&self) -> Vec<usize> {
        match self {
            Self::Single(model) => model.compared().to_vec(),
            Self::User(population, _) => population.compared(),
        }
    }

    /// Means and variances of $f(x)-\frac1n\sum_j f(x_j)$, over the $n$ compared items $x_j$.
    pub fn utilities(&self, points: &Points) -> Moments {
        match self {
            Self::Single(model) => model.utilities(points),
            Self::User(population, user) => {
                let (known, compared) = (population.points(), population.compared());
                if points == known {
                    return user.relative_utilities(&embedded(population, points), &compared);
                }
                let all = points.followed_by(&known.select(&compared));
                let reference: Vec<usize> = (points.len()..all.len()).collect();
                let mut found = user.relative_utilities(&embedded(population, &all), &reference);
                found.mean.truncate(points.len());
                found.variance.truncate(points.len());
                found
            }
        }
    }

    /// `points` by decreasing mean of their [utilities](Person::utilities), with standard deviations.
    pub fn rank(&self, points: &Points) -> Vec<Ranked> {
        Ranked::all(&self.utilities(points))
    }

    /// How surely the items of a ranking of `points` stand where they do, and which are among the `top` best: one for each line of `ranking`, of which the
    /// first 5,000 are drawn jointly (1,000 of processes in time and of effects in a context).
    ///
    /// # Errors
    /// [`Error::Covariance`] if a covariance is not a finite number.
    pub fn standings(
        &self,
        points: &Points,
        ranking: &[Ranked],
        top: usize,
        seed: u64,
    ) -> Result<Vec<Standing>, Error> {
        let most = match self {
            Self::Single(model) => model.belief().most_drawn(),
            Self::User(..) => MOST_DRAWN,
        };
        let items: Vec<usize> = ranking.iter().take(most).map(|ranked| ranked.item).collect();
        let draws = self.draws(&points.select(&items), Standing::draws(items.len()), &mut stream(seed, 5))?;
        Ok(Standing::all(&draws, top))
    }

    /// The covariance of the utilities of `points`, not relative to an average.
    ///
    /// # Errors
    /// As [`Belief::covariance`](crate::belief::Belief::covariance).
    #[doc(hidden)]
    pub fn covariance(&self, points: &Points) -> Result<Matrix, Error> {
        match self {
            Self::Single(model) => model.belief().covariance(points),
            Self::User(population, user) => Ok(user.utilities(&embedded(population, points)).1),
        }
    }

    /// So many joint draws of the utilities of `points`, one draw a column.
    ///
    /// # Errors
    /// [`Error::Covariance`] if a covariance is not a finite number.
    #[doc(hidden)]
    pub fn draws(&self, points: &Points, number: usize, rng: &mut ChaCha8Rng) -> Result<Matrix, Error> {
        match self {
            Self::Single(model) => model.belief().draws(points, number, rng),
            Self::User(population, user) => {
                let (mean, covariance) = user.utilities(&embedded(population, points));
                Joint { mean, covariance }.draws(number, rng)
            }
        }
    }

    /// The probability that the left item of each pair of positions in `points` is preferred.
    pub fn probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        match self {
            Self::Single(model) => model.probabilities(points, pairs),
            Self::User(population, user) => {
                user.probabilities(&embedded(population, points), pairs, likelihoods(population))
            }
        }
    }

    /// The probabilities that each of some items (positions in `points`) is the best of them, and the worst: of the greatest and the smallest of
    /// $f_i+e_i$ with one noise an item. With logistic noise, of the multinomial logit of $f$, and of $-f$.
    ///
    /// # Errors
    /// [`Error::Parameter`] for fewer than two items or more than twelve; [`Error::SelfComparison`] for one that is named twice;
    /// [`Unsupported::JointAnswers`] for lapses.
    pub fn extremes(&self, points: &Points, items: &[usize]) -> Result<[Vec<f64>; 2], Error> {
        Answer::ordered(items, 1, 0)?.check(0, points.len())?;
        let ResponseModel { link, lapses, .. } = self.responses().response_model;
        if lapses != Lapses::Never {
            return Err(Unsupported::JointAnswers.into());
        }
        if let &[a, b] = items {
            let p = self.probabilities(points, &[(a, b)])[0];
            return Ok([vec![p, 1.0 - p], vec![1.0 - p, p]]);
        }
        let edges: Vec<Edge> = edges_of(items).collect();
        let components = match self {
            Self::Single(model) => model.components(points, &edges, self.responses()),
            Self::User(population, user) => {
                let moments = user.projections(&embedded(population, points), &edges);
                vec![(1.0, moments, likelihoods(population).clone())]
            }
        };
        let mut out = [vec![0.0; items.len()], vec![0.0; items.len()]];
        for (weight, moments, likelihoods) in &components {
            for (sums, found) in
                out.iter_mut().zip(extremes((link, likelihoods.label.s()), items.len(), moments))
            {
                sums.iter_mut().zip(found).for_each(|(sum, p)| *sum += weight * p);
            }
        }
        Ok(out)
    }

    /// As [`Person::probabilities`], where the left item of each pair is shown on the left: a learned position bias counts.
    pub fn shown_probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        match self {
            Self::Single(model) => model.shown_probabilities(points, pairs),
            Self::User(population, user) => {
                user.shown_probabilities(&embedded(population, points), pairs, likelihoods(population))
            }
        }
    }

    /// As [`Person::probabilities`], nearer to exact and slower.
    ///
    /// # Errors
    /// As [`Model::sharp_probabilities`]; [`Unsupported::EvidenceRatio`] for one of many users.
    pub fn sharp_probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Result<Vec<f64>, Error> {
        match self {
            Self::Single(model) => model.sharp_probabilities(points, pairs),
            Self::User(..) => Err(Unsupported::EvidenceRatio.into()),
        }
    }

    /// As [`Person::shown_probabilities`], nearer to exact and slower.
    ///
    /// # Errors
    /// As [`Person::sharp_probabilities`].
    pub fn sharp_shown_probabilities(
        &self,
        points: &Points,
        pairs: &[(usize, usize)],
    ) -> Result<Vec<f64>, Error> {
        match self {
            Self::Single(model) => model.sharp_shown_probabilities(points, pairs),
            Self::User(..) => Err(Unsupported::EvidenceRatio.into()),
        }
    }

    /// The probabilities of the levels of a rating, the lowest first, for each of `points`; empty for a model without ratings.
    pub fn ratings(&self, points: &Points) -> Vec<Vec<f64>> {
        match self {
            Self::Single(model) => model.ratings(points),
            Self::User(population, user) => {
                user.ratings(&embedded(population, points), likelihoods(population))
            }
        }
    }

    /// What may be said of each pair, with its probability: as [`Model::outcomes`].
    pub fn outcomes(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<Vec<(String, f64)>> {
        match self {
            Self::Single(model) => model.outcomes(points, pairs),
            Self::User(population, user) => {
                let found = user.outcomes(&embedded(population, points), pairs, likelihoods(population));
                population.naming().outcomes(found)
            }
        }
    }

    /// As [`Person::outcomes`], nearer to exact and slower.
    ///
    /// # Errors
    /// As [`Person::sharp_probabilities`].
    pub fn sharp_outcomes(
        &self,
        points: &Points,
        pairs: &[(usize, usize)],
    ) -> Result<Vec<Vec<(String, f64)>>, Error> {
        match self {
            Self::Single(model) => model.sharp_outcomes(points, pairs),
            Self::User(..) => Err(Unsupported::EvidenceRatio.into()),
        }
    }

    /// The next comparisons to ask this person about `points` ([`suggest`]).
    ///
    /// # Errors
    /// As [`suggest`]; [`Unsupported::Draw`] for one of many users and an acquisition function that conditions on a draw; as
    /// [`Model::posterior`].
    pub fn suggest(&self, points: &Points, request: &Request<'_>) -> Result<Vec<Scored>, Error> {
        self.in_pool(points, |utilities| suggest(utilities, request))
    }

    /// The `n` next sets of so many `options` among `points` of which to ask this person for the best one: those whose answers tell most about the
    /// utilities ([`Search::sets`]).
    ///
    /// # Errors
    /// [`Error::Parameter`] for fewer than two options, more than twelve, or more than there are; as [`Person::suggest`].
    #[doc(hidden)]
    pub fn suggest_sets(
        &self,
        points: &Points,
        (options, n): (usize, usize),
        seed: u64,
    ) -> Result<Vec<ScoredSet>, Error> {
        let (link, noise) = (self.responses().response_model.link, self.hyperparameters().noise());
        let search = Search {
            items: points.len(),
            chooser: Chooser { link, noise },
            pairs: &|request| self.suggest(points, request),
            draws: &|items, number| self.draws(&points.select(items), number, &mut stream(seed, 6)),
            effort: Effort::FULL,
            stop: &|| false,
        };
        search.sets((options, n), seed)
    }

    /// The values of asking this person to compare each of some pairs of `points` ([`scores`]).
    ///
    /// # Errors
    /// As [`Person::suggest`].
    pub fn scores(
        &self,
        points: &Points,
        acquisition: Acquisition,
        pairs: &[(usize, usize)],
        seed: u64,
    ) -> Result<Vec<f64>, Error> {
        self.in_pool(points, |utilities| scores(utilities, acquisition, pairs, seed))
    }

    fn in_pool<T>(
        &self,
        points: &Points,
        of: impl FnOnce(&dyn Utilities) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match self {
            Self::Single(model) => of(&PoolUtilities::of(model.belief(), points)?),
            Self::User(population, user) => {
                let (model, items) = (population.model(), embedded(population, points));
                of(&UserUtilities { model, user, items: &items })
            }
        }
    }
}

/// The features of `points`: those that were learned with, if they are the known items.
fn embedded(population: &Population, points: &Points) -> Embedded {
    let items = population.model().items();
    if points == population.points() { items.known() } else { items.embed(points) }
}

fn likelihoods(population: &Population) -> &Likelihoods {
    population.model().responses().likelihoods()
}

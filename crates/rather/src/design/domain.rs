//! The next duel among all settings of a domain.

use super::policy::{self, Step};
use super::recommend::recommend_in_domain;
use super::{Proposal, Request};
use crate::Error;
use crate::acquisition::pool::Pairs;
use crate::acquisition::{self, PoolUtilities, Utilities, believer, max_value, suggest};
use crate::answers::check_known;
use crate::search::Domain;
use crate::search::maximise::{Effort, Found, distance, maximise};
use crate::search::pair::{Challenge, FreePair, twice};
use rather_numerics::order::descending;
use rather_numerics::random::{stream, uniform};
use rather_numerics::special::normal;

/// Settings that differ by less than this in every coordinate are the same: nobody could tell them apart.
const SAME: f64 = 1e-3;
/// Candidates of an acquisition function that draws utilities jointly.
const CANDIDATES: usize = 384;
/// Starts around one setting, and how far they are from it.
const AROUND: usize = 24;
const RADII: [f64; 3] = [0.02, 0.06, 0.15];
/// Pairs tried to fill space before any will do.
const TRIES: usize = 64;

/// The next duel among the settings of `domain`. `settings` are those that the request's duels number.
///
/// As [`super::next_in_pool`], over continuous dimensions too, where closed forms are climbed by their gradients and the
/// others choose among a few hundred candidates. A setting that was compared before comes back with exactly the same coordinates,
/// so that it can be found in `settings` by equality; a continuous coordinate is a new one only if it differs by more than
/// a thousandth of its range.
///
/// # Errors
/// [`Error::Domain`], [`Error::Length`] and [`Error::Setting`] for settings that are not in the domain,
/// [`Error::UnknownItem`] for a duel of a setting that is not there, and as [`super::next_in_pool`].
pub fn next_in_domain(
    request: &Request<'_>,
    domain: &Domain,
    settings: &[Vec<f64>],
) -> Result<Proposal<Vec<f64>>, Error> {
    let search = Search::new(request, domain, settings)?;
    let found = match policy::step(request, domain.dims())? {
        Step::Fill => None,
        Step::Any => search.any_pair()?,
        Step::Winner(item) => search.challenge(&settings[item])?,
        Step::Best => {
            let best = recommend_in_domain(request.posterior, domain, settings, request.seed)?;
            search.challenge(&best)?
        }
    };
    let Pair { challenger, opponent, score } = found.unwrap_or_else(|| search.fill());
    Ok(policy::sides_of(request.seed, request.trials.len(), challenger, opponent, score))
}

pub(super) fn check_settings(domain: &Domain, settings: &[Vec<f64>]) -> Result<(), Error> {
    domain.check()?;
    settings.iter().try_for_each(|s| domain.check_setting(s))
}

struct Search<'a> {
    request: &'a Request<'a>,
    domain: &'a Domain,
    settings: &'a [Vec<f64>],
    forbidden: Vec<(usize, usize)>,
    seed: u64,
}

struct Pair {
    challenger: Vec<f64>,
    opponent: Vec<f64>,
    score: Option<f64>,
}

impl<'a> Search<'a> {
    fn new(request: &'a Request<'a>, domain: &'a Domain, settings: &'a [Vec<f64>]) -> Result<Self, Error> {
        check_settings(domain, settings)?;
        let items = settings.len();
        for (row, duel) in request.trials.iter().enumerate() {
            check_known(row, [duel.left, duel.right], items)?;
        }
        let forbidden = policy::forbidden(request.trials);
        let seed = policy::draw_seed(request.seed, request.trials.len());
        Ok(Self { request, domain, settings, forbidden, seed })
    }

    /// The known setting that is the same as `setting`, or `setting`.
    fn known(&self, setting: Vec<f64>) -> Vec<f64> {
        let same = self.settings.iter().find(|known| distance(known, &setting) < SAME);
        same.cloned().unwrap_or(setting)
    }

    /// A pair that may be asked, of known settings where they are the same.
    fn pair(&self, challenger: Vec<f64>, opponent: Vec<f64>, score: Option<f64>) -> Option<Pair> {
        let (challenger, opponent) = (self.known(challenger), self.known(opponent));
        let at = [&challenger, &opponent].map(|setting| self.position(setting));
        let free = self.may_ask((&challenger, at[0]), (&opponent, at[1]));
        free.then_some(Pair { challenger, opponent, score })
    }

    /// The number of a known setting.
    fn position(&self, setting: &[f64]) -> Option<usize> {
        self.settings.iter().position(|known| known == setting)
    }

    /// Whether two settings, with their numbers if they are known, are different ones that may be asked about.
    fn may_ask(&self, one: (&[f64], Option<usize>), other: (&[f64], Option<usize>)) -> bool {
        let again = one.1.zip(other.1).is_some_and(|(i, j)| self.forbidden.contains(&(i.min(j), i.max(j))));
        distance(one.0, other.0) >= SAME && !again
    }

    /// How hard to look. Where the time is up before the search began, somebody waits for a first look: an eighth of the starts.
    fn effort(&self, dims: usize) -> Effort {
        let starts = (256 * dims).min(1_024);
        Effort { starts: if (self.request.stop)() { starts / 8 } else { starts }, ..Effort::default() }
    }

    fn challenge(&self, opponent: &[f64]) -> Result<Option<Pair>, Error> {
        let &Request { posterior, policy, stop, .. } = self.request;
        if !policy.acquisition.is_closed_form() && !policy.acquisition.needs_gains() {
            let mut candidates = self.candidates();
            let at = candidates.len();
            candidates.push(opponent.to_vec());
            return self.among(&candidates, Pairs::Against(at));
        }
        let believed = believer::components(&policy.acquisition, &posterior.components()?, self.seed)?;
        let believed = believed.iter().map(|(weight, posterior)| (*weight, posterior.as_ref()));
        let opponent_point = self.domain.points(&[opponent.to_vec()]);
        let mut objective = Challenge::new(policy.acquisition, believed, &opponent_point);
        if policy.acquisition.needs_gains() {
            objective = objective.with_gains(self.gains(opponent)?);
        }
        let mut starts = if stop() { Vec::new() } else { self.settings.to_vec() };
        starts.extend(self.around(opponent, self.seed));
        let effort = self.effort(self.domain.dims());
        let found = maximise(&objective, self.domain, &starts, &effort, self.seed, stop);
        let pair = |f: Found| self.pair(f.setting, opponent.to_vec(), Some(f.value));
        Ok(found.into_iter().find_map(pair))
    }

    /// Draws of by how much the best setting is better than `opponent`, those from each part of what is believed.
    fn gains(&self, opponent: &[f64]) -> Result<Vec<Vec<f64>>, Error> {
        let mut candidates = self.candidates();
        let at = candidates.len();
        candidates.push(opponent.to_vec());
        let points = self.domain.points(&candidates);
        let pool = PoolUtilities::of(self.request.posterior, &points)?;
        let all: Vec<usize> = (0..=at).collect();
        max_value::gains(&pool.components(&all, &self.request.policy.acquisition, self.seed)?, at, self.seed)
    }

    fn any_pair(&self) -> Result<Option<Pair>, Error> {
        let &Request { posterior, policy, stop, trials, .. } = self.request;
        if !policy.acquisition.is_closed_form() {
            return self.among(&self.candidates(), Pairs::All);
        }
        let domain = twice(self.domain);
        let objective = FreePair::new(policy.acquisition, posterior.components()?);
        let asked = trials.iter().rev().take(CANDIDATES);
        let starts: Vec<Vec<f64>> =
            asked.map(|d| [self.settings[d.left].as_slice(), &self.settings[d.right]].concat()).collect();
        let found = maximise(&objective, &domain, &starts, &self.effort(domain.dims()), self.seed, stop);
        let pair = |f: Found| {
            let (challenger, opponent) = f.setting.split_at(self.domain.dims());
            self.pair(challenger.to_vec(), opponent.to_vec(), Some(f.value))
        };
        Ok(found.into_iter().find_map(pair))
    }

    /// The best pair of a finite set of candidates.
    fn among(&self, candidates: &[Vec<f64>], pairs: Pairs<'_>) -> Result<Option<Pair>, Error> {
        let &Request { posterior, policy, stop, .. } = self.request;
        let known: Vec<Vec<f64>> = candidates.iter().map(|setting| self.known(setting.clone())).collect();
        let at: Vec<Option<usize>> = known.iter().map(|setting| self.position(setting)).collect();
        let wanted = acquisition::Request {
            allowed: &|i, j| self.may_ask((&known[i], at[i]), (&known[j], at[j])),
            stop,
            ..acquisition::Request::new(policy.acquisition, pairs, 1, self.seed)
        };
        let points = self.domain.points(candidates);
        let found = suggest(&PoolUtilities::of(posterior, &points)?, &wanted)?;
        Ok(found.first().map(|s| Pair {
            challenger: known[s.challenger].clone(),
            opponent: known[s.opponent].clone(),
            score: Some(s.score),
        }))
    }

    /// Known settings, settings near the best of them, and settings that fill the domain.
    fn candidates(&self) -> Vec<Vec<f64>> {
        let known = self.domain.points(self.settings);
        let mean = self.request.posterior.utilities(&known).mean;
        let order = descending(&mean);
        let best = order.iter().take(CANDIDATES / 4);
        let mut out: Vec<Vec<f64>> = best.map(|&i| self.settings[i].clone()).collect();
        for (k, &i) in order.iter().take(4).enumerate() {
            out.extend(self.around(&self.settings[i], self.seed.wrapping_add(k as u64)));
        }
        out.extend(self.domain.fill(CANDIDATES.saturating_sub(out.len()), self.seed));
        out
    }

    /// Settings around one.
    fn around(&self, centre: &[f64], seed: u64) -> Vec<Vec<f64>> {
        let mut rng = stream(seed, 2);
        (0..AROUND)
            .map(|k| {
                let radius = RADII[k % RADII.len()];
                let mut setting = centre.to_vec();
                for (x, dimension) in setting.iter_mut().zip(&self.domain.dimensions) {
                    let step = radius * normal::quantile(uniform(&mut rng));
                    if dimension.levels().is_none() {
                        *x += step;
                    }
                }
                self.domain.snap(&mut setting);
                setting
            })
            .collect()
    }

    /// Two settings that fill space.
    fn fill(&self) -> Pair {
        let from = 2 * self.request.trials.len();
        let all = self.domain.fill(from + 2 * TRIES, self.request.seed);
        let mut pairs = all[from..].chunks_exact(2);
        let found = pairs.find_map(|p| self.pair(p[0].clone(), p[1].clone(), None));
        found.unwrap_or_else(|| self.last_resort())
    }

    /// Two settings of a domain so small that there is no other pair.
    fn last_resort(&self) -> Pair {
        let opponent = vec![0.5; self.domain.dims()];
        let opponent = {
            let mut snapped = opponent;
            self.domain.snap(&mut snapped);
            self.known(snapped)
        };
        let neighbours = self.domain.neighbours(&opponent);
        let fresh = |challenger: &Vec<f64>| self.pair(challenger.clone(), opponent.clone(), None);
        neighbours.iter().find_map(fresh).unwrap_or_else(|| {
            let mut challenger = neighbours.first().unwrap_or(&opponent).clone();
            if neighbours.is_empty() {
                // Only numbers: anywhere else will do.
                challenger[0] = 0.0;
            }
            Pair { challenger: self.known(challenger), opponent: opponent.clone(), score: None }
        })
    }
}

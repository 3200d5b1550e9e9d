//! The recommendation: the item with the largest mean utility, and what taking it may lose.

use super::domain::check_settings;
use super::{Pool, Trial, candidates};
use crate::Error;
use crate::acquisition::best::arg_max;
use crate::acquisition::regret::Regret;
use crate::belief::Belief;
use crate::search::Domain;
use crate::search::maximise::{Effort, maximise};
use crate::search::pair::Mean;

/// Which items of a pool may be recommended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// Those that were in an answered duel.
    Compared,
    /// All of them.
    All,
}

/// The item of `pool` with the largest posterior mean, the first of several; `None` if there is none to choose among, as
/// before the first answer.
pub fn recommend_in_pool(posterior: &Belief, pool: &Pool, duels: &[Trial], among: Among) -> Option<usize> {
    let mut candidates: Vec<usize> = match among {
        Among::All => (0..pool.points.len()).collect(),
        Among::Compared => duels.iter().filter(|d| d.answer.is_some()).flat_map(Trial::items).collect(),
    };
    candidates.sort_unstable();
    candidates.dedup();
    let mean = posterior.utilities(&pool.points.select(&candidates)).mean;
    arg_max(&mean).map(|i| candidates[i])
}

/// The setting of `domain` with the largest posterior mean, found by climbing from the best of `settings`, those compared, and of
/// settings that fill the domain.
///
/// # Errors
/// As [`super::next_in_domain`].
pub fn recommend_in_domain(
    posterior: &Belief,
    domain: &Domain,
    settings: &[Vec<f64>],
    seed: u64,
) -> Result<Vec<f64>, Error> {
    check_settings(domain, settings)?;
    let middle = {
        let mut middle = vec![0.5; domain.dims()];
        domain.snap(&mut middle);
        middle
    };
    let reference = settings.first().unwrap_or(&middle).clone();
    let objective = Mean::new(posterior.components()?, &domain.points(&[reference]));
    let found = maximise(&objective, domain, settings, &Effort::default(), seed, &super::never);
    Ok(found.into_iter().next().map_or(middle, |best| best.setting))
}

/// Settings that stand for a whole domain, at most, and for each dimension: a hundredth of the range apart in one, and a sixteenth in two.
const STAND_INS: usize = 512;
const STAND_INS_A_DIMENSION: usize = 128;

/// Settings that fill the domain, and `settings`, those compared.
pub(super) fn stand_ins(domain: &Domain, settings: &[Vec<f64>], seed: u64) -> Vec<Vec<f64>> {
    let mut all = domain.fill(STAND_INS.min(STAND_INS_A_DIMENSION * domain.dims()), seed);
    all.extend(settings.iter().take(STAND_INS).cloned());
    all
}

/// What recommending item `recommended` of `pool` is expected to lose, in units of the duel noise, and the probability that it is
/// within `margin` of the best. Stop asking once the expected regret is below about 0.2.
///
/// Of a pool of more than 1,025 items, those 1,024 with the largest chances are drawn jointly; where items have no features, those never
/// compared are drawn one by one besides, however many there are.
///
/// # Errors
/// [`Error::PoolItem`] if there is no such item; [`Error::Covariance`] if the covariance is not finite.
pub fn regret_in_pool(
    posterior: &Belief,
    pool: &Pool,
    recommended: usize,
    margin: f64,
    seed: u64,
) -> Result<Regret, Error> {
    candidates::regret(posterior, pool, recommended, margin, (candidates::MOST, seed))
}

/// As [`regret_in_pool`], for the setting `recommended` of `domain`, against settings that fill the domain and `settings`, those
/// compared.
///
/// # Errors
/// As [`super::next_in_domain`]; [`Error::Covariance`] if the covariance is not finite.
pub fn regret_in_domain(
    posterior: &Belief,
    domain: &Domain,
    settings: &[Vec<f64>],
    recommended: &[f64],
    margin: f64,
    seed: u64,
) -> Result<Regret, Error> {
    check_settings(domain, settings)?;
    domain.check_setting(recommended)?;
    let mut all = stand_ins(domain, settings, seed);
    all.push(recommended.to_vec());
    candidates::regret_of_last(posterior, &domain.points(&all), None, margin, seed)
}

/// Rivals of a first look at what a recommendation may lose.
const FEW_RIVALS: usize = 64;

/// What recommending item `recommended` of `pool` is expected to lose against the few items with the largest chances. [`regret_in_pool`], against all,
/// is at least that, but for the error of its draws, and takes many times as long.
///
/// # Errors
/// As [`regret_in_pool`].
#[doc(hidden)]
pub fn least_regret_in_pool(
    posterior: &Belief,
    pool: &Pool,
    recommended: usize,
    seed: u64,
) -> Result<f64, Error> {
    Ok(candidates::regret(posterior, pool, recommended, 0.0, (FEW_RIVALS, seed))?.expected)
}

/// As [`least_regret_in_pool`], for the setting `recommended` of `domain`, against a few settings that fill it.
///
/// # Errors
/// As [`regret_in_domain`].
#[doc(hidden)]
pub fn least_regret_in_domain(
    posterior: &Belief,
    domain: &Domain,
    recommended: &[f64],
    seed: u64,
) -> Result<f64, Error> {
    domain.check_setting(recommended)?;
    let mut few = domain.fill(FEW_RIVALS, seed);
    few.push(recommended.to_vec());
    Ok(candidates::regret_of_last(posterior, &domain.points(&few), None, 0.0, seed)?.expected)
}

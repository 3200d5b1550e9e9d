//! The recommendation, how sure it is, and whether to go on asking.

use super::answered;
use crate::Error;
use crate::alternative::Alternative;
use crate::learner::{Arena, Learner, Record};
use rather::acquisition::regret::Regret;
use rather::belief::Belief;
use rather::design::{self, Among, stop};
use rather::points::Points;
use rather_numerics::order;
use serde::Serialize;

/// What the answers recommend.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// Number of answers it rests on.
    pub answers: usize,
    /// The alternative with the largest mean utility: among the items compared, or anywhere in the space of parameters.
    pub recommended: Alternative,
    /// Its utility, relative to the average of the alternatives compared, in units of the duel noise.
    pub utility: Estimate,
    /// The probability that it is the best of the list, by draws ([`design::best_in_pool`]); `None` for parameters, where nothing is
    /// exactly best.
    pub probability_best: Option<f64>,
    /// How much better than it the best is expected to be, in units of the duel noise.
    pub expected_regret: f64,
    /// By how much the best is better at most, with a probability of 90 %.
    pub regret_at_most: f64,
    /// The probability that the best is better by no more than the study's limit of regret.
    pub probability_good_enough: f64,
    /// Whether to stop, and why.
    pub stop: Stop,
    /// About how many more answers it takes to stop; `None` if more than a few hundred.
    pub more_answers: Option<usize>,
    /// The alternatives compared, the best first.
    pub ranking: Vec<Ranked>,
}

/// A utility with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub sd: f64,
    /// The end of a 95 % interval.
    pub low: f64,
    /// The other end.
    pub high: f64,
}

/// Whether to stop asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// More answers are worth asking for.
    GoOn,
    /// The expected regret is below the study's limit, after enough answers, the last of which compared the recommendation with the most promising
    /// alternative far from it.
    GoodEnough,
    /// All answers that the study asks for are given.
    Finished,
}

/// An alternative in its place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranked {
    /// The alternative.
    pub alternative: Alternative,
    /// Its utility, relative to the average of the alternatives compared.
    pub utility: Estimate,
    /// The probability that it is the best of the list; `None` for parameters.
    pub probability_best: Option<f64>,
    /// Number of answered duels it was in.
    pub duels: usize,
}

/// Two-sided 95 % of a normal.
const WIDTH: f64 = 1.959_963_984_540_054;

impl Estimate {
    pub(crate) fn new(mean: f64, variance: f64) -> Self {
        let sd = variance.sqrt();
        Self { mean, sd, low: mean - WIDTH * sd, high: mean + WIDTH * sd }
    }
}

impl Advice {
    /// The advice after `record`, which has an answer; `finished` if the participant gave all that were wanted.
    pub(crate) fn of(learner: &Learner, record: &Record, seed: u64, finished: bool) -> Result<Self, Error> {
        let posterior = learner.fit(record)?;
        let found = Recommendation::of(learner, record, &posterior, seed)?;
        let regret = found.regret(learner, record, &posterior, seed)?;
        let limit = learner.definition.stop.regret;
        let (ranking, utility) = rank(learner, record, &posterior, &found, seed)?;
        let answers = answered(record).count();
        let fewest = stop::fewest_answers(learner.columns());
        let certain = regret.expected < limit && answers >= fewest;
        let stop = match (finished, certain && found.is_checked(learner, record)) {
            (true, _) => Stop::Finished,
            (false, true) => Stop::GoodEnough,
            (false, false) => Stop::GoOn,
        };
        let probability_best = match &learner.subject {
            Arena::Pool { .. } => ranking.iter().find(|r| r.alternative == found.alternative),
            Arena::Domain { .. } => None,
        }
        .and_then(|ranked| ranked.probability_best);
        let more = more_answers(answers, regret.expected, limit);
        let more_answers = match stop {
            Stop::GoodEnough => Some(0),
            // At the least the answers that are wanted in any case, and the one that may overturn the recommendation.
            Stop::GoOn | Stop::Finished => more.map(|more| more.max(fewest.saturating_sub(answers)).max(1)),
        };
        Ok(Self {
            answers,
            utility,
            probability_best,
            expected_regret: regret.expected,
            regret_at_most: regret.most,
            probability_good_enough: regret.within,
            stop,
            more_answers,
            recommended: found.alternative,
            ranking,
        })
    }
}

/// What is recommended after some answers.
struct Recommendation {
    alternative: Alternative,
    /// Its number, if it is an item of a list.
    item: Option<usize>,
    point: Points,
}

/// The options of the question whose answer must not overturn the recommendation before it is good enough, once its expected regret is below the limit and there are
/// enough answers; `None` while there is none to ask.
pub(crate) fn check(
    learner: &Learner,
    record: &Record,
    request: &design::Request<'_>,
) -> Result<Option<Vec<Alternative>>, Error> {
    if answered(record).count() < stop::fewest_answers(learner.columns()) {
        return Ok(None);
    }
    let found = Recommendation::of(learner, record, request.posterior, request.seed)?;
    let settled = found.is_checked(learner, record);
    if settled || !found.is_good_enough(learner, record, request.posterior, request.seed)? {
        return Ok(None);
    }
    let named = |items: Vec<usize>| items.into_iter().map(|item| learner.alternative(record, item)).collect();
    Ok(match (&learner.subject, found.item.unwrap_or(0)) {
        (Arena::Pool { pool, .. }, item) if learner.definition.is_of_sets() => {
            design::check_set_in_pool(request, pool, item, learner.definition.options)?.map(named)
        }
        (Arena::Pool { pool, .. }, item) => {
            let next = stop::check_in_pool(request, pool, item)?;
            next.map(|next| named(vec![next.left, next.right]))
        }
        (Arena::Domain { domain, .. }, _) => {
            let next = stop::check_in_domain(request, domain, &record.settings, found.point.row(0))?;
            next.map(|next| [&next.left, &next.right].map(|side| learner.setting(record, side)).to_vec())
        }
    })
}

impl Recommendation {
    /// Whether the last answer could have overturned it.
    fn is_checked(&self, learner: &Learner, record: &Record) -> bool {
        match (&learner.subject, self.item) {
            (Arena::Pool { .. }, Some(item)) => stop::is_checked_in_pool(&record.duels, item),
            _ => stop::is_checked_in_domain(&record.duels, &record.settings, self.point.row(0)),
        }
    }

    fn of(learner: &Learner, record: &Record, posterior: &Belief, seed: u64) -> Result<Self, Error> {
        match &learner.subject {
            Arena::Pool { pool, .. } => {
                // Of an item that others compared enough is known to recommend it.
                let among = if record.others.is_empty() { Among::Compared } else { Among::All };
                let best = design::recommend_in_pool(posterior, pool, &record.duels, among).unwrap_or(0);
                let point = pool.points.select(&[best]);
                Ok(Self { alternative: learner.alternative(record, best), item: Some(best), point })
            }
            Arena::Domain { domain, space, .. } => {
                let best = design::recommend_in_domain(posterior, domain, &record.settings, seed)?;
                // Judged as it is shown: rounded.
                let alternative = learner.setting(record, &best);
                let best = match &alternative {
                    Alternative::Setting(setting) => space.coordinates(setting).unwrap_or(best),
                    Alternative::Item(_) => best,
                };
                Ok(Self { alternative, item: None, point: domain.points(&[best]) })
            }
        }
    }

    /// What taking it may lose.
    fn regret(
        &self,
        learner: &Learner,
        record: &Record,
        belief: &Belief,
        seed: u64,
    ) -> Result<Regret, Error> {
        let margin = learner.definition.stop.regret;
        Ok(match &learner.subject {
            Arena::Pool { pool, .. } => {
                design::regret_in_pool(belief, pool, self.item.unwrap_or(0), margin, seed)?
            }
            Arena::Domain { domain, .. } => {
                let (settings, best) = (&record.settings, self.point.row(0));
                design::regret_in_domain(belief, domain, settings, best, margin, seed)?
            }
        })
    }

    /// Whether its expected regret is below the study's limit. While it is far above, a few rivals are enough to see that.
    fn is_good_enough(
        &self,
        learner: &Learner,
        record: &Record,
        belief: &Belief,
        seed: u64,
    ) -> Result<bool, Error> {
        let limit = learner.definition.stop.regret;
        let least = match &learner.subject {
            Arena::Pool { pool, .. } => {
                design::least_regret_in_pool(belief, pool, self.item.unwrap_or(0), seed)?
            }
            Arena::Domain { domain, .. } => {
                design::least_regret_in_domain(belief, domain, self.point.row(0), seed)?
            }
        };
        Ok(least < limit && self.regret(learner, record, belief, seed)?.expected < limit)
    }
}

/// The compared alternatives in order, and the utility of the recommended one.
fn rank(
    learner: &Learner,
    record: &Record,
    posterior: &Belief,
    found: &Recommendation,
    seed: u64,
) -> Result<(Vec<Ranked>, Estimate), Error> {
    let points = learner.points(record);
    let mut duels = vec![0; points.len()];
    for duel in answered(record) {
        duel.items().for_each(|item| duels[item] += 1);
    }
    let compared: Vec<usize> = (0..points.len()).filter(|&i| duels[i] > 0).collect();
    let reference = points.select(&compared);
    let relative = |points: &Points| {
        let moments = posterior.relative_utilities(points, &reference);
        moments.mean.into_iter().zip(moments.variance).map(|(m, v)| Estimate::new(m, v)).collect::<Vec<_>>()
    };
    let best = match (&learner.subject, found.item) {
        // All items may be best, those too that were never compared.
        (Arena::Pool { pool, .. }, Some(item)) => Some(design::best_in_pool(posterior, pool, item, seed)?),
        _ => None,
    };
    let mut ranking: Vec<Ranked> = compared
        .iter()
        .zip(relative(&reference))
        .map(|(&i, utility)| Ranked {
            alternative: learner.alternative(record, i),
            utility,
            probability_best: best.as_ref().map(|best| best.of(i)),
            duels: duels[i],
        })
        .collect();
    order::sort_descending(&mut ranking, |place| place.utility.mean);
    let utility = relative(&found.point).into_iter().next().unwrap_or(Estimate::new(0.0, 0.0));
    Ok((ranking, utility))
}

/// About how many more answers bring the expected regret from `regret`, after `answers` of them, below `limit`; `None` if more
/// than a few hundred.
///
/// # Formula
/// The regret falls about as $n^{-1.3}$, so $k=n\big((r/\varepsilon)^{1/1.3}-1\big)$, rounded to a figure that promises no more
/// than it can hold. In simulated studies (one and two parameters, 10 and 30 items, from the third answer to the last) this is
/// within a factor of 1.5 in half the cases and without bias; extrapolating each study's own curve was no better, since it
/// rises whenever a favourite falls.
fn more_answers(answers: usize, regret: f64, limit: f64) -> Option<usize> {
    const DECAY: f64 = 1.3;
    const FIGURES: [usize; 22] =
        [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 300];
    if regret < limit {
        return Some(0);
    }
    let more = answers as f64 * ((regret / limit).powf(1.0 / DECAY) - 1.0);
    // The nearest figure by ratio.
    let off = |&figure: &usize| (more.max(1.0) / figure as f64).ln().abs();
    let nearest = FIGURES.into_iter().min_by(|a, b| off(a).total_cmp(&off(b)));
    nearest.filter(|_| more < 350.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Answer;
    use crate::definition::{Definition, Subject};
    use crate::learner::Said;
    use crate::space::{Parameter, Range, Scale, Space};
    use rather_numerics::random;

    #[test]
    fn figures_are_round() {
        assert_eq!(more_answers(10, 0.19, 0.2), Some(0));
        assert_eq!(more_answers(1, 0.21, 0.2), Some(1));
        // 27 (3.75^(1/1.3) - 1) = 47.6.
        assert_eq!(more_answers(27, 0.75, 0.2), Some(50));
        assert_eq!(more_answers(1000, 3.0, 0.2), None);
    }

    /// Somebody whose taste is a hill in the plane, or is random among items; the expected regret after every answer.
    fn regrets(definition: Definition, seed: u64, most: usize) -> Vec<f64> {
        let learner = Learner::new(Definition { seed, ..definition }).unwrap();
        let mut rng = random::stream(77, seed);
        let tastes = random::normals(40, &mut rng);
        let taste = |side: &Alternative| match side {
            Alternative::Item(key) => 1.4 * tastes[key.parse::<usize>().unwrap()],
            Alternative::Setting(setting) => {
                let off = |(_, x): &(String, crate::Value)| (x.number().unwrap() - 0.6).powi(2);
                4.0 * (-setting.values.iter().map(off).sum::<f64>() / 0.125).exp()
            }
        };
        let mut said: Vec<(Alternative, Alternative, Answer)> = Vec::new();
        let mut out = Vec::new();
        while out.len() < most && out.last().is_none_or(|&regret| regret > 0.2) {
            let so_far = said.iter().map(|(left, right, answer)| Said {
                left,
                right,
                others: &[],
                answer: *answer,
                count: 1,
            });
            let record = learner.record(so_far).unwrap();
            if !said.is_empty() {
                let posterior = learner.fit(&record).unwrap();
                let found = Recommendation::of(&learner, &record, &posterior, 5).unwrap();
                out.push(found.regret(&learner, &record, &posterior, 5).unwrap().expected);
            }
            let next = learner.next(&record, seed, &design::never).unwrap();
            let z = taste(&next.left) - taste(&next.right) + random::normal(&mut rng);
            said.push((next.left, next.right, if z > 0.0 { Answer::Left } else { Answer::Right }));
        }
        out
    }

    #[test]
    fn the_number_of_answers_to_come_is_about_right() {
        let float = |name: &str| Parameter {
            name: name.into(),
            range: Range::Float { low: 0.0, high: 1.0, scale: Scale::Linear, step: None },
        };
        let plane = Definition::new(Subject::Parameters(Space { parameters: vec![float("x"), float("y")] }));
        let items = Definition::of_items((0..10).map(|i| i.to_string()));
        let mut ratios = Vec::new();
        for seed in 0..3 {
            for curve in [regrets(plane.clone(), seed, 60), regrets(items.clone(), seed, 60)] {
                for n in 3..curve.len() {
                    let said = more_answers(n, curve[n - 1], 0.2).unwrap() as f64;
                    // Two answers more or less are no mistake.
                    ratios.push((said + 2.0) / ((curve.len() - n) as f64 + 2.0));
                }
            }
        }
        ratios.sort_by(f64::total_cmp);
        let at = |share: f64| ratios[(share * ratios.len() as f64) as usize];
        // Measured over 32 longer studies: a median of 1.0 and quartiles within a factor of 1.5. Here there are six, and a tenth of the ratios is that of
        // one study alone.
        let within = |share: f64, factor: f64| (factor.recip()..factor).contains(&at(share));
        assert!(within(0.5, 2.0) && within(0.25, 2.5) && within(0.75, 2.5), "{ratios:?}");
    }
}

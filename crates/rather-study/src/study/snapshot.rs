//! A copy of what was learned, for figures and predictions: it needs neither the file nor the study, and may go to another
//! thread.

use super::Study;
use crate::analysis::advice::Estimate;
use crate::learner::{Arena, Learner, Record};
use crate::{Alternative, Answer, Definition, Error};
use rather::belief::Belief;
use rather::design;
use rather::points::Points;
use rather::search::pair::Challenge;
use rather_numerics::order::descending;
use std::ops::Range;
use std::sync::Arc;

/// What the answers of a participant say.
#[derive(Debug)]
pub struct Snapshot {
    learner: Arc<Learner>,
    record: Record,
    posterior: Belief,
    /// The answers that were learned from; skipped duels too.
    pub duels: Vec<Compared>,
}

/// A duel that was answered or skipped.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The side shown on the left.
    pub left: Alternative,
    /// The side shown on the right.
    pub right: Alternative,
    /// The further options of a set.
    pub others: Vec<Alternative>,
    /// What was said.
    pub answer: Answer,
    /// How many times.
    pub count: u32,
}

/// An item in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The item.
    pub item: String,
    /// Its utility, relative to the average of the items compared.
    pub utility: Estimate,
    /// Whether it was compared; if not, this is a prediction.
    pub compared: bool,
}

impl Study {
    /// What is believed after all that a participant's model learns from. With no answer yet it is the prior.
    ///
    /// # Errors
    /// As [`Study::ask`].
    pub fn snapshot(&mut self, participant: &str) -> Result<Snapshot, Error> {
        self.admit(participant)?;
        self.sync_for(participant)?;
        let compared = |said: crate::learner::Said<'_>| Compared {
            left: said.left.clone(),
            right: said.right.clone(),
            others: said.others.to_vec(),
            answer: said.answer,
            count: said.count,
        };
        let duels = self.said(participant).into_iter().map(compared).collect();
        let (record, _) = self.situation(participant, None)?;
        let learner = Arc::clone(&self.learner);
        let posterior = learner.fit(&record)?;
        Ok(Snapshot { learner, record, posterior, duels })
    }
}

impl Snapshot {
    /// The study's definition.
    pub fn definition(&self) -> &Definition {
        &self.learner.definition
    }

    /// The posterior, in the unit of the duel noise. Its points are those of [`Snapshot::points`].
    pub fn posterior(&self) -> &Belief {
        &self.posterior
    }

    /// Whether anything was learned from.
    pub fn has_answers(&self) -> bool {
        self.record.duels.iter().any(|duel| duel.answer.is_some())
    }

    /// Alternatives as the posterior sees them.
    ///
    /// # Errors
    /// If one is no alternative of the study.
    pub fn points(&self, alternatives: &[Alternative]) -> Result<Points, Error> {
        match &self.learner.subject {
            Arena::Pool { pool, numbers, .. } => {
                // By its name it is found at once; what is no item is said in the words of the definition.
                let known = |alternative: &Alternative| match alternative {
                    Alternative::Item(key) => numbers.get(key).copied(),
                    Alternative::Setting(_) => None,
                };
                let number = |alternative: &Alternative| match known(alternative) {
                    Some(number) => Ok(number),
                    None => match self.definition().normalised(alternative) {
                        Ok(_) => Err(Error::Alternative(format!("{alternative} is no item"))),
                        Err(sentence) => Err(Error::Alternative(sentence)),
                    },
                };
                let rows: Vec<usize> = alternatives.iter().map(number).collect::<Result<_, Error>>()?;
                Ok(pool.points.select(&rows))
            }
            Arena::Domain { domain, space, .. } => {
                let row = |alternative: &Alternative| match self.definition().normalised(alternative) {
                    Ok(Alternative::Setting(setting)) => {
                        space.coordinates(&setting).map_err(Error::Alternative)
                    }
                    Ok(Alternative::Item(_)) => {
                        Err(Error::Alternative(format!("{alternative} is no setting")))
                    }
                    Err(sentence) => Err(Error::Alternative(sentence)),
                };
                let rows: Vec<Vec<f64>> = alternatives.iter().map(row).collect::<Result<_, Error>>()?;
                Ok(domain.points(&rows))
            }
        }
    }

    /// The alternatives that were compared, each once.
    pub fn compared(&self) -> Vec<Alternative> {
        self.compared_numbers()
            .into_iter()
            .map(|number| self.learner.alternative(&self.record, number))
            .collect()
    }

    fn compared_numbers(&self) -> Vec<usize> {
        let mut numbers: Vec<usize> =
            self.record.duels.iter().filter(|d| d.answer.is_some()).flat_map(design::Trial::items).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// The places `window` of all items of a list by mean utility, the best first, those compared and those not; empty for parameters.
    /// Utilities are relative to the average of the items compared. Work and memory grow with the number of items, not with its square.
    pub fn ranking(&self, window: Range<usize>) -> Vec<Place> {
        let Arena::Pool { pool, keys, .. } = &self.learner.subject else { return Vec::new() };
        let mean = self.posterior.utilities(&pool.points).mean;
        let order = descending(&mean);
        let shown = &order[window.start.min(order.len())..window.end.min(order.len())];
        let compared = self.compared_numbers();
        let reference = pool.points.select(if compared.is_empty() { shown } else { &compared });
        let moments = self.posterior.relative_utilities(&pool.points.select(shown), &reference);
        let place = |((&item, mean), variance): ((&usize, f64), f64)| Place {
            item: keys[item].clone(),
            utility: Estimate::new(mean, variance),
            compared: compared.binary_search(&item).is_ok(),
        };
        shown.iter().zip(moments.mean).zip(moments.variance).map(place).collect()
    }

    /// Utilities of alternatives relative to the average of those compared (or, before the first answer, of these).
    ///
    /// # Errors
    /// As [`Snapshot::points`].
    pub fn utilities(&self, alternatives: &[Alternative]) -> Result<Vec<Estimate>, Error> {
        let points = self.points(alternatives)?;
        if points.is_empty() {
            return Ok(Vec::new());
        }
        let compared = self.compared();
        let reference = if compared.is_empty() { points.clone() } else { self.points(&compared)? };
        let moments = self.posterior.relative_utilities(&points, &reference);
        Ok(moments.mean.into_iter().zip(moments.variance).map(|(m, v)| Estimate::new(m, v)).collect())
    }

    /// By how much the utilities of alternatives exceed that of `reference`: the uncertainty is that of the difference, which is small between
    /// alternatives that are much alike.
    ///
    /// # Errors
    /// As [`Snapshot::points`].
    pub fn gains(
        &self,
        alternatives: &[Alternative],
        reference: &Alternative,
    ) -> Result<Vec<Estimate>, Error> {
        let sides: Vec<Alternative> = alternatives.iter().chain([reference]).cloned().collect();
        let pairs: Vec<(usize, usize)> = (0..alternatives.len()).map(|i| (i, alternatives.len())).collect();
        let moments = self.posterior.differences(&self.points(&sides)?, &pairs);
        let gain = |(mean, variance): (f64, f64)| Estimate::new(mean, variance.max(0.0));
        Ok(moments.mean.into_iter().zip(moments.variance).map(gain).collect())
    }

    /// The probabilities that the first alternative of each pair is preferred to the second.
    ///
    /// # Errors
    /// As [`Snapshot::points`].
    pub fn probabilities(&self, pairs: &[(Alternative, Alternative)]) -> Result<Vec<f64>, Error> {
        let sides: Vec<Alternative> = pairs.iter().flat_map(|(a, b)| [a.clone(), b.clone()]).collect();
        let points = self.points(&sides)?;
        let numbers: Vec<(usize, usize)> = (0..pairs.len()).map(|i| (2 * i, 2 * i + 1)).collect();
        Ok(self.posterior.probabilities(&points, &numbers))
    }

    /// The value of asking each alternative against `opponent`, by the study's acquisition function; `None` if that has no
    /// closed form.
    ///
    /// # Errors
    /// As [`Snapshot::points`].
    pub fn scores(
        &self,
        alternatives: &[Alternative],
        opponent: &Alternative,
    ) -> Result<Option<Vec<f64>>, Error> {
        let acquisition = self.definition().policy.acquisition;
        let points = self.points(alternatives)?;
        let opponent = self.points(std::slice::from_ref(opponent))?;
        let challenge = Challenge::new(acquisition, self.posterior.components()?, &opponent);
        Ok(acquisition.is_closed_form().then(|| challenge.values(&points)))
    }

    /// Whom the next challenger is set against: the winner of the last duel that had one.
    pub fn last_winner(&self) -> Option<Alternative> {
        let winner = self.record.duels.iter().rev().find_map(design::Trial::winner)?;
        Some(self.learner.alternative(&self.record, winner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ask;

    #[test]
    fn a_copy_says_what_the_study_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        let mut study = Study::create(&path, "tea", &Definition::of_items(["a", "b", "c"])).unwrap();
        let empty = study.snapshot("ann").unwrap();
        assert!(!empty.has_answers() && empty.compared().is_empty() && empty.last_winner().is_none());
        for _ in 0..6 {
            let Ask::Duel(asked) = study.ask("ann").unwrap() else { panic!("it has no end") };
            // Alphabetical order is preferred.
            let answer =
                if asked.left.to_string() < asked.right.to_string() { Answer::Left } else { Answer::Right };
            study.tell("ann", Some(asked.number), answer, None).unwrap();
        }
        let advice = study.advice("ann").unwrap();
        let snapshot = study.snapshot("ann").unwrap();
        let copy = std::thread::spawn(move || {
            let ranked: Vec<Alternative> = advice.ranking.iter().map(|r| r.alternative.clone()).collect();
            let utilities = snapshot.utilities(&ranked).unwrap();
            for (ranked, utility) in advice.ranking.iter().zip(&utilities) {
                assert!((ranked.utility.mean - utility.mean).abs() < 1e-12);
            }
            snapshot
        });
        let snapshot = copy.join().unwrap();
        let item = |key: &str| Alternative::Item(key.into());
        let p = snapshot.probabilities(&[(item("a"), item("c")), (item("c"), item("a"))]).unwrap();
        assert!(p[0] > 0.5 && (p[0] + p[1] - 1.0).abs() < 1e-12);
        let gains = snapshot.gains(&[item("a"), item("b")], &item("a")).unwrap();
        assert!(gains[0].mean.abs() < 1e-9 && gains[0].sd < 1e-4 && gains[1].mean < 0.0 && gains[1].sd > 0.0);
        let utilities = snapshot.utilities(&[item("a"), item("b")]).unwrap();
        assert!((utilities[1].mean - utilities[0].mean - gains[1].mean).abs() < 1e-9);
        let scores = snapshot.scores(&[item("a"), item("b")], &item("a")).unwrap().unwrap();
        assert!(
            scores[0].abs() < 1e-9 && scores[1] > 0.0,
            "an item against itself tells nothing: {scores:?}"
        );
        assert!(snapshot.points(&[item("x")]).is_err());
        assert_eq!(snapshot.duels.len(), 6);
    }
}

//! Ratings of single items on an ordered scale.

use super::choice::between;
use super::response::{
    AnswerOption, Kind, Link, Reply, Response, ResponseLikelihood, Setting, Survey, counts_to,
};
use super::{Interval, LOG_NOISE};
use crate::parameter::Hyperparameter;
use rather_numerics::special::normal;

/// A rating: the item's noisy utility, with the user's offset, lies between the thresholds of the level.
///
/// # Formula
/// Level $r=0,\dots,R-1$ is $b_r<f+o_u+e<b_{r+1}$ with $b_0=-\infty$, $b_R=\infty$. Learned are $b_1$ (`rating.first`), the gaps between
/// thresholds (`rating.gap[2]` and so on), an offset for every user if there are several (`offset[ann]`), and, where comparisons fix what a
/// noise of 1 is, how much noisier ratings are (`rating.factor`).
///
/// # References
/// Chu and Ghahramani, *Gaussian processes for ordinal regression* (2005), Journal of Machine Learning Research 6, section 2.
#[derive(Debug, Clone, Copy)]
pub struct Rating;

/// More levels than anybody tells apart.
const MOST_LEVELS: f64 = 99.0;
/// Variance of utilities relative to that of the noise which thresholds start from.
const TYPICAL_RATIO: f64 = 10.0;
const GAP_SD: f64 = 1.5;
const FACTOR_SD: f64 = 1.0;

impl Reply {
    /// The rating `level`, counted from 0, the lowest.
    pub fn rated(level: u16) -> Self {
        Self::new(Kind(&Rating), f64::from(level))
    }
}

fn gap(level: usize) -> String {
    format!("rating.gap[{level}]")
}

fn offset(users: &[String], user: u32) -> Option<String> {
    users.get(user as usize).map(|name| format!("offset[{name}]"))
}

impl Response for Rating {
    fn name(&self) -> &'static str {
        "rating"
    }

    fn accepts(&self, datum: f64) -> bool {
        counts_to(datum, MOST_LEVELS)
    }

    fn parameters(&self, survey: &Survey<'_>) -> Vec<Hyperparameter> {
        let levels = (survey.largest() as usize + 1).max(2);
        // Where the thresholds are if utilities are normal and levels as frequent as they are, each once more.
        let spread = survey.noise * (TYPICAL_RATIO + 1.0).sqrt();
        let mut counts = vec![1.0; levels];
        survey.replies.iter().for_each(|(said, count)| counts[said.datum as usize] += count);
        let total: f64 = counts.iter().sum();
        let mut below = 0.0;
        let thresholds: Vec<f64> = counts[..levels - 1]
            .iter()
            .map(|count| {
                below += count;
                spread * normal::quantile(below / total)
            })
            .collect();
        let first = Hyperparameter::anywhere("rating.first", thresholds[0], spread);
        let gaps = thresholds
            .windows(2)
            .enumerate()
            .map(|(k, w)| Hyperparameter::positive(&gap(k + 2), w[1] - w[0], GAP_SD));
        let factor = (!survey.alone).then(|| Hyperparameter::positive("rating.factor", 1.0, FACTOR_SD));
        let mut raters: Vec<u32> = survey.replies.iter().filter_map(|(said, _)| said.user).collect();
        raters.sort_unstable();
        raters.dedup();
        if raters.len() < 2 {
            raters.clear();
        }
        let offsets = raters.into_iter().filter_map(|user| offset(survey.users, user));
        let offsets = offsets.map(|name| Hyperparameter::real(&name, 0.0, survey.noise));
        std::iter::once(first).chain(gaps).chain(factor).chain(offsets).collect()
    }

    fn likelihood(&self, said: &Reply, at: &Setting<'_>) -> ResponseLikelihood {
        let level = said.datum as usize;
        let factor = at.find("rating.factor");
        let own = said.user.and_then(|user| at.find(&offset(at.users, user)?));
        let parts = |k: usize| {
            let all = std::iter::once("rating.first".to_owned()).chain((2..=k).map(gap));
            all.filter_map(|name| at.find(&name)).collect::<Vec<_>>()
        };
        let shift = own.map_or(0.0, |o| o.value);
        let threshold = |k: usize| parts(k).iter().map(|p| p.value).sum::<f64>() - shift;
        let last = level > 0 && at.find(&gap(level + 1)).is_none();
        let lower = if level == 0 { f64::NEG_INFINITY } else { threshold(level) };
        let upper = if last { f64::INFINITY } else { threshold(level + 1) };
        let s = at.item_noise() * factor.map_or(1.0, |f| f.value);
        let mut out = ResponseLikelihood::noisy(between(lower, upper, s, Link::Probit), at);
        if let Some(f) = factor {
            out = out.on_log(LOG_NOISE, f);
        }
        for (slot, at_end, k) in [(Interval::LOWER, level == 0, level), (Interval::UPPER, last, level + 1)] {
            if !at_end {
                out = parts(k).into_iter().fold(out, |out, p| out.on(slot, p, 1.0));
                out = own.into_iter().fold(out, |out, o| out.on(slot, o, -1.0));
            }
        }
        out
    }

    fn options(&self, survey: &Survey<'_>) -> Vec<AnswerOption> {
        let levels = (survey.largest() as u32 + 1).max(2);
        (0..levels).map(|level| AnswerOption { datum: f64::from(level), sign: 1.0 }).collect()
    }
}

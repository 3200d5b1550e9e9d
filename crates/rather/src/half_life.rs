//! How much an answer counts that is so old.
//!
//! With a half-life $h$, an answer after which $a$ others were given enters with the likelihood $p(y\mid z)^w$, $w=2^{-a/h}$: exponential
//! forgetting, a power prior of what was said before. The prior is not forgotten.
//!
//! References: Ibrahim and Chen, *Power prior distributions for regression models* (2000); Kulhavý and Zarrop, *On a general concept of
//! forgetting* (1993).

use std::f64::consts::LN_2;

use crate::Error;

/// Half-lives after which an answer no longer counts for less, so that a weight is never 0: there it is 1e-30.
const OLDEST: f64 = 100.0;

/// $2^{-a/h}$ of the age $a$, a number of answers.
pub(crate) fn weight(age: f64, half_life: f64) -> f64 {
    (-LN_2 * (age / half_life).min(OLDEST)).exp()
}

/// The weight of `count` answers that were given one after the other, `age` others after the last of them: $\sum_{k<n}2^{-(a+k)/h}$.
pub(crate) fn weight_of_several(count: f64, age: f64, half_life: f64) -> f64 {
    let step = -LN_2 / half_life;
    // (1 - r^n) / (1 - r), right for long half-lives too.
    weight(age, half_life) * (count * step).exp_m1() / step.exp_m1()
}

/// The weights of answers given so many times each, the oldest first; their numbers without a half-life.
pub(crate) fn weights(counts: impl DoubleEndedIterator<Item = f64>, half_life: Option<f64>) -> Vec<f64> {
    let Some(half_life) = half_life else { return counts.collect() };
    let mut age = 0.0;
    let weight_at = |count: f64| {
        let weight = weight_of_several(count, age, half_life);
        age += count;
        weight
    };
    let mut out: Vec<f64> = counts.rev().map(weight_at).collect();
    out.reverse();
    out
}

/// Whether a half-life is one.
///
/// # Errors
/// [`Error::Parameter`] if it is not positive and finite.
pub(crate) fn check(half_life: f64) -> Result<(), Error> {
    let requirement = "it must be a positive number of answers";
    match half_life > 0.0 && half_life.is_finite() {
        true => Ok(()),
        false => Err(Error::Parameter { name: "half-life".into(), value: half_life, requirement }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_counts_half_after_a_half_life() {
        assert_eq!(weight(0.0, 7.0), 1.0);
        assert!((weight(50.0, 50.0) - 0.5).abs() < 1e-15 && (weight(100.0, 50.0) - 0.25).abs() < 1e-15);
        assert!(weight(1e9, 1.0) > 0.0);
    }

    /// A row that counts three times is three rows.
    #[test]
    fn repeated_answers_add_up_as_the_geometric_sum() {
        for half_life in [1.0, 20.0, 1e9] {
            let each = weights([1.0; 5].into_iter(), Some(half_life));
            let together = weights([2.0, 3.0].into_iter(), Some(half_life));
            assert!((each[..2].iter().sum::<f64>() - together[0]).abs() < 1e-14);
            assert!((each[2..].iter().sum::<f64>() - together[1]).abs() < 1e-14);
        }
        let parts = weights([0.5, 0.5, 1.0].into_iter(), Some(3.0));
        let whole = weights([1.0, 1.0].into_iter(), Some(3.0));
        assert!((parts[0] + parts[1] - whole[0]).abs() < 1e-14);
        assert_eq!(weights([2.0, 3.0].into_iter(), None), [2.0, 3.0]);
    }

    #[test]
    fn what_is_no_half_life_is_refused() {
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(check(wrong).unwrap_err().to_string().contains("half-life"));
        }
    }
}

//! Comparisons with more to say than who won: ties and grades.

use super::Interval;
use super::choice::between;
use super::response::{
    AnswerOption, BIAS, Kind, Reply, Response, ResponseLikelihood, Setting, Survey, counts_to,
};
use crate::parameter::Hyperparameter;

/// "Equally good" (grade 0), "better" (grade 1), "much better" (grade 2) and so on: the noisy difference of two items lies between
/// thresholds, the same on both sides.
///
/// # Formula
/// With thresholds $0\le c_1<c_2<\dots$ and the noise $e$ of two looks at an item, a tie is $|z+e|<c_1$, grade $g$ is
/// $c_g<z+e<c_{g+1}$, and the last grade has no upper threshold. $c_1$ (`tie`) is there if there is a tie; else it is 0. The others are
/// kept in order as gaps (`grade[2]` and so on).
///
/// # References
/// Rao and Kupper, *Ties in paired-comparison experiments* (1967), Journal of the American Statistical Association 62, with
/// Thurstone's normal noise; Agresti, *Analysis of ordinal paired comparison data* (1992), Applied Statistics 41, for grades.
#[derive(Debug, Clone, Copy)]
pub struct Graded;

/// More grades than anybody tells apart.
const MOST_GRADES: f64 = 20.0;
/// Standard deviation of the logarithm of a threshold.
const THRESHOLD_SD: f64 = 1.5;

impl Reply {
    /// "Equally good."
    pub const TIE: Self = Self::new(Kind(&Graded), 0.0);

    /// "Better" by a grade: 1 for better, 2 for much better, and so on; for people who could also have said "equally good".
    pub fn better(grade: u8) -> Self {
        Self::new(Kind(&Graded), f64::from(grade))
    }
}

/// The name of the parameter $c_1$.
pub(crate) const TIE: &str = "tie";

/// The name of the parameter $c_g-c_{g-1}$.
pub(crate) fn gap(grade: usize) -> String {
    format!("grade[{grade}]")
}

/// Whether a parameter of this name is one of those.
pub(crate) fn is_grade(name: &str) -> bool {
    name.starts_with("grade[")
}

impl Response for Graded {
    fn name(&self) -> &'static str {
        "graded"
    }

    fn accepts(&self, datum: f64) -> bool {
        counts_to(datum, MOST_GRADES)
    }

    fn parameters(&self, survey: &Survey<'_>) -> Vec<Hyperparameter> {
        let s = std::f64::consts::SQRT_2 * survey.noise;
        let tied = survey.replies.iter().any(|(said, _)| said.datum == 0.0);
        let tie = tied.then(|| Hyperparameter::positive(TIE, 0.5 * s, THRESHOLD_SD));
        let gaps =
            (2..=survey.largest() as usize).map(|g| Hyperparameter::positive(&gap(g), s, THRESHOLD_SD));
        tie.into_iter().chain(gaps).chain(survey.bias()).collect()
    }

    fn likelihood(&self, said: &Reply, at: &Setting<'_>) -> ResponseLikelihood {
        let grade = said.datum as usize;
        let tie = at.find(TIE);
        // The parameters that add up to threshold c_g.
        let parts = |g: usize| tie.into_iter().chain((2..=g).filter_map(|k| at.find(&gap(k))));
        let threshold = |g: usize| parts(g).map(|p| p.value).sum::<f64>();
        let bounded = grade == 0 || at.find(&gap(grade + 1)).is_some();
        let lower = if grade == 0 { -threshold(1) } else { threshold(grade) };
        let upper = if bounded { threshold(grade + 1) } else { f64::INFINITY };
        let side = f64::from(said.side);
        let bias = at.find(BIAS).filter(|_| said.side != 0);
        let shift = bias.map_or(0.0, |b| side * b.value);
        let s = std::f64::consts::SQRT_2 * at.item_noise();
        let mut out =
            ResponseLikelihood::noisy(between(lower - shift, upper - shift, s, at.response_model.link), at);
        let sign = if grade == 0 { -1.0 } else { 1.0 };
        out = parts(grade.max(1)).fold(out, |out, p| out.on(Interval::LOWER, p, sign));
        if bounded {
            out = parts(grade + 1).fold(out, |out, p| out.on(Interval::UPPER, p, 1.0));
        }
        if let Some(b) = bias {
            out = out.on(Interval::LOWER, b, -side).on(Interval::UPPER, b, -side);
        }
        out
    }

    fn options(&self, survey: &Survey<'_>) -> Vec<AnswerOption> {
        let tied = survey.replies.iter().any(|(said, _)| said.datum == 0.0);
        let better = |sign: f64| move |grade: u32| AnswerOption { datum: f64::from(grade), sign };
        let tie = tied.then_some(AnswerOption { datum: 0.0, sign: 1.0 });
        let most = survey.largest().max(1.0) as u32;
        (1..=most).rev().map(better(1.0)).chain(tie).chain((1..=most).map(better(-1.0))).collect()
    }
}

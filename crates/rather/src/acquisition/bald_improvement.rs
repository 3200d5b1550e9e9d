//! Information gain where an improvement is likely.

use rather_numerics::special::normal::{cdf, pdf};

use super::bald::{Bald, gaussian_noise, of_mixture};
use super::{AcquisitionFunction, AnswerModel, Contrast, Goal, PairBelief, Score, Setting};

/// `bald-improvement:1.5`: the mutual information between the answer and the utilities, in bits, times an upper bound of the probability that the
/// challenger is the better one.
///
/// # Formula
/// $$ I\cdot\sum_kw_k\Phi\Big(\kappa+\frac{m_k}{\sqrt{v_k}}\Big), $$
/// where $I$ is that of [`bald`](super::bald), of all parts $k$ of what is believed together, and $\Phi(m/\sqrt v)$ the probability of improvement. A
/// challenger that is worse by more than $\kappa$ standard deviations is hardly asked about, however much its answer would tell. Where answers have
/// little noise, those soon are most; where they have much, they are few, and the choice is nearly that of `bald`.
///
/// # References
/// The factors are those of Houlsby, Huszár, Ghahramani and Lengyel, *Bayesian active learning for classification and preference learning*
/// (2011), arXiv:1112.5745, and of Kushner, *A new method of locating the maximum point of an arbitrary multipeak curve in the presence of noise*
/// (1964), Journal of Basic Engineering 86.
#[derive(Debug)]
pub struct BaldImprovement;

impl AcquisitionFunction for BaldImprovement {
    fn name(&self) -> &'static str {
        "bald-improvement"
    }

    fn title(&self) -> &'static str {
        "informative and promising (BALD times probability of improvement)"
    }

    fn meaning(&self) -> &'static str {
        "information gain of the answer, in bits, times an upper bound of the probability that the right item is better"
    }

    fn goal(&self) -> Goal {
        Goal::Best
    }

    fn setting(&self) -> Setting {
        Setting::Number { default: 1.5 }
    }

    fn needs_opponent(&self) -> bool {
        true
    }

    fn score(&self, contrast: &Contrast, answers: &AnswerModel, kappa: f64) -> Option<Score> {
        let (information, chance) =
            (Bald.score(contrast, answers, 0.0)?, improvement(contrast, answers, kappa));
        Some(product(information, chance, information.value, chance.value))
    }

    fn scores_of_mixture(&self, parts: &[PairBelief<'_>], kappa: f64) -> Vec<Score> {
        let information = of_mixture(parts, gaussian_noise);
        let chance =
            |part: &PairBelief<'_>| improvement(&part.contrast, part.answers, kappa).times(part.weight);
        let chances: Vec<Score> = parts.iter().map(chance).collect();
        let all: f64 = information.iter().map(|score| score.value).sum();
        let likely: f64 = chances.iter().map(|score| score.value).sum();
        let both = information.into_iter().zip(chances);
        both.map(|(information, chance)| product(information, chance, all, likely)).collect()
    }
}

/// $\Phi(\kappa+m/\sqrt v)$.
fn improvement(contrast: &Contrast, answers: &AnswerModel, kappa: f64) -> Score {
    // With as little spread as this, next to the noise, the sign of the difference is known.
    let sd = contrast.variance.sqrt().max(1e-9 * answers.s());
    let u = contrast.mean / sd;
    let density = pdf(kappa + u);
    Score {
        value: cdf(kappa + u),
        d_mean: density / sd,
        d_variance: -0.5 * density * u / (sd * sd),
        d_base: 0.0,
    }
}

/// The share of one part in the product of what `information` and `chance` add up to over all parts: its own information times all of the chance, and
/// the derivatives of the product.
fn product(information: Score, chance: Score, all: f64, likely: f64) -> Score {
    let of = |information: f64, chance: f64| information * likely + all * chance;
    Score {
        value: information.value * likely,
        d_mean: of(information.d_mean, chance.d_mean),
        d_variance: of(information.d_variance, chance.d_variance),
        d_base: of(information.d_base, chance.d_base),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Acquisition, Component, Prepared};
    use super::*;
    use crate::posterior::Joint;
    use rather_numerics::linalg::Matrix;

    fn component(mean: [f64; 3], sd: f64) -> Component<'static> {
        let covariance = Matrix::from_fn(3, 3, |i, j| if i == j && i > 0 { sd * sd } else { 0.0 });
        Component::new(Joint { mean: mean.to_vec(), covariance }, AnswerModel::probit(1.0))
    }

    fn value(name: &str, components: &[Component<'_>], challenger: usize) -> f64 {
        let acquisition: Acquisition = name.parse().unwrap();
        Prepared::new(acquisition, components, 0).unwrap().challenge(challenger, 0)
    }

    /// The information of the average times the average of the probabilities, whatever either is made of.
    #[test]
    fn the_value_is_the_information_times_the_probability() {
        let mut parts = [component([0.0, -0.7, 0.4], 0.8), component([0.0, 1.1, -2.0], 2.0)];
        (parts[0].weight, parts[1].weight) = (0.3, 0.7);
        for challenger in [1, 2] {
            let mean = |part: &Component<'_>| part.of_pair(challenger, 0, false).contrast.mean;
            let chance = 0.3 * cdf(0.5 + mean(&parts[0]) / 0.8) + 0.7 * cdf(0.5 + mean(&parts[1]) / 2.0);
            let found = value("bald-improvement:0.5", &parts, challenger);
            assert!((found - value("bald", &parts, challenger) * chance).abs() < 1e-14, "{found}");
        }
    }

    /// Of two as uncertain challengers with as large a difference, the one that may well be better; without a bound it is `bald`.
    #[test]
    fn who_is_worse_is_asked_about_less() {
        let alone = [component([0.0, 1.0, -1.0], 1.0)];
        let [better, worse] = [1, 2].map(|challenger| value("bald-improvement:0", &alone, challenger));
        let odds = cdf(1.0) / cdf(-1.0);
        assert!((better / worse / odds - 1.0).abs() < 1e-12, "{better} {worse}");
        assert_eq!(value("bald-improvement:40", &alone, 2), value("bald", &alone, 2));
    }
}

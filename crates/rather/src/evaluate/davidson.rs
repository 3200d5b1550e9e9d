//! Davidson's model of games with ties, as a baseline: Bradley and Terry's with a share of ties, and a ridge.

use rather_numerics::lbfgs::{Stop, minimise};

use super::Tested;
use super::game::{Game, tested, ties};
use crate::answers::Answer;

/// Standard deviations of log strengths that are tried.
const RIDGES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
/// Parts of the training games, of which each is predicted from the others to choose the ridge.
const PARTS: usize = 3;
/// The gradient is of a sum over games, in nats; strengths are known to far less than this.
const STOP: Stop = Stop { gradient: 1e-6, decrease: 1e-12, error: 0.0, steps: 500 };
/// No log strength, and no log of the weight of ties, is beyond.
const BOUND: f64 = 30.0;

/// Log strengths of the items, and the log of the weight of ties.
struct Strengths {
    of: Vec<f64>,
    log_tie: f64,
}

impl Strengths {
    /// The probabilities that the first of two wins, of a tie, and that the second wins.
    fn outcomes(&self, (first, second): (usize, usize)) -> [f64; 3] {
        outcomes(self.of[first] - self.of[second], self.log_tie)
    }

    /// The strengths that have the largest posterior density under a ridge.
    fn learned<'g>(games: impl Iterator<Item = &'g Game> + Clone, items: usize, ridge: f64) -> Option<Self> {
        let of = |x: &[f64]| {
            let (mut value, mut gradient) = (0.0, vec![0.0; x.len()]);
            for game in games.clone() {
                let (first, second) = game.items;
                let [win, tied, lose] = outcomes(x[first] - x[second], x[items]);
                let is_tie = game.score == 0.5;
                value -= game.count * (if is_tie { tied } else { win }).max(f64::MIN_POSITIVE).ln();
                // The first of a game has won it, or nobody has.
                let slope = 0.5 * (win - lose) - if is_tie { 0.0 } else { 0.5 };
                gradient[first] += game.count * slope;
                gradient[second] -= game.count * slope;
                gradient[items] += game.count * (tied - f64::from(u8::from(is_tie)));
            }
            for (x, slope) in x[..items].iter().zip(&mut gradient) {
                value += 0.5 * (x / ridge).powi(2);
                *slope += x / ridge.powi(2);
            }
            Some((value, gradient))
        };
        let found = minimise(of, &vec![0.0; items + 1], &vec![(-BOUND, BOUND); items + 1], STOP)?.x;
        Some(Self { log_tie: found[items], of: found[..items].to_vec() })
    }

    /// The log loss of games.
    fn loss<'g>(&self, games: impl Iterator<Item = &'g Game>) -> f64 {
        let one = |game: &Game| {
            let [win, tied, _] = self.outcomes(game.items);
            -game.count * (if game.score == 0.5 { tied } else { win }).max(f64::MIN_POSITIVE).ln()
        };
        games.map(one).sum()
    }
}

/// Of a difference of log strengths, and the log of the weight of ties.
fn outcomes(difference: f64, log_tie: f64) -> [f64; 3] {
    let logs = [0.5 * difference, log_tie, -0.5 * difference];
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights = logs.map(|log| (log - most).exp());
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

/// What Davidson's model predicts of `test` after `training`, games about so many items; `like` are these answers as a model predicted them. `None` unless
/// all answers compare two items, have the outcomes that either wins, or neither, and some are ties.
///
/// # Formula
/// $P(i)\propto\sqrt{\pi_i/\pi_j}$, $P(j)\propto\sqrt{\pi_j/\pi_i}$ and $P(\text{tie})\propto\nu$, with $\log\pi\sim N(0,\tau^2)$ at its mode; $\tau$ is that of five under
/// which a third of the training's games is predicted best from the others.
///
/// # References
/// Davidson, *On extending the Bradley-Terry model to accommodate ties in paired comparison experiments* (1970), Journal of the American Statistical
/// Association 65.
pub fn davidson(training: &[Answer], test: &[Answer], items: usize, like: &[Tested]) -> Option<Vec<Tested>> {
    let games = Game::all(training)?;
    if ties(&games).0 == 0.0 || like.iter().any(|like| like.predicted.len() != 3) {
        return None;
    }
    let held_out = |ridge: f64| {
        let part = |part: usize| {
            let of = |held: bool| {
                let is_here = move |at: usize| (at % PARTS == part) == held;
                games.iter().enumerate().filter(move |(at, _)| is_here(*at)).map(|(_, game)| game)
            };
            Some(Strengths::learned(of(false), items, ridge)?.loss(of(true)))
        };
        (0..PARTS).map(part).sum::<Option<f64>>().unwrap_or(f64::INFINITY)
    };
    let tried = RIDGES.map(|ridge| (ridge, held_out(ridge)));
    let (ridge, _) = tried.into_iter().min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let strengths = Strengths::learned(games.iter(), items, ridge)?;
    tested(test, like, |pair| strengths.outcomes(pair))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::question::Questions;
    use crate::likelihood::Responses;

    /// Two items: at the mode, the slope of the ridge is that of the games.
    #[test]
    fn strengths_are_at_the_mode() {
        let answers =
            [Answer::rather(0, 1).times(6), Answer::rather(1, 0).times(2), Answer::tie(0, 1).times(4)];
        let games = Game::all(&answers).unwrap();
        let found = Strengths::learned(games.iter(), 2, 1.0).unwrap();
        let [win, tied, lose] = found.outcomes((0, 1));
        assert!((win + tied + lose - 1.0).abs() < 1e-12 && win > lose);
        // Ties are as frequent as they were.
        assert!((tied - 4.0 / 12.0).abs() < 1e-6, "{tied}");
        let slope = 12.0 * 0.5 * (win - lose) - 0.5 * (6.0 - 2.0);
        assert!((found.of[0] + slope).abs() < 1e-5 && (found.of[0] + found.of[1]).abs() < 1e-6);
    }

    #[test]
    fn only_games_with_ties_have_it() {
        let test: Vec<Answer> = vec![Answer::tie(0, 1), Answer::better(2, 1, 1)];
        let all = Questions::of(&Responses::default(), &test.iter().copied().collect()).all;
        let like: Vec<Tested> = all.iter().map(|q| Tested::answered(q, vec![1.0 / 3.0; 3])).collect();
        let training = [Answer::better(0, 1, 1), Answer::better(1, 2, 1), Answer::tie(0, 1)];
        let found = davidson(&training, &test, 3, &like).unwrap();
        assert!(found.iter().all(|t| (t.predicted.iter().sum::<f64>() - 1.0).abs() < 1e-12));
        assert_eq!(davidson(&training[..2], &test, 3, &like), None);
        assert_eq!(davidson(&[Answer::rated(0, 1)], &test, 3, &like), None);
    }
}

//! Elo's ratings, as a baseline.

use super::Tested;
use super::game::{Game, tested, ties};
use crate::answers::Answer;

/// Steps that are tried, in points of Elo's scale.
const STEPS: [f64; 7] = [4.0, 8.0, 16.0, 24.0, 32.0, 64.0, 128.0];
/// Elo's scale: a player 400 points better wins ten times as often as the other.
const SCALE: f64 = 400.0;
/// So often, at most, one answer is counted.
const MOST_REPEATS: f64 = 1_000.0;

/// Ratings that follow games one by one, with a share of ties.
struct Ratings {
    of: Vec<f64>,
    step: f64,
    /// How much a tie weighs; 0 where there are none.
    tie: f64,
}

impl Ratings {
    /// What the first of two is expected to score, win or lose.
    fn expected(&self, (first, second): (usize, usize)) -> f64 {
        1.0 / (1.0 + 10.0_f64.powf((self.of[second] - self.of[first]) / SCALE))
    }

    /// The probabilities that the first wins, of a tie, and that the second wins: ties as Davidson (1970) has them.
    fn outcomes(&self, items: (usize, usize)) -> [f64; 3] {
        let p = self.expected(items);
        let tie = self.tie * (p * (1.0 - p)).sqrt();
        [p, tie, 1.0 - p].map(|weight| weight / (1.0 + tie))
    }

    fn play(&mut self, game: &Game) {
        let repeats = game.count.ceil().clamp(1.0, MOST_REPEATS);
        let (first, second) = game.items;
        for _ in 0..repeats as usize {
            let change =
                self.step * (game.count / repeats).min(1.0) * (game.score - self.expected(game.items));
            self.of[first] += change;
            self.of[second] -= change;
        }
    }

    /// Through all games in order, and the log loss of each before it was played.
    fn through(games: &[Game], items: usize, step: f64, tie: f64) -> (Self, f64) {
        let mut ratings = Self { of: vec![0.0; items], step, tie };
        let mut loss = 0.0;
        for game in games {
            let [win, tied, _] = ratings.outcomes(game.items);
            loss -= game.count * (if game.score == 0.5 { tied } else { win }).max(f64::MIN_POSITIVE).ln();
            ratings.play(game);
        }
        (ratings, loss)
    }
}

/// What Elo's ratings predict of `test`, answers about so many items, after `training` in this order; `like` are these answers as a model predicted
/// them. `None` unless all answers compare two items and have no more outcomes than that either wins, or neither.
///
/// # Formula
/// After a game $r_i\mathrel{+}=K(s-p)$ with $p=1/(1+10^{(r_j-r_i)/400})$, and $r_j$ the same downwards; $K$ is that under which the training's games were predicted
/// best, each from those before it. Ties have the weight $\nu\sqrt{p(1-p)}$ beside $p$ and $1-p$, with $\nu$ from their share.
///
/// # References
/// Elo, *The rating of chessplayers, past and present* (1978); Davidson, *On extending the Bradley-Terry model to accommodate ties in paired
/// comparison experiments* (1970), Journal of the American Statistical Association 65.
pub fn elo(training: &[Answer], test: &[Answer], items: usize, like: &[Tested]) -> Option<Vec<Tested>> {
    let games = Game::all(training)?;
    let (ties, others) = ties(&games);
    // At equal ratings a tie has the share nu / (2 + nu).
    let tie = if ties > 0.0 { 2.0 * ties / others.max(1.0) } else { 0.0 };
    let tried = STEPS.map(|step| Ratings::through(&games, items, step, tie));
    let (ratings, _) = tried.into_iter().min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    tested(test, like, |pair| ratings.outcomes(pair))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::question::Questions;
    use crate::likelihood::Responses;

    #[test]
    fn ratings_follow_games() {
        let training = [Answer::rather(0, 1).times(3), Answer::rather(1, 2).times(2)];
        let test: Vec<Answer> = vec![Answer::rather(2, 0), Answer::rather(1, 2)];
        let all = Questions::of(&Responses::default(), &test.iter().copied().collect()).all;
        let like: Vec<Tested> = all.iter().map(|q| Tested::answered(q, vec![0.5, 0.5])).collect();
        let found = elo(&training, &test, 3, &like).unwrap();
        // The second item lost to the first and beat the third; the first is put first.
        assert!(found[0].predicted[0] > 0.5 && found[0].given == Some(1));
        assert!(found[1].of_answer() > 0.5);
        assert!(elo(&[Answer::rated(0, 1)], &test, 3, &like).is_none());
        // One game of the step K by hand.
        let mut ratings = Ratings { of: vec![0.0; 2], step: 32.0, tie: 0.0 };
        ratings.play(&Game { items: (0, 1), score: 1.0, count: 1.0 });
        assert_eq!(ratings.of, [16.0, -16.0]);
        let expected = 1.0 / (1.0 + 10.0_f64.powf(-32.0 / 400.0));
        assert!((ratings.outcomes((0, 1))[0] - expected).abs() < 1e-15);
    }
}

//! An acquisition function of one's own: it chooses comparisons as those of the library do.
//!
//! `cargo run -p rather --example own_acquisition`

use rather::acquisition::pool::Pairs;
use rather::acquisition::{
    Acquisition, AcquisitionFunction, AnswerModel, Contrast, Goal, PoolUtilities, Request, Score, scores,
    suggest,
};
use rather::model::{FitSettings, Items, Model};
use rather::{Comparison, Error};

/// The probability that the answer is not the most probable one, $1-\max_y\mathbb Ep_y(z)$: uncertainty sampling.
///
/// # References
/// Lewis and Gale, *A sequential algorithm for training text classifiers* (1994), SIGIR.
#[derive(Debug)]
struct LeastConfident;

impl AcquisitionFunction for LeastConfident {
    fn name(&self) -> &'static str {
        "least-confident"
    }

    fn title(&self) -> &'static str {
        "least confident"
    }

    fn meaning(&self) -> &'static str {
        "probability that the answer is not the one expected"
    }

    fn goal(&self) -> Goal {
        Goal::Utilities
    }

    // With its derivatives, so that it is maximised over continuous features too.
    fn score(&self, contrast: &Contrast, answers: &AnswerModel, _setting: f64) -> Option<Score> {
        let all = answers.averages(contrast.mean, contrast.variance).answers;
        let p = all.iter().max_by(|a, b| a.value.total_cmp(&b.value))?;
        Some(Score { value: 1.0 - p.value, d_mean: -p.d_mean, d_variance: -p.d_variance, d_base: 0.0 })
    }
}

fn main() -> Result<(), Error> {
    let keys = ["tea", "coffee", "wine", "water"].map(String::from).to_vec();
    let rather = |winner, loser| Comparison { winner, loser, count: 3.0 };
    let answers = [rather(0, 1), rather(0, 2), rather(1, 2)];
    let items = Items { keys, columns: vec![] };
    let model = Model::fit(&items, &answers, &FitSettings::default(), &|_| ())?;
    let pool = PoolUtilities::of(model.belief(), model.points())?;

    let own = Acquisition::new(&LeastConfident);
    for next in suggest(&pool, &Request::new(own, Pairs::All, 3, 0))? {
        let (left, right) = (&model.keys()[next.opponent], &model.keys()[next.challenger]);
        println!("{left} or {right}? {}: {:.3}", own.meaning(), next.score);
    }
    let bald = scores(&pool, "bald".parse()?, &[(0, 3)], 0)?;
    println!("tea or water, by information: {:.3} bits", bald[0]);
    Ok(())
}

//! Joint draws of utilities.

use rather::belief::Belief;
use rather::exact::ExactPosterior;
use rather::points::Points;
use rather::posterior::{Joint, Posterior};
use rather::watch::{self, Steps};
use rather::{Error, Person};
use rather_numerics::random;

/// `draws` draws of a person's utilities of `asked` (draws x items), relative to the average over the compared items.
pub(crate) fn of(person: &Person<'_>, asked: &Points, draws: usize, seed: u64) -> Result<Vec<f64>, Error> {
    let compared = person.items().points().select(&person.compared());
    match person {
        Person::Single(model) => match model.belief() {
            Belief::Exact(posterior) => exact(posterior, asked, &compared, draws),
            belief => gaussian(&belief.components()?, asked, &compared, draws, seed),
        },
        Person::User(..) => {
            let drawn = person.draws(&asked.followed_by(&compared), draws, &mut random::stream(seed, 0))?;
            Ok((0..draws).flat_map(|number| relative(drawn.col(number), asked.len())).collect())
        }
    }
}

/// The covariance of a person's utilities of `asked`, row by row, relative to the average over the compared items.
pub(crate) fn relative_covariance(person: &Person<'_>, asked: &Points) -> Result<Vec<f64>, Error> {
    let compared = person.items().points().select(&person.compared());
    let covariance = person.covariance(&asked.followed_by(&compared))?;
    let (n, all) = (asked.len(), asked.len() + compared.len());
    let with_average =
        |i: usize| (n..all).map(|j| covariance[(i, j)]).sum::<f64>() / compared.len().max(1) as f64;
    let of_average = (n..all).map(with_average).sum::<f64>() / compared.len().max(1) as f64;
    let with: Vec<f64> = (0..n).map(with_average).collect();
    let entry = |i: usize, j: usize| covariance[(i, j)] - with[i] - with[j] + of_average;
    Ok((0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).collect())
}

/// `draws` draws of the utilities of `asked` (draws x items), relative to the average over `compared`; of an average over kernels and
/// hyperparameters a draw is of one of them, in turns by their weights.
pub(crate) fn gaussian(
    components: &[(f64, &Posterior)],
    asked: &Points,
    compared: &Points,
    draws: usize,
    seed: u64,
) -> Result<Vec<f64>, Error> {
    let all = asked.followed_by(compared);
    let joints: Vec<Joint> = components.iter().map(|(_, posterior)| posterior.joint(&all)).collect();
    let samplers = joints.iter().map(Joint::sampler).collect::<Result<Vec<_>, Error>>()?;
    // Whose share of the draws so far is the farthest behind its weight.
    let mut drawn = vec![0.0; components.len()];
    let mut turn = move |weights: &[f64], number: usize| {
        let behind = |k: usize| weights[k] * (number + 1) as f64 - drawn[k];
        let next = (0..weights.len()).max_by(|&a, &b| behind(a).total_cmp(&behind(b))).unwrap_or(0);
        drawn[next] += 1.0;
        next
    };
    let weights: Vec<f64> = components.iter().map(|(weight, _)| *weight).collect();
    let mut draw =
        |number: usize| samplers[turn(&weights, number)].draw(&mut random::stream(seed, number as u64));
    let steps = Steps::start("drawing", draws);
    let numbers = (0..draws).take_while(|_| !watch::ends()).inspect(|_| steps.add(1));
    Ok(numbers.flat_map(|number| relative(&draw(number), asked.len())).collect())
}

/// The same from the posterior itself, of which an exact model keeps draws: they are no Gaussian's, and its seed made them.
pub(crate) fn exact(
    posterior: &ExactPosterior,
    asked: &Points,
    compared: &Points,
    draws: usize,
) -> Result<Vec<f64>, Error> {
    let drawn = posterior.samples(&asked.followed_by(compared), draws)?;
    Ok((0..draws).flat_map(|number| relative(drawn.col(number), asked.len())).collect())
}

/// The first `asked` of a draw's utilities, relative to the average of the others.
fn relative(utilities: &[f64], asked: usize) -> Vec<f64> {
    let (asked, reference) = utilities.split_at(asked);
    let average = reference.iter().sum::<f64>() / reference.len().max(1) as f64;
    asked.iter().map(|u| u - average).collect()
}

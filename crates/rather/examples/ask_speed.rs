//! How long a duel takes to choose as answers gather: `cargo run --release -p rather --example ask_speed`.

use std::time::{Duration, Instant};

use rather::design::{Column, Outcome, Policy, Prior, Request, Trial, fit, never, next_in_domain};
use rather::search::Domain;

const DUELS: usize = 400;
const EVERY: usize = 50;

fn main() -> Result<(), rather::Error> {
    let domain = Domain::unit_box(2);
    let columns = Column::of_domain(&domain);
    let (prior, policy) = (Prior::default(), Policy::default());
    let (mut settings, mut duels): (Vec<Vec<f64>>, Vec<Trial>) = (Vec::new(), Vec::new());
    let (mut believing, mut choosing) = (Duration::ZERO, Duration::ZERO);
    println!("answers  settings  features  believing, ms  choosing, ms  (two parameters)");
    for n in 1..=DUELS {
        let start = Instant::now();
        let posterior = fit(&domain.points(&settings), &columns, &duels, &prior)?;
        believing += start.elapsed();
        let start = Instant::now();
        let request =
            Request { posterior: &posterior, trials: &duels, policy: &policy, seed: 3, stop: &never };
        let next = next_in_domain(&request, &domain, &settings)?;
        choosing += start.elapsed();
        let (left, right) = (number(&mut settings, next.left), number(&mut settings, next.right));
        let answer = if said(&settings[left], &settings[right], n) { Outcome::Left } else { Outcome::Right };
        duels.push(Trial::pair(left, right, Some(answer)));
        if n % EVERY == 0 {
            let each = |time: Duration| 1e3 * time.as_secs_f64() / EVERY as f64;
            let (features, known) = (posterior.gaussian()?.prior().rank(), settings.len());
            println!("{n:7}  {known:8}  {features:8}  {:13.2}  {:12.2}", each(believing), each(choosing));
            (believing, choosing) = (Duration::ZERO, Duration::ZERO);
        }
    }
    Ok(())
}

fn number(settings: &mut Vec<Vec<f64>>, setting: Vec<f64>) -> usize {
    let known = settings.iter().position(|other| *other == setting);
    known.unwrap_or_else(|| {
        settings.push(setting);
        settings.len() - 1
    })
}

/// A taste with a best setting, and an error that goes round.
fn said(left: &[f64], right: &[f64], n: usize) -> bool {
    let utility = |x: &[f64]| -8.0 * ((x[0] - 0.3).powi(2) + (x[1] - 0.6).powi(2));
    let noise = ((n * 2_654_435_761) % 1000) as f64 / 500.0 - 1.0;
    utility(left) - utility(right) + noise > 0.0
}

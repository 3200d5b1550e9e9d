//! Seconds of fitting the models of many users: `cargo run --release --example many_speed -- USERS ANSWERS FUNCTIONS`.

use std::time::Instant;

use rather::kernel::{Kernel, Schema, parse};
use rather::many::collaborative::{Data, Settings, Weights};
use rather::many::{
    Answer, Answers, Collaborative, Hierarchical, HierarchicalSettings, PerUser, UserModel, UserPrior,
};
use rather::points::Points;
use rather::random::{normal, normals, stream, uniform};

fn main() -> Result<(), rather::Error> {
    let argument =
        |i: usize, default: usize| std::env::args().nth(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let (users, answers, functions) = (argument(1, 100), argument(2, 20), argument(3, 20));
    let mut rng = stream(1, 0);
    let rows: Vec<[f64; 2]> = (0..10).map(|_| [normal(&mut rng), normal(&mut rng)]).collect();
    let items = Points::from_rows(&rows);
    let schema = Schema { names: vec!["x".into(), "y".into()], categorical: vec![false; 2] };
    let mut kernel: Kernel = parse("se", &schema, false)?;
    kernel.set_parameters(&[1.0, 1.0])?;
    let latent: Vec<Vec<f64>> = (0..5).map(|_| normals(10, &mut rng)).collect();
    let mut said = Vec::new();
    for user in 0..users {
        let w = normals(5, &mut rng);
        let mut pairs: Vec<(usize, usize)> = (0..10).flat_map(|i| (i + 1..10).map(move |j| (i, j))).collect();
        for _ in 0..answers.min(45) {
            let (i, j) = pairs.swap_remove((uniform(&mut rng) * pairs.len() as f64) as usize);
            let g: f64 = w.iter().zip(&latent).map(|(w, f)| w * (f[i] - f[j])).sum();
            let (winner, loser) = if g + normal(&mut rng) > 0.0 { (i, j) } else { (j, i) };
            said.push(Answer { user, winner, loser, count: 1 });
        }
    }
    let answers = Answers::new(users, 10, &said)?;
    let data = Data { items: &items, users: None, answers: &answers };
    let time = |name: &str, fit: &dyn Fn() -> Result<Box<dyn UserModel>, rather::Error>| {
        let start = Instant::now();
        let model = fit()?;
        let seconds = start.elapsed().as_secs_f64();
        let r = model.report();
        println!(
            "{name:<28} {seconds:8.3} s  {:>4} cycles  residual {:.1e}  skipped {:>5}  log Z {:.4}",
            r.cycles, r.residual, r.skipped, r.log_evidence
        );
        Ok::<(), rather::Error>(())
    };
    for (common, weights) in [
        (0.0, Weights::PerFunction),
        (0.5, Weights::PerFunction),
        (0.0, Weights::Joint),
        (0.5, Weights::Joint),
    ] {
        for inner_sweeps in [1, 2, 3] {
            let settings = Settings { functions, weights, inner_sweeps, ..Settings::default() };
            time(&format!("collaborative {common} {weights:?} {inner_sweeps}"), &|| {
                Ok(Box::new(Collaborative::fit(&data, &kernel, &UserPrior::strangers(common), &settings)?))
            })?;
        }
    }
    time("per user", &|| Ok(Box::new(PerUser::fit(&items, &answers, &kernel, 0.5_f64.sqrt())?)))?;
    time("hierarchical", &|| {
        Ok(Box::new(Hierarchical::fit(&items, &answers, &kernel, &HierarchicalSettings::default())?))
    })
}

//! A kernel of one's own: it stands in expressions beside those of the library, and models of it can be read from files.
//!
//! `cargo run -p rather --example own_kernel`

use rather::kernel::{AtomKind, Domain, Profile, Schema, Stationary, check_covariance, parse, register};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::model::{FitSettings, Items, Model};
use rather::points::Points;
use rather::{Comparison, Error};

/// Wendland's function, exactly 0 beyond a distance of 1: $k(r)=(1-r)_+^4(4r+1)$, positive definite in up to three dimensions.
///
/// # References
/// Wendland, *Piecewise polynomial, positive definite and compactly supported radial functions of minimal degree* (1995), Advances in
/// Computational Mathematics 4; Rasmussen and Williams (2006), equation 4.21 with $D=3$ and $q=1$.
#[derive(Debug, Clone)]
struct Wendland;

impl Profile for Wendland {
    const NAME: &'static str = "wendland";

    // Its slope in r is -20 r (1 - r)^3, so that in r^2 it is -10 (1 - r)^3.
    fn evaluate(&self, r2: f64) -> (f64, f64) {
        let r = r2.sqrt();
        let left = (1.0 - r).max(0.0);
        (left.powi(4) * (4.0 * r + 1.0).min(5.0), -10.0 * left.powi(3))
    }
}

static WENDLAND: AtomKind = AtomKind {
    name: Wendland::NAME,
    aliases: &[],
    key: Wendland::NAME,
    domain: Domain::Differences,
    meaning: "twice differentiable functions whose values far apart are independent",
    make: |active| Box::new(Stationary::new(active, Wendland)),
};

fn main() -> Result<(), Error> {
    register(&WENDLAND)?;

    // Is it a covariance function, with the derivatives that it says it has?
    let schema = Schema { names: vec!["x".into(), "y".into()], categorical: vec![false; 2], context: 0 };
    let kernel = parse("wendland", &schema, true)?;
    let points = Points::from_rows(&[[0.1, 0.9], [0.6, 0.3], [1.2, -0.4], [0.1, 0.9]]);
    if let Err(problem) = check_covariance(&kernel, &points, &schema) {
        println!("{problem}");
    }

    let keys = (0..12).map(|i| format!("item {i}")).collect();
    let column = rather::features::Column {
        name: "x".into(),
        values: rather::features::ColumnValues::Numeric((0..12).map(f64::from).collect()),
    };
    let rather = |winner, loser| Comparison { winner, loser, count: 2.0 };
    let answers: Vec<Comparison> =
        (0..11).map(|i| if i < 6 { rather(i + 1, i) } else { rather(i, i + 1) }).collect();
    let own = KernelChoice::Given(KernelSpec { expression: "wendland + white".into(), ard: false });
    let settings = FitSettings { kernel: own, ..FitSettings::default() };
    let model = Model::fit(&Items { keys, columns: vec![column] }, &answers, &settings, &|_| ())?;
    let best = model.rank(model.points())[0];
    println!(
        "{}: {}, log evidence {:.3}",
        model.kernel_expression(),
        model.keys()[best.item],
        model.report().log_evidence
    );
    Ok(())
}

//! Ways to choose duels, and one run with one listener.

use std::fmt;

use anyhow::Result;
use rather::acquisition::Acquisition;
use rather::design::{
    Among, Column, Opponent, Policy, Pool, Prior, Request, Trial, fit, never, next_in_domain, next_in_pool,
    recommend_in_domain, recommend_in_pool,
};
use rather::search::Domain;

use super::listener::Listener;

/// A policy with a row in the table.
pub(super) struct Strategy {
    acquisition: &'static str,
    opponent: Opponent,
}

const fn against(opponent: Opponent, acquisition: &'static str) -> Strategy {
    Strategy { acquisition, opponent }
}

use Opponent::{Any, Best, Winner};

/// All of them, the default policy first.
pub(super) const STRATEGIES: [Strategy; 37] = [
    against(Winner, "bald-improvement"),
    against(Best, "bald-improvement"),
    against(Winner, "bald"),
    against(Winner, "bald-quadrature"),
    against(Best, "bald"),
    against(Any, "bald"),
    against(Any, "random"),
    against(Winner, "random"),
    against(Winner, "absolute-ucb:0.5"),
    against(Winner, "absolute-ucb:1.0"),
    against(Winner, "absolute-ucb:2.0"),
    against(Winner, "absolute-ucb:4.0"),
    against(Winner, "absolute-improvement"),
    against(Winner, "improvement"),
    against(Best, "improvement"),
    against(Winner, "ucb:1.0"),
    against(Winner, "ucb:2.0"),
    against(Best, "ucb:2.0"),
    against(Winner, "ucb:3.0"),
    against(Winner, "entropy"),
    against(Winner, "ivm"),
    against(Winner, "committee:2"),
    against(Winner, "committee:100"),
    against(Winner, "uncertain"),
    against(Best, "uncertain"),
    against(Any, "eubo"),
    against(Any, "qeubo:2"),
    against(Any, "thompson"),
    against(Winner, "thompson"),
    against(Best, "thompson"),
    against(Winner, "believer"),
    against(Best, "believer"),
    against(Winner, "best"),
    against(Winner, "knowledge-gradient"),
    against(Best, "knowledge-gradient"),
    against(Winner, "max-value-entropy"),
    against(Best, "max-value-entropy"),
];

/// What duels are made of.
pub(super) enum Candidates {
    /// A grid over the cube, and its settings.
    Grid(Box<Pool>),
    /// The whole cube.
    Cube(Domain),
}

impl fmt::Display for Candidates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Grid(pool) => write!(f, "a grid of {} settings", pool.points.len()),
            Self::Cube(_) => f.write_str("the whole cube"),
        }
    }
}

impl Candidates {
    pub(super) fn new(dims: usize, grid: bool) -> Result<Self> {
        if !grid {
            return Ok(Self::Cube(Domain::unit_box(dims)));
        }
        let side: usize = match dims {
            1 => 41,
            2 => 15,
            _ => 5,
        };
        let setting = |mut i: usize| -> Vec<f64> {
            let mut coordinate = || {
                let c = (i % side) as f64 / (side - 1) as f64;
                i /= side;
                c
            };
            (0..dims).map(|_| coordinate()).collect()
        };
        let settings: Vec<Vec<f64>> = (0..side.pow(dims as u32)).map(setting).collect();
        let points = Domain::unit_box(dims).points(&settings);
        Ok(Self::Grid(Box::new(Pool::new(points, &vec![false; dims])?)))
    }

    /// Settings spread over the cube.
    #[cfg(test)]
    pub(super) fn spread(&self, n: usize) -> Vec<Vec<f64>> {
        match self {
            Self::Grid(pool) => (0..pool.points.len()).map(|i| pool.points.row(i).to_vec()).collect(),
            Self::Cube(domain) => domain.fill(n, 1),
        }
    }
}

impl Strategy {
    fn acquisition(&self) -> Result<Acquisition> {
        Ok(self.acquisition.parse()?)
    }

    pub(super) fn name(&self) -> String {
        let usual = Policy::default();
        let acquisition = self.acquisition();
        let default =
            acquisition.as_ref().is_ok_and(|a| *a == usual.acquisition) && usual.opponent == self.opponent;
        let against = match self.opponent {
            Opponent::Any => "pair".into(),
            opponent => format!("challenger, {opponent} stays"),
        };
        let name = acquisition.map_or(self.acquisition.to_owned(), |a| a.to_string());
        format!("{name} {against}{}", if default { " *" } else { "" })
    }

    /// The regret of the recommendation after each of `duels` duels.
    pub(super) fn run(
        &self,
        candidates: &Candidates,
        listener: &mut Listener,
        duels: usize,
        prior: &Prior,
        seed: u64,
    ) -> Result<Vec<f64>> {
        let policy =
            Policy { acquisition: self.acquisition()?, opponent: self.opponent, ..Default::default() };
        let mut history: Vec<Trial> = Vec::new();
        let mut settings: Vec<Vec<f64>> = match candidates {
            Candidates::Grid(pool) => (0..pool.points.len()).map(|i| pool.points.row(i).to_vec()).collect(),
            Candidates::Cube(_) => Vec::new(),
        };
        let mut posterior = match candidates {
            Candidates::Grid(pool) => fit(&pool.points, &pool.columns, &history, prior)?,
            Candidates::Cube(domain) => {
                fit(&domain.points(&settings), &Column::of_domain(domain), &history, prior)?
            }
        };
        let mut regrets = Vec::with_capacity(duels);
        for _ in 0..duels {
            let request =
                Request { posterior: &posterior, trials: &history, policy: &policy, seed, stop: &never };
            let (left, right) = match candidates {
                Candidates::Grid(pool) => {
                    let next = next_in_pool(&request, pool)?;
                    (next.left, next.right)
                }
                Candidates::Cube(domain) => {
                    let next = next_in_domain(&request, domain, &settings)?;
                    (number(&mut settings, next.left), number(&mut settings, next.right))
                }
            };
            let answer = Some(listener.answer(&settings[left], &settings[right]));
            history.push(Trial::pair(left, right, answer));
            let recommended = match candidates {
                Candidates::Grid(pool) => {
                    posterior = fit(&pool.points, &pool.columns, &history, prior)?;
                    let best = recommend_in_pool(&posterior, pool, &history, Among::All);
                    settings[best.unwrap_or(left)].clone()
                }
                Candidates::Cube(domain) => {
                    let points = domain.points(&settings);
                    posterior = fit(&points, &Column::of_domain(domain), &history, prior)?;
                    recommend_in_domain(&posterior, domain, &settings, seed)?
                }
            };
            regrets.push(listener.regret(&recommended));
        }
        Ok(regrets)
    }
}

/// The number of `setting` among `settings`, to which it is added if it is new.
pub(crate) fn number(settings: &mut Vec<Vec<f64>>, setting: Vec<f64>) -> usize {
    settings.iter().position(|s| *s == setting).unwrap_or_else(|| {
        settings.push(setting);
        settings.len() - 1
    })
}

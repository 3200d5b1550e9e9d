//! Many items and many comparisons: how near features of low rank come to the whole covariance, and what they cost.

mod cost;
mod nearness;
mod shapes;
mod users;
mod world;

use anyhow::Result;

/// Arguments of the tables.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// One table alone, so that its peak memory is its own.
    #[arg(long, value_enum)]
    only: Option<Part>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// 500 items, 2,000 comparisons: few inducing items beside the whole covariance.
    Nearness,
    /// 5,000 items, 50,000 comparisons, hyperparameters learned.
    Learned,
    /// 20,000 items, up to 1,000,000 comparisons, 100 inducing items, hyperparameters fixed.
    Million,
    /// 100,000 items by name only, 1,000,000 comparisons, hyperparameters learned.
    Names,
    /// Items by name, 500 to 50,000, whose comparisons are a star, a chain, a league, a lattice or random: every representation beside the default.
    Shapes,
    /// Collaborative models of 1,000, 10,000 and 100,000 users with 20 answers each, hyperparameters fixed.
    Users,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    println!("threads: {}", rayon::current_num_threads());
    let wanted = |part| options.only.is_none_or(|only| only == part);
    if wanted(Part::Nearness) {
        nearness::table(options.seed)?;
    }
    if wanted(Part::Learned) {
        cost::learned(options.seed)?;
    }
    if wanted(Part::Million) {
        cost::million(options.seed)?;
    }
    if wanted(Part::Names) {
        cost::names(options.seed)?;
    }
    if wanted(Part::Shapes) {
        shapes::table(options.seed)?;
    }
    if wanted(Part::Users) {
        users::table(options.seed)?;
    }
    Ok(())
}

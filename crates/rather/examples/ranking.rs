//! The first ranking: three teas, their price, and a few comparisons.
//!
//! `cargo run --release -p rather --example ranking`

use rather::Comparison;
use rather::features::{Column, ColumnValues};
use rather::model::{FitSettings, Items, Model};

fn main() -> Result<(), rather::Error> {
    let price = Column { name: "price".into(), values: ColumnValues::Numeric(vec![1.0, 2.0, 3.0]) };
    let items = Items { keys: vec!["Sencha".into(), "Oolong".into(), "Assam".into()], columns: vec![price] };
    // Sencha was preferred to Oolong five times, Oolong to Sencha twice, and so on.
    let counts = [(0, 1, 5.0), (1, 0, 2.0), (1, 2, 5.0), (2, 1, 1.0), (0, 2, 3.0)];
    let comparisons = counts.map(|(winner, loser, count)| Comparison { winner, loser, count });
    let model = Model::fit(&items, &comparisons, &FitSettings::default(), &|_| ())?;
    for (place, tea) in model.rank(model.points()).iter().enumerate() {
        println!("{}  {:8}{:6.2} ± {:.2}", place + 1, items.keys[tea.item], tea.mean, 1.96 * tea.sd);
    }
    Ok(())
}
